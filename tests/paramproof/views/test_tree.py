"""The tree of components: kinds of layers, by how often they are there and by their shapes."""

import pytest

import paramproof
from paramproof.formulas import Inventory, Tensor
from paramproof.pages.viewing import View
from paramproof.resolver import resolve
from paramproof.views.tree import tree


def inventory(*tensors: tuple[str, tuple[int, ...], int]) -> Inventory:
    made = (Tensor(path, shape, "", repeat=repeat) for path, shape, repeat in tensors)
    return Inventory({}, tuple(made))


def rows(*tensors: tuple[str, tuple[int, ...], int]) -> list[tuple[str, int, int]]:
    found = list(tree(inventory(*tensors)))
    total = sum(row.total for row in found if row.tensor)
    assert total == inventory(*tensors).total()
    return [(row.path, row.each, row.times) for row in found]


def test_layers_of_one_shape_are_one_row():
    """As in Laguna, whose list of heads has a size for each layer."""
    queries = [("layers.*.q", (width, 2), 1) for width in (4, 6, 4)]
    assert rows(*queries, ("layers.*.norm", (2,), 3), ("norm", (2,), 1)) == [
        ("layers", 34, 1),
        *[("layers.*", 8, 2), ("layers.*.q", 8, 2)],
        *[("layers.*", 12, 1), ("layers.*.q", 12, 1)],
        *[("layers.*", 2, 3), ("layers.*.norm", 2, 3)],
        ("norm", 2, 1),
    ]


def test_stages_of_as_many_blocks_are_apart():
    """As in Swin, whose stages differ in width."""
    weights = [("stages.*.blocks.*.weight", (width, width), 2) for width in (2, 4)]
    found = rows(*weights, *(("stages.*.blocks.*.bias", (width,), 2) for width in (2, 4)))
    stages = [one for one in found if one[0] == "stages.*"]
    assert stages == [("stages.*", 6, 2), ("stages.*", 20, 2)]


def test_shapes_that_differ_inside_of_a_layer_stay_in_it():
    convolutions = [("layers.*.convs.*", (width,), 3) for width in (2, 5)]
    found = rows(*convolutions, ("layers.*.norm", (1,), 3))
    assert [one[1:] for one in found] == [(24, 1), (8, 3), (7, 3), (2, 3), (5, 3), (1, 3)]


FIRST = {
    "model.emb.w model.layers.*.w lm_head.w": "model.emb model.layers lm_head",
    "bert.emb.w bert.encoder.layer.*.w cls.w": "bert.emb bert.encoder.layer cls",
    "model.encoder.*.w model.decoder.*.w": "model.encoder model.decoder",
    "emb.w layers.*.mlp.experts.*.w": "emb layers",
    "model.emb.w model.h.0.w model.h.1.w": "model.emb model.h",
    "model.w model.head.w": "model",
}


@pytest.mark.parametrize("paths", FIRST)
def test_the_tree_starts_where_the_model_branches(paths):
    """A component that alone has layers is passed over, unless it is the list of layers."""
    found = list(tree(inventory(*((path, (2, 2), 1) for path in paths.split())), depth=1))
    assert [row.path for row in found] == [row.name for row in found] == FIRST[paths].split()
    assert sum(row.total for row in found) == 4 * len(paths.split())


@pytest.mark.parametrize("name", ["qwen3-8b", "deepseek-v3", "gpt2", "t5-small"])
def test_every_view_starts_with_the_same_components(name):
    count = paramproof.count(name)
    by_component = count.by_component()
    assert sum(by_component.values()) == count.total
    assert max(by_component.values()) < 0.999 * count.total
    data = count.to_dict()["components"]
    assert [one["path"] for one in data if one["depth"] == 1] == [*by_component]
    assert all(f"<td>{path}</td>" in count._repr_html_() for path in by_component)
    shown = View(count.model).components.inside
    assert [one.path for one in shown] == [path for path, size in by_component.items() if size]


@pytest.mark.parametrize("name", ["bert-base", "transformer-base", "t5-small"])
def test_tensors_add_up_to_the_model(name):
    """One that is tied, or not trained, adds nothing."""
    named = resolve(name).inventory()
    assert len({(one.trainable, bool(one.tied_to)) for one in named}) > 1
    assert sum(row.total for row in tree(named) if row.tensor) == named.total()
