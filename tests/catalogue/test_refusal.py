"""Only transformers refuses. An error of the sweep's own code surfaces."""

import pytest

pytestmark = [
    pytest.mark.framework("transformers"),
    pytest.mark.shared("bugs are planted in eight callers"),
]

transformers = pytest.importorskip("transformers")

from paramproof.catalogue import entry
from paramproof.catalogue.files import read_type
from paramproof.tracing.internal_errors import InternalError
from sweep.entries import kind_lists
from sweep.entries.type_sweep import TypeSweep
from sweep.failure import Reason
from sweep.fields import defaults, field_reads, older_keys
from sweep.fields.older_keys import number_like_absent
from sweep.fields.probe import Prober
from sweep.fields.unread_fields import UnreadFields
from sweep.library import model
from sweep.library.refusal import Attempt, attempt
from sweep.pool import run_in_processes
from sweep.samples import coverage
from tests.planted import plant

BERT = transformers.BertConfig
SMALL = {"hidden_size": 8, "num_attention_heads": 2, "num_hidden_layers": 1, "vocab_size": 33}
REFUSED = {**SMALL, "num_attention_heads": 3}
"""The width is not a multiple of the number of heads."""


UNKNOWN = {"model_type": "bert", "hidden_act": "xielu"}
"""The catalogue does not count this configuration."""


def unread():
    return UnreadFields(read_type("bert"))


def prober():
    return Prober(BERT, transformers.BertModel, BERT(), [SMALL])


def find_mismatch(sizes):
    found = entry({"model_type": "bert", **SMALL})
    return model.find_mismatch(found, BERT, transformers.BertModel, sizes)


def default_of_a_size():
    fields = {"H": "hidden_size", "F": "intermediate_size"}
    return defaults.Defaults(BERT, fields, [{"H": 8, "F": 24}]).when_absent("F")


def lists_of_kinds():
    file, type_sweep = read_type("qwen3_next"), TypeSweep("qwen3_next", lambda _: None, 1)
    return list(kind_lists.KindListFinder(file, type_sweep, transformers.Qwen3NextModel).find())


CALLERS = {
    "the points of a prober": (model, "count_stored", prober),
    "a comparison with the entry": (model, "build", lambda: find_mismatch(SMALL)),
    "what can be built": (coverage, "build", lambda: coverage.judge(coverage.Kind.SAVED, UNKNOWN)),
    "recorded reads": (field_reads, "build", lambda: unread().record("BertModel", SMALL)),
    "normalized keys": (field_reads, "config_of", lambda: list(unread().bases(""))),
    "the default of a size": (defaults, "full_keys", default_of_a_size),
    "an older key": (older_keys, "remove_key", lambda: number_like_absent(prober(), "any")),
    "the kinds in a list": (kind_lists, "build", lists_of_kinds),
}


@pytest.mark.parametrize("bug", ["None.terms", "1 + ''"])
@pytest.mark.parametrize("caller", CALLERS)
def test_a_bug_of_the_sweep_surfaces(monkeypatch, caller, bug):
    module, name, call = CALLERS[caller]
    plant(monkeypatch, module, name, bug)
    file = module.__name__.removeprefix("sweep.")
    with pytest.raises(InternalError, match=rf"an error in paramproof, at sweep/{file}\.py:2: "):
        call()


def test_a_configuration_that_transformers_refuses_is_a_refusal():
    assert prober().outcome({"num_attention_heads": 3}) == "refused"
    assert find_mismatch(REFUSED).is_refusal
    assert unread().record("BertModel", SMALL)
    assert not unread().record("BertModel", REFUSED)
    assert field_reads.normalize(BERT, {"hidden_size": "wide"}) is None
    assert attempt(BERT, hidden_size="wide") is None


def test_an_attempt_has_the_error_of_transformers():
    with Attempt() as tried:
        model.build(transformers.BertModel, BERT(**REFUSED))
    assert "is not a multiple of the number of attention heads" in str(tried.refusal)
    with Attempt() as tried:
        model.build(transformers.BertModel, BERT(**SMALL))
    assert tried.refusal is None


def test_an_error_of_tracing_alone_is_ours(monkeypatch):
    """The configuration is made again from plain sizes, which shows who refuses."""
    from paramproof.tracing.symbolic import arithmetic

    def default():
        fields = {"H": "hidden_size", "E": "expand", "F": "intermediate_size"}
        found = defaults.Defaults(transformers.MambaConfig, fields, [{"H": 8, "E": 3, "F": 24}])
        return found.formula_of("intermediate_size")

    assert default() is not None
    plant(monkeypatch, arithmetic, "_int_result", "None.terms")
    with pytest.raises(InternalError, match=r"symbolic/arithmetic\.py:2: AttributeError"):
        default()


def fail(model_type, seconds, result):
    result["failed"] = {}
    if model_type == "bert":
        raise InternalError("planted")
    model.build(transformers.BertModel, BERT(**REFUSED))


def test_the_pool_raises_an_error_of_our_own():
    ((name, result, _),) = run_in_processes(["gpt2"], fail, 60, 1)
    assert result["failed"][name].reason is Reason.ERROR
    with pytest.raises(InternalError, match=r"bert: Traceback[^$]*planted"):
        list(run_in_processes(["bert"], fail, 60, 1))
