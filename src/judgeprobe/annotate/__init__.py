"""Stage `annotate`: interventions -> blind batches -> labels -> directions.

keys, blinding       what is shown under which id, in which order, and what unblinds it
export               one folder an annotator: page, CSV, XLSX, Label Studio
page, sheets, label_studio, workbook   the forms
reading, damage, spans, importing      labels back in, every damage named
aggregate            three labels -> one direction, or the reason why there is none
agreement, report, status              how far people agree, and what follows from it
"""
