import contextlib
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest

import mindroom
from tests.fake_gateway import FakeGateway, Receipts

SHIM = ""  # in a copy, as every run has one: an isolated interpreter leaves its compiled files beside the sources


def setUpModule():
    global SHIM
    folder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(folder.cleanup)
    copy = os.path.join(os.path.realpath(folder.name), "mindroom")
    shutil.copytree(
        os.path.dirname(os.path.abspath(mindroom.__file__)), copy, ignore=shutil.ignore_patterns("__pycache__")
    )
    SHIM = os.path.join(copy, "_shim.py")


class ShimCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = os.path.join(os.path.realpath(folder.name), "snapshot")
        self.workspace = os.path.join(os.path.realpath(folder.name), "workspace")
        self.outside = os.path.join(os.path.realpath(folder.name), "outside")
        for path in (self.root, self.workspace, self.outside):
            os.mkdir(path)
        self.source = os.path.join(self.root, "script.py")
        self.token = os.path.join(self.root, "capability")
        self.write(self.token, "secret\n")

    def write(self, path, text):
        with open(path, "w") as file:
            file.write(textwrap.dedent(text))
        return path

    def start(self, text="", *arguments, **variables):
        self.write(self.source, text or "pass\n")
        with open(self.source, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        environ = dict(
            os.environ,
            MINDROOM_SCRIPT_WORKSPACE_ROOT=self.workspace,
            MINDROOM_SCRIPT_SNAPSHOT_ROOT=self.root,
            MINDROOM_SCRIPT_TOKEN_PATH=self.token,
            MINDROOM_SCRIPT_SOURCE_DIGEST=digest,
            MINDROOM_CONTROL_STATE_PATH="/state",
        )
        environ.update(variables)
        environ = {name: value for name, value in environ.items() if value is not None}
        return subprocess.Popen(
            [sys.executable, "-I", "-u", SHIM, *(arguments or (self.source, self.token))],
            cwd=self.workspace, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip

    def run_script(self, *arguments, **variables):
        with self.start(*arguments, **variables) as process:
            out, err = process.communicate(timeout=60)
        return process.returncode, out, err


class Running(ShimCase):
    def test_what_a_script_sees(self):
        code, out, err = self.run_script(
            """
            import os, sys
            print(__name__, __file__ == sys.argv[0], len(sys.argv), os.getcwd() == os.environ["MINDROOM_SCRIPT_WORKSPACE_ROOT"])
            print("MINDROOM_CONTROL_STATE_PATH" in os.environ, os.path.exists(os.environ["MINDROOM_SCRIPT_TOKEN_PATH"]))
            import __main__
            print(__main__.__file__ == __file__, vars(__main__) is globals(), sorted(name for name in globals() if name[:2] != "__"))
            """
        )
        self.assertEqual((0, ""), (code, err))
        self.assertEqual("__main__ True 1 True\nFalse True\nTrue True ['os', 'sys']\n", out)
        self.assertFalse(os.path.exists(self.token))

    def test_workspace_modules_import_but_shadow_nothing(self):
        self.write(os.path.join(self.workspace, "helper_of_the_user.py"), "VALUE = 5\n")
        for name in ("json", "socket", "hashlib", "os", "stat", "atexit", "mindroom", "ssl", "email", "_thread"):
            os.mkdir(os.path.join(self.workspace, name))
            self.write(
                os.path.join(self.workspace, name, "__init__.py"), "raise SystemExit('shadowed by the workspace')\n"
            )
        code, out, err = self.run_script(
            """
            import helper_of_the_user
            from mindroom.script_sdk import MindRoomTools, MindRoomToolCallError
            import json, ssl, email.utils
            print(helper_of_the_user.VALUE)
            """
        )
        self.assertEqual((0, "5\n", ""), (code, out, err))

    def test_workspace_comes_before_installed_packages(self):
        code, out, err = self.run_script(
            """
            import os, sys
            names = [os.path.basename(path) for path in sys.path]
            at = names.index("workspace")
            print(any("-packages" in name for name in names[:at]), os.path.dirname(os.__file__) in sys.path[:at])
            """
        )
        self.assertEqual((0, "False True\n", ""), (code, out, err))

    def test_exit_codes(self):
        for text, want, told in (
            ("pass", 0, ""),
            ("raise SystemExit", 0, ""),
            ("import sys; sys.exit(7)", 7, ""),
            ("import sys; sys.exit('reason')", 1, "reason\n"),
            ("import os; os._exit(9)", 9, ""),
            ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
            ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", -11, ""),
        ):
            with self.subTest(text):
                self.write(self.token, "secret")
                self.assertEqual((want, "", told), self.run_script(text))
                self.assertEqual(want < 0 or "_exit" in text, os.path.exists(self.token))

    def test_traceback_is_the_scripts_own(self):
        code, _, err = self.run_script("def outer():\n    raise LookupError('no luck')\n\nouter()\n")
        self.assertEqual(1, code)
        self.assertTrue(
            err.startswith(
                'Traceback (most recent call last):\n  File "%s", line 4, in <module>\n    outer()\n' % self.source
            ),
            err,
        )
        self.assertTrue(err.endswith("LookupError: no luck\n"), err)
        self.assertNotIn("_run.py", err)
        self.assertNotIn("_shim.py", err)
        self.assertFalse(os.path.exists(self.token))

    def test_syntax_error_is_shown_as_usual(self):
        code, _, err = self.run_script("x = (\n")
        self.assertEqual(1, code)
        self.assertIn('File "%s", line 1' % self.source, err)
        self.assertIn("SyntaxError", err)
        self.assertNotIn("_run.py", err)

    def test_source_in_another_encoding(self):
        with open(self.source, "wb") as file:
            file.write("# coding: latin-1\nprint(ascii('\u00e9'))\n".encode("latin-1"))
        with open(self.source, "rb") as file:
            digest = hashlib.sha256(file.read()).hexdigest()
        with mock_write(self):
            self.assertEqual((0, "'\\xe9'\n", ""), self.run_script("kept", MINDROOM_SCRIPT_SOURCE_DIGEST=digest))

    def test_sigterm_runs_finally_and_atexit(self):
        with self.start(
            """
            import atexit, os, signal, sys, time
            atexit.register(lambda: print("atexit", os.path.exists(os.environ["MINDROOM_SCRIPT_TOKEN_PATH"])))
            try:
                print("ready")
                while True:
                    time.sleep(60)
            finally:
                os.kill(os.getpid(), signal.SIGTERM)  # a second one does not cut the clean-up short
                print("finally")
            """
        ) as process:
            self.assertEqual("ready\n", process.stdout.readline())
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
        self.assertEqual((143, "finally\natexit True\n", ""), (process.returncode, out, err))
        self.assertFalse(os.path.exists(self.token))

    def test_forked_child_leaves_the_capability(self):
        code, out, err = self.run_script(
            """
            import os, sys, warnings
            child = os.fork()
            if child == 0:
                sys.exit(0)
            os.waitpid(child, 0)
            print(os.path.exists(os.environ["MINDROOM_SCRIPT_TOKEN_PATH"]))
            """
        )
        self.assertEqual((0, "True\n", ""), (code, out, err))

    def test_spawned_processes_find_the_script(self):
        code, out, err = self.run_script(
            """
            import multiprocessing

            def double(n):
                return 2 * n

            if __name__ == "__main__":
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    print(pool.map(double, [1, 2]))
            """
        )
        self.assertEqual((0, "[2, 4]\n"), (code, out), err)

    def test_call_through_the_sdk(self):
        receipt = Receipts()
        gateway = FakeGateway(receipt("pending"), receipt(result="page"))
        self.addCleanup(gateway.close)
        code, out, err = self.run_script(
            """
            from mindroom.script_sdk import MindRoomTools
            print(MindRoomTools(poll_interval_seconds=0.01).call("website", "read_url", url="https://example.org/"))
            """,
            MINDROOM_SCRIPT_GATEWAY_URL=gateway.url,
            MINDROOM_SCRIPT_RUN_ID="script-1",
        )
        self.assertEqual((0, "page\n", ""), (code, out, err))
        self.assertEqual("Bearer secret", gateway.requests[0].headers["Authorization"])


@contextlib.contextmanager
def mock_write(case):
    """Let a test lay out the source by itself."""
    case.write = lambda path, text: path
    yield
    del case.write


class Refusing(ShimCase):
    def refused(self, why, *arguments, **variables):
        code, out, err = self.run_script("print('ran')", *arguments, **variables)
        self.assertEqual((1, ""), (code, out))
        self.assertRegex(err, "^mindroom: the script was not started: .*" + why)
        self.assertNotIn("Traceback", err)

    def test_usage(self):
        for arguments in (("one",), ("one", "two", "three")):
            code, out, err = self.run_script("", *arguments)
            self.assertEqual((2, ""), (code, out))
            self.assertIn("usage", err)

    def test_broken_promises(self):
        for why, variables in (
            ("WORKSPACE_ROOT names no folder", {"MINDROOM_SCRIPT_WORKSPACE_ROOT": None}),
            ("WORKSPACE_ROOT names no folder", {"MINDROOM_SCRIPT_WORKSPACE_ROOT": self.source}),
            ("TOKEN_PATH", {"MINDROOM_SCRIPT_TOKEN_PATH": None}),
            ("TOKEN_PATH", {"MINDROOM_SCRIPT_TOKEN_PATH": self.source}),
            ("digest", {"MINDROOM_SCRIPT_SOURCE_DIGEST": None}),
            ("digest", {"MINDROOM_SCRIPT_SOURCE_DIGEST": "0" * 64}),
        ):
            with self.subTest(variables):
                self.write(self.token, "secret")
                self.refused(why, **variables)
                self.assertFalse(os.path.exists(self.token))

    def test_snapshot_root_defaults_to_the_workspace(self):
        self.refused("outside", MINDROOM_SCRIPT_SNAPSHOT_ROOT=None)
        self.assertTrue(os.path.exists(self.token))  # not in the workspace, so not ours to remove
        self.assertEqual(
            (0, "", ""),
            self.run_script("", MINDROOM_SCRIPT_SNAPSHOT_ROOT=None, MINDROOM_SCRIPT_WORKSPACE_ROOT=self.root),
        )

    def test_unusable_sources(self):
        other = self.write(os.path.join(self.outside, "other.py"), "print('ran')")
        link, fifo, folder, big, empty = (
            os.path.join(self.root, name) for name in ("link", "fifo", "folder", "big", "empty")
        )
        os.symlink(other, link)
        os.mkfifo(fifo)
        os.mkdir(folder)
        os.symlink(self.outside, os.path.join(self.root, "away"))
        self.write(big, "#" * 131073)
        self.write(empty, "")
        for why, path in (
            ("outside", other), ("outside", os.path.join(self.root, "..", "outside", "other.py")), ("outside", os.path.join(self.root, "away", "other.py")),
            ("opened", link), ("opened", os.path.join(self.root, "missing")), ("regular", fifo), ("131072", big), ("131072", empty), ("outside", self.root),
            ("source", folder),
        ):  # fmt: skip
            with self.subTest(path):
                self.write(self.token, "secret")
                self.refused(why, path, self.token)
                self.assertFalse(os.path.exists(self.token))

    def test_largest_source(self):
        self.assertEqual((0, "ran\n", ""), self.run_script("print('ran')".ljust(131071) + "\n"))

    def test_unusable_capabilities(self):
        for content in ("", "x" * 4097):
            self.write(self.token, content)
            self.refused("4096")
            self.assertFalse(os.path.exists(self.token))

    def test_linked_capability_is_unlinked_and_its_target_kept(self):
        target = self.write(os.path.join(self.outside, "target"), "secret")
        os.unlink(self.token)
        os.symlink(target, self.token)
        self.refused("opened")
        self.assertFalse(os.path.lexists(self.token))
        self.assertTrue(os.path.exists(target))

    def test_what_is_not_the_runs_own_is_never_removed(self):
        outside = self.write(os.path.join(self.outside, "capability"), "secret")
        os.symlink(self.outside, os.path.join(self.root, "away"))
        folder = os.path.join(self.root, "folder")
        os.mkdir(folder)
        for path in (
            outside,
            os.path.join(self.root, "away", "capability"),
            os.path.join(self.root, "..", "outside", "capability"),
            folder,
            self.root,
        ):
            with self.subTest(path):
                self.refused("capability", self.source, path, MINDROOM_SCRIPT_TOKEN_PATH=path)
                self.assertTrue(os.path.exists(path))


if __name__ == "__main__":
    unittest.main()
