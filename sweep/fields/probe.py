"""Probe the fields that are not sizes: build models with other values, and compare their tensors.

First come the fields to probe, with the sorts of values that each may have. All fields that may
have a sort (``paramproof.catalogue.value_kinds``) are probed at once, and by halves if that changes
the tensors.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import transformers
from transformers import PreTrainedConfig

from paramproof.catalogue.configuration import IRRELEVANT_KEYS
from paramproof.catalogue.value_kinds import ROTARY_BASES, ROTARY_FACTOR, sort_of
from paramproof.formulas.path import leaf, parent
from sweep.fields.probe_values import LARGE, PROBES
from sweep.library.keys import Keys
from sweep.library.model import ModelTensors, attribute_or_none, build, full_keys, sub_configs
from sweep.library.refusal import Attempt, attempt

ROPE_SORTS = tuple(sort for sort in PROBES if sort.startswith("rope_"))

SORTS_OF_NAMED = frozenset({"null", "whole", "share", "number", "empty", "wholes"})
"""Sorts to try for a name that occurs only in the configuration's code."""

SORTS_OF_READ = frozenset({"null", "flag", "zero", "whole", "share", "empty", "bare", "activation"})
"""Sorts to try for a name that a model looks for, but that is not a field."""


def fields_to_probe(
    start: PreTrainedConfig, sizes: Iterable[str], read: Iterable[str]
) -> tuple[dict[str, set[str]], dict[str, list[str]]]:
    """Return the sorts of values to try for each field, and the strings in its type.

    The fields are the configuration's own, names that a model looked for in it, and earlier names
    of rotary parameters.
    """
    taken = {name.partition("[")[0] for name in sizes} | {path for path, _ in sub_configs(start)}
    sorts: dict[str, set[str]] = {}
    texts: dict[str, list[str]] = {}
    for path, kind, value in own_fields(start):
        if path not in taken:
            sorts[path] = _sorts(kind, value)
            sorts[path] -= set() if "token" in path else {"wholes"}
            sorts[path] -= set() if "vocab" in path else {"vocabulary"}
            if leaf(path) == "rope_parameters":
                before = path.removesuffix("rope_parameters")
                sorts |= {key: {*ROPE_SORTS, "null"} for key in (path, f"{before}rope_scaling")}
                sorts[f"{before}rope_theta"] = {"whole", "number"}
            if named := _literals(kind):
                texts[path] = named
    others = dict.fromkeys(sorted(names_in_code(start)), SORTS_OF_NAMED)
    others |= {name.partition("[")[0]: SORTS_OF_READ for name in sorted(read)}
    for path, kinds in others.items():
        if path not in taken and path not in sorts and _is_key(start, path):
            quantised = path.endswith("quantization_config")
            sorts[path] = {"null", "bare", "quantization"} if quantised else set(kinds)
            if "act" not in leaf(path):
                sorts[path] -= {"activation"}
    return sorts, texts


def own_fields(start: PreTrainedConfig) -> Iterator[tuple[str, Any, Any]]:
    """Yield the path, type and value of each field that may be relevant."""
    for before, config in [("", start), *((f"{path}.", c) for path, c in sub_configs(start))]:
        for one in dataclasses.fields(config):
            value = getattr(config, one.name, None)
            is_relevant = (
                one.name not in IRRELEVANT_KEYS and one.name != "id2label" and one.name[0] != "_"
            )
            if is_relevant and not isinstance(value, PreTrainedConfig):
                yield f"{before}{one.name}", one.type, value


def _is_key(start: PreTrainedConfig, path: str) -> bool:
    """Return whether a file may have a name as a key.

    A backbone keeps its ``out_features`` as ``_out_features``, which is in no file.
    """
    name = leaf(path)
    if name.startswith("_"):
        part = attribute_or_none(start, parent(path))
        saved = part.to_dict() if isinstance(part, PreTrainedConfig) else {}
        if name not in saved and name[1:] in saved:
            return False
    return name not in IRRELEVANT_KEYS and name not in ("num_labels", "id2label", ROTARY_FACTOR)


def _sorts(kind: Any, value: Any) -> set[str]:
    """Return the sorts of values that a field may have, by its type and its value."""
    type_text = str(kind)
    found = {sort_of(value)} - {""}
    found |= {"null"} if "None" in type_text else set()
    found |= {"flag"} if "bool" in type_text else set()
    found |= {"zero", "whole", "negative"} if "int" in type_text.replace("list[int", "") else set()
    found |= {"zero", "nothing", "whole", "share", "number"} if "float" in type_text else set()
    found |= {"empty", "wholes"} if "list" in type_text else set()
    found |= (
        {"reals"}
        if "float" in type_text and ("list" in type_text or "tuple" in type_text)
        else set()
    )
    found |= {"bare", "vocabulary"} if "dict" in type_text else set()
    return found


def _literals(kind: Any) -> list[str]:
    literals = " ".join(re.findall(r"Literal\[([^\]]*)\]", str(kind)))
    return [one.strip("'\"") for one in re.findall(r"'[^']*'|\"[^\"]*\"", literals)]


def names_in_code(start: PreTrainedConfig) -> set[str]:
    """Return the names in a configuration's code that are not its fields: older keys."""
    found: set[str] = set()
    for before, config in [("", start), *((f"{path}.", c) for path, c in sub_configs(start))]:
        own = {one.name for one in dataclasses.fields(config)}
        for kind in type(config).__mro__:
            if kind is PreTrainedConfig:
                break
            for function in vars(kind).values():
                code = (
                    getattr(inspect.unwrap(function), "__code__", None)
                    if callable(function)
                    else None
                )
                names = _strings(code) if code else set()
                found |= {f"{before}{n}" for n in names if n.isidentifier() and n not in own}
    found |= {"per_layer_config", ROTARY_FACTOR}
    # A function's own argument is in its code, and no key of a file.
    return {name for name in found if leaf(name) not in {*IRRELEVANT_KEYS, "self"}}


def _strings(code: Any) -> set[str]:
    found: set[str] = set()
    for one in code.co_consts:
        if isinstance(one, str) and len(one) < 60:
            found.add(one)
        elif isinstance(one, tuple):
            found |= {name for name in one if isinstance(name, str)}
        elif inspect.iscode(one):
            found |= _strings(one)
    return found


MAX_POINTS = 2
"""Points at which each value is probed with a type's first class. Other classes use one."""

TABLE_WORDS = ("vocab", "position")
"""Words in the names of sizes of tables, which may have a row for padding."""

TABLE_ROWS = 200
"""Rows of the smallest table, to find the tables that a field must be below."""

PROBED_ALONE = ("rope_parameters", "rope_scaling", "rope_theta", "head_dim")
"""Fields that are probed by themselves: given together, one of them has no effect."""


@dataclass
class ProbeResults:
    """The results of probing a class.

    ``free`` has the accepted sorts of values by field, and ``texts`` the accepted strings.
    ``below`` has fields that must be below some size. ``moved`` has the values that gave other
    tensors, and ``buffered`` the fields that change only a buffer.
    """

    free: dict[str, set[str]] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    below: set[str] = field(default_factory=set)
    moved: dict[str, list[Any]] = field(default_factory=dict)
    buffered: set[str] = field(default_factory=set)


class Prober:
    """Builds a class at a few points with other values, and compares its tensors."""

    def __init__(
        self,
        config_class: type[PreTrainedConfig],
        model_class: Any,
        start: PreTrainedConfig,
        points: Sequence[Mapping[str, Any]],
        most: int = MAX_POINTS,
    ) -> None:
        self.config_class, self.model_class = config_class, model_class
        self.start = start
        self.builds = 0
        self.points: list[Mapping[str, Any]] = []
        self.base: list[ModelTensors] = []
        for point in points:
            # Small sizes may be refused for reasons that no guard states, such as a logarithm.
            with Attempt():
                self.base.append(self.build(point, {}))
                self.points.append(point)
            if len(self.points) == most:
                break
        self.results = ProbeResults()

    def has_point(self, point: Mapping[str, Any]) -> bool:
        return any(point is one for one in self.points)

    def build(self, point: Mapping[str, Any], others: Mapping[str, Any]) -> ModelTensors:
        self.builds += 1
        keys: Keys = full_keys(self.start, {**point, **others})
        return build(self.model_class, self.config_class(**keys))

    def outcome(self, others: Mapping[str, Any]) -> str:
        """Return "" if nothing changes, or ``buffers``, ``moved`` or ``refused``."""
        found = ""
        for point, base in zip(self.points, self.base, strict=True):
            if (model := attempt(self.build, point, others)) is None:
                return "refused"
            if model.parameters != base.parameters:
                return "moved"
            if model.buffers != base.buffers:
                found = "buffers"
        return found

    def probe_together(
        self,
        names: Sequence[str],
        value: Any,
        note: Callable[[str], None],
        passed: list[str] | None = None,
    ) -> None:
        """Call ``note`` for each field for which ``value`` changes no tensor.

        Fields in ``passed`` have the value too: neither of two flags may have an effect alone, but
        both together may.
        """
        passed = [] if passed is None else passed
        if not names:
            return
        alone = [name for name in names if leaf(name) in PROBED_ALONE]
        if alone and len(names) > 1:
            for name in alone:
                self.probe_together([name], value, note)
            self.probe_together([name for name in names if name not in alone], value, note, passed)
            return
        outcome = self.outcome(dict.fromkeys([*passed, *names], value))
        if not outcome:
            passed.extend(names)
            for name in names:
                note(name)
        elif len(names) > 1:
            half = len(names) // 2
            self.probe_together(names[:half], value, note, passed)
            self.probe_together(names[half:], value, note, passed)
        elif outcome == "buffers":
            self.results.buffered.add(names[0])
            note(names[0])
        elif outcome == "moved":
            self.results.moved.setdefault(names[0], []).append(value)

    def probe(self, sorts_of: Mapping[str, set[str]]) -> ProbeResults:
        for sort, values in PROBES.items():
            names = [name for name, sorts in sorts_of.items() if sort in sorts]
            kept = dict.fromkeys(names)
            for value in values:
                # Models divide by the logarithm of a rotary base, which is 0 for 1.
                passed = [name for name in kept if value == 1 and leaf(name) in ROTARY_BASES]
                self.probe_together(
                    [name for name in kept if name not in passed], value, passed.append
                )
                if sort == "whole" and value == LARGE:
                    self.results.below |= kept.keys() - set(passed)
                else:
                    kept = {name: None for name in kept if name in passed}
            for name in kept:
                if not (sort == "whole" and name in self.results.below):
                    self.results.free.setdefault(name, set()).add(sort)
        return self.results

    def below(self, names: Iterable[str], sizes: Iterable[str]) -> dict[str, list[str]]:
        """Return the table sizes that each of these fields must be below.

        If a field may also be a bit more than another size, as a table has more rows than its size
        says, the field must be below the sizes of all tables.
        """
        tables = [*filter(is_table, sizes)]
        found = {}
        for name in names:
            limits = [one for one in tables if self.is_below(name, one, tables)]
            for chosen in [limits, tables] if limits else ():
                rows = {one: TABLE_ROWS if one in chosen else TABLE_ROWS // 2 for one in tables}
                if not self.refuses({**rows, name: TABLE_ROWS - 1}):
                    found[name] = chosen
                    break
        return found

    def is_below(self, name: str, limit: str, tables: Sequence[str]) -> bool:
        """Return whether a field must be below a size if all other tables are larger."""
        rows = {**dict.fromkeys(tables, 2 * TABLE_ROWS), limit: TABLE_ROWS}
        is_refused = self.refuses({**rows, name: TABLE_ROWS})
        return is_refused and not self.refuses({**rows, name: TABLE_ROWS - 1})

    def refuses(self, others: Mapping[str, Any]) -> bool:
        return self.outcome(others) == "refused"

    def own_shapes(self, contained: str, others: Mapping[str, Any]) -> Counter[Any]:
        """Return the shapes that a class has beyond a class that it contains, with their numbers.

        A number is negative if the class has fewer.
        """
        keys: Keys = full_keys(self.start, {**self.points[0], **others})
        found: Counter[Any] = Counter()
        for sign, model_class in ((1, self.model_class), (-1, getattr(transformers, contained))):
            parameters = build(model_class, self.config_class(**keys)).parameters
            for stored, times in parameters.items():
                found[stored.kind.role, stored.shape] += sign * times
        return found

    def outcome_at(self, index: int, others: Mapping[str, Any]) -> str:
        points, base = self.points, self.base
        self.points, self.base = points[index : index + 1], base[index : index + 1]
        try:
            return self.outcome(others)
        finally:
            self.points, self.base = points, base

    def probe_texts(self, options: Mapping[str, Sequence[str]]) -> None:
        """Probe each field with the strings that its type names."""
        for name, values in options.items():
            found: dict[str, list[str]] = {}
            for value in values:
                self.probe_together([name], value, found.setdefault(value, []).append)
            same = [value for value, names in found.items() if names]
            if same:
                self.results.texts[name] = same


def is_table(path: str) -> bool:
    """Return whether a size is the number of rows of a table, by its name."""
    return any(word in leaf(path) for word in TABLE_WORDS)
