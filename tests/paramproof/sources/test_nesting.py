import pytest

from paramproof.sources.strict_json import MAX_DEPTH, object_in_text


def nested(depth, inside=""):
    """An object with so many brackets within each other."""
    return '{"x": ' + "[" * (depth - 1) + inside + "]" * (depth - 1) + "}"


def test_json_is_read_up_to_a_depth():
    assert "x" in object_in_text(nested(MAX_DEPTH), "it")
    with pytest.raises(ValueError, match="it is no JSON that can be read: it is nested too deep"):
        object_in_text(nested(MAX_DEPTH + 1), "it")


@pytest.mark.parametrize("text", ["[" * 200, '\\"' + "[" * 200, "\\\\"])
def test_brackets_in_a_text_are_none(text):
    assert object_in_text(nested(2, f'"{text}"'), "it") == {
        "x": [text.replace("\\\\", "\\").replace('\\"', '"')]
    }


def test_what_stands_side_by_side_is_not_deep():
    assert len(object_in_text(nested(2, ",".join(["[]"] * 500)), "it")["x"]) == 500
