"""Settings of released models: the catalogue counts each as transformers builds it.

These models combine values that decide, such as biases with a head width of their own, or have
values that nothing depends on, such as rotary positions stretched by lists. Each was refused once.
``source`` names the model. The settings were written down by hand, so single keys may differ from
those of its file.
"""

import json
from pathlib import Path

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from sweep.samples.adversary import judge  # noqa: E402
from sweep.samples.verdict import Verdict  # noqa: E402

LINES = (Path(__file__).parent / "released.jsonl").read_text("utf-8").splitlines()
RELEASED = {one["source"]: one["config"] for one in map(json.loads, LINES)}


def test_each_model_is_there_once():
    assert len(RELEASED) == len(LINES) >= 20


@pytest.mark.parametrize("source", RELEASED)
def test_it_is_counted_as_it_is_built(source):
    found = judge(RELEASED[source])
    assert found.verdict is Verdict.EQUAL, found.problem
