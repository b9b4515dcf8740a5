"""Stage `annotate`: blind batches out, three label sets back, direction from the majority."""
