# Code as people write it, and not as they should.
# ruff: noqa: B009, C400, C405, C416, F841, RUF012, RUF017, UP031, UP032
"""Plain Python of every kind, which computes the same when it is instrumented."""

import contextlib
import functools

CALLS = []


def noted(function):
    @functools.wraps(function)
    def inner(*args, **options):
        CALLS.append(function.__name__)
        return function(*args, **options)

    return inner


class Base:
    """A class with what only the compiler knows: ``super``, ``__class__`` and private names."""

    kind = [n * 2 for n in range(3)]
    __hidden = 7

    def __init__(self, number):
        self.number = number
        self.__private = number + self.__hidden

    def total(self):
        return self.number + self.__private

    @property
    def doubled(self):
        return self.number * 2

    @classmethod
    def made(cls, *numbers):
        return [cls(one).total() for one in numbers]

    @staticmethod
    def least(*numbers):
        return min(numbers)


class Derived(Base):
    def total(self):
        return super().total() * 10 + len(__class__.__name__)

    def __contains__(self, one):
        return one == self.number

    def __getitem__(self, key):
        return (key, self.number)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.number = -1
        return True


@noted
def classes(n):
    one = Derived(n)
    with one as inside:
        inside.number += 1
        raise ValueError
    return (
        one.total(),
        Derived.made(1, n),
        one.doubled,
        Base.least(3, n),
        Base.kind,
        -1 in one,
        one[1:n, ...],
    )


def comprehensions(n):
    len = [x for x in range(n) if x % 2]  # noqa: A001
    pairs = {(x, y) for x in range(3) for y in len if (z := x + y) > 1}
    table = {str(x): [x * y for y in range(x)] for x in range(n)}
    return (
        len,
        sorted(pairs),
        table,
        z,
        list(x for x in range(n)),
        [[y for y in range(x)] for x in len],
    )


def closures(n):
    made = 0

    def count(step=n, *more, scale=lambda x: x * 2):
        nonlocal made
        made += scale(step) + sum(more)
        return made

    return [count(), count(1), count(1, 2, 3, scale=lambda x: -x), *(f() for f in [count] * 2)]


SHARED = 0


def globals_too(n):
    global SHARED
    SHARED = SHARED % 7 + n
    SHARED += 1
    return SHARED


def generators(n):
    def doubling():
        received = yield 0
        while received is not None:
            received = yield received * 2
        yield from range(n)
        return "end"

    one = doubling()
    found = [next(one), one.send(n), one.send(3), one.send(None)]
    try:
        while True:
            found.append(next(one))
    except StopIteration as stop:
        found.append(stop.value)
    finally:
        found.append("last")
    return found


def errors(n):
    found = []
    for index in range(n + 2):
        try:
            if index == 1:
                continue
            if index > 3:
                break
            found.append([10, 20, 30][index] // (index - 2))
        except ZeroDivisionError as error:
            found.append(str(error))
        except (IndexError, KeyError):
            found.append("none")
        else:
            found.append("else")
        finally:
            found.append("finally")
    else:
        found.append("through")
    with contextlib.suppress(KeyError):
        {}[n]
    return found


def matches(value):
    match value:
        case 0 | 1:
            return "few"
        case int(n) if n > 40:
            return f"many {n}"
        case [first, *rest]:
            return first, rest
        case {"key": found, **others}:
            return found, others
        case _:
            return "other"


def texts(n):
    width = n % 9 + 4
    return (
        f"{n:>{width}}|{n!r}|{n=}|{{}}|{'x' if n else 'y'}|{n / 3:.2f}|{[n, 'a']!s:>20}",
        "%d of %s" % (n, [n]),
        "%(a)s %%" % {"a": n},
        "{:>5} {a}".format(n, a=n),
        "-".join(str(one) for one in range(n)),
    )


def slices(n):
    values = list(range(n + 5))
    values[1:3] = [9, 9, 9]
    values[-1] += 5
    values[0], *rest, last = values[1], *values[::2], n
    del values[2], rest[:1]
    values *= 2
    return (
        values[n:],
        values[-3:],
        values[:-1:2],
        values[::-1],
        rest,
        last,
        (1, 2, 3)[n % 3],
        values[1:][0],
    )


def chains(n):
    seen = []

    def told(one):
        seen.append(one)
        return one

    result = told(1) < told(n) <= told(5) != told(7)
    return (
        result,
        seen,
        n not in (1, 2),
        3 in [n, 3] in [[n, 3]],
        n is not None,
        not n,
        n or 4,
        n and 5,
    )


def loops(n):
    total, last, k = 0, None, n
    for i, (a, b) in enumerate(zip(range(n), reversed(range(n)), strict=True), start=1):
        total += i * a - b
        last, previous = (a, last)
        for inner in range(i):
            total = total + inner
    while k > 0:
        k -= 2
        if k == 3:
            break
    else:
        k = "else"
    text, marks = "", []
    for one in "abc":
        text += one * n
        marks = [*marks, one]
    return total, last, k, text, marks, dict(zip(marks, range(n), strict=False)), {**{1: 2}, n: n}


def builtins_too(n):
    return (
        int("12"), int("z", 36), float(n), round(n / 3, 2), str(n), repr([n]), bool(n), abs(-n),
        sorted([3, n, 1], key=lambda one: -one), sum([[n], [2]], []), max([1, n], default=0),
        min((), default=n), any(x > 2 for x in range(n)), all([]), list(map(max, [1, n], [3, 2])),
        list(filter(None, [0, n, 2])), type(n), isinstance(n, int), len("x" * n), tuple("ab"),
        set([n, n]), pow(n, 2, 7), divmod(n, 3), eval("n + 1"), vars(Base(n)),
        hash("a") == hash("a"), next(iter([n])), getattr(Base(n), "number"), chr(65 + n % 20),
    )  # fmt: skip


EVERY = [
    classes, comprehensions, closures, globals_too, generators, errors, matches, texts, slices,
    chains, loops, builtins_too,
]  # fmt: skip


def boxes(n):
    found = []
    for _ in range(n):
        box = Base(7)
        box.number = box.number + 1
        found.append(box.number)
    return found


TWICE, THRICE = (lambda n: 2 * n), (lambda n: 3 * n)


def is_below_five(n):
    return n in range(5), n not in range(5, 9)
