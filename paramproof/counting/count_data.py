"""What a model has, as data: what ``Count.to_dict`` and ``paramproof count --json`` write.

``paramproof/schema.json`` describes it.
"""

from __future__ import annotations

from typing import Any

from paramproof.counting.active import active_as_json
from paramproof.counting.conventions import under_every
from paramproof.counting.dtypes import bytes_of
from paramproof.counting.letters import in_letters
from paramproof.counting.tree import tree
from paramproof.formulas import Inventory, Spec, Tensor
from paramproof.formulas.families import spec_fields
from paramproof.formulas.models import NamedConfiguration, Published
from paramproof.formulas.notation import text
from paramproof.resolver import AnyModel, DerivedModel, LiveModel, ResolvedModel
from paramproof.resolver.models import ConfigReading


def count_data(
    model: AnyModel | LiveModel,
    named: Inventory,
    *,
    depth: int | None = None,
    dtype: str = "",
    active: bool = False,
) -> dict[str, Any]:
    """Return one model, whose tensors are ``named``, as what ``json.dumps`` takes.

    ``total`` counts its trainable parameters, tied ones once; those of ``components`` add up to it
    level by level, down to ``depth``; ``tensors`` has all, fixed and tied ones too. With ``active``
    it has the parameters per token, too.
    """
    total: int = named.total()
    return {
        "model": model.name,
        **_formula_of(model),
        "total": total,
        **(_loaded(model) if isinstance(model, DerivedModel) and model.heads else {}),
        **({"dtype": dtype, "bytes": bytes_of(total, dtype)} if dtype else {}),
        "conventions": under_every(named),
        **(
            {"active": active_as_json(model)} if active and not isinstance(model, LiveModel) else {}
        ),
        "components": [
            {"path": node.path, "each": node.each, "times": node.times, "total": node.total}
            for node in tree(named, depth)
            if node.tensor is None
        ],
        "tensors": [_tensor(tensor) for tensor in named if tensor.present and tensor.repeat],
    }


def _formula_of(model: AnyModel | LiveModel) -> dict[str, Any]:
    if isinstance(model, LiveModel):
        return {"status": model.status}
    about = _published(model.named) if model.named else {}
    about |= _read(model.reading) if model.reading else {}
    if isinstance(model, DerivedModel):
        return {**about, **_derived(model), "status": model.status}
    return {**about, **_of_family(model), "status": model.status}


def _of_family(model: ResolvedModel) -> dict[str, Any]:
    spec: Spec = model.spec
    found: dict[str, Any] = {
        "formula": text(in_letters(model).formula),
        "spec": spec_fields(spec),
        "letters": spec.letters()._asdict(),
    }
    if model.derivation:
        found["conditions"] = [str(one.condition) for one in model.derivation.conditions]
    return found


def _derived(model: DerivedModel) -> dict[str, Any]:
    """Return what a derived formula says of itself; ``derive --json`` writes all of it."""
    derivation = model.derivation
    return {
        "class": derivation.name,
        "formula": text(derivation.formula),
        "reasons": list(model.reasons),
        "conditions": [str(stated.condition) for stated in derivation.conditions],
        "versions": dict(derivation.evidence.versions),
        "buffers": list(derivation.buffers),
        "letters": dict(derivation.sizes),
        "fields": dict(derivation.fields),
    }


def _loaded(model: DerivedModel) -> dict[str, Any]:
    """Return the parameters of the model that transformers loads, and which heads it adds."""
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


def _read(reading: ConfigReading) -> dict[str, Any]:
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
