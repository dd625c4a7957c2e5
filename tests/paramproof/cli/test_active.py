"""``paramproof count --active``: total and active, under three conventions, in letters, as JSON."""

from dataclasses import replace

import pytest

import paramproof
from paramproof.formulas.expression import letter
from paramproof.formulas.models import named_configurations
from paramproof.pages.model import parts
from paramproof.pages.viewing import View
from paramproof.resolver import Model
from paramproof.views.conventions import (
    active_as_json,
    active_in_letters,
    active_table,
    published_table,
    routing,
    shown_first,
    total_and_active,
    verdict_on_active,
)
from tests.derivations import MIXTURE, NUMBER, E, H, V, tensor

SIZES = {**MIXTURE.sizes, "nept": 1}
FIELDS = {**MIXTURE.fields, "nept": "experts_per_token"}
ROUTED = Model(name="mixture.json", architecture=replace(MIXTURE, sizes=SIZES, fields=FIELDS))
"""A quarter of the parameters of four experts."""

ACTIVE = NUMBER - 3 * 3 * 16 * 8


def test_total_and_active():
    """Tokens have one table; no tensor but the score is called a head."""
    found = total_and_active(ROUTED)
    assert [(one.total, one.active) for one in found.values()] == [
        (NUMBER, ACTIVE),
        (NUMBER - 400, ACTIVE - 400),
        (NUMBER - 400 - 24, ACTIVE - 400 - 24),
    ]
    of_token = active_in_letters(ROUTED, "embedding-and-head").total()
    assert of_token.evaluate(ROUTED.architecture.sizes) == ACTIVE


def test_undecidable_conventions():
    """Whether the one tensor is a head is unknown; the first convention still gives a count."""
    one = replace(ROUTED.architecture, tensors=(tensor("what.weight", V, H),))
    model = replace(ROUTED, architecture=one)
    found = total_and_active(model)
    assert [one and one.total for one in found.values()] == [400, None, None]
    assert active_as_json(model)["conventions"]["neither"] is None
    assert [row.cells for row in active_table(found).rows] == [
        ("embedding-and-head", 400, 400, 100),
        ("head-only", "undecided", None, None),
        ("neither", "undecided", None, None),
    ]


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
    page = parts(View(count.model), "bfloat16")["facts"]
    assert f'<span id="active">{found.active:,}</span>' in page
    assert f", {first}</small>" in page
    (row,) = published_table([(count.model.named, count.model)]).only("active").rows
    assert row.cells == (found.active,)


def test_routing_of_two_towers():
    sizes = {**SIZES, "e": 6, "u": 2}
    fields = {**FIELDS, "E": "a.num_experts", "nept": "a.top_k"}
    fields |= {"e": "b.num_experts", "u": "b.top_k"}
    tensors = (tensor("a.experts.w", E, V, H), tensor("b.experts.w", letter("e"), V, H))
    both = replace(ROUTED.architecture, sizes=sizes, fields=fields, tensors=tensors)
    assert [*routing(replace(ROUTED, architecture=both))] == [
        "a token passes 1 of 4 experts (a.top_k of a.num_experts)",
        "a token passes 2 of 6 experts (b.top_k of b.num_experts)",
    ]
