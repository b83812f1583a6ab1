"""The gateway's address and the paths under it, without importing urllib.parse."""

from __future__ import annotations

_UNRESERVED = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~")


class BaseURL:
    """An http(s) address taken apart. authority is host and port as written; path has no trailing slash."""

    def __init__(self, secure: bool, host: str, port: int, authority: str, path: str) -> None:
        self.secure = secure
        self.host = host
        self.port = port
        self.authority = authority
        self.path = path


def parse_base_url(url: str) -> BaseURL:
    """Split the gateway's address. Raises RuntimeError for what is no plain http(s) address."""

    def invalid(why: str) -> RuntimeError:
        return RuntimeError("MINDROOM_SCRIPT_GATEWAY_URL %s: start this program with start_script" % why)

    scheme, separator, rest = url.rstrip("/").partition("://")
    secure = scheme.lower() == "https"
    if not separator or scheme.lower() not in ("http", "https"):
        raise invalid("must begin with http:// or https://")
    if any(not "!" <= char <= "~" for char in rest) or any(char in rest for char in '?#@\\"<>'):
        raise invalid("must be a plain address without user, query, fragment or spaces")
    authority, slash, path = rest.partition("/")
    host, colon, port = authority.rpartition(":")
    if not colon or authority.endswith("]"):
        host, port = authority, ""
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host or "[" in host or "]" in host:
        raise invalid("has a malformed host")
    if not host:
        raise invalid("has no host")
    if port and not (port.isdigit() and len(port) <= 5 and 0 < int(port) < 65536):
        raise invalid("has a malformed port")
    return BaseURL(secure, host, int(port or (443 if secure else 80)), authority, slash + path)


def quote(segment: str) -> str:
    """Percent-encode one path segment, leaving nothing that could be read as structure."""
    return "".join(chr(byte) if byte in _UNRESERVED else "%%%02X" % byte for byte in segment.encode("utf-8"))
