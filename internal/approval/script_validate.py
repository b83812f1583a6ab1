"""Reads a Python file on stdin, without running it, and says what stands in the way of asking its function check."""

import ast
import json
import sys


def binds_check(tree):
    """Whether anything at the top of the module, under conditions too, gives the name check a value."""
    waiting = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            if node.name == "check":
                return True
            continue
        if isinstance(node, ast.Name) and node.id == "check" and isinstance(node.ctx, ast.Store):
            return True
        if isinstance(node, ast.alias) and (node.asname or node.name) in ("check", "*"):
            return True
        waiting.extend(ast.iter_child_nodes(node))
    return False


def fault():
    try:
        tree = ast.parse(sys.stdin.buffer.read())
    except SyntaxError as error:
        return {"text": "SyntaxError: %s" % error.msg, "line": error.lineno or 0}
    except (ValueError, RecursionError, MemoryError) as error:
        return {"text": "%s: %s" % (type(error).__name__, error), "line": 0}
    if not binds_check(tree):
        return {"text": "it defines no function check(tool_name, arguments, agent_name)", "line": 0}
    return {"text": "", "line": 0}


print(json.dumps(fault()))
