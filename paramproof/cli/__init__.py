"""The command line: a module for each command, and modules that print for several."""
