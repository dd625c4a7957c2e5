"""PyTorch's encoder, changed as soon as it is built, like in its own catalogue of faults."""

from functools import partial
from typing import Any

from torch import nn

from paramproof.builders.frameworks.torch import Encoder
from tests.faults import matrix  # noqa: F401  (it fills the catalogue)
from tests.faults.catalogue import FAULTS, Fault
from tests.faults.everywhere.patches import followed


def planted(fault: Fault, encoder: Any, spec: Any, *_: Any) -> None:
    fault.plant(encoder, spec, nn)


PLANTS = {
    name: partial(followed, Encoder, "__init__", partial(planted, fault))
    for name, fault in FAULTS.items()
}
