# coding: latin-1
x = "éè"
été = x
