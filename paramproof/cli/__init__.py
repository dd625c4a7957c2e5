"""The command line: a file for each command, and what they print with."""
