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
    object_on_standard_input,
    require_file,
)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config.json"


@pytest.fixture
def feed(monkeypatch):
    """Return a function that puts bytes on standard input."""

    def put(content):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

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


def test_json_is_read_up_to_a_depth():
    assert "x" in object_in_text(nested(MAX_DEPTH), "it")
    error = refusal(object_in_text, nested(MAX_DEPTH + 1), "it")
    assert (error.where, error.reason) == ("it", "is nested deeper than 100 levels")


@pytest.mark.parametrize("text", ["[" * 200, '\\"' + "[" * 200, "\\\\", '\\\\\\"' + "[" * 200])
def test_brackets_in_text_do_not_count(text):
    assert object_in_text(nested(2, f'"{text}"'), "it") == {"x": [json.loads(f'"{text}"')]}


def test_text_may_end_in_a_backslash():
    assert object_in_text('{"x": "\\\\", "y": "' + "[" * 200 + '"}', "it")["x"] == "\\"


def test_values_side_by_side_are_not_deep():
    assert len(object_in_text(nested(2, ",".join(["[]"] * 500)), "it")["x"]) == 500


def test_lists_and_objects_are_bounded(monkeypatch):
    monkeypatch.setattr(strict_json, "MAX_LISTS", 10)
    assert object_in_text(nested(2, ",".join(["{}"] * 8)), "it")
    error = refusal(object_in_text, nested(2, ",".join(["{}"] * 9)), "it")
    assert "lists and objects" in error.reason


@pytest.mark.parametrize(
    ("written", "value"),
    [("Infinity", math.inf), ("-Infinity", -math.inf), ("1e999", math.inf), ("NaN", math.nan)],
)
def test_floats_that_python_writes_are_read(written, value):
    found = object_in_text(f'{{"time_step_limit": [0.0, {written}]}}', "it")["time_step_limit"][1]
    assert type(found) is float
    assert found == value or (math.isnan(found) and math.isnan(value))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "is empty"),
        (" \n", "is empty"),
        ("{" * 3, "is not JSON: "),
        ('{"a": 1} {}', "is not JSON: "),
        ('{"a": "' + "x" * 1000, "is not JSON: "),
        ("[1]", "is not a JSON object: [1]"),
        ("NaN", "is not a JSON object: nan"),
        ('"\x1b[2J"', "is not JSON: "),
        ('"\\u001b[2J"', r"is not a JSON object: '\x1b[2J'"),
    ],
)
def test_other_values_than_objects_are_refused(text, reason):
    error = refusal(object_in_text, text, "it")
    assert (error.where, error.key) == ("it", "")
    assert error.reason.startswith(reason)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "size": 2, "size": 2, "b": 3, "b": 3}',
        '{"x": [{"size": 1, "size": 2}]}',
    ],
)
def test_a_duplicate_key_is_named(text):
    error = refusal(object_in_text, text, "it")
    assert (error.key, error.reason) == ("size", "the key 'size' appears twice")


def test_many_duplicate_keys_are_refused_quickly():
    text = "{" + ",".join(f'"k{number % 50_000}": 1' for number in range(50_001)) + "}"
    start = time.process_time()
    assert refusal(object_in_text, text, "it").key == "k0"
    assert time.process_time() - start < 5


@pytest.mark.parametrize("number", ["1" + "0" * 4999, "-" + "9" * 5000])
def test_an_int_of_too_many_digits_is_not_a_size(number):
    """The longest number counts; digits inside a text do not."""
    text = f'{{"note": "{"1" * 9000}", "other": 123, "hidden_size": {number}}}'
    assert refusal(object_in_text, text, "it").reason == "a number of 5,000 digits is not a size"


def test_a_byte_order_mark_is_ignored(file, feed):
    content = b'\xef\xbb\xbf{"a": 1}'
    file.write_bytes(content)
    feed(content)
    assert object_in_file(file) == {"a": 1}
    assert object_on_standard_input() == {"a": 1}
    assert object_in_text("\ufeff{}", "it") == {}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{}".encode("utf-16"), "is in UTF-16: JSON must be in UTF-8"),
        (b'{"a": "\xff"}', "is not text in UTF-8: JSON must be in UTF-8"),
        (b"[1]", "is not a JSON object: [1]"),
        (b'{"a": 1, "a": 1}', "the key 'a' appears twice"),
        (nested(MAX_DEPTH + 1).encode(), "is nested deeper than 100 levels"),
    ],
)
def test_a_file_and_standard_input_are_named(content, reason, file, feed):
    file.write_bytes(content)
    feed(content)
    error = refusal(object_in_file, file)
    assert (error.where, error.reason) == (str(file), reason)
    error = refusal(object_on_standard_input)
    assert (error.where, error.reason) == ("standard input", reason)


def test_files_are_read_up_to_a_length(file, feed):
    assert MAX_FILE_BYTES == 2**25
    content = b'{"a": 1' + b" " * (MAX_FILE_BYTES - 8) + b"}"
    for more in (b"", b" "):
        file.write_bytes(content + more)
        feed(content + more)
        if not more:
            assert object_in_file(file) == object_on_standard_input() == {"a": 1}
        else:
            assert "33,554,432 bytes" in refusal(object_in_file, file).reason
            assert "33,554,432 bytes" in refusal(object_on_standard_input).reason


def test_a_file_of_size_0_is_read_with_a_limit(tmp_path):
    """As the files in /proc do."""
    error = refusal(object_in_file, "/proc/self/maps", largest=10)
    assert (error.where, "10 bytes" in error.reason) == ("/proc/self/maps", True)


def test_three_megabytes_are_read_in_little_memory(file):
    modules = [f"model.layers.{i}.mlp.experts.{i % 128}.down_proj" for i in range(65_000)]
    file.write_text(json.dumps({"quantization_config": {"ignore": modules}}))
    assert file.stat().st_size > 3e6
    tracemalloc.start()
    try:
        found = object_in_file(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found["quantization_config"]["ignore"] == modules
    assert peak < 8 * file.stat().st_size


@pytest.mark.parametrize("text", ['{"x": "' + '\\"' * 500_000, '{"x": "' + "a" * 10**6])
def test_a_long_text_takes_little_memory(text):
    tracemalloc.start()
    try:
        refusal(object_in_text, text, "it")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8 * len(text)


def test_paths_that_are_not_files_are_refused(tmp_path):
    loop, dangling = tmp_path / "loop", tmp_path / "dangling"
    loop.symlink_to(loop)
    dangling.symlink_to(tmp_path / "absent")
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reasons = {
        tmp_path: "is a directory: name a file in it",
        tmp_path / "absent": "does not exist",
        tmp_path / "absent" / "config.json": "does not exist",
        "x" * 300: "does not exist",
        "a\0b": "does not exist",
        "/dev/null": "is not a regular file",
        fifo: "is not a regular file",
        loop: "is a loop of symbolic links",
        dangling: "is a symbolic link to a missing file",
    }
    for path, reason in reasons.items():
        for function in (require_file, object_in_file):
            assert refusal(function, path).reason == reason


def test_a_link_to_a_file_is_read(file, tmp_path):
    file.write_text("{}")
    (tmp_path / "link").symlink_to(file)
    assert object_in_file(tmp_path / "link") == {}


def test_closed_standard_input(monkeypatch):
    monkeypatch.setattr(sys, "stdin", None)
    assert refusal(object_on_standard_input).reason == "is closed"
