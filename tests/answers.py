"""Answers of the catalogue's reader, kept as data: a count, or why a configuration is refused.

A line of such a file has a configuration, ``why`` it is there, and the whole answer. If the reader
should answer something else, ``python -m tests.answers`` writes all anew: read the difference.
"""

import json
from pathlib import Path

from paramproof.catalogue import entry

CASES = Path(__file__).parent / "catalogue" / "cases.jsonl"
"""Configurations of real types. ``tests/catalogue`` builds those that are counted."""

SERVED, RELEASED = (CASES.with_name(f"{name}.jsonl") for name in ("served", "released"))
"""Configurations of published models, with the count of those that are counted."""

ASKED = ("why", "config", "class")
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
        "of": found.class_name,
        "loaded": found.loaded if found.loaded != found.count else 0,
        "heads": [list(one) for one in found.heads],
        "unknown": list(found.unknown),
        "read_as": dict(found.read_as),
    }
    return asked | {key: one for key, one in given.items() if one}


def count(config):
    return answer({"config": config}).get("count")


def counted(line):
    return line | {"count": count(line["config"])}


def write():
    for path, answered in ((CASES, answer), (SERVED, counted), (RELEASED, counted)):
        lines = (
            json.dumps(answered(one), ensure_ascii=False, separators=(",", ":"))
            for one in read(path)
        )
        path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


if __name__ == "__main__":
    write()
