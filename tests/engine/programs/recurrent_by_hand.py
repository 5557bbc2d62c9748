# A recurrent cell made of two linear layers, trained to add up; gradients clipped.
import torch
from torch import nn


class Cell(nn.Module):
    def __init__(self, inputs, hidden):
        super().__init__()
        self.hidden = hidden
        self.i2h, self.h2o = nn.Linear(inputs + hidden, hidden), nn.Linear(hidden, 1)

    def forward(self, x):
        h = x.new_zeros(x.size(0), self.hidden)
        for step in range(x.size(1)):
            h = torch.tanh(self.i2h(torch.cat((x[:, step : step + 1], h), 1)))
        return self.h2o(h)


torch.manual_seed(24)
net = Cell(1, 12)
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for step in range(30):
    x = torch.rand(16, 6) - 0.5
    loss = nn.functional.mse_loss(net(x), x.sum(1, keepdim=True))
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 0.5)
    optimizer.step()
    if step % 10 == 9:
        print(f"{loss.item():.4f} {norm.item():.4f}")
