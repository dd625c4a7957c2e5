"""The reader in JavaScript counts as that in Python does: all classes, and published files."""

import json
import shutil
import subprocess
from pathlib import Path

from paramproof.catalogue import program
from paramproof.catalogue.program import Catalogue, Refused
from tests.browser.conftest import require

HERE = Path(__file__).parent
CONFIGS = HERE.parent / "catalogue"
DATA = Path(program.__file__).parent / "programs"


def published(catalogue):
    for name in ("public", "released", "served"):
        for line in (CONFIGS / f"{name}.jsonl").read_text("utf-8").splitlines():
            config = json.loads(line)["config"]
            names = config.get("architectures") or [None]
            if names[0] in catalogue.index["models"]:
                yield [config, names[0]]


def counted(catalogue, config, model):
    try:
        return " ".join(map(str, catalogue.configuration(config).count(model).values()))
    except Refused as error:
        return f"refused: {' '.join(error.keys)}"


def test_both_readers_count_the_same(pytestconfig):
    node = shutil.which("node") or require(pytestconfig, "no node")
    catalogue = Catalogue(DATA)
    cases = [*published(catalogue)]
    cases += [[{"model_type": file}, name] for name, file in catalogue.index["models"].items()]
    text = "\n".join(map(json.dumps, cases))
    done = subprocess.run(
        [node, "--no-warnings", HERE / "reader.mjs", DATA],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    found = done.stdout.splitlines()

    assert len(found) == len(cases) > 1500
    for case, one in zip(cases, found, strict=True):
        assert one == counted(catalogue, *case), case
