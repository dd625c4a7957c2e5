"""Declare the operators that torchvision's compiled part would declare, if it cannot be loaded.

The package index has torchvision's compiled part only for CUDA, and it cannot be loaded with the
CPU build of PyTorch. Its models call none of these operators, but importing torchvision registers
shape functions for two of them, which PyTorch refuses for undeclared operators. Import this module
before torchvision, and before transformers, timm and open_clip, which import it.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

import torch

_FOUND = find_spec("torchvision")
for _part in Path(_FOUND.origin).parent.glob("_C*.so") if _FOUND and _FOUND.origin else ():
    # Loaded later, it would declare the operators a second time, which ends the process.
    with suppress(OSError):
        torch.ops.load_library(str(_part))

_DECLARED = torch.library.Library("torchvision", "FRAGMENT")

for _name in ("nms", "qnms"):
    # A torchvision that did load its compiled part has declared them.
    with suppress(RuntimeError):
        _DECLARED.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
