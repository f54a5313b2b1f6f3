a; b; c;
if x: a; b;
class A: x = 1; y = 2
