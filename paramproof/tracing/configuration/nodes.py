"""Programs as JSON and back: terms are numbered as the nodes of a file.

A file has rules of configuration classes and modules of model classes. In memory each value in it
is a term, a text, true, false or null, and a key has its check and its default, if any. In JSON a
term is the number of a node, or -1 - n for node n of the base, which has what several files share.
Keys of one check stand together: the check, the defaults by name, and the keys without a default.
Numbers are terms of ``number``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from paramproof.tracing.configuration.terms import Term, Value, term, turns_in

FORMAT = 3
VALUES = ("fields", "properties")
"""The rules of a configuration class that are values by name."""

MAX_PATHS = 6
"""The largest number of keys that a refusal names."""

Data = dict[str, Any]

EMPTY: Data = {"aliases": {}, "fields": {}, "properties": {}, "refusals": [], "taken": []}


def mapped(data: Mapping[str, Any], of: Callable[[Any], Any]) -> Data:
    """Return a file with each of its values changed."""
    found: Data = {**data, "configurations": {}}
    for name, rules in data["configurations"].items():
        keys = rules.get("keys", {}).items()
        found["configurations"][name] = {
            **rules,
            **{kind: {k: of(v) for k, v in rules.get(kind, {}).items()} for kind in VALUES},
            "keys": {key: [of(check), *default] for key, (check, *default) in keys},
            "refusals": [*map(of, rules.get("refusals", ()))],
        }
    found["models"] = {name: of(value) for name, value in data["models"].items()}
    return found


def values_in(data: Mapping[str, Any]) -> list[Any]:
    """Return the values of a file, without those inside of them."""
    found: list[Any] = []
    mapped(data, found.append)
    return found


def terms_in(values: Iterable[Any]) -> dict[Term, None]:
    """Return all terms in values, each after its arguments."""
    found: dict[Term, None] = {}
    left = [one for one in reversed([*values]) if isinstance(one, Term)]
    while left:
        inside = [x for x in left[-1].args if isinstance(x, Term) and x not in found]
        if inside:
            left += inside
        else:
            found[left.pop()] = None
    return found


def encoded(
    data: Mapping[str, Any], base: Mapping[Term, int], shared: Iterable[Term] | None = None
) -> Data:
    """Return the JSON of a file; ``base`` has the numbers of the terms that are in the base.

    With ``shared``, the file is the base itself, which has these terms too. What may differ between
    the turns of a loop is last.
    """
    every = (one for one in terms_in([*values_in(data), *(shared or ())]) if one not in base)
    order = sorted(every, key=lambda one: bool(turns_in(one)))
    numbers = {**base, **{one: i if shared is None else -1 - i for i, one in enumerate(order)}}

    def reference(value: Any) -> Any:
        return numbers[value] if isinstance(value, Term) else value

    nodes = [
        one.args[0] if one.op == "number" else [one.op, *map(reference, one.args)] for one in order
    ]
    varying = sum(not turns_in(one) for one in order)
    made = mapped(data, reference)
    for name, rules in made["configurations"].items():
        groups: dict[Any, list[Any]] = {}
        for key, (check, *default) in rules["keys"].items():
            group = groups.setdefault(check, [check, {}])
            if default:
                group[1][key] = default[0]
            else:
                group.append(key)
        rules["keys"] = [*groups.values()]
        # Empty rules are left out.
        made["configurations"][name] = {kind: value for kind, value in rules.items() if value}
    return {**made, "nodes": nodes, "varying": varying}


def terms_of(base: Mapping[str, Any]) -> list[Term]:
    """Return the terms of the nodes of the base."""
    return [*map(reader_of(base, None), range(len(base["nodes"])))]


def decoded(data: Mapping[str, Any], base: Sequence[Term]) -> Data:
    """Return a file with terms; ``base`` are those of the base."""
    found: Data = {**data, "configurations": {}}
    for name, rules in data["configurations"].items():
        keys: dict[str, list[Any]] = {}
        for check, defaults, *required in rules.get("keys", ()):
            keys |= {key: [check, default] for key, default in defaults.items()}
            keys |= {key: [check] for key in required}
        found["configurations"][name] = {**EMPTY, **rules, "keys": keys}
    return mapped(found, reader_of(data, base))


def reader_of(data: Mapping[str, Any], base: Sequence[Term] | None) -> Callable[[Any], Any]:
    """Return what gives the value of a number in a file with this base, or in the base."""

    @lru_cache(maxsize=None, typed=True)  # 0, 0.0 and False are equal, and differ.
    def value(given: Any) -> Any:
        if type(given) is not int:
            return given
        if given < 0 and base is not None:
            return base[-1 - given]
        node = data["nodes"][-1 - given if given < 0 else given]
        if not isinstance(node, list):
            return term("number", node)
        return term(node[0], *map(value, node[1:]))

    return value


def refuse(condition: Value, why: str | None) -> Term:
    """Return the term that refuses for a reason; it names the keys that the condition reads."""
    paths = dict.fromkeys(paths_in([condition]))
    inner = [one for one in paths if not any(other.startswith(f"{one}.") for other in paths)]
    return term("refuse", condition, why, " ".join(inner[:MAX_PATHS]))


def paths_in(values: Iterable[Value]) -> Iterator[str]:
    """Return the paths of the keys and fields that values read."""
    return filter(None, map(path_of, terms_in(values)))


def path_of(value: Value) -> str | None:
    match value:
        case Term(op="config" | "self"):
            return ""
        case Term(op="key", args=(name,)):
            return str(name)
        case (
            Term(op="get" | "has" | "field" | "has field", args=(holder, str() as key))
            | Term(op="method", args=("get", holder, str() as key, *_))
        ):
            path = path_of(holder)
            return None if path is None else f"{path}.{key}".lstrip(".")
    return None
