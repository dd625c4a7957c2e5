"""The command line: its tables, its exit statuses, and one clear line for a mistake."""

import json
import re
from importlib import metadata
from pathlib import Path

import pytest

from paramproof.checks.result import Result
from paramproof.formulas import FAMILIES
from paramproof.proof.prove import Proof
from tests import literals


def test_frameworks(paramproof, outsider):
    done = paramproof("frameworks")
    assert done.returncode == 0
    for name in ("torch", "keras-bert", "flax-linen", "toy"):
        assert re.search(rf"^ {name} ", done.stdout, re.MULTILINE)
    assert re.search(rf"^ toy +numpy {metadata.version('numpy')}$", done.stdout, re.MULTILINE)
    command = "toy-absent: python -m pip install a-distribution-that-nobody-has"
    assert command in paramproof("frameworks", COLUMNS="40").stdout.splitlines()


def test_verify_equal(paramproof, outsider, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("verify", "--framework", "toy", "--examples", "7", "--json", str(file))
    assert done.returncode == 0, done.stderr
    # Neither progress nor anything else if standard error is a pipe.
    assert done.stderr == ""
    assert re.search(r"109,482,240 +109,482,240 +0 ", done.stdout)
    assert re.search(r"  7 random encoder specs  ", done.stdout)
    # The toy is an encoder without heads, so it does not support every named model.
    assert re.search(r"keras-bert-question +not expressible", done.stdout)
    assert re.search(r"llama-65b +not expressible", done.stdout)
    assert "not expressible: the toy is an encoder" in done.stdout
    assert "19 of 19 models equal the formula" in done.stdout

    data = json.loads(file.read_text())
    assert (data["seed"], data["examples"]) == (0, 7)
    assert data["versions"]["toy"] == {"numpy": metadata.version("numpy")}
    results = [Result.from_json(row) for row in data["results"]]
    # 7 random encoders, and one remark for each of the other families.
    assert len(results) == len(literals.TOTALS) + 7 + 3
    refused = {result.reason for result in results if result.status == "not expressible"}
    assert refused == {"the toy has no heads", "the toy is an encoder"}
    assert {result.status for result in results} == {"equal", "not expressible"}
    assert json.loads(json.dumps([result.as_json() for result in results])) == data["results"]
    (base,) = (result for result in results if result.model == "bert-base-uncased")
    assert base.report.actual == literals.TOTALS["bert-base-uncased"]
    assert base.milliseconds > 0
    assert base.peak_mb > 1


def test_random_specs_have_the_families_of_the_models(paramproof, outsider):
    arguments = ("verify", "--framework", "toy", "--examples", "3")
    done = paramproof(*arguments, "--model", "gpt2")
    assert done.returncode == 1
    assert "not expressible: the toy is an encoder\nno model was verified" in done.stdout
    done = paramproof(*arguments, "--model", "gpt2", "--model", "bert-tiny")
    assert done.returncode == 0
    assert "4 of 4 models equal the formula" in done.stdout


def test_verify_of_some_families(paramproof, outsider):
    """Their named models and random ones, and no others."""
    arguments = ("verify", "--framework", "toy", "--examples", "3", "--json", "-")
    done = paramproof(*arguments, "--family", "llama, gpt")
    results = [Result.from_json(row) for row in json.loads(done.stdout)["results"]]
    # The toy refuses each of the models, and each family once.
    assert {result.model for result in results} == {
        *(name for name in literals.TOTALS if "gpt" in name or "llama" in name),
        "",
    }
    assert done.returncode == 1
    done = paramproof(*arguments, "--family", "encoder")
    results = [Result.from_json(row) for row in json.loads(done.stdout)["results"]]
    assert "bert-tiny" in {result.model for result in results}
    assert not {result.model for result in results} & {"gpt2", "llama-7b", "transformer-base"}
    assert [result.status for result in results if not result.model] == ["equal"] * 3


def test_random_models_have_the_given_families(paramproof, outsider):
    """And not only of the families of the named models."""
    asked = ("verify", "--framework", "toy", "--examples", "2", "--model", "bert-tiny")
    assert "the toy is an encoder" not in paramproof(*asked).stdout
    assert "the toy is an encoder" in paramproof(*asked, "--family", "encoder,gpt").stdout


def test_verify_of_families_and_models(refused, outsider):
    line = refused("verify", "--family", "llama", "--family", "encoder", "--model", "gpt2")
    assert line == "paramproof: --model gpt2 is of the family gpt, which is not in --family"


def test_verify_different(paramproof, outsider):
    done = paramproof("verify", "--framework", "toy-wrong", "--model", "bert-base")
    assert done.returncode == 1
    assert re.search(r" −36,864 +[\d.,]+ +\d+", done.stdout)  # 12 layers without their 3,072.
    assert "layers 0-11: feed_forward.intermediate.bias is missing: (3072)" in done.stdout
    assert "spec = EncoderSpec(vocab_size=30522, hidden_size=768" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "others"),
    [(("verify", "--framework", "toy"), "\n toy 2"), (("prove",), "0 of 1 pairs")],
)
def test_a_broken_framework(paramproof, outsider, arguments, others):
    """An installed but broken framework is an error, and does not affect the others."""
    done = paramproof(*arguments, "--framework", "toy-broken")
    assert done.returncode == 1
    broken = "toy-broken is installed but broken: TypeError: the toy is broken [on purpose]"
    assert broken in done.stdout
    assert others in done.stdout


def test_verify_prints_symbols(paramproof, outsider):
    done = paramproof("verify", "--framework", "toy-wrong", "--model", "bert-base")
    residual = "actual − formula = −L·F   feed_forward.intermediate.bias"
    # Once for bert-base and once for each random spec that has layers.
    assert done.stdout.count(residual) > 10


def test_prove_equal(paramproof, outsider, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("prove", "--framework", "toy", "--json", file)
    assert (done.returncode, done.stderr) == (0, "")
    polynomial = "L·(4·H² + 2·H·F + 9·H + F) + H·(V + P + T + 2) + pooler·(H² + H)"
    assert re.search(rf"^ +recovered +{re.escape(polynomial)} *$", done.stdout, re.MULTILINE)
    assert re.search(
        r"^ +encoder +proved: 2 combinations of parts, A divides H ", done.stdout, re.MULTILINE
    )
    assert re.search(r"^ +llama +not expressible: ", done.stdout, re.MULTILINE)
    assert "1 of 1 pairs of framework and family equal the formula at every size" in done.stdout

    data = json.loads(file.read_text())
    assert data["versions"]["toy"] == {"numpy": metadata.version("numpy")}
    row, *others = data["results"]
    assert {other["status"] for other in others} == {"not expressible"}
    assert [one["family"] for one in data["results"]] == list(FAMILIES)
    proof = Proof.from_json(row)
    assert (proof.status, proof.residual, proof.findings) == ("proved", "0", ())
    assert (proof.recovered, proof.parts) == (polynomial, ("pooler", "bare"))
    # The grid and the smaller one for the bare encoder, and more builds to derive the two cases.
    assert 62 + 16 <= proof.builds <= 62 + 16 + 2 * 20
    assert json.loads(json.dumps(proof.as_json())) == row


def test_prove_different(paramproof, outsider):
    done = paramproof("prove", "--framework", "toy-wrong", "--framework", "toy")
    assert done.returncode == 1
    assert re.search(r"^ +residual +−L·F *$", done.stdout, re.MULTILINE)
    (finding,) = re.findall(r"toy-wrong, encoder: pooler, bare:\n(.*)\n(.*)\n", done.stdout)
    assert finding == (
        "actual − formula = −L·F   feed_forward.intermediate.bias",
        "  missing: layers.*.feed_forward.intermediate.bias",
    )
    assert "1 of 2 pairs of framework and family equal the formula at every size" in done.stdout


def test_prove_one_family(paramproof, outsider):
    done = paramproof("prove", "--framework", "toy", "--family", "gpt")
    # Nothing was proved, so the run does not succeed.
    assert done.returncode == 1
    assert re.search(r"^ +gpt +not expressible: ", done.stdout, re.MULTILINE)
    assert "0 of 0 pairs" in done.stdout


def test_prove_a_model(paramproof, outsider, tmp_path):
    file = tmp_path / "out.json"
    done = paramproof("prove", "--framework", "toy", "--model", "bert-tiny", "--json", file)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(
        r"^ +bert-tiny +proved: 1 combination of parts, A divides H ", done.stdout, re.MULTILINE
    )
    assert "1 of 1 pairs of framework and model equal the formula at every size" in done.stdout
    (row,) = json.loads(file.read_text())["results"]
    assert (row["model"], row["family"], row["parts"]) == ("bert-tiny", "encoder", ["pooler"])


def test_prove_a_model_that_no_framework_supports(paramproof, outsider):
    done = paramproof("prove", "--framework", "toy", "--model", "gpt2")
    assert done.returncode == 1
    assert re.search(r"^ +gpt2 +not expressible: ", done.stdout, re.MULTILINE)


PROOFS = ("paramproof.derivation.pipeline", "paramproof.proof.prove")


@pytest.mark.parametrize(
    ("arguments", "slow"),
    [
        (("count", "bert-base"), ("sympy", *PROOFS)),
        (("frameworks",), ("sympy", *PROOFS)),
        (("--help",), ("sympy",)),
        (("explain", "2362368"), ("hypothesis", "numpy", "torch")),
        (("count", "gpt2", "--all-conventions"), ("hypothesis", "numpy", "torch")),
    ],
)
def test_slow_modules_are_imported_only_if_needed(paramproof, arguments, slow):
    """SymPy is slow to import, and so are the packages that derive and prove."""
    done = paramproof(*arguments, PYTHONPROFILEIMPORTTIME="1")
    assert done.returncode == 0
    imported = re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE)
    assert "paramproof.cli.main" in imported
    assert not set(slow) & set(imported)


def test_the_seed_determines_the_specs(paramproof, outsider, tmp_path):
    def specs(seed):
        file = tmp_path / f"{seed}.json"
        arguments = ("--framework", "toy", "--model", "bert-tiny", "--examples", "5")
        assert paramproof("verify", *arguments, "--seed", seed, "--json", file).returncode == 0
        return [row["spec"] for row in json.loads(file.read_text())["results"]]

    assert specs("1") == specs("1")
    assert specs("1") != specs("2")


@pytest.mark.parametrize("command", ["verify", "prove"])
def test_an_absent_framework_is_not_a_success(refused, outsider, command):
    line = refused(command, "--framework", "toy-absent")
    assert line == (
        "paramproof: not installed: toy-absent "
        "(python -m pip install a-distribution-that-nobody-has)"
    )


def test_no_arguments_print_the_help(paramproof):
    """One per line, as ``--help`` prints it, but with another status."""
    done, asked = paramproof(), paramproof("--help")
    assert (done.returncode, done.stdout) == (2, "")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert done.stderr == asked.stdout


def test_the_help_shows_an_example_that_works(paramproof):
    """Take the command from each line, without its description."""
    examples = re.findall(r"^ +paramproof (.+?)  +\S", paramproof().stderr, re.MULTILINE)
    assert examples[0] == "count bert-base"
    assert len(examples) >= 3
    for example in examples:
        # Commands that start frameworks take long: run only their help.
        start = [] if example.split()[0] in ("count", "explain", "models") else ["--help"]
        assert paramproof(*example.split(), *start).returncode == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("verify", "--framework", "tensorlow"),
            "'tensorlow': did you mean keras-tensorflow?",
        ),
        (("verify", "--family", "gtp"), "no family is named 'gtp': did you mean gpt? There are: "),
        (("verify", "--family", ""), "no family is named ''; there are: "),
        (("verify", "--family", "gpt,"), "no family is named ''; there are: "),
        (("verify", "--model", "gpt"), "no model is named 'gpt'"),
        (("verify", "--examples", "-1"), "-1 is not in the range x>=0"),
        (("verify", "--examples", "many"), "'many' is not a valid integer"),
        (("verify", "--seed", "-1"), "-1 is not in the range x>=0"),
        (
            ("verify", "--json", "nowhere/out.json"),
            "nowhere/out.json: cannot be written: its directory does not exist",
        ),
        (("verify", "--json", "."), ": cannot be written: it is a directory"),
        (
            ("prove", "--framework", "tensorlow"),
            "'tensorlow': did you mean keras-tensorflow?",
        ),
        (("prove", "--json", "nowhere/out.json"), "nowhere/out.json: cannot be written"),
        (
            ("prove", "--model", "bert-base", "--family", "gpt"),
            "--model and --family cannot be combined: a model has only one family",
        ),
        (("prove", "--model", "bert-bas"), "no model is named 'bert-bas': did you mean bert-base"),
        (("prove", "bert-base"), "Got unexpected extra argument"),
        (("verify", "--framwork", "x"), "No such option '--framwork'. Did you mean '--framework'?"),
    ],
)
def test_bad_usage(refused, arguments, words):
    assert words in refused(*arguments)


@pytest.mark.parametrize("command", [("explain", "5"), ("verify",), ("prove",), ("differences",)])
def test_an_impossible_file_is_refused_before_the_run(refused, tmp_path, command):
    (tmp_path / "file").write_text("as it was")
    (tmp_path / "astray").symlink_to(tmp_path / "nowhere" / "out.json")
    for path, reason in (
        ("nowhere/out.json", "its directory does not exist"),
        ("file/out.json", "Not a directory"),
        ("astray", "its directory does not exist"),
        (".", "it is a directory"),
        ("x" * 300, "File name too long"),
    ):
        line = refused(*command, "--json", path)
        assert line == f"paramproof: --json {path}: cannot be written: {reason}"
    assert (tmp_path / "file").read_text() == "as it was"


def test_json_is_written_to_existing_files_and_dangling_links(paramproof, tmp_path):
    """A count that is explained, so that the status is 0."""
    (tmp_path / "link").symlink_to(tmp_path / "new.json")
    (tmp_path / "old.json").write_text("as it was")
    for path in ("link", "old.json"):
        assert paramproof("explain", "2362368", "bert-base", "--json", path).returncode == 0
    written = (tmp_path / "new.json").read_text()
    assert json.loads(written)["exact"] == 2362368
    assert (tmp_path / "old.json").read_text() == written


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line(paramproof):
    done = paramproof("explain", "2362368", "bert-base", "--json", "/dev/full")
    assert done.returncode == 2
    assert done.stderr == (
        "paramproof: --json /dev/full: cannot be written: No space left on device\n"
    )
