"""Compare a live model, MODULE:FUNCTION or a file of weights with a formula, tensor by tensor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from paramproof.algebra.residual import with_residual
from paramproof.formulas import Report, Spec, Weight
from paramproof.formulas.architecture import Architecture
from paramproof.formulas.comparison import compare as compare_weights
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.printing import and_more, legible, path_text, some_of
from paramproof.matching.names import match_derived, match_family
from paramproof.resolver import resolve
from paramproof.resolver.lookup import warned
from paramproof.sources.checkpoints import Checkpoint, checkpoint
from paramproof.sources.live import live_weights
from paramproof.sources.reference import REFERENCE, in_one_line, load_reference

MAX_NAMES_SHOWN = 4
"""The most names of one storage that a report lists."""

MAX_SHARED_SHOWN = 10
"""The most shared storages that a report lists."""

ALL_FROZEN = (
    ", which are all parameters; the formula counts trainable ones: unfreeze the model first "
    "(requires_grad_(True) in PyTorch, trainable = True in Keras, unfreeze() in MLX)"
)
"""The note for a model without trainable parameters."""


def compare(thing: object, model: object = "", class_name: str = "") -> Report:
    """Compare a built model or a file of weights with a formula, tensor by tensor.

    ``thing`` is a live model as ``assert_parameters`` takes it, MODULE:FUNCTION as text, whose
    function is called without arguments and returns one, or the path of a safetensors file, of an
    index of such files, or of a directory with either. Only headers of files are read.

    ``model`` is what ``count`` takes: a name, a configuration, a spec, what ``derive`` returns. For
    a file, the default is the spec in it, or the config.json next to it. ``class_name`` replaces
    the class that a configuration names.

    The report has both totals and a row for each tensor that differs; ``report.equal`` says whether
    there is none, and ``print(report)`` prints it.

    Raises ``InvalidInput`` or another ``ValueError`` if either cannot be read.
    """
    observed = opened(thing)
    if isinstance(model, str) and not model:
        model = formula_beside(observed)
    resolved = warned(resolve(model, class_name))
    return report_on(observed, resolved.canonical, is_untied=bool(resolved.heads))


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
    report = report_on(model, warned(resolve(spec, class_name)).canonical)
    if not report.equal:
        raise AssertionError(report.render())


def opened(thing: object) -> object:
    """Return the checkpoint that ``thing`` names, but MODULE:FUNCTION and a live model as it is.

    Raises ``InvalidInput`` for a file that cannot be read.
    """
    if isinstance(thing, Path) or (isinstance(thing, str) and not REFERENCE.fullmatch(thing)):
        if (path := Path(thing)).suffix == ".py":
            problem = f"is a Python file: write MODULE:FUNCTION, such as {path.stem}:model"
            raise InvalidInput(problem, where=path_text(path))
        return checkpoint(thing)
    return thing


def formula_beside(observed: object) -> str:
    """Return the spec in a checkpoint, or the path of the config.json next to it.

    Raises ``InvalidInput`` if there is neither, and for a live model.
    """
    if not isinstance(observed, Checkpoint):
        raise InvalidInput("a live model is compared with a model: name it (--model MODEL)")
    if observed.spec:
        return observed.spec
    config = observed.path.parent / "config.json"
    if not config.exists():
        where = path_text(observed.path)
        raise InvalidInput(f"no config.json next to {where}: give one with --model")
    return str(config)


def report_on(observed: object, architecture: Architecture, *, is_untied: bool = False) -> Report:
    """Return the report on what ``opened`` returns, compared with the formula.

    A file cannot share storage, so a tied tensor that it stores again is unexpected, unless
    ``is_untied`` says that the configuration does not tie it. A frozen weight of a live model is a
    difference only if it matches a tensor of the formula, which should be trainable.
    """
    expected = architecture.inventory(architecture.sizes)
    is_file = isinstance(observed, Checkpoint)
    if isinstance(observed, Checkpoint):
        weights = [Weight(one.name, one.shape, trainable=True) for one in observed.tensors]
    else:
        if isinstance(observed, str):
            function = load_reference(observed)
            try:
                observed = function()
            except (Exception, SystemExit) as error:  # A user's function may raise anything.
                raise InvalidInput(f"{observed} raised {in_one_line(error)}") from error
        weights = live_weights(observed)
    if architecture.family:
        match = partial(match_family, architecture.family, is_file=is_file)
    else:
        is_untied = is_untied and is_file
        match = partial(match_derived, architecture, is_file=is_file, is_untied=is_untied)
    report = compare_weights(expected, weights, match)
    notes = report.notes
    if not is_file:
        frozen = f"not trainable: {report.frozen:,}{'' if report.actual else ALL_FROZEN}"
        names = ((one.path, *one.aliases) for one in weights if one.aliases)
        shown = (some_of([*map(legible, of_one)], MAX_NAMES_SHOWN) for of_one in names)
        shared = [f"one storage, counted once: {one}" for one in shown]
        notes = (frozen, *and_more(shared, MAX_SHARED_SHOWN), *notes)
    return with_residual(replace(report, about=architecture.about, notes=notes), architecture)
