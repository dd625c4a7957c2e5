"""Pages of HTML: a model, a number, a difference; made alike for files and in the browser.

A browser's Python runs this as it is: it imports the standard library and squarify, which is pure
Python, and what is below needs no more.
"""
