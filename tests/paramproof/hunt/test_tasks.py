"""The tasks of a hunt, and the list of them in its folder."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.formulas.errors import InvalidInput
from paramproof.hunt.files import Unwritable
from paramproof.hunt.folder import held
from paramproof.hunt.tasks import ASKED, CATALOGUE, MODELS, POINTS, Task, ask, asked, blocks
from paramproof.whole_file import BESIDE

TASKS = [*blocks(MODELS, "torch", "gpt", 7, 3, 5), Task(CATALOGUE, "transformers", "bert")]


@given(st.integers(1, 300), st.integers(1, 50), st.integers(0, 9))
def test_blocks_share_the_examples_and_have_seeds(examples, block, seed):
    tasks = [*blocks(MODELS, "torch", "gpt", examples, block, seed)]
    assert sum(task.number for task in tasks) == examples
    assert {task.number for task in tasks[:-1]} <= {block}
    assert tasks[-1].number <= block
    assert [task.seed for task in tasks] == [*range(seed, seed + len(tasks))]


def test_a_task_is_named_after_its_contents():
    assert Task(MODELS, "torch", "gpt", 3, 250).name == "torch.models.gpt.seed-3.of-250"
    assert (
        Task(CATALOGUE, "transformers", "xlm-roberta").name == "transformers.catalogue.xlm-roberta"
    )
    # A family of another distribution may have any name; a folder may not.
    assert Task(MODELS, "toy", "../it is\n", 0, 1).name == "toy.models...%2Fit%20is%0A.seed-0.of-1"


def test_a_task_has_a_command_to_repeat_it():
    commands = [
        Task(MODELS, "torch", "gpt", 3, 250).command,
        Task(POINTS, "transformers", "bert", 4, 60).command,
        Task(CATALOGUE, "transformers", "bert").command,
    ]
    assert commands == [
        "paramproof verify --framework torch --family gpt --examples 250 --seed 3",
        "python -m sweep bert --random 60 --seed 4",
        "python -m sweep bert --compare",
    ]


def test_the_list_of_tasks_is_written_first_and_read_back(tmp_path):
    folder = tmp_path / "a" / "hunt"
    ask(folder, TASKS)
    written = (folder / ASKED).read_text()
    assert asked(written.splitlines()) == TASKS
    assert asked([*written.splitlines(), '{"lost": "x"}', *written.splitlines()]) == TASKS
    ask(folder, TASKS)
    assert (folder / ASKED).read_text() == written


@pytest.mark.parametrize(
    ("others", "why"),
    [
        (TASKS[:-1], "transformers.catalogue.bert was asked for before"),
        ([*TASKS, Task(MODELS, "toy", "gpt", 1, 1)], "toy.models.gpt.seed-1.of-1 was not asked"),
    ],
)
def test_a_folder_has_one_hunt(tmp_path, others, why):
    folder = tmp_path / "hunt"
    ask(folder, TASKS)
    with pytest.raises(ValueError, match=f"has another hunt, of 4 tasks; {why}"):
        ask(folder, others)


def test_an_unrelated_folder_is_left_alone(tmp_path):
    (tmp_path / "notes").touch()
    for folder in (tmp_path, tmp_path / "notes"):
        with pytest.raises(InvalidInput) as caught:
            ask(folder, TASKS)
        assert caught.value.where == str(folder)
        assert "--folder" in caught.value.reason
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_a_killed_hunts_partial_file_is_ignored(tmp_path):
    (tmp_path / f"{BESIDE}x").mkdir()
    ask(tmp_path, TASKS)
    assert (tmp_path / ASKED).exists()


def test_a_folder_has_one_running_hunt_at_a_time(tmp_path):
    folder = tmp_path / "a" / "hunt"
    with held(folder):
        with pytest.raises(InvalidInput) as caught, held(folder):
            pass
        assert (caught.value.where, type(caught.value)) == (str(folder), InvalidInput)
        with held(tmp_path):
            pass
    with held(folder):
        pass
    assert [*folder.iterdir()] == []


def test_a_folder_that_cannot_be_created():
    with pytest.raises(Unwritable) as caught, held(Path("/proc/hunt")):
        pass
    assert caught.value.where == "/proc/hunt"


@pytest.mark.parametrize("line", ["x", '{"asked": "x"}', '{"asked": "x", "number": "many"}'])
def test_a_damaged_list_of_tasks(tmp_path, line):
    ask(tmp_path / "hunt", TASKS)
    file = tmp_path / "hunt" / ASKED
    file.write_text(f"{file.read_text()}{line}\n")
    with pytest.raises(ValueError, match=r"asked\.jsonl is damaged: give another --folder"):
        ask(tmp_path / "hunt", TASKS)
