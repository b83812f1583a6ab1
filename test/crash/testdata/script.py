"""The script of the crash matrix: it says how far it is, and does what its play asks."""

import subprocess
import sys
import threading
import time
import urllib.request

from mindroom.script_sdk import MindRoomTools

SITE = "@SITE@"
PLAY = "@PLAY@"


def at(where):
    urllib.request.urlopen(SITE + where).read()


def read(tools, name):
    said = tools.call("website", "read_url", url=SITE + "/read/" + name)
    at("/mark/told-" + name)
    return said


def main():
    # A child that left its parent's session must not outlive the run.
    subprocess.Popen([sys.executable, "-I", "-c", "import time; time.sleep(600)"], start_new_session=True)
    tools = MindRoomTools()
    at("/mark/up")
    if PLAY == "exit":
        at("/wait/exit")
        return
    if PLAY in ("call", "two calls", "call that asks"):
        at("/wait/call")
        first = threading.Thread(target=read, args=(tools, "a"))
        first.start()
        if PLAY == "two calls":
            at("/wait/second")
            read(tools, "b")
        first.join()
    time.sleep(600)


main()
