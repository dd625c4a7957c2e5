"""The documented recipe for a family, followed outside the package with MLP-Mixer."""

import json
import re
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from paramproof import check, compare, load
from paramproof.algebra.symbols import sizes_of
from paramproof.formulas import FAMILIES, closed_form, inventory
from paramproof.formulas.families import spec_fields, spec_from
from paramproof.resolver import resolve
from paramproof.verify.agreement import require_agreement
from paramproof.verify.cases import random_specs
from tests.specs import SPECS

# Mixer-B/16 of table 1, for images of 224·224: 196 patches of 16·16.
B16 = {"num_patches": 196, "patch_size": 16, "hidden_size": 768, "num_blocks": 12}
B16 |= {"tokens_mlp_dim": 384, "channels_mlp_dim": 3072}
# By hand: 590,592 + 12·(1,536 + 151,108 + 1,536 + 4,722,432) + 1,536 + 769,000.
WHOLE, CLASSIFIER = 59_880_472, 769_000
FILE = "b16.json"


@pytest.fixture
def b16(mixer, tmp_path):
    path = tmp_path / FILE
    path.write_text(json.dumps(B16))
    return str(path)


def test_it_is_a_family_like_the_others(mixer, b16):
    assert list(FAMILIES) == [*SPECS, "mixer"]
    spec = resolve(b16).names.spec
    assert (type(spec).__name__, spec_fields(spec)["family"]) == ("MixerSpec", "mixer")
    assert spec_from(spec_fields(spec)) == spec
    assert inventory(spec.letters()).total() == closed_form(spec.letters()) == WHOLE
    require_agreement(FAMILIES)
    # Without heads the head size must be absent; it could be mistaken for a length of 1.
    assert list(sizes_of(spec)) == ["B", "S", "Y", "H", "D", "F", "R", "C"]


def test_the_number_of_layers_is_printed_first(mixer, b16, paramproof):
    """The letters are new: B counts layers, and ``classifier`` is an indicator, not a size."""
    done = paramproof("count", b16, "--symbolic")
    assert (done.returncode, done.stderr) == (0, "")
    total = "B·(2·H·F + 2·S·D + 5·H + D + F + S) + H·R²·C + Y·H + 3·H + Y"
    assert done.stdout.count(total) == 2
    letters = done.stdout.partition(" letter ")[2]
    assert re.findall(r"^ (\w) +([\d,]+) ", letters, re.MULTILINE) == [
        ("B", "12"), ("S", "196"), ("Y", "1,000"), ("H", "768"),
        ("D", "384"), ("F", "3,072"), ("R", "16"), ("C", "3"),
    ]  # fmt: skip


DIFFERS = "actual − formula = −B·F   blocks.*.channel_mixing.intermediate.bias"
NO_GPT = "not expressible: the toy has no such family: gpt"
COMMANDS = {
    f"count {FILE}": (0, f"{WHOLE:,}", "each of 12"),
    f"explain {WHOLE} {FILE}": (0, "\n  the whole model\n"),
    f"explain {WHOLE - CLASSIFIER} {FILE}": (0, "\n    claimed − formula = −769,000 = −Y·H − Y\n"),
    f"explain {WHOLE - 3_075} {FILE}": (1, "= −3,075 = −4·H − 3, where H = hidden_size = 768\n"),
    f"verify --framework mixer-toy --framework toy --model {FILE} --examples 3": (
        0,
        "3 random mixer specs",
        "not expressible: the toy is an encoder",
        "4 of 4 models equal the formula, tensor by tensor",
    ),
    # Every family by default.
    "verify --framework mixer-toy --examples 2": (0, "2 of 2 models equal the formula"),
    f"verify --framework mixer-wrong --model {FILE} --examples 0": (1, DIFFERS),
    # One framework has the Mixer, the other the encoder.
    "verify --prove --framework mixer-toy --framework toy": (
        0,
        "mixer            equal",
        NO_GPT,
        "2 of 2 pairs of framework and family equal the formula in letters",
    ),
    "verify --prove --framework mixer-wrong --family mixer": (1, DIFFERS),
    # Nothing to prove is not a success, nor a crash.
    "verify --prove --framework mixer-toy --family gpt": (1, NO_GPT),
}
"""The status of each command, and what it prints in the family's letters."""


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_have_it(mixer, b16, paramproof, command):
    done = paramproof(*command.replace(FILE, b16).split())
    status, *lines = COMMANDS[command]
    assert (done.returncode, done.stderr) == (status, "")
    assert [line for line in lines if line not in done.stdout] == []
    assert "broken" not in done.stdout


def test_random_specs_are_drawn(mixer):
    toy = load("mixer-toy")
    specs = random_specs(toy, 100, 0, "mixer")
    for field, (low, high) in FAMILIES["mixer"].spec.ranges.items():
        values = {asdict(spec)[field] for spec in specs}
        assert low <= min(values) < max(values) <= high
    assert {spec.classifier for spec in specs} == {True, False}
    assert all(check(toy, spec).equal for spec in specs)


def test_a_live_model_without_heads_is_compared_by_its_shapes(mixer):
    spec = spec_from({"family": "mixer", **B16, "num_blocks": 2})
    model = load("mixer-toy").build(spec)
    assert compare(model, spec).equal
    model.shapes["blocks.1.patch_mixing.output.bias"] = (195,)
    assert not compare(model, spec).equal


MISTAKES = {
    "B has no kind: annotate it as Indicator, Layers, Rows or Width": ("B: Layers", "B: int"),
    "the letter H of mixer is a number of layers, but a width in encoder: a letter must have "
    "the same kind in all families": ("    H: Width", "    H: Layers"),
    "patch_size has no range of sizes: add one to the spec's ranges": ('"patch_size": (1, 8),', ""),
    "its spec must be a dataclass with the field hidden_size": (
        "@dataclass(frozen=True, kw_only=True, slots=True)\n",
        "",
    ),
    "its letters are not of type MixerLetters: (": ("return MixerLetters(", "return tuple, dict("),
    "a family named 'gpt' exists already": ('"mixer"', '"gpt"'),
    "it is not a Family, but of type type": ("FAMILY = Family(", "FAMILY = type; Family("),
    "cannot be used: ZeroDivisionError: ": ("FAMILY = ", "FAMILY = 1 / 0 or "),
}


@pytest.fixture(params=MISTAKES)
def mistake(mixer, request):
    path = mixer / "mixer_family.py"
    source = path.read_text()
    assert source.count(MISTAKES[request.param][0]) == 1
    path.write_text(source.replace(*MISTAKES[request.param]))
    return request.param


def test_a_broken_family_does_not_stop_other_commands(mistake, paramproof):
    done = paramproof("count", "bert-base", "--depth", "1")
    assert done.returncode == 0
    assert "109,482,240" in done.stdout
    (line,) = done.stderr.splitlines()
    assert line.startswith("paramproof: mixer_family:FAMILY: the plug-in mixer of mixer_family ")
    assert mistake in line


def test_a_broken_family_is_an_error_when_requested(mistake, b16, refused):
    Path(b16).write_text(json.dumps({"family": "mixer", **B16}))
    for command in ("verify --family mixer", "models --family Mixer", f"count {b16}"):
        assert mistake in refused(*command.split())


def test_a_remark_and_an_error_are_two_lines(mixer, paramproof):
    """If family and entry point have different names, only the remark explains its absence."""
    (mixer / "mixer_family.py").write_text("raise SystemExit(7)")
    done = paramproof("models", "--family", "other")
    assert (done.returncode, done.stdout) == (2, "")
    remark, error = done.stderr.splitlines()
    assert "SystemExit: 7" in remark
    assert "'other'" in error


VERIFY = ("verify", "--framework", "toy", "--family", "encoder", "--examples", "2")


@pytest.mark.parametrize("command", [("frameworks",), ("count", "gpt2"), ("models",), VERIFY])
def test_broken_plugins_are_reported_once(mixer, paramproof, command):
    """Each worker of ``verify`` loads the families, too, and does not report them."""
    for name in ("mixer_family", "mixer_toy"):
        (mixer / f"{name}.py").write_text("1 / 0")
    done = paramproof(*command)
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert len(lines) == len(set(lines)) <= 2
    assert all("cannot be used" in line for line in lines)


def test_importing_paramproof_does_not_load_plugins(mixer):
    assert "mixer_family" not in sys.modules
    assert len(FAMILIES) == 5
    assert "mixer_family" in sys.modules
