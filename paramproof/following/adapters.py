"""The parameters of an adapter before training: LoRA, DoRA, prefix and prompt tuning, as in peft.

LoRA puts two matrices beside a weight of m inputs and n outputs, r · (m + n) parameters: so it is
for linear layers and embeddings, and for each expert of a tensor of experts. DoRA adds n. Each of
two tied layers has an adapter of its own. The numbers are those of a model without a task type.

A text of targets is "all-linear", or a regular expression that a module's whole path matches. A
name in a list means the modules whose path is the name, or ends with it behind a dot. All-linear
is the list of all linear layers but the output embeddings. Types whose experts used to be modules
keep them in tensors now. peft applies the old names to these, and no longer to dense layers:
``gate_proj`` and ``up_proj`` mean ``gate_up_proj`` at twice the rank.

paramproof refuses a convolution, and a name that matches nothing, which peft ignores if others
match. It accepts a pattern that also matches modules without parameters, which peft refuses.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate, chain, combinations
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from paramproof.catalogue.program import ABSENT, Part, Tensor
from paramproof.following.answer import Answer
from paramproof.following.modules import module_of
from paramproof.following.tensors import require_transformers
from paramproof.formulas.derivation import Derivation
from paramproof.formulas.errors import InvalidInput, no_such, require_type
from paramproof.formulas.expression import Expression, expression, letter, sum_of, text
from paramproof.formulas.path import beginnings, in_braces, joined, leaf, lies_in, parent, starred
from paramproof.formulas.printing import legible, shape_text, shown, some_of
from paramproof.resolver import Model
from paramproof.tables import Column, Table, TableRow, numbers

FILE = Path(__file__).parent / "adapters.json"
ALL_LINEAR = "all-linear"
HEAD = "lm_head"  # Where most classes have their output embeddings, if they have any.
LINEAR = ("linear", "conv1d")
BIASES = ("none", "all", "lora_only")
STATE_SPACE = ("falcon_h1", "falcon_mamba", "mamba", "mamba2", "nemotron_h")
READ_BY_KERNELS = ("conv1d", "out_proj")  # Of these types, so peft refuses them.
MAX_CHOSEN = 6  # Attention with more linear layers would have more choices than anybody makes.
ATTENTION = re.compile(r"(.*?att(?:n|ention)[^.]*)\..*", re.IGNORECASE)
DATA: Mapping[str, Any] = json.loads(FILE.read_text("utf-8"))  # Of sweep/adapters.py.


@dataclass(frozen=True, kw_only=True)
class Lora:
    """The settings of LoRA, under the names and with the defaults that peft has for them."""

    r: int = 8
    target_modules: str | Sequence[str] | None = None
    target_parameters: Sequence[str] = ()
    rank_pattern: Mapping[str, int] = field(default_factory=dict)
    modules_to_save: Sequence[str] = ()
    bias: str = "none"
    use_dora: bool = False

    def __post_init__(self) -> None:
        _require_numbers({"r": self.r, **self.rank_pattern})
        if self.bias not in BIASES:
            raise no_such("kind of bias", self.bias, BIASES)
        for names in (self.names, self.target_parameters, self.modules_to_save):
            require_type(names, (list, tuple, set), "names of targets")
            if empty := [one for one in names if not isinstance(one, str) or not one.strip(".")]:
                raise InvalidInput(f"{shown(empty[0])} is not the name of a target")

    @property
    def names(self) -> Sequence[str]:
        return () if isinstance(self.target_modules, str) else self.target_modules or ()

    @property
    def heading(self) -> str:
        written = [self.target_modules] if isinstance(self.target_modules, str) else self.names
        named = some_of([legible(one) for one in (*written, *self.target_parameters)], 6)
        method = "DoRA" if self.use_dora else "LoRA"
        return f"{method} of rank {self.r} on {named or 'the usual targets'}"


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """Prompt tuning, of both halves of an encoder and decoder; or prefix tuning, of each layer."""

    num_virtual_tokens: int
    is_prefix: bool = False

    def __post_init__(self) -> None:
        _require_numbers({"num_virtual_tokens": self.num_virtual_tokens})

    @property
    def heading(self) -> str:
        method = "prefix" if self.is_prefix else "prompt"
        return f"{method} tuning of {self.num_virtual_tokens} virtual tokens"


def _require_numbers(values: Mapping[str, object]) -> None:
    for what, value in values.items():
        if type(value) is not int or not 1 <= value <= 10**6:  # More is a mistake.
            raise InvalidInput(f"{legible(what)} is {shown(value)}: give a number from 1 to 10**6")


class Adapted(NamedTuple):
    """A weight with an adapter; DoRA scales an ``axis`` of it. Without a rank, it is trained."""

    weight: Tensor
    rank: Expression | None = None
    axis: int | None = None


class Row(NamedTuple):
    target: str
    shape: Sequence[Expression]
    times: Expression
    parameters: Expression
    part: str = "adapter"


def adapter(model: Model, method: Lora | Prompt) -> Answer:
    """Return the parameters that an adapter trains, by target. Raises ``InvalidInput``."""
    modules, name = Modules(model), "r" if isinstance(method, Lora) else "v"
    name = f"{name}_adapter" if name in model.sizes else name
    if isinstance(method, Lora):
        value, rows = method.r, [*_lora_rows(modules, method, letter(name))]
    else:
        value, rows = method.num_virtual_tokens, [*_prompt_rows(modules, method, letter(name))]
    sizes, total = {**model.sizes, name: value}, sum_of(row.parameters for row in rows)
    number, formula = total.evaluate(sizes), _written(total, name)
    keys = ("target", "shape", "times", "formula", "parameters", "part")
    are_numbers = ("times", "parameters")
    columns = [numbers(one, one) if one in are_numbers else Column(one, one) for one in keys]
    cells = []
    for path, shape, times, size, part in rows:
        counted = times.evaluate(sizes), _written(size, name), size.evaluate(sizes)
        cells.append(TableRow((path, shape_text(shape), *counted, part)))
    table = Table.of(columns, cells)
    lines = (
        f"parameters: {number:,} = {formula}, {name} = {value}",
        f"convention: peft {DATA['versions']['peft']}, without a task type",
    )
    found = {"parameters": number, "formula": formula, "letters": {name: value}}
    return Answer(method.heading, table, lines, {**found, "targets": [*table.records()]})


def _written(total: Expression, name: str) -> str:
    unit = total.substitute({name: 1})
    is_factor = len(unit.terms) > 1 and unit * letter(name) == total
    return f"{name}·({text(unit)})" if is_factor else text(total)


def usual_adapters(model: Model) -> Mapping[str, Expression]:
    """Return what LoRA of rank 1 has on each usual target of a model, such as "{q_proj,v_proj}".

    That is what peft takes if none is named, all linear layers, those in the layers, each choice of
    those of an attention module, those of all attention, and experts.
    """
    modules = Modules(model)
    linear = dict.fromkeys(starred(one) for one in modules.paths if modules.kind(one) in LINEAR)
    inside = (re.escape(one) for one in linear if "*." in one)
    attention = {one: block[1] for one in linear if (block := ATTENTION.match(one))}
    names = _own_names(attention, modules.paths)
    large = (one for one, weight in modules.weights.items() if len(weight.shape or ()) == 3)
    experts = dict.fromkeys(one[one.index("experts") :] for one in large if "experts" in one)
    usual = DATA["defaults"].get(modules.model_type, ())
    targets = {
        usual if isinstance(usual, str) else in_braces(usual): Lora(target_modules=usual),
        ALL_LINEAR: Lora(target_modules=ALL_LINEAR),
        **{name: Lora(target_modules=[name]) for name in names.values()},
        in_braces([*dict.fromkeys(names.values())]): Lora(target_modules=[*names.values()]),
        f"{ALL_LINEAR} in the layers": Lora(target_modules="|".join(inside).replace(r"\*", r"\d+")),
        "experts": Lora(target_modules=[], target_parameters=[*experts]),
    }
    found: dict[str, Expression] = {}
    for what, lora in targets.items():
        with suppress(InvalidInput):
            rows = _lora_rows(modules, lora, expression(1))
            found[what] = sum_of(row.parameters for row in rows)
    for module in dict.fromkeys(attention.values()):
        own = [names[one] for one in attention if attention[one] == module and names[one] in found]
        sizes = range(2, len(own) + 1) if len(own) <= MAX_CHOSEN else ()
        for some in chain.from_iterable(combinations(own, size) for size in sizes):
            found.setdefault(in_braces(some), sum_of(found[one] for one in some))
    return found


def _own_names(paths: Collection[str], every: Iterable[str]) -> dict[str, str]:
    """Return the shortest end of each path, as a target, that only these paths have."""
    others = {one for one in map(starred, every) if one not in paths}
    found = {}
    for path in paths:
        ends = accumulate(reversed(path.split(".")), lambda end, name: f"{name}.{end}")
        own = (end for end in ends if not any(is_named(one, (end,)) for one in others))
        found[path] = next(own, path)
    return found


def head_of(class_name: str, paths: Collection[str]) -> str:
    """Return the path of the output embeddings of a model with these modules; "" if it has none.

    If a part may have any type, its head has another path in each type, and is not known.
    """
    head: str = DATA["heads"].get(class_name, HEAD)
    if head not in ("", HEAD) and head not in paths:
        raise InvalidInput(f"the head of {legible(class_name)} is not known")
    return head


class Modules:
    """The modules of a model that own parameters or contain such modules, by their paths."""

    def __init__(self, model: Model) -> None:
        self.derivation, _, found = require_transformers(model, "adapters")
        self.part, self.class_name = found.part, found.class_name
        self.model_type = str(found.part.get("model_type"))
        self.types = [str(part.get("model_type")) for part in found.parts.values()]
        tensors = found.part.tensors(found.class_name)
        self.weights = {one.path: one for one in tensors if "buffer" not in one.role}
        self.owners = dict.fromkeys(map(parent, self.weights))
        self.paths = dict.fromkeys(one for path in self.owners for one in beginnings(path) if one)

    def kind(self, path: str) -> str:
        """Return the kind of a module, "" if it is not known to own a parameter."""
        if f"{path}.weight" in self.weights:
            return module_of(self.types, f"{path}.weight").kind
        return "parameter" if path in self.owners else ""

    def require_own_weight(self, path: str) -> None:
        if self.model_type in STATE_SPACE and leaf(path) in READ_BY_KERNELS:
            why = "a kernel reads its weight"
        elif path in DATA["resized"].get(self.class_name, ()):
            why = "it shares a weight that may have other sizes than its own"
        else:
            return
        raise InvalidInput(f"{legible(path)} cannot be a target of peft: {why}")

    @cached_property
    def linear(self) -> list[str]:
        head = head_of(self.class_name, self.paths)
        return [one for one in self.paths if self.kind(one) in LINEAR and one != head]


def is_named(path: str, names: Collection[str]) -> bool:
    """Return whether a path is one of the names, or ends with one behind a dot."""
    while path and path not in names:
        path = path.partition(".")[2]
    return bool(path)


def is_match(pattern: str, path: str) -> bool:
    try:
        return re.fullmatch(pattern, path) is not None
    except (re.error, RecursionError, OverflowError) as error:
        raise InvalidInput(f"{shown(pattern)} is no regular expression: {legible(error)}") from None


def ends_with(path: str, keys: Iterable[str]) -> str:
    """Return the first key, a regular expression, that matches the path's end behind a dot."""
    return next((key for key in keys if is_match(rf"(.*\.)?({key})", path)), "")


def _lora_rows(modules: Modules, lora: Lora, rank: Expression) -> Iterator[Row]:
    is_tied = modules.part.get("tie_word_embeddings") is not False
    if is_tied and modules.class_name in DATA["unnamed"]:
        who = legible(modules.class_name)
        raise InvalidInput(f"peft fails on {who}, which does not say what its input embeddings are")
    adapted = [*_adapted(modules, lora, rank)]
    if not adapted:
        raise InvalidInput(f"no target is named: name modules, or {ALL_LINEAR}")
    trained = {parent(one.weight.path): one.weight.path for one in adapted}
    _require_each(lora.rank_pattern, [*trained, *trained.values()], ends_with, "target with a rank")
    whole = [*_saved(modules, lora.modules_to_save, adapted)]
    kept = {one.storage for one in whole}
    every = () if lora.bias == "none" else modules.weights.values()
    named = (one for one in every if leaf(one.path) == "bias" and one.storage not in kept)
    chosen = (one for one in named if lora.bias == "all" or parent(one.path) in trained)
    biases = {one.storage: one for one in chosen}
    yield from _rows(modules.derivation, adapted, "adapter")
    yield from _rows(modules.derivation, map(Adapted, whole), "whole module")
    yield from _rows(modules.derivation, map(Adapted, biases.values()), "bias")


def _adapted(modules: Modules, lora: Lora, rank: Expression) -> Iterator[Adapted]:
    meant = Meaning(modules, lora, rank)
    adapted = [one for one in meant.free if meant.has(one)]
    for path in adapted:
        modules.require_own_weight(path)
        if (kind := modules.kind(path)) not in (*LINEAR, "embedding"):
            why = f"it is a {kind or 'container'}"
            raise InvalidInput(f"{legible(path)} cannot be a target of peft: {why}")
        axis = (0 if kind == "linear" else 1) if lora.use_dora else None
        own = meant.ranks.get(ends_with(path, meant.ranks), rank)
        yield Adapted(modules.weights[f"{path}.weight"], own, axis)
    for path, weight in modules.weights.items():
        if is_named(path, meant.parameters):
            modules.require_own_weight(parent(path))
            is_free = parent(path) not in ("", *adapted) and not lora.use_dora
            if not is_free or len(weight.shape or ()) not in (2, 3):
                why = "it has 2 or 3 dimensions, its module is no target, and without DoRA"
                raise InvalidInput(f"the parameter {legible(path)} can be a target only if {why}")
            yield Adapted(weight, meant.ranks.get(ends_with(path, meant.ranks), rank))


class Meaning:
    """What targets mean in a model: modules and parameters, and the ranks of some of them."""

    def __init__(self, modules: Modules, lora: Lora, rank: Expression) -> None:
        types, targets = DATA["renamed"], lora.target_modules
        self.saved = lora.modules_to_save
        self.free = [*filter(self.is_free, modules.paths)]
        renamed = next((one for one in types if modules.model_type in one["types"]), None)
        old: dict[str, str] = renamed["names"] if renamed else {}
        if targets is None and not old:
            targets = DATA["defaults"].get(modules.model_type)
        written = targets if isinstance(targets, str) else ""
        self.pattern, self.names = "", dict.fromkeys(() if written else targets or ())
        if written.lower() == ALL_LINEAR:
            every = [*map(leaf, modules.linear), *old] if old else modules.linear
            self.names = dict.fromkeys(every)
        elif written:
            self.names = dict.fromkeys(self._last_names(modules, written, old) if old else ())
            self.pattern = "" if self.names else written
        self.parameters = dict.fromkeys(lora.target_parameters)
        self.ranks = {key: expression(one) for key, one in lora.rank_pattern.items()}
        taken = {one: name for one in self.names for name in old if is_named(one, (name,))}
        for new, parts in renamed["fused"].items() if renamed else ():
            present = [name for name in parts if name in taken.values()]
            if missing := [name for name in parts if present and name not in present]:
                raise InvalidInput(f"{new} has both: {present[0]} needs the target {missing[0]}")
            self.ranks |= {rf".*\.{re.escape(new)}": len(present) * rank} if present else {}
        self.names = {one: None for one in self.names if one not in taken}
        self.parameters |= {old[name]: None for name in taken.values()}
        _require_each(
            {*lora.names} & {*self.names}, self.free, is_named, "module that can be a target"
        )
        _require_each(lora.target_parameters, modules.weights, is_named, "parameter")
        if self.pattern and not any(map(self.has, self.free)):
            example = legible(next(iter(modules.linear), "none"))
            reason = (
                f"the pattern {shown(self.pattern)} matches no module's path, such as {example}"
            )
            raise InvalidInput(f"{reason}; names are given as a list")

    def has(self, path: str) -> bool:
        return is_match(self.pattern, path) if self.pattern else is_named(path, self.names)

    def is_free(self, path: str) -> bool:
        """Return whether a path lies in no module that is saved whole."""
        return not any(is_named(one, self.saved) for one in beginnings(path))

    def _last_names(self, modules: Modules, pattern: str, old: Mapping[str, str]) -> Iterator[str]:
        """Yield the last names of what a pattern matches, and the old ones that it would match."""
        before = {
            joined(parent(one), name): name
            for name, new in old.items()
            for one in modules.weights
            if leaf(one) == new
        }
        every = (*modules.paths, *modules.weights, *before)
        yield from (leaf(one) for one in every if is_match(pattern, one) and self.is_free(one))


def _require_each(names: Iterable[str], paths: Iterable[str], has: Any, what: str) -> None:
    """Require that each name matches a path, as ``has`` decides."""
    for name in names:
        if not any(has(path, (name,)) for path in paths):
            raise no_such(what, name, dict.fromkeys(map(leaf, paths)))


def _saved(modules: Modules, names: Sequence[str], adapted: Sequence[Adapted]) -> Iterator[Tensor]:
    """Yield the weights of modules that are trained whole: their paths end with a name."""
    _require_each(names, modules.paths, str.endswith, "module")
    if any(map("base_layer".endswith, names)):
        raise InvalidInput("peft would also save its own base_layer: write more of the name")
    ends = {one: None for one in modules.paths if one.endswith(tuple(names))}
    owners = {parent(one.weight.path) for one in adapted}
    for path in (one for one in ends if not ends.keys() & {*beginnings(one)[:-1]}):
        is_list = any(parent(one) == path and leaf(one).isdigit() for one in modules.paths)
        if is_list or any(lies_in(one, path) or lies_in(path, one) for one in owners):
            raise InvalidInput(f"{legible(path)} cannot be saved whole: a list, or near a target")
        inside = (one for one in modules.weights.values() if lies_in(one.path, path))
        yield from {one.storage: one for one in inside}.values()


def _rows(derivation: Derivation, adapted: Iterable[Adapted], part: str) -> Iterator[Row]:
    """Yield rows of tensors whose paths differ in numbers. Only the number of all has letters."""
    groups = Counter((starred(one.weight.path), one.weight.shape, *one[1:]) for one in adapted)
    sizes = derivation.sizes
    for (path, shape, rank, axis), number in groups.items():
        found = [
            (one.shape, one.times)
            for one in derivation.parameters
            if path in (one.path, *one.aliases)
            and tuple(length.evaluate(sizes) for length in one.shape) == shape
        ]
        if sum(times.evaluate(sizes) for _, times in found) != number:
            lengths = found[0][0] if found else tuple(map(expression, shape or ()))
            found = [(lengths, expression(number))]
        for lengths, times in found:
            size = prod(lengths)
            if rank is not None:
                size = prod(lengths[:-2]) * (lengths[-2] + lengths[-1]) * rank
                size += 0 if axis is None else lengths[axis]
            yield Row(path, lengths, times, times * size, part)


def _prompt_rows(modules: Modules, method: Prompt, tokens: Expression) -> Iterator[Row]:
    """Yield the embedding of virtual tokens; sizes have the names that peft tries, in order."""
    whole, derivation = modules.part, modules.derivation
    letters = {path: name for name, path in derivation.fields.items()}

    def has(part: Part, name: str, *absent: object) -> bool:
        return part.get(name) not in (ABSENT, *absent) and name in part.values  # Not an alias.

    def size(part: Part, *names: str) -> Expression:
        name = next((name for name in names if has(part, name)), "")
        if type(value := part.get(name)) is not int:
            raise InvalidInput(f"prompts need a number at {' or '.join(names)}")
        own = letters.get(joined("text_config" * (part is not whole), name), "")
        return letter(own) if derivation.sizes.get(own) == value else expression(value)

    part = whole.get("text_config") if has(whole, "text_config") else whole
    if not isinstance(part, Part) or part.get("vocab_size") is ABSENT:
        raise InvalidInput("prompts need a vocabulary, which the configuration does not have")
    given = whole.get("num_hidden_layers")
    own = whole.program.aliases.get("num_hidden_layers", "num_hidden_layers")
    depth = size(whole, own) if has(whole, own) else expression(given if type(given) is int else 0)
    depth = depth or size(part, "num_hidden_layers", "num_layers", "n_layer")
    width = size(part, "hidden_size", "n_embd", "d_model")
    heads = size(part, "num_attention_heads", "n_head", "num_heads", "encoder_attention_heads")
    if not method.is_prefix:
        has_both = bool({**whole.keys, **whole.values}.get("is_encoder_decoder"))
        tokens = tokens * (1 + has_both)
    else:
        if part.get("per_layer_config") not in (ABSENT, None):
            raise InvalidInput("prefixes of layers with keys of several sizes are not supported")
        if has(part, "num_key_value_heads"):
            head = size(part, "head_dim") if has(part, "head_dim", None) else width // heads
            width = head * size(part, "num_key_value_heads")
        width = 2 * depth * width
    yield Row("prompt_encoder.embedding", (tokens, width), expression(1), tokens * width)
    # Peft freezes the modules of a model, and not what the model itself owns.
    own = (one for one in modules.weights.values() if "." not in one.path)
    left = (Adapted(one) for one in own if one.role == "trainable")
    yield from _rows(derivation, left, "not frozen")
