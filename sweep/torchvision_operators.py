"""Declare the operators that torchvision's compiled part would declare.

The package index has torchvision's compiled part only for CUDA, and it cannot be loaded with the
CPU build of PyTorch. Its models call none of these operators, but importing torchvision registers
shape functions for two of them, which PyTorch refuses for undeclared operators. Import this module
before torchvision, and before transformers, timm and open_clip, which import it.
"""

from __future__ import annotations

from contextlib import suppress

import torch

_DECLARED = torch.library.Library("torchvision", "FRAGMENT")

for _name in ("nms", "qnms"):
    # A torchvision that did load its compiled part has declared them.
    with suppress(RuntimeError):
        _DECLARED.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
