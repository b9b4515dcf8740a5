"""Stage `build`: base items -> candidate edits -> gates -> verifier -> interventions."""
