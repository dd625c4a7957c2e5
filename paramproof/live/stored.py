"""Compare a file of weights with a derived formula, by the names and shapes in its header."""

from __future__ import annotations

from typing import NamedTuple

from paramproof.formulas.derivation import Derivation
from paramproof.formulas.path import starred
from paramproof.live.named import match_named
from paramproof.live.report import LiveReport
from paramproof.sources.checkpoints import Checkpoint
from paramproof.sources.live.weight import LiveWeight
from paramproof.sources.telltale import unwrapped


class StoredReport(NamedTuple):
    """What of a file are buffers, and the report on the rest."""

    buffers: tuple[str, ...]
    report: LiveReport


def compare_stored(found: Checkpoint, derivation: Derivation) -> StoredReport:
    """Compare what is stored with the formula at its own sizes.

    Names are transformers' own, with or without one of a wrapper or of a model around it. A header
    does not say what is trained, so that is as the formula has it; a tied tensor that is stored is
    one more.
    """
    named = derivation.inventory(derivation.sizes)
    frozen = {tensor.path for tensor in named if not tensor.trainable}
    buffers, weights = [], []
    for stored in found.tensors:
        name = unwrapped(stored.name)[0]
        if _is_one_of(name, derivation.buffers):
            buffers.append(stored.name)
        else:
            weights.append(LiveWeight(name, stored.shape, not _is_one_of(name, frozen)))
    report = LiveReport(
        formula=named.total(),
        actual=sum(weight.size for weight in weights if weight.trainable),
        frozen=sum(weight.size for weight in weights if not weight.trainable),
        matching=match_named(named, weights),
    )
    return StoredReport(tuple(buffers), report)


def _is_one_of(name: str, paths: frozenset[str] | set[str] | tuple[str, ...]) -> bool:
    path = starred(name)
    return any(path == one or path.endswith(f".{one}") for one in paths)
