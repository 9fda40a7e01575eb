"""A report as one page that needs no network, and no script to be read.

page.py       the whole; page.css, page.js: its looks, and where links lead
charts        heat.py, stack.py, distances.py, drawn as tables, boxes and SVG; charts.css
table.py      tables; tables.js sorts, filters and saves them
boards.py     boards as SVG
lines.py      lines as boards and text, which player.js makes into boards to play through; player.css
"""
