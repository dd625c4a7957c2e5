"""Functions that are followed with every size unknown, and code that the interpreter denies."""

import dataclasses
import functools
import itertools
import os
import re
from functools import partial

import pytest

from paramproof.catalogue.program import Part, Refused
from paramproof.tracing.configuration.terms import Unknown
from paramproof.tracing.constructors.function import function_constructor
from tests.frameworks.modules import live as interpreter

torch = pytest.importorskip("torch")
nn = torch.nn
foolers = pytest.importorskip("tests.foolers.entries")
foolers.load()

pytestmark = pytest.mark.framework("torch")


@dataclasses.dataclass
class Config:
    width: int
    depth: int = 2

    @property
    def inner(self):
        return 4 * self.width


def linear(*sizes):
    return nn.Linear(*sizes)


def sequence(layers):
    return nn.Sequential(*layers)


def parameter(tensor):
    return nn.ParameterList([nn.Parameter(tensor)])


def calls(h=8, n=3):
    wide = lambda size, by=2: by * size  # noqa: E731
    return partial(linear, wide(h))(n)


def widths(h, n):
    yield h
    for _ in range(n):
        yield 2 * h


def yields(h=8, n=3):
    return sequence(linear(h, one) for one in widths(h, n))


def fills_a_dataclass(h=8, n=3):
    config = Config(h, depth=n)
    return sequence(linear(h, config.inner) for _ in range(config.depth))


def names_by_number(h=8, n=3):
    module = nn.Module()
    for index in range(n):
        setattr(module, f"layer_{index}", nn.Linear(h, h))
    return module


class Cached:
    @functools.lru_cache  # noqa: B019
    def size(self, h):
        return 2 * h


def holds_a_cached_method(h=8, n=3):
    Cached()
    return nn.ModuleList(linear(h, h) for _ in range(n))


def followed(function):
    """Return the program of a function, and the number of parameters that it builds at sizes."""
    constructor = function_constructor("toy", function)

    def built(**sizes):
        return sum(one.numel() for one in constructor.make(sizes).parameters())

    return interpreter.Live(constructor), built


FOLLOWED = {
    **{
        one.__name__: one
        for one in (calls, yields, fills_a_dataclass, names_by_number, holds_a_cached_method)
    },
    "lists parameters": lambda h=8, n=3: nn.ParameterList(
        nn.Parameter(torch.zeros(h, 2)) for _ in range(n)
    ),
    "makes an LSTM": lambda h=8, n=3: nn.LSTM(h, 2 * h, num_layers=n, bidirectional=True),
    "subtracts sets": lambda h=8, n=3: linear(
        h, len({"weight", "bias", "scale"}.symmetric_difference({"bias"}))
    ),
    "compares": lambda h=8, n=3: linear(h, n if h > 100 else n + 1),
}


@pytest.mark.parametrize("function", FOLLOWED.values(), ids=FOLLOWED)
def test_code_that_is_followed(function):
    live, built = followed(function)
    for h, n in ((8, 3), (5, 1), (120, 4)):
        part = Part(live, "sizes", {"h": h, "n": n})
        assert part.count("toy")["trainable"] == built(h=h, n=n)
    assert not live.unclear


def replaces_columns(h=8, n=8):
    table = torch.zeros(n, h)
    table[:, 0::2] = torch.sin(torch.arange(0, h, 2) * torch.ones(n, 1))
    table[:, 1::2] = torch.cos(torch.arange(0, h, 2) * torch.ones(n, 1))
    return parameter(table)


@pytest.mark.parametrize(
    "function",
    [
        lambda h=8, n=8: parameter(torch.zeros(h, 2) + torch.zeros(2, n).t()),
        lambda h=8, n=8: parameter(torch.cat([torch.zeros(3, h), torch.zeros(2, n)])),
        replaces_columns,
    ],
)
def test_tensors_of_sizes_that_do_not_go_together_are_refused(function):
    live, built = followed(function)
    refused = 0
    for h, n in itertools.product(range(1, 6), repeat=2):
        part = Part(live, "sizes", {"h": h, "n": n})
        try:
            count = built(h=h, n=n)
        except RuntimeError:
            refused += 1
            with pytest.raises(Refused):
                part.count("toy")
        else:
            assert part.count("toy")["trainable"] == count
    assert refused
    assert not live.unclear


def halved(h, n):
    if n == 1:
        return [linear(h, h)]
    return [linear(h, h), *halved(h, n - 1)]


def recurs(h=8, n=3):
    return sequence(halved(h, n))


def test_a_recursion_is_followed_without_a_call_of_itself():
    live, built = followed(recurs)
    assert Part(live, "sizes", {"h": 9, "n": 1}).count("toy")["trainable"] == built(h=9, n=1)
    assert any("a branch of a function that calls itself" in one for one in live.unclear)
    with pytest.raises(Refused):
        Part(live, "sizes", {"h": 9, "n": 2}).count("toy")


class Passed(nn.Module):
    def __init__(self, h, n):
        super().__init__()
        self.size = 0
        self.layers = sequence(linear(h, h) for _ in range(n))
        for one in self.modules():
            self.size = one.out_features if hasattr(one, "out_features") else 1
        self.last = linear(h, self.size)


def changes_itself(h=8, n=3):
    return Passed(h, n)


class Managed:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


class Falsy:
    def __bool__(self):
        return False


class Found:
    def __getattr__(self, name):
        return 7


def enters(h=8):
    with Managed():
        return linear(h, h)


def asks_layers(h=8, n=7):
    layers = nn.ModuleList(linear(h, h) for _ in range(n // 4))
    return linear(h, 1 if layers else 2)


def yields_inside(h=8):
    def widths():
        yield h

    return sequence(linear(h, one) for one in widths())


def ends_a_try(h=8):
    try:
        return linear(h, h)
    finally:
        h += 1


def changes_a_set(h=8):
    names = {"weight", "bias"}
    names.discard("bias")
    return linear(h, len(names))


def pops(h=8):
    sizes = [h, 2 * h]
    return linear(sizes.pop(), *sizes)


def measures_text(h=8):
    return linear(h, len(f"{h}"))


def begins_again(h=8):
    layers = sequence([linear(h, h)])
    layers.__init__()
    return layers


EXPRESSIONS = {
    "Falsy.__bool__": lambda h: linear(h, 1 if Falsy() else 2),
    "width of a Found": lambda h: linear(h, Found().width),
    "a method that keeps what it made": lambda h: linear(h, Cached().size(h)),
    "a call of replace": lambda h: linear(h, dataclasses.replace(Config(h), depth=3).depth),
    "a value of _Environ": lambda h: linear(h, 1 if h in [os.environ] else 2),
}
"""By what is denied, an expression that has it."""


FOOLED = {
    "strictly_zipped": "an error that is handled",
    "global_counter": "the statement global SEEN",
    "own_comparison": "Compared.__lt__",
    "kept_property": "Cached.root",
    "descriptor": "Limited.dim",
    "counted_by_while": "the statement while i < dim",
    "loop_that_ends": "the statement for _ in range(n)",
    "zipped_with_a_generator": "the statement flags = ",
    "map_and_filter": "a call of map",
    "emptied_iterator": "an iterator",
    "children_of_a_module": "layers of an unknown number",
    "digits": "what is asked of a text",
}
"""The messages about foolers; test_foolers.py tests their outcomes."""


def in_a_statement(made):
    def model(h=8):
        return made(h)

    return model


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (enters, "Managed.__enter__"),
        (asks_layers, "ModuleList.__len__"),
        (changes_itself, "what a loop over layers of an unknown number leaves behind"),
        (yields_inside, "a generator inside of a function"),
        (ends_a_try, "the statement try:"),
        (changes_a_set, "the method discard of a set"),
        (pops, "the method pop of a list"),
        (measures_text, "text"),
        (begins_again, "a module that is made again"),
        *((in_a_statement(made), said) for said, made in EXPRESSIONS.items()),
        *((foolers.FOOLERS[name].function, said) for name, said in FOOLED.items()),
    ],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_code_that_is_denied(function, said):
    with pytest.raises(Unknown) as caught:
        followed(function)
    assert said in str(caught.value)
    # Lengths of texts are looked for in the whole model.
    assert function is measures_text or re.search(r"\(\w+\.py:\d+\)", str(caught.value))


SHAPE, LISTED = "a parameter of an unknown shape", "a tensor in a list of parameters"


def chooses_a_tensor(h=8, n=3):
    one = torch.zeros(n, h) if h > 4 else torch.zeros(h)
    return parameter(torch.sin(one))


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda h=8: parameter(torch.zeros(h)[5:]), SHAPE),
        (chooses_a_tensor, SHAPE),
        (lambda h=8: parameter(torch.zeros(h, 2).mT), r"a parameter of opaque\('mT'\)"),
        (lambda h=8, n=3: parameter(torch.stack([torch.zeros(h) for _ in range(n)])), SHAPE),
        (lambda h=8, n=3: nn.ParameterList(torch.zeros(h, 2) for _ in range(n)), LISTED),
        (lambda h=8: nn.ParameterDict({"a": torch.zeros(h)}), LISTED),
    ],
)
def test_parameters_that_are_not_followed(function, said):
    with pytest.raises(Unknown, match=said):
        followed(function)
