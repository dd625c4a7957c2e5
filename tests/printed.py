"""Parse a table that a command printed."""

import re

COMPLETION_IN_BASH = 'eval "$(_PARAMPROOF_COMPLETE=bash_source paramproof)"'


def rows(stdout):
    lines = (re.split(r"  +", line.strip()) for line in stdout.splitlines())
    return {cells[0]: cells[1:] for cells in lines}
