"""Many configurations: one line in, one line out, in order; a bad line affects only itself."""

import errno
import json
import subprocess
import sys
import time
import tracemalloc
from io import BytesIO
from pathlib import Path

import click
import pytest

from paramproof import count
from paramproof.bulk import AHEAD, LINES_AT_ONCE, count_line, count_lines, lines_of
from paramproof.cli.count_lines import write_lines
from paramproof.cli.output import JSON
from paramproof.sources import strict_json
from tests.configs import LLAMA

KEYS, TOTAL = json.dumps(LLAMA).encode(), 8_030_261_248


def test_a_line_is_counted_as_by_itself():
    body = count_line(7, KEYS)
    assert (body["kind"], body["line"], body["total"]) == ("line", 7, TOTAL)
    assert body["active"] == body["total"]
    row = count(LLAMA).row
    assert row["source"] == "transformers 5.24.0, LlamaForCausalLM"
    assert {**body, "name": row["name"]} == {**body, **row}
    wrapped = json.dumps({"config": LLAMA, "source": "somewhere"}).encode()
    assert count_line(1, wrapped)["about"] == {"source": "somewhere"}
    assert count_line(1, wrapped)["total"] == TOTAL
    line = {"id": "x", "model_type": "llama", "config": LLAMA}
    body = count_line(1, json.dumps(line).encode())
    assert (body["about"], body["total"]) == ({"id": "x", "model_type": "llama"}, TOTAL)


def test_a_bad_line_gives_its_reason_in_the_same_place():
    bodies = [*count_lines([KEYS, json.dumps({**LLAMA, "hidden_size": "x"}).encode(), KEYS])]
    assert [body["line"] for body in bodies] == [1, 2, 3]
    error = bodies[1]["error"]
    assert (error["kind"], error["key"]) == ("InvalidInput", "hidden_size")
    assert bodies[0]["total"] == bodies[2]["total"]


def test_several_processes_keep_the_order():
    number = LINES_AT_ONCE * (2 * AHEAD + 3) + 5
    layers = [1 + i % 50 for i in range(number)]
    lines = [json.dumps({**LLAMA, "num_hidden_layers": one}).encode() for one in layers]
    bodies = list(count_lines(lines, processes=2))
    assert [body["line"] for body in bodies] == list(range(1, number + 1))
    each = 218_112_000
    first = bodies[0]["total"]
    assert [body["total"] - first for body in bodies] == [each * (one - 1) for one in layers]


def test_lines_are_read_when_needed():
    read = []

    def lines():
        for i in range(LINES_AT_ONCE * 40):
            read.append(i)
            yield KEYS

    bodies = count_lines(lines(), processes=1)
    next(bodies)
    assert len(read) <= LINES_AT_ONCE * (AHEAD + 1)
    bodies.close()


def test_a_long_line_is_not_read_entirely(tmp_path, monkeypatch):
    monkeypatch.setattr("paramproof.bulk.MAX_FILE_BYTES", 2000)
    assert strict_json.MAX_FILE_BYTES > 2000
    file = tmp_path / "lines"
    file.write_bytes(b"x" * 9000 + b"\n" + KEYS + b"\n")
    with file.open("rb") as lines:
        long, good = lines_of(lines)
    assert len(long) == 2001
    assert "error" in count_line(1, long)
    assert count_line(2, good)["total"] == TOTAL


def test_a_blank_line_has_a_number_and_no_answer():
    lines = lines_of(BytesIO(KEYS + b"\n\n \n" + KEYS + b"\n\n"))
    bodies = [*count_lines(lines)]
    assert [(body["line"], body["total"]) for body in bodies] == [(1, TOTAL), (4, TOTAL)]


@pytest.fixture
def run(paramproof, tmp_path):
    def count(lines, *more):
        (tmp_path / "in.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
        return paramproof("count", "--jsonl", "in.jsonl", "--json", "out.jsonl", *more)

    return count


FIVE = [json.dumps({**LLAMA, "num_hidden_layers": n}).encode() for n in (1, 2, 3, 4)] + [b"{}"]


@pytest.mark.parametrize("blank", [[], [b""]], ids=["whole", "with blank lines"])
def test_a_run_resumes_after_the_finished_lines(run, tmp_path, blank):
    lines = [*blank, FIVE[0], *blank, *FIVE[1:]]
    assert run(lines).returncode == 2
    out = tmp_path / "out.jsonl"
    text = out.read_bytes()
    # Two whole lines, and a third that was cut off while being written.
    cut = text.index(b"\n", text.index(b"\n") + 1) + 10
    out.write_bytes(text[:cut])
    done = run(lines, "--resume")
    assert out.read_bytes() == text
    assert "4 of 5" in done.stderr
    assert done.returncode == 2
    # Refusals of the first run still count after a run with nothing left to do.
    again = run(lines, "--resume")
    assert (again.returncode, "4 of 5" in again.stderr) == (2, True)
    assert out.read_bytes() == text


@pytest.mark.parametrize(
    ("lines", "more"),
    [(FIVE, ()), (FIVE[:3], ("--resume",)), ([*FIVE[:4], FIVE[0], FIVE[1]], ("--resume",))],
    ids=["without --resume", "fewer lines", "another line"],
)
def test_results_of_other_lines_are_not_continued(run, tmp_path, lines, more):
    assert run(FIVE).returncode == 2
    text = (tmp_path / "out.jsonl").read_bytes()
    done = run(lines, *more)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("paramproof: ")
    assert (tmp_path / "out.jsonl").read_bytes() == text


def test_an_input_that_cannot_be_opened_is_the_one_that_is_named(monkeypatch, tmp_path):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(KEYS)
    opened = click.open_file

    def refused(name, mode):
        if name == str(source):
            raise PermissionError(errno.EACCES, "Permission denied", name)
        return opened(name, mode)

    monkeypatch.setattr(click, "open_file", refused)
    with click.Context(click.Command("count")) as context:
        context.meta[JSON] = out, True
        with pytest.raises(PermissionError) as caught:
            write_lines(str(source), resume=False)
    assert caught.value.filename == str(source)
    assert not out.exists()


LINES = (json.dumps({"line": n, "digest": ""}).encode() for n in (-1, None, 1.5, "1", 10**30))


@pytest.mark.parametrize("line", [b"mine", b"{}", b"[]", b'"x"', b"[" * 10**5, *LINES])
def test_an_unrelated_file_is_left_alone(run, tmp_path, line):
    text = line + b"\n"
    (tmp_path / "out.jsonl").write_bytes(text)
    done = run(FIVE, "--resume")
    assert done.returncode == 2
    assert "--json out.jsonl: line 1 was not written by count --jsonl" in done.stderr
    assert (tmp_path / "out.jsonl").read_bytes() == text


@pytest.mark.skipif(sys.platform != "linux", reason="only /proc lists children")
def test_workers_end_if_their_parent_is_killed(tmp_path):
    program = (
        "from itertools import repeat\nfrom paramproof.bulk import count_lines\n"
        f"for body in count_lines(repeat({KEYS!r}), processes=2): print(1, flush=True)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    parent.stdout.readline()
    workers = Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert len(workers) == 2
    deadline = time.monotonic() + 30
    while any(Path("/proc", one).exists() for one in workers):
        assert time.monotonic() < deadline, "a worker still runs"
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /dev/full")
def test_a_full_disk(paramproof, tmp_path):
    (tmp_path / "in.jsonl").write_bytes(KEYS + b"\n")
    (tmp_path / "full").symlink_to("/dev/full")
    done = paramproof("count", "--jsonl", "in.jsonl", "--json", "full")
    assert done.returncode == 2
    assert "No space left" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_memory_does_not_grow_with_the_input():
    lines = (KEYS + b" " * 2000 for _ in range(2000))
    tracemalloc.start()
    try:
        assert sum(1 for _ in count_lines(lines, processes=1)) == 2000
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    # All lines together are 5 MB.
    assert most < 3_000_000
