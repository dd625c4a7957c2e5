"""What the porting guide prints: its scripts, by name, and the frameworks that each needs."""

from docs.writers.blocks import ROOT, script_in
from paramproof.formulas.models import named_model

TEXT = (ROOT / "docs" / "porting.md").read_text("utf-8")
SPEC = named_model("bert-tiny").spec
FILE = "bert.safetensors"
ENVIRONMENTS = {
    "transfer.py": ("torch", "flax-linen"),
    "save.py": ("transformers",),
    "load.py": ("keras-tensorflow",),
}


def script(name):
    return script_in(TEXT, name)
