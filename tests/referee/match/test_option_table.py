"""docs/match.md has a word on every option of the programs that directors come from."""

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs" / "match.md"
CUTECHESS = """
    -help -version -engines -engine -each -variant -concurrency -draw -resign -maxmoves -tb -tbpieces -tbignore50
    -tournament -event -games -rounds -sprt -ratinginterval -outcomeinterval -debug -openings -bookmode -pgnout -epdout
    -recover -repeat -noswap -reverse -seeds -site -srand -wait -resultformat
    conf= name= cmd= dir= arg= initstr= stderr= restart= trust proto= tc= st= timemargin= book= bookdepth= whitepov
    depth= nodes= ponder tscale= debug option.
    movenumber= movecount= score= twosided= elo0= elo1= alpha= beta= file= format= order= plies= start= policy=
"""
FASTCHESS = """
    -quick -force-concurrency -tbadjudicate -report -scoreinterval -config -autosaveinterval --compliance -crc32
    -check-mate-pvs -show-latency -testEnv -strict -log -use-affinity -startup-ms -ucinewgame-ms -ping-ms -output
    args= model= notation= append= seldepth= nps= hashfull= tbhits= pv= timeleft= latency= min= match_line= discard=
    outname= stats= level= compress= realtime= engine= penta=
"""
"""What it has beyond those of the other."""
CUTERMOB = "-rMobilityType -rMobilityCutoff -legacyMode -defaultKomi"


def test_every_option_has_a_row() -> None:
    rows = "\n".join(line for line in PAGE.read_text().splitlines() if line.startswith("|"))
    missing = [
        name
        for name in (CUTECHESS + FASTCHESS + CUTERMOB).split()
        if not re.search(rf"(?<![\w-]){re.escape(name)}", rows)
    ]
    assert not missing
