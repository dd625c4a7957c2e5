"""A task's file is complete or absent, and a reader can tell."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.hunt.files import (
    Block,
    file_of,
    is_complete,
    lost_file,
    read_lines,
    write_block,
    write_lost,
)
from paramproof.whole_file import write_whole

NAME = "toy.models.encoder.seed-0.of-3"
BLOCK = Block(
    ({"expected": 3, "actual": 4}, {"expected": 5, "actual": 6}), {"done": NAME, "checked": 3}
)


@pytest.fixture
def block_file(tmp_path):
    write_block(tmp_path, BLOCK)
    return file_of(tmp_path, NAME)


def blocks(text):
    return [one for one in read_lines(text.splitlines()) if isinstance(one, Block)]


def test_a_block_reads_back(tmp_path, block_file):
    assert is_complete(tmp_path, NAME)
    (found,) = read_lines(block_file.read_text().splitlines())
    assert found.name == NAME
    assert found.results == (
        tuple({"different": NAME, **one} for one in BLOCK.differences),
        BLOCK.closing,
    )
    assert [path.name for path in tmp_path.iterdir()] == [f"{NAME}.jsonl"]


def test_equal_blocks_give_equal_files(tmp_path, block_file):
    before = block_file.read_bytes()
    write_block(tmp_path, BLOCK)
    assert block_file.read_bytes() == before


def test_a_truncated_file_is_not_whole(tmp_path, block_file):
    """Except for the last character, which ends the line."""
    whole = block_file.read_bytes()
    for length in range(len(whole) - 1):
        block_file.write_bytes(whole[:length])
        assert not is_complete(tmp_path, NAME), length


@pytest.mark.parametrize("replaced", [("4", "7"), ("3", "8"), ("encoder", "decoder"), ("{", "[")])
def test_a_changed_file_is_not_whole(tmp_path, block_file, replaced):
    block_file.write_text(block_file.read_text().replace(*replaced, 1))
    assert not is_complete(tmp_path, NAME)


def test_a_file_that_is_not_text_is_not_whole(tmp_path, block_file):
    block_file.write_bytes(b"\xff" + block_file.read_bytes())
    assert not is_complete(tmp_path, NAME)


def test_a_missing_or_extra_line_is_not_whole(tmp_path, block_file):
    lines = block_file.read_text().splitlines(keepends=True)
    for changed in (lines[1:], lines[:-1], [lines[0], *lines], [lines[1], lines[0], lines[2]]):
        block_file.write_text("".join(changed))
        assert not is_complete(tmp_path, NAME)


def test_the_file_of_another_task_is_not_whole(tmp_path, block_file):
    block_file.rename(file_of(tmp_path, "another"))
    assert not is_complete(tmp_path, "another")
    assert not is_complete(tmp_path, NAME)


def test_a_failed_write_leaves_no_file(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "a", "b")
    assert [*tmp_path.iterdir()] == []


def test_a_finished_task_is_no_longer_lost(tmp_path):
    write_lost(tmp_path, NAME, "why")
    lost = lost_file(tmp_path, NAME)
    assert json.loads(lost.read_text()) == {"lost": NAME, "reason": "why"}
    write_block(tmp_path, BLOCK)
    assert not lost.exists()


@given(st.lists(st.integers(0, 3), max_size=5), st.randoms())
def test_merging_is_concatenation(tmp_path_factory, numbers, random):
    """In any order: every block is found, and nothing else."""
    folder = tmp_path_factory.mktemp("hunt")
    wanted = set()
    for index, number in enumerate(numbers):
        differences = tuple({"actual": n} for n in range(number))
        write_block(folder, Block(differences, {"done": str(index), "checked": number}))
        wanted.add((str(index), number))
    files = [*folder.iterdir()]
    random.shuffle(files)
    found = blocks("".join(file.read_text() for file in files))
    assert len(found) == len(numbers)
    assert {(one.name, len(one.differences)) for one in found} == wanted


def test_a_damaged_block_does_not_affect_others(tmp_path, block_file):
    whole = block_file.read_text()
    write_block(tmp_path, Block(({"actual": 1},), {"done": "other", "checked": 1}))
    other = file_of(tmp_path, "other").read_text()
    first, *rest = whole.splitlines(keepends=True)
    for broken in (first, "".join(rest), f"x{whole}", first.rstrip() + whole):
        found = [*read_lines([*other.splitlines(), *broken.splitlines(), *other.splitlines()])]
        assert [one.name for one in found if isinstance(one, Block)] == ["other", "other"]
        assert any(isinstance(one, str) for one in found)
