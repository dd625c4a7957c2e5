"""The checks for the guide's sentences, without a framework."""

from dataclasses import fields

from paramproof.builders.protocol import BuiltModel
from paramproof.formulas import Numerics
from tests.porting.guide import ENVIRONMENTS, TEXT, about, checks, other_names

CHECKED = {
    "make.py": [],
    "port.py": ["target.module", "target.variables"],
    "llama.py": ["source.dtype", "model.dtype"],
    "own.py": [],
    "load.py": ["model.model"],
}


def test_every_attribute_belongs_to_a_script_or_is_known():
    """Attributes of a script's variables are checked after it; the others are types or the
    contract's."""
    assert {name: about(name) for name in ENVIRONMENTS} == CHECKED
    assert other_names() == {
        "config.json",
        "eqx.nn.Shared",
        "flax.linen.Module",
        "keras.Model",
        "BuiltModel.run",
    }
    assert callable(BuiltModel.run)
    assert "In `Numerics`, `hidden_act` is" in " ".join(TEXT.split())
    assert "hidden_act" in {field.name for field in fields(Numerics)}


def test_statements_about_attributes_are_checked():
    assert checks("port.py").splitlines() == [
        "import pydoc",
        "target.module",
        "target.variables",
        "assert isinstance(target.module, pydoc.locate('flax.linen.Module')), 'target.module'",
    ]
    assert 'assert model.dtype == "float32"' in checks("llama.py")
    assert "pydoc.locate('keras.Model')" in checks("load.py")
