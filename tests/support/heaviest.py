"""The test files that take longest, the longest first.

Several processes take whole files. A long file that begins last keeps one of them busy while the others wait, and
pytest-xdist would by default begin with the files that have most tests, which are not the longest.
"""

HEAVIEST = (
    "generate/test_cluster.py",
    "retro/test_twin.py",
    "cli/test_encodings.py",
    "scripts/test_soak.py",
    "retro/test_slow_twin.py",
    "retro/test_twin_pawns.py",
    "generate/test_full_disk.py",
    "generate/test_workspace.py",
    "generate/test_renumbering.py",
    "verify/test_directory.py",
    "verify/test_verify.py",
    "retro/test_moves.py",
    "test_kept.py",
    "cli/test_streams.py",
    "referee/adjudicate/test_files.py",
    "referee/match/test_misbehaving.py",
    "referee/match/test_formats.py",
    "referee/match/test_games.py",
    "generate/test_build.py",
    "store/test_roundtrip.py",
    "report/test_counts.py",
)
