"""The tests. Importing them appends the checkout to ``sys.path``, after installed packages.

The tests therefore test the installed ``paramproof`` if there is one, and the checkout if not.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent))
