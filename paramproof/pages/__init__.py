"""HTML pages of a model, a number and a difference, for files and for the browser.

The same code runs in a browser's Python, so it imports only the standard library.
"""
