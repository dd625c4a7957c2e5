"""The library around which a function is thin is followed as the function's own code is."""

import pytest

pytest.importorskip("torch")

from torch import nn

from paramproof.derivation.pipeline import derive
from paramproof.tracing.constructors.function import function_constructor, packages_of
from tests.foolers import another_package

pytestmark = pytest.mark.framework("torch")


def made(name):
    return function_constructor(f"another_package:{name}", getattr(another_package, name))


def test_the_packages_of_every_submodule_and_of_what_it_inherits_from():
    class Own(another_package.otherlib.Stack):
        pass

    assert packages_of(nn.Sequential(nn.Linear(2, 2))) == ()
    assert "otherlib" in packages_of(nn.Sequential(Own(2, 1)))
    assert "otherlib" in made("gate_of_a_library").modules
    assert "torch.nn" in made("gate_of_a_library").modules


@pytest.mark.parametrize(
    ("name", "stated", "beyond"),
    [("gate_of_a_library", "H < 4096", {"H": 4096}), ("stack_of_a_library", "n < 101", {"n": 101})],
)
def test_a_threshold_in_a_library_is_a_condition(name, stated, beyond):
    found = derive(made(name))
    assert stated in {str(one.condition) for one in found.conditions}
    with pytest.raises(ValueError, match="the formula holds where"):
        found.count({**found.sizes, **beyond})


def test_loops_in_a_library_are_followed():
    assert derive(made("stack_of_a_library")).is_proved
