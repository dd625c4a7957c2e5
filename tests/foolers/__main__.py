"""Print the outcome for each constructor: ``python -m tests.foolers [--record] [NAME …]``.

``--record`` writes the outcomes to ``expectations.py``.
"""

import sys
import time
import warnings
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

from tests.foolers.families import FOOLERS, HARMLESS
from tests.foolers.judging import judge_entry

RECORDED = Path(__file__).with_name("expectations.py")


def main(arguments):
    warnings.simplefilter("ignore")
    names = {one for one in arguments if not one.startswith("-")}
    outcomes = {}
    for title, entries in (("FOOLERS", FOOLERS), ("HARMLESS", HARMLESS)):
        chosen = [one for one in entries.values() if not names or names & {one.name, one.family}]
        if chosen:
            outcomes[title] = _table(title, chosen)
    if "--record" in arguments and not names:
        RECORDED.write_text(_written(outcomes), "utf-8")


def _table(title, entries):
    """Print a row for each entry, and the totals; return the outcomes by name."""
    print(f"== {title.lower()}: {len(entries)}")
    summaries, outcomes, started = Counter(), {}, time.perf_counter()
    for entry in entries:
        begun = time.perf_counter()
        with redirect_stdout(StringIO()):
            verdict = judge_entry(entry)
        outcomes[entry.name] = verdict.outcome.value
        summaries[verdict.outcome.value, _kind(verdict.summary)] += 1
        seconds = time.perf_counter() - begun
        print(f"{entry.family}:{entry.name} | {verdict.outcome.value} | {verdict.summary}", end="")
        print(f" | {verdict.formula} | {seconds:.1f} s")
        for condition in verdict.conditions:
            print("      where ", condition)
        for reason in verdict.reasons:
            print("      reason", reason)
        for wrong in (verdict.wrongly_proved + verdict.wrong_without_a_caveat)[:3]:
            print("      WRONG ", wrong)
        sys.stdout.flush()
    for (outcome, kind), number in sorted(summaries.items()):
        print(f"   {number:4} {outcome}: {kind}")
    print(f"   {len(entries):4} in {time.perf_counter() - started:.0f} s\n", flush=True)
    return outcomes


def _kind(summary):
    return summary.split(", and ")[0]


def _written(outcomes):
    """Return the text of ``expectations.py`` with these outcomes."""
    text = RECORDED.read_text("utf-8").split("\n\n")[0] + "\n"
    for title, found in outcomes.items():
        rows = "".join(f'    "{name}": "{outcome}",\n' for name, outcome in found.items())
        text += f"\n{title}: dict[str, str] = {{\n{rows}}}\n"
    return text


if __name__ == "__main__":
    main(sys.argv[1:])
