"""Stage `sweep`: every judge x every unique text, graded and cached."""
