#!/usr/bin/env python
# vim: set fileencoding=iso-8859-15 :
x = "€"
