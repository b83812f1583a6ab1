"""Runs one approval script for MindRoom: it reads questions from descriptor 0 and answers on descriptor 1.

A frame is its length in four bytes, highest first, and JSON. The first frame brings the script, each later one asks its
check(tool_name, arguments, agent_name). What the script itself prints goes to descriptor 2, where it disturbs nothing.
"""

import asyncio
import base64
import inspect
import json
import os
import struct
import sys
import types

# What is told of a failure, in characters. The reader takes secrets out of it before it cuts it shorter.
TEXT = 8000


def channels():
    """Take the two descriptors away from the script and give it others."""
    questions = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    return questions, answers


def receive(questions):
    head = questions.read(4)
    if len(head) < 4:
        return None
    (size,) = struct.unpack(">I", head)
    return json.loads(questions.read(size))


def send(answers, frame):
    body = json.dumps(frame).encode()
    answers.write(struct.pack(">I", len(body)) + body)
    answers.flush()


def fault(kind, error, path):
    """What an exception says, and the last line of the script it came through."""
    line = 0
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno or 0
    try:
        text = "%s: %s" % (type(error).__name__, error)
    except BaseException:
        text = type(error).__name__
    return {"failed": {"kind": kind, "text": text[:TEXT], "line": line}}


def load(path, source):
    module = types.ModuleType("approval_script")
    module.__file__ = path
    sys.modules[module.__name__] = module
    exec(compile(source, path, "exec"), module.__dict__)
    check = getattr(module, "check", None)
    if not callable(check):
        raise LookupError("it defines no function check(tool_name, arguments, agent_name)")
    return check


def ask(check, question, path):
    try:
        answer = check(question["tool_name"], question["arguments"], question["agent_name"])
        if inspect.isawaitable(answer):
            answer = asyncio.run(waited(answer))
    except BaseException as error:  # SystemExit too: the process stays for the next question
        return fault("raised", error, path)
    if isinstance(answer, bool):
        return {"needs_approval": answer}
    text = "check returned %s, not True or False" % type(answer).__name__
    return {"failed": {"kind": "answer", "text": text[:TEXT], "line": 0}}


async def waited(answer):
    return await answer


def main():
    questions, answers = channels()
    try:
        os.close(3)  # this file, where it came from
    except OSError:
        pass
    first = receive(questions)
    if first is None:
        return
    path = first["load"]["path"]
    try:
        check = load(path, base64.b64decode(first["load"]["source"]))
    except BaseException as error:
        send(answers, fault("invalid", error, path))
        return
    send(answers, {"loaded": True})
    while True:
        frame = receive(questions)
        if frame is None:
            return
        try:
            answer = ask(check, frame["check"], path)
        finally:
            sys.stdout.flush()
        send(answers, answer)


main()
