"""Files, text, signals, threads: what any program needs, and what knows nothing of chess."""
