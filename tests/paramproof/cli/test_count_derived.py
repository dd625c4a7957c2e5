"""``count`` for a derived formula: kinds of layers, letters, undecidable conventions."""

import io
from dataclasses import replace

import pytest
from rich.console import Console

from paramproof.cli.side_by_side import tables_side_by_side
from paramproof.resolver import Model, resolve
from paramproof.views.conventions import as_counted, conventions_table, under_every
from paramproof.views.counted import count_data
from paramproof.views.formula import (
    holds_where,
    in_letters,
    latex_of,
    latex_sum,
    letters_in,
    letters_table,
    tensors_table,
    terms,
    terms_table,
)
from paramproof.views.terminal import print_table
from paramproof.views.tree import MOST_ROWS, ties, tree, tree_table
from tests.derivations import MIXTURE, NUMBER, D, E, F, H, L, V, tensor, with_tensors

MODEL = Model(name="mixture.json", architecture=MIXTURE)
NAMED = MODEL.inventory()


def lines_of(*tables, width=1000):
    """Return the lines of tables without their notes, with one space between cells."""
    out = Console(width=width, file=io.StringIO())
    for table in tables:
        print_table(out, replace(table, notes=()))
    return [" ".join(line.split()) for line in out.file.getvalue().splitlines() if line.strip()]


def test_tree():
    rows = [(row.path, row.times, row.each) for row in tree(NAMED) if row.tensor is None]
    inside = 16 * 8
    assert rows == [
        ("model.embed_tokens", 1, 400),
        ("model.embed_positions", 1, 0),
        ("model.layers", 1, NUMBER - 424),
        ("model.layers.*", 5, 80),
        ("model.layers.*.norm", 5, 8),
        ("model.layers.*.attention", 5, 72),
        ("model.layers.*", 2, inside),
        ("model.layers.*.mlp", 2, inside),
        ("model.layers.*", 12, inside),
        ("model.layers.*.mlp", 12, inside),
        ("model.layers.*.mlp.experts", 12, inside),
        ("model.layers.*.mlp.experts.*", 12, inside),
        ("model.layers.*", 3, 32),
        ("model.layers.*.mlp", 3, 32),
        ("model.layers.*.mlp.router", 3, 32),
        ("model.head", 1, 0),
        ("score", 1, 24),
    ]
    leaves = [row.total for row in tree(NAMED) if row.tensor]
    assert sum(leaves) == NUMBER


def test_table():
    lines = lines_of(tree_table(NAMED))
    assert [line for line in lines if line.startswith(("each of", "*"))] == [
        "each of 5 80 400 14.75 %",
        "each of 2 128 256 9.44 %",
        "each of 12 128 1,536 56.64 %",
        "* 128 1,536 56.64 %",
        "each of 3 32 96 3.54 %",
    ]
    assert lines[-1] == f"total {NUMBER:,} 100.00 %"
    assert "weight (9, 8) fixed 0" in lines
    assert ties(NAMED) == ["model.head.weight is model.embed_tokens.weight"]


def test_absent_components_have_no_row():
    sizes = {**MIXTURE.sizes, "D": 5}
    lines = lines_of(tree_table(MIXTURE.inventory(sizes)))
    assert not any("experts" in line or "each of 0" in line for line in lines)
    assert lines_of(tree_table(NAMED, depth=1))[2:] == [
        "model.embed_tokens 400 14.75 %",
        "model.embed_positions 0 0.00 %",
        "model.layers 2,288 84.37 %",
        "model.head 0 0.00 %",
        "score 24 0.88 %",
        "total 2,712 100.00 %",
    ]


def test_a_tree_with_many_rows_has_fewer_levels():
    """Unless --depth is given: a tree with a row for each of many experts is unreadable."""
    experts = [tensor(f"mlp.expert_{number}.weight", H) for number in range(MOST_ROWS)]
    named = with_tensors(tensor("norm.weight", H), *experts).inventory(MIXTURE.sizes)
    every = 2 * MOST_ROWS + 3
    table = tree_table(named)
    norm, mlp, total = lines_of(table)[2:]
    assert norm == "norm 8 0.25 %"
    assert mlp == f"mlp {8 * MOST_ROWS:,} 99.75 %"
    assert total == f"total {8 * MOST_ROWS + 8:,} 100.00 %"
    assert table.notes == (f"shown to --depth 1; --depth 3 shows all {every:,} rows",)
    assert len(lines_of(tree_table(named, depth=3))) == every + 3
    at_most = with_tensors(*experts[: MOST_ROWS // 2 - 1]).inventory(MIXTURE.sizes)
    assert len(lines_of(tree_table(at_most))) == MOST_ROWS - 1 + 3


def test_side_by_side_a_tree_with_many_rows_has_fewer_levels():
    """All models are shown to the depth of the one with the most rows."""
    experts = [tensor(f"mlp.expert_{number}.weight", H) for number in range(MOST_ROWS)]
    shared = tensor("model.layers.*.norm.weight", H, times=L)
    other = Model(name="other.json", architecture=with_tensors(shared, *experts))
    every = lines_of(*tables_side_by_side([MODEL, other], 3, "", width=200))
    number = 2 * MOST_ROWS + 5
    assert sum("expert_" in line for line in every) == MOST_ROWS
    for models in ([MODEL, other], [other, MODEL]):
        tables = [*tables_side_by_side(models, None, "", width=200)]
        assert tables[-1].notes == (f"shown to --depth 1, of {number:,} rows",)
        few = lines_of(*tables)
        assert any(line.startswith("mlp ") for line in few)
        assert not any("expert_" in line or line.startswith("attention") for line in few)
    assert any(
        line.startswith("attention")
        for line in lines_of(*tables_side_by_side([MODEL] * 2, None, "", width=200))
    )


def test_two_tensors_of_one_path():
    """In a stack of unlike layers, both have a row, and both are counted."""
    unlike = (tensor("h.*.weight", H, H), tensor("h.*.weight", 3, H), tensor("h.*.bias", 3))
    named = with_tensors(*unlike).inventory(MIXTURE.sizes)
    shapes = [row.tensor.shape for row in tree(named) if row.tensor]
    assert shapes == [(8, 8), (3, 8), (3,)]
    assert sum(row.total for row in tree(named) if row.tensor) == named.total() == 64 + 24 + 3


def test_nothing_trainable():
    """A model without trainable parameters has no shares: the total of 0 is not 100 %."""
    frozen = with_tensors(tensor("a.weight", H, role="frozen"))
    assert lines_of(tree_table(frozen.inventory(MIXTURE.sizes)))[-1] == "total 0"
    assert lines_of(tensors_table(frozen))[-1] == "total 0"


def test_unprintable_names():
    named = with_tensors(tensor("a\x1b[2J.weight", H, H, aliases=("b\n",))).inventory(MIXTURE.sizes)
    table = tree_table(named)
    lines = "".join([*lines_of(table), *table.notes])
    assert "\x1b" not in lines
    assert "\n" not in lines
    assert "a\\x1b[2J" in lines


def test_letters():
    model = in_letters(MODEL)
    found = {(term.path, term.times): term.each for term in terms(model.named)}
    assert found == {
        ("model.embed_tokens", 1): V * H,
        ("model.embed_positions", 1): 0,
        ("model.layers.*.norm", L): H,
        ("model.layers.*.attention", L): H**2 + H,
        ("model.layers.*.mlp", D): F * H,
        ("model.layers.*.mlp", E * (L - D)): F * H,
        ("model.layers.*.mlp", L - D): E * H,
        ("model.head", 1): 0,
        ("score", 1): MIXTURE.tensors[-1].size,
    }
    assert sum(term.times * term.each for term in terms(model.named)) == MIXTURE.formula


def test_terms_of_layers_in_layers():
    """The parts of each layer, as in T5's blocks; experts alone form one term."""
    names = ("h.*.layer.*.attention", "h.*.layer.*.norm")
    nested = with_tensors(*(tensor(f"{name}.weight", H, H, times=L) for name in names))
    assert [term.path for term in terms(nested.inventory())] == list(names)


def test_symbolic():
    lines = lines_of(terms_table(in_letters(MODEL)).only("component", "each", "times", "total"))
    assert "model.layers.*.mlp H·E × (L − D) 96" in lines
    assert "model.head 0: tied to model.embed_tokens.weight 0" in lines
    assert "model.embed_positions 0: not trainable 0" in lines
    assert lines[-1].startswith("total ")
    assert lines[-1].endswith(f" {NUMBER:,}")
    assert letters_in(MODEL) == tuple(MIXTURE.sizes)
    assert list(holds_where(MODEL)) == ["holds where A divides H"]


def test_the_table_of_letters():
    """The letters of the formula and of its conditions, which A alone occurs in."""
    assert letters_in(MODEL, H * V) == ("V", "H", "A")
    lines = lines_of(letters_table(MIXTURE, letters_in(MODEL, H * V)))
    assert lines[0] == "letter size field"
    assert lines[2:] == ["V 50 vocab_size", "H 8 hidden_size", "A 2 heads"]
    noted = lines_of(letters_table(MIXTURE, ["V", "H"], {"V": "never read", "H": ""}.__getitem__))
    assert noted[2:] == ["V 50 vocab_size never read", "H 8 hidden_size"]


def test_latex():
    lines = latex_of(in_letters(MODEL)).splitlines()
    assert lines[0] == r"\begin{align*}"
    assert r"L \left(H^{2} + H\right) && \text{model.layers.*.attention} \\" in lines[3]
    assert r"\text{model.embed\_tokens}" in lines[1]
    odd = with_tensors(tensor("a_%$.weight", H, H)).inventory()
    assert r"\text{a\_\%\$}" in latex_sum(terms(odd), odd.total())


def test_beside():
    """Sizes under a family's letters, others under their fields; kinds and groups add up."""
    family = resolve("bert-tiny")
    lines = lines_of(*tables_side_by_side([MODEL, family], 3, "", 1000))
    assert "V 50 30,522 +30,472" in lines
    assert "experts 4 - -" in lines
    assert not any(line.startswith("E ") for line in lines)
    assert f"layers {NUMBER - 424:,} 396,544 +{396_544 - NUMBER + 424:,}" in lines
    assert "heads 24 - −24" in lines
    (mlp,) = (
        line
        for line in lines_of(*tables_side_by_side([MODEL, MODEL], 4, "", 1000))
        if "mlp" in line
    )
    assert mlp == "mlp 1,888 1,888 0"


def test_json():
    found = count_data(MODEL, NAMED)
    assert (found["class"], found["status"], found["total"]) == (MIXTURE.name, "proved", NUMBER)
    assert found["conditions"] == ["A divides H"]
    assert found["letters"] == MIXTURE.sizes
    assert found["fields"]["E"] == "experts"
    assert found["buffers"] == ["model.rotary", "model.ids of (9)"]
    assert found["conventions"]["without-biases"] == NUMBER - 40
    each = [(c["each"], c["times"]) for c in found["components"] if c["path"] == "model.layers.*"]
    assert each == [(80, 5), (128, 2), (128, 12), (32, 3)]
    tied = [t for t in found["tensors"] if t["tied_to"]]
    assert [(t["path"], t["tied_to"]) for t in tied] == [
        ("model.head.weight", "model.embed_tokens.weight")
    ]


def test_undecidable_conventions():
    named = with_tensors(*MIXTURE.tensors, tensor("mask_emb", 1, H)).inventory(MIXTURE.sizes)
    assert under_every(named)["embeddings-only"] is None
    assert under_every(named)["norms-only"] == 40
    table = conventions_table(named)
    names = "without-embeddings, without-positions, without-heads, embeddings-only undecided"
    assert names in lines_of(table)
    reasons = [line for line in table.notes if "cannot be decided" in line]
    assert [line.split()[0] for line in reasons] == [
        "without-embeddings",
        "without-positions",
        "without-heads",
        "embeddings-only",
    ]
    with pytest.raises(
        ValueError, match="without-heads cannot be decided: mask_emb may or may not be part of a"
    ):
        as_counted(named, ["without-heads"])
