"""The ledger of published claims: its verdicts are computed, and follow the claimed number."""

from dataclasses import replace

import pytest

from docs.writers.blocks import AGAIN, block
from docs.writers.claims import page
from docs.writers.claims.arithmetic import whole, with_signs_of
from docs.writers.claims.data import Claim, ClaimedFormula, Share, Size, TensorRow, entries, sources
from docs.writers.claims.verdict import verdict

FORMATS = {"exact", "exact under a convention", "refuted"}
EXACT, CONVENTION, REFUTED = "exact", "exact under a convention", "refuted"


def entry(source, where):
    """Return the only entry whose place is, or begins with, ``where``."""
    own = [one for one in entries() if one.source == source and not isinstance(one, TensorRow)]
    found = [one for one in own if one.where == where]
    found = found or [one for one in own if one.where.startswith(where)]
    assert len(found) == 1, [one.where for one in found]
    return found[0]


def claim(model, claimed, **about):
    return Claim(source="000", where="here", model=model, claimed=claimed, **about)


@pytest.mark.parametrize(
    ("source", "where", "kind", "words"),
    [
        ("000", "the first comment", REFUTED, "the arithmetic comes to 110,592 (no explanation)"),
        ("000", "heading of the table of a one-layer", CONVENTION, "the whole model (total)"),
        ("000", "table of bert-base-uncased, total", EXACT, "the whole model"),
        ("000", "table of bert-base-uncased, a layer", EXACT, "one layer of layers"),
        ("000", "heading of the table of bert-base", CONVENTION, "rounded to 2 significant digits"),
        ("000", "heading of the table of bert-large", CONVENTION, "335,141,888, rounded to 2"),
        ("001", "share of the embeddings", CONVENTION, "21.77 %"),
        ("001", "the sizes: feed-forward 3702", REFUTED, "the model would have 121,101,960"),
        ("002", "the question: each attention layer", EXACT, "layers.*.attention in one layer"),
        ("002", "the asker's own guess", REFUTED, "{query,key,value} in one layer, each head as"),
        ("002", "the asker's observation", EXACT, "layers.*.attention in one layer"),
        (
            "002",
            "answer 1, output projection",
            REFUTED,
            "layers.*.attention.output in one layer, each head as",
        ),
        ("002", "answer 1, layer normalisation", EXACT, "layers.*.attention_layer_norm in one"),
        ("002", "answer 2: d_model = 786", REFUTED, "it must be a divisor of hidden_size=786"),
        ("002", "answer 2, the total", EXACT, "layers.*.attention in one layer"),
        ("002", "answer 3, the total", EXACT, "layers.*.attention in one layer"),
        ("003", "a Transformer of N layers", CONVENTION, "embeddings.word_embeddings + layers"),
        ("003", "the shorthand", CONVENTION, "layers (weights-only), at F = 4*H"),
        ("003", "the table, GPT-3: the estimate", CONVENTION, "layers (weights-only)"),
        ("003", "the table, LLaMA 65.2B: its name", CONVENTION, "cut off after the last digit"),
        (
            "003",
            "the table, LLaMA 6.7B: the estimate",
            REFUTED,
            "the usual estimate of the matrices",
        ),
        ("004", "BERT, the total", REFUTED, "the arithmetic comes to 108,890,112"),
        ("004", "ERNIE, the total", REFUTED, "(of bert-base-chinese)"),
    ],
)
def test_verdicts(source, where, kind, words):
    found = verdict(entry(source, where))
    assert found.kind == kind
    assert words in found.what


@pytest.mark.parametrize(
    ("source", "where", "residual", "component", "correct"),
    [
        ("000", "table of bert-large-uncased, a", "−4,096 = −F", "bias", "12,596,224"),
        ("000", "table of bert-large-uncased, T", "−98,304 = −L·F", "bias", "302,309,376"),
        ("000", "table of bert-large-uncased, t", "−98,304 = −L·F", "bias", "335,141,888"),
        (
            "001",
            "the total: the sum",
            "−673,536 = −L·(5·H + F) − H² − H",
            "layers.*.attention.{query,key,value,output}.bias, "
            "layers.*.feed_forward.{intermediate,output}.bias, pooler",
            "109,482,240",
        ),
        ("001", "the sizes: feed", "+11,619,720 = L·(", "layers.*.feed_forward", "3,072"),
        ("002", "the asker's own", "+18,898,944 = 3·H²·A", "attention.query", "2,362,368"),
        ("002", "answer 1, out", "+6,488,064 = H²·A − H²", "output.kernel", "590,592"),
        ("002", "answer 2: d", "+18 in hidden_size", "hidden_size", "768"),
        ("003", "a Transformer of N", "−P·H − 2·H", "the whole model", ""),
        (
            "003",
            "the table, LLaMA 6.7B: the",
            "= L·(8·H² − 3·H·F)",
            "feed_forward",
            "6,476,005,376",
        ),
        (
            "003",
            "the table, LLaMA 65.2B: the",
            "= L·(8·H² − 3·H·F)",
            "feed_forward",
            "64,760,053,760",
        ),
        ("004", "BERT, the total", "−7,806,720 = −H² − V·H + V'·H − 3·H", "pooler", "109,482,240"),
        (
            "004",
            "ERNIE, the t",
            "+1,809,408 = −H² − V·H + V'·H − P·H + P'·H − 3·H",
            "layer_norm",
            "99,866,112",
        ),
    ],
)
def test_residuals(source, where, residual, component, correct):
    found = verdict(entry(source, where))
    assert residual in found.residual
    assert component in found.component
    assert found.correct == correct


def test_every_number_has_a_verdict():
    for one in entries():
        found = verdict(one)
        assert found.kind in FORMATS
        assert found.what
        if found.kind == REFUTED:
            assert all((found.residual, found.component, found.correct)), one
    assert "unknown" not in page.ledger()


def test_every_source_is_present():
    assert (
        {one.source for one in entries()} == set(sources()) == {"000", "001", "002", "003", "004"}
    )
    rows = [one for one in entries() if isinstance(one, TensorRow)]
    assert len(rows) == 47 + 23 + 23 + 2


@pytest.mark.parametrize(
    ("model", "total"),
    # The rows of one layer represent all layers; the heading of bert-large's table is wrong.
    [
        ("transformer-one-layer", 15_676_928),
        ("bert-base-uncased", 109_482_240),
        ("bert-large-uncased", 335_141_888),
    ],
)
def test_rows_add_up(model, total):
    rows = [one for one in entries() if isinstance(one, TensorRow) and one.source == "000"]
    rows = [one for one in rows if one.model == model]
    layers = getattr(rows[0].spec, "num_hidden_layers", 1)
    times = {True: layers, False: 1}
    assert sum(whole(row.claimed) * times["*" in row.path] for row in rows) == total


@pytest.mark.parametrize(
    "one",
    [one for one in entries() if verdict(one).kind != REFUTED],
    ids=lambda one: f"{one.source} {one.where}"[:50],
)
def test_another_number_gets_another_verdict(one):
    """No verdict is stored: with the number off by one, an exact claim is no longer exact."""
    if isinstance(one, ClaimedFormula) and not one.claimed:
        wrong = replace(one, letters=f"{one.letters} + 1")
    elif isinstance(one, TensorRow):
        wrong = replace(one, claimed=f"{one.claimed} + 1")
    elif isinstance(one, Share):
        wrong = replace(one, claimed=str(int(one.claimed) + 30))
    elif one.claimed.replace(",", "").isdigit():
        wrong = replace(one, claimed=str(int(one.claimed.replace(",", "")) + 1))
    elif not one.claimed:
        wrong = replace(one, printed=f"{one.printed} + 1")
    else:
        wrong = replace(one, claimed=f"9{one.claimed}")
    assert verdict(wrong).kind == REFUTED


def test_another_shape_is_refuted():
    row = next(one for one in entries() if isinstance(one, TensorRow) and len(one.shape) == 2)
    assert verdict(row).kind == EXACT
    assert verdict(replace(row, shape=(*row.shape, 2))).kind == REFUTED
    assert verdict(replace(row, shape=row.shape[::-1])).kind == EXACT


def test_a_convention_excuses_nothing_if_every_tensor_is_listed():
    number, layer = "12,592,128", {"of": ("layers.*",)}
    assert verdict(claim("bert-large-uncased", number, **layer)).kind == CONVENTION
    assert verdict(claim("bert-large-uncased", number, **layer, complete=True)).kind == REFUTED


def test_the_missing_components_are_named():
    assert verdict(entry("001", "the total: the sum")).component == (
        "layers.*.attention.{query,key,value,output}.bias, "
        "layers.*.feed_forward.{intermediate,output}.bias, pooler"
    )


def test_two_conventions_excuse_nothing():
    """With fixed positions and without norms: each would pass, but together they are wrong."""
    model, norms = "transformer-one-layer", 10 * 512
    assert verdict(claim(model, "10,152,448")).kind == CONVENTION
    assert verdict(claim(model, str(10_118_656 - norms))).kind == CONVENTION
    found = verdict(claim(model, str(10_152_448 - norms)))
    assert found.kind == REFUTED
    assert found.what == "no explanation"


def test_a_convention_that_the_text_names_is_binding():
    norms = claim("bert-base-uncased", "38,400", counts=("norms-only",))
    assert verdict(norms).kind == CONVENTION
    assert verdict(replace(norms, claimed="109,482,240")).kind == REFUTED
    assert verdict(replace(norms, claimed="109,443,840")).kind == REFUTED


def test_an_unexplained_number_is_refuted_by_its_size():
    found = verdict(claim("bert-base-uncased", "109,482,241"))
    assert (found.kind, found.what, found.residual) == (REFUTED, "no explanation", "+1 = 1")
    assert (found.component, found.correct) == ("the whole model", "109,482,240")


def test_a_possible_size_is_counted():
    about = {"source": "000", "where": "here", "model": "bert-base-uncased"}
    found = verdict(Size(**about, field="vocab_size", claimed="30523"))
    assert found.residual == "+768 = −V·H + V'·H"
    assert found.component == "embeddings.word_embeddings"
    assert found.correct == "30,522"


def test_restored_arithmetic_differs_only_in_symbols():
    restored = [one for one in entries() if isinstance(one, Claim) and one.expression]
    assert len(restored) == 2
    for one in restored:
        assert with_signs_of(one.printed, one.expression), one.where
    assert not with_signs_of("(30522+512+2)768", "(30522+512+3)*768")


@pytest.mark.parametrize(
    ("name", "written"),
    [("summary", page.summary), ("refuted", page.refuted), ("ledger", page.ledger)],
)
def test_the_page_agrees_with_the_computation(name, written):
    text = block(name, page.PAGE.read_text("utf-8"))
    assert text.strip() == written().strip(), AGAIN
