"""Our reader accepts and refuses the same headers as the reference implementation."""

import json
import struct
import time
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import SafetensorError, safe_open

from paramproof.sources.checkpoints import BITS, MAX_HEADER_BYTES, NotSafetensors, read_header

DTYPES = [*BITS, "F128", "f32", ""]
SIZES = st.one_of(st.integers(0, 5), st.sampled_from([-1, 2**31, 2**62, 2**64 - 1, 2**64, 2**70]))
ODD = st.one_of(st.none(), st.booleans(), st.floats(0, 3), st.text(max_size=3), st.just([[1]]))


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("files") / "model.safetensors"


def write_file(file, entries, length, content=0):
    text = entries if isinstance(entries, bytes) else json.dumps(entries).encode()
    file.write_bytes(struct.pack("<Q", len(text) + length) + text + b"\0" * content)


def reference(file):
    """Return what the reference implementation reads, None if it refuses the file."""
    try:
        with safe_open(file, framework="numpy") as found:
            tensors = {name: found.get_slice(name) for name in found.keys()}  # noqa: SIM118
            shapes = {n: (t.get_dtype(), tuple(t.get_shape())) for n, t in tensors.items()}
            return list(shapes.items()), found.metadata() or {}
    except (SafetensorError, OSError):
        return None


def ours(file):
    try:
        found = read_header(file)
    except ValueError:
        return None
    shapes = {name: (entry.dtype, entry.shape) for name, entry in found.tensors.items()}
    return list(shapes.items()), dict(found.metadata)


@st.composite
def layouts(draw):
    """Draw headers of a few consecutive tensors, and the number of bytes of these."""
    entries, end = {}, 0
    for name in draw(st.lists(st.text(max_size=4), max_size=4, unique=True)):
        dtype = draw(st.sampled_from(list(BITS)))
        shape = draw(st.lists(st.integers(0, 4), max_size=3))
        start, end = end, end + BITS[dtype] * prod(shape) // 8
        entries[name] = {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}
    return entries, end


@st.composite
def damaged(draw):
    """Draw such a header with one field changed, and perhaps a byte more or less at the end."""
    entries, end = draw(layouts())
    if entries and draw(st.booleans()):
        entry = entries[draw(st.sampled_from(list(entries)))]
        change = {
            "dtype": st.one_of(st.sampled_from(DTYPES), ODD),
            "shape": st.one_of(st.lists(st.one_of(SIZES, ODD), max_size=3), ODD),
            "data_offsets": st.one_of(st.lists(SIZES, min_size=1, max_size=3), ODD),
        }
        field = draw(st.sampled_from(list(change)))
        entry[field] = draw(change[field])
    if draw(st.booleans()):
        texts = st.dictionaries(st.text(max_size=2), st.text(max_size=2), max_size=2)
        entries["__metadata__"] = draw(st.one_of(texts, ODD, st.just({"a": 1})))
    return entries, max(0, end + draw(st.sampled_from([0, 0, 0, -1, 1])))


@given(layouts())
def test_valid_files_are_read_the_same(file, layout):
    entries, end = layout
    write_file(file, entries, 0, end)
    assert ours(file) == reference(file)


@given(damaged(), st.sampled_from([0, 0, 0, -1, 1]))
def test_damaged_files_are_refused_by_both(file, layout, length):
    entries, content = layout
    write_file(file, entries, length, content)
    assert ours(file) == reference(file)


ONE = {"dtype": "U8", "shape": [4], "data_offsets": [0, 4]}
CHANGED = [
    *({"shape": one} for one in ([True, 4], [1.0, 4], 4, {"4": 4})),
    *({"data_offsets": one} for one in ([False, 4], [0, 4, 4])),
    *({"dtype": one} for one in (None, [])),
]
DAMAGED = [
    *({"a": {**ONE, **changed}} for changed in CHANGED),
    *({"__metadata__": texts} for texts in ({"a": 1}, {"a": None}, [], "a")),
    # Tensors that share their bytes, and a gap between tensors.
    {"a": ONE, "b": ONE},
    {"a": ONE, "b": {**ONE, "data_offsets": [5, 9]}},
]


@pytest.mark.parametrize("entries", DAMAGED, ids=repr)
def test_wrong_entries_are_refused(file, entries):
    ends = [one["data_offsets"][-1] for name, one in entries.items() if name != "__metadata__"]
    write_file(file, entries, 0, max(ends, default=0))
    assert reference(file) is None
    with pytest.raises(NotSafetensors):
        read_header(file)


@pytest.mark.parametrize(
    "text",
    [b"", b"[]", b"{}", b" {}", b"{} ", b"\xef\xbb\xbf{}", b"\xff{}", b'{"a":NaN}', b"null"],
    ids=repr,
)
def test_headers_that_are_nearly_json(file, text):
    write_file(file, text, 0)
    assert ours(file) == reference(file)


def test_tensors_come_in_the_order_of_their_names(file):
    one = {"dtype": "U8", "shape": [], "data_offsets": [0, 1]}
    write_file(file, {"b": one, "a": {**one, "data_offsets": [1, 2]}}, 0, 2)
    assert ours(file) == reference(file) == ([("a", ("U8", ())), ("b", ("U8", ()))], {})


def test_a_header_longer_than_the_limit_is_not_read(file):
    """The file is a hole, and takes no space."""
    length = MAX_HEADER_BYTES + 1
    with file.open("wb") as out:
        out.write(struct.pack("<Q", length))
        out.truncate(8 + length)
    assert reference(file) is None
    start = time.process_time()
    with pytest.raises(NotSafetensors):
        read_header(file)
    assert time.process_time() - start < 1


def test_a_shape_of_very_many_lengths_is_refused_at_once(file):
    shape = [2**63] * 100_000
    write_file(file, {"a": {"dtype": "U8", "shape": shape, "data_offsets": [0, 4]}}, 0, 4)
    start = time.process_time()
    with pytest.raises(NotSafetensors):
        read_header(file)
    assert time.process_time() - start < 5


def test_all_dtypes_of_the_reference_are_known(file):
    for dtype, bits in BITS.items():
        entry = {"dtype": dtype, "shape": [8], "data_offsets": [0, bits]}
        write_file(file, {"a": entry}, 0, bits)
        assert ours(file) == reference(file) == ([("a", (dtype, (8,)))], {})
