"""The porting guide: its examples run, and its statements about storage are true."""

import numpy as np
import pytest

from paramproof.weights.files import read_weights, save_weights
from paramproof.weights.transfer import canonical_weights, stored_tensors
from tests.bitwise import assert_same, odd_weights
from tests.porting.guide import ENVIRONMENTS, FILE, SPEC, TEXT, script

QUERY = "layers.0.attention.query.kernel"


def run(name, framework=None):
    """Run the script with ``framework`` in place of every framework; return its variables."""
    source, names = script(name), {}
    for printed in ENVIRONMENTS[name] if framework else ():
        assert f'load("{printed}")' in source
        source = source.replace(f'load("{printed}")', f'load("{framework.name}")')
    exec(source, names)
    return names


def distinct_weights():
    return odd_weights(stored_tensors(SPEC).values(), "float32")


def test_from_model_to_model(framework, builder):
    names = run("transfer.py", framework)
    source, target = (canonical_weights(names[name], SPEC) for name in ("source", "target"))
    assert_same(target, source)
    ids = np.array([[3, 4, 5]], dtype="int32")
    outputs = (names[name].run(ids, ids * 0, ids != 0) for name in ("source", "target"))
    np.testing.assert_allclose(*(output.sequence for output in outputs), atol=1e-5)


def test_out_of_a_file(framework, builder, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_weights(FILE, distinct_weights(), SPEC)
    assert_same(canonical_weights(run("load.py", framework)["model"], SPEC), distinct_weights())


@pytest.mark.framework("transformers")
def test_into_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = run("save.py")["source"]
    assert_same(read_weights(FILE, SPEC), canonical_weights(source, SPEC))


def test_how_the_query_kernel_is_stored(framework, builder):
    rows = [line.strip("| ").split(" | ") for line in TEXT.splitlines() if line.startswith("|")]
    (row,) = (row for row in rows if f"`{framework.name}`" in row[0])
    names = {QUERY, QUERY.replace(".0.", ".*.")}
    (stored,) = (w for w in builder.build(SPEC).weights() if names.intersection(w.parts))
    assert row[1:3] == [f"`{stored.path}`", str(stored.shape)]
    said = {
        "q, k and v in one": len(stored.parts) == 3,
        "transposed": "transposed" in stored.layout,
        "heads split": "heads_out" in stored.layout,
        "stacked over the layers": stored.stacked,
        "as it is": not stored.layout,
    }
    assert row[3] == ", ".join(words for words, so in said.items() if so)
