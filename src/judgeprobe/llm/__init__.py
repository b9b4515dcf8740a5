"""Model calls: client, cache, templates, reply parsing, the embedded model."""
