"""Runs one background script as __main__, once it is proven to be the one that was launched.

The interpreter was started isolated, so nothing in the workspace can stand in for a module used here. All of it lies between
the user's start_script and the first line of the script; so it imports only what the interpreter has loaded or built in.

Exit status: the script's own; 143 after SIGTERM; 1 with a message when the run may not start; 2 for wrong usage.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # built in; the signal module would load enum
import atexit
import os
import stat
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType, TracebackType

MAX_SOURCE_BYTES = 131072
MAX_TOKEN_BYTES = 4096


class Refused(Exception):
    """The run may not start; the text says why."""


def within(path: str, root: str) -> str | None:
    """The entry path names under root, without any link on the way to it; None when there is no such entry."""
    path = os.path.abspath(path)
    real = os.path.realpath(root)
    for base in (os.path.abspath(root), real):
        if path.startswith(base + os.sep):
            entry = os.path.join(real, path[len(base) + 1 :])
            if os.path.realpath(os.path.dirname(entry)) == os.path.dirname(entry):
                return entry
    return None


def read(what: str, path: str, root: str, limit: int) -> bytes:
    """The bytes of a regular file under root, links refused, checked on the open file so that no swap can slip in."""
    entry = within(path, root)
    if entry is None:
        raise Refused("the %s is outside the snapshot" % what)
    try:
        # O_NONBLOCK: opening a pipe somebody put there must not hang the run.
        descriptor = os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise Refused("the %s cannot be opened: %s" % (what, error.strerror)) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        raise Refused("the %s is not a regular file" % what)
    with open(descriptor, "rb") as file:
        content = file.read(limit + 1)
    if not 0 < len(content) <= limit:
        raise Refused("the %s must have 1 to %d bytes" % (what, limit))
    return content


def sha256(content: bytes) -> str:
    """Hexadecimal SHA-256 by the interpreter's own module, since hashlib would load OpenSSL for this one digest."""
    try:
        from _sha2 import sha256 as new  # type: ignore[import-not-found]  # 3.12 and newer
    except ImportError:
        try:
            from _sha256 import sha256 as new  # type: ignore[import-not-found]
        except ImportError:
            from hashlib import sha256 as new
    return str(new(content).hexdigest())


def validated(source: str, token: str) -> bytes:
    """The source's bytes, once everything the launcher promised has been checked; the capability first."""
    workspace = os.environ.get("MINDROOM_SCRIPT_WORKSPACE_ROOT", "")
    if not os.path.isdir(workspace):
        raise Refused("MINDROOM_SCRIPT_WORKSPACE_ROOT names no folder")
    root = snapshot_root()
    read("capability", token, root, MAX_TOKEN_BYTES)
    named = os.environ.get("MINDROOM_SCRIPT_TOKEN_PATH", "")
    if not named or os.path.realpath(named) != os.path.realpath(token):
        raise Refused("MINDROOM_SCRIPT_TOKEN_PATH names another file than this run's capability")
    content = read("source", source, root, MAX_SOURCE_BYTES)
    # Nothing secret is compared: whoever sets the expected digest also wrote the file. So != will do.
    if sha256(content) != os.environ.get("MINDROOM_SCRIPT_SOURCE_DIGEST", ""):
        raise Refused("the source is not the one that was started: its digest differs")
    return content


def snapshot_root() -> str:
    return os.environ.get("MINDROOM_SCRIPT_SNAPSHOT_ROOT") or os.environ.get("MINDROOM_SCRIPT_WORKSPACE_ROOT") or ""


def remove_capability(token: str, root: str, owner: int) -> None:
    """Unlink the entry, be it a link; leave what is outside the snapshot, behind a link, or a directory."""
    if os.getpid() != owner:  # a forked child that ends must not disarm its parent
        return
    entry = within(token, root) if root else None
    try:
        if entry is not None and not stat.S_ISDIR(os.lstat(entry).st_mode):
            os.unlink(entry)
    except OSError:
        pass  # gone already, or for the launcher to remove; never a reason to hide how the script ended


def on_sigterm(number: int, frame: FrameType | None) -> None:
    """End as the script would by itself, so that its finally blocks and atexit functions run; a repetition changes nothing."""
    _signal.signal(_signal.SIGTERM, lambda number, frame: None)
    raise SystemExit(143)


def excepthook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """The usual traceback, beginning with the script's own frames."""
    while trace is not None and trace.tb_frame.f_globals is not sys.modules["__main__"].__dict__:
        trace = trace.tb_next
    sys.__excepthook__(kind, error.with_traceback(trace), trace)


def add_to_path(workspace: str) -> None:
    """Put the workspace after the SDK and the standard library, and ahead of installed packages.

    A json.py or a mindroom folder in the workspace can so break neither the SDK nor any module the SDK loads later, while
    the workspace's own modules still win over installed ones, as they do when Python runs a file.
    """
    installed = (i for i, path in enumerate(sys.path) if os.path.basename(path) in ("site-packages", "dist-packages"))
    sys.path.insert(next(installed, len(sys.path)), workspace)


def main() -> int:
    """Run the script named on the command line and return the process's exit status."""
    if len(sys.argv) != 3:
        print("usage: python -I -u _shim.py SOURCE TOKEN", file=sys.stderr)
        return 2
    _signal.signal(_signal.SIGTERM, on_sigterm)
    os.environ.pop("MINDROOM_CONTROL_STATE_PATH", None)
    source, token = sys.argv[1:]
    # Registered first and so run last: the script's own atexit functions may still call tools. The root is taken now,
    # because the script may change its environment.
    atexit.register(remove_capability, token, os.path.abspath(snapshot_root()), os.getpid())
    try:
        content = validated(source, token)
    except Refused as error:
        print("mindroom: the script was not started: %s" % error, file=sys.stderr)
        return 1
    sys.argv[:] = [source]  # the script has no arguments, and argparse must not see ours
    add_to_path(os.path.realpath(os.environ["MINDROOM_SCRIPT_WORKSPACE_ROOT"]))
    sys.excepthook = excepthook
    module = type(sys)("__main__")
    module.__file__ = source
    sys.modules["__main__"] = module
    exec(compile(content, source, "exec", dont_inherit=True), module.__dict__)
    return 0
