"""What of the guide's sentences is checked after its scripts: no framework is needed."""

from dataclasses import fields

import pytest

from paramproof.builders.protocol import Model
from paramproof.formulas import Numerics
from tests.porting.guide import ENVIRONMENTS, TEXT, about, checks, elsewhere

CHECKED = {
    "transfer.py": ["source.module", "target.module", "target.variables"],
    "save.py": [],
    "llama.py": ["model.variables", "source.dtype", "model.dtype"],
    "load.py": ["model.model"],
}


def test_every_attribute_is_one_of_a_script_or_known():
    """Of a script, it is looked up after it; the others are types, and the contract's own."""
    assert {name: about(name) for name in ENVIRONMENTS} == CHECKED
    assert elsewhere() == {"torch.nn.Module", "flax.linen.Module", "keras.Model", "Model.run"}
    assert callable(Model.run)
    assert "In `Numerics`, `hidden_act` is" in " ".join(TEXT.split())
    assert "hidden_act" in {field.name for field in fields(Numerics)}


def test_what_is_said_of_them_is_checked():
    assert checks("transfer.py").splitlines() == [
        "import pydoc",
        "source.module",
        "target.module",
        "target.variables",
        "assert isinstance(source.module, pydoc.locate('torch.nn.Module')), 'source.module'",
        "assert isinstance(target.module, pydoc.locate('flax.linen.Module')), 'target.module'",
    ]
    assert 'assert model.dtype == "float32"' in checks("llama.py")
    assert "pydoc.locate('keras.Model')" in checks("load.py")


@pytest.mark.parametrize(
    ("name", "said", "wrong"),
    [
        ("transfer.py", "target.module", "target.encoder"),
        ("load.py", "model.model", "model.encoder"),
    ],
)
def test_an_attribute_that_is_not_there_is_looked_up_too(name, said, wrong):
    text = TEXT.replace(f"`{said}`", f"`{wrong}`")
    assert wrong in checks(name, text).splitlines()
