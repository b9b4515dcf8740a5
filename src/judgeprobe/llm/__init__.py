"""Model calls: client, cache, templates, reply parsing, the embedded model."""

from judgeprobe.llm.reading import Reading, read_grade

__all__ = ["Reading", "read_grade"]
