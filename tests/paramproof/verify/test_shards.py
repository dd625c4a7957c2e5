"""Long runs: shards draw their own models, and a summary says what is missing."""

import json
import shlex
import sys

import pytest

from paramproof.builders.registry import Framework
from paramproof.cli import verify
from paramproof.formulas import FAMILIES
from paramproof.formulas.models import named_model
from paramproof.formulas.spec import head_size_of
from paramproof.verify import results as results_module
from paramproof.verify.results import Sample, results, shard_of, smaller_spec
from paramproof.verify.user_formula import fullest
from tests.weight_lists import Lists, added, extra

NOBODYS = Framework("nobodys", "nobodys", ("numpy",))
MODELS = {"bert-tiny": named_model("bert-tiny").spec}


def specs_of(shard, seconds=None, families=("encoder", "gpt")):
    sample = Sample(MODELS if shard[0] == 1 else {}, families, 3, 5, shard, seconds)
    return [(one.model, one.spec) for one in results(NOBODYS, Lists(), sample)]


def test_each_shard_draws_its_own_models():
    """Always the same; and all together what the seeds of a single run give."""
    shards = [specs_of((number, 3)) for number in (1, 2, 3)]
    assert shards == [specs_of((number, 3)) for number in (1, 2, 3)]
    assert [spec for spec in shards[0] if spec[0]] == [("bert-tiny", MODELS["bert-tiny"])]
    drawn = [spec for shard in shards for spec in shard if not spec[0]]
    assert len(set(drawn)) == len(drawn) == 3 * 2 * 3
    again = [specs_of((1, 1))[1:]]
    for seed in (6, 7):
        sample = Sample({}, ("encoder", "gpt"), 3, seed)
        again.append([("", one.spec) for one in results(NOBODYS, Lists(), sample)])
    assert [shards[0][1:], *shards[1:]] == again


def test_drawing_goes_on_until_the_time_is_over(monkeypatch):
    now = iter(range(1000))
    monkeypatch.setattr(results_module.time, "monotonic", lambda: next(now))
    first, second = specs_of((1, 2), 20), specs_of((2, 2), 20)
    assert len(first) == len(second) == 21
    # A shard goes on with every second seed.
    sample = Sample({}, ("encoder", "gpt"), 3, 7)
    third = [("", one.spec) for one in results(NOBODYS, Lists(), sample)]
    assert first[7:13] == third
    assert not set(first) & set(second)


def test_no_family_that_can_be_drawn_ends_a_long_run():
    refuses = Lists(refuses=lambda spec: True)
    sample = Sample({}, ("encoder", "gpt"), 3, 0, seconds=1000)
    assert [one.status for one in results(NOBODYS, refuses, sample)] == ["not expressible"] * 2


@pytest.mark.parametrize("family", FAMILIES)
def test_the_smallest_spec(family):
    """The smallest in each size, and without parts that are not needed; each is built once."""
    asked = []

    def differs(spec):
        asked.append(spec)
        return spec.hidden_size >= 6 and spec.vocab_size > 7 and not spec.tie_word_embeddings

    least = smaller_spec(fullest(FAMILIES[family]).spec, {}, differs)
    letters = least.letters()._asdict()
    assert (letters.pop("V"), letters.pop("H"), letters.pop("untied")) == (8, 6, 1)
    needed = {"mlm": 1} if family == "encoder" else {}
    assert all(letters[name] == size for name, size in needed.items())
    others = {n: one for n, one in letters.items() if n not in {*needed, "A", "G", "K", "U"}}
    assert max(others.values()) <= 1


def test_the_smallest_spec_has_heads_as_wide_as_the_one_that_differs():
    least = smaller_spec(MODELS["bert-tiny"], {}, lambda spec: head_size_of(spec) > 49)
    assert (least.hidden_size, least.num_attention_heads) == (50, 1)


def wrong_from(size):
    return added(lambda spec: extra("own", 3) if spec.vocab_size >= size else None)


def test_a_difference_of_a_named_model_shrinks():
    """Although no random spec is as large."""
    sample = Sample(MODELS, ("encoder",), 5, 0)
    *others, smallest = results(NOBODYS, wrong_from(25_000), sample)
    assert [one.failed for one in others] == [True] + [False] * 5
    assert (smallest.smallest, smallest.spec.vocab_size) == (True, 25_000)
    assert (smallest.spec.num_hidden_layers, smallest.spec.pooler) == (0, False)


def test_the_search_is_bounded(monkeypatch):
    """What Hypothesis does not find again is shown as it was drawn."""
    monkeypatch.setattr(results_module, "MAX_BUILDS", 7)
    builds = []
    own = MODELS["bert-tiny"]
    builder = added(lambda spec: builds.append(spec) or (extra("x", 1) if spec == own else None))
    *_, smallest = results(NOBODYS, builder, Sample(MODELS, (), 0, 0))
    assert smallest.spec == own
    assert len(builds) == 2 + 7 + 1  # The first is not timed, and the last is the smallest again.


def test_without_hypothesis(monkeypatch):
    """The smallest that was drawn, and how to get a smaller one."""
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    *drawn, smallest = results(NOBODYS, wrong_from(1), Sample({}, ("gpt",), 5, 0))
    assert smallest.spec == min((one.spec for one in drawn), key=lambda spec: sum(spec.letters()))
    assert "python -m pip install hypothesis" in smallest.reason


def test_a_long_run_says_how_far_it_is(monkeypatch, capsys):
    """In a file of standard error, where nobody sees bars: at most a line a minute."""
    now = iter(range(0, 1000, 25))
    monkeypatch.setattr(verify.time, "monotonic", lambda: next(now))
    assert [*verify._with_remarks("abcdefgh")] == [*"abcdefgh"]
    said = capsys.readouterr().err.splitlines()
    assert said == ["note: 3 models so far", "note: 6 models so far"]


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "1/0", "1/3/5", "-1/3", "a/b", "1/2e3"])
def test_what_is_not_a_shard(text):
    assert shard_of("3/8") == (3, 8)
    with pytest.raises(ValueError, match=r"is not I/N with I from 1 to N, such as 3/8$"):
        shard_of(text)


@pytest.fixture
def run_shard(paramproof, outsider):
    """Run one of three shards, and return its file."""

    def run(number, *arguments, status=0):
        file = f"{number}.json"
        asked = arguments or ("--framework", "toy", "--family", "encoder", "--examples", "7")
        done = paramproof("verify", *asked, "--shard", f"{number}/3", "--json", file)
        assert (done.returncode, done.stderr) == (status, "")
        return file

    return run


def test_all_shards_are_done(run_shard, paramproof):
    files = [run_shard(number) for number in (2, 3, 1)]
    done = paramproof("verify", "--summary", *files)
    assert (done.returncode, done.stderr) == (0, "")
    # The first has the named encoders, too.
    assert "33 of 33 models equal the formula, tensor by tensor\n3 of 3 shards" in done.stdout


def test_a_missing_shard_is_run_again_by_its_command(run_shard, paramproof):
    file = run_shard(2)
    done = paramproof("verify", "--summary", file)
    assert done.returncode == 1
    assert "shard 1 of 3 is missing: it was not started, or died" in done.stdout
    assert "1 of 3 shards are done" in done.stdout
    command = next(line for line in done.stdout.splitlines() if "--shard 3/3" in line)
    _, *again = shlex.split(command.partition("again: ")[2].replace("FILE", "3.json"))
    run_shard(1)
    assert paramproof(*again).returncode == 0
    assert paramproof("verify", "--summary", "1.json", "2.json", "3.json").returncode == 0


def test_a_shard_that_died(run_shard, paramproof, failing_toy):
    file = run_shard(2, "--framework", "toy-killed", "--framework", "toy", status=1)
    done = paramproof("verify", "--summary", file)
    assert done.returncode == 1
    assert "shard 2 of 3 died: toy-killed: the worker ended by SIGKILL after 2 of " in done.stdout
    assert "again: paramproof verify --framework toy-killed --framework toy " in done.stdout
    assert "0 of 3 shards are done" in done.stdout


def test_differences_stay_in_the_summary(run_shard, paramproof, tmp_path):
    """Of random models the smallest; the command shows it again."""
    file = run_shard(2, "--framework", "toy-wrong", "--family", "encoder", status=1)
    summary = json.loads((tmp_path / file).read_text())
    (failure,), (group,) = summary["failures"], summary["groups"]
    assert group["models"] == 25
    assert failure["spec"]["hidden_size"] == failure["spec"]["vocab_size"] == 1
    done = paramproof("verify", "--summary", file)
    assert "actual − formula = −L·F   feed_forward.intermediate.bias" in done.stdout
    asked = ("--framework", "toy-wrong", "--examples", "0", "--model")
    again = paramproof("verify", *asked, json.dumps(failure["spec"]))
    assert "actual − formula = −L·F   feed_forward.intermediate.bias" in again.stdout


def test_a_run_that_verified_nothing_is_not_green(run_shard, paramproof):
    files = [run_shard(n, "--framework", "toy", "--family", "gpt", status=1) for n in (1, 2, 3)]
    done = paramproof("verify", "--summary", *files)
    assert done.returncode == 1
    assert "0 of 0 models equal" in done.stdout
    assert "3 of 3 shards are done" in done.stdout


def test_files_that_are_no_summary(run_shard, refused, tmp_path):
    one = run_shard(1)
    (tmp_path / "half.json").write_text((tmp_path / one).read_text()[:-20])
    (tmp_path / "twice.json").write_text((tmp_path / one).read_text())
    whole = json.loads((tmp_path / one).read_text())
    for name, bad in (("short", {"shard": [1]}), ("text", {"groups": "x"})):
        (tmp_path / f"{name}.json").write_text(json.dumps(whole | bad))
    (tmp_path / "deep.json").write_text("[" * 10**5)
    other = run_shard(2, "--framework", "toy", "--family", "encoder", "--examples", "8")
    for file, words in {
        **{
            f"{name}.json": f"{name}.json is not what verify --shard writes"
            for name in ("half", "short", "text", "deep")
        },
        "nowhere.json": "nowhere.json: No such file or directory",
        "twice.json": "twice.json and 1.json are of the same shard, 1",
        other: "2.json is of another run than 1.json",
    }.items():
        assert words in refused("verify", "--summary", one, file)
