"""Print what is derived from each constructor: ``python -m tests.foolers [NAME …]``."""

import sys
import warnings
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO

from tests.foolers.entries import FOOLERS, HARMLESS, load
from tests.foolers.judging import judge_entry


def main(names):
    warnings.simplefilter("ignore")
    load()
    summaries = Counter()
    for entry in (*FOOLERS.values(), *HARMLESS.values()):
        if names and not {entry.name, entry.family} & {*names}:
            continue
        with redirect_stdout(StringIO()):
            verdict = judge_entry(entry)
        summaries[verdict.outcome, verdict.summary.split(", and ")[0]] += 1
        told = (f"{entry.family}:{entry.name}", verdict.outcome, verdict.summary, verdict.formula)
        print(*told, sep=" | ")
        for condition in verdict.conditions:
            print("      where ", condition)
        for reason in verdict.reasons:
            print("      reason", reason)
        for wrong in (verdict.wrongly_proved + verdict.wrong_without_a_caveat)[:3]:
            print("      WRONG ", wrong)
        sys.stdout.flush()
    for (outcome, kind), number in sorted(summaries.items()):
        print(f"{number:4} {outcome}: {kind}")


if __name__ == "__main__":
    main(sys.argv[1:])
