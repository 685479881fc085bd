# Every question starts with this. Answers go to descriptor 3 in frames of a 32-bit length, a kind and that many bytes;
# each is a part of a snapshot. Standard output is closed off, so that nothing a framework prints there matters.
import sys

if sys.path and sys.path[0] == "":
    sys.path.pop(0)  # the folder we were started in is not the program's, and may be anybody's: before all else

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
    """What is known so far is handed over, then the next thing is named: if it crashes, that is to blame."""
    frame(b"a", json.dumps(answer))
    frame(b"s", what)


def words(error):
    lines = str(error).strip().splitlines()
    return "%s: %s" % (type(error).__name__, lines[0][:400] if lines else "")


def complain(text):
    """To standard error, whatever a framework has put in the place of sys.stderr."""
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
    """The module, or None and the reason as an answer. The traceback goes to standard error, for the log reader."""
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
    os._exit(0)  # what frameworks do when they end is not asked
