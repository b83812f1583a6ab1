# Makes a few calls and ends.
from mindroom.script_sdk import MindRoomTools

tools = MindRoomTools()
for n in range(5):
    tools.call("soak", "count", n=n)
    print("seen", n, n + 1)
