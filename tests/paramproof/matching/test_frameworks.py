"""A model's framework is recognised by its classes, not by its appearance.

Stand-ins have the classes, modules and containers of the real frameworks, so none is required.
"""

import re

import numpy as np
import pytest

import paramproof
from paramproof.sources.live import READERS, live_weights, reader, supported

SUPPORTED = supported()


def class_of(name, module, *bases, **more):
    return type(name, bases, {"__module__": module, **more})


# Modules that are dicts of arrays, modules and lists of these, as MLX's are.
DictModule = class_of("Module", "tinygrad.nn", dict)
DictLinear = class_of("Linear", "tinygrad.nn", DictModule)
Array = class_of("Tensor", "tinygrad.tensor", shape=(3,))
Transformed = class_of("Transformed", "haiku._src.transform", tuple)
LinenModule = class_of("Module", "flax.linen.module")
Mine = class_of("Encoder", "mine", DictModule)

HAIKU = {
    "mlp/~/linear_0": {"w": np.empty((3, 4)), "b": np.empty(4)},
    "mlp/~/linear_1": {"w": np.empty((4, 5)), "b": np.empty(5)},
}
"""Parameters as Haiku's ``init`` returns them."""


class Outsider:
    pass


BARE = "dict has no collection 'params', so "
OF_TINY = "is not linen's but of tinygrad.tensor.Tensor: "
REFUSED = {
    "namesake": (class_of("Module", "tinygradient.nn")(), "tinygradient.nn.Module is not a model"),
    "outsider": (Outsider(), "Outsider is not a model of PyTorch, Keras, tf-keras, "),
    "nothing": (None, "NoneType is not a model of"),
    "class": (Outsider, "type is not a model of"),
    "pair": ((Outsider(), {"a": np.empty(1)}), "Outsider is not a model of"),
    "a pair of functions": (Transformed((len, len)), "haiku._src.transform.Transformed is not a "),
    "a pair of a dict": (({"a": 1}, {"a": np.empty(1)}), "dict is not a model of"),
    "empty": ({}, "dict is empty: it has no weights"),
    "no entries": ({"params": {"w": np.empty((0, 3))}}, "dict is empty"),
    "number": ({"params": {"w": 3}}, "params/w is not linen's but of int"),
    "list": ({"params": {"w": [np.empty(3)]}}, "params/w is not linen's but of list"),
    # A dict of arrays does not reveal its framework.
    "Haiku's parameters": (HAIKU, BARE),
    "Haiku's parameters of one module": ({"linear": {"w": np.empty((3, 4))}}, BARE),
    "linen's params alone": ({"Dense_0": {"kernel": np.empty((3, 4))}}, BARE),
    "statistics without params": ({"batch_stats": {"mean": np.empty(3)}}, BARE),
    "an array that is called params": ({"params": np.empty(3)}, BARE),
    "lists of arrays": ({"layers": [np.empty(3)]}, BARE),
    "no arrays": ({"hidden": 8}, BARE),
    "variables of another module": ((LinenModule(), HAIKU), "has no collection 'params'"),
    # Arrays of another framework are not taken for linen's.
    "an array of tinygrad": ({"params": {"a": {"weight": Array()}}}, f"params/a/weight {OF_TINY}"),
    "tinygrad's arrays": ({"a": {"weight": Array()}}, f"a/weight {OF_TINY}"),
    "a module that is a dict": (
        Mine(layers=[DictLinear(weight=np.empty((4, 3)))]),
        "mine.Encoder has no collection 'params', so ",
    ),
    "a module that is a dict, and has params": (
        DictLinear(params=DictLinear(weight=np.empty((4, 3)))),
        "params is not linen's but of tinygrad.nn.Linear: ",
    ),
    "a module in params": (
        {"params": {"a": DictLinear(weight=np.empty(3))}},
        "params/a is not linen's but of tinygrad.nn.Linear: ",
    ),
    "a state_dict": (
        {"a.weight": class_of("Tensor", "torch", shape=(3,))()},
        "a.weight is not linen's but of torch.Tensor: a dict does not tell which",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_other_objects_are_refused(name):
    what, words = REFUSED[name]
    with pytest.raises(ValueError, match=re.escape(words)) as refusal:
        live_weights(what)
    assert "\n" not in str(refusal.value)
    with pytest.raises(ValueError, match=r"."):
        paramproof.count(what)
    if words == BARE:
        assert "give them as module.init returns them, {'params': …}" in str(refusal.value)
        assert str(refusal.value).endswith(SUPPORTED)


def test_a_pair_has_the_variables_of_its_module():
    params = {"Dense_0": {"kernel": np.empty((3, 4))}}
    (weight,) = live_weights((LinenModule(), {"params": params}))
    assert (weight.path, weight.shape, weight.trainable) == ("params/Dense_0/kernel", (3, 4), True)


@pytest.mark.parametrize("package", READERS)
def test_a_framework_is_recognised_by_its_modules(package):
    """An optimiser of a framework is not a model, nor is a namesake's class."""
    mine = class_of("Mine", "mine", class_of("Module", f"{package}.some.file"))
    assert reader(mine()) is READERS[package]
    with pytest.raises(ValueError, match="Mine is not a model of PyTorch"):
        reader(class_of("Mine", f"{package}ette.some.file")())
    if package in ("torch", "keras", "tf_keras", "flax.linen"):
        with pytest.raises(ValueError, match=r"Adam (is not an?|has no) "):
            live_weights(class_of("Adam", f"{package}.optim")())
