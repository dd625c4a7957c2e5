"""``paramproof count --active``: total and active, under three conventions, in letters, as JSON."""

import json
import re
from dataclasses import replace

import pytest

import paramproof
from paramproof.formulas.expression import letter
from paramproof.formulas.models import named_configurations
from paramproof.pages.facts import active_of, facts
from paramproof.pages.viewing import View
from paramproof.resolver import Model
from paramproof.views.active import (
    active_as_json,
    active_in_letters,
    active_table,
    routing,
    shown_first,
    total_and_active,
    verdict_on_active,
)
from paramproof.views.counted import count_data
from paramproof.views.published import published_table
from tests.derivations import MIXTURE, NUMBER, E, H, V, tensor
from tests.printed import rows

ROUTED = Model(
    name="mixture.json",
    architecture=replace(
        MIXTURE,
        sizes={**MIXTURE.sizes, "nept": 1},
        fields={**MIXTURE.fields, "nept": "experts_per_token"},
    ),
)
"""A quarter of the parameters of four experts."""

ACTIVE = NUMBER - 3 * 3 * 16 * 8


def config(**keys):
    """Write Mixtral's type and class, at small sizes."""
    small = {"num_hidden_layers": 3, "num_local_experts": 5, "num_experts_per_tok": 2}
    named = {"model_type": "mixtral", "architectures": ["MixtralForCausalLM"]}
    return json.dumps({**named, **small, **keys})


def test_total_and_active():
    """Tokens have one table; no tensor but the score is called a head."""
    found = total_and_active(ROUTED)
    assert [(one.total, one.active) for one in found.values()] == [
        (NUMBER, ACTIVE),
        (NUMBER - 400, ACTIVE - 400),
        (NUMBER - 400 - 24, ACTIVE - 400 - 24),
    ]
    assert active_in_letters(ROUTED).named.total().evaluate(ROUTED.architecture.sizes) == ACTIVE


def test_undecidable_conventions():
    """Whether the one tensor is a head is unknown; the first convention still gives a count."""
    one = replace(ROUTED.architecture, tensors=(tensor("what.weight", V, H),))
    model = replace(ROUTED, architecture=one)
    assert [found and found.total for found in total_and_active(model).values()] == [
        400,
        None,
        None,
    ]
    assert active_as_json(model)["conventions"]["neither"] is None
    assert [row.cells for row in active_table(total_and_active(model)).rows] == [
        ("embedding-and-head", 400, 400, 100),
        ("head-only", "undecided", None, None),
        ("neither", "undecided", None, None),
    ]


def test_mixtral(paramproof):
    done = paramproof("count", "mixtral-8x7b", "--active")
    assert (done.returncode, done.stderr) == (0, "")
    found = rows(done.stdout)
    assert found["embedding-and-head"] == ["46,702,792,704", "12,879,925,248", "27.58 %"]
    assert found["head-only"] == ["46,571,720,704", "12,748,853,248", "27.37 %"]
    assert found["neither"] == ["46,440,648,704", "12,617,781,248", "27.17 %"]
    lines = done.stdout.splitlines()
    assert "a token passes 2 of 8 experts (num_experts_per_tok of num_local_experts)" in lines
    said = "rounded to 3 significant digits: embedding-and-head"
    assert f"published as active, 12.9B: {said}" in lines
    assert "published as active: 12.9B (Mistral AI, Mixtral of experts, mistral.ai/news/" in (
        done.stdout
    )


NAMED = [name for name, one in named_configurations().items() if one.active]


@pytest.mark.parametrize("name", NAMED)
def test_the_published_number_decides_which_convention_comes_first(name):
    """On the command, in JSON, in Python, on the page and in the table of named models."""
    count = paramproof.count(name)
    counts = total_and_active(count.model)
    said = verdict_on_active(count.model.named.active, counts)
    first, found = shown_first(counts)
    assert first == (said.conventions or ("embedding-and-head",))[0]
    assert active_table(counts).rows[0].cells[:3] == (first, *found[:2])
    assert count.to_dict()["active"]["convention"] == first
    assert [*count.active_by_convention] == [*counts]
    assert count.active == counts["embedding-and-head"].active
    page = facts(View(count.model), active_of(count.model), "bfloat16")
    assert f'<span id="active">{found.active:,}</span>' in page
    assert f", {first}</small>" in page
    ((cell,),) = (
        row.cells for row in published_table([(count.model.named, count.model)], "active").rows
    )
    assert cell == found.active


def test_a_convention_other_than_the_default_comes_first(paramproof):
    done = paramproof("count", "deepseek-v3", "--active", "--dtype", "bf16")
    assert [line.split()[0] for line in done.stdout.splitlines() if line.endswith(" %")] == [
        "head-only",
        "embedding-and-head",
        "neither",
    ]
    assert "published as active, 37B: rounded to 2 significant digits: head-only" in done.stdout
    assert "active, head-only: bfloat16, 2 bytes each: 73,251,207,168 bytes" in done.stdout


def test_in_letters(paramproof):
    """k experts take the place of E; the router keeps a row for each of the E."""
    stdout = paramproof("count", "mixtral-8x7b", "--active", "--symbolic").stdout
    found = rows(stdout)
    assert found["model.layers.*.mlp"] == ["H·(3·F·nept + E)", "× L", "11,275,337,728"]
    assert found["total"][-1] == "12,879,925,248"
    assert re.search(r"\n nept +2  num_experts_per_tok\n E +8  num_local_experts\n", stdout)


def test_as_json(paramproof):
    text = paramproof("count", "qwen3-30b-a3b", "bert-base", "--active", "--json").stdout
    qwen, bert = (model["active"] for model in json.loads(text)["models"])
    assert qwen["experts"] == [
        {
            "letter": "E",
            "field": "num_experts",
            "experts": 128,
            "per_token_letter": "nept",
            "per_token_field": "num_experts_per_tok",
            "per_token": 8,
        }
    ]
    assert {name: (one["total"], one["active"]) for name, one in qwen["conventions"].items()} == {
        "embedding-and-head": (30_532_122_624, 3_353_032_704),
        "head-only": (30_220_957_696, 3_041_867_776),
        "neither": (29_909_792_768, 2_730_702_848),
    }
    assert "nept" in qwen["conventions"]["neither"]["formula"]
    assert bert["experts"] == []
    assert {(one["total"], one["active"]) for one in bert["conventions"].values()} == {
        (109_482_240, 109_482_240),
        (85_646_592, 85_646_592),
    }
    assert "active" not in count_data(ROUTED, ROUTED.inventory())


@pytest.mark.parametrize("name", ["gpt2", "qwen3-8b"])
def test_without_experts(paramproof, name):
    """From a family, and from the catalogue."""
    done = paramproof("count", name, "--active")
    assert "no experts: all parameters are active" in done.stdout.splitlines()
    assert {row[-1] for row in rows(done.stdout).values() if row[-1:] and "%" in row[-1]} == {
        "100.00 %"
    }


def test_several_models(paramproof):
    stdout = paramproof("count", "deepseek-v3", config(), "--active").stdout
    assert stdout.count("a token passes") == 2
    assert "37,552,282,624" in stdout
    assert stdout.count("published as active, ") == 1
    assert "(num_experts_per_tok of n_routed_experts)" in stdout


def test_routing_of_two_towers():
    sizes = {**ROUTED.architecture.sizes, "e": 6, "u": 2}
    fields = {**ROUTED.architecture.fields, "E": "a.num_experts", "nept": "a.top_k"}
    fields |= {"e": "b.num_experts", "u": "b.top_k"}
    tensors = (
        tensor("a.experts.w", E, V, H),
        tensor("b.experts.w", letter("e"), V, H),
    )
    both = replace(ROUTED.architecture, sizes=sizes, fields=fields, tensors=tensors)
    assert [*routing(replace(ROUTED, architecture=both))] == [
        "a token passes 1 of 4 experts (a.top_k of a.num_experts)",
        "a token passes 2 of 6 experts (b.top_k of b.num_experts)",
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            (config(num_experts_per_tok=6),),
            "num_experts_per_tok=6 is more than num_local_experts=5",
        ),
        (('{"model_type": "longcat_flash"}',), "that have no parameters (zero_expert_num)"),
        (
            ('{"model_type": "deepseek_v2"}',),
            "n_routed_experts=64, but no field, such as num_experts_per_tok, is the number of",
        ),
        (("gpt2", "--depth", "2"), "--active cannot be combined with --depth"),
        (("gpt2", "--latex"), "--latex cannot be combined with --active"),
    ],
)
def test_refused(refused, arguments, words):
    assert words in refused("count", *arguments, "--active")
