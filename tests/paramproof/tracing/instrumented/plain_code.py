# Code as people write it, and not as they should.
# ruff: noqa: F841, RUF012
"""What the library's own code seldom does, and what loops over sizes and ranges need."""

SHARED = 0
DOUBLE, TRIPLE = (lambda n: 2 * n), (lambda n: 3 * n)


class Base:
    kind = [n * 2 for n in range(3)]
    __hidden = 7

    def __init__(self, number):
        self.number = number
        self.__private = number + self.__hidden

    def total(self):
        return self.number + self.__private


class Derived(Base):
    def total(self):
        return super().total() * 10 + len(__class__.__name__)


def seldom(n):
    global SHARED
    SHARED = n
    SHARED += 1
    made, seen = 0, []

    def count(step=n, *more, scale=lambda x: x * 2):
        nonlocal made
        made += scale(step) + sum(more)
        return made

    def told(one):
        seen.append(one)
        return one

    def doubling():
        received = yield 0
        while received is not None:
            received = yield received * 2
        yield from range(n)
        return "end"

    chained = told(1) < told(n) <= told(5) != told(7)
    pairs = {(x, y) for x in range(3) for y in range(n) if (z := x + y) > 1}
    sent = doubling()
    values = [next(sent), sent.send(n), sent.send(None), *sent, DOUBLE(n), TRIPLE(n)]
    values[0], *rest, last = values[1], *values[::2], n
    values[1:3] = [9, 9, 9]
    del values[2], rest[:1]
    values *= 2
    for found in values:
        if found == n:
            break
    else:
        found = "none"
    counts = [count(), count(1, 2, 3, scale=lambda x: -x)]
    return SHARED, counts, chained, seen, sorted(pairs), values, rest, found, Derived(n).total()


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


def boxes(n):
    found = []
    for _ in range(n):
        box = Base(7)
        box.number = box.number + 1
        found.append(box.number)
    return found


def is_below_five(n):
    return n in range(5), n not in range(5, 9)
