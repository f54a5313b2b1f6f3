import torch


def commented(x: torch.Tensor):  # after the header
    # first

    y = x  # y

        # deeper than the code
    if x.sum() > 0:  # the test

        # the arm
        y = x + 1  # one

# at the margin
        y = y + 2
    # after
    for i in range(2):

        # in the loop
        if y.sum() > i:
            y = y - 1
        # end of the loop
    return y
    # the end
