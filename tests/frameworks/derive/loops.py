"""Constructors with loops over sizes. They need PyTorch."""

import copy
import threading

from torch import nn


def square(hidden_size, **options):
    return nn.Linear(hidden_size, hidden_size, **options)


def doubling(channels=4, stages=4):
    """Channels that double in each round."""
    model = nn.Sequential()
    for _ in range(stages):
        model.append(nn.Conv2d(channels, 2 * channels, 3))
        channels = 2 * channels
    return model


def growing(channels=4, stages=4):
    """Channels that grow by one in each round."""
    model = nn.Sequential()
    for _ in range(stages):
        model.append(nn.Linear(channels, channels + 1))
        channels = channels + 1
    return model


def by_turns_at_first(hidden_size=8, layers=4):
    """Every second layer is wide, of the first twelve: which no model of nine shows."""
    wide = [f"{number}" for number in range(1, 12, 2)]
    times = (4 if f"{index}" in wide else 1 for index in range(layers))
    return nn.ModuleList(nn.Linear(hidden_size, time * hidden_size) for time in times)


def by_index(hidden_size=8, layers=4):
    """Each layer as wide as its index says."""
    return nn.Sequential(*(nn.Linear(hidden_size, hidden_size * (i + 1)) for i in range(layers)))


def number_carried(hidden_size=12, layers=4):
    """A number grows, but not before the 21st layer."""
    width, model = 4, nn.ModuleList()
    for index in range(layers):
        model.append(nn.Linear(hidden_size, width))
        if index > 20:
            width += 1
    return model


def below_zero(hidden_size=8, layers=5):
    """Create layers - 2 layers between two ends: none if there are 1 or 2 layers."""
    middle = nn.ModuleList(square(hidden_size) for _ in range(layers - 2))
    return nn.ModuleDict({"first": nn.Embedding(7, hidden_size), "middle": middle})


def early_exit(hidden_size=8, layers=9):
    model = nn.ModuleList()
    for index in range(layers):
        if index * 2 >= layers:
            break
        model.append(square(hidden_size))
    return model


def exit_at(hidden_size=8, layers=9, dense=3):
    model = nn.ModuleList()
    for index in range(layers):
        if index >= dense:
            break
        model.append(square(hidden_size))
    return model


def dense_first(hidden_size=8, layers=9, dense=3):
    return nn.ModuleList(square(hidden_size, bias=i < dense) for i in range(layers))


def all_but_the_last(hidden_size=8, layers=9):
    return nn.ModuleList(square(hidden_size, bias=i < layers - 1) for i in range(layers))


def first_half(hidden_size=8, layers=9):
    return nn.ModuleList(square(hidden_size, bias=i < layers / 2) for i in range(layers))


def every(hidden_size=12, layers=9, every=3):
    return nn.ModuleList(square(hidden_size, bias=i % every == 0) for i in range(layers))


def by_list(hidden_size=12, layers=6):
    """Kinds of layers as configurations have them: a list of strings."""
    kinds = ["wide" if index % 2 else "narrow" for index in range(layers)]
    widths = (hidden_size * (4 if kind == "wide" else 1) for kind in kinds)
    return nn.ModuleList(nn.Linear(hidden_size, width) for width in widths)


def by_runs(hidden_size=12, layers=6, dense=2):
    """Read the kinds of layers from a copy of a list in which each kind is repeated."""
    return _by_kinds(hidden_size, layers, ["dense"] * dense + ["wide"] * (layers - dense))


def by_one_and_a_run(hidden_size=12, layers=6):
    return _by_kinds(hidden_size, layers, ["dense"] + (layers - 1) * ["wide"])


def by_a_run_and_one(hidden_size=12, layers=6):
    return _by_kinds(hidden_size, layers, ["wide"] * (layers - 1) + ["dense"])


def by_changed_runs(hidden_size=12, layers=6):
    """Change an element of a list that was built from repeated kinds."""
    kinds = ["dense"] + ["wide"] * (layers - 1)
    kinds[-1] = "dense"
    return _by_kinds(hidden_size, layers, kinds)


def _by_kinds(hidden_size, layers, kinds):
    kinds = copy.deepcopy(kinds)
    return nn.ModuleList(square(hidden_size, bias=kinds[i] == "dense") for i in range(layers))


def late_layers(hidden_size=8, layers=4):
    """Other layers from the 52nd on."""
    return nn.ModuleList(square(hidden_size, bias=i > 50) for i in range(layers))


def late_layer(hidden_size=8, layers=4):
    return nn.ModuleList(square(hidden_size, bias=i == 50) for i in range(layers))


def seldom(hidden_size=8, layers=4):
    return nn.ModuleList(square(hidden_size, bias=i % 50 == 49) for i in range(layers))


def named_layers(hidden_size=12, layers=4):
    return nn.ModuleList(square(hidden_size, bias=i in (1, 60)) for i in range(layers))


def from_behind(hidden_size=12, layers=4):
    return nn.ModuleList(square(hidden_size) for _ in reversed(range(layers)))


def nested(hidden_size=12, stages=3, layers=4):
    return nn.ModuleList(
        nn.ModuleList(square(hidden_size) for _ in range(layers)) for _ in range(stages)
    )


def triangle(hidden_size=12, layers=4):
    return nn.ModuleList(
        nn.ModuleList(square(hidden_size) for _ in range(i + 1)) for i in range(layers)
    )


def side_by_side(hidden_size=12, layers=4, others=6):
    pairs = zip(range(layers), range(others), strict=False)
    return nn.ModuleList(square(hidden_size) for _ in pairs)


def in_a_thread(hidden_size=8, layers=4):
    made = []

    def make():
        made.extend(nn.Linear(hidden_size, 3 * hidden_size) for _ in range(layers))

    thread = threading.Thread(target=make)
    thread.start()
    thread.join()
    return nn.ModuleList(made)


def shared(hidden_size=8, layers=4):
    """One layer in every place."""
    layer = square(hidden_size)
    return nn.ModuleList([layer for _ in range(layers)])


def guarded(hidden_size=8, layers=6, step=1):
    """Layers that are not there at first, as wide as a question says that was not asked then."""
    model = nn.ModuleList()
    for index in range(layers):
        if (index + 1) % step == 0:
            model.append(square(hidden_size, bias=False))
        else:
            model.append(nn.Linear(hidden_size, 5 if hidden_size > 20 else 7, bias=False))
    return model
