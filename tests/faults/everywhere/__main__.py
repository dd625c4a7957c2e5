"""Print one framework's column as JSON: ``python -m tests.faults.everywhere FRAMEWORK``.

Each framework gets a process of its own, since frameworks need different variables.
"""

import json
import sys

from tests.faults.everywhere.matrix import column

if __name__ == "__main__":
    print(json.dumps(column(sys.argv[1])))
