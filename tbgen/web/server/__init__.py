"""The tables over HTTP: `tbgen serve`, and `tbgen fetch`, which takes tables from one.

protocol.py     what is no request at all; parser.py: what httptools takes for another protocol
unread.py       what is left of a body when the answer is complete
limits.py       how much is taken from whom; shares.py: of what one client gets a part
app.py          joins the addresses of api.py, pages.py and downloads.py
service.py      what all of these stand on
question.py     what is asked; answers.py, lila.py: what the tables say of it
openapi.py      the description of the interface, with which tests compare every answer
problem.py      what goes wrong, in a status, a code and a hint
log.py          why answers fail, for whoever runs the server
served.py       the directory of tables, looked at now and then
work.py         answers worked out once for all that ask at the same time, and kept
"""
