"""Write the catalogue's programs: ``python -m sweep.programs [TYPE ...]``.

It traces the configuration class of each model type, and its model classes, and writes one file a
type into ``paramproof/catalogue/programs``; ``schema.json`` there describes it. What differs from
the file that is there is printed. Classes that cannot be traced are listed at the end.
"""

from __future__ import annotations

import difflib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from zlib import crc32

import transformers
from transformers import CONFIG_MAPPING, PreTrainedConfig

from paramproof.tracing.configuration.blocks import trace_model
from paramproof.tracing.configuration.writer import (
    BASE,
    FORMAT,
    Sharing,
    Writer,
    base,
    config_classes,
    parts_in,
)
from sweep.failure import Failure, OutOfTime
from sweep.library.model_types import classes_of_type

FOLDER = Path(__file__).parents[1] / "paramproof" / "catalogue" / "programs"
UNTRACED = Path(__file__).parent / "untraced.json"
"""The classes that could not be traced, each with its model type and the reason."""
PROCESSES = 2
SECONDS = 60
MIN_FILES = 3
MAX_TEXT = 400


@cache
def type_classes() -> frozenset[str]:
    """Return the names of the configuration classes that have a file of their own."""
    return frozenset(one.__name__ for one in CONFIG_MAPPING.values())


def file_of(model_type: str, failed: dict[str, str]) -> dict[str, Any]:
    """Return the contents of the file of a model type."""
    writer, configurations, models = Writer(), dict[str, Any](), dict[str, Any]()
    kind = CONFIG_MAPPING[model_type]
    configurations[kind.__name__], _ = writer.configuration(kind, base())
    todo = [*parts_in(writer.nodes)]
    while todo:
        name = todo.pop()
        one = config_classes()[name]
        if name in configurations or name in type_classes():
            continue
        with limited(name, failed):
            configurations[name], _ = writer.configuration(one, base())
        todo += parts_in(writer.nodes)
        todo = [one for one in todo if one not in configurations and one not in failed]
    for name in classes_of_type(model_type):
        with limited(name, failed):
            models[name] = writer.model(trace_model(getattr(transformers, name)))
    return {
        "format": FORMAT,
        "type": model_type,
        "versions": {"transformers": transformers.__version__},
        "configurations": configurations,
        "models": models,
        **writer.tables(),
    }


class Lines:
    """What a file says, a line for each rule and each tensor, without numbers of nodes."""

    def __init__(self, name: str) -> None:
        self.data, self.base, self.texts = read(name) or {}, read("base") or {}, dict[int, str]()

    def text(self, given: Any) -> str:
        if type(given) is not int:
            return json.dumps(given)
        if given not in self.texts:
            of_base = given < 0
            node = self.base["nodes"][-1 - given] if of_base else self.data["nodes"][given]
            whole = f"{node}"
            if isinstance(node, list):
                inside = [
                    Lines.shared(one) if of_base and type(one) is int else one for one in node
                ]
                whole = f"{node[0]}({', '.join(map(self.text, inside[1:]))})"
            if len(whole) > MAX_TEXT:
                whole = f"{whole[:MAX_TEXT]}… {crc32(whole.encode()):x}"
            self.texts[given] = whole
        return self.texts[given]

    @staticmethod
    def shared(number: int) -> int:
        return -1 - number

    def block(self, number: int, path: str) -> Iterator[str]:
        for name, kind, what, *more in self.data["blocks"][number]:
            here = f"{path}.{'*' if name is None else name}"
            when = f" if {self.text(more[0])}" if more and more[0] is not True else ""
            if kind == "block":
                yield from (f"{line}{when}" for line in self.block(what, here))
            elif kind == "loop":
                each = f" for {more[1]} in {self.text(more[2])} if {self.text(more[3])}"
                yield from (f"{line}{each}{when}" for line in self.block(what, path))
            else:
                yield f"{here} ({kind}) {self.text(what)}{when}"

    def configuration(self, name: str, rules: Mapping[str, Any]) -> Iterator[str]:
        for kind, defaults, *required in rules.get("keys", ()):
            for key, value in defaults.items():
                yield f"{name}.{key}: {self.text(kind)}, by default {value!r}"
            yield from (f"{name}.{key}: {self.text(kind)}" for key in required)
        for kind in ("fields", "properties"):
            for key, value in rules.get(kind, {}).items():
                yield f"{name}.{key} = {self.text(value)}"
        yield from self.refusals(name, rules)
        for kind in ("base", "aliases", "taken", "left out"):
            if kind in rules:
                yield f"{name}, {kind}: {json.dumps(rules[kind])}"

    def refusals(self, name: str, rules: Mapping[str, Any]) -> Iterator[str]:
        for why, condition in rules.get("refusals", {}).items():
            yield f"{name} refuses ({why}): {self.text(condition)}"

    def all(self) -> list[str]:
        found: list[str] = []
        for name, rules in self.data.get("configurations", {}).items():
            found += self.configuration(name, rules)
        for name, model in self.data.get("models", {}).items():
            found += self.refusals(name, model)
            found += self.block(model["block"], name)
        return found


def read(name: str) -> dict[str, Any] | None:
    path = FOLDER / f"{name}.json"
    return json.loads(path.read_text("utf-8")) if path.exists() else None


def write(name: str, data: Mapping[str, Any]) -> None:
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    (FOLDER / f"{name}.json").write_text(text + "\n", "utf-8")


def shared_base(files: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the file of the base class, with the nodes that several of the files have."""
    writer, sharing = Writer(), Sharing()
    rules, _ = writer.configuration(PreTrainedConfig, None)
    at = {one: i for i, one in enumerate(sharing.of(writer.nodes))}
    count = Counter(one for data in files for one in {*sharing.of(data["nodes"])})
    for (name, *args), one in sharing.ids.items():
        if count[one] >= MIN_FILES and one not in at:
            at[one] = len(writer.nodes)
            inner = [at[x[0]] if len(x) == 1 else x[1] for x in args] if name else []
            writer.nodes.append([name, *inner] if name else args[1])
    base = {"format": FORMAT, "configurations": {BASE: rules}, "models": {}, **writer.tables()}
    return Sharing().rewritten(base)


def write_index() -> None:
    """Write the class of each model type, and the file of each class."""
    index: dict[str, Any] = {"format": FORMAT, "types": {}, "models": {}}
    index["configurations"] = {BASE: "base"}
    for one in CONFIG_MAPPING:
        data = read(one)
        if data is not None:
            index["types"][one] = CONFIG_MAPPING[one].__name__
            for kind in ("configurations", "models"):
                for name in data[kind]:
                    index[kind].setdefault(name, one)
    write("index", index)


def work(model_type: str) -> tuple[str, dict[str, Any], dict[str, str]]:
    """Return the file of a type, or nothing, and what could not be traced."""
    failed: dict[str, str] = {}
    with limited(model_type, failed):
        return model_type, file_of(model_type, failed), failed
    return model_type, {}, failed


@contextmanager
def limited(name: str, failed: dict[str, str]) -> Iterator[None]:
    """Note why a class cannot be traced, or that it takes too long."""

    def stop(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    except (Exception, OutOfTime) as error:
        failed[name] = Failure.of(error).why if isinstance(error, Exception) else "no time was left"
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main(types: list[str]) -> int:
    FOLDER.mkdir(exist_ok=True)
    transformers.logging.set_verbosity_error()
    untraced = json.loads(UNTRACED.read_text("utf-8")) if types and UNTRACED.exists() else {}
    old = {one: Lines(one).all() for one in types or CONFIG_MAPPING if read(one)}
    files: dict[str, Any] = {}
    with ProcessPoolExecutor(PROCESSES, get_context("fork"), lambda: os.nice(1)) as pool:
        for one, data, failed in pool.map(work, types or [*CONFIG_MAPPING]):
            untraced = {k: v for k, v in untraced.items() if v[0] != one}
            untraced |= {name: [one, why] for name, why in failed.items()}
            files |= {one: data} if data else {}
    base = read("base") if types else None
    write("base", base := base or shared_base(files.values()))
    sharing = Sharing()
    sharing.numbers = {one: i for i, one in enumerate(sharing.of(base["nodes"]))}
    for one, data in files.items():
        write(one, sharing.rewritten(data))
    for one, before in old.items():
        for line in difflib.unified_diff(before, Lines(one).all(), lineterm="", n=0):
            if not line.startswith(("---", "+++", "@@")):
                print(f"{one}: {line}")
    write_index()
    UNTRACED.write_text(json.dumps(dict(sorted(untraced.items())), indent=1) + "\n", "utf-8")
    for why, number in Counter(why for _, why in untraced.values()).most_common():
        print(f"{number} untraced: {why}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
