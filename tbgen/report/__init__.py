"""What the tables know: statistics, records, comparisons, as text, Markdown, CSV, JSON, PGN or one page."""
