"""The summary of a hunt, from its lines alone."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.hunt.files import Block, file_of, write_block, write_lost
from paramproof.hunt.summary import (
    DAMAGED,
    NO_RESULT,
    TWICE,
    as_json,
    groups,
    summarise,
    summary_of,
)
from paramproof.hunt.tasks import MODELS, ask, blocks

TASKS = [*blocks(MODELS, "toy", "encoder", 25, 10, 4), *blocks(MODELS, "toy", "gpt", 10, 10, 0)]
FIRST, SECOND, THIRD, GPT = TASKS


def block(task, different=0, **found):
    differences = tuple({"expected": 1, "actual": 2 + n} for n in range(different))
    about = {"checked": task.number, "equal": task.number - different, "versions": {"toy": "1"}}
    return Block(differences, {"done": task.name, **task.as_json(), **about, **found})


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "hunt"
    ask(folder, TASKS)
    return folder


@pytest.fixture
def whole(folder):
    for task in (FIRST, SECOND, THIRD):
        write_block(folder, block(task, parameters=100))
    write_block(folder, block(GPT, checked=0, equal=0, refused="the toy is an encoder"))
    return folder


def test_every_task_is_done_and_equal(whole):
    found = summary_of([whole])
    assert not found.failed
    assert (found.lost, found.damaged, [*found.differences]) == ({}, 0, [])
    encoder, gpt = groups(found)
    assert (encoder.asked, encoder.checked, encoder.equal, encoder.parameters) == (25, 25, 25, 300)
    assert (encoder.seeds, encoder.versions, encoder.lost) == ([4, 6], {"toy": "1"}, 0)
    assert (gpt.asked, gpt.checked, gpt.refused) == (10, 0, "the toy is an encoder")


def test_a_task_without_a_result_is_lost(whole):
    file_of(whole, SECOND.name).unlink()
    found = summary_of([whole])
    assert found.failed
    assert found.lost == {SECOND.name: NO_RESULT}
    assert [(one.asked, one.checked, one.lost) for one in groups(found)] == [
        (25, 15, 10),
        (10, 0, 0),
    ]
    write_lost(whole, SECOND.name, "killed")
    assert summary_of([whole]).lost == {SECOND.name: "killed"}


def test_a_finished_task_is_not_lost_whatever_was_written_before(whole):
    write_lost(whole, SECOND.name, "killed")
    assert not summary_of([whole]).failed


def test_a_difference_fails_and_names_its_task(whole):
    write_block(whole, block(SECOND, different=2, parameters=100))
    found = summary_of([whole])
    assert found.failed
    assert [(task, one["actual"]) for task, one in found.differences] == [(SECOND, 2), (SECOND, 3)]
    data = json.loads(json.dumps(as_json(found)))
    assert [one["task"] for one in data["different"]] == [SECOND.name] * 2
    assert (data["asked"], data["done"], data["groups"][0]["equal"]) == (4, 4, 23)


def test_a_damaged_file_is_lost(whole):
    file = file_of(whole, FIRST.name)
    file.write_text(file.read_text().replace('"equal": 10', '"equal": 11'))
    found = summary_of([whole])
    assert found.failed
    assert (found.lost, found.damaged) == ({FIRST.name: DAMAGED}, 1)


def test_nothing_checked_is_not_a_success(folder):
    assert summary_of([folder]).failed
    for task in TASKS:
        write_block(folder, block(task, checked=0, equal=0, refused="no"))
    assert summary_of([folder]).failed


@given(st.permutations(range(5)), st.lists(st.integers(0, 4), max_size=4))
def test_order_and_repetition_do_not_matter(tmp_path_factory, order, again):
    """In folders merged by concatenation, nothing is counted twice."""
    folder = tmp_path_factory.mktemp("hunt") / "hunt"
    ask(folder, TASKS)
    for index, task in enumerate(TASKS):
        write_block(folder, block(task, different=index % 2, parameters=index))
    files = sorted(folder.iterdir())
    wanted = as_json(summary_of([folder]))
    lines = [line for i in [*order, *again] for line in files[i].read_text().splitlines()]
    found = as_json(summarise(lines))
    for both in (wanted, found):
        both["groups"].sort(key=lambda group: group["of"])
        both["different"].sort(key=lambda one: one["task"])
    assert found == wanted


def test_a_task_done_in_two_releases_counts_once(whole, tmp_path):
    other = tmp_path / "other"
    ask(other, TASKS)
    write_block(other, block(FIRST, parameters=100, versions={"toy": "2"}))
    found = summary_of([whole, other])
    assert not found.failed
    assert groups(found)[0].checked == 25
    write_block(other, block(FIRST, parameters=101, versions={"toy": "2"}))
    assert summary_of([whole, other]).lost == {FIRST.name: TWICE}


def test_results_without_a_list_of_tasks(whole):
    """If the list of tasks is missing, finished tasks count as requested."""
    lines = file_of(whole, FIRST.name).read_text().splitlines()
    found = summarise(lines)
    assert found.asked == {FIRST.name: FIRST}
    assert not found.failed


def test_a_folder_without_a_hunt(tmp_path, whole):
    with pytest.raises(ValueError, match=r"is not the folder of a hunt: it lacks asked\.jsonl"):
        summary_of([whole, tmp_path])
    with pytest.raises(ValueError, match="absent: No such file"):
        summary_of([tmp_path / "absent"])


def test_a_group_has_one_check(folder):
    for task in TASKS:
        write_block(folder, block(task))
    other = replace(FIRST, check="points")
    write_block(folder, block(other))
    assert [group.check for group in groups(summary_of([folder]))] == ["models", "models", "points"]


@pytest.mark.parametrize(
    "line", ["", "x", "[]", "{}", '{"asked": "x"}', '{"asked": "x", "of": 1}', '{"done": "x"}']
)
def test_an_unrelated_line_counts_as_damaged(whole, line):
    found = summarise([*file_of(whole, FIRST.name).read_text().splitlines(), line])
    assert found.failed
    assert (found.damaged, [*found.asked]) == (1, [FIRST.name])
