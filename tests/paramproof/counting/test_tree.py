"""The tree of components: kinds of layers, by how often they are there and by their shapes."""

from paramproof.counting.tree import tree
from paramproof.formulas import Inventory, Tensor


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
    found = rows(
        ("layers.*.q", (4, 2), 1),
        ("layers.*.q", (6, 2), 1),
        ("layers.*.q", (4, 2), 1),
        ("layers.*.norm", (2,), 3),
        ("norm", (2,), 1),
    )
    assert found == [
        ("layers", 34, 1),
        ("layers.*", 8, 2),
        ("layers.*.q", 8, 2),
        ("layers.*", 12, 1),
        ("layers.*.q", 12, 1),
        ("layers.*", 2, 3),
        ("layers.*.norm", 2, 3),
        ("norm", 2, 1),
    ]


def test_stages_of_as_many_blocks_are_apart():
    """As in Swin, whose stages differ in width."""
    found = rows(
        ("stages.*.blocks.*.weight", (2, 2), 2),
        ("stages.*.blocks.*.weight", (4, 4), 2),
        ("stages.*.blocks.*.bias", (2,), 2),
        ("stages.*.blocks.*.bias", (4,), 2),
    )
    assert [one for one in found if one[0] == "stages.*"] == [
        ("stages.*", 6, 2),
        ("stages.*", 20, 2),
    ]


def test_shapes_that_differ_inside_of_a_layer_stay_in_it():
    found = rows(
        ("layers.*.convs.*", (2,), 3),
        ("layers.*.convs.*", (5,), 3),
        ("layers.*.norm", (1,), 3),
    )
    assert found == [
        ("layers", 24, 1),
        ("layers.*", 8, 3),
        ("layers.*.convs", 7, 3),
        ("layers.*.convs.*", 2, 3),
        ("layers.*.convs.*", 5, 3),
        ("layers.*.norm", 1, 3),
    ]
