# coding: no-such-encoding
x
