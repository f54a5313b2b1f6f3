# function: Experts.forward
import torch


class Experts(torch.nn.Module):
    def forward(self, x, hot, out):
        hit = (hot.sum(dim=(-1, -2)) > 0).nonzero(as_tuple=True)[0].tolist()
        for e in hit:  # those that are chosen
            slot, row = torch.where(hot[e])
            if row.sum() > 3:
                continue
            out.index_add_(0, row, self.experts[e](x[row]))
        return out
