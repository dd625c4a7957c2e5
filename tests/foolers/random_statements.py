"""Random statements: lines of a constructor that fill ``layers``, each in one of many ways.

A strategy gives lines without indentation. Every loop runs a few times at small sizes.
"""

from hypothesis import strategies as st

from tests.foolers.random_expressions import DEEP, SMALL, conditions, of_layers, whole, written

TIMES = st.sampled_from(["n", "n", "n", "n + 1", "2 * n", "n // 2 + 1", "min(n, 50)", "4"])


def lines(*template, **parts):
    """Return a strategy for lines whose places are filled from strategies."""
    return written("\n".join(template), **parts).map(str.splitlines)


def layer(names):
    """Return a strategy for expressions that build a layer from sizes with these names."""
    size = whole(names, 1)
    linear = written("nn.Linear({x}, {y}, bias={c})", x=size, y=size, c=conditions(names))
    return st.one_of(
        linear,
        linear,
        written("nn.LayerNorm({x})", x=size),
        written("Block({x}, {y})", x=size, y=st.sampled_from(names)),
        written("nn.Sequential(nn.Linear({x}, {y}), nn.LayerNorm({y}))", x=size, y=size),
        written("Stack({x}, {y})", x=size, y=st.sampled_from(["n", "2", "n // 2 + 1"])),
    )


def statements(names):
    """Return a strategy for statements in variables with these names."""
    return st.one_of(*branches(names), *loops(names), *containers(names), *functions(names))


def branches(names):
    size, one, condition = whole(names, 1), layer(names), conditions(names)
    return [
        lines("layers.append({x})", x=one),
        lines("if {c}:", "    layers.append({x})", c=condition, x=one),
        lines(
            "if {c}:", "    layers.append({x})", "else:", "    layers.append({y})",
            c=condition, x=one, y=one,
        ),
        lines(
            "match {x} % 3:", "    case 0:", "        layers.append({one})",
            "    case 1 if {c}:", "        layers.append({other})",
            "    case rest:", "        layers.append(nn.LayerNorm({y} + rest))",
            x=size, y=size, c=condition, one=one, other=one,
        ),
        lines(
            "match ({c}, {x}):", "    case (True, size):",
            "        layers.append(nn.LayerNorm(size))",
            "    case (False, size) if size > {y}:", "        layers.append({one})",
            x=size, y=DEEP, c=condition, one=one,
        ),
        lines(
            "try:", "    layers.append(nn.Linear(TABLE[{x} // 50], a))", "except IndexError:",
            "    layers.append({one})",
            x=size, one=one,
        ),
        lines(
            "try:", "    check({x})", "    layers.append({one})", "except ValueError:",
            "    layers.append({other})",
            x=size, one=one, other=one,
        ),
    ]  # fmt: skip


def loops(names):
    size, one, inside = whole(names, 1), layer(names), of_layers(names)
    return [
        lines("for i in range({n}):", "    layers.append({x})", n=TIMES, x=one),
        lines(
            "count = 0", "for i in range({n}):", "    if {c}:", "        layers.append({x})",
            "    else:", "        layers.append(nn.LayerNorm(b))", "    count += 1",
            n=TIMES, c=inside, x=one,
        ),
        lines(
            "count = 0", "for i in range({n}):", "    if {c}:", "        {end}",
            "    layers.append({x})", "    count += 1",
            n=TIMES, c=inside, x=one, end=st.sampled_from(["break", "continue"]),
        ),
        lines(
            "count = 0", "while count < {n}:", "    layers.append({x})", "    count += 1",
            n=TIMES, x=one,
        ),
        lines(
            "size = {x}", "while (size := size // 2) > {y}:",
            "    layers.append(nn.LayerNorm(size))",
            x=size, y=SMALL,
        ),
        lines(
            "count = 0",
            "layers.extend([nn.Linear({x}, a, bias={c}) for i in range({n})])",
            n=TIMES, c=inside, x=size,
        ),
        lines(
            "for i in range({n}):", "    for j in range({m}):", "        layers.append({x})",
            n=TIMES, m=st.sampled_from(["2", "i % 3", "min(n, 4)", "3 - i % 2"]), x=one,
        ),
    ]  # fmt: skip


def containers(names):
    size, one, condition = whole(names, 1), layer(names), conditions(names)
    return [
        lines(
            "widths = [{x} for i in range({n})] + [{y}]",
            "for one, two in zip(widths, widths[1:]):",
            "    layers.append(nn.Linear(one, two))",
            n=TIMES, x=size, y=size,
        ),
        lines(
            "for i, size in enumerate(({x}, {y}, {z})):",
            "    layers.append(nn.Linear(size, i + 1))",
            x=size, y=size, z=size,
        ),
        lines(
            "first, *rest = sorted([{x}, {y}, {z}])",
            "layers.extend(nn.Linear(first, size) for size in rest)",
            x=size, y=size, z=size,
        ),
        lines(
            "table = {{'query': {x}, 'key': {y}}}", "if {c}:", "    table['value'] = {z}",
            "layers.extend(nn.LayerNorm(table[key]) for key in sorted(table))",
            x=size, y=size, z=size, c=condition,
        ),
        lines(
            "kinds = ['norm'] * {m} + ['block'] * n",
            "for kind in kinds[:n]:",
            "    layers.append(nn.LayerNorm({x}) if kind == 'norm' else {one})",
            m=st.sampled_from(["2", "n", "40", "min(n, a // 8)"]), x=size, one=one,
        ),
        lines(
            "sizes = set(({x}, {y}, {z}))",
            "layers.extend(nn.LayerNorm(max(sizes)) for _ in sizes)",
            x=size, y=size, z=size,
        ),
        lines(
            "config = Config({x}, {y})",
            "layers.append(nn.Linear(config.one, config.two, bias=config.wide))",
            x=size, y=size,
        ),
        lines(
            "names = [f'layer{{i}}' for i in range(n)]",
            "layers.extend(nn.LayerNorm({x}) for name in names if {c})",
            x=size,
            c=st.sampled_from(["name not in NAMES", "len(name) < 7", "name < 'layer8'"]),
        ),
    ]  # fmt: skip


def functions(names):
    """Statements that define a function, which cannot see names assigned inside expressions."""
    size, condition = whole(names, 1), conditions(names)
    return [
        lines(
            "def made(size):", "    return nn.Linear(size, {x}, bias={c})",
            "layers.extend(map(made, ({y}, {z})))",
            x=size, y=size, z=size, c=condition,
        ),
        lines(
            "calls = 0", "def counted():", "    nonlocal calls", "    calls += 1",
            "    return calls", "for i in range({n}):",
            "    layers.append(nn.Linear({x}, a, bias=counted() < {y}))",
            n=TIMES, x=size, y=DEEP,
        ),
        lines(
            "def halves(size):", "    while size > {k}:", "        yield size",
            "        size //= 2", "start = {x}",
            "layers.extend(nn.LayerNorm(size) for size in halves(start))",
            k=SMALL, x=size,
        ),
        lines(
            "def down(size):", "    return [size] + down(size // 3) if size > {k} else []",
            "start = {x}", "layers.extend(nn.LayerNorm(size) for size in down(start))",
            k=SMALL, x=size,
        ),
        lines(
            "scaled = lambda size, by={x}: size + by // 2",
            "layers.append(nn.Linear(scaled({y}), scaled(a, {z})))",
            x=size, y=size, z=size,
        ),
    ]  # fmt: skip
