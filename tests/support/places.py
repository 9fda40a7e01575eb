"""Where tests find what they read."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
GAMES_PGN = DATA / "games.pgn"
FAKE_ENGINE = Path(__file__).with_name("fake_engine.py")
