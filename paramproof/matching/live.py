"""Compare a live model with a formula, tensor by tensor."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from paramproof.algebra.residual import explained
from paramproof.formulas import Report, Spec, Weight
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.comparison import compare
from paramproof.formulas.printing import and_more, legible, some_of
from paramproof.matching.names import by_name, by_name_in_family
from paramproof.resolver import resolve
from paramproof.sources.live.readers import live_weights
from paramproof.sources.reference import in_one_line, load_reference

MAX_NAMES_SHOWN = 4
"""The most names of one storage that a report lists."""

MAX_SHARED_SHOWN = 10
"""The most shared storages that a report lists."""

ALL_FROZEN = (
    ", which are all parameters; the formula counts trainable ones: unfreeze the model first "
    "(requires_grad_(True) in PyTorch, trainable = True in Keras, unfreeze() in MLX)"
)
"""The note for a model without trainable parameters."""


def compare_live(model: Any, source: object, class_name: str = "") -> Report:
    """Compare a live model with the formula that ``source`` names, as ``assert_parameters`` does.

    Tensors are matched by name if the model has the names of transformers, and by shape if not. A
    frozen weight is a difference if it matches a tensor of the formula, which should be trainable.
    If it matches none, it is not a difference.
    """
    architecture = resolve(source, class_name).canonical
    weights = live_weights(model)
    expected = architecture.inventory(architecture.sizes)
    spec = architecture.spec
    match = partial(by_name_in_family, spec.family) if spec else by_name
    report = compare(expected, weights, match)
    note = f"not trainable: {report.frozen:,}{'' if report.actual else ALL_FROZEN}"
    notes = (note, *_shared(weights), *report.notes)
    return replace(report, about=architecture.about, notes=notes)


def assert_parameters(
    model: Any,
    spec: Spec | Architecture | str | Path | Mapping[str, Any],
    class_name: str = "",
) -> None:
    """Assert that ``model`` has the trainable parameters of ``spec``, tensor by tensor.

    ``model`` is a built model of PyTorch, Keras, tf-keras, nnx or Equinox; for linen, pass the
    pair (module, variables) or the variables alone. Its names do not matter, unless they are
    those of transformers.

    ``spec`` may also be a model's name, a derivation, or a configuration, given as the path of a
    config.json or as its keys. If no family describes the configuration, its formula is derived
    from transformers; ``class_name`` replaces the class that the configuration names.

    Raises ``AssertionError`` with the report if the model differs, and ``ValueError`` if ``model``
    is not a built model or the configuration has no formula.
    """
    # Tracebacks end in the calling test, not here.
    __tracebackhide__ = True
    architecture = resolve(spec, class_name).canonical
    report = compare_live(model, architecture)
    if not report.equal:
        raise AssertionError(explained(report, architecture))


def model_named(reference: str) -> Any:
    """Return the model that MODULE:FUNCTION returns when called without arguments.

    Raises ``ValueError``, in one line, if the function does not exist or raises.
    """
    function = load_reference(reference)
    try:
        return function()
    except (Exception, SystemExit) as error:  # A user's function may raise anything.
        raise ValueError(f"{reference} raised {in_one_line(error)}") from error


def _shared(weights: Sequence[Weight]) -> list[str]:
    """Return a line for each storage with several names."""
    names = ((weight.path, *weight.aliases) for weight in weights if weight.aliases)
    shown = (some_of([*map(legible, of_one)], MAX_NAMES_SHOWN) for of_one in names)
    return and_more([f"one storage, counted once: {one}" for one in shown], MAX_SHARED_SHOWN)
