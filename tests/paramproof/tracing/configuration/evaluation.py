"""A reader of traced programs, as plain as it can be: what each operation means, in Python."""

import math
import operator

from paramproof.tracing.configuration.terms import Term

ABSENT = object()
KINDS = {"object": dict, "list": list, "int": int, "float": float, "text": str, "flag": bool}
ERRORS = ArithmeticError, AttributeError, LookupError, TypeError, ValueError


def changed(holder, *pairs):
    found = dict(holder or {})
    for key, value in zip(pairs[::2], pairs[1::2], strict=True):
        if value is ABSENT:
            found.pop(key, None)
        else:
            found[key] = value
    return found


def replaced(items, index, value):
    found = [*items]
    found[index] = value
    return found


STRICT = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "==": operator.eq,
    "is": operator.is_,
    "neg": operator.neg,
    "truth": bool,
    "in": lambda item, holder: item in holder,
    "isinstance": lambda value, *kinds: isinstance(value, tuple(KINDS[one] for one in kinds)),
    "list": lambda *items: [*items],
    "range": lambda *args: [*range(*args)],
    "slice": lambda value, *args: value[slice(*args)],
    "concat": lambda lists: [one for items in lists for one in items],
    "replaced": replaced,
    "enumerate": lambda items, start: [[*pair] for pair in enumerate(items, start)],
    "zip": lambda *lists: [[*pair] for pair in zip(*lists, strict=False)],
    "set": lambda items: set(items),
    "merged": lambda one, other: {**one, **other},
    "dict": changed,
    "keys": list,
    "from pairs": dict,
    "values": lambda holder: [*holder.values()],
    "items": lambda holder: [[*pair] for pair in holder.items()],
    "text": lambda *parts: "".join(map(str, parts)),
    "method": lambda name, owner, *args: getattr(owner, name)(*args),
    "has": lambda holder, key: isinstance(holder, dict) and key in holder,
    "get": operator.getitem,
    **{name: getattr(math, name) for name in ("ceil", "floor", "sqrt", "log2", "prod")},
    **{one.__name__: one for one in (any, all, int, float, str, abs, len, sum, max, min, sorted)},
}


class Evaluation:
    """The values of terms for the keys of one configuration."""

    def __init__(self, config):
        self.config, self.loops = config, {}

    def __call__(self, value):  # noqa: C901 - a case for each operation
        if not isinstance(value, Term):
            return value
        args = value.args
        match value.op:
            case "config":
                return self.config
            case "absent":
                return ABSENT
            case "if":
                return self(args[1] if self(args[0]) else args[2])
            case "not":
                return not self(args[0])
            case "and":
                return self(args[0]) and self(args[1])
            case "item":
                return self.loops[args[0]][0]
            case "state":
                return self.loops[args[0]][1][args[1]]
            case "comp" | "comp dict":
                turns = [
                    [self(one) for one in args[2:-1]]
                    for _ in self.turns(args[0], self(args[1]), None)
                    if self(args[-1])
                ]
                return dict(turns) if value.op == "comp dict" else [one for (one,) in turns]
            case "fold":
                number, source, starts, nexts, which = args
                states = [self(one) for one in starts.args]
                for _ in self.turns(number, self(source), states):
                    states[:] = [self(one) for one in nexts.args]
                return states[which]
        return STRICT[value.op](*map(self, args))

    def turns(self, number, source, states):
        outer = self.loops.get(number)
        for item in [*source]:
            self.loops[number] = item, states
            yield
        self.loops[number] = outer
