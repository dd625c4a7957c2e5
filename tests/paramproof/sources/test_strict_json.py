"""Users' JSON: what is accepted, what is refused, and in what time and memory."""

import io
import json
import math
import os
import sys
import time
import tracemalloc

import pytest

from paramproof.formulas.errors import InvalidInput
from paramproof.sources import strict_json
from paramproof.sources.strict_json import (
    MAX_DEPTH,
    MAX_FILE_BYTES,
    object_in_file,
    object_in_text,
    require_file,
)


@pytest.fixture
def read_both(tmp_path, monkeypatch):
    """Return a function that reads bytes from a file, and from standard input, as ``None``."""

    def put(content):
        file = tmp_path / "config.json"
        file.write_bytes(content)
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        return {str(file): file, "standard input": None}

    return put


def refusal(function, *arguments, **options):
    with pytest.raises(InvalidInput) as caught:
        function(*arguments, **options)
    assert str(caught.value) == f"{caught.value.where}: {caught.value.reason}"
    assert str(caught.value).isprintable()
    return caught.value


def nested(depth, inside=""):
    """Return an object with ``depth`` nested brackets."""
    return '{"x": ' + "[" * (depth - 1) + inside + "]" * (depth - 1) + "}"


STRINGS = ["[" * 200, '\\"' + "[" * 200, "\\\\", '\\\\\\"' + "[" * 200]
"""Texts whose brackets do not count, the last of them after escapes."""

ACCEPTED = {
    nested(MAX_DEPTH): None,
    nested(2, ",".join(["[]"] * 500)): {"x": [[]] * 500},
    **{nested(2, f'"{text}"'): {"x": [json.loads(f'"{text}"')]} for text in STRINGS},
    '{"x": "\\\\", "y": "' + "[" * 200 + '"}': {"x": "\\", "y": "[" * 200},
    "\ufeff{}": {},
    '{"a": [Infinity, -Infinity, 1e999]}': {"a": [math.inf, -math.inf, math.inf]},
}


@pytest.mark.parametrize("text", ACCEPTED, ids=range(len(ACCEPTED)))
def test_objects_are_read(text):
    found = object_in_text(text, "it")
    assert found == (json.loads(text) if ACCEPTED[text] is None else ACCEPTED[text])


def test_nan_is_a_float():
    assert math.isnan(object_in_text('{"a": NaN}', "it")["a"])


@pytest.mark.parametrize(
    ("text", "reason", "key"),
    [
        ('{"a": "' + "x" * 1000, "is not JSON: ", ""),
        ("NaN", "is not a JSON object: nan", ""),
        ('"\x1b[2J"', "is not JSON: ", ""),
        ('"\\u001b[2J"', r"is not a JSON object: '\x1b[2J'", ""),
        (nested(MAX_DEPTH + 1), "is nested deeper than 100 levels", ""),
        ('{"a": 1, "size": 2, "size": 2, "b": 3, "b": 3}', "the key 'size' appears twice", "size"),
        ('{"x": [{"size": 1, "size": 2}]}', "the key 'size' appears twice", "size"),
        (f'{{"a": -{"9" * 5000}}}', "a number has too many digits for a size", ""),
    ],
    ids=range(8),
)
def test_other_texts_are_refused(text, reason, key):
    """``test_hostile`` has more of them."""
    error = refusal(object_in_text, text, "it")
    assert (error.where, error.key) == ("it", key)
    assert error.reason.startswith(reason)


def test_lists_and_objects_are_bounded(monkeypatch):
    monkeypatch.setattr(strict_json, "MAX_LISTS", 10)
    assert object_in_text(nested(2, ",".join(["{}"] * 8)), "it")
    error = refusal(object_in_text, nested(2, ",".join(["{}"] * 9)), "it")
    assert "lists and objects" in error.reason


def test_many_duplicate_keys_are_refused_quickly():
    text = "{" + ",".join(f'"k{number % 50_000}": 1' for number in range(50_001)) + "}"
    start = time.process_time()
    assert refusal(object_in_text, text, "it").key == "k0"
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'\xef\xbb\xbf{"a": 1}', ""),
        (b'{"a": 1' + b" " * (MAX_FILE_BYTES - 8) + b"}", ""),
        (b'{"a": 1' + b" " * (MAX_FILE_BYTES - 7) + b"}", "is longer than 33,554,432 bytes"),
        ("{}".encode("utf-16"), "is in UTF-16: JSON must be in UTF-8"),
    ],
    ids=range(4),
)
def test_a_file_and_standard_input_are_read_alike(content, reason, read_both):
    for where, source in read_both(content).items():
        if not reason:
            assert object_in_file(source) == {"a": 1}
        else:
            error = refusal(object_in_file, source)
            assert error.where == where
            assert error.reason.startswith(reason)


def test_a_file_of_size_0_is_read_with_a_limit():
    """As the files in /proc do."""
    error = refusal(object_in_file, "/proc/self/maps", largest=10)
    assert (error.where, "10 bytes" in error.reason) == ("/proc/self/maps", True)


MODULES = [f"model.layers.{i}.mlp.experts.{i % 128}.down_proj" for i in range(65_000)]


@pytest.mark.parametrize(
    ("text", "is_read"),
    [
        (json.dumps({"quantization_config": {"ignore": MODULES}}), True),
        ('{"x": "' + '\\"' * 500_000, False),
        ('{"x": "' + "a" * 10**6, False),
    ],
    ids=["3 MB", "escapes", "a long text"],
)
def test_long_texts_take_little_memory(text, is_read):
    tracemalloc.start()
    try:
        if is_read:
            assert object_in_text(text, "it")["quantization_config"]["ignore"] == MODULES
        else:
            refusal(object_in_text, text, "it")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(text)


def test_paths_that_are_not_files_are_refused(tmp_path):
    loop, dangling, fifo, link = (tmp_path / name for name in ("loop", "dangling", "fifo", "link"))
    loop.symlink_to(loop)
    dangling.symlink_to(tmp_path / "absent")
    os.mkfifo(fifo)
    reasons = {
        tmp_path: "is a directory: name a file in it",
        tmp_path / "absent": "does not exist",
        tmp_path / "absent" / "config.json": "does not exist",
        "x" * 300: "does not exist",
        "a\0b": "does not exist",
        "/dev/null": "is not a regular file",
        fifo: "is not a regular file",
        loop: "cannot be read: Too many levels of symbolic links",
        dangling: "cannot be read: No such file or directory",
    }
    for path, reason in reasons.items():
        for function in (require_file, object_in_file):
            assert refusal(function, path).reason == reason
    (tmp_path / "file").write_text("{}")
    link.symlink_to(tmp_path / "file")
    assert object_in_file(link) == {}


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert refusal(object_in_file, None).reason == "is closed"
