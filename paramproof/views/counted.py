"""A model's count: what ``paramproof.count`` returns, and the content of ``count --json``.

``paramproof/schema.json`` describes the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from paramproof.bytes import bytes_of, require_dtype
from paramproof.following.questions import Questions
from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.conventions import count as count_under
from paramproof.formulas.conventions import counted, size
from paramproof.formulas.errors import require_type
from paramproof.formulas.expression import text
from paramproof.formulas.families import spec_fields
from paramproof.json_form import document
from paramproof.resolver import Model
from paramproof.resolver.models import ConfigReading
from paramproof.views.conventions import (
    ACTIVE,
    active_as_json,
    active_formula,
    as_counted,
    total_and_active,
    under_every,
    with_storage,
)
from paramproof.views.html import joined, notebook_table, tag
from paramproof.views.tree import tree, tree_table


@dataclass(frozen=True)
class Count(Questions):
    """The exact number of parameters of a model, and where it comes from.

    ``int(count)`` is ``count.total``. A count compares equal to the count of the same model.
    """

    model: Model

    @cached_property
    def _inventory(self) -> Inventory:
        return self.model.inventory()

    @cached_property
    def total(self) -> int:
        """The trainable parameters, tied tensors counted once."""
        return int(self._inventory.total())

    @cached_property
    def frozen(self) -> int:
        """The parameters that are not trainable, such as Whisper's sinusoids: not in ``total``."""
        return int(size(self._inventory.frozen()))

    @property
    def loaded(self) -> int:
        """The parameters of the model that transformers loads.

        They are more than ``total`` if a configuration says that a head is not tied, and
        transformers still ties it when it builds the model, as with T5.
        """
        return self.model.loaded

    @cached_property
    def active(self) -> int | None:
        """The parameters that are used per token: ``total`` for a model without experts.

        Embeddings and the head are always counted, as in ``total``; ``active_by_convention`` has
        the other ways of counting. It is None if names and shapes of tensors do not decide it.
        """
        found = active_formula(self.model.architecture) if self.model.has_formula else None
        return None if found is None else found.evaluate(self.model.sizes)

    @property
    def active_by_convention(self) -> dict[str, int | None]:
        """The parameters that are used per token, under each convention; {} for a live model.

        The first is the convention under which the published number of a named model is right, or
        else ``embedding-and-head``. A number is None if names do not decide it.

        Raises ``ValueError`` if the names and shapes of tensors do not decide what is active.
        """
        if not self.model.has_formula:
            return {}
        counts = total_and_active(self.model)
        return {name: one and one.active for name, one in counts.items()}

    @property
    def name(self) -> str:
        """The name, file or class that the model was given by."""
        return self.model.title

    @property
    def formula(self) -> str:
        """``total`` in letters, as text; "" for a live model."""
        return text(self.model.architecture.formula) if self.model.has_formula else ""

    @property
    def letters(self) -> dict[str, int]:
        """The letters of ``formula`` with their values."""
        used = self.model.architecture.formula.letters
        return {name: int(size) for name, size in self.model.sizes.items() if name in used}

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions on sizes under which ``formula`` holds, as text."""
        return self.model.conditions

    @property
    def status(self) -> str:
        """How sure the formula is.

        ``written`` by hand and compared with every framework, ``proved`` by its code, ``fitted``,
        or ``counted`` for a live model, which has no formula.
        """
        return self.model.status

    @property
    def reading(self) -> ConfigReading | None:
        """How a configuration was read: class, assumed sizes, unknown keys; None without one."""
        return self.model.reading

    @property
    def notes(self) -> tuple[str, ...]:
        """The assumptions about a configuration, and what was ignored in it, as text."""
        return tuple(self.model.remarks())

    @property
    def row(self) -> dict[str, Any]:
        """A flat record for a table of models, as others keep them.

        ``total`` and ``active`` are numbers of parameters, and ``active`` is None as above. The
        ``convention`` is that of ``active``. The ``source`` is the class whose code gives both, or
        the ``status`` of a count that rests on no class.
        """
        versions = self.model.architecture.evidence.versions if self.model.has_formula else {}
        return {
            "name": self.name,
            "total": self.total,
            "active": self.active,
            "convention": ACTIVE,
            "source": source_of(versions, self.model.class_name) or self.status,
        }

    def by_component(self, depth: int = 1) -> dict[str, int]:
        """Return the trainable parameters of each component, down to ``depth`` names of a path.

        Those of one level add up to ``total``. Components of one path that occur in several kinds
        of layers are added up.
        """
        require_type(depth, int, "depth")
        found: dict[str, int] = {}
        for row in tree(self._inventory, depth):
            found[row.path] = found.get(row.path, 0) + int(row.total)
        return found

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """Every tensor: path with ``*`` for a layer, shape, how often, trainable, tied to what."""
        return tuple(one for one in self._inventory if one.present and one.repeat)

    def bytes(self, dtype: str = "") -> int:
        """Return the bytes of ``total`` parameters at a dtype, by default the configuration's.

        That is float32 where it names none. Raises ``UnknownName`` for a dtype of no known width.
        """
        require_type(dtype, str, "dtype")
        chosen = dtype or (self.reading.dtype if self.reading else "") or "float32"
        return bytes_of(self.total, require_dtype(chosen))

    def under(self, *conventions: str) -> int:
        """Return the count under conventions such as ``without-embeddings``, which go together.

        Raises ``UnknownName`` for one that does not exist, and ``ValueError`` where a name leaves
        open whether a tensor belongs to a part.
        """
        for name in conventions:
            require_type(name, str, "a convention")
        return int(count_under(self._inventory, *with_storage(conventions)))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as data for ``json.dumps``, as ``paramproof/schema.json`` says."""
        return document("count", count_data(self.model, active=self.active is not None))

    def __int__(self) -> int:
        return self.total

    def __repr__(self) -> str:
        formula = f" = {self.formula}" if self.formula else ""
        said = "; ".join([f"({self.status})", *self.notes])
        return f"<Count of {self.name}: {self.total:,}{formula} {said}>"

    def _repr_html_(self) -> str:
        table = tree_table(self._inventory, depth=1).only("component", "total", "share")
        formula = tag("p", tag("code", self.formula), f" ({self.status})")
        return joined(notebook_table(table, self.name), formula)


def count_data(
    model: Model,
    *,
    depth: int | None = None,
    dtype: str = "",
    active: bool = False,
    under: Sequence[str] = (),
) -> dict[str, Any]:
    """Return one model as what ``json.dumps`` takes.

    The totals of ``components`` add up to ``total`` level by level, down to ``depth``; ``tensors``
    has fixed and tied ones too. With conventions, ``under`` is their count, and components and
    tensors are those that they count.
    """
    named = model.inventory()

    def in_bytes(number: int) -> dict[str, Any]:
        return {"dtype": dtype, "bytes": bytes_of(number, dtype)} if dtype else {}

    total: int = named.total()
    data = {
        "model": model.name,
        **_about(model, active=active),
        "total": total,
        "frozen": size(named.frozen()),
        **in_bytes(total),
    }
    kept = of_tree = named
    if under:
        kept, of_tree = counted(named, *with_storage(under)), as_counted(named, under)
        number: int = of_tree.total()
        own = {"conventions": list(with_storage(under)), "count": number, **in_bytes(number)}
        data["under"] = own
    return {
        **data,
        "conventions": under_every(named),
        "components": [
            {name: getattr(node, name) for name in ("path", "depth", "each", "times", "total")}
            for node in tree(of_tree, depth)
            if node.tensor is None
        ],
        "tensors": [
            {
                "path": tensor.path,
                "shape": list(tensor.shape),
                "times": tensor.repeat,
                "trainable": tensor.trainable,
                "tied_to": tensor.tied_to,
            }
            for tensor in kept
            if tensor.present and tensor.repeat
        ],
    }


def source_of(versions: Mapping[str, str], class_name: str) -> str:
    """Return the class that a formula is of, as ``transformers 5.24.0, LlamaForCausalLM``."""
    made = [f"{package} {version}" for package, version in versions.items()]
    return ", ".join([*made, class_name]) if class_name else ""


def _about(model: Model, *, active: bool) -> dict[str, Any]:
    how = {"status": model.status, "notes": [*model.remarks(), *model.lines]}
    if not model.has_formula:
        return how
    architecture, data = model.architecture, dict[str, Any]()
    if named := model.named:
        data["published"] = {
            "number": named.published,
            "component": named.component or None,
            "source": named.source,
            **({"active": named.active} if named.active else {}),
        }
    if model.reading:
        data |= reading_data(model.reading)
    if model.class_name:
        data["class"] = model.class_name
    data["formula"] = text(architecture.formula)
    if names := model.names:
        data["spec"] = spec_fields(names.spec)
    data |= {
        "reasons": list(model.reasons),
        "conditions": list(model.conditions),
        "versions": dict(architecture.evidence.versions),
        "buffers": list(architecture.buffers),
        "letters": dict(architecture.sizes),
        "fields": dict(architecture.fields),
        **how,
    }
    if model.heads:
        # What transformers loads has heads that the configuration says are not tied.
        heads = [
            {
                "path": head.path,
                "field": head.field,
                "formula": text(size := model.size_of_head(head)),
                "parameters": size.evaluate(model.sizes),
            }
            for head in model.heads
        ]
        data["loaded"] = {"total": model.loaded, "untied": heads}
    return data | ({"active": active_as_json(model)} if active else {})


def reading_data(reading: ConfigReading) -> dict[str, Any]:
    return {
        "model_type": reading.model_type,
        "class": reading.class_name,
        "class_assumed": not reading.is_class_named,
        "assumed": dict(reading.assumed),
        "unknown_keys": list(reading.unknown),
        "file_dtype": reading.dtype or None,
        "quantized": reading.quantized or None,
    }
