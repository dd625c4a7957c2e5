"""A model as data: the content of ``Count.to_dict`` and of ``paramproof count --json``.

``paramproof/schema.json`` describes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paramproof.counting.active import active_as_json
from paramproof.counting.conventions import as_counted, under_every, with_storage
from paramproof.counting.dtypes import bytes_of
from paramproof.counting.tree import tree
from paramproof.formulas import Inventory, Tensor
from paramproof.formulas.conventions import counted, size
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import NamedConfiguration, Published
from paramproof.formulas.notation import text
from paramproof.resolver import LiveModel, Model
from paramproof.resolver.models import ConfigReading


def count_data(
    model: Model | LiveModel,
    named: Inventory,
    *,
    depth: int | None = None,
    dtype: str = "",
    active: bool = False,
    under: Sequence[str] = (),
) -> dict[str, Any]:
    """Return one model, whose tensors are ``named``, as what ``json.dumps`` takes.

    ``total`` counts its trainable parameters, tied ones once; those of ``components`` add up to it
    level by level, down to ``depth``; ``tensors`` has all, fixed and tied ones too. With ``active``
    it has the parameters per token, too. With conventions, ``under`` is their count, and the
    components and tensors are those that they count.
    """
    total: int = named.total()
    kept = counted(named, *with_storage(under)) if under else named
    of_tree = as_counted(named, under) if under else named
    return {
        "model": model.name,
        **_about(model, active=active),
        "total": total,
        "frozen": size(named.frozen()),
        **_bytes(total, dtype),
        **({"under": _under(of_tree.total(), under, dtype)} if under else {}),
        "conventions": under_every(named),
        "components": [
            {
                "path": node.path,
                "depth": node.depth,
                "each": node.each,
                "times": node.times,
                "total": node.total,
            }
            for node in tree(of_tree, depth)
            if node.tensor is None
        ],
        "tensors": [_tensor(tensor) for tensor in kept if tensor.present and tensor.repeat],
    }


def _bytes(number: int, dtype: str) -> dict[str, Any]:
    return {"dtype": dtype, "bytes": bytes_of(number, dtype)} if dtype else {}


def _under(number: int, names: Sequence[str], dtype: str) -> dict[str, Any]:
    return {"conventions": list(with_storage(names)), "count": number, **_bytes(number, dtype)}


def _about(model: Model | LiveModel, *, active: bool) -> dict[str, Any]:
    """Return what is known of a model and its formula; ``derive --json`` writes more of it."""
    if isinstance(model, LiveModel):
        return {"status": model.status, "notes": [*model.notes, *model.lines]}
    architecture, spec = model.architecture, model.spec
    return {
        **(_published(model.named) if model.named else {}),
        **(reading_data(model.reading) if model.reading else {}),
        **({} if architecture.spec else {"class": architecture.name}),
        "formula": text(architecture.formula),
        **({"spec": spec_fields(spec)} if spec else {}),
        "reasons": list(model.reasons),
        "conditions": list(model.conditions),
        "versions": dict(architecture.versions),
        "buffers": list(architecture.buffers),
        "letters": dict(architecture.sizes),
        "fields": dict(architecture.fields),
        "status": model.status,
        "notes": list(model.remarks()),
        **(_loaded(model) if model.heads else {}),
        **({"active": active_as_json(model)} if active else {}),
    }


def _loaded(model: Model) -> dict[str, Any]:
    """Return the parameters of the model that transformers loads, and which heads it adds."""
    sizes = model.sizes
    heads = [
        {
            "path": head.path,
            "field": head.field,
            "formula": text(head.size),
            "parameters": head.size.evaluate(sizes),
        }
        for head in model.heads
    ]
    return {"loaded": {"total": model.loaded, "untied": heads}}


def reading_data(reading: ConfigReading) -> dict[str, Any]:
    """Return how a configuration was read as what ``json.dumps`` takes."""
    return {
        "model_type": reading.model_type,
        "class": reading.class_name,
        "class_assumed": not reading.is_class_named,
        "assumed": dict(reading.assumed),
        "unknown_keys": list(reading.unknown),
        "file_dtype": reading.dtype or None,
        "quantized": reading.quantized or None,
    }


def _published(named: Published) -> dict[str, Any]:
    found: dict[str, Any] = {
        "number": named.published,
        "component": named.component or None,
        "source": named.source,
    }
    if isinstance(named, NamedConfiguration) and named.active:
        found["active"] = named.active
    return {"published": found}


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "path": tensor.path,
        "shape": list(tensor.shape),
        "times": tensor.repeat,
        "trainable": tensor.trainable,
        "tied_to": tensor.tied_to,
    }
