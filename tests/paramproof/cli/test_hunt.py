"""``paramproof hunt``: its output, its statuses, and the contents of its folder."""

import json
import os
import shlex
import signal
import subprocess
import time

import pytest

from paramproof.hunt.files import Block, write_block
from paramproof.hunt.tasks import ASKED, MODELS, ask, blocks
from paramproof.whole_file import BESIDE

EVENTUALLY = 60
TOY = ("hunt", "--framework", "toy", "--family", "encoder", "--examples", "7", "--block", "3")


@pytest.fixture
def folder(tmp_path):
    """Return the default folder, ``hunt`` in the working directory."""
    return tmp_path / "hunt"


@pytest.fixture
def run_hunt(paramproof, outsider, folder):
    done = paramproof(*TOY)
    assert (done.returncode, done.stderr) == (0, "")
    return done


def contents(folder):
    """Return the files; a worker that is ended while it writes leaves a temporary folder."""
    files = (path for path in folder.iterdir() if not path.name.startswith(BESIDE))
    return {path.name: path.read_bytes() for path in files}


def test_equal(run_hunt, folder):
    assert "3 of 3 tasks are done, 0 lost\n7 of 7 models are equal\n" in run_hunt.stdout
    (row,) = (line.split() for line in run_hunt.stdout.splitlines() if "encoder" in line)
    assert row[:5] == ["encoder", "7", "7", "0", "0"]
    assert sorted(contents(folder)) == [
        ASKED,
        "toy.models.encoder.seed-0.of-3.jsonl",
        "toy.models.encoder.seed-1.of-3.jsonl",
        "toy.models.encoder.seed-2.of-1.jsonl",
    ]


def test_the_models_agree_with_verify(run_hunt, paramproof, folder):
    """The command that a task names gives the same parameter counts for the same models."""
    (line,) = (folder / "toy.models.encoder.seed-1.of-3.jsonl").read_text().splitlines()
    asked = ("--framework", "toy", "--family", "encoder", "--examples", "3", "--seed", "1")
    results = json.loads(paramproof("verify", *asked, "--json", "-").stdout)["results"]
    totals = [one["report"]["actual"] for one in results if not one["model"]]
    assert (len(totals), sum(totals)) == (3, json.loads(line)["parameters"])


def test_a_second_run_repeats_missing_or_damaged_tasks(run_hunt, paramproof, folder):
    first, second, third = sorted(path for path in folder.iterdir() if path.name != ASKED)
    before = contents(folder)
    stays = first.stat().st_mtime_ns
    second.unlink()
    third.write_bytes(third.read_bytes()[:-20])
    assert paramproof(*TOY).stdout == run_hunt.stdout
    assert contents(folder) == before
    assert first.stat().st_mtime_ns == stays


def test_summary(run_hunt, paramproof, folder, tmp_path):
    """From the folder, and from its files concatenated in another folder."""
    assert paramproof("hunt", "--summary", folder).stdout == run_hunt.stdout
    merged = tmp_path / "merged"
    merged.write_bytes(b"".join(contents(folder).values()))
    assert paramproof("hunt", "--summary", merged).stdout == run_hunt.stdout
    assert paramproof("hunt", "--summary", merged, "--summary", folder).stdout == run_hunt.stdout


def test_summary_of_half_a_hunt(run_hunt, paramproof, folder):
    name = "toy.models.encoder.seed-1.of-3"
    (folder / f"{name}.jsonl").unlink()
    done = paramproof("hunt", "--summary", folder, "--json", "-")
    assert done.returncode == 1
    assert f"lost: {name}: it has no result: it was not started, or is not done yet" in done.stderr
    assert "2 of 3 tasks are done, 1 lost\n4 of 4 models are equal" in done.stderr
    data = json.loads(done.stdout)
    assert (data["asked"], data["done"], [*data["lost"]]) == (3, 2, [name])


def test_absent_frameworks_are_named(paramproof, outsider):
    done = paramproof("hunt", "--family", "encoder", "--examples", "1")
    assert "not installed, so not checked: toy-absent (python -m pip install a-dist" in done.stdout


def test_different(paramproof, outsider, folder):
    done = paramproof("hunt", "--framework", "toy-wrong", "--examples", "5", "--family", "encoder")
    assert done.returncode == 1
    assert "actual − formula = −L·F   feed_forward.intermediate.bias" in done.stdout
    (file,) = folder.glob("toy-wrong.*")
    *differences, closing = map(json.loads, file.read_text().splitlines())
    assert closing["checked"] - closing["equal"] == len(differences) > 0
    for one in differences:
        spec = one["what"]
        assert one["actual"] - one["expected"] == -(
            spec["num_hidden_layers"] * spec["intermediate_size"]
        )
    # The command that reproduces it.
    command, again = done.stdout.split("reproduce: ")[1].splitlines()[0], differences[0]
    assert command == again["command"]
    found = run_again(command, paramproof)
    assert found.returncode == 1
    assert f"actual {again['actual']:,} − formula {again['expected']:,} = " in found.stdout


def run_again(command, paramproof):
    name, *arguments = shlex.split(command)
    assert name == "paramproof"
    return paramproof(*arguments)


def test_lost(paramproof, failing_toy):
    done = paramproof(
        "hunt", "--framework", "toy-killed", "--framework", "toy", "--family", "encoder",
        "--examples", "3",
    )  # fmt: skip
    assert done.returncode == 1
    reason = "the worker ended by SIGKILL (tried 3 times)"
    assert f"lost: toy-killed.models.encoder.seed-0.of-3: {reason}\n" in done.stdout
    assert "1 of 2 tasks are done, 1 lost\n3 of 3 models are equal" in done.stdout


def test_lost_before_and_done_now(paramproof, failing_toy, folder):
    """A lost task is tried again, and its reason disappears."""
    asked = ("hunt", "--framework", "toy-killed", "--family", "encoder", "--examples", "3")
    assert paramproof(*asked).returncode == 1
    assert [*folder.glob("*.lost.jsonl")]
    done = paramproof(*asked, TOY_BUILD="99")
    assert "1 of 1 tasks are done, 0 lost" in done.stdout
    assert not [*folder.glob("*.lost.jsonl")]


def test_another_family(paramproof, outsider):
    done = paramproof("hunt", "--framework", "toy", "--family", "gpt", "--examples", "4")
    assert done.returncode == 1
    assert "not expressible" in done.stdout
    assert "1 of 1 tasks are done, 0 lost\n0 of 0 models are equal" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("--type", "bert"), "--type applies only to --check points or --check catalogue"),
        (("--check", "points", "--family", "gpt"), "--family applies only to --check models"),
        (
            ("--check", "catalogue", "--examples", "3"),
            "--examples applies only to --check models or",
        ),
        (("--array", "3"), "--array applies only to --on slurm"),
        (("--on", "slurm", "--jobs", "2"), "--jobs applies only to --on here"),
        (("--summary", ".", "--seed", "2"), "--summary checks nothing: leave out --seed"),
        (("--summary", "absent"), "absent: No such file or directory"),
        (
            ("--check", "points", "--type", "bart2"),
            "no model type with a formula is named 'bart2'",
        ),
        (("--folder", "/dev/null"), "/dev/null: is not a directory"),
    ],
)
def test_mistakes(refused, outsider, arguments, why):
    assert why in refused("hunt", *arguments)


def test_other_options_in_the_same_folder(run_hunt, refused):
    line = refused(*TOY, "--seed", "1")
    assert "hunt has another hunt, of 3 tasks; " in line
    assert line.endswith("give the same options again, or another --folder")


def test_slurm_is_not_installed(refused, outsider, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert "--on slurm" in refused(*TOY, "--on", "slurm")


def test_slurm_is_not_needed_if_nothing_is_left_to_do(run_hunt, paramproof):
    done = paramproof(*TOY, "--on", "slurm", PATH="/nowhere")
    assert (done.returncode, done.stdout) == (0, run_hunt.stdout)


@pytest.mark.parametrize(
    ("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["ctrl-c", "sigterm"]
)
def test_ended_half_way(invocation, paramproof, waiting_toy, folder, sent, status):
    """The hunt ends cleanly: results stay, no partial file, no worker is left."""
    asked = ("hunt", "--framework", "toy-waits", "--family", "encoder", "--jobs", "1")
    asked = (*asked, "--examples", "4", "--block", "2")
    process = subprocess.Popen(**invocation(*asked), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + EVENTUALLY
    while not (begun := [*waiting_toy.glob("begun-*")]):
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(sent)
    stdout, stderr = process.communicate(timeout=EVENTUALLY)
    assert (process.returncode, stdout, stderr.strip()) == (status, "", "")
    worker = int(begun[0].name.partition("-")[2])
    while os.path.exists(f"/proc/{worker}"):
        assert time.monotonic() < end, "the worker outlived the command"
        time.sleep(0.05)
    assert [*contents(folder)] == [ASKED]
    (waiting_toy / "go").touch()
    assert "2 of 2 tasks are done, 0 lost\n4 of 4 models" in paramproof(*asked).stdout


@pytest.fixture
def on_a_full_disk(invocation):
    """Run the command with files limited to 100 bytes, so that writing fails half-way."""

    def run(*arguments):
        asked = invocation(*arguments)
        python, safe, code, main, *rest = asked["args"]
        limit = (
            "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
            "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
        )
        # Otherwise the limit would truncate the bytecode of imported modules.
        asked["env"] |= {"PYTHONDONTWRITEBYTECODE": "1"}
        asked["args"] = [python, safe, code, limit + main, *rest]
        return subprocess.run(**asked, capture_output=True, timeout=EVENTUALLY)

    return run


def test_a_full_disk_ends_a_hunt_at_once_and_loses_nothing(
    run_hunt, paramproof, on_a_full_disk, folder
):
    whole = contents(folder)
    (folder / "toy.models.encoder.seed-1.of-3.jsonl").unlink()
    (folder / "toy.models.encoder.seed-2.of-1.jsonl").unlink()
    left = contents(folder)
    done = on_a_full_disk(*TOY)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("paramproof: hunt: cannot be written to: File too large")
    assert contents(folder) == left
    assert paramproof(*TOY).stdout == run_hunt.stdout
    assert contents(folder) == whole


def test_a_disk_that_is_full_from_the_start(paramproof, outsider, on_a_full_disk, folder):
    done = on_a_full_disk(*TOY)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith("paramproof: hunt: cannot be written to: File too large")
    assert contents(folder) == {}
    assert paramproof(*TOY).returncode == 0


def test_one_hunt_at_a_time(invocation, paramproof, refused, waiting_toy, folder):
    asked = ("hunt", "--framework", "toy-waits", "--family", "encoder", "--examples", "2")
    process = subprocess.Popen(**invocation(*asked), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + EVENTUALLY
    while not [*waiting_toy.glob("begun-*")]:
        assert time.monotonic() < end
        time.sleep(0.05)
    for other in (asked, TOY):
        assert "paramproof: hunt: another hunt is using it" in refused(*other)
    (waiting_toy / "go").touch()
    stdout, _ = process.communicate(timeout=EVENTUALLY)
    assert process.returncode == 0
    assert paramproof(*asked).stdout == stdout


def test_tasks_lost_for_the_same_reason_share_a_line(paramproof, folder):
    ask(folder, [*blocks(MODELS, "toy", "encoder", 9, 1, 0)])
    (line,) = [
        line
        for line in paramproof("hunt", "--summary", folder).stdout.splitlines()
        if line.startswith("lost: ")
    ]
    assert line.startswith("lost: toy.models.encoder.seed-0.of-1, toy.models.encoder.seed-1.of-1,")
    assert " and 6 more: it has no result: it was not started" in line


def test_text_from_files_is_made_printable(paramproof, folder):
    (task,) = blocks(MODELS, "toy\x1b[2J", "encoder", 1, 1, 0)
    ask(folder, [task])
    found = dict.fromkeys(("what", "expected", "actual", "report", "command"), "\x1b]0;a\x07\nb")
    closing = {"done": task.name, **task.as_json(), "checked": 1, "equal": 0, "versions": {}}
    write_block(folder, Block((found,), closing))
    (folder / "more.jsonl").write_text('{"lost": "\\u001b[1m", "reason": "\\u001b[2m"}\n')
    done = paramproof("hunt", "--summary", folder)
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\\x1b]0;a\\x07" in done.stdout
