"""Arrays in, frozen results out. Nothing here knows of files, records or models."""
