"""Read and write the catalogue's programs and names of classes, and say how programs differ.

There is one file per model type in ``paramproof/catalogue/programs``. In memory a file has terms,
and the whole rules of each configuration class. The rules that all classes share, and the terms of
several files, are written once, in ``base.json``; ``index.json`` has the file of each class.

``paramproof/catalogue/names.json`` has for each type its classes with a program, the base model
first, and the others that transformers exports: with these the catalogue tells an existing class
from a name that no class has. Types of other libraries, which are written where transformers may be
absent, stand by themselves.
"""

from __future__ import annotations

import ast
import difflib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mode
from typing import Any, TypeAlias
from zlib import crc32

from paramproof.catalogue.names import HERE
from paramproof.tracing.configuration.nodes import (
    EMPTY,
    FORMAT,
    VALUES,
    Data,
    decoded,
    encoded,
    terms_in,
    terms_of,
    values_in,
)
from paramproof.tracing.configuration.terms import Term
from sweep.library.rows import format_json

FOLDER, NAMES = HERE / "programs", HERE / "names.json"
BASE = "PreTrainedConfig"
"""The class whose rules are those that all configuration classes share."""

BY_NAME = (*VALUES, "keys")
"""The rules of a class that are tables."""

MIN_FILES = 3
"""A term goes into the base if at least this many files have it."""

MAX_TEXT = 400

Text: TypeAlias = "Callable[[Any], str]"


def read(name: str) -> Data:
    return dict(json.loads((FOLDER / f"{name}.json").read_text("utf-8")))


def write(name: str, data: Mapping[str, Any]) -> None:
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    (FOLDER / f"{name}.json").write_text(text + "\n", "utf-8")


def read_files() -> dict[str, Data]:
    if not (FOLDER / "index.json").exists():
        return {}
    base = read("base")
    terms = terms_of(base)
    common = decoded(base, terms)["configurations"][BASE]
    files = {name: decoded(read(name), terms) for name in read("index")["types"]}
    for data in files.values():
        for rules in data["configurations"].values():
            if rules.pop("base", ""):
                for kind in BY_NAME:
                    rules[kind] = {**common.get(kind, {}), **rules.get(kind, {})}
                rules["refusals"] = [*common["refusals"], *rules["refusals"]]
                taken = {*common["taken"], *rules["taken"]} - declared(rules)
                rules["taken"] = sorted(taken)
    return files


def write_files(files: Mapping[str, Data]) -> None:
    files = dict(sorted(files.items()))
    of_transformers = [data for data in files.values() if "transformers" in data["versions"]]
    classes = [rules for data in of_transformers for rules in data["configurations"].values()]
    common: Data = {kind: common_values([one[kind] for one in classes]) for kind in BY_NAME}
    # A key that a class declares may be listed as taken in the base: declaring it wins.
    of = {"refusals": [{*one["refusals"]} for one in classes]}
    of["taken"] = [declared(one) | {*one["taken"]} for one in classes]
    for kind, values in of.items():
        every = Counter(value for one in classes for value in one[kind])
        common[kind] = [one for one in every if all(one in given for given in values)]
    own: dict[str, Data] = {}
    for name, data in files.items():
        is_other = "transformers" not in data["versions"]
        of = data["configurations"].items()
        # In the order in which a file is read, wherever the rules come from.
        rules = {
            k: {**EMPTY, **v} if is_other else {"base": BASE, **EMPTY, **without(v, common)}
            for k, v in of
        }
        own[name] = {**data, "configurations": rules}
    base: Data = {"format": FORMAT, "configurations": {BASE: common}, "models": {}}
    number = Counter(one for data in own.values() for one in terms_in(values_in(data)))
    shared = encoded(base, {}, [one for one, n in number.items() if n >= MIN_FILES])
    numbers = {one: -1 - i for i, one in enumerate(terms_of(shared))}
    for path in FOLDER.glob("*.json"):
        path.unlink()
    write("base", shared)
    for name, data in own.items():
        write(name, encoded(data, numbers))
    write("index", index_of(own))


def common_values(of_classes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the rules that each class has, with the value that most of them have."""
    found = {}
    for name in of_classes[0]:
        if all(name in one for one in of_classes):
            values = {same(one[name]): one[name] for one in of_classes}
            found[name] = values[mode(same(one[name]) for one in of_classes)]
    return found


def declared(rules: Data) -> set[str]:
    return {*rules["keys"], *rules["fields"], *rules["aliases"]}


def without(rules: Data, common: Data) -> Data:
    """Return the rules of a class that differ from the common ones."""
    found = {**rules}
    for kind in BY_NAME:
        usual = {k: same(v) for k, v in common[kind].items()}
        found[kind] = {k: v for k, v in rules[kind].items() if usual.get(k) != same(v)}
    for kind in ("refusals", "taken"):
        found[kind] = [one for one in rules[kind] if one not in common[kind]]
    return found


def same(value: Any) -> str:
    """Return a text that is the same for equal values alone: terms are equal if they are one."""
    return json.dumps(value, default=lambda one: f"term {id(one)}")


def index_of(files: Mapping[str, Data]) -> Data:
    """Return the configuration class of each model type, and the file of each class."""
    index: Data = {"format": FORMAT, "types": {}, "models": {}, "configurations": {BASE: "base"}}
    for name, data in files.items():
        index["types"][name] = next(iter(data["configurations"]))
        for kind in ("configurations", "models"):
            for one in data[kind]:
                index[kind].setdefault(one, name)
    return index


# Differences


def differences(before: Mapping[str, Data], after: Mapping[str, Data]) -> Iterator[str]:
    """Yield what differs between files, a line for each rule and each tensor."""
    for name in sorted({*before, *after}):
        if before.get(name) is after.get(name):
            continue
        old, new = ([*lines(files[name])] if name in files else [] for files in (before, after))
        if old != new:
            for line in difflib.unified_diff(old, new, lineterm="", n=0):
                if not line.startswith(("---", "+++", "@@")):
                    yield f"{name}: {line}"


def lines(data: Data) -> Iterator[str]:
    """Yield what a file says, in symbols."""
    text = texts_of(values_in(data))
    for name, rules in data["configurations"].items():
        for key, (check, *default) in sorted(rules["keys"].items()):
            given = f", by default {json.dumps(default[0])}" if default else ""
            yield f"{name}.{key}: {text(check)}{given}"
        for kind in VALUES:
            for key, value in sorted(rules[kind].items()):
                yield f"{name}.{key} = {text(value)}"
        # Sorted, because a file has the refusals that classes share before the others.
        yield from sorted(f"{name}: {text(one)}" for one in rules["refusals"])
        for kind in ("aliases", "taken", "reads", "models"):
            for one in sorted(rules.get(kind) or ()):
                also = f": {rules[kind][one]}" if kind in ("aliases", "models") else ""
                yield f"{name}, {kind}: {one}{also}"
    for name, module in data["models"].items():
        yield from tensor_lines(module, name, text)


def texts_of(values: Iterable[Any]) -> Text:
    """Return a function that prints a value; a long text ends with a number that identifies it."""
    texts = dict[Term, str]()

    def text(value: Any) -> str:
        return texts[value] if isinstance(value, Term) else json.dumps(value)

    for one in terms_in(values):
        whole = f"{one.op}({', '.join(map(text, one.args))})"
        if len(whole) > MAX_TEXT:
            whole = f"{whole[:MAX_TEXT]}… {crc32(whole.encode()):x}"
        texts[one] = whole
    return text


def tensor_lines(module: Any, path: str, text: Text, when: str = "") -> Iterator[str]:
    """Yield a line for each tensor, with the conditions and loops that it is in."""
    match module:
        case Term(op="comp", args=(letter, source, element, kept)):
            each = f" for {letter} in {text(source)} if {text(kept)}"
            yield from tensor_lines(element, path, text, each + when)
        case Term(op="module", args=rows):
            for name, exists, what in zip(rows[::3], rows[1::3], rows[2::3], strict=True):
                own = "*" if name is None else name if isinstance(name, str) else text(name)
                also = "" if exists is True else f" if {text(exists)}"
                yield from tensor_lines(what, f"{path}.{own}" if own else path, text, also + when)
        case _:
            yield f"{path}: {text(module)}{when}"


# Names


def names(classes: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the contents of the file, for the classes with a program by their model types."""
    import transformers

    of_type = {}
    for one in sorted(transformers.CONFIG_MAPPING):
        others = exported_classes(one) - {*classes.get(one, ())}
        of_type[one] = [" ".join(classes.get(one, ())), " ".join(sorted(others))]
    known = {"transformers": transformers.__version__, "types": of_type}
    return with_other_libraries(known, classes)


def with_other_libraries(
    known: Mapping[str, Any], classes: Mapping[str, list[str]]
) -> dict[str, Any]:
    others = {one: [" ".join(classes[one]), ""] for one in sorted({*classes} - {*known["types"]})}
    return {**known, "other libraries": others}


def exported_classes(model_type: str) -> set[str]:
    """Return the names of the models that the modules of a type export."""
    from transformers.models.auto import configuration_auto

    folder = configuration_auto.model_type_to_module_name(model_type)
    found: set[str] = set()
    for module in Path(configuration_auto.__file__).parents[1].glob(f"{folder}/modeling_*.py"):
        for node in ast.parse(module.read_text("utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                found |= set(ast.literal_eval(node.value))
    return {name for name in found if name[:1].isupper()}


def add_names(classes: Mapping[str, list[str]]) -> None:
    """Write the names of other libraries' types anew; those of transformers stay."""
    write_names(with_other_libraries(json.loads(NAMES.read_text("utf-8")), classes))


def write_names(found: Mapping[str, Any]) -> None:
    NAMES.write_text(format_json(found, indent=""), "utf-8")
