"""A user's formula: its arguments, its possible results, and how it is compared."""

import re
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace

import pytest
import sympy
from hypothesis import given

from paramproof.formulas import (
    EncoderLetters,
    EncoderSpec,
    Report,
    Row,
    Weight,
    closed_form,
    inventory,
)
from paramproof.sources.reference import load_reference
from paramproof.user_formulas.counts import compare_counts
from paramproof.user_formulas.difference import residual
from paramproof.user_formulas.shrink import MAX_BUILDS, shrink
from paramproof.user_formulas.signature import FormulaRefused, UserFormula
from paramproof.user_formulas.verdict import assert_formula
from paramproof.user_formulas.verify import differs
from tests import user_formulas
from tests.strategies import encoder_specs

WHOLE = EncoderSpec(
    vocab_size=13,
    hidden_size=6,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=5,
    max_position_embeddings=11,
    type_vocab_size=2,
    mlm_head=True,
    tie_word_embeddings=False,
    nsp_head=True,
)
SPEC = replace(WHOLE, mlm_head=False, tie_word_embeddings=True, nsp_head=False)
LEAST = (
    "spec = EncoderSpec(vocab_size=1, hidden_size=1, num_hidden_layers=0, num_attention_heads=1, "
    "intermediate_size=1, max_position_embeddings=1, type_vocab_size=1, pooler=False, "
    "mlm_head=False, tie_word_embeddings=True, nsp_head=False)"
)
REFUSED = {
    "raises": "raised AttributeError: 'EncoderSpec' object has no attribute 'd_model' at EncoderSp",
    "leaves": "raised SystemExit: 3 at EncoderSpec(",
    "returns_float": "returned 6.0 (a float): a count is an int, at EncoderSpec(",
    "returns_bool": "returned True (a bool): a count is an int, at EncoderSpec(",
    "negative": "returned -6: a count is 0 or more, at EncoderSpec(",
    "too_large": "returned more than 100 digits: a count is 10**100 at most, at EncoderSpec(",
    "too_large_below_zero": "returned more than 100 digits: a count is 10**100 at most, at Enc",
    "too_large_component": "returned more than 100 digits for 'pooler': a count is 10**100 at m",
    "nothing": "returned None (a NoneType): a count is an int, at EncoderSpec(",
    "empty": "returned an empty mapping at EncoderSpec(",
    "unknown_component": "counts 'decoder', which is not a component: use total, embeddings, ",
    "float_component": "returned 0.0 (a float) for 'pooler': a count is an int, at EncoderSpec(",
    "takes_others": "takes d_model, n_layers: a formula takes a spec, or letters of L H A F V P T ",
    "takes_nothing": "takes nothing: a formula takes a spec, or letters of L H A F V P T ",
    "later": "a formula is a plain function that returns its count",
}


@pytest.fixture
def verify(paramproof, outsider, request):
    """Return a function that compares a calculator with the toy framework."""
    module = request.getfixturevalue("user_formulas")

    def run(name, *arguments):
        arguments = ("--framework", "toy", "--model", "bert-tiny", *arguments)
        return paramproof("verify", "--formula", f"{module}:{name}", *arguments)

    return run


@pytest.mark.parametrize("name", ["exact", "from_spec"])
@given(spec=encoder_specs())
def test_called_with_letters_or_the_spec(name, spec):
    assert UserFormula.of(getattr(user_formulas, name)).counts(spec) == {
        "total": closed_form(spec.letters())
    }


def test_called_with_every_letter():
    formula = UserFormula.of(lambda **letters: sum(letters.values()))
    assert formula.counts(WHOLE) == {"total": sum(WHOLE.letters())}


def test_called_with_parameters_without_a_default():
    formula = UserFormula.of(lambda spec, factor=4: factor * spec.hidden_size)
    assert formula.counts(WHOLE) == {"total": 24}


def test_integers_of_numpy_are_counts():
    import numpy as np

    assert UserFormula.of(lambda H: np.int64(H)).counts(WHOLE) == {"total": 6}
    with pytest.raises(FormulaRefused, match="a count is an int"):
        UserFormula.of(lambda H: np.float64(H)).counts(WHOLE)


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    with pytest.raises(FormulaRefused) as refusal:
        UserFormula.of(getattr(user_formulas, name)).counts(WHOLE)
    assert REFUSED[name] in str(refusal.value)


def test_the_largest_count_is_accepted():
    assert UserFormula.of(lambda spec: 10**100).counts(WHOLE) == {"total": 10**100}


@pytest.mark.parametrize("name", ["raises", "nothing", "too_large", "takes_others", "later"])
def test_the_command_refuses(verify, name):
    done = verify(name)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"paramproof: tests.user_formulas:{name}")
    assert REFUSED[name] in line


def test_refused_in_a_worker(verify):
    """It counts the named models, and raises at a random spec."""
    done = verify("raises_without_layers")
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert "raised ZeroDivisionError: integer division or modulo by zero at EncoderSpec(" in line


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        ("nowhere_at_all:f", "nowhere_at_all cannot be imported: ModuleNotFoundError: No module"),
        ("user_formulas", "'user_formulas' is not MODULE:FUNCTION"),
        ("a b:c", "'a b:c' is not MODULE:FUNCTION"),
        (":f", "':f' is not MODULE:FUNCTION"),
        ("math:pi", "math:pi: 'pi' is not a function but of type float"),
        ("math:tau_squared", "math:tau_squared: math has no 'tau_squared'"),
        ("math:dist", "math:dist takes p, q: a formula takes a spec, or letters of L H"),
    ],
)
def test_a_formula_that_is_not_found(refused, outsider, reference, words):
    assert words in refused("verify", "--framework", "toy", "--formula", reference)


def test_a_module_that_exits(refused, outsider, tmp_path):
    (tmp_path / "leaving.py").write_text("f = print\nraise SystemExit(0)\n")
    line = refused("verify", "--framework", "toy", "--formula", "leaving:f")
    assert line == "paramproof: leaving cannot be imported: SystemExit: 0"


def test_nothing_else_is_called(tmp_path, monkeypatch):
    """Neither another function of the module, nor its ``__getattr__`` for an existing name."""
    source = "def f(): pass\ndef g(): raise SystemExit\ndef __getattr__(name): raise SystemExit\n"
    (tmp_path / "bystander.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    assert load_reference("bystander:f").__name__ == "f"
    said = "bystander:h: bystander has no 'h': its __getattr__ raised SystemExit"
    with pytest.raises(ValueError, match=f"^{said}$"):
        load_reference("bystander:h")


ON_DEMAND = """
import sys, types

def make(name):
    if name.startswith("vit_"):
        return lambda: name
    if name == "broken":
        raise RuntimeError("no\\nmodel")
    raise AttributeError(name)
"""

MODULES = {
    "of the module": "__getattr__ = make\n",
    "of the module's class": (
        "class Lazy(types.ModuleType):\n"
        "    def __getattr__(self, name): return make(name)\n"
        "sys.modules[__name__].__class__ = Lazy\n"
    ),
}


@pytest.mark.parametrize("how", MODULES)
def test_a_function_that_a_module_creates_on_demand(how, tmp_path, monkeypatch):
    name = "on_demand_" + how.replace(" ", "_").replace("'", "")
    (tmp_path / f"{name}.py").write_text(ON_DEMAND + MODULES[how])
    monkeypatch.chdir(tmp_path)
    assert load_reference(f"{name}:vit_tiny")() == "vit_tiny"
    with pytest.raises(ValueError, match=f"^{name}:resnet: {name} has no 'resnet'$"):
        load_reference(f"{name}:resnet")
    said = "its __getattr__ raised RuntimeError: no model"
    with pytest.raises(ValueError, match=f"^{name}:broken: {name} has no 'broken': {said}$"):
        load_reference(f"{name}:broken")


def test_the_working_directory_comes_last(paramproof, outsider, tmp_path):
    """A file there does not hide a module of Python's, in this process or in a worker."""
    (tmp_path / "fractions.py").write_text("raise SystemExit('hidden')\n")
    (tmp_path / "mine.py").write_text(
        "import fractions\ndef f(spec): return int(fractions.Fraction(4, 2))\n"
    )
    done = paramproof("verify", "--framework", "toy", "--model", "bert-tiny", "--formula", "mine:f")
    assert done.returncode == 1, done.stderr
    assert "formula 2 = +3" in done.stdout


def test_equal(verify):
    done = verify("exact", "--examples", "7")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "8 of 8 models have the count of tests.user_formulas:exact" in done.stdout


def test_different(verify):
    done = verify("without_biases", "--examples", "5")
    assert done.returncode == 1, done.stderr
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    start = lines.index("toy: the smallest spec that differs")
    assert lines[start + 1 : start + 4] == [
        LEAST,
        "actual 5 − formula 3 = +2",
        "actual − formula = L·(9·H + F) + 2·H + pooler·H + mlm·(3·H + V) + 2·nsp",
    ]
    assert "0 of 6 models have the count of tests.user_formulas:without_biases" in lines


def test_different_by_component(verify):
    done = verify("components_without_norms", "--examples", "5")
    assert done.returncode == 1, done.stderr
    assert "actual 16 − formula 12 = +4   layers\n" in done.stdout
    assert re.search(r"^actual . formula = 4·L·H   layers$", done.stdout, re.MULTILINE)
    assert "does not count: embeddings, pooler, mlm_head, nsp_head\n" in done.stdout


def weights(*shapes):
    return [Weight(path, shape, True, (path,)) for path, shape in shapes]


def test_components_are_read_from_weights():
    stored = [
        Weight("qkv", (4, 12), True, tuple(f"layers.0.attention.{n}.kernel" for n in "qkv")),
        Weight("bias", (4,), False, ("layers.0.attention.output.bias",)),
        Weight("stack", (2, 5), True, ("layers.*.feed_forward.output.bias",), ("stacked",)),
        Weight("nameless", (3,), True, ()),
    ]
    right = {"total": 61, "layers": 58, "layers.*.feed_forward": 5}
    assert compare_counts(right, stored, {"layers": 2}) == Report(61, 61, ())
    report = compare_counts({"layers.*.attention.q": 17}, stored, {"layers": 1})
    assert report.rows == (Row("wrong count", "layers.*.attention.q", None, None, None, -1),)


def test_one_layer_that_differs_is_found():
    stored = weights(("layers.0.attention.x", (4,)), ("layers.1.attention.x", (5,)))
    assert compare_counts({"layers.*.attention": 4}, stored, {"layers": 2}).rows[0].difference == 1
    assert compare_counts({"layers.*.attention": 5}, stored, {"layers": 2}).rows[0].difference == -1


def test_without_layers_a_layer_cannot_be_compared():
    assert compare_counts({"layers.*.attention": 4, "layers": 0}, [], {"layers": 0}).equal


def test_smallest():
    asked = []

    def still(spec):
        asked.append(spec)
        return spec.vocab_size > 250 and spec.hidden_size >= 6 and spec.mlm_head

    start = replace(WHOLE, vocab_size=30522, hidden_size=768, num_attention_heads=12)
    least = shrink(start, still)
    assert (least.vocab_size, least.hidden_size, least.mlm_head) == (251, 6, True)
    assert least == replace(
        least,
        num_hidden_layers=0,
        intermediate_size=1,
        max_position_embeddings=1,
        type_vocab_size=1,
        pooler=False,
        nsp_head=False,
        tie_word_embeddings=True,
    )
    assert len(asked) == len(set(asked)) < MAX_BUILDS


def test_the_search_for_the_smallest_is_bounded(monkeypatch):
    asked = []
    monkeypatch.setattr("paramproof.user_formulas.shrink.MAX_BUILDS", 7)
    shrink(WHOLE, lambda spec: asked.append(spec) or spec.vocab_size == 13)
    assert len(asked) == 7


def test_unsupported_specs_do_not_differ():
    builder = SimpleNamespace(supports=lambda spec: "not this one")
    assert not differs(builder, UserFormula.of(user_formulas.without_biases), SPEC)


def test_residual_of_a_formula_that_branches_on_a_part():
    formula = UserFormula.of(user_formulas.without_biases)
    report = Report(0, 2, (Row("wrong count", "total", None, None, None, 2),))
    least = replace(SPEC, hidden_size=1, num_attention_heads=1, num_hidden_layers=0, pooler=False)
    (line,) = residual(formula, least, report)
    letters = EncoderLetters(*sympy.symbols(EncoderLetters._fields))
    exact, theirs = closed_form(letters), user_formulas.without_biases
    printed = line.partition(" = ")[2].replace("·", "*")
    for spec in (WHOLE, SPEC, least):
        numbers = dict(zip(letters, spec.letters(), strict=True))
        value = sympy.sympify(printed, letters._asdict()).subs(numbers)
        assert value == exact.subs(numbers) - theirs(spec)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda spec: spec.hidden_size + (spec.vocab_size > 250), "does not take symbols"),
        (lambda L: sum(range(L)), "does not take symbols"),
        (
            lambda spec: spec.hidden_size if spec.num_hidden_layers else 0,
            "counts symbols and numbers differently",
        ),
        (
            lambda spec: {"pooler": 0, "total": 0} if spec.pooler else {"total": 0},
            "counts different components when a part is absent",
        ),
    ],
)
def test_no_algebra(function, words):
    rows = (Row("wrong count", "total", None, None, None, 1),)
    (line,) = residual(UserFormula.of(function), SPEC, Report(0, 1, rows))
    assert line.startswith("no algebra: ")
    assert words in line


def test_no_algebra_if_the_framework_is_wrong():
    """The algebra belongs to our count: it is not printed if the model has another count."""
    rows = (Row("wrong count", "total", None, None, None, 7),)
    (line,) = residual(UserFormula.of(user_formulas.exact), SPEC, Report(0, 7, rows))
    assert line == "no algebra: this framework does not have paramproof's count"


def test_assert_formula(outsider):
    assert_formula(user_formulas.exact, framework="toy", examples=5)
    with pytest.raises(AssertionError) as failure:
        assert_formula(user_formulas.without_biases, framework="toy", examples=5)
    assert str(failure.value).startswith(LEAST)
    with pytest.raises(FormulaRefused, match="a count is an int"):
        assert_formula(user_formulas.returns_float, framework="toy", examples=5)


def test_any_mapping_is_accepted():
    formula = UserFormula.of(lambda spec: MappingProxyType({"pooler": 1}))
    assert formula.counts(SPEC) == {"pooler": 1}


def test_components_of_the_calculator():
    counts = UserFormula.of(user_formulas.components).counts(SPEC)
    named = inventory(SPEC.letters())
    assert counts == {name: named.total(name) for name in counts}


class Loud:
    def __repr__(self):
        return "\x1b[2J\n" + "x" * 10**6


def shout(spec):
    raise ValueError(repr(Loud()))


@pytest.mark.parametrize(
    "function", [lambda spec: Loud(), lambda spec: {repr(Loud()): 1}, shout], ids=range(3)
)
def test_a_formulas_error_is_printable(function):
    formula = UserFormula.of(function, "\x1b[2J")
    with pytest.raises(FormulaRefused) as refusal:
        formula.counts(SPEC)
    assert str(refusal.value).isprintable()
    assert len(str(refusal.value)) < 2000
