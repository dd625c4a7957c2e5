"""Answer for the hub of transformers, which knows no model of the name of a timm network.

DETR's configuration asks whether there is such a model if it has ``backbone_kwargs``. There is
none, and nothing is downloaded. Import this module before configurations are made.
"""

from __future__ import annotations

from types import SimpleNamespace

from transformers import backbone_utils

_HUB = SimpleNamespace(repo_exists=lambda _: False)

backbone_utils.hf_api = lambda: _HUB
