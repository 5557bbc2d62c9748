# ruff: noqa
"""Random numbers from a seed: the same stream, number by number. What must be equal to the last bit is compared by a checksum."""

# %% random.exact.$ | 15 | torch.rand, torch.randint, torch.randperm: sizes 1 to 100
#: rand          | draw = lambda n: mg.rand(n)
#: rand_double   | draw = lambda n: mg.rand(n, dtype=mg.float64)
#: rand_half     | draw = lambda n: mg.rand(n, dtype=mg.float16)
#: rand_complex  | draw = lambda n: mg.rand(n, dtype=mg.complex64)
#: rand_rows     | draw = lambda n: mg.rand(2, n, 3)
#: uniform       | draw = lambda n: mg.empty(n).uniform_(-0.7, 0.33)
#: uniform64     | draw = lambda n: mg.empty(n, dtype=mg.float64).uniform_(-0.7, 0.33)
#: uniform_t     | draw = lambda n: mg.empty(n, 3).t().uniform_()
#: like_t        | draw = lambda n: mg.rand_like(mg.empty(n, 3).t())
#: randint       | draw = lambda n: mg.randint(-3, 17, (n,))
#: randint_large | draw = lambda n: mg.randint(2**28, (n,))
#: randint_huge  | draw = lambda n: mg.randint(-2**60, 2**60, (n,))
#: randint_uint8 | draw = lambda n: mg.randint(0, 200, (n,), dtype=mg.uint8)
#: randint_float | draw = lambda n: mg.randint(-3, 20, (n,), dtype=mg.float32)
#: random_       | draw = lambda n: mg.empty(n, dtype=mg.int32).random_(5, 90)
#: randperm      | draw = lambda n: mg.randperm(n)
#: bernoulli_    | draw = lambda n: mg.empty(n).bernoulli_(0.3)
#: bernoulli     | draw = lambda n: mg.bernoulli(mg.rand(n))
#: bernoulli64   | draw = lambda n: mg.bernoulli(mg.rand(n, dtype=mg.float64))
#: dropout       | draw = lambda n: mg.nn.functional.dropout(mg.ones(n), 0.3)
#: linear        | draw = lambda n: mg.nn.Linear(n, 3).weight.detach()
#: linear_bias   | draw = lambda n: mg.nn.Linear(n, 3).bias.detach()
#: conv          | draw = lambda n: mg.nn.Conv2d(n, 2, 3).weight.detach()
#: make_tensor   | draw = lambda n: mg.testing.make_tensor(n, dtype=mg.float32, device="cpu")
import zlib
for seed in (0, 42):
    mg.manual_seed(seed)
    for n in range(1, 101):
        drawn = np.ascontiguousarray(np.asarray(draw(n).tolist()))
        print(n, zlib.crc32(drawn.tobytes()))
    print(mg.rand(1).item())
del drawn

# %% random.normal.$ | 15 | torch.randn: sizes 1 to 100, the platform's logarithm in between
#: randn        | draw = lambda n: mg.randn(n)
#: randn_double | draw = lambda n: mg.randn(n, dtype=mg.float64)
#: complex      | draw = lambda n: mg.randn(n, dtype=mg.complex64)
#: rows         | draw = lambda n: mg.randn(n, 3)
#: transposed   | draw = lambda n: mg.randn_like(mg.empty(n, 3).t())
#: blocks       | draw = lambda n: mg.randn(n + 15)
#: scaled       | draw = lambda n: mg.empty(n, dtype=mg.float64).normal_(2, 0.5)
#: normal       | draw = lambda n: mg.normal(mg.arange(n) * 1.0, mg.rand(n))
#: normal_std   | draw = lambda n: mg.normal(0.5, mg.rand(n) + 1)
#: normal_size  | draw = lambda n: mg.normal(0.5, 2.0, (n, 2))
mg.manual_seed(0)
for n in range(1, 101):
    drawn = draw(n)
    parts = drawn if not drawn.is_complex() else mg.view_as_real(drawn)
    flat = parts.reshape(-1).tolist()
    print(n, f"{flat[0]:.4f} {flat[-1]:.4f} {sum(flat):.3f}")
del drawn, parts
after = mg.rand(2)

# %% random.normal.first | 15 | torch.randn
mg.manual_seed(0)
few, more, double = mg.randn(5), mg.randn(37), mg.randn(20, dtype=mg.float64)
kept = mg.randn(3)
other = mg.randn(2)

# %% random.multinomial.$ | 15 | torch.multinomial
#: one         | mg.multinomial(p, 1)
#: three       | mg.multinomial(p, 3)
#: replacement | mg.multinomial(p, 9, replacement=True)
#: rows        | mg.multinomial(p.view(2, 5), 2)
#: rows_again  | mg.multinomial(p.view(2, 5), 4, True)
#: method      | p.multinomial(2)
mg.manual_seed(3)
p = mg.rand(10)
for _ in range(4):
    print((
        ...
    ).tolist())

# %% random.generator.own | 15 | torch.Generator
g = mg.Generator()
print(g.initial_seed(), g.device)
print(g.manual_seed(5) is g, g.initial_seed())
a = mg.rand(3, generator=g)
mg.manual_seed(5)
b, c = mg.randn(4), mg.rand(3)
mg.manual_seed(5)
d = mg.rand(3)
e = mg.randperm(6, generator=mg.Generator().manual_seed(1))
f = mg.randint(9, (4,), generator=mg.Generator().manual_seed(-1))

# %% random.gradient.$ | 15 | torch.normal, torch.bernoulli: nothing is learnt through a draw
#: bernoulli   | y = mg.bernoulli(x)
#: bernoulli_  | y = (x * 2).bernoulli_(0.25)
mg.manual_seed(5)
x = mg.tensor([0.25, 0.5], requires_grad=True)
...
y.sum().backward()
del y

# %% random.error.$ | 15 | torch.multinomial, torch.bernoulli
#: p_above       | mg.tensor([1.5]).bernoulli()
#: p_integer     | mg.bernoulli(mg.tensor([1]))
#: many_integer  | mg.multinomial(mg.tensor([1, 2]), 1)
#: many_negative | mg.multinomial(mg.tensor([-1.0, 2.0]), 1)
#: many_more     | mg.multinomial(mg.tensor([1.0, 2.0]), 3)
#: many_zero     | mg.multinomial(mg.tensor([0.0, 0.0]), 1)
#: many_dims     | mg.multinomial(mg.ones(2, 2, 2), 1)
#: many_none     | mg.multinomial(mg.ones(2), 0)
#: normal_std    | mg.normal(mg.zeros(2), -1.0)
#: normal_stds   | mg.normal(mg.zeros(2), mg.tensor([-1.0, 1.0]))
#: normal_text   | mg.normal("a")
#: normal_shapes | mg.normal(mg.zeros(2), mg.ones(3))
#: out_of_range  | mg.randint(300, (2,), dtype=mg.uint8)
#: below_range   | mg.randint(-5, 3, (2,), dtype=mg.uint8)
#: empty_range   | mg.randint(3, 3, (2,))
#: grad_integers | mg.randint(0, 10, (3,), requires_grad=True)
#: generator     | mg.rand(2, generator=3)
#: seed_text     | mg.Generator().manual_seed("a")
#: seed_float    | mg.Generator().manual_seed(1.5)
#: seed_large    | mg.Generator().manual_seed(2**64)
...

# %% random.forms.$ | 15 | calls of other people's programs
#: high_size  | t = mg.randint(high=3, size=(2,))
#: low_high   | t = mg.randint(low=1, high=3, size=(2,))
#: size_name  | t = mg.randint(3, size=(2,))
#: none       | t = mg.rand(2, generator=None)
#: empty_size | t = mg.randn(size=())
#: rand_empty | t = mg.rand(size=())
#: ones_empty | t = mg.ones(size=())
#: perm_dtype | t = mg.randperm(4, dtype=mg.int32)
#: perm_name  | t = mg.randperm(n=4)
#: out_empty  | t = mg.rand(2, 3, requires_grad=True)
#: normal     | t = mg.normal(mean=0.0, std=1.0, size=(2,), requires_grad=True)
#: normal_int | t = mg.normal(0, 1, (2,), dtype=mg.float64)
mg.manual_seed(7)
...
