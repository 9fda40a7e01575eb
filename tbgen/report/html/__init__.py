"""A report as one page that needs no network, and no script to be read.

page.py         the whole; page.css: its looks, beside look.css (tbgen/drawing); page.js: what scripts share
charts.py       charts; charts.css: their looks
filter.py       many rows: they scroll, and are filtered
table.py        tables; tables.js sorts, filters and saves them
lines.py        lines as boards and text, and cards of what they show; line.js reads them, player.js makes a board of
                them to play through; player.css. It moves the men of the SVG that is there anyway: libraries are for
                boards to move men on
"""
