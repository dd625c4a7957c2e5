"""How the model that transformers builds of a configuration differs from its entry."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from huggingface_hub.errors import StrictDataclassClassValidationError
from transformers import PreTrainedConfig

from paramproof.catalogue.entries import Entry
from paramproof.formulas.derivation import expected
from sweep.library.model import build, config_of
from sweep.library.refusal import Attempt


class MismatchKind(Enum):
    DIVIDES_BY_ZERO = "refused by transformers, which divides by zero"
    INVALID = "refused by transformers, which validates several keys together"
    REFUSED = "refused by transformers"
    OTHER_TENSORS = "other tensors"


class Mismatch(NamedTuple):
    fault: MismatchKind
    why: str

    def __str__(self) -> str:
        return self.why

    @property
    def is_refusal(self) -> bool:
        """Whether transformers refuses the configuration, so that there is no model."""
        return self.fault is not MismatchKind.OTHER_TENSORS

    @property
    def may_be_of_sizes(self) -> bool:
        """Whether sizes alone may cause it, since a part that is given has other defaults."""
        return self.fault in (MismatchKind.DIVIDES_BY_ZERO, MismatchKind.INVALID)


def _refusal(error: Exception) -> Mismatch:
    if isinstance(error, ZeroDivisionError):
        fault = MismatchKind.DIVIDES_BY_ZERO
        return Mismatch(fault, f"{fault.value}: {error}")
    is_of_keys = isinstance(error, StrictDataclassClassValidationError)
    description = f"{MismatchKind.REFUSED.value}: {' '.join(str(error).split())[:150]}"
    return Mismatch(MismatchKind.INVALID if is_of_keys else MismatchKind.REFUSED, description)


def find_mismatch(
    entry: Entry, config_class: type[PreTrainedConfig], model_class: Any, config: Mapping[str, Any]
) -> Mismatch | None:
    """Return how the model of a configuration differs from its entry, or None if it does not."""
    expected_tensors = expected(
        (t for t in entry.derivation.tensors if t.role != "buffer"), entry.sizes
    )
    # A configuration may warn, as Fuyu's does of rope_scaling, without refusing.
    with Attempt() as attempt, warnings.catch_warnings(action="ignore"):
        actual = build(model_class, config_of(config_class, config)).parameters
    if attempt.refusal:
        return _refusal(attempt.refusal)
    apart = {
        key
        for key in expected_tensors.keys() | actual.keys()
        if expected_tensors[key] != actual[key]
    }
    if not apart:
        return None
    kind, shape = sorted(apart, key=str)[0]
    return Mismatch(MismatchKind.OTHER_TENSORS, f"{kind.path} of {shape} differs from the entry")
