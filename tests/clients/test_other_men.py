"""The readers know the men of chess. Tables with others they refuse in a line; the rest of a directory they read."""

import json
import subprocess
from pathlib import Path

import pytest

from tbgen.core.material import parse, with_dependencies
from tests.support.c_client import CLIENT, ask, compiled, there_is
from tests.support.places import ROOT
from tests.support.small_tables import make

COMMONER = "8/8/8/4KC1k/8/8/8/8 w - - 0 1"
KINGS = "8/8/8/2K3k1/8/8/8/8 w - - 0 1"
OPEN_A_FILE = f"""
import {{ readFileSync }} from "node:fs";
import {{ open }} from "{ROOT}/clients/js/rmtb.js";
const [folder, fen] = process.argv.slice(1);
const told = async (where) => {{
  const tables = await open(where);
  return tables.probe(fen).then(({{ gscore }}) => gscore, ({{ code, message }}) => `${{code}}: ${{message}}`);
}};
const file = new Blob([readFileSync(`${{folder}}/KCvK.r.h5`)]);
const opened = told([file]).catch(({{ code, message }}) => `${{code}}: ${{message}}`);
console.log(JSON.stringify([await opened, await told(folder)]));
"""


@pytest.fixture(scope="module")
def commoner(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("commoner")
    make(found, with_dependencies([parse("KCvK")]), "r")
    return found


@pytest.mark.skipif(not there_is("gcc"), reason="no C compiler (Debian: apt install gcc)")
def test_the_c_client_refuses(commoner: Path, tmp_path: Path) -> None:
    driver = compiled(tmp_path, "driver.c")
    refused, answered = ask([driver], commoner, "r", [(COMMONER, None), (KINGS, None)], "g")
    assert (refused.error, answered.error) == ("bad fen", "ok")
    verify = tmp_path / "verify"
    subprocess.run(["gcc", CLIENT / "rmtb-verify.c", "-o", verify, "-lm", "-lpthread"], check=True)
    run = subprocess.run([verify, commoner / "KCvK.r.h5"], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (2, f"rmtb-verify: {commoner / 'KCvK.r.h5'}: no whole table\n")


@pytest.mark.skipif(not there_is("node"), reason="no node here")
@pytest.mark.parametrize("fen", [COMMONER, KINGS])
def test_the_javascript_client_refuses(commoner: Path, fen: str) -> None:
    command = ["node", "--input-type=module", "-e", OPEN_A_FILE, str(commoner), fen]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    of_file, of_folder = json.loads(run.stdout)
    assert of_file == "corrupt_table: the file: this reader does not know its man C"
    assert of_folder == "-G8.5" if fen == KINGS else of_folder.startswith("bad_input: ")
