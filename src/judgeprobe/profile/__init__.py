"""Stage `profile`: grades -> frontier, operating point, intervals, nulls."""
