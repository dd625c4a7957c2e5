"""Constructors with loops over sizes. They need PyTorch."""

import copy

from torch import nn

from tests.frameworks.derive.deriving import FITTED, derives, unfollowed


def square(hidden_size, **options):
    return nn.Linear(hidden_size, hidden_size, **options)


@derives("1530·ch² + 30·ch", where={"st = 4": "the constructor refuses"}, beyond=[{"stages": 5}])
def doubling(channels=4, stages=4):
    model = nn.Sequential()
    for _ in range(stages):
        model.append(nn.Conv2d(channels, 2 * channels, 3))
        channels = 2 * channels
    return model


@derives("L·(H² + H) − 2·H² + 5·H", where="L ≥ 2", beyond=[{"layers": 1}])
def below_zero(hidden_size=8, layers=5):
    """Create layers - 2 layers between two ends: none if there are 1 or 2 layers."""
    middle = nn.ModuleList(square(hidden_size) for _ in range(layers - 2))
    return nn.ModuleDict({"first": nn.Embedding(7, hidden_size), "middle": middle})


@derives(
    "L·(H² + H) − H²·⌊L/2⌋ − H·⌊L/2⌋",
    where={"L > ⌊L/2⌋": "the number of layers"},
    reasons=[
        FITTED,
        "the count is fitted in 2 tensor groups",
        "layers is read in a way that is not followed",
        *unfollowed("a branch", "a statement"),
    ],
)
def early_exit(hidden_size=8, layers=9):
    model = nn.ModuleList()
    for index in range(layers):
        if index * 2 >= layers:
            break
        model.append(square(hidden_size))
    return model


@derives("L·H² + H·(⌊(L − 1)/ev⌋ + 1)")
def every(hidden_size=12, layers=9, every=3):
    return nn.ModuleList(square(hidden_size, bias=i % every == 0) for i in range(layers))


@derives(
    "L·(H² + H) + 3·H²·⌊L/2⌋ + 3·H·⌊L/2⌋",
    at=[{"hidden_size": 3, "layers": layers} for layers in (1, 2, 9, 40)],
)
def by_list(hidden_size=12, layers=6):
    kinds = ["wide" if index % 2 else "narrow" for index in range(layers)]
    widths = [hidden_size * (4 if kind == "wide" else 1) for kind in kinds]
    return nn.ModuleList(nn.Linear(hidden_size, width) for width in widths)


@derives("L·H² + H·de", where="de ≤ L")
def by_runs(hidden_size=12, layers=6, dense=2):
    return _by_kinds(hidden_size, layers, ["dense"] * dense + ["wide"] * (layers - dense))


@derives("L·H² + 2·H", where="5 ≤ L", irrelevant=["L = 6"])
def by_changed_runs(hidden_size=12, layers=6):
    kinds = ["dense"] + ["wide"] * (layers - 1)
    kinds[-1] = "dense"
    return _by_kinds(hidden_size, layers, kinds)


def _by_kinds(hidden_size, layers, kinds):
    kinds = copy.deepcopy(kinds)
    return nn.ModuleList(square(hidden_size, bias=kinds[i] == "dense") for i in range(layers))


@derives("L·H² + H", where=["L ≥ 2", "L < 61"], beyond=[{"layers": 61}])
def named_layers(hidden_size=12, layers=4):
    return nn.ModuleList(square(hidden_size, bias=i in (1, 60)) for i in range(layers))


@derives("10·H² + 10·H", where="L = 4", beyond=[{"layers": 5}])
def triangle(hidden_size=12, layers=4):
    return nn.ModuleList(
        nn.ModuleList(square(hidden_size) for _ in range(i + 1)) for i in range(layers)
    )


@derives("L·(H² + H)", where="ot ≥ L", beyond=[{"layers": 7}])
def side_by_side(hidden_size=12, layers=4, others=6):
    pairs = zip(range(layers), range(others), strict=False)
    return nn.ModuleList(square(hidden_size) for _ in pairs)


@derives("H² + H", at=[{"hidden_size": 31, "layers": 9}])
def shared(hidden_size=8, layers=4):
    layer = square(hidden_size)
    return nn.ModuleList([layer for _ in range(layers)])


@derives("7·L·H + H²·⌊L/st⌋ − 7·H·⌊L/st⌋", where="H ≤ 20", beyond=[{"hidden_size": 21, "step": 2}])
def guarded(hidden_size=8, layers=6, step=2):
    model = nn.ModuleList()
    for index in range(layers):
        if (index + 1) % step == 0:
            model.append(square(hidden_size, bias=False))
        else:
            model.append(nn.Linear(hidden_size, 5 if hidden_size > 20 else 7, bias=False))
    return model


@derives("L·(H² + H) + 2·H", at=[{"hidden_size": 24, "num_layers": 40}])
def encoder(hidden_size=8, num_layers=3):
    layers = {f"encoder_layer_{i}": nn.Linear(hidden_size, hidden_size) for i in range(num_layers)}
    return nn.ModuleDict({"layers": nn.ModuleDict(layers), "norm1": nn.LayerNorm(hidden_size)})


@derives("L·(2·H²·ns + 2·H·ns)", at=[{"hidden_size": 24, "num_stages": 5, "depth": 7}])
def stages(hidden_size=8, num_stages=2, depth=3):
    return nn.ModuleDict(
        {
            f"stage{s + 1}": nn.ModuleDict(
                {
                    f"block_{i}": nn.ModuleDict(
                        {f"fc{n}": nn.Linear(hidden_size, hidden_size) for n in (1, 2)}
                    )
                    for i in range(depth)
                }
            )
            for s in range(num_stages)
        }
    )


@derives(
    "L·(H² + H) − H²·⌊L/2⌋ − H·⌊L/2⌋",
    where={"L > ⌊L/2⌋": "the number of layers of some kind differs"},
    reasons=[
        FITTED,
        "the count is fitted in 2 tensor groups",
        "the length of a loop is read in a way that is not followed",
        *unfollowed("a lookup"),
    ],
    at=[{"layers": 9}],
)
def every_second_number(hidden_size=8, layers=6):
    return nn.ModuleList([nn.Linear(hidden_size, hidden_size) for _ in range(layers)[::2]])
