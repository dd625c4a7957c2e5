"""The Python API: what other programs can depend on."""

import json
import subprocess
import sys
import warnings
from dataclasses import replace

import pytest

import paramproof
from paramproof import ConfigWarning, count, derive, diff, explain
from paramproof.bulk import count_line
from paramproof.formulas.errors import InvalidInput
from paramproof.formulas.expression import text
from paramproof.formulas.models import named_configurations, named_model, named_models
from tests.configs import LLAMA
from tests.derivations import MIXTURE
from tests.json_schema import assert_document
from tests.notation import value

BIASED = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "attention_bias": True}


def test_a_spec_and_a_derivation_are_models():
    spec = named_model("bert-base").spec
    assert paramproof.count(spec).total == paramproof.count("bert-base").total
    assert paramproof.diff(spec, "bert-large").total.difference == 335_141_888 - 109_482_240
    assert paramproof.count(MIXTURE).total == MIXTURE.count(MIXTURE.sizes)
    assert paramproof.count(MIXTURE).formula == text(MIXTURE.formula)


@pytest.mark.shared("238 named models")
@pytest.mark.parametrize("source", [*named_models(), *named_configurations(), LLAMA, BIASED])
def test_formula_components_and_tensors_give_the_total(source):
    """And its document, which conforms to the schema, has this formula and total."""
    count = paramproof.count(source)
    data = count.to_dict()
    assert_document(data, "count")
    assert (data["total"], data["formula"]) == (count.total, count.formula)
    assert value(count.formula, count.letters) == count.total
    assert sum(count.by_component().values()) == count.total
    own = [one for one in count.tensors if one.trainable and not one.tied_to]
    assert sum(one.size * one.repeat for one in own) == count.total


def test_a_configuration_with_a_proved_formula():
    count = paramproof.count(BIASED)
    assert count.total == 6_738_939_904
    assert (count.status, count.conditions) == ("proved", ("A divides H", "2 divides ⌊H/A⌋"))
    assert count.reading.assumed["hidden_size"] == 4096


def test_bytes_at_the_dtype_of_the_configuration():
    count = paramproof.count(LLAMA)
    assert count.reading.dtype == "bfloat16"
    assert count.bytes() == count.bytes("bfloat16") == 2 * count.total
    assert paramproof.count("bert-base").bytes() == 4 * 109_482_240
    with pytest.raises(ValueError, match="float7"):
        count.bytes("float7")


def test_conventions_combine():
    count = paramproof.count("bert-base")
    assert count.under() == count.total
    assert count.under("without-embeddings") == 85_646_592
    assert count.under("without-embeddings", "without-pooler") == 85_646_592 - 590_592
    with pytest.raises(ValueError, match="without-everything"):
        count.under("without-everything")


def test_a_count_is_a_model():
    """What ``count`` returns can be compared and explained, unless its weights were counted."""
    first, other = paramproof.count("bert-base"), paramproof.count("bert-large")
    assert diff(first, other).to_dict() == diff("bert-base", "bert-large").to_dict()
    number = first.total
    assert explain(number, first).to_dict() == explain(number, "bert-base").to_dict()
    with pytest.raises(InvalidInput, match="a count has its class already"):
        explain(number, first, "BertModel")


@pytest.mark.parametrize("call", ["count('bert-base')", "count('deepseek-v3').active"])
def test_only_the_standard_library_is_imported(call):
    program = (
        "import sys; before = set(sys.modules); import paramproof; "
        f"paramproof.{call}; "
        "new = {name.partition('.')[0] for name in set(sys.modules) - before}; "
        "print(*sorted(new - set(sys.stdlib_module_names)))"
    )
    # Without start-up files in site-packages, which may import anything.
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["paramproof"]


ASSUMED = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "my_layers": 2}


def test_what_was_assumed_and_ignored_is_said_alike_everywhere(paramproof, tmp_path):
    """By a warning at the caller's line, by the command, in repr and in JSON."""
    file = tmp_path / "config.json"
    file.write_text(json.dumps(ASSUMED))
    found = count(file)
    said = found.to_dict()["notes"]
    assumed, ignored = said
    assert "intermediate_size = 11008" in assumed
    assert ignored.endswith(": my_layers")
    for call in (count, lambda source: diff("llama", source), lambda one: explain(7, one)):
        with pytest.warns(ConfigWarning) as caught:
            call(file)
        assert [str(one.message) for one in caught] == [f"{found.name}: {one}" for one in said]
        assert {one.filename for one in caught} == {__file__}
    assert list(found.notes) == said
    assert all(one in repr(found) for one in said)
    assert count_line(1, json.dumps(ASSUMED).encode())["notes"] == said
    for output in ((), ("--json",)):
        done = paramproof("count", "config.json", *output)
        assert [done.stderr.count(one) for one in said] == [1, 1]
        assert "Warning" not in done.stderr
        assert ("notes" in done.stdout) == bool(output)


@pytest.mark.parametrize("source", ["clip-vit-b-32", "llama", "LlamaForCausalLM", LLAMA])
def test_a_model_that_leaves_nothing_open_warns_of_nothing(source):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert count(source).notes == ()


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 10**400])
def test_a_time_limit_that_no_timer_has_is_refused(seconds):
    said = r"^seconds is .*: it must be above 0 and at most 1,000,000,000$"
    with pytest.raises(InvalidInput, match=said):
        derive("bert", seconds=seconds)


def test_keys_that_are_not_derived_are_named_by_their_type():
    with pytest.raises(ValueError, match=r"^bert: "):
        derive({"model_type": "bert"}, seconds=0.001)


PRINTED = {
    "count": lambda: count("bert-base"),
    "count of a file": lambda: count(BIASED),
    "difference": lambda: diff("llama", "qwen3"),
    "explanations": lambda: explain("110M"),
    "no explanation": lambda: explain(123_456_789, "gpt2"),
    "published": lambda: explain("125,237,760"),
}


@pytest.mark.filterwarnings("ignore::paramproof.formulas.errors.ConfigWarning")
@pytest.mark.parametrize("what", PRINTED)
def test_what_an_answer_prints(what, snapshot):
    found = PRINTED[what]()
    assert repr(found) == snapshot
    assert found._repr_html_().replace("><", ">\n<") == snapshot


def test_a_table_of_a_notebook_escapes_what_is_foreign():
    assert "<b>" not in replace(diff("llama", "qwen3"), first="<b>")._repr_html_()
    many = explain("110M")
    hostile = replace(many, found=(replace(many.found[0], models=("<b>",)),))
    assert "<b>" not in hostile._repr_html_()
