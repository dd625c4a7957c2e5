"""``paramproof verify`` for every family, in a framework's own worker process."""

from paramproof.formulas import FAMILIES
from paramproof.formulas.families import family_of
from paramproof.verify.cases import refusal
from paramproof.verify.results import Result, Sample, results
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
