"""The ways to write a value are found, and models that use them are counted as they are built."""

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from paramproof.catalogue import read_type  # noqa: E402
from sweep.fields.spellings import SpellingFinder, with_spellings  # noqa: E402
from sweep.samples.adversary import judge  # noqa: E402
from sweep.samples.verdict import Verdict  # noqa: E402
from sweep.store import read_entry  # noqa: E402

SPELLINGS = ("joined", "repeated", "pairs")


@pytest.mark.parametrize(
    "model_type", ["deberta-v2", "longformer", "vit", "convnext", "donut-swin", "pvt_v2"]
)
def test_the_spellings_in_the_files_are_found_again(model_type):
    data = read_entry(model_type)
    bare = {key: one for key, one in data.items() if key not in SPELLINGS}
    assert with_spellings(bare) == data != bare


@pytest.mark.parametrize(
    ("window", "verdict"),
    [
        ([256] * 12, Verdict.EQUAL),
        ([256] * 13, Verdict.NOT_COUNTED),
        ([256, 512] * 6, Verdict.NOT_COUNTED),
    ],
)
def test_a_repeated_size_is_counted_as_it_is_built(window, verdict):
    assert judge({"model_type": "longformer", "attention_window": window}).verdict is verdict


@pytest.mark.parametrize(
    ("config", "verdict"),
    [
        ({"model_type": "vit", "image_size": [96, 96]}, Verdict.EQUAL),
        ({"model_type": "vit", "patch_size": [8, 8]}, Verdict.EQUAL),
        ({"model_type": "pvt_v2", "image_size": 96}, Verdict.EQUAL),
        ({"model_type": "vit", "image_size": [96, 64]}, Verdict.NOT_COUNTED),
        ({"model_type": "vit", "image_size": [96, 96, 96]}, Verdict.NOT_COUNTED),
        ({"model_type": "vit", "image_size": [96, "96"]}, Verdict.NOT_COUNTED),
        ({"model_type": "convnext", "image_size": [640, 480]}, Verdict.EQUAL),
        ({"model_type": "convnext", "image_size": [640, True]}, Verdict.NOT_COUNTED),
        ({"model_type": "bert", "hidden_size": [64, 64]}, Verdict.NOT_COUNTED),
    ],
)
def test_a_pair_is_counted_as_it_is_built(config, verdict):
    """The tensors of ConvNeXt do not depend on the size of an image, and those of ViT do."""
    assert judge(config).verdict is verdict


def test_a_list_that_a_class_ignores_is_no_pair(monkeypatch):
    """At the type's own size alone it would look like one."""
    finder = SpellingFinder(read_type("vit"))

    def tensors(name, values):
        ((path, value),) = values.items()
        return getattr(finder.start, path) if isinstance(value, list) else value

    monkeypatch.setattr(finder, "tensors", tensors)
    assert finder.pairs() == {}
