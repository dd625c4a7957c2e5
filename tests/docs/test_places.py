"""Every marked place of every page has what fills it today."""

from dataclasses import replace

import pytest

import docs.writers.__main__ as command
from docs.writers import blocks, differences
from docs.writers.blocks import (
    AGAIN,
    KEPT,
    MARKED,
    NEEDS,
    PAGES,
    PLACES,
    TEMPLATES,
    block,
    content,
    fill,
    filled,
    places,
    script_in,
    write_files,
)
from paramproof.differences.answer import recorded
from tests.sessions import failures, printed_by

blocks.load()
# A page that needs a framework is compared in the lane of that framework.
HERE = [one for one in places() if one[0] not in NEEDS and one[0] in PAGES]


@pytest.fixture
def run(paramproof, tmp_path):
    """Run a command in a folder with a page's files."""

    def in_folder(arguments, folder):
        for file in folder.iterdir():
            (tmp_path / file.name).write_bytes(file.read_bytes())
        done = paramproof(*arguments)
        return done.stdout, done.stderr

    return in_folder


@pytest.mark.parametrize(
    ("page", "name", "text"), HERE, ids=[f"{page}-{name}"[:60] for page, name, _ in HERE]
)
def test_a_place_is_up_to_date(page, name, text, run):
    assert content(page, name, text, run) == text, f"{AGAIN} {page}"


@pytest.mark.parametrize("name", TEMPLATES.keys() - {"api", "types"})
def test_a_template_is_filled(name):
    text = filled(name)
    assert all(match["body"].strip() for match in MARKED.finditer(text))
    assert text.count("\n") > 2 * TEMPLATES[name].read_text("utf-8").count("\n")


def test_all_places_are_filled():
    assert len(HERE) > 50
    assert sum(name == "session" for _, name, _ in HERE) > 25
    named = {(page, name) for page, name, _ in places()} | KEPT
    assert named >= PLACES.keys(), "a registered place that no page has"


def test_places_are_found_and_filled(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    text = "a <!-- n -->1<!-- end --> b\n<!-- t -->\n\nold\n\n<!-- end -->\n"
    text += "`<!-- N --> <!-- end -->`\n<!-- kept -->\n\nas it is\n\n<!-- end -->\n"
    page.write_text(text, "utf-8")
    monkeypatch.setitem(PAGES, "page", page)
    for name, found in (("n", "2"), ("t", "| x |\n")):
        monkeypatch.setitem(PLACES, ("page", name), lambda found=found: found)
    monkeypatch.setattr(blocks, "KEPT", {("page", "kept")})
    fill("page")
    found = page.read_text("utf-8")
    assert found == text.replace("old", "| x |").replace(">1<", ">2<")
    assert [match["name"] for match in MARKED.finditer(found)] == ["n", "t", "kept"]
    assert (block("n", found), block("t", found)) == ("2\n", "| x |\n")
    assert block("kept", found) == "as it is\n"
    with pytest.raises(KeyError, match="no lines <!-- y -->"):
        block("y", found)
    monkeypatch.delitem(PLACES, ("page", "n"))
    with pytest.raises(KeyError):
        fill("page")


def test_only_the_given_pages_are_filled(monkeypatch):
    called = []
    monkeypatch.setattr(command, "fill", called.append)
    monkeypatch.setitem(blocks.MEASURES, "faults", lambda: called.append("measured"))
    command.main(["explain", "claims", "faults"])
    assert called == ["explain", "faults"]
    command.main(["faults", "--measure"])
    assert called[2:] == ["measured", "faults"]
    with pytest.raises(SystemExit, match="unknown page: poems"):
        command.main(["poems"])


def test_the_examples_in_python(tmp_path):
    """``tests/frameworks`` runs those that need PyTorch."""
    text = PAGES["python"].read_text("utf-8")
    assert failures(text, tmp_path, with_torch=False) == 0
    changed = text.replace("109482240", "109482241", 1)
    assert failures(changed, tmp_path, with_torch=False) == 1


def test_a_script_as_printed(tmp_path):
    text = PAGES["catalogue"].read_text("utf-8")
    write_files(PAGES["catalogue"], tmp_path)
    assert f"```text\n{printed_by('show.py', tmp_path)}```" in text


def test_the_validation_of_json_works():
    exec(script_in(PAGES["commands"].read_text("utf-8"), "validate"), {})


@pytest.mark.parametrize("section", ["shapes", "defaults", "counts"])
def test_any_other_answer_changes_the_page(section):
    """A table of the page has every fact, though sometimes in other words."""
    _, answers = recorded()
    own = [one for one in answers if one.section == section]
    was = differences.difference_table(section, answers)
    for cell in (one for one in own if one.framework in ("torch", "keras-bert")):
        for fact in cell.facts.keys() - {"asked"}:
            facts = {**cell.facts, fact: "another answer"}
            changed = [replace(cell, facts=facts) if one is cell else one for one in own]
            assert differences.difference_table(section, changed) != was, (cell.id, fact)
    assert len(own) > 30


def test_a_sentence_about_differing_frameworks_is_refused():
    _, answers = recorded()
    name = "answer keras-[jt]*: layer_norm_eps"
    assert differences.agreed(name) == "0.001"
    (own,) = (one for one in answers if one.id == "differences::keras-torch::layer_norm_eps")
    wrong = replace(own, facts=own.facts | {"answer": "1e-12"})
    with pytest.raises(ValueError, match="do not say one thing of layer_norm_eps"):
        differences.agreed(name, [wrong if one is own else one for one in answers])
