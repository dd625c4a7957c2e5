"""The answers about real configurations, kept as data: what is counted, and what is refused."""

import re

import pytest

from tests.answers import CASES, RELEASED, SERVED, answer, counted, read


@pytest.mark.parametrize("case", read(CASES), ids=lambda case: case["why"])
def test_answer(case):
    assert answer(case) == case


@pytest.mark.parametrize("line", read(SERVED) + read(RELEASED), ids=lambda line: line["source"])
def test_count_of_a_published_model(line):
    """Each is compared with the model that is built, in ``tests/catalogue`` or for mlx-lm."""
    assert counted(line) == line


def test_the_reason_of_a_case_says_how_it_is_answered():
    said = [(re.search("(?:is|are) (counted|refused)", one["why"]), one) for one in read(CASES)]
    assert [one for word, one in said if word and ("count" in one) != (word[1] == "counted")] == []


def test_which_published_models_have_no_count():
    """Transformers lacks the types or classes that served files name, and Bark is not traced."""
    lines = read(SERVED) + read(RELEASED)
    assert [one["source"].rpartition("/")[2] for one in lines if one["count"] is None] == [
        "MiniMaxAI--MiniMax-M3_config.json",
        "moonshotai--Kimi-K3_config.json",
        "nvidia--Llama-3_3-Nemotron-Super-49B-v1_config.json",
        "stepfun-ai--Step-3.7-Flash-FP8_config.json",
        "stepfun-ai--Step-3.7-Flash_config.json",
        "bark-small",
    ]
