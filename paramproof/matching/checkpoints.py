"""Compare a checkpoint with a formula, by the names and shapes in its headers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from paramproof.catalogue.conversions import conversions_of
from paramproof.formulas import Inventory, Report, Row, Spec, Tensor, Weight
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.comparison import Matched, by_canonical_name, compare
from paramproof.formulas.path import LAYER, layer_of
from paramproof.formulas.printing import legible, some_of
from paramproof.matching.loading import Loading, match_loaded, on_prefix
from paramproof.resolver import resolve
from paramproof.sources.checkpoints.header import Checkpoint, checkpoint
from paramproof.sources.checkpoints.names import CheckpointNames
from paramproof.sources.telltale import unwrapped

MAX_LAYERS_IN_ROWS = 1000
"""The most layers that get rows of their own, unless the file has more tensors than that."""


def compare_checkpoint(
    file: str | Path | Checkpoint,
    source: object,
    *,
    is_untied: bool = False,
) -> Report:
    """Compare the tensors in a checkpoint with the formula that ``source`` names.

    For a family, names are those of Hugging Face, with or without the prefix of the base model, or
    the canonical ones. For a derived formula, names are mapped as transformers maps them. Names of
    wrappers in them (``module.``, ``_orig_mod.``) are ignored.

    A header does not tell which tensors are trainable, so the formula decides. A file cannot share
    storage either, so a tied tensor that it stores again is unexpected, unless ``is_untied`` says
    that the configuration of a derived formula does not tie the embeddings.

    Raises ``ValueError``, in one line, for a checkpoint that cannot be read, or whose tensors are
    not plain weights.
    """
    found = file if isinstance(file, Checkpoint) else checkpoint(file)
    architecture = resolve(source).canonical
    if architecture.spec:
        report = _compare_with_family(found, architecture.spec, architecture)
    else:
        report = _compare_as_loaded(found, architecture, is_untied=is_untied)
    return replace(report, about=architecture.about)


def _compare_with_family(found: Checkpoint, spec: Spec, architecture: Architecture) -> Report:
    named = architecture.inventory(architecture.sizes)
    names = CheckpointNames(spec.family, named)
    fixed = {tensor.path for tensor in named if not tensor.trainable and tensor.present}
    own = [unwrapped(stored.name)[0] for stored in found.tensors]
    prefix = names.unknown_prefix(own)
    buffers, weights = [], []
    for stored, name in zip(found.tensors, own, strict=True):
        bare = name.removeprefix(prefix)
        if names.is_buffer(bare):
            buffers.append(stored.name)
            continue
        storage = names.storage(bare)
        trainable = not fixed.intersection(storage.parts)
        weights.append(Weight(stored.name, stored.shape, trainable, *storage))
    report = compare(named, weights, _by_layer)
    rows = (on_prefix(prefix), *report.rows) if prefix else report.rows
    return replace(report, rows=rows, notes=_on_buffers(buffers))


def _by_layer(named: Inventory, weights: Sequence[Weight]) -> Matched:
    """Match layer by layer; of very many layers, those beyond the file's share one row."""
    paths = (path for weight in weights for path in weight.parts)
    beyond = 1 + max((layer_of(path) or 0 for path in paths), default=-1)
    most = max(MAX_LAYERS_IN_ROWS, len(weights))
    cut = [t if t.repeat <= most else replace(t, repeat=min(beyond, most)) for t in named]
    matched = by_canonical_name(Inventory(named.letters, tuple(cut)), weights)
    pairs = zip(named, cut, strict=True)
    absent = (row for tensor, part in pairs for row in _absent(tensor, part.repeat))
    return Matched((*matched.rows, *absent))


def _absent(tensor: Tensor, first: int) -> Sequence[Row]:
    """Return a row for ``tensor`` in all its layers from ``first`` on, if there are any."""
    layers = tensor.present * (tensor.repeat - first)
    if not layers or not tensor.trainable or tensor.tied_to is not None:
        return ()
    path = tensor.path.replace(LAYER, f"{first}-{tensor.repeat - 1}")
    return (Row("missing", path, tensor.shape, None, None, -layers * tensor.size),)


def _compare_as_loaded(found: Checkpoint, architecture: Architecture, *, is_untied: bool) -> Report:
    named = architecture.inventory(architecture.sizes)
    loading = Loading(named, architecture.buffers, conversions_of(architecture.name))
    prefix, loaded = loading.load([unwrapped(stored.name)[0] for stored in found.tensors])
    buffers, names, weights = [], [], []
    for one, stored in zip(loaded, found.tensors, strict=True):
        if loading.is_passed_over(one):
            buffers.append(stored.name)
        elif stored.size or not loading.knows(one.name):
            # A tensor has no entries where the model has none of something: registers, labels.
            names.append(one)
            weights.append(Weight(one.stored, stored.shape, not loading.is_frozen(one.name)))
    match = partial(match_loaded, loading=loading, loaded=names, is_untied=is_untied)
    report = compare(named, weights, match)
    rows = (on_prefix(prefix), *report.rows) if prefix else report.rows
    return replace(report, rows=rows, notes=(*_on_buffers(buffers), *report.notes))


def _on_buffers(names: Sequence[str]) -> tuple[str, ...]:
    if not names:
        return ()
    return (f"buffers, not compared: {some_of([*map(legible, names)], 1)}",)
