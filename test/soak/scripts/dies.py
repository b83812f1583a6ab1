# Dies while calls of its own are still waiting.
import os
import threading
import time

from mindroom.script_sdk import MindRoomTools

tools = MindRoomTools()
tools.call("soak", "count", n=0)
print("seen", 0, 1)
for n in range(1, 4):
    threading.Thread(target=tools.call, args=("soak", "hold"), kwargs={"n": n}, daemon=True).start()
time.sleep(0.3)
os._exit(3)
