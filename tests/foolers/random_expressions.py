"""Random expressions as text: arithmetic on sizes, floats and conditions."""

from functools import cache

from hypothesis import strategies as st

LIMITS = st.sampled_from([2, 5, 20, 50, 100, 300, 1000, 4000, 20_000, 100_000])
FAR = st.sampled_from([100, 500, 700, 3000])
"""Limits beyond all values near the constructor's own sizes, but within 300 times them."""


DEEP = st.sampled_from([2, 30, 60, 100])
SMALL = st.integers(2, 9)
FLOATS = st.sampled_from(["0.25", "0.5", "1.5", "0.7", "0.35", "2.6666666666666665", "0.1"])
RELATIONS = st.sampled_from(["<", "<=", ">", ">=", "!=", "=="])


def written(template, **parts):
    """Return a strategy for a template whose places are filled from strategies."""
    return st.fixed_dictionaries(parts).map(lambda drawn: template.format(**drawn))


@cache
def whole(names, depth=2):
    """Return a strategy for expressions that are ints, in variables with these names."""
    leaf = st.sampled_from(names)
    if depth == 0:
        return leaf
    inner = whole(names, depth - 1)
    numbers = floats(names, depth - 1)
    return st.one_of(
        leaf,
        leaf,
        written("{x} * {y}", x=leaf, y=leaf | SMALL),
        written("{y} * {x}", x=leaf, y=SMALL),
        written("({x} + {y})", x=inner, y=leaf | SMALL),
        written("({x} // {y} + 1)", x=inner, y=SMALL),
        written("({x} % {y} + 1)", x=inner, y=SMALL),
        written("max({x}, {y})", x=inner, y=leaf | LIMITS),
        written("min({x}, {y})", x=inner, y=leaf | LIMITS),
        written("max(1, {x} - {y})", x=inner, y=SMALL),
        written("(int({x}) + 1)", x=numbers),
        written("(round({x}) + 1)", x=numbers),
        written("(math.ceil({x}) + 1)", x=numbers),
        written("({x} if {c} else {y})", x=leaf, y=leaf, c=conditions(names, depth - 1)),
        written("TABLE[{x} % 6]", x=leaf),
        written("WIDE.get({x}, {y})", x=leaf, y=leaf),
        written("[{x}, {y}][{c}]", x=leaf, y=leaf, c=conditions(names, depth - 1)),
        written("len(str({x}))", x=leaf),
        written("sum([{x}, {y}])", x=leaf, y=leaf),
        *_contained(names, inner, conditions(names, depth - 1)),
    )


def _contained(names, inner, condition):
    """Return strategies for ints that come from a container, text or a definition."""
    leaf = st.sampled_from(names)
    return [
        written("({x}, {y})[{c}]", x=leaf, y=inner, c=condition),
        written("{{True: {x}, False: {y}}}[{c}]", x=inner, y=leaf, c=condition),
        written("dict(one={x}, two={y})['two']", x=leaf, y=inner),
        written("(divmod({x}, {y})[0] + 1)", x=leaf, y=SMALL),
        written("len(range(0, {x}, {y}))", x=leaf, y=SMALL),
        written("(sum(TABLE[: {x} % 6]) + 1)", x=leaf),
        written("(len(TABLE[:: {x}]) + 1)", x=leaf),
        # A comprehension's iterable may not contain a walrus operator: use only names.
        written("(sum([size // {k} for size in ({x}, {y})]) + 1)", x=leaf, y=leaf, k=SMALL),
        written("(len([s for s in ({x}, {y}, 90) if s < {k}]) + 1)", x=leaf, y=leaf, k=LIMITS),
        written("max(size + 1 for size in ({x}, {y}))", x=leaf, y=leaf),
        written("sorted(({x}, {y}, {k}))[1]", x=inner, y=leaf, k=LIMITS),
        written("(kept if (kept := {x}) > {k} else {y})", x=inner, y=leaf, k=LIMITS),
        written("len(f'{{{x}}}-{{{y}}}')", x=leaf, y=leaf),
        written("len('-'.join(['x'] * {x}))", x=leaf),
        written("({x} if str({x}).startswith('1') else {y})", x=leaf, y=leaf),
        written("(lambda size: size // {k} + 1)({x})", x=inner, k=SMALL),
        written("Config({x}, {y}).larger", x=leaf, y=leaf),
    ]


@cache
def floats(names, depth=1):
    """Return a strategy for expressions that are floats."""
    size = whole(names, depth)
    return st.one_of(
        written("{x} * {y}", x=size, y=FLOATS),
        written("{y} * {x}", x=size, y=FLOATS),
        written("{x} / {y}", x=size, y=SMALL),
        written("{x} ** 0.5", x=st.sampled_from(names)),
        written("math.sqrt({x})", x=size),
        written("math.log2({x})", x=size),
        written("float({x})", x=size),
    )


@cache
def conditions(names, depth=1):
    """Return a strategy for conditions, half of which do not compare a size itself."""
    leaf = st.sampled_from(names)
    size = whole(names, depth) if depth else leaf
    plain = st.one_of(
        written("{x} {r} {y}", x=size, r=RELATIONS, y=LIMITS),
        written("{x} {r} {y}", x=size, r=RELATIONS, y=leaf),
        written("{x} % {y} == 0", x=leaf, y=SMALL),
    )
    simple = plain | hidden(names)
    if depth == 0:
        return simple
    both = written("({x} {j} {y})", x=simple, y=simple, j=st.sampled_from(["and", "or"]))
    return st.one_of(simple, simple, both)


@cache
def hidden(names):
    """Return a strategy for conditions on a float, text, a table or a count."""
    leaf = st.sampled_from(names)
    return st.one_of(
        written("{f} * {x} < {y}", f=FLOATS, x=leaf, y=FAR),
        written("{x} {r} {y}.5", x=floats(names, 0), r=RELATIONS, y=FAR | st.just(12)),
        written("float({x}) < {y}", x=leaf, y=FAR),
        written("1.0 / {x} > 1 / {y}", x=leaf, y=FAR),
        written("math.sqrt({x}) < {y}", x=leaf, y=st.sampled_from([9, 22, 50])),
        written("math.log2({x}) < {y}", x=leaf, y=st.integers(6, 12)),
        written("max({y}.0, {x}) <= {y}", x=leaf, y=FAR),
        written("round({x}, -2) < {y}", x=leaf, y=FAR),
        written("len(str({x})) < {y}", x=leaf, y=st.integers(3, 4)),
        written('len(f"{{{x}:x}}") < 3', x=leaf),
        written("int(str({x})) < {y}", x=leaf, y=FAR),
        written("len([0] * {x}) < {y}", x=leaf, y=FAR),
        written("sum(1 for _ in range({x})) < {y}", x=leaf, y=FAR),
        written("{x}.bit_length() < {y}", x=leaf, y=st.integers(7, 12)),
        written("{x} & {y}", x=leaf, y=st.sampled_from([8, 512, 4096])),
        written("{x} in WIDE", x=leaf),
        written("{x} in range({y})", x=leaf, y=st.sampled_from([30, 300])),
    )


@cache
def of_layers(names):
    """Return a strategy for conditions in a loop, whose index is ``i``."""
    return st.one_of(
        written("i {r} {y}", r=RELATIONS, y=DEEP | st.sampled_from(names)),
        written("i % {y} == {z}", y=SMALL, z=st.integers(0, 1)),
        written("i * 1.0 < {y}", y=DEEP),
        written("1.0 * i < {y}", y=DEEP),
        st.just('f"layer{i}" not in NAMES'),
        written("len(str(i)) < {y}", y=st.integers(2, 3)),
        st.just("not LATE[i]"),
        written("len(layers) < {y}", y=DEEP),
        written("count < {y}", y=DEEP),
        conditions(names, 0),
    )
