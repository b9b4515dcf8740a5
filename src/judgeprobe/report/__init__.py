"""From a profile to what people read: tables, figures and one self-contained page."""

from judgeprobe.report.make import Report, make_report

__all__ = ["Report", "make_report"]
