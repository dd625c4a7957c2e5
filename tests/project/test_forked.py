"""A forked command behaves as in a fresh process."""

import subprocess

import pytest


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("frameworks",), 0),
        (("count", "gpt2", "--symbolic"), 0),
        (("verify", "--framework", "toy-wrong", "--model", "gpt2"), 1),
        (("count", "größe"), 2),
        ((), 2),
    ],
)
def test_a_fork_behaves_like_a_fresh_process(paramproof, invocation, outsider, arguments, status):
    fresh = subprocess.run(**invocation(*arguments), capture_output=True)
    done = paramproof(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (status, fresh.stdout, fresh.stderr)


def test_each_fork_has_its_own_folder_and_environment(paramproof, tmp_path, monkeypatch):
    assert paramproof("explain", "2362368", "bert-base", "--json", "out.json").returncode == 0
    assert (tmp_path / "out.json").exists()
    completed = []
    for word in ("0", "1"):
        monkeypatch.setenv("COMP_WORDS", "paramproof cou")
        monkeypatch.setenv("COMP_CWORD", word)
        monkeypatch.setenv("_PARAMPROOF_COMPLETE", "bash_complete")
        completed.append(paramproof().stdout)
    assert "count" in completed[1]
    assert completed[0] != completed[1]
