"""Parts in one array, one array with several names, and arrays that are not trained."""

from dataclasses import replace

import numpy as np
import pytest

from paramproof import compare
from tests.paramproof.matching.models import model, shapes
from tests.specs import LIVE_ENCODER as SPEC
from tests.specs import SPECS
from tests.work import calls_of

LLAMA = replace(SPECS["llama"], intermediate_size=7, vocab_size=29)
H, F = LLAMA.hidden_size, LLAMA.intermediate_size


def gate_and_up(*fused):
    """Return a LLaMA's tensors, with gate and up of each layer in arrays of these shapes."""
    tensors = {
        path: shape for path, shape in shapes(LLAMA).items() if "feed_forward.up" not in path
    }
    return {path: fused if "feed_forward.gate" in path else s for path, s in tensors.items()}


FORMS = [(H, 2 * F), (2 * F, H), (2, H, F), (H, 2, F), (2, F, H)]


@pytest.mark.parametrize("form", FORMS)
def test_gate_and_up_may_be_fused(form):
    report = compare(model(gate_and_up(*form)), LLAMA)
    assert report.equal, report.render()


def test_gate_and_up_of_another_width():
    report = compare(model(gate_and_up(H, 2 * F + 1)), LLAMA)
    assert (report.equal, report.difference) == (False, 2 * H)


def test_gate_and_up_fused_in_some_layers_only_is_a_difference():
    tensors = gate_and_up(H, 2 * F)
    own = {path: shape for path, shape in shapes(LLAMA).items() if path.startswith("layers.1.")}
    report = compare(model(tensors | own), LLAMA)
    assert (report.equal, report.difference) == (False, 0)


def test_queries_gates_and_layers_may_share_one_array():
    tensors = {path: shape for path, shape in shapes(LLAMA).items() if "layers." not in path}
    stacked = {
        "qkv": (2, H, 24 + 2 * 12),
        "o": (2, 24, H),
        "gate_up": (2, 2 * F, H),
        "down": (2, F, H),
        **{f"norm.{number}": (2, H) for number in range(2)},
    }
    report = compare(model(tensors | stacked), LLAMA)
    assert report.equal, report.render()


def test_all_names_of_a_storage_are_printed():
    spec = replace(SPEC, mlm_head=True)
    variables = model(shapes(spec))
    (name, table), *_ = (w for w in variables["params"].items() if w[1].shape == (31, 12))
    lines = compare(variables, spec).render().splitlines()
    assert not any("one storage" in line for line in lines)
    variables["params"] |= {f"tied{number}": table for number in range(5)}
    report = compare(variables, spec)
    assert report.equal
    assert report.render().splitlines()[3:] == [
        f"one storage, counted once: params/{name}, params/tied0, params/tied1, params/tied2 "
        "and 2 more",
        "tensors matched by shape",
        "every tensor is as the formula says",
    ]


def test_not_every_shared_storage_is_printed():
    arrays = {f"w{n}": array for n, array in enumerate(model(shapes())["params"].values())}
    twice = {f"\x1b{name}": array for name, array in arrays.items()}
    lines = compare({"params": arrays | twice}, SPEC).render().splitlines()
    assert sum(line.startswith("one storage") for line in lines) == 10
    assert f"and {len(arrays) - 10} more" in lines
    assert all(line.isprintable() for line in lines)


def frozen(variables):
    return {"params": {}, "frozen": variables["params"]}


def test_an_entirely_frozen_model_is_not_equal():
    report = compare(frozen(model(shapes())), SPEC)
    assert (report.equal, report.actual, report.frozen) == (False, 0, report.formula)
    _, totals, said, *_ = report.render().splitlines()
    assert totals == f"actual 0 − formula {report.formula:,} = −{report.formula:,}"
    assert said == (
        f"not trainable: {report.formula:,}, which are all parameters; the formula counts "
        "trainable ones: unfreeze the model first (requires_grad_(True) in PyTorch, "
        "trainable = True in Keras, unfreeze() in MLX)"
    )
    assert [(row.kind, row.note) for row in report.rows] == [
        ("wrong trainability", "frozen")
    ] * len(shapes())


def test_equality_needs_counterparts_and_totals():
    """A frozen tensor is not a counterpart, whatever the totals; and totals matter, too."""
    one = compare(frozen(model(shapes())), SPEC)
    assert not replace(one, actual=one.formula, frozen=0).equal
    one = compare(model(shapes()), SPEC)
    assert replace(one, actual=one.formula, frozen=0).equal
    assert not replace(one, actual=one.formula - 1, frozen=0).equal


def test_a_partly_trainable_model_is_not_called_frozen():
    variables = frozen(model(shapes())) | {"params": {"more": np.empty(3)}}
    assert "which are all parameters" not in compare(variables, SPEC).render()


def test_thousands_of_layers():
    """The work grows no faster than the number of layers."""

    def report(layers):
        spec = replace(SPEC, num_hidden_layers=layers)
        return compare(model(shapes()), spec).render()

    assert "1,998 tensors" in report(2_000)
    assert calls_of(lambda: report(2_000)) < 2.2 * calls_of(lambda: report(1_000))
