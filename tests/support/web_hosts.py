"""Real web hosts on this machine, for a folder."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.serving import wait_for

NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
CONFIG = """
daemon off; master_process off; pid {place}/pid; error_log {place}/errors;
events {{}}
http {{
    access_log {place}/asked; sendfile on; default_type application/octet-stream; {options}
    types {{ text/html html; text/css css; text/javascript js; application/json json; image/svg+xml svg; }}
    client_body_temp_path {place}/body; proxy_temp_path {place}/proxy; fastcgi_temp_path {place}/fastcgi;
    uwsgi_temp_path {place}/uwsgi; scgi_temp_path {place}/scgi;
    server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
"""
Hosting = Callable[[Path, Path], AbstractContextManager[str]]


@contextmanager
def python(root: Path, place: Path) -> Iterator[str]:
    """`python -m http.server`, which gives no parts of files."""
    command = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        found = re.search(r" port (\d+) ", process.stdout.readline())
        assert found
        yield f"http://127.0.0.1:{found[1]}"
        process.terminate()


def nginx(options: str = "") -> Hosting:
    @contextmanager
    def hosting(root: Path, place: Path) -> Iterator[str]:
        if NGINX is None:
            pytest.skip("no nginx here: scripts/programs installs it")
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        (place / "conf").write_text(CONFIG.format(root=root, place=place, port=port, options=options))
        with subprocess.Popen([NGINX, "-c", place / "conf", "-e", place / "errors"]) as process:
            wait_for(lambda: process.poll() is not None or answers(port))
            yield f"http://127.0.0.1:{port}"
            process.terminate()

    return hosting


def answers(port: int) -> bool:
    with suppress(ConnectionError), socket.create_connection(("127.0.0.1", port)):
        return True
    return False
