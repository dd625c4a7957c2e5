"""Real sizes, up to 175 billion parameters: each tensor is as the formula says, and the total too.

The formula has the published subtotals (tests/formulas/test_inventory.py), down to the attention of
a layer, with whose 2,362,368 parameters this project began.
"""

import pytest

from paramproof import check
from paramproof.algebra.residual import explained
from paramproof.algebra.symbols import FamilyArchitecture
from paramproof.formulas.models import named_model, named_models
from tests import literals

pytestmark = pytest.mark.shapes_only


@pytest.mark.expressed("model")
@pytest.mark.parametrize("model", named_models())
def test_named_model(builder, model):
    spec = named_model(model).spec
    report = check(builder, spec)
    assert report.equal, explained(report, FamilyArchitecture.of(spec))
    assert report.actual == literals.TOTALS[model]
