été = ﬁ = 变量 = µ = 1
def ª(ℌ): return ℌ
