import torch


def größe(höhe: torch.Tensor, ξ, 名前):
    text = "über ☃"; π = ξ + 1
    if höhe.sum() > ξ: höhe = höhe + π  # länger
    print("größe ☃", höhe, 名前)
    return höhe, text
