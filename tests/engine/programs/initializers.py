import torch
from torch import nn
from torch.nn import init

torch.manual_seed(19)
for fill in (
    init.xavier_uniform_, init.xavier_normal_, init.kaiming_uniform_, init.kaiming_normal_, init.ones_,
    lambda t: init.kaiming_normal_(t, mode="fan_out", nonlinearity="relu"),
    lambda t: init.xavier_uniform_(t, gain=init.calculate_gain("tanh")), lambda t: init.normal_(t, 1, 0.1), lambda t: init.uniform_(t, 2, 3),
):
    for shape in ((3, 5), (17, 4)):
        t = fill(torch.empty(shape))
        print([round(v, 4) for v in t.flatten()[:3].tolist()], round(t.sum().item(), 3))


def init_weights(m):
    if isinstance(m, nn.Linear):
        init.xavier_uniform_(m.weight)
        m.bias.data.fill_(0.01)


net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.ELU(), nn.Linear(3, 1))
net.apply(init_weights)
print(net)
print({k: tuple(v.shape) for k, v in net.state_dict().items()})
