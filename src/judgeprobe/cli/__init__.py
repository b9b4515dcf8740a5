"""The command line: it loads, calls and prints. One module a verb."""
