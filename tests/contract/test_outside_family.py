"""The documented recipe for a family, followed outside the package with MLP-Mixer."""

import json
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
from tests.specs import B16, SPECS

# Mixer-B/16 by hand: 590,592 + 12·(1,536 + 151,108 + 1,536 + 4,722,432) + 1,536 + 769,000.
WHOLE = 59_880_472


@pytest.fixture
def b16(mixer, tmp_path):
    path = tmp_path / "b16.json"
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
