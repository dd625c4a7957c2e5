"""An error that is planted in a view is a difference from the view's oracle."""

import pytest

from paramproof.following import adapters, caches, dtypes, ranks, stored
from tests.following import test_adapters, test_caches, test_ranks, test_stored
from tests.following.conftest import Comparisons
from tests.planted import plant

pytestmark = [pytest.mark.framework("transformers"), pytest.mark.filterwarnings("ignore")]

OTHER_DTYPE = "return original(*args)._replace(dtype='')"
OTHER_PLACE = "return original(*args[:2], args[1] - 1 - args[2])"

ERRORS = [
    ("adapters", test_adapters, "gemma", adapters, "head_of", "return ''"),
    ("caches", test_caches, "gpt_oss", caches, "window_of", "return 0"),
    ("dtypes", test_stored, "glm4_moe", dtypes, "module_of", OTHER_DTYPE),
    ("ranks", test_ranks, "llama", ranks, "share", OTHER_PLACE),
    ("stored", test_stored, "llama", stored, "packed_size", "return 1 + original(*args)"),
]


@pytest.mark.parametrize(("view", "tests", "model_type", "module", "name", "error"), ERRORS)
def test_an_error_is_seen(view, tests, model_type, module, name, error, monkeypatch):
    tests.test_drawn_models(model_type, 0, Comparisons())
    plant(monkeypatch, module, name, error)
    with pytest.raises(AssertionError, match=f"^{view}: "):
        tests.test_drawn_models(model_type, 0, Comparisons())
