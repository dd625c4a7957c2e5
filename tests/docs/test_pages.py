"""The pages are complete, agree with other files, and their numbers add up."""

import doctest
import re
import shlex
import tomllib

import pytest

from docs.writers import counts, differences, evidence, formulas, versions
from docs.writers.blocks import AGAIN, MARKED, PAGES, ROOT, write_files
from paramproof.builders.registry import framework, frameworks
from paramproof.catalogue.names import release
from paramproof.cli.main import GROUPS, OTHER_NAMES, cli
from paramproof.differences.answer import RECORDED, recorded
from paramproof.formulas import FAMILIES, terms
from paramproof.formulas.families import OURS
from paramproof.formulas.models import named_configurations, named_models
from paramproof.formulas.spec import FIELDS
from paramproof.views.conventions import every_named_model, verdict_on
from paramproof.views.counted import Count
from releases import __main__ as releases
from tests.parity.cases import DTYPES
from tests.parity.differences import FORMATS
from tests.plugin import run_pytest
from tests.printed import COMPLETION_IN_BASH

TEXT = {name: path.read_text("utf-8") for name, path in PAGES.items()}


def pinned():
    """Return the versions in constraints.txt, by plain name."""
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    return dict(line.replace("_", "-").split("==") for line in lines if "==" in line)


# Commands.


def test_every_command_is_described_and_those_of_the_help_have_a_row():
    start = TEXT["commands"].partition("\n## ")[0]
    rows = re.findall(r"^\| `([a-z]+)", start, re.MULTILINE)
    listed = sorted(name for names in GROUPS.values() for name in names)
    assert sorted([*rows, *OTHER_NAMES]) == listed
    assert listed == sorted(cli.list_commands(None))
    assert all(f"`{name}`" in start for name in OTHER_NAMES)


def test_the_report_on_a_file():
    """The sample is a report that the tests of reports keep."""
    (shown,) = re.findall(r"^ {6}−.*\n {4}actual − .*$", TEXT["commands"], re.MULTILINE)
    kept = ROOT / "tests" / "paramproof" / "matching" / "__snapshots__" / "test_reports.ambr"
    assert shown.replace("\n    ", "\n  ").removeprefix("  ") in kept.read_text("utf-8")


def test_completion():
    """The line for bash is the one tested in a real bash, and each shell has a line."""
    assert f"| bash | `{COMPLETION_IN_BASH}` |" in TEXT["commands"]
    for shell in ("bash", "zsh", "fish"):
        assert re.search(rf"^\| {shell} \| `.*={shell}_source paramproof", TEXT["commands"], re.M)


@pytest.mark.parametrize("page", TEXT)
def test_options_exist(page):
    """Each option of a command in a block is one that the command has."""
    for line in TEXT[page].replace("\\\n", " ").splitlines():
        if found := re.match(r" {4,}(?:\S*/)?paramproof (\w+) (.*)", line):
            command = cli.get_command(None, found[1])
            options = {name for param in command.params for name in param.opts}
            used = {word for word in shlex.split(found[2], comments=True) if word[:2] == "--"}
            assert used <= options, line


# Guides.


def test_the_guarded_configuration(tmp_path):
    write_files(PAGES["checks"], tmp_path)
    done = run_pytest(tmp_path, "test_config.py")
    assert "1 passed" in done.stdout, done.stdout
    config = tmp_path / "config.json"
    config.write_text(config.read_text("utf-8").replace("4096", "4224"), "utf-8")
    assert "1 failed" in run_pytest(tmp_path, "test_config.py").stdout


# Formulas.


def test_the_code_of_families():
    assert doctest.testfile(str(PAGES["families"]), module_relative=False) == (0, 4)


def test_every_part_in_use_documents_its_count():
    """A helper has no tensors of its own; every part, which creates some, is on the page."""
    helpers = {"within", "repeated", "present", "tied", "own_or_tied"}
    counted = {one.__name__ for own in OURS for one in (own.inventory, own.closed_form)}
    callables = {name: value for name, value in vars(terms).items() if callable(value)}
    own = terms.__name__
    public = {name for name, one in callables.items() if getattr(one, "__module__", "") == own}
    assert public - helpers - counted == {part.__name__ for part in formulas.part_functions()}


def test_every_letter_that_is_a_size_is_a_field():
    for found in FAMILIES.values():
        sizes = [FIELDS[name] for name in found.letters._fields if name.isupper()]
        assert set(sizes) <= set(found.spec.__dataclass_fields__)


def test_published_numbers():
    found = every_named_model()
    names = [one.name for one, _ in found]
    assert names == [*named_models(), *named_configurations()]
    kinds = {one.name: counts.kind(verdict_on(one, model), one) for one, model in found}
    assert set(kinds.values()) == set(counts.KINDS)
    assert kinds["qwen3-8b"] == kinds["keras-bert-question"] == "exact"
    assert kinds["transformer-one-layer"] == "exact, under a convention"
    assert kinds["clip-vit-b-32"] == kinds["llama-65b"] == "rounded or cut off"
    assert kinds["gpt-j-6b"] == kinds["pythia-31m"] == "none"


def test_the_readme_is_short_and_leads_to_pages():
    """A package index shows it, too, so its links are addresses of the published documentation."""
    assert len(TEXT["readme"].splitlines()) <= 150
    linked = re.findall(r"\(https://[^)]*/([a-z-]+)\.html\)", TEXT["readme"])
    assert {"tutorial", "count", "evidence"} < set(linked)
    assert set(linked) - {"index"} <= set(TEXT)


def test_every_attribute_of_a_count_has_a_row():
    table = TEXT["python"].partition("| attribute |")[2].partition("\n\n")[0]
    listed = re.findall(r"`([a-z_]+)(?:\(.*?\))?`", "".join(re.findall(r"^\|(.*?)\|", table, re.M)))
    public = {name for of in Count.__mro__[:2] for name in vars(of) if not name.startswith("_")}
    assert set(listed) == public - {"name", "model"}


# Frameworks.


def test_every_framework_has_a_row():
    table = TEXT["frameworks"].partition("## Installing")[0]
    named = re.findall(r"`([a-z-]+)`", "".join(re.findall(r"^\|(.*?)\|", table, re.MULTILINE)))
    assert sorted(named) == sorted(frameworks())


def test_the_record_of_differences():
    versions, answers = recorded()
    pins = {name.lower(): version for name, version in pinned().items()}
    for name, own in versions.items():
        assert own == {of: pins[of.lower()] for of in framework(name).distributions}
    assert differences.record(versions, answers) == RECORDED.read_text("utf-8")
    assert len({one.id for one in answers}) == len(answers) > 400
    pitfalls = TEXT["frameworks"].partition("## Ask")[0]
    lines = re.findall(r"^\d+\. (.*)", pitfalls, re.MULTILINE)
    assert len(lines) >= 10
    # Each sentence names the rows that support it.
    for line in lines:
        rows = {differences.ANSWER.fullmatch(one["name"])["row"] for one in MARKED.finditer(line)}
        assert rows == set(re.findall(r"`([^`]+)`", line.rpartition("(")[2]))


FIGURES = {
    (name, dtype, kind): figure
    for name, found in evidence.parity().items()
    for dtype, kinds in found["figures"].items()
    for kind, figure in kinds.items()
}


def test_figures_of_parity_cover_everything_and_keep_to_their_bounds():
    assert set(FIGURES) == {(f, d, kind) for f in frameworks() for d in DTYPES for kind in FORMATS}
    for (name, dtype, kind), figure in FIGURES.items():
        assert figure["cases"] >= 1
        assert 0 <= figure["found"] <= figure["bound"] < 1e-2, "a bound that allows anything"
        assert figure["found"] / figure["bound"] <= figure["share"] <= 1
        if dtype == "float64":
            assert figure["found"] < FIGURES[name, "float32", kind]["bound"]
    for name, found in evidence.parity().items():
        for one, version in found["versions"].items():
            assert version.split("+")[0] == pinned()[one].split("+")[0], f"{name}: {AGAIN}"


# Releases.


def test_every_release_of_the_table_was_tried():
    there = [one.name for one in releases.releases()]
    assert len(set(there)) == len(there)
    found = releases.results(releases.VERSIONS)
    assert list(found) == there
    by_library = {}
    for one in releases.releases():
        for result in found[one.name].values():
            if "error" not in result and releases.counts(result)[0]:
                by_library.setdefault(one.library, set()).add(one.name)
    for library in ("transformers", "flax", "jax", "keras", "tensorflow"):
        assert len(by_library[library]) >= 6


def test_every_difference_of_a_release_has_its_cause():
    found = releases.results(releases.VERSIONS)
    differ = [
        (release.name, framework)
        for release in releases.releases()
        for framework, one in found[release.name].items()
        if not releases.is_whole(one)
    ]
    causes = tomllib.loads(versions.CAUSES.read_text("utf-8"))["cause"]
    said = [(n, f) for one in causes for n in one["releases"] for f in one["frameworks"]]
    assert sorted(said) == sorted(differ)
    (release,) = (one for one in releases.releases() if one.library == "torch")
    with pytest.raises(KeyError, match=f"has no cause for {release.name}, torch"):
        versions.cause(release, "torch")


def test_the_catalogue_is_compared_with_every_release_from_which_it_is_derived():
    found = releases.results(releases.CATALOGUE)
    assert list(found) == [one.name for one in releases.of_transformers()]
    (types,) = {tuple(one["types"]) for one in found.values()}
    assert len(types) == 40
    own = f"transformers=={release()}"
    assert not found[own]["otherwise"]


def test_a_summary_of_a_releases_differences():
    """Tensors and defaults are named; conditions are counted."""
    formula = 'bert: +BertModel.pooler.weight: tensor("trainable", list(key("hidden_size")))'
    lines = [formula, "bert: -BertConfig: refuse(is(key(a), null))", "bert: +BertConfig.b = 3"]
    assert releases.kept(lines) == {"lines": [formula], "others": 2}
    assert releases.kept([formula] * 50) == {"lines": [formula] * 40, "others": 10}
    found = {"types": ["bert", "llama", "t5"], "otherwise": {}}
    found["otherwise"]["bert"] = {"lines": [formula, *["BertForCats is gone"] * 4], "others": 2}
    found["otherwise"]["t5"] = {"lines": [], "others": 1}
    both = {"transformers==5.4.0": found, "transformers==5.1.0": {"error": "no"}}
    text = versions.catalogue(both)
    assert "| transformers 5.4.0 | 1 | 1 | 1 |" in text
    gone = "; ".join(["BertForCats is gone"] * 3)
    assert f"- transformers 5.4.0, `bert`: {formula}; {gone}; and 1 more.\n" in text
    assert text.endswith("- transformers 5.1.0: `no`")


def result(status, family="llama", **more):
    return {"status": status, "model": "m", "spec": {"family": family}, "reason": "", **more}


def test_a_summary_of_verify():
    report = {"formula": 10, "actual": 1234}
    results = [
        result("equal"),
        result("different", report=report),
        result("different", report={"formula": 1, "actual": 2}),
        result("not expressible", "gpt", reason="no"),
        result("broken", "gpt", reason="two\nlines"),
        {"status": "not expressible", "spec": None, "reason": "none of them"},
    ]
    one = releases.found({"versions": {"flax-nnx": {"flax": "1"}}, "results": results}, "flax-nnx")
    first = ["m", "1,234 parameters, and the formula has 10"]
    assert one == {
        "versions": {"flax": "1"},
        "families": {
            "llama": {"equal": 1, "different": 2, "first": first},
            "gpt": {"not expressible": 1, "broken": 1, "first": ["m", "two lines"]},
        },
    }
    assert (releases.counts(one), releases.is_whole(one)) == ((1, 4), False)
    broken = {"status": "broken", "spec": None, "reason": "no jax"}
    one = releases.found({"versions": {"torch": {}}, "results": [broken]}, "torch")
    assert (one, releases.is_whole(one)) == ({"versions": {}, "error": "no jax"}, False)


def test_a_release_missing_from_the_table(capsys):
    assert releases.main(["flax==0.1", "keras"]) == 2
    assert capsys.readouterr().err == "releases/table.toml does not name flax==0.1\n"


def test_uv_is_asked_for_in_one_line(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match=r"^uv is not installed; https://\S+ says how"):
        releases.main(["transformers==5.24.0", "--again"])
