"""A hunt in PyTorch: the sample of docs/hunt.md, and catalogue checks in a checkout."""

import pytest

from docs.writers.blocks import AGAIN, block, trimmed
from docs.writers.hunt_page import PAGE, SAMPLE


@pytest.mark.framework("torch")
def test_the_sample_agrees_with_the_output(paramproof):
    done = paramproof(*SAMPLE)
    assert done.returncode == 0, done.stdout
    assert block("hunted", PAGE.read_text("utf-8")).strip() == trimmed(done.stdout).strip(), AGAIN


@pytest.mark.framework("transformers")
def test_points(paramproof):
    done = paramproof(
        "hunt", "--check", "points", "--type", "bert", "--examples", "4", "--block", "2"
    )
    assert "2 of 2 tasks are done, 0 lost\n4 of 4 models are equal\n" in done.stdout, done
