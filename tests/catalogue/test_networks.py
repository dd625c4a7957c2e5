"""Older files name the network of a backbone that timm builds at top level."""

import json

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from paramproof.catalogue import entry  # noqa: E402
from sweep.fields.networks import with_networks  # noqa: E402
from sweep.samples.adversary import judge  # noqa: E402
from sweep.samples.verdict import Verdict  # noqa: E402
from sweep.store import read_entry  # noqa: E402

OPTIONS = {"in_chans": 3, "out_indices": [1, 2, 3, 4]}
CHANNELS = {"num_channels": 5}
PART = {"model_type": "timm_backbone", "backbone": "resnet50", "out_indices": [1, 2, 3, 4]}


@pytest.mark.parametrize("model_type", ["detr", "deformable_detr", "table-transformer"])
def test_the_file_has_what_the_class_reads(model_type):
    data = read_entry(model_type)
    aliases = {key: path for key, path in data["aliases"].items() if key != "backbone"}
    fields = {**data["fields"], "backbone": "resnet50"}
    found = with_networks({**data, "aliases": aliases, "fields": fields})
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(data))


def test_a_type_without_such_a_backbone_is_unchanged():
    data = read_entry("bert")
    assert with_networks(data) == data


NETWORKS = {
    "name": {"backbone": "resnet101"},
    "null": {"backbone": None, "backbone_kwargs": {}, "backbone_config": None},
    "channels": {"backbone": "resnet50", "num_channels": 4},
    "options": {"backbone": "resnet101", "backbone_kwargs": OPTIONS},
    "channels of options": {"backbone": "resnet50", "backbone_kwargs": {**OPTIONS, **CHANNELS}},
    "a part beside the name": {"backbone": "resnet101", "backbone_config": PART},
    "other channels": {"backbone": "resnet50", "num_channels": 4, "backbone_kwargs": OPTIONS},
}


@pytest.mark.parametrize("keys", NETWORKS.values(), ids=NETWORKS)
def test_it_is_counted_as_it_is_built(keys):
    config = {"model_type": "detr", "architectures": ["DetrForObjectDetection"], **keys}
    found = judge(config)
    assert found.verdict is Verdict.EQUAL, found.problem


@pytest.mark.parametrize(
    ("keys", "named"),
    [
        ({"backbone_kwargs": OPTIONS}, "backbone_kwargs"),
        ({"backbone": "resnet50", "backbone_kwargs": [1]}, "backbone_kwargs"),
        ({"backbone": "resnet50", "backbone_config": {**PART, "backbone": None}}, "backbone"),
    ],
)
def test_a_network_without_a_name_is_refused(keys, named):
    with pytest.raises(ValueError, match=named):
        entry({"model_type": "detr", **keys})
