# Calls without pause until it is told to end, and says how many calls it saw completed.
import sys

from mindroom.script_sdk import MindRoomToolCallError, MindRoomTools

tools = MindRoomTools()
n, since, go_on = 0, 0, True
while go_on:
    try:
        go_on = tools.call("soak", "count", n=n)
    except MindRoomToolCallError as error:
        print("seen", since, n)
        print("failed", n, error.kind)
        since = n + 1
    n += 1
print("seen", since, n)
