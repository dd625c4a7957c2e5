"""Any stages of a backbone may be chosen where no tensor depends on them."""

import pytest

from paramproof.catalogue import read_type
from paramproof.catalogue.files import parse_type

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from sweep.fields.stages import StageFinder, with_stages  # noqa: E402
from sweep.samples.adversary import judge  # noqa: E402
from sweep.samples.verdict import Verdict  # noqa: E402
from sweep.store import read_entry  # noqa: E402

CHOICES = [
    {"out_features": ["stem", "stage2"]},
    {"out_indices": [1, -1]},
    {"out_indices": [2], "out_features": ["stage2"]},
    {"out_indices": [-5]},
]


@pytest.mark.parametrize("model_type", ["dinov2", "convnextv2", "focalnet"])
@pytest.mark.parametrize("choice", CHOICES)
def test_a_choice_is_counted_as_it_is_built(model_type, choice):
    assert judge({"model_type": model_type, **choice}).verdict is Verdict.EQUAL


@pytest.mark.parametrize("choice", [{"out_indices": [13]}, {"out_indices": [2, 1]}])
def test_another_choice_is_neither_built_nor_counted(choice):
    from transformers import AutoConfig

    with pytest.raises(ValueError, match="out_indices must be"):
        AutoConfig.for_model("dinov2", **choice)
    assert judge({"model_type": "dinov2", **choice}).verdict is Verdict.NOT_COUNTED


def test_a_number_before_the_first_stage_is_neither_built_nor_counted():
    from transformers import AutoConfig

    with pytest.raises(IndexError):
        AutoConfig.for_model("convnextv2", out_indices=[-6])
    found = judge({"model_type": "convnextv2", "out_indices": [-6]})
    assert found.verdict is Verdict.NOT_COUNTED


def test_the_stages_in_the_files_are_found_again():
    for model_type, stages in (("dinov2", {"": "L"}), ("swin", {"": "4"})):
        data = read_entry(model_type)
        bare = {key: one for key, one in data.items() if key != "stages"}
        assert with_stages(bare)["stages"] == stages == read_type(model_type).stages


def test_stages_on_which_tensors_depend_are_not_free():
    """Mask2Former has a convolution for each chosen stage of its backbone."""
    data = read_entry("mask2former")
    finder = StageFinder(parse_type(data))
    finder.decides = set()
    assert finder.number_at("backbone_config", {}) == 4
    assert not finder.is_free("backbone_config", 4)
