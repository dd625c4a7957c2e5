"""Parameters on each rank, as transformers' own plans divide a model.

A plan has rules: the name of a module or a parameter, with ``*`` for the number of a layer, and a
style, which says along which dimension a tensor is cut. A module's rule holds for its own
parameters, and not for those of the modules inside.

* ``tp`` cuts what the rules for tensor parallelism name.
* ``ep`` cuts experts, by expert, as the rules for expert parallelism say. tp does not cut these.
* ``pp`` gives each stage a run of layers, and the first stages one more if some are left over.
* ``fsdp`` cuts dimension 0 of each tensor, or of the part of it that a rank would have otherwise.

All cuts are those of ``torch.chunk``: a rank has ⌈length / ranks⌉, and the last ones have less or
nothing. A tensor that packs two weights is cut in each half. What nothing cuts is replicated.

vLLM, Megatron and others divide in other ways. In the numbers of ranks, those of tp vary fastest.
What transformers refuses to divide, or fails to, is refused. ``sweep/plans.py`` reads the rules.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from itertools import groupby
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from paramproof.catalogue.program import Part, Tensor
from paramproof.following.answer import Answer
from paramproof.following.tensors import require_transformers
from paramproof.formulas.derivation import Derivation, DerivedTensor
from paramproof.formulas.errors import FormulaError, InvalidInput, no_such
from paramproof.formulas.expression import sum_of, text
from paramproof.formulas.path import joined, lies_in, parent, ranges, starred
from paramproof.formulas.printing import and_more, legible, shape_text, shown, some_of
from paramproof.resolver import Model
from paramproof.tables import Column, Table, TableRow, numbers

FILE = Path(__file__).parent / "plans.json"
plans = cache(lambda: json.loads(FILE.read_text("utf-8")))
AXES = ("tp", "ep", "pp", "fsdp")
MAX_RANKS = 65_536
MAX_NAMED = 6  # The number of tensors or divisors in a line, and of lines for ranks.
DISPATCH = "ep_dispatch_experts"  # The style of the modules whose parameters are experts.

STYLES: dict[str, tuple[int, int] | None] = {
    **dict.fromkeys(("colwise", "colwise_gather_output"), (-2, 1)),
    **dict.fromkeys(("rowwise", "rowwise_split_input"), (-1, 1)),
    **dict.fromkeys(("embedding_rowwise", "grouped_gemm"), (0, 1)),
    "embedding_colwise": (1, 1),
    "packed_colwise": (-2, 2),
    "packed_rowwise": (-1, 2),
    **dict.fromkeys((DISPATCH, "moe_tp_experts", "moe_identity_expert", "local_params")),
    **dict.fromkeys(("mla_kv_a_proj", "all_reduce", "replicate", "replicated_with_grad_allreduce")),
}
"""The dimension that a style cuts, and the number of weights packed in it. None cuts nothing."""


def parse(text: str) -> dict[str, int]:
    """Return the sizes in a text such as ``tp=8,ep=8``. Raises ``InvalidInput``."""
    found: dict[str, Any] = {}
    for one in text.split(","):
        name, _, number = (part.strip() for part in one.partition("="))
        if name in found:
            raise InvalidInput(f"{shown(name)} is given twice: give it once", key=name)
        found[name] = int(number) if re.fullmatch(r"-?[0-9]{1,20}", number) else number
    return require_sizes(found)


def require_sizes(sizes: Mapping[str, Any]) -> dict[str, int]:
    for name, size in sizes.items():
        if name not in AXES:
            raise no_such("way to divide", name, AXES)
        if type(size) is not int or not 1 <= size <= MAX_RANKS:
            right = f"write a whole number from 1 to {MAX_RANKS:,}, as in {name}=8"
            raise InvalidInput(f"{name} is {shown(size)}: {right}", key=name)
    return {name: sizes.get(name, 1) for name in AXES}


def ranks(model: Model, sizes: Mapping[str, int]) -> Answer:
    """Return the trainable parameters on each rank, by transformers' own plans.

    ``sizes`` are those of ``tp``, ``ep``, ``pp`` and ``fsdp``, each 1 if it is absent. Raises
    ``InvalidInput`` for what transformers refuses to divide, or fails to.
    """
    derivation, reading, entry = require_transformers(model, "parameters on ranks")
    mesh = Mesh(**require_sizes(sizes))
    plan = Plan.of(entry.part, entry.class_name, mesh)
    groups = plan.groups(entry.part.tensors(entry.class_name))
    division = Division(mesh, groups, _letters(derivation))
    lines = [*division.lines()]
    if reading.quantized:
        lines.append(f"quantized ({legible(reading.quantized)}): divided as before quantization")
    ways = ", ".join(f"{name} {size}" for name, size in asdict(mesh).items() if size > 1)
    heading = f"trainable parameters on each rank at {ways or 'one rank'}, by {convention()}"
    return Answer(heading, division.table, tuple(lines), division.data())


def convention() -> str:
    return f"the plans of transformers {plans()['transformers']}"


@dataclass(frozen=True, slots=True)
class Mesh:
    """The ranks: pp stages of fsdp groups of tp ranks. These are also efsdp groups of ep ranks."""

    tp: int
    ep: int
    pp: int
    fsdp: int

    def __post_init__(self) -> None:
        if self.size > MAX_RANKS:
            raise InvalidInput(f"{self.size:,} ranks are too many: {MAX_RANKS:,} are the most")
        if 1 < self.pp < self.size:
            raise InvalidInput("transformers divides by pp alone: leave out tp and fsdp", key="pp")
        if self.ep > 1 and (self.ep % self.tp or self.fsdp * self.tp % self.ep):
            right = f"a multiple of tp = {self.tp} that divides tp · fsdp = {self.tp * self.fsdp}"
            raise InvalidInput(f"ep is {self.ep}, and must be {right}", key="ep")

    @property
    def size(self) -> int:
        return self.pp * self.fsdp * self.tp

    @property
    def efsdp(self) -> int:
        return self.fsdp * self.tp // self.ep


class Kind(NamedTuple):
    """Tensors that are divided alike, ``by`` tp, by ep or by neither; each is on some stages."""

    path: str
    shape: tuple[int, ...]
    stages: int
    is_expert: bool
    by: str = ""
    dim: int = 0
    pieces: int = 1


@dataclass(frozen=True)
class Plan:
    """The rules of a class. Its base model, at the path ``base``, has the layers of the stages."""

    mesh: Mesh
    tp: Mapping[str, str]
    ep: Mapping[str, str]
    base: str
    is_tied: bool
    is_sharded: bool

    @classmethod
    def of(cls, part: Part, name: str, mesh: Mesh) -> Plan:
        """Return the plan of a class at a configuration. Raises ``InvalidInput`` for none."""
        own, tp, ep = _record(part, name), _rules(part, name, "tp"), _rules(part, name, "ep")
        base = dict(_children(part, own)).get(own.get("base", ""))
        for axis, is_known, what in (
            ("tp", tp, "rules"),
            ("pp", base and _record(*base)["stages"], "stages of embed_tokens, layers and norm"),
        ):
            if getattr(mesh, axis) > 1 and not is_known:
                why = f"{name} cannot be divided by {axis}: {convention()} have no {what} for it"
                raise InvalidInput(why, key=axis)
        for rule, style in {**tp, **ep}.items():
            if style not in STYLES:
                raise InvalidInput(f"{name}: the style {style} of {rule} is not supported")
        ep = ep if mesh.ep > 1 else {}
        tp = {one: style for one, style in tp.items() if not any(lies_in(one, of) for of in ep)}
        is_tied = part.get("tie_word_embeddings") is True
        is_sharded = name not in plans()["not_sharded"].get(part.program.name, ())
        return cls(mesh, tp if mesh.tp > 1 else {}, ep, own.get("base", ""), is_tied, is_sharded)

    def groups(self, tensors: Iterable[Tensor]) -> dict[Kind, Counter[int]]:
        """Return the kinds of trainable tensors, with the number of tensors on each stage."""
        own = [one for one in tensors if one.role == "trainable"]
        layers = 1 + max((self._layer(one.path) for one in own), default=-1)
        storages: dict[Any, list[Tensor]] = defaultdict(list)
        for one in own:
            storages[one.storage].append(one)
        found, last = defaultdict[Kind, Counter[int]](Counter), self.mesh.pp - 1
        for names in storages.values():
            # The last stage alone ties weights.
            every = [stage for one in names for stage in self._stages(one.path, layers)]
            stages = [*filter(last.__gt__, every), *{last}.intersection(every)]
            kinds = [self._kind(one.path, one.shape or (), len(stages)) for one in names]
            if len({kind[2:] for kind in kinds}) > 1:
                raise InvalidInput(f"{kinds[0].path} is tied, and would be cut in two ways")
            found[kinds[0]].update(stages)
        if self.mesh.ep > 1 and not any(kind.is_expert for kind in found):
            raise InvalidInput(f"{convention()} divide no experts of it: leave out ep", key="ep")
        if self.mesh.fsdp > 1 and not self.is_sharded:
            raise InvalidInput("transformers fails to shard this class: leave out fsdp", key="fsdp")
        return dict(found)

    def _kind(self, path: str, shape: tuple[int, ...], stages: int) -> Kind:
        # Like transformers, replace only the first of two numbers in a row by a star.
        rule, where = re.sub(r"\.\d+(\.|$)", r".*\1", path), starred(path)
        in_list = re.search(r"\b(embed_tokens|layers\.\d+|norm|lm_head)\.\d+\.", path)
        if self.mesh.fsdp > 1 and (in_list or not shape):
            raise InvalidInput(f"{where} is a scalar, or in a list: leave out fsdp", key="fsdp")
        is_expert = any(style == DISPATCH and lies_in(rule, of) for of, style in self.ep.items())
        for by, rules in (("ep", self.ep), ("tp", self.tp)):
            dim, pieces = STYLES.get(rules.get(rule) or rules.get(parent(rule), "")) or (None, 1)
            if dim is None or (dim == -1 and len(shape) == 1):  # A bias of rows is added once.
                continue
            if by == "ep" and not is_expert and self.mesh.ep != self.mesh.tp:
                raise InvalidInput(f"{where} is no expert, and cut by ep: choose tp = ep", key="ep")
            if is_expert and shape[0] % self.mesh.ep:
                divisors = [str(n) for n in range(2, shape[0] + 1) if shape[0] % n == 0]
                right = f"ep must divide them, as {some_of(divisors, MAX_NAMED)} would"
                raise InvalidInput(f"{where} has {shape[0]:,} experts: {right}", key="ep")
            at = dim if dim >= 0 else max(len(shape) + dim, 0)
            return Kind(where, shape, stages, is_expert, by, at, pieces)
        return Kind(where, shape, stages, is_expert)

    def _layer(self, path: str) -> int:
        """Return the number of the layer that a tensor lies in, -1 outside of the layers."""
        inside = re.match(rf"{re.escape(joined(self.base, 'layers'))}\.(\d+)\.", path)
        return int(inside[1]) if inside else -1

    def _stages(self, path: str, layers: int) -> Iterable[int]:
        """Return the stages that have a tensor: that of its layer, the first or last, or all."""
        last, (each, more) = self.mesh.pp - 1, divmod(layers, self.mesh.pp)
        if (layer := self._layer(path)) >= 0:
            return [layer // (each + 1) if layer < more * (each + 1) else (layer - more) // each]
        if lies_in(path, joined(self.base, "embed_tokens")):
            return {0, last} if self.is_tied else {0}
        ends = (joined(self.base, "norm"), "lm_head")
        return {last} if any(lies_in(path, one) for one in ends) else range(self.mesh.pp)


def _record(part: Part, name: str) -> dict[str, Any]:
    """Return what a class adds to the rules of its children."""
    classes, config = plans()["classes"], part.program.name
    if name not in classes.get(config, {}):
        raise InvalidInput(f"{convention()} have none for {name} with {config}")
    return {"stages": False, **plans()["records"][classes[config][name]]}


def _children(part: Part, own: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Part, str]]]:
    """Yield the names of the models inside, with their configurations and classes."""
    for name, where in own.get("children", {}).items():
        path, class_name = (where, "") if isinstance(where, str) else where
        inner: Any = part
        for one in filter(None, path.split(".")):
            inner = inner.get(one) if isinstance(inner, Part) else None
        if isinstance(inner, Part):
            yield name, (inner, class_name or inner.program.models.get("AutoModel", ""))


def _rules(part: Part, name: str, kind: str) -> dict[str, str]:
    """Return the rules of a class and of the models inside, whose rules come first."""
    own = _record(part, name)
    found = dict(own.get(kind, {}))
    for child, inside in _children(part, own):
        found |= {joined(child, rule): style for rule, style in _rules(*inside, kind).items()}
    return found


def share(length: int, ways: int, place: int, pieces: int = 1) -> int:
    """Return the length of a chunk that ``torch.chunk`` cuts from a dimension, or each piece."""
    if pieces > 1:
        return sum(share(share(length, pieces, one), ways, place) for one in range(pieces))
    each = -(-length // ways)
    return max(0, min(each, length - place * each))


def alike(lengths: Iterable[tuple[int, int]], ways: int) -> list[int]:
    """Return, for each place, the first place that has the same share of each length."""
    known, first = {*lengths}, dict[Any, int]()
    shares = (tuple(share(n, ways, place, pieces) for n, pieces in known) for place in range(ways))
    return [first.setdefault(one, place) for place, one in enumerate(shares)]


@dataclass(frozen=True)
class Division:
    """The kinds of tensors on the ranks of a mesh; ``letters`` has formulas of them."""

    mesh: Mesh
    groups: Mapping[Kind, Counter[int]]
    letters: Mapping[tuple[str, tuple[int, ...], int], DerivedTensor]

    def cut_shape(self, kind: Kind, place: int) -> list[int]:
        """Return the shape of a tensor on a rank before fsdp, by the rank's place in tp."""
        shape = [*kind.shape]
        if kind.by:
            ways = self.mesh.tp if kind.by == "tp" else self.mesh.ep
            shape[kind.dim] = share(shape[kind.dim], ways, place, kind.pieces)
        return shape

    def entries(self, kind: Kind, place: tuple[int, ...]) -> int:
        """Return the number of entries of the tensors of a kind that a rank has."""
        (stage, tp, fsdp, efsdp), mesh = place, self.mesh
        shape = self.cut_shape(kind, tp)
        if mesh.fsdp > 1:
            ways, at = (mesh.efsdp, efsdp) if kind.is_expert else (mesh.fsdp, fsdp)
            shape[0] = share(shape[0], ways, at)
        return self.groups[kind][stage] * prod(shape)

    @cached_property
    def places(self) -> list[tuple[int, ...]]:
        """The stage of each rank, and the first places in tp, fsdp and efsdp that are alike."""
        mesh, kinds = self.mesh, [*self.groups]
        tp = alike(((k.shape[k.dim], k.pieces) for k in kinds if k.by), mesh.tp)
        rows = {(k.is_expert, n) for k in kinds for at in {*tp} for n in self.cut_shape(k, at)[:1]}
        fsdp = alike(((n, 1) for is_expert, n in rows if not is_expert), mesh.fsdp)
        efsdp = alike(((n, 1) for is_expert, n in rows if is_expert), mesh.efsdp)
        one = mesh.fsdp * mesh.tp
        return [
            (at // one, tp[at % mesh.tp], fsdp[at % one // mesh.tp], efsdp[at % one // mesh.ep])
            for at in range(mesh.size)
        ]

    @cached_property
    def totals(self) -> list[int]:
        of = {one: sum(self.entries(kind, one) for kind in self.groups) for one in {*self.places}}
        return [of[one] for one in self.places]

    def size(self, kind: Kind) -> int:
        return self.groups[kind].total() // kind.stages * prod(kind.shape)

    def copies(self, kind: Kind) -> int:
        """Return how many ranks have each entry of a tensor."""
        return kind.stages * (1 if kind.by else self.mesh.ep if kind.is_expert else self.mesh.tp)

    def row(self, kind: Kind) -> tuple[Any, ...]:
        values = sorted({self.entries(kind, one) for one in {*self.places}}, reverse=True)
        times, size, most = self.groups[kind].total() // kind.stages, self.size(kind), values[0]
        own = self.letters.get((kind.path, kind.shape, times))
        is_exact = len(values) == 1 and most and size % most == 0
        return (
            kind.path,
            shape_text(text(one) for one in (own.shape if own else kind.shape)),
            text(own.times if own else times),
            self.cut_text(kind),
            own.size / (size // most) if own and is_exact else None,
            most if len(values) == 1 else " or ".join(f"{one:,}" for one in values),
        )

    def cut_text(self, kind: Kind) -> str:
        """Say how a tensor is divided: ``dim 0 by tp``, ``halves of dim 0 by tp``, ``8 copies``."""
        halves = "halves of " * (kind.pieces > 1)
        said = [f"{halves}dim {kind.dim} by {kind.by}"] if kind.by else []
        if self.mesh.fsdp > 1 and not (kind.is_expert and self.mesh.efsdp == 1):
            said.append("dim 0 by fsdp")
        if kind.stages < self.mesh.pp:
            said.append(f"stages {ranges([*map(str, self.groups[kind])])}")
        copies = self.copies(kind)
        return ", ".join([*said, *[f"{copies:,} copies"][: copies - 1]]) or "whole"

    @cached_property
    def rows(self) -> list[tuple[Any, ...]]:
        return [*map(self.row, self.groups)]

    @cached_property
    def table(self) -> Table:
        columns = (
            Column("tensor", "tensor", legible, is_code=True),
            Column("shape", "shape", is_optional=True),
            Column("times", "times"),
            Column("divided", "divided"),
            Column("on each rank", "formula", text),
            numbers("parameters", "parameters"),
        )
        return Table.of(columns, map(TableRow, self.rows))

    def lines(self) -> Iterator[str]:
        """Yield what the ranks have, and that it adds up. Raises ``FormulaError`` if not."""
        equal: dict[int, list[str]] = defaultdict(list)
        for rank, total in enumerate(self.totals):
            equal[total].append(str(rank))
        formulas = [row[4] for row in self.rows]
        whole = f" = {text(sum_of(formulas))}" if len(equal) == 1 and None not in formulas else ""
        pairs = (("ranks" if len(of) > 1 else "rank", ranges(of), n) for n, of in equal.items())
        yield from and_more([f"{one} {of}: {n:,}{whole}" for one, of, n in pairs], MAX_NAMED)
        sizes = Counter[int]()
        for kind in self.groups:
            sizes[self.copies(kind)] += self.size(kind)
        if (summed := sum(self.totals)) != sum(n * size for n, size in sizes.items()):
            raise FormulaError(f"the ranks have {summed:,} parameters in all, which is not right")
        more = "".join(f" + {n - 1:,} · {size:,}" for n, size in sorted(sizes.items()) if n > 1)
        yield f"sum over ranks: {summed:,} = {sizes.total():,}{more}"
        for n in sorted({*sizes} - {1}):
            names = [legible(kind.path) for kind in self.groups if self.copies(kind) == n]
            yield f"replicated, {n:,} copies of {sizes[n]:,}: {some_of(names, MAX_NAMED)}"

    def data(self) -> dict[str, Any]:
        """Return the answer for JSON; an item of ``per_rank`` is a run of equal ranks."""
        per_rank, last = [], -1
        for total, run in groupby(self.totals):
            first, last = last + 1, last + len([*run])
            per_rank.append({"first": first, "last": last, "parameters": total})
        own = {"convention": convention(), "sizes": asdict(self.mesh), "sum": sum(self.totals)}
        total = sum(map(self.size, self.groups))
        return {**own, "total": total, "per_rank": per_rank, "tensors": [*self.table.records()]}


def _letters(derivation: Derivation) -> dict[tuple[str, tuple[int, ...], int], DerivedTensor]:
    sizes, found = derivation.sizes, {}
    for one in derivation.parameters:
        if times := one.times.evaluate(sizes):
            found[one.path, tuple(n.evaluate(sizes) for n in one.shape), times] = one
    return found
