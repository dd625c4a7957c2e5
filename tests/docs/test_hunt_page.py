"""docs/hunt.md agrees with the long hunt's summary, in which everything is equal."""

import pytest

from docs.writers.blocks import AGAIN, ROOT, block
from docs.writers.hunt_page import PAGE, known, render
from paramproof.builders.registry import frameworks
from paramproof.cli.hunt import hunt_command
from paramproof.formulas import FAMILIES
from paramproof.hunt.tasks import CHECKS, MODELS, Task

FOUND = known()
TEXT = PAGE.read_text("utf-8")


def test_page():
    assert block("long", TEXT).strip() == render(FOUND), AGAIN


def test_nothing_is_different_or_lost():
    assert (FOUND["different"], FOUND["lost"], FOUND["damaged"]) == ([], {}, 0)
    assert FOUND["done"] == FOUND["asked"] > 0


@pytest.mark.parametrize(
    "group", FOUND["groups"], ids=lambda one: f"{one['framework']}-{one['of']}"
)
def test_a_group_is_complete(group):
    assert group["framework"] in frameworks()
    assert group["of"] in FAMILIES
    assert group["checked"] == group["equal"] == group["asked"]
    assert group["parameters"] > group["checked"]


def test_every_check_and_option_is_described():
    for check in CHECKS:
        (row,) = (line for line in TEXT.splitlines() if line.startswith(f"| `{check}` |"))
        of = ("torch", "gpt") if check == MODELS else ("transformers", "qwen3")
        assert row.endswith(f"| `{Task(check, *of, 7, 250).command}` |")
    name = Task(MODELS, "torch", "gpt", 7, 250).name
    assert f"| `{name}.jsonl` |" in TEXT
    assert f"| `{name}.lost.jsonl` |" in TEXT
    for option in hunt_command.params:
        assert option.opts[0] in TEXT, option.opts
    assert "[testenv:slurm]" in (ROOT / "tox.ini").read_text("utf-8")
