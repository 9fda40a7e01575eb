"""The tables over HTTP: `tbgen serve`, and `tbgen fetch`, which takes tables from one.

app.py          which address is answered by what
limits.py       how much is taken from whom; protocol.py: what is no request at all
question.py     what is asked; api.py, lila.py, pages.py, downloads.py: what is answered, in which shape
served.py       the directory of tables, looked at now and then
work.py         answers worked out once for all that ask at the same time, and kept
"""
