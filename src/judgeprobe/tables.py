"""Records to arrays and frames: the only bridge between records and `stats`."""
