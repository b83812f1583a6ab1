# Leaves a process that has freed itself from its parents, and calls until it is ended.
import os
import time

from mindroom.script_sdk import MindRoomTools

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(3600)
    os._exit(0)
os.wait()
tools = MindRoomTools()
n = 0
while True:
    tools.call("soak", "count", n=n)
    print("seen", n, n + 1)
    n += 1
