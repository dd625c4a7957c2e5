"""``paramproof verify`` for every family, in a framework's own worker process."""

import pytest

from paramproof.formulas import FAMILIES
from paramproof.formulas.families import family_of
from paramproof.verify.cases import refusal
from paramproof.verify.results import Result, Sample, results
from paramproof.verify.user_formula import UserFormula
from paramproof.verify.workers import run_in_workers
from tests.specs import SPECS

EXAMPLES = 2


def test_every_family(framework, builder):
    sample = Sample(SPECS, tuple(FAMILIES), EXAMPLES, seed=0)
    found = list(run_in_workers([framework], results, Result, sample=sample))
    assert [result.model for result in found[: len(SPECS)]] == list(SPECS)
    random = iter(found[len(SPECS) :])
    for family, named in zip(FAMILIES, found, strict=False):
        supported = builder.supports(SPECS[family])
        assert named.spec == SPECS[family]
        assert named.status == ("equal" if supported is True else "not expressible")
        assert named.reason == ("" if supported is True else supported)
        if reason := refusal(builder, family):
            assert next(random).reason == reason
            continue
        for result in [next(random) for _ in range(EXAMPLES)]:
            assert (result.status, family_of(result.spec).name) == ("equal", family)
    assert list(random) == []


@pytest.mark.expressed("family")
@pytest.mark.parametrize("family", ["gpt"])
def test_a_user_formula(framework, builder, family):
    """For another family than the encoder: it differs only by what it forgets."""
    formula = UserFormula("tests.family_formulas:gpt2_without_biases")
    sample = Sample({"named": SPECS[family]}, (family,), EXAMPLES, 0)
    about = {"sample": sample, "formula": formula}
    *found, smallest = run_in_workers([framework], results, Result, **about)
    assert [result.spec.family for result in found] == [family] * (1 + EXAMPLES)
    assert (smallest.smallest, smallest.spec.num_hidden_layers) == (True, 1)
    for spec, report in [(one.spec, one.report) for one in (found[0], smallest)]:
        width, inner = spec.hidden_size, spec.intermediate_size
        assert {row.path: row.difference for row in report.rows} == {
            "layers.*.attention": 4 * width,
            "layers.*.feed_forward": inner + width,
        }
