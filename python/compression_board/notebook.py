"""Shows the board inside notebooks.

    %load_ext compression_board
    %compression_board --logdir runs

The line accepts the flags of `compression-board`, and --height for the height of the frame in
pixels. The board listens on a free loopback port unless --port names one, requires a random access
token, and ends with the kernel. A repeated line shows the running board.

The frame uses the host name of the notebook and the port of the board, as `%tensorboard` does. If
only the port of the notebook server can be reached, set COMPRESSION_BOARD_PROXY_URL to an address
that leads to the board with an unchanged path: `/proxy/absolute/%PORT%/` with jupyter-server-proxy.
"""

import html
import json
import os
import secrets
import shlex
import socket
import urllib.parse
from typing import Dict, List, Tuple

from tensorboard_plugin_compression_board.board_process import BoardError, BoardProcess

PROXY_VARIABLE = "COMPRESSION_BOARD_PROXY_URL"
DEFAULT_HEIGHT = 800
# Allows frames from any port of this machine, because the notebook may use any port. This is safe,
# because the browser shows a board with a token only inside pages of the same site.
_FRAMES = ("http://localhost:*", "http://127.0.0.1:*", "https://localhost:*", "https://127.0.0.1:*")
_FRAME = """\
<iframe id="%(id)s" title="Compression Board" width="100%%" height="%(height)d" frameborder="0"></iframe>
<script>
(() => {
  const address = new URL(%(address)s, window.location);
  if (%(port)d) address.port = %(port)d;
  document.getElementById("%(id)s").src = address;
})();
</script>"""

_boards: Dict[Tuple[str, ...], BoardProcess] = {}


def register(ipython) -> None:
    """Adds the line magic `%compression_board` to an IPython shell."""
    ipython.register_magic_function(show, magic_kind="line", magic_name="compression_board")


def show(line: str) -> None:
    """Starts a board with the flags of `line` unless one is running, and shows it below the cell.
    """
    try:
        flags, height = _parsed(shlex.split(line, comments=True))
        key = (os.getcwd(), *flags)
        if key not in _boards:
            _boards[key] = BoardProcess(_with_defaults(flags))
        address = _boards[key].address()
    except (BoardError, ValueError) as error:
        print(f"Compression Board: {error}")
        return
    proxy = os.environ.get(PROXY_VARIABLE, "").replace("%PORT%", str(address.port))
    where = f"{proxy or _prefix_of(flags)}?token={address.token}"
    if not _in_notebook():
        print(f"Compression Board at http://127.0.0.1:{address.port}{_prefix_of(flags)}?token={address.token}")
        return
    from IPython.display import HTML, display

    values = {
        "id": f"compression-board-{secrets.token_hex(4)}",
        "height": height,
        # Escapes "</", because a script element ends at the first "</", even if it is inside a
        # string.
        "address": json.dumps(where).replace("</", "<\\/"),
        "port": 0 if proxy else address.port,
    }
    display(HTML(_FRAME % {**values, "id": html.escape(values["id"])}))


def _parsed(words: List[str]) -> Tuple[List[str], int]:
    """Splits the words after %compression_board into the flags of the program and the height of the
    frame.
    """
    flags: List[str] = []
    height = DEFAULT_HEIGHT
    rest = iter(words)
    for word in rest:
        name, equals, value = word.partition("=")
        if name != "--height":
            flags.append(word)
            continue
        if not equals:
            value = next(rest, "")
        if not value.isdecimal() or not 100 <= int(value) <= 10_000:
            raise ValueError(f"--height is {value!r}; expected a number of pixels from 100 to 10000")
        height = int(value)
    return flags, height


def _with_defaults(flags: List[str]) -> List[str]:
    names = {flag.partition("=")[0] for flag in flags}
    if taken := names & {"--token", "--token-file"}:
        raise ValueError(f"omit {' and '.join(sorted(taken))}: the notebook creates an access token itself")
    added: List[str] = []
    if not names & {"--host", "--bind_all"}:
        added += ["--host", "127.0.0.1"]
    proxy = os.environ.get(PROXY_VARIABLE)
    if "--port" not in names:
        port = _free_port() if proxy else 0  # The path of the proxy may contain the port.
        added += ["--port", str(port)]
        if proxy and "--path_prefix" not in names:
            path = urllib.parse.urlsplit(proxy.replace("%PORT%", str(port))).path
            added += ["--path_prefix", path]
    for origin in _FRAMES if "--allowed_frame" not in names else ():
        added += ["--allowed_frame", origin]
    return [*flags, *added]


def _prefix_of(flags: List[str]) -> str:
    """Returns the path of the page, with a slash at both ends."""
    for flag, following in zip(flags, [*flags[1:], ""]):
        name, equals, value = flag.partition("=")
        if name == "--path_prefix":
            prefix = (value if equals else following).strip("/")
            return f"/{prefix}/" if prefix else "/"
    return "/"


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _in_notebook() -> bool:
    from IPython import get_ipython

    shell = get_ipython()
    return shell is not None and shell.has_trait("kernel")
