"""The tests. Importing them makes the checkout importable too, after whatever is installed.

What is tested is the installed ``paramproof`` where there is one, and else the folder beside.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))
