"""Random source text from a grammar: templates by name, with ``<places>`` for other templates."""

import re

from hypothesis import strategies as st

PLACE = re.compile(r"<(\w+)>")


@st.composite
def texts(draw, grammar, name, depth=2):
    """Draw a template and fill its places; at depth 0 from ``name0``, if the grammar has it."""

    def filled(name, left):
        templates = grammar.get(f"{name}0") if left <= 0 else None
        chosen = draw(st.sampled_from(templates or grammar[name]))
        return PLACE.sub(lambda place: filled(place[1], left - 1), chosen)

    return filled(name, depth)
