# REINFORCE on a bandit: sample, then move the logits along the reward.
import torch

torch.manual_seed(26)
rewards = torch.tensor([0.1, 0.9, 0.4])
logits = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.Adam([logits], lr=0.1)
baseline = 0.0
for step in range(40):
    p = torch.softmax(logits, 0)
    action = torch.multinomial(p.detach(), 1).item()
    reward = torch.bernoulli(rewards)[action].item()
    loss = -torch.log(p[action]) * (reward - baseline)
    baseline = 0.9 * baseline + 0.1 * reward
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(torch.softmax(logits, 0), f"{baseline:.4f}")
