"""Small functions like those of configuration classes: they compute fields from keys n, m and xs.

Each has a construct of Python that the interpreter follows. The keys may be absent, null, of
another type or out of range, and a function may raise.
"""

import copy
import math


def defaults(config):
    n = config.get("n", 4)
    m = n * 2 if config.get("m") is None else config["m"]
    return {"n": n, "m": m, "head": m // n}


def refusals(config):
    n, m = config.get("n", 4), config.get("m", 8)
    if not isinstance(n, int):
        raise TypeError("n")
    if m % n != 0:
        raise ValueError("m")
    return {"n": n, "m": m}


def branches(config):
    kind = "few"
    if config.get("n", 4) > 2:
        kind = "many"
        if config.get("m") and config["m"] > 3:
            return {"kind": "most"}
    return {"kind": kind}


def comprehensions(config):
    n = config.get("n", 4)
    kinds = ["full" if (i + 1) % 3 == 0 else "sliding" for i in range(n)]
    odd = [i for i in range(n) if i % 2]
    pairs = [x + y for x in range(n) for y in config.get("xs", [1])]
    return {"kinds": kinds, "odd": odd, "pairs": pairs, "of": {str(i): i for i in range(n)}}


def appended_lists(config):
    kinds = []
    for i in range(config.get("n", 4)):
        if i % 2:
            kinds.append("full")
        else:
            kinds.append("sliding")
    few = ["first"]
    if config.get("m", 0) > 3:
        few.append("last")
    return {"kinds": kinds, "few": few}


def inserted_items(config):
    found, last = [], ["last"]
    for i in range(config.get("n", 4)):
        found.insert(0, i * 2)
        if i % 3:
            last.insert(0, i)
    if config.get("m", 0) > 3:
        found.insert(0, "first")
    return {"found": found, "last": last}


def running_totals(config):
    total, odd = 0, {}
    totals = {}
    for i in range(config.get("n", 4)):
        total += i
        totals[f"of {i}"] = total
        if not i % 2:
            odd[f"of {i}"] = i
    return {"totals": totals, "odd": odd}


def chosen_items(config):
    n, even, few = config.get("n", 4), [], [1, 2]
    for i in range(n):
        if not i % 2:
            even.append(i)
    if n > 2:
        few[0] = 9
    return {"even": even, "few": few, "below": [one for one in (1, 3, 5) if one < n]}


def stopped(config):
    found = 0
    for one in (1, 2, 5):
        if one == config.get("n", 4):
            break
        found += one
    return {"found": found}


def checked(one):
    if one < 0:
        raise ValueError("negative")
    return 1


def checked_items(config):
    return {"size": sum([checked(one) for one in config.get("xs", [1])])}


def null_dictionaries(config):
    of = config.get("of")
    if isinstance(of, dict):
        of.setdefault("kind", "full")
    return {"of": of, "none": of is None, "kind": of["kind"] if of else "none"}


def nested_loops(config):
    found = []
    for item in config.get("xs", [2, 1]):
        for _ in range(item):
            found.extend([item, 0])
    return {"found": found}


def changed_items(config):
    kinds = ["linear"] * config.get("n", 4)
    for i in range(config.get("n", 4)):
        if i % 4 == 3:
            kinds[i] = "full"
    if "full" not in kinds:
        kinds[-1] = "full"
    return {"kinds": kinds}


def counters(config):
    size, turns = config.get("m", 9), 0
    for _ in range(config.get("n", 2)):
        size = math.floor((size - 1) / 2 + 1)
        turns += 1
    return {"size": size, "turns": turns}


def merged_defaults(config):
    given = config.get("of") or {}
    of = {**{"n": 1, "kind": "few"}, **given}
    return {"n": of["n"], "kind": of["kind"], "given": "n" in given}


def flat_keys(config):
    config = dict(config)
    if config.get("of") is None:
        config["of"] = {key: config.pop(key) for key in ("n", "m") if key in config}
    return {"n": config.get("n", 4), "of": config["of"].get("n", 1), "m": "m" in config["of"]}


def stepped_ranges(config):
    n, m = config.get("n", 4), config.get("m", 1)
    return {
        "up": [*range(0, n, m)],
        "size": len(range(n, -1, -m)),
        "last": [n, *range(1, m, n)][-1],
    }


def items_at(config):
    n, m = config.get("n", 4), config.get("m", 1)
    found = ["a"] * n
    found[m] = "b"
    found[m - 2] = "c"
    return {"found": found, "size": found.count("b")}


def carried_lengths(config):
    n, found = config.get("n", 4), []
    for one in config.get("xs", [1, 2]):
        n = (n - one) // 2 + 1
        found.append(n)
    return {"found": found, "n": n}


def searches(config):
    found = None
    for one in config.get("xs", [0, 3]):
        if one > 2:
            found = one
            break
    return {"found": found, "next": next((one for one in config.get("xs", [5]) if one), 7)}


def refused_items(config):
    for one in config.get("xs", [1]):
        if one < 0:
            raise ValueError("negative")
    return {"all": all(one < 4 for one in config.get("xs", [1]))}


def sets(config):
    xs = set(config.get("xs", [1, 2]))
    left = xs.difference([2])
    left.add(config.get("m"))
    left.difference_update({1})
    sizes = {"all": len(xs - {1, 2}), "both": len(xs & {1, 9}), "left": len(left)}
    return {**sizes, "is": xs.isdisjoint({0, 3})}


def dictionaries(config):
    config = dict(config)
    old = config.pop("m", 3)
    config.setdefault("n", old)
    found = {"n": config["n"], **{"old": old}}
    if "xs" in config:
        found["size"] = len(config["xs"])
    return {**found, "left": sorted(key for key in found)}


def shared_objects(config):
    one = {"n": config.get("n", 4)}
    other, apart = one, copy.deepcopy(one)
    if config.get("m", 0) > 3:
        other["n"] = 0
    return {"one": one["n"], "apart": apart["n"]}


def null_lists(config):
    xs = config.get("xs")
    if xs is not None and len(xs) > 1:
        xs[-1] = 0
    return {"xs": xs, "none": xs is None}


def slices(config):
    xs = config.get("xs", [1, 2, 3])
    return {"first": xs[0], "rest": xs[1:], "back": xs[::-1], "text": f"of {config.get('n')}"}


def copied_objects(config):
    of, found = copy.deepcopy(config.get("of")), {"kind": "few"}
    for _ in range(config.get("n", 4)):
        found = dict(found)
    of["kind"] = "many"
    return {"of": of, "was": config["of"], "kind": found["kind"], "named": named(**of)}


def copied_tuples(config):
    of = {"pair": ([1], config.get("n"))}
    apart = copy.deepcopy(of)
    apart["pair"][0].append(2)
    return {"was": of["pair"][0], "is": apart["pair"][0], "n": apart["pair"][1]}


def named(kind, n=2):
    return [kind, n]


def unused_divisions(config):
    n, xs = int(config.get("n", 4)), config.get("xs", [1])
    _scale, _heads = n**-0.5, [12 // one for one in xs]
    return {"n": n, "size": len(xs)}


TOYS = [one for one in list(vars().values()) if getattr(one, "__code__", None)]
TOYS.remove(checked)
TOYS.remove(named)


def hidden_state(config):
    return {"n": __import__("os").getpid()}


def whiles(config):
    n = config.get("n", 4)
    while n > 2:
        n -= 1
    return {"n": n}


def handled(config):
    try:
        n = config["n"]
    except KeyError:
        n = 3
    return {"n": n}


UNKNOWN = [hidden_state, whiles, handled]


def unknown_loops(config):
    n, function = 1, None
    if config.get("m", 0) > 3:
        for _ in config.get("xs", [1]):
            n += 1
            function = math.floor
    return {"n": n if function is None else function(n)}
