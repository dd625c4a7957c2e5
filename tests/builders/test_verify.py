"""``paramproof verify`` for every family, in a framework's own worker process."""

import pytest

from paramproof.formulas import FAMILIES
from paramproof.formulas.families import family_of
from paramproof.verify.cases import refusal
from paramproof.verify.results import Sample, verify_job
from paramproof.verify.user_formula import FormulaReference
from paramproof.verify.workers import run_in_workers
from tests.specs import SPECS

EXAMPLES = 2


def test_every_family(framework, builder):
    """Named models and random specs are equal, or reported as not supported, by family."""
    job = verify_job(Sample(SPECS, tuple(FAMILIES), EXAMPLES, seed=0))
    results = list(run_in_workers([framework], job))
    assert [result.model for result in results[: len(SPECS)]] == list(SPECS)
    random = iter(results[len(SPECS) :])
    for family, named in zip(FAMILIES, results, strict=False):
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
    formula = FormulaReference("tests.family_formulas:gpt2_without_biases", seconds=60)
    sample = Sample({"named": SPECS[family]}, (family,), EXAMPLES, 0)
    job = verify_job(sample, formula)
    *results, smallest = run_in_workers([framework], job)
    assert [result.spec.family for result in results] == [family] * (1 + EXAMPLES)
    assert (smallest.smallest, smallest.spec.num_hidden_layers) == (True, 1)
    for spec, report in [(one.spec, one.report) for one in (results[0], smallest)]:
        width, inner = spec.hidden_size, spec.intermediate_size
        assert {row.path: row.difference for row in report.rows} == {
            "layers.*.attention": 4 * width,
            "layers.*.feed_forward": inner + width,
        }
