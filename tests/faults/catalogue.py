"""A fault: an encoder with one mistake, built like any other, and the evidence against it.

Each fault is a function that changes PyTorch's encoder while it is built on the meta device. It
takes the encoder, the spec and ``torch.nn``, so that importing the catalogue imports no framework.
Its docstring describes the mistake; its decorator names the evidence that must catch it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from paramproof.builders.protocol import BuiltModel
from paramproof.formulas import EncoderSpec, Numerics

Plant = Callable[[Any, EncoderSpec, Any], BuiltModel | None]
"""Changes the encoder; returns a replacement model if the fault is in how it is read."""

FAULTS: dict[str, Fault] = {}


@dataclass(frozen=True, slots=True)
class Fault:
    """A planted fault, which is a ``Builder``. ``caught_by`` lists keys of ``EVIDENCE``."""

    name: str
    about: str
    caught_by: tuple[str, ...]
    plant: Plant

    def supports(self, spec: EncoderSpec) -> Literal[True]:
        return True

    def build(
        self,
        spec: EncoderSpec,
        numerics: Numerics | None = None,
        *,
        allocate: bool = False,
        dtype: str = "float32",
    ) -> BuiltModel:
        import torch

        from paramproof.builders.frameworks.torch import Encoder, TorchModel

        with torch.device("cpu" if allocate else "meta"):
            encoder = Encoder(spec, numerics or Numerics())
            model = self.plant(encoder, spec, torch.nn)
        encoder.to(getattr(torch, dtype))
        return model or TorchModel(encoder)


def fault(*caught_by: str) -> Callable[[Plant], Plant]:
    """Register the decorated function in the catalogue, under its name."""

    def enter(plant: Plant) -> Plant:
        name = plant.__name__.replace("_", " ")
        if name in FAULTS:
            raise ValueError(f"two faults are called {name!r}")
        about = " ".join((plant.__doc__ or "").split()).replace("``", "`")
        FAULTS[name] = Fault(name, about, caught_by, plant)
        return plant

    return enter
