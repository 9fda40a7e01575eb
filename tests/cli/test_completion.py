"""What shells complete, as they would: the script that `tbgen completion` prints is run by the shell itself."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tbgen.cli.completion import SHELLS
from tbgen.cli.main import COMMANDS, main


@pytest.fixture
def script(tmp_path: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest) -> Path:
    assert main(["completion", request.param]) == 0
    path = tmp_path / f"tbgen.{request.param}"
    path.write_text(capsys.readouterr().out)
    return path


def completed(script: Path, *words: str) -> list[str]:
    """What bash offers for the last of these words."""
    line = f"""
        source {script}
        COMP_WORDS=({" ".join(f"'{word}'" for word in words)})
        COMP_CWORD={len(words) - 1}
        _shtab_tbgen
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    run = subprocess.run(["bash", "-c", line], cwd=script.parent, capture_output=True, text=True, check=True)
    return run.stdout.split()


@pytest.mark.parametrize("script", ["bash"], indirect=True)
def test_bash_completes(script: Path) -> None:
    assert set(completed(script, "tbgen", "")) >= set(COMMANDS)
    assert completed(script, "tbgen", "bu") == ["build"]
    assert completed(script, "tbgen", "build", "--sch") == ["--scheduler"]
    assert completed(script, "tbgen", "build", "--rules", "w") == ["wg"]
    assert set(completed(script, "tbgen", "report", "")) >= {"stats", "records", "compare"}
    (script.parent / "games.pgn").touch()
    assert "games.pgn" in completed(script, "tbgen", "adjudicate", "ga")


@pytest.mark.skipif(shutil.which("fish") is None, reason="no fish here")
@pytest.mark.parametrize("script", ["fish"], indirect=True)
def test_fish_completes(script: Path) -> None:
    for line, word in (("tbgen bu", "build"), ("tbgen build --sch", "--scheduler"), ("tbgen build --rules w", "wg")):
        words = ["fish", "--no-config", "--command", f"source {script}; complete --do-complete '{line}'"]
        run = subprocess.run(words, capture_output=True, text=True, check=True)
        assert [offer.split("\t")[0] for offer in run.stdout.splitlines()] == [word]


@pytest.mark.parametrize("script", SHELLS, indirect=True)
def test_every_shell_takes_it(script: Path) -> None:
    shell = script.suffix.removeprefix(".")
    words = script.read_text()
    assert [name for name in COMMANDS if name not in words] == []
    assert "--scheduler" in words or "-l scheduler" in words
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell} here")
    run = subprocess.run([shell, "-n", script], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
