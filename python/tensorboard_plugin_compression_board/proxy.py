"""Forwards requests to the loopback server, so that all pages are below TensorBoard's address."""

import html
import http.client
import re

from werkzeug import wrappers

# Headers of requests that are forwarded. The server needs no other headers, and cookies and
# credentials belong to TensorBoard.
PASSED_REQUEST_HEADERS = (
    "Accept", "Accept-Encoding", "Accept-Language", "Cache-Control", "Content-Type", "If-None-Match",
    "Last-Event-ID", "Range",
)  # fmt: skip
# Headers that belong to the connection, not to the response.
DROPPED_RESPONSE_HEADERS = {
    "connection", "keep-alive", "proxy-authenticate", "set-cookie", "te", "trailer", "transfer-encoding",
    "upgrade", "x-frame-options",
}  # fmt: skip
MAX_BODY_BYTES = 16 << 20
CHUNK_BYTES = 64 << 10
# The pages use addresses relative to <base>, and every page is one directory below the root.
ROOT_BASE = b'<base href="/"'
RELATIVE_BASE = b'<base href="./"'


def error_page(text, status=503):
    body = f"<!doctype html><title>Compression Board</title><body style='font: 16px sans-serif; margin: 2em'>{html.escape(text)}"
    return wrappers.Response(body, status=status, content_type="text/html; charset=utf-8")


def forward(address, path, environ, start_response):
    """A WSGI application that forwards a request; `path` is the path at the loopback server."""
    site = environ.get("HTTP_SEC_FETCH_SITE", "same-origin")
    if site not in ("same-origin", "none"):
        return error_page("Requests from other sites are refused.", 403)(environ, start_response)
    size = int(environ.get("CONTENT_LENGTH") or 0)
    if size > MAX_BODY_BYTES:
        return error_page("The request is too large.", 413)(environ, start_response)
    headers = {name: environ[key] for name in PASSED_REQUEST_HEADERS if (key := _key_of(name)) in environ}
    headers["Authorization"] = f"Bearer {address.token}"
    wants_page = "text/html" in headers.get("Accept", "")
    if wants_page:
        headers.pop("Accept-Encoding", None)  # Compressed content could not be changed below.
    target = path.encode("latin-1").decode("utf-8", "replace")
    target = http_quote(target) + ("?" + environ["QUERY_STRING"] if environ.get("QUERY_STRING") else "")
    connection = http.client.HTTPConnection("127.0.0.1", address.port, timeout=None)
    try:
        body = environ["wsgi.input"].read(size) if size else None
        connection.request(environ["REQUEST_METHOD"], target, body=body, headers=headers)
        response = connection.getresponse()
    except (OSError, http.client.HTTPException) as error:
        connection.close()
        return error_page(f"Compression Board does not respond ({error}); load the page again.", 502)(
            environ, start_response
        )
    host = environ.get("HTTP_HOST", "")
    kept = [(name, _framed(name, value, host)) for name, value in response.getheaders()
            if name.lower() not in DROPPED_RESPONSE_HEADERS]  # fmt: skip
    status = f"{response.status} {response.reason}"
    if wants_page and response.getheader("Content-Type", "").startswith("text/html"):
        page = response.read().replace(ROOT_BASE, RELATIVE_BASE)
        connection.close()
        kept = [(name, value) for name, value in kept if name.lower() not in ("content-length", "etag")]
        start_response(status, [*kept, ("Content-Length", str(len(page)))])
        return [page]
    start_response(status, kept)
    return _Body(connection, response)


def http_quote(path):
    from urllib.parse import quote

    return quote(path, safe="/%:@!$&'()*+,;=~-._")


def _key_of(name):
    key = name.upper().replace("-", "_")
    return key if key == "CONTENT_TYPE" else f"HTTP_{key}"


def _framed(name, value, host):
    """Allows TensorBoard's own pages to show the board in a frame, and notebooks to show
    TensorBoard with the board inside.

    The browser checks all frames around a page. A notebook server has another port of the same
    host.
    """
    if name.lower() != "content-security-policy":
        return value
    names = {"localhost", "127.0.0.1", host.rpartition(":")[0] or host}
    known = sorted(name for name in names if re.fullmatch(r"[\w.-]+|\[[0-9a-fA-F:]+\]", name))
    allowed = " ".join(["'self'", *(f"{scheme}://{name}:*" for name in known for scheme in ("http", "https"))])
    return value.replace("frame-ancestors 'none'", f"frame-ancestors {allowed}")


class _Body:
    """Yields the bytes of the response as they arrive: events of the server are forwarded at once.
    """

    def __init__(self, connection, response):
        self._connection = connection
        self._response = response

    def __iter__(self):
        while chunk := self._response.read1(CHUNK_BYTES):
            yield chunk

    def close(self):
        self._connection.close()
