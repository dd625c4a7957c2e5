"""Shards, malformed files, and pickles, which are never opened."""

import json
import pickle
import struct
import time

import pytest

from paramproof import compare
from paramproof.sources.checkpoints import checkpoint
from tests.checkpoints import GROUPED, header, sharded, write


@pytest.fixture
def file(tmp_path):
    return tmp_path / "model.safetensors"


def test_shards(tmp_path):
    index, _ = sharded(tmp_path, GROUPED, 5)
    found = checkpoint(index)
    assert compare(found, GROUPED).equal
    assert (found.shards, found.dtypes) == (5, ("BF16",))


def test_a_directory(tmp_path):
    """Its index counts, or else its only file."""
    index, _ = sharded(tmp_path, GROUPED, 2)
    assert checkpoint(tmp_path) == checkpoint(index)
    index.unlink()
    assert refusal(tmp_path) == (
        f"{tmp_path}: has several checkpoints: name one of "
        "model-00001-of-00002.safetensors, model-00002-of-00002.safetensors"
    )
    alone = tmp_path / "alone"
    alone.mkdir()
    file = write(alone / "any.safetensors", {"w": (2, 3)})
    assert checkpoint(str(alone)) == checkpoint(file)


def refusal(path):
    with pytest.raises(ValueError, match=r".") as caught:
        checkpoint(path)
    (line,) = str(caught.value).splitlines()
    return line


def test_an_index_and_its_shards_may_not_contradict_each_other(tmp_path):
    index, weight_map = sharded(tmp_path, GROUPED, 3)
    name, shard = next(iter(weight_map.items()))

    def refused(changed):
        index.write_text(json.dumps({"weight_map": changed}))
        return refusal(index).removeprefix(f"{tmp_path}/")

    assert refused(weight_map | {"more": shard}) == (
        f"{shard} does not have 'more', which the index assigns to it"
    )
    less = {key: value for key, value in weight_map.items() if key != name}
    assert refused(less) == f"{shard} has {name!r}, which the index does not assign to it"
    assert refused(weight_map | {name: "absent.safetensors"}) == (
        "model.safetensors.index.json names the shard absent.safetensors, which does not exist"
    )
    for strange in ("../secret.safetensors", "/etc/passwd", "a/b", "", "..", 3, None):
        assert f"{strange!r} is not a file name" in refused({name: strange})
    (tmp_path / "x.bin").write_bytes(b"")
    assert "is a pickle by its name" in refused({name: "x.bin"})
    assert "weight_map is missing" in refused({})
    assert "weight_map is missing" in refused([name])


GOOD, LENGTH = header({"w": (2, 3)})
PICKLE = pickle.dumps({"w": [1.0] * 100})


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (GOOD + b"\0" * (LENGTH - 1), f"a file of {len(GOOD) + LENGTH} bytes"),
        (GOOD + b"\0" * (LENGTH + 1), f"a file of {len(GOOD) + LENGTH} bytes"),
        (struct.pack("<Q", 10_000) + GOOD[8:], "its header would have 10,000 bytes, but the file"),
        (b"", "it has only 0 bytes, and the length of its header takes 8"),
        (b"1234567", "it has only 7 bytes, and the length of its header takes 8"),
        (b"no tensors, but a text of some length", "its header would have 8,030,8"),
        (PICKLE, "it begins as a pickle; it may run code, so it is never opened here: convert"),
        (b"PK\x03\x04" + b"\0" * 30, "it begins as a pickle; it may run code"),
        (GOOD.replace(b"[2, 3]", b"[2, 4]") + b"\0" * LENGTH, "F32 of shape [2, 4]"),
        (GOOD.replace(b"[2, 3]", b"[2,-3]") + b"\0" * LENGTH, "the shape [2, -3]"),
    ],
    ids=range(10),
)
def test_incomplete_files_are_refused(content, words, file):
    file.write_bytes(content)
    line = refusal(file)
    assert line.startswith(f"{file} is not a complete safetensors file: ")
    assert words in line


def test_a_header_that_is_not_json(file):
    file.write_bytes(struct.pack("<Q", 8) + b"{no json")
    assert refusal(file).startswith(f"the header of {file}: is not JSON: ")


@pytest.mark.parametrize("suffix", [".bin", ".pt", ".ckpt"])
def test_a_pickle_is_not_even_opened(suffix, tmp_path):
    class Bomb:
        def __reduce__(self):
            return (tmp_path.joinpath("run").write_text, ("code",))

    path = tmp_path / f"pytorch_model{suffix}"
    path.write_bytes(pickle.dumps(Bomb()))
    path.chmod(0)
    assert "is a pickle by its name; it may run code, so it is never opened here" in refusal(path)
    assert not (tmp_path / "run").exists()


def test_paths_that_are_not_files_are_refused(tmp_path):
    assert "is a directory without a safetensors file" in refusal(tmp_path)
    assert refusal(tmp_path / "absent") == f"{tmp_path / 'absent'}: does not exist"
    assert refusal(tmp_path / "absent.json") == f"{tmp_path / 'absent.json'}: does not exist"


def test_a_duplicate_name_in_a_header(file):
    entry = b'"w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}'
    text = b"{" + entry + b"," + entry + b"}"
    file.write_bytes(struct.pack("<Q", len(text)) + text + b"\0" * 24)
    assert refusal(file) == f"the header of {file}: the key 'w' appears twice"


def test_quoted_names_are_printable(tmp_path):
    """From a header, an index, and a file's name."""
    bad = tmp_path / "\x1b[2J.safetensors"
    content = GOOD.replace(b"F32", b"\\u001b[2J" + b"x" * 10**6)
    length = struct.pack("<Q", len(content) - 8)
    bad.write_bytes(length + content[8:] + b"\0" * LENGTH)
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"w": "\x1b[2J" + "x" * 200}}))
    for path in (bad, index, tmp_path / "\x1b[2J", tmp_path / "\x1b[2J.json"):
        line = refusal(path)
        assert line.isprintable()
        assert len(line) < 1000


def test_an_index_with_many_names_is_read_quickly(tmp_path):
    """In time proportional to the number of names, not to its square."""
    names = {f"tensor_{number}": (1,) for number in range(50_000)}
    write(tmp_path / "a.safetensors", names)
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": dict.fromkeys(names, "a.safetensors")}))
    start = time.process_time()
    assert len(checkpoint(index).tensors) == len(names)
    assert time.process_time() - start < 10
