"""``paramproof verify`` of every family, in a framework's own worker process."""

from paramproof.formulas import FAMILIES
from paramproof.formulas.families import family_of
from paramproof.random_specs import refusal
from paramproof.running.jobs import Verify
from paramproof.running.pool import run_in_workers
from tests.specs import SPECS

EXAMPLES = 2


def test_every_family(framework, builder):
    """Named models and random specs are equal, or said not to be expressible, by family."""
    results = run_in_workers([framework], Verify(SPECS, EXAMPLES, seed=0))
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
