"""Answers of the catalogue's reader, kept as data: a count, or why a configuration is refused.

A line of such a file has a configuration, ``why`` it is there, and the whole answer. If the reader
should answer something else, ``python -m tests.answers`` writes all anew: read the difference.
"""

import json
from copy import deepcopy
from pathlib import Path

from paramproof.catalogue.entries import Entry, entry, entry_in
from paramproof.catalogue.files import parse_type

CASES = Path(__file__).parent / "catalogue" / "cases.jsonl"
"""Configurations of real types. ``tests/catalogue`` builds those that are counted."""

TOY = Path(__file__).parent / "paramproof" / "catalogue" / "toy.jsonl"
"""Configurations of an entry that was written to have one of everything."""

ENTRY = json.loads(TOY.with_suffix(".json").read_text("utf-8"))

SERVED, RELEASED = (CASES.with_name(f"{name}.jsonl") for name in ("served", "released"))
"""Configurations of published models, with the count of those that are counted."""


ASKED = ("why", "data", "config", "class")
"""The keys of a line that are not its answer."""


def read(path):
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def answer(case):
    asked = {key: case[key] for key in ASKED if key in case}
    try:
        found = entry(case["config"], case.get("class", ""))
    except ValueError as error:
        return asked | {"refused": type(error).__name__, "key": error.key, "says": str(error)}
    given = {
        "count": found.count,
        "of": found.derivation.name,
        "entry": found.name if found.name != case["config"].get("model_type") else "",
        "loaded": found.loaded if found.loaded != found.count else 0,
        "heads": [[one.path, str(one.size), one.field, one.is_given] for one in found.heads],
        "unknown": list(found.unknown),
        "read_as": dict(found.read_as),
    }
    return asked | {key: one for key, one in given.items() if one}


def count(config):
    return answer({"config": config}).get("count")


def toy_answer(case):
    asked = {key: case[key] for key in ASKED if key in case}
    try:
        found = toy(case["config"], case.get("class", ""), case.get("data", {}))
        given = {"count": found.count, "sizes": dict(found.sizes), "variant": found.variant}
    except ValueError as error:
        refusal = getattr(getattr(error, "refusal", None), "name", "")
        given = {"refused": type(error).__name__, "key": getattr(error, "key", "")}
        given |= {"refusal": refusal, "says": str(error)}
    return asked | {key: one for key, one in given.items() if one or key == "count"}


def toy(config=(), class_name="", data=()) -> Entry:
    """Return the entry of the toy, with values ``set`` and keys to ``drop`` by path in its data."""
    entry_data = deepcopy(ENTRY)
    for path, value in dict(data).get("set", {}).items():
        _at(entry_data, path)[path.rpartition("/")[2]] = value
    for path in dict(data).get("drop", ()):
        del _at(entry_data, path)[path.rpartition("/")[2]]
    return entry_in(parse_type(entry_data), dict(config), class_name)


def _at(data, path):
    for key in path.split("/")[:-1]:
        data = data[key]
    return data


def counted(line):
    return line | {"count": count(line["config"])}


def write():
    for path, answered in (
        (CASES, answer),
        (TOY, toy_answer),
        (SERVED, counted),
        (RELEASED, counted),
    ):
        lines = (
            json.dumps(answered(one), ensure_ascii=False, separators=(",", ":"))
            for one in read(path)
        )
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    write()
