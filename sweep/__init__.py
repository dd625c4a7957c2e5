"""Trace every model type of transformers, and write the catalogue's data.

Whatever of the sweep is imported first declares the operators that torchvision's compiled part
would declare, if it cannot be loaded. The package index has that part only for CUDA, and it cannot
be loaded with the CPU build of PyTorch. torchvision's models call none of these operators, but
importing it registers shape functions for two of them, which PyTorch refuses for undeclared
operators. So the sweep is imported before torchvision, and before transformers, timm and open_clip,
which import it.
"""

from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

if find_spec("torch"):  # which the entries from mlx-lm do without
    import torch

    _found = find_spec("torchvision")
    for _part in Path(_found.origin).parent.glob("_C*.so") if _found and _found.origin else ():
        # Loaded later, it would declare the operators a second time, which ends the process.
        with suppress(OSError):
            torch.ops.load_library(str(_part))
    _declared = torch.library.Library("torchvision", "FRAGMENT")
    for _name in ("nms", "qnms"):
        # A torchvision that did load its compiled part has declared them.
        with suppress(RuntimeError):
            _declared.define(f"{_name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
