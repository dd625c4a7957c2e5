"""Pages of HTML: a model, a number, a difference; made alike for files and in the browser.

Standard library only below the formulas, as they are: a browser's Python runs this as it is.
"""
