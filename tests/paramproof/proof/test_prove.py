"""The proofs of one framework: what makes one fail, and how its findings read."""

import pytest

from paramproof.builders.registry import Framework
from paramproof.formulas import FAMILIES, Weight
from paramproof.proof.prove import proofs
from paramproof.workers.jobs import Prove
from paramproof.workers.pool import run_in_workers
from tests.cases import CASES
from tests.weight_lists import Lists, added, extra

NOBODYS = Framework("nobodys", "nobodys", ("numpy",))


def prove(chosen, builder, family="encoder"):
    (proof,) = proofs(chosen, builder, (family,))
    return proof


@pytest.mark.parametrize("family", FAMILIES)
def test_proved(family):
    proof = prove(NOBODYS, Lists(), family)
    assert (proof.status, proof.residual, proof.findings) == ("proved", "0", ())
    assert (proof.family, proof.recovered) == (family, proof.formula)
    assert len(proof.parts) == len(CASES[family])
    # The lengths of lists of weights are fitted to values, since no tensor was traced.
    assert proof.tensors > proof.traced == 0
    assert proof.conditions


def test_steps_are_builds():
    steps = []
    list(proofs(NOBODYS, Lists(), ("gpt", "llama"), lambda done, due: steps.append((done, due))))
    assert [done for done, _ in steps] == list(range(len(steps)))
    assert all(done <= due for done, due in steps)


def test_an_unsupported_family_is_not_a_failure():
    proof = prove(NOBODYS, Lists(refuses=lambda spec: spec.family == "llama"), "llama")
    assert (proof.status, proof.failed, proof.reason) == ("not expressible", False, "refused")


def test_a_branch_beyond_every_node_and_point():
    """A condition on a size is noticed without a model of that size."""

    def adapter(spec):
        return extra("adapter", spec.hidden_size) if spec.vocab_size > 25_000 else None

    proof = prove(NOBODYS, added(adapter), "gpt")
    assert (proof.status, proof.residual) == ("different", "0")
    assert proof.findings == (
        "untied, bare:\nholds only where V ≤ 25000: else other tensors are created",
    )


def test_the_same_total_from_other_tensors():
    """Totals are equal at every size, but the derived tensors differ from the formula's."""

    def swapped(weights, spec):
        kept = [w for w in weights if w.path != "embeddings.layer_norm.bias"]
        return [*kept, extra("embeddings.offset", spec.hidden_size)]

    proof = prove(NOBODYS, Lists(swapped))
    assert (proof.status, proof.residual) == ("different", "0")
    (finding,) = proof.findings
    assert finding.splitlines()[1:] == [
        "actual − formula = 0",
        "  H   embeddings.offset",
        "  −H   embeddings.layer_norm.bias",
        "  unexpected: embeddings.offset",
        "  missing: embeddings.layer_norm.bias",
    ]


def test_padding():
    def padded(weights, spec):
        table, *rest = weights
        rows = -(-spec.vocab_size // 64) * 64
        return [Weight(table.path, (rows, spec.hidden_size), True, table.parts), *rest]

    proof = prove(NOBODYS, Lists(padded))
    assert proof.status == "different"
    derived, *alarms = proof.findings
    assert "actual − formula = −V·H + 64·H·⌈V/64⌉   embeddings.word_embeddings.weight" in derived
    assert alarms
    assert all("a coefficient is not an integer" in alarm for alarm in alarms)


def test_a_fault_that_only_the_totals_show():
    """A hidden branch at small sizes that cancels in the total."""

    def at_nodes(spec):
        plain = int(spec.hidden_size)
        return extra("gain", plain) if plain < 50 and spec.num_hidden_layers < 4 else None

    proof = prove(NOBODYS, added(at_nodes))
    assert proof.residual == "H"
    assert proof.status == "different"


def test_a_hidden_branch_is_noticed_at_the_nodes():
    """Two tensors that cancel in the total, at one size: every counted model is compared."""

    def cancelling(weights, spec):
        if int(spec.max_position_embeddings) != 42:
            return weights
        kept = [w for w in weights if w.path != "final_layer_norm.bias"]
        return [*kept, extra("gain", spec.hidden_size)]

    proof = prove(NOBODYS, Lists(cancelling), "gpt")
    assert (proof.status, proof.residual) == ("different", "0")
    assert any("differs from the derivation at" in finding for finding in proof.findings)


def test_slow_frameworks_start_first(monkeypatch):
    started = []

    def records(framework, job, running, on_progress):
        started.append(framework.name)
        return [framework.name]

    monkeypatch.setattr("paramproof.workers.pool._records", records)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    quick, slow = (Framework(n, n, ("numpy",), slow=n == "slow") for n in ("quick", "slow"))
    assert run_in_workers([quick, slow], Prove()) == ["quick", "slow"]
    assert started == ["slow", "quick"]
