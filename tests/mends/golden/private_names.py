# function: Holder.update
# facts: self._Holder__log=logger
import torch


class Holder:
    def update(self, x: torch.Tensor, __seen):
        __total = x + self.__scale
        if __total.sum() > 0:
            __total = __total + __seen
        if x.any():
            self.__scale = x
        print(self.__scale, __total)
        self.__log.info("private")
        return __total
