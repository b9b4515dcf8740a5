"""Stage `report`: tables, figures and the HTML page."""
