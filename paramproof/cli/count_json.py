"""``paramproof count --json``: what a model has, as data."""

from __future__ import annotations

from typing import Any

from paramproof.cli.conventions import under_every
from paramproof.cli.dtypes import bytes_of
from paramproof.cli.tree import tree
from paramproof.formulas import Tensor, inventory
from paramproof.formulas.families import spec_fields
from paramproof.sources.resolve import ResolvedModel


def as_json(resolved: ResolvedModel, depth: int | None, dtype: str) -> dict[str, Any]:
    """Return one model as what ``json.dumps`` takes.

    ``total`` are its trainable parameters, those of ``components`` add up to it level by level,
    down to ``depth``; of ``tensors`` all are there, fixed and tied ones too.
    """
    letters = resolved.spec.letters()
    named = inventory(letters)
    total: int = named.total()
    return {
        "model": resolved.name,
        "spec": spec_fields(resolved.spec),
        "letters": letters._asdict(),
        "total": total,
        **({"dtype": dtype, "bytes": bytes_of(total, dtype)} if dtype else {}),
        "conventions": under_every(named),
        "components": [
            {"path": node.path, "each": node.each, "times": node.times, "total": node.total}
            for node in tree(named, depth)
            if node.tensor is None
        ],
        "tensors": [_tensor(tensor) for tensor in named if tensor.present and tensor.repeat],
    }


def _tensor(tensor: Tensor) -> dict[str, Any]:
    return {
        "path": tensor.path,
        "shape": list(tensor.shape),
        "times": tensor.repeat,
        "trainable": tensor.trainable,
        "tied_to": tensor.tied_to,
    }
