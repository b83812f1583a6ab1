# Keeps calls waiting, each thread one, and says of each call that it was completed.
import sys
import threading

from mindroom.script_sdk import MindRoomToolCallError, MindRoomTools

THREADS = @THREADS@
tools = MindRoomTools()
out = threading.Lock()


def say(*words):
    with out:
        print(*words)


def wait(n):
    while True:
        try:
            tools.call("soak", "hold", n=n)
        except MindRoomToolCallError as error:
            say("failed", n, error.kind)
            return
        say("seen", n, n + 1)
        n += THREADS


for n in range(THREADS):
    threading.Thread(target=wait, args=(n,)).start()
