"""From a profile to what people read: tables, figures and one self-contained page."""

from judgeprobe.report.compare_page import ComparisonReport, make_comparison
from judgeprobe.report.make import Report, make_report

__all__ = ["ComparisonReport", "Report", "make_comparison", "make_report"]
