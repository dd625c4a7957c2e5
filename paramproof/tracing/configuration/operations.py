"""The operations of a traced configuration class: the data format that a reader evaluates.

A program gives each field of a class as one expression over ``config``, the keys that a file has.
An expression is a JSON scalar or an operation on expressions. A reader evaluates ``if``, ``and``,
``comp`` and ``comp dict`` lazily, as written below; every other operation evaluates its arguments
first. An operation that cannot be computed (a division by zero, an item that a list does not have,
the length of a number) refuses the configuration, as Python raises an error.

Values are those of JSON, as Python has them: an integer differs from a float where a type is
accepted and in ``//``, though ``1 == 1.0`` and ``True == 1`` as in Python. There are sets, parts
(objects that a configuration class made) and ``absent`` besides.
"""

from __future__ import annotations

from paramproof.tracing.configuration.terms import MISSING, Term, Unknown, Value, mentions, term

OPERATIONS = {
    # Keys and absence
    "config": "(): the dictionary of keys of the file, or that a part was made from",
    "absent": "(): no value; a field, or an entry of `dict`, with it does not exist",
    "has": "(dictionary, key): whether a value is a dictionary that has the key",
    "get": "(holder, key): the value of a key, or the item of a list or a text",
    "get or": "(dictionary, key, default): the value of a key, or the default",
    # Conditions: each is true or false
    "if": "(condition, one, other): `one` where the condition is true, else `other`",
    "not": "(condition)",
    "and": "(condition, condition): the second is evaluated only where the first is true",
    "truth": "(value): whether Python takes it as true: not null, 0, false, or empty",
    "is": "(value, constant): the same null, true or false, and nothing that only equals it",
    "==": "(one, other): equal as in Python; lists by item, sets in any order",
    "<": "(one, other)",
    "<=": "(one, other)",
    ">": "(one, other)",
    ">=": "(one, other)",
    "in": "(value, holder): an item of a list or set, a key of a dictionary, a part of a text",
    "any": "(list): whether an item is true",
    "all": "(list): whether every item is true",
    "isinstance": "(value, kind, ...): whether a value is of one of the kinds object (a "
    "dictionary), list, int (true and false too), float, text, flag, part",
    "accepts": "(value, type): whether a field of the declared type accepts it; see TYPES",
    "known": "(text): whether it is a model type of transformers",
    # Arithmetic
    "+": "(one, other): of numbers, texts or lists",
    "-": "(one, other): of numbers or sets",
    "*": "(one, other): of numbers, or a text or list repeated",
    "/": "(one, other): always a float",
    "//": "(one, other): rounded down",
    "%": "(one, other): with the sign of the divisor",
    "**": "(one, other)",
    "&": "(one, other): of the bits of integers, or of sets",
    "|": "(one, other): of the bits of integers, or of sets",
    "neg": "(number)",
    "abs": "(number)",
    "int": "(number or text): towards zero",
    "float": "(number or text)",
    "str": "(value): as Python writes it",
    "round": "(number[, digits]): half to even",
    "ceil": "(number)",
    "floor": "(number)",
    "sqrt": "(number)",
    "log2": "(number)",
    "isfinite": "(number)",
    "text": "(part, ...): the parts one after the other, each as `str` writes it",
    # Lists and dictionaries
    "list": "(item, ...)",
    "range": "(start, stop, step): a list of integers",
    "slice": "(list or text, start, stop, step): as Python takes it; null where not given",
    "concat": "(list of lists): the items of all",
    "replaced": "(list, index, value): the list with another item there",
    "comp": "(variable, source, element, kept): a list of `element` for each item of the source "
    "for which `kept` is true; the variable is a number, and `item` gives the item",
    "comp dict": "(variable, source, key, value, kept): the same as a dictionary; a later key wins",
    "fold": "(variable, source, list of starts, list of nexts, number): states that each item "
    "of the source changes: they begin as the starts, and become what `nexts` gives with `item` "
    "and `state`; the result is the last value of the state with the number",
    "state": "(variable, number): a state of the `fold` with this variable",
    "item": "(variable): the item of the loop with this number",
    "enumerate": "(list, start): pairs of index and item",
    "zip": "(list, ...): tuples of items, as many as the shortest has",
    "sorted": "(list)",
    "len": "(list, text, dictionary or set)",
    "sum": "(list)",
    "prod": "(list)",
    "max": "(list)",
    "min": "(list)",
    "set": "(list or set): its different items, in the order of the first",
    "dict": "(dictionary or null, key, value, ...): with these entries in place of others; an "
    "absent value deletes the key",
    "merged": "(one, other): the entries of both dictionaries; the other wins",
    "keys": "(dictionary): a list of keys",
    "values": "(dictionary)",
    "items": "(dictionary): pairs of key and value",
    "from pairs": "(list of pairs): a dictionary",
    "method": "(name, owner, argument, ...): a method of a text or a list that changes nothing: "
    "lower, upper, strip, split, startswith, endswith, replace, index, count, ...",
    # Parts
    "new": "(class, dictionary): the part that a class makes of keys, if it does not refuse them",
    "class of": "(text): the class of a model type",
    "self": "(): the part that a model class is given",
    "made by": "(part, class): whether the class made it",
    "opaque": "(...): a number that nobody knows; no shape depends on it",
    "turn": "(variable): the number of items before the one that `item` gives",
    "field": "(part, name): its field, or else what `Program.properties` of its class gives",
    "has field": "(part, name): whether `field` finds something",
    "fields": "(part): a dictionary of its fields",
    "layer of": "(part, index): the part with the values that its per_layer_config has for a layer",
    "with fields": "(part, name, value, ...): the part after its attributes were set; an absent "
    "value changes nothing, and names are those of `Program.aliases` of its class",
    # Rules that the reader has once, for all classes
    "rope": "(dictionary or part): its parameters of rotary positions",
    "labels": "(dictionary or part): the number of labels of its id2label and num_labels",
}
"""Each operation with its arguments and its meaning."""

TYPES = {
    "anything": "()",
    "null": "()",
    "bool": "()",
    "int": "(): true and false are not accepted",
    "float": "(): an integer is not accepted",
    "str": "()",
    "one of": "(constant, ...)",
    "union": "(type, ...)",
    "list": "([type]): each item is accepted",
    "tuple": "([type, ...]): no value of JSON is accepted",
    "set": "([type]): no value of JSON is accepted",
    "sequence": "([type]): a list, or a text",
    "dict": "([type, type]): each key and each value is accepted",
    "object": "(class): no value of JSON is accepted",
}
"""The declared types that `accepts` names."""


def exported(value: Value) -> Value:
    """Return a frozen value with nothing in it but operations and JSON scalars."""
    memo: dict[Term, Term] = {}

    def of(one: Value) -> Value:
        if one is MISSING:
            return term("absent")
        if isinstance(one, float) and one in (float("inf"), float("-inf")):
            return term("float", str(one))
        if one is None or isinstance(one, str | int | float):
            return one
        if not isinstance(one, Term):
            raise Unknown(f"the value {one!r:.80}")
        if one not in memo:
            if one.op == "as tuple":
                return of(one.args[0])
            if one.op not in OPERATIONS and one.op not in TYPES:
                raise Unknown(f"the operation {one.op}")
            memo[one] = term(one.op, *map(of, one.args))
        return memo[one]

    ruled = not (isinstance(value, Term) and value.op == "rope") and mentions(value, is_rule)
    return term("opaque") if ruled else of(value)


def is_rule(value: Value) -> bool:
    """Return whether a value is left to a rule of the reader."""
    return isinstance(value, Term) and value.op in ("rope", "layers")
