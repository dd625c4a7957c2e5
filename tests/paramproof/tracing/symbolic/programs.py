"""Random expressions of Python in the sizes A, H and L, as text.

A function of Python is called as ``call(int, …)``: plainly, or as instrumented code calls it.
"""

from tests.grammar import texts

LETTERS = ("A", "H", "L")

ATOMS = {
    "size": LETTERS,
    "n": [*map(str, range(10)), "-3", "-1", "16", "63", "64", "100", "1000", "4096", "True"],
    "positive": ["1", "2", "3", "4", "5", "7", "9", "16", "64", "100", "4096"],
    "small": ["0", "1", "2", "3", "5"],
    "digits": ["-2", "-1", "0", "1", "3"],
    "point": [
        "0.5", "0.25", "1.5", "-2.5", "0.7", "0.1", "0.35", "2.6666666666666665", "1e-3", "2.6",
        "3.0", "0.0", "1e6", "-0.1",
    ],
    "exponent": ["0.5", "-0.5", "-1", "1.5", "2.0"],
    "order": ["<", "<=", ">", ">=", "==", "!="],
    "infix": ["+", "-", "*", "//", "%"],
    "bits": ["&", "|", "^"],
    "sign": ["+", "-", "~"],
    "whole": ["int", "round", "math.floor", "math.ceil", "math.trunc"],
    "least": ["min", "max"],
    "several": ["any", "all"],
    "root": ["math.sqrt", "math.log2", "math.log10", "math.log"],
    "first": ["0", "1", "-1"],
}  # fmt: skip
"""What stands for itself, by the name that it has in the templates below."""

LEAVES = {
    "int0": ["<size>", "<size>", "<n>"],
    "float0": ["<size> * <point>", "<point> * <size>", "<size> / <size>", "<size> / <positive>"],
    "bool0": ["(<size> <order> <n>)", "(<size> <order> <size>)", "(<size> % <positive> == 0)"],
}

TEMPLATES = {
    "int": [
        "<size>",
        "(<int> <infix> <int>)",
        "(<int> <infix> <int>)",
        "(<int> <infix> <positive>)",
        "(<n> <infix> <int>)",
        "(<int> <bits> <int>)",
        "(<int> << <small>)",
        "(<int> >> <small>)",
        "(<size> ** <small>)",
        "(2 ** call(min, L, 70))",
        "(<n> << call(min, <int>, 70))",
        "(<n> >> <int>)",
        "(<sign><int>)",
        "call(<whole>, <float>)",
        "call(<whole>, <float>)",
        "call(<whole>, <float>)",
        "call(<whole>, <int>)",
        "call(round, <int>, <digits>)",
        "call(<least>, <int>, <int>)",
        "call(<least>, [<int>, <int>, <int>])",
        "call(divmod, <int>, <int>)[<first>]",
        "call(pow, <size>, <small>)",
        "call(abs, <int>)",
        "call(sum, [<int>, <int>])",
        "call(math.prod, [<int>, <int>])",
        "call(math.gcd, <int>, <int>)",
        "call(math.isqrt, call(abs, <int>))",
        "<size>.bit_length()",
        "(<int> if <bool> else <int>)",
        "(<int> or <int>)",
        "(<int> and <int>)",
        "call(len, call(range, <size>))",
        "[<int>, <int>][<bool>]",
        "call(sorted, [<int>, <int>])[<first>]",
    ],
    "float": [
        "(<int> / <int>)",
        "(<float> / <float>)",
        "(<float> <infix> <float>)",
        "(<float> <infix> <positive>)",
        "(<n> <infix> <float>)",
        "(<float> <infix> <int>)",
        "(<int> <infix> <float>)",
        "(<float> <infix> <point>)",
        "(<point> <infix> <float>)",
        "<size> ** <exponent>",
        "(<size> * <point> ** <small>)",
        "((<size> / <size>) ** <small>)",
        "(call(abs, <float>) ** <exponent>)",
        "(-<float>)",
        "call(abs, <float>)",
        "call(float, <int>)",
        "call(round, <float>, <digits>)",
        "call(<root>, <size>)",
        "call(<root>, 1 + call(abs, <int>))",
        "call(<root>, 1 + call(abs, <float>))",
        "call(math.exp, 1 / <size>)",
        "call(math.fabs, <float>)",
        "call(<least>, <float>, <float>)",
        "call(<least>, <float>, <int> + 0.0)",
        "call(math.pow, <size>, <exponent>)",
        "(<float> if <bool> else <float>)",
        "call(sum, [<float>, <float>])",
    ],
    "bool": [
        "(<int> <order> <int>)",
        "(<int> <order> <n>)",
        "(<int> <order> <point>)",
        "(<float> <order> <n>)",
        "(<float> <order> <point>)",
        "(<n> <order> <float>)",
        "(<point> <order> <float>)",
        "(<float> <order> <int>)",
        "(<float> <order> <float>)",
        "(<int> <order> <int> <order> <n>)",
        "(<float>).is_integer()",
        "call(bool, <int>)",
        "call(bool, <float>)",
        "(<size> in call(range, <n>, <int>))",
        "(<int> in (<int>, <n>))",
        "((<int>, <int>) <order> (<n>, <int>))",
        "([<int>, <int>] <order> [<n>, <n>])",
        "(not <bool>)",
        "(<bool> and <bool>)",
        "(<bool> or <bool>)",
        "call(<several>, [<bool>, <bool>])",
    ],
}
"""Expressions by what they give."""

GRAMMAR = ATOMS | TEMPLATES | LEAVES


def programs(kind, depth):
    return texts(GRAMMAR, kind, depth)
