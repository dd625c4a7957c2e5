"""One framework's proof: what makes it fail, and how its findings read."""

from paramproof.builders.registry import Framework
from paramproof.formulas import Weight
from paramproof.proof.prove import prove
from paramproof.running.jobs import Prove
from paramproof.running.pool import run_in_workers
from tests.weight_lists import Lists, added, extra

NOBODYS = Framework("nobodys", "nobodys", ("numpy",))


def test_proved():
    proof = prove(NOBODYS, Lists())
    assert (proof.status, proof.residual, proof.findings) == ("proved", "0", ())
    assert len(proof.parts) == 9
    assert proof.builds == 171 + 8 * 22 + 9 * 2


def test_the_same_total_from_other_tensors():
    """Totals are equal at every size, and the reading still says what is not the formula's."""

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
    unread, *alarms = proof.findings
    assert "axis 0 of embeddings.word_embeddings.weight is not explained: [2048," in unread
    assert alarms
    assert all("a coefficient is no integer" in alarm for alarm in alarms)


def test_seen_by_the_totals_only():
    """Not at the primes: the residual stands alone, with what is as large."""

    def at_nodes(spec):
        return extra("gain", spec.hidden_size) if spec.hidden_size < 50 else None

    proof = prove(NOBODYS, added(at_nodes))
    assert proof.residual == "H"
    (finding,) = proof.findings
    assert finding.startswith("actual − formula = H   as large as embeddings.layer_norm.scale or ")


def test_slow_frameworks_start_first(monkeypatch):
    started = []

    def records(framework, job, running, on_progress):
        started.append(framework.name)
        return [framework.name]

    monkeypatch.setattr("paramproof.running.pool._records", records)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    quick, slow = (Framework(n, n, ("numpy",), slow=n == "slow") for n in ("quick", "slow"))
    assert run_in_workers([quick, slow], Prove()) == ["quick", "slow"]
    assert started == ["slow", "quick"]
