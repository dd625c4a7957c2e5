"""``paramproof count --json``: what a model has, as data."""

from __future__ import annotations

from typing import Any

from paramproof.counting.active import active_as_json
from paramproof.counting.conventions import under_every
from paramproof.counting.dtypes import bytes_of
from paramproof.counting.tree import tree
from paramproof.formulas import Spec, Tensor
from paramproof.formulas.families import spec_fields
from paramproof.formulas.notation import text
from paramproof.resolver import AnyModel, DerivedModel


def as_json(model: AnyModel, depth: int | None, dtype: str, active: bool = False) -> dict[str, Any]:
    """Return one model as what ``json.dumps`` takes.

    ``total`` are its trainable parameters, those of ``components`` add up to it level by level,
    down to ``depth``; of ``tensors`` all are there, fixed and tied ones too. With ``active`` it has
    what one token passes, too. ``loaded`` is there if transformers loads more parameters than it
    builds: the total with the heads that the configuration says are not tied.
    """
    named = model.inventory()
    total: int = named.total()
    return {
        "model": model.name,
        **(_derived(model) if isinstance(model, DerivedModel) else _of_family(model.spec)),
        "total": total,
        **(_loaded(model) if isinstance(model, DerivedModel) and model.heads else {}),
        **({"dtype": dtype, "bytes": bytes_of(total, dtype)} if dtype else {}),
        "conventions": under_every(named),
        **({"active": active_as_json(model)} if active else {}),
        "components": [
            {"path": node.path, "each": node.each, "times": node.times, "total": node.total}
            for node in tree(named, depth)
            if node.tensor is None
        ],
        "tensors": [_tensor(tensor) for tensor in named if tensor.present and tensor.repeat],
    }


def _of_family(spec: Spec) -> dict[str, Any]:
    return {"spec": spec_fields(spec), "letters": spec.letters()._asdict()}


def _derived(model: DerivedModel) -> dict[str, Any]:
    """What a derived formula says of itself; all of it is what ``derive --json`` writes."""
    derivation = model.derivation
    return {
        "class": derivation.name,
        "formula": text(derivation.formula),
        "status": derivation.status,
        "reasons": list(derivation.reasons),
        "conditions": [str(stated.condition) for stated in derivation.conditions],
        "versions": dict(derivation.evidence.versions),
        "buffers": list(derivation.buffers),
        "letters": dict(derivation.sizes),
        "fields": dict(derivation.fields),
    }


def _loaded(model: DerivedModel) -> dict[str, Any]:
    sizes = model.derivation.sizes
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


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "path": tensor.path,
        "shape": list(tensor.shape),
        "times": tensor.repeat,
        "trainable": tensor.trainable,
        "tied_to": tensor.tied_to,
    }
