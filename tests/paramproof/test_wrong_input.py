"""Whatever a Python function is given, it returns or raises one of the errors that are ours."""

from pathlib import Path

import pytest

import paramproof
from paramproof import InvalidInput, NotInCatalogue
from paramproof.resolver import resolve
from tests.specs import SMALL_ENCODER as SPEC

KEYS = {"model_type": "bert"}
QWEN = resolve("qwen3").architecture
FAMILY = resolve("bert-base").architecture

STRANGE = (
    *(None, True, -1, 0, 3, 3.5, float("nan"), 10**400, b"x", "", "nope", "\x1b[2J", "x" * 5000),
    *([1], (1, 2), {"x"}, {}, {"a": 1}, {3: 4}, {"H": None}, object(), object, Path("absent")),
)

CALLS = {
    "count": paramproof.count,
    "count, class": lambda x: paramproof.count(KEYS, x),
    "explain, model": lambda x: paramproof.explain(7, x),
    "explain, class": lambda x: paramproof.explain(7, KEYS, x),
    "diff, first": lambda x: paramproof.diff(x, "gpt2"),
    "diff, other": lambda x: paramproof.diff("gpt2", x),
    "compare": lambda x: paramproof.compare(x, "gpt2"),
    "compare, model": lambda x: paramproof.compare(object(), x),
    "assert_parameters": lambda x: paramproof.assert_parameters(x, "gpt2"),
    "assert_parameters, spec": lambda x: paramproof.assert_parameters(object(), x),
    "load": paramproof.load,
    "check": lambda x: paramproof.check(x, SPEC),
    "inventory": paramproof.inventory,
    "closed_form": paramproof.closed_form,
    "derive": lambda x: x is object or paramproof.derive(x),
    "derive, class": lambda x: paramproof.derive("bert", x, hidden_size="x"),
    "derive, size": lambda x: paramproof.derive("bert", hidden_size=x, layers="x"),
    "derive, seed": lambda x: paramproof.derive("bert", seed=x, layers="x"),
    "derive, seconds": lambda x: paramproof.derive("bert", seconds=x, layers="x"),
    "by_component": lambda x: paramproof.count("bert-base").by_component(x),
    "bytes": lambda x: paramproof.count("bert-base").bytes(x),
    "under": lambda x: paramproof.count("bert-base").under(x),
    **{
        f"{name}.{method}": lambda x, of=of, method=method: getattr(of, method)(x)
        for name, of, methods in (
            ("derivation", QWEN, ("count", "require", "violated", "reasons_at")),
            ("derivation", QWEN, ("at", "inventory")),
            ("family", FAMILY, ("at", "inventory")),
        )
        for method in methods
    },
    "derivation.count, one size": lambda x: QWEN.count({**QWEN.sizes, "H": x}),
}


@pytest.mark.filterwarnings("ignore::paramproof.formulas.errors.ConfigWarning")
@pytest.mark.parametrize("call", CALLS)
def test_errors_are_ours_and_one_line(call):
    said = []
    for given in STRANGE:
        try:
            CALLS[call](given)
        except (InvalidInput, NotInCatalogue) as error:
            said.append(str(error))
    assert len(said) > len(STRANGE) // 4
    assert all(map(str.isprintable, said))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: QWEN.count({"dim": 16}), "Qwen3ForCausalLM: V has no size: give one"),
        (lambda: QWEN.count({**QWEN.sizes, "H": 2.5}), "H = 2.5 is not a whole number"),
        (lambda: paramproof.count(KEYS, 3), "class_name is 3, which is not of the type str"),
        (lambda: paramproof.load(3), "name is 3, which is not of the type str"),
        (lambda: paramproof.check(3, SPEC), "3 is not a builder: paramproof.load returns one"),
    ],
)
def test_what_an_error_says(call, said):
    with pytest.raises(InvalidInput) as refusal:
        call()
    assert said in str(refusal.value)
