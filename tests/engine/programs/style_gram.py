# An image changed until the Gram matrix of its features is that of another.
import torch
import torch.nn.functional as F

torch.manual_seed(28)
filters = torch.randn(4, 1, 3, 3)


def gram(image):
    f = F.relu(F.conv2d(image, filters, padding=1)).flatten(2).squeeze(0)
    return f @ f.t() / f.numel()


goal = gram(torch.rand(1, 1, 8, 8))
image = torch.rand(1, 1, 8, 8).requires_grad_()
optimizer = torch.optim.LBFGS([image], lr=0.5, max_iter=4)


def closure():
    with torch.no_grad():
        image.clamp_(0, 1)
    optimizer.zero_grad()
    loss = F.mse_loss(gram(image), goal) * 100
    loss.backward()
    return loss


for _ in range(5):
    print(f"{optimizer.step(closure).item():.4f}")
