class A:
    def f(self):
        pass
# at the margin
    def g(self):
        pass
    # trailing