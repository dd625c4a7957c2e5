"""Weights in files: what was saved is loaded, and anything else is one clear error."""

import json
import os
import struct
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paramproof.weights.files import read_weights, save_weights
from paramproof.weights.transfer import stored_tensors
from tests.bitwise import assert_same, odd_weights
from tests.checkpoints import header as checkpoint_header
from tests.profiles import one_in
from tests.specs import SMALL_ENCODER as SPEC
from tests.strategies import encoder_specs


def weights_of(spec, dtype="float32"):
    return odd_weights(stored_tensors(spec).values(), dtype)


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    path = tmp_path_factory.mktemp("good") / "weights"
    save_weights(path, weights_of(SPEC), SPEC)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path):
    return tmp_path / "weights.safetensors"


def refused(path, message, spec=SPEC):
    with pytest.raises(ValueError) as error:  # noqa: PT011
        read_weights(path, spec)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@one_in(5)
@given(spec=encoder_specs(), dtype=st.sampled_from(["float32", "float64"]))
def test_round_trip(tmp_path_factory, spec, dtype):
    path = tmp_path_factory.mktemp("trip") / "weights"
    save_weights(path, weights_of(spec, dtype), spec)
    assert_same(read_weights(path, spec), weights_of(spec, dtype))


def bfloat16(bits):
    """Return the value by definition: a sign, eight bits of exponent, seven of fraction."""
    sign, exponent, fraction = bits >> 15, bits >> 7 & 255, (bits & 127) / 128
    size = 2.0**-126 * fraction if exponent == 0 else 2.0 ** (exponent - 127) * (1 + fraction)
    return -size if sign else size


HALVES = {
    "F16": lambda array: array.view("<f2").astype("float32"),
    "BF16": lambda array: np.vectorize(bfloat16, otypes=["float32"])(array.astype(int)),
}

EXPONENT = {"F16": 31 << 10, "BF16": 255 << 7}
"""The exponent's bits, which are all set in infinities and NaN."""


@pytest.mark.parametrize("kind", HALVES)
def test_half_precision_is_read_exactly(path, kind):
    bits = np.arange(2**16, dtype="<u2")
    bits = bits[bits & EXPONENT[kind] != EXPONENT[kind]]
    spec = replace(SPEC, vocab_size=-(-len(bits) // SPEC.hidden_size))
    shapes = {name: tensor.shape for name, tensor in stored_tensors(spec).items()}
    halves = {name: np.resize(bits, shape) for name, shape in shapes.items()}
    record = json.dumps({"family": "encoder", **asdict(spec)})
    text, _ = checkpoint_header(shapes, {"spec": record}, dtype=kind, size=2)
    path.write_bytes(text + b"".join(array.tobytes() for array in halves.values()))
    assert_same(
        read_weights(path, spec), {name: HALVES[kind](array) for name, array in halves.items()}
    )


def test_the_order_of_memory_does_not_matter(path):
    """A transposed view, such as PyTorch's kernels, keeps its own shape and values."""
    arrays = {name: np.asfortranarray(array) for name, array in weights_of(SPEC).items()}
    save_weights(path, arrays, SPEC)
    assert_same(read_weights(path, SPEC), arrays)


def test_weights_of_another_spec_are_refused_by_name(path):
    save_weights(path, weights_of(SPEC), SPEC)
    other = replace(SPEC, num_attention_heads=2, pooler=False)
    refused(path, "weights of num_attention_heads=3, not 2; pooler=True, not False", other)


def header(change):
    def spoil(content):
        (size,) = struct.unpack("<Q", content[:8])
        entries = json.loads(content[8 : 8 + size])
        change(entries)
        text = json.dumps(entries).encode()
        return struct.pack("<Q", len(text)) + text + content[8 + size :]

    return spoil


def with_fields(**fields):
    return header(lambda entries: entries["pooler.kernel"].update(fields))


def with_record(spec):
    return header(lambda entries: entries.update(__metadata__={"spec": spec}))


INFINITE = struct.pack("<f", np.inf)
SPOILT = {
    # tests/paramproof/sources has other files that are not safetensors.
    "cut short": (lambda content: content[:-1], "safetensors"),
    "huge shape": (with_fields(shape=[2**62, 2**62]), "safetensors"),
    "shape turned": (with_fields(shape=[9, 4]), "kernel has shape (9, 4), not"),
    "other dtype": (
        with_fields(dtype="I16", shape=[12, 6]),
        "pooler.kernel is I16; weights are F32 or F64 or F16 or BF16",
    ),
    "integers": (with_fields(dtype="I32"), "pooler.kernel is I32"),
    "renamed": (
        header(lambda entries: entries.update(nobody=entries.pop("pooler.bias"))),
        "pooler.bias is missing; nobody is not a weight",
    ),
    "infinite": (lambda content: content[:-4] + INFINITE, "kernel has NaN or infinite values"),
    "no spec": (header(lambda entries: entries.pop("__metadata__")), "of what spec"),
    "nonsense for a spec": (with_record("[" * 99999), "of what spec"),
    "a list for a spec": (with_record("[1]"), "of what spec"),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_file(path, content, how):
    spoil, message = SPOILT[how]
    path.write_bytes(spoil(content))
    refused(path, message)


@given(data=st.data())
def test_a_file_with_any_bytes_changed(tmp_path_factory, content, data):
    """Either it is refused, or only values changed and the shapes are intact."""
    path = tmp_path_factory.mktemp("bytes") / "weights"
    spoilt = bytearray(content)
    (size,) = struct.unpack("<Q", content[:8])
    for place in data.draw(st.lists(st.integers(0, 8 + size - 1), min_size=1, max_size=3)):
        spoilt[place] = data.draw(st.integers(0, 255))
    path.write_bytes(bytes(spoilt))
    try:
        arrays = read_weights(path, SPEC)
    except ValueError as error:
        assert str(error).startswith(f"{path}: ")  # noqa: PT017
    else:
        shapes = {name: array.shape for name, array in arrays.items()}
        assert shapes == {name: tensor.shape for name, tensor in stored_tensors(SPEC).items()}


def test_paths_that_are_not_files_are_refused(tmp_path):
    refused(tmp_path, "no such file")
    refused(tmp_path / "absent", "no such file")


WRONG = {
    "pooler.bias is missing": ("pooler.bias", None),
    "pooler.bias has NaN": ("pooler.bias", np.full(6, np.nan, "f4")),
    "pooler.bias is float64, not float32": ("pooler.bias", np.zeros(6)),
    "embeddings.word_embeddings.weight is float16": (
        "embeddings.word_embeddings.weight",
        np.zeros((11, 6), "float16"),
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_bad_weights_leave_the_file_as_it_was(path, wrong):
    path.write_text("precious")
    name, array = WRONG[wrong]
    arrays = {n: one for n, one in (weights_of(SPEC) | {name: array}).items() if one is not None}
    with pytest.raises(ValueError, match=f"^the weights do not fit: {wrong}"):
        save_weights(path, arrays, SPEC)
    assert path.read_text() == "precious"
    assert os.listdir(path.parent) == [path.name]


def test_a_file_appears_whole_or_not_at_all(path, monkeypatch):
    def interrupted(arrays, filename, metadata):
        filename.write_bytes(b"half")
        raise OSError("no space left on device")

    path.write_text("precious")
    monkeypatch.setattr("paramproof.weights.files.save_file", interrupted)
    with pytest.raises(OSError, match="no space"):
        save_weights(path, weights_of(SPEC), SPEC)
    assert path.read_text() == "precious"
    monkeypatch.undo()
    save_weights(path, weights_of(SPEC), SPEC)
    assert_same(read_weights(path, SPEC), weights_of(SPEC))
    assert os.listdir(path.parent) == [path.name]
