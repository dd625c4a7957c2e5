"""Absent frameworks do not pass: what a test run reports about them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from paramproof.formulas import FAMILIES
from tests.laws import LAWS
from tests.specs import SPECS

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(outsider):
    def pytest_run(*arguments):
        path = os.pathsep.join(map(os.path.abspath, sys.path))
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
            env={**os.environ, "PYTHONPATH": path, "CI": "true"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=120,
        )

    return pytest_run


COUNTS = "tests/builders/test_counts.py"


def test_an_outsider_passes_the_tests_of_every_framework(run):
    done = run(COUNTS, "tests/builders/test_laws.py", "--framework", "toy", "--require")
    assert done.returncode == 0, done.stdout
    assert f"{len(FAMILIES) + len(LAWS)} passed" in done.stdout
    assert "hypothesis profile ci, 25 examples, derandomised" in done.stdout
    assert "\ntoy: numpy 2." in done.stdout


def test_a_family_of_another_distribution_is_tested(mixer, run):
    """The tests of every framework run for it, too: one more than for ours."""
    done = run(COUNTS, "--framework", "mixer-toy", "--require")
    assert done.returncode == 0, done.stdout
    assert f"{len(SPECS) + 1} passed" in done.stdout


def test_a_wrong_framework_fails_and_prints_a_spec_to_paste(run):
    done = run(COUNTS, "--framework", "toy-wrong", "--require")
    assert done.returncode == 1
    # The other families are refused, as they should be.
    assert "1 failed, 3 passed" in done.stdout
    assert "spec = EncoderSpec(vocab_size=1, hidden_size=1, num_hidden_layers=1" in done.stdout
    assert "layers.0.feed_forward.intermediate.bias" in done.stdout
    assert "@reproduce_failure(" in done.stdout


def test_ci_run_selects_the_ci_profile():
    assert "\nexport CI=true\n" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_absent_is_skipped_with_the_reason(run):
    done = run(COUNTS, "--framework", "toy-absent")
    assert done.returncode == 0
    assert f"{len(FAMILIES)} skipped" in done.stdout
    assert "toy-absent needs a-distribution-that-nobody-has, which is not installed" in done.stdout


def test_absent_and_required_fails(run):
    done = run(COUNTS, "--framework", "toy-absent", "--require")
    assert done.returncode == 1
    assert "required and unavailable: toy-absent needs a-distribution" in done.stdout


def test_broken_is_an_error(run):
    done = run(COUNTS, "--framework", "toy-broken")
    assert done.returncode == 1
    assert "TypeError: the toy is broken" in done.stdout


def test_a_run_without_a_test_fails(run):
    assert run(COUNTS, "--framework", "toy", "-k", "no_such_test").returncode == 5


def test_an_unknown_framework_is_bad_usage(run):
    done = run(COUNTS, "--framework", "theano")
    assert done.returncode == 4
    assert "no framework is named theano" in done.stderr
