# Calls until it is ended from outside.
from mindroom.script_sdk import MindRoomTools

tools = MindRoomTools()
n = 0
while True:
    tools.call("soak", "count", n=n)
    print("seen", n, n + 1)
    n += 1
