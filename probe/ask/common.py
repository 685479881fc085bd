# The start of every query. Answers go to descriptor 3 in frames of a 32-bit length, a kind and that many bytes;
# each is a part of a snapshot. Standard output is redirected, so that a framework's output does no harm.
import sys

if sys.path and sys.path[0] == "":
    sys.path.pop(0)  # first of all: never import from the working folder, which anyone may have written

import json
import os
import struct

channel = os.dup(3)
os.close(3)
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

answer = {"schema": "envdoctor.snapshot/1"}


def frame(kind, text):
    data = text.encode("utf-8", "replace")
    data = struct.pack("=Ic", len(data), kind) + data
    while data:
        data = data[os.write(channel, data):]


def step(what):
    """Sends what is known so far, then names the next step, so that a crash can be attributed to it."""
    frame(b"a", json.dumps(answer))
    frame(b"s", what)


def words(error):
    lines = str(error).strip().splitlines()
    return "%s: %s" % (type(error).__name__, lines[0][:400] if lines else "")


def complain(text):
    """To standard error, even if a framework has replaced sys.stderr."""
    try:
        os.write(2, (text + "\n").encode("utf-8", "replace"))
    except OSError:
        pass


def note(section, key, ask):
    """One reading: the value that ask() gives, or why there is none, for the log reader too. None: not asked."""
    try:
        value = ask()
    except BaseException as error:
        value = {"failed": words(error)}
        complain(words(error))
    if value is not None:
        answer.setdefault(section, {})[key] = value


def bring(module, section):
    """The module, or None after sending the reason. The traceback goes to standard error, for the log reader."""
    step("import " + module)
    try:
        found = __import__(module)
    except BaseException as error:
        import traceback
        traceback.print_exc()
        answer.setdefault(section, {})["import_error"] = words(error)
        return None
    if getattr(found, "__file__", None) is None:
        answer.setdefault(section, {})["import_error"] = "a folder without __init__.py: " + str(list(found.__path__)[0])
        return None
    answer.setdefault(section, {})["import_error"] = {"absent": "it imports"}
    return found


def mapped_libraries():
    """The GPU libraries in this process, by path."""
    marks = ("libcu", "libnv", "libnccl", "libamdhip", "libhsa", "libMIOpen", "librocblas", "libhip")
    found = set()
    for line in open("/proc/self/maps"):
        path = line.split(None, 5)[-1].strip()
        if path.startswith("/") and os.path.basename(path).startswith(marks):
            found.add(path)
    return sorted(found)


def end():
    frame(b"a", json.dumps(answer))
    os._exit(0)  # skips the frameworks' exit handlers
