"""Which names with a number are layers': several models tell, a name alone does not."""

from paramproof.tracing.tensor_groups import (
    ObservedTensor,
    has_numbered_names,
    layer_patterns,
    star_layer_numbers,
)

TWO = ["enc.layer_0.fc1.weight", "enc.layer_1.fc1.weight", "conv1.weight", "conv2.weight"]
THREE = [*TWO, "enc.layer_2.fc1.weight"]


def test_numbers_that_one_size_changes_are_layers():
    assert layer_patterns([TWO, THREE]) == {"enc.layer_*"}
    assert layer_patterns([TWO, TWO]) == frozenset()


def test_a_part_that_only_one_model_has_is_no_layer():
    assert layer_patterns([TWO, [*TWO, "head1.weight"]]) == frozenset()


def test_layers_in_layers():
    def model(stages, blocks):
        return [f"stage{s}.block{b}.fc1.weight" for s in range(stages) for b in range(blocks)]

    patterns = layer_patterns([model(2, 3), model(3, 3), model(2, 4)])
    assert patterns == {"stage*", "stage*.block*"}
    seen = ObservedTensor(
        "stage1.block2.fc1.weight", (3,), "trainable", ("stage0.block0.fc1.weight",)
    )
    (one,) = star_layer_numbers([seen], patterns)
    assert one == seen._replace(
        path="stage*.block*.fc1.weight", aliases=("stage*.block*.fc1.weight",)
    )


def test_layers_of_one_stage_of_several_that_are_named_apart():
    one = ["dense1.layer1.w", "dense1.layer2.w", "dense2.layer1.w", "dense2.layer2.w"]
    patterns = layer_patterns([one, [*one, "dense2.layer3.w"]])
    assert patterns == {"dense2.layer*"}
    (kept, changed) = (
        next(star_layer_numbers([ObservedTensor(path, (3,), "trainable")], patterns))
        for path in one[1:3]
    )
    assert (kept.path, changed.path) == ("dense1.layer2.w", "dense2.layer*.w")


def test_numbers_that_stand_alone_are_not_asked_about():
    assert not has_numbered_names(["layers.0.weight", "layers.1.norm.bias"])
    assert has_numbered_names(["layers.0.fc1.weight"])


def test_a_model_without_tensors_has_no_patterns():
    assert layer_patterns([[], TWO]) == layer_patterns([[], []]) == frozenset()
