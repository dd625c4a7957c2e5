"""The catalogue held to transformers: entries derived again, and random configurations built."""

from datetime import UTC, datetime
from random import Random

import pytest

from paramproof.catalogue import model_types, read_type
from paramproof.catalogue.derivations import variants
from paramproof.catalogue.values import ACTIVATIONS

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

OFTEN = ("bert", "gpt2", "llama")
"""Types that are held each time."""

TODAY = datetime.now(UTC).timetuple().tm_yday
"""Beside them one other type is, another one each day."""


def of_today():
    others = [name for name in model_types() if name not in OFTEN]
    return (*OFTEN, others[TODAY % len(others)])


@pytest.mark.parametrize("model_type", of_today())
def test_random_configurations_have_what_transformers_builds(model_type):
    """Sizes inside the conditions; some absent or null; fields that decide nothing otherwise."""
    import transformers

    from sweep.held import hold

    file = read_type(model_type)
    config_class = transformers.CONFIG_MAPPING[model_type]
    held = 0
    for name in file.classes:
        for written in variants(file, name)[:2]:
            if not written.data.get("withdrawn"):
                model_class = getattr(transformers, name)
                held += hold(file, written, config_class, model_class, Random(TODAY))
    assert held


def test_an_entry_that_is_wrong_is_not_held():
    import transformers

    from sweep.held import NotHeldError, hold

    file = read_type("bert")
    (written,) = variants(file, "BertModel")
    tensors = dict(written.data["tensors"], **{"pooler.dense.bias": "F"})
    broken = written.__class__(written.name, {}, (), {**written.data, "tensors": tensors})
    config_class, model_class = transformers.BertConfig, transformers.BertModel
    file = file.__class__(**{**_fields(file), "classes": {"BertModel": dict(broken.data)}})
    with pytest.raises(NotHeldError, match=r"pooler\.dense\.bias"):
        hold(file, broken, config_class, model_class, Random(0))


def _fields(file):
    return {name: getattr(file, name) for name in file.__slots__}


def test_a_type_is_derived_again_as_it_is_written():
    """Its base model: every class takes longer than a test may."""
    from paramproof.catalogue.derivations import derivation_of
    from paramproof.catalogue.entries import own_sizes
    from paramproof.derive.derive import derive
    from paramproof.derive.transformers_models import constructor

    file = read_type("bert")
    written = variants(file, "BertModel")[0]
    known = derivation_of(file, written, own_sizes(file, written.data["absent"]))
    found = derive(constructor("bert"))
    assert set(found.tensors) == set(known.tensors)
    assert found.formula == known.formula
    assert found.sizes == known.sizes
    assert [str(one.condition) for one in found.conditions] == [
        str(one.condition) for one in known.conditions
    ]


def test_activations_that_are_alike_have_no_parameters():
    from transformers.activations import ACT2FN

    bare = {name for name in ACT2FN if name not in ("prelu", "xielu")}
    assert bare == ACTIVATIONS
    assert not [name for name in ACTIVATIONS if list(ACT2FN[name].parameters())]
    assert list(ACT2FN["prelu"].parameters())
