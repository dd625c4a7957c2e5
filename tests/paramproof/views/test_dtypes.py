"""Sizes in bytes for a dtype, and the spellings of dtypes."""

import re

import pytest

from paramproof.bytes import BITS, SPELLINGS, bytes_of, bytes_text, require_dtype
from paramproof.formulas.errors import UnknownName


@pytest.mark.parametrize(
    ("number", "dtype", "text"),
    [
        (109_482_240, "float32", "4 bytes each: 437,928,960 bytes, 437.93 MB, 417.64 MiB"),
        (109_482_240, "bfloat16", "2 bytes each: 218,964,480 bytes, 218.96 MB, 208.82 MiB"),
        (109_482_240, "int8", "1 byte each: 109,482,240 bytes, 109.48 MB, 104.41 MiB"),
        (109_482_241, "int4", "2 in a byte: 54,741,121 bytes, 54.74 MB, 52.21 MiB"),
        (175 * 10**9, "float64", "8 bytes each: 1,400,000,000,000 bytes, 1.40 TB, 1.27 TiB"),
        (255, "float32", "4 bytes each: 1,020 bytes, 1.02 kB"),
        (128, "float64", "8 bytes each: 1,024 bytes, 1.02 kB, 1.00 KiB"),
        (999, "float8", "1 byte each: 999 bytes"),
        (10**9, "int8", "1 byte each: 1,000,000,000 bytes, 1.00 GB, 953.67 MiB"),
        (2**30, "int8", "1 byte each: 1,073,741,824 bytes, 1.07 GB, 1.00 GiB"),
    ],
)
def test_bytes(number, dtype, text):
    """Decimal units are kB, MB, GB, TB; binary ones KiB, MiB, GiB, TiB."""
    assert bytes_text(number, dtype) == f"{dtype}, {text}"


def test_bits():
    """A last byte that is partly used counts."""
    assert {dtype: int(re.search(r"\d+$", dtype)[0]) for dtype in BITS} == BITS
    assert [bytes_of(number, "int4") for number in range(5)] == [0, 1, 1, 2, 2]


OTHERS = {
    **{"bf16": "bfloat16", "BF16": "bfloat16", "torch.bfloat16": "bfloat16", "fp16": "float16"},
    **{"half": "float16", "fp32": "float32", "f32": "float32", "fp8": "float8", "INT4": "int4"},
    **{"float8_e4m3fn": "float8", "nf4": "float4", "mxfp4": "float4", "float4": "float4"},
}


def test_other_spellings():
    """Each means exactly one dtype."""
    assert {name: require_dtype(name) for name in OTHERS} == OTHERS
    assert all(bytes_text(999, name) == bytes_text(999, OTHERS[name]) for name in OTHERS)
    assert set(SPELLINGS.values()) <= set(BITS)
    assert not set(SPELLINGS) & set(BITS)


@pytest.mark.parametrize("name", ["fp61", "", "torch.", "int", "16", "q4_k_m", "Q8_0", "IQ2_XS"])
def test_another_name_is_refused(name):
    """A GGUF type has no width, and a list of dtypes would suggest that one of them is meant."""
    with pytest.raises(UnknownName) as caught:
        require_dtype(name)
    assert (caught.value.name, caught.value.kind) == (name, "dtype")
    is_gguf = "q" in name.lower()
    assert ("GGUF" in str(caught.value)) is is_gguf
    assert ("bfloat16" in str(caught.value)) is not is_gguf
    assert not (is_gguf and caught.value.suggestions)
