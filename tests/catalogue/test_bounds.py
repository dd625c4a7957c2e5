"""Token ids must be below the sizes of tables, which a small model does not show."""

import pytest

pytestmark = pytest.mark.framework("transformers")

pytest.importorskip("transformers")

from paramproof.catalogue import entry  # noqa: E402
from sweep.fields.bounds import with_bounds  # noqa: E402
from sweep.store import read_entry  # noqa: E402


@pytest.mark.parametrize("model_type", ["lilt", "m2m_100"])
def test_the_tables_are_found(model_type):
    data = read_entry(model_type)
    found = with_bounds({key: one for key, one in data.items() if key != "below"})
    assert found["below"] == data["below"] == {"pad_token_id": "V P"}


def test_a_field_that_no_table_limits():
    """Idefics 3 reads the token at top level, but the tables have that of the text."""
    data = read_entry("idefics3")
    free = {sorts: names for sorts, names in data["free"].items() if "pad_token_id" not in names}
    found = with_bounds({**data, "free": {**free, "null": f"{free.get('null', '')} pad_token_id"}})
    assert found["free"]["null whole zero"] == "pad_token_id"


def test_the_size_of_the_table_is_refused():
    keys = {"model_type": "lilt", "max_position_embeddings": 514}
    assert entry({**keys, "pad_token_id": 513}).count == entry(keys).count
    with pytest.raises(ValueError, match="pad_token_id=514 is not supported"):
        entry({**keys, "pad_token_id": 514})
