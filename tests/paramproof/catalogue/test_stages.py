"""A file may choose any stages of a backbone, in order, by name or by number."""

from dataclasses import replace

import pytest

from paramproof.catalogue import entry, read_type
from paramproof.catalogue.entries import entry_in
from paramproof.formulas.errors import InvalidInput

CONVNEXT = {"model_type": "convnextv2"}
DINO = {"model_type": "dinov2", "num_hidden_layers": 6}


@pytest.mark.parametrize(
    ("config", "choice"),
    [
        (CONVNEXT, {"out_features": ["stem", "stage3"]}),
        (CONVNEXT, {"out_features": []}),
        (CONVNEXT, {"out_indices": [0, 2, 4]}),
        (CONVNEXT, {"out_indices": [3, -1]}),
        (CONVNEXT, {"out_indices": [1, 4], "out_features": ["stage1", "stage4"]}),
        (DINO, {"out_features": ["stage6"]}),
        (DINO, {"out_features": ["stage2"], "out_indices": [2]}),
    ],
)
def test_a_choice_in_order_is_counted(config, choice):
    assert entry({**config, **choice}).count == entry(config).count


def test_a_backbone_without_the_stages_that_it_has_by_default_is_refused():
    """The class of a backbone with fewer stages still chooses the last of four."""
    file = read_type("hgnet_v2")
    short = replace(file, stages={"": "3"})
    assert entry_in(file, {"model_type": "hgnet_v2"}).count
    with pytest.raises(InvalidInput, match="out_features"):
        entry_in(short, {"model_type": "hgnet_v2"})
    assert entry_in(short, {"model_type": "hgnet_v2", "out_features": ["stage3"]}).count


@pytest.mark.parametrize(
    ("config", "choice", "key"),
    [
        (CONVNEXT, {"out_features": ["stage5"]}, "out_features"),
        (CONVNEXT, {"out_features": ["stage2", "stage1"]}, "out_features"),
        (CONVNEXT, {"out_features": ["stage2", "stage2"]}, "out_features"),
        (CONVNEXT, {"out_features": "stage2"}, "out_features"),
        (CONVNEXT, {"out_indices": [5]}, "out_indices"),
        (CONVNEXT, {"out_indices": [True]}, "out_indices"),
        (CONVNEXT, {"out_indices": [-6]}, "out_indices"),
        (CONVNEXT, {"out_indices": [4, -1]}, "out_indices"),
        (CONVNEXT, {"out_indices": [], "out_features": ["stage4"]}, "out_indices"),
        (DINO, {"out_indices": [7]}, "out_indices"),
        (DINO, {"out_features": ["stage12"]}, "out_features"),
    ],
)
def test_another_choice_is_wrong(config, choice, key):
    with pytest.raises(InvalidInput) as caught:
        entry({**config, **choice})
    assert caught.value.key == key


def test_an_error_names_the_stages():
    with pytest.raises(InvalidInput) as caught:
        entry({**CONVNEXT, "out_indices": [12]})
    assert str(caught.value) == (
        "out_indices=[12] is not possible: it must be a list of stages from 0 … 4, in this order"
    )
    with pytest.raises(InvalidInput, match=r"stage1.* and out_indices=.* differ: give one of them"):
        entry({**CONVNEXT, "out_features": ["stage1"], "out_indices": [2]})
