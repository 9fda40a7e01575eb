"""tbgen in a process in which something happens at a chosen moment: python hooked.py PLAN ARGUMENTS...

The plan is JSON:
`change`: values for hooks.py;
`directory`: a step is what Python does with a file in it (open, rename, remove ...);
`step`: the number of the step at which it happens, or `delay`: the seconds after the first step;
`fill`: a file that takes all room but `leave` bytes; without it the process is killed;
`file_size`: the longest file that may be written;
`unchecked`: whether the build skips the check for room;
`told`: a file for the number of steps and the seconds that they took.
"""

import json
import os
import resource
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any, Final

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

from soaking import hooks

_STEPS: Final = frozenset(
    (
        "open",
        "os.rename",
        "os.remove",
        "os.rmdir",
        "os.mkdir",
        "os.link",
        "shutil.rmtree",
        "os.chmod",
        "os.scandir",
        "os.utime",
    )
)
"""Events whose first argument is a path."""
_ALWAYS: Final = frozenset(("os.truncate", "fcntl.flock", "fcntl.lockf", "mmap.__new__"))
_VARIABLE: Final = "SOAK_PLAN"


class Watch:
    """Counts steps, and does what the plan says."""

    def __init__(self, plan: dict[str, Any]) -> None:
        self._plan = plan
        self._directory = str(plan["directory"])
        self._at = plan.get("step")
        self.steps = 0
        self.begun = 0.0

    def __call__(self, event: str, words: tuple[Any, ...]) -> None:
        if event not in _ALWAYS:
            if event not in _STEPS or not words or self._directory not in str(words[0]):
                return
        elif not self.steps:  # of the start of the program
            return
        if not self.steps:
            self.begun = time.monotonic()
            if "delay" in self._plan:
                timer = threading.Timer(self._plan["delay"], self._act)
                timer.daemon = True
                timer.start()
        self.steps += 1
        if self.steps == self._at:
            self._act()

    def _act(self) -> None:
        if "fill" not in self._plan:
            os.kill(os.getpid(), signal.SIGKILL)
        fill(self._plan["fill"], self._plan.get("leave", 0))


def fill(path: str, leave: int) -> None:
    """Take all room on the disk but for a few bytes."""
    found = os.statvfs(Path(path).parent)
    size = max(0, found.f_bavail * found.f_frsize - leave)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
    if size:
        os.posix_fallocate(handle, 0, size)
    os.close(handle)


def main() -> int:
    plan = json.loads(sys.argv[1])
    os.environ[_VARIABLE] = sys.argv[1]  # for processes that this one starts
    _change(plan)
    from tbgen.cli.main import main as tbgen

    if "file_size" in plan:
        resource.setrlimit(resource.RLIMIT_FSIZE, (plan["file_size"], plan["file_size"]))
    watch = Watch(plan)
    sys.addaudithook(watch)
    code = tbgen(sys.argv[2:])
    if "told" in plan:
        Path(plan["told"]).write_text(json.dumps([watch.steps, time.monotonic() - watch.begun]))
    return code


def _change(plan: dict[str, Any]) -> None:
    hooks.change(**plan.get("change", {}))
    if plan.get("unchecked"):
        hooks.trust_the_disk()


if __name__ == "__main__":
    sys.exit(main())
elif _VARIABLE in os.environ:  # in a worker of a cluster
    _change(json.loads(os.environ[_VARIABLE]))
