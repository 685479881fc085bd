# Runs computations on request, one after the other, until the parent is gone. It follows common.py and one
# of the compute_<framework>.py, which give:
#   start(device)         imports the framework and chooses the device; what it can do
#   take(bytes, kind)     a flat array of that kind on the device; kinds are fp16, bf16, tf32, fp32, fp64
#   give(array)           its bytes
#   wait()                until the device has finished all work
#   switch(off, kind)     turns these libraries off, all others on, and chooses the arithmetic
#   gemm, conv2d, softmax, layernorm, lstm, dot: arrays and numbers as the reference kernels take them; the outputs
# Arrays pass through a file that both sides have open, never through the channel.
import time

arena = os.dup(4)
os.close(4)


def how_it_ran(name):
    """Which library did it, where a framework reports it; overridden below."""
    return ""


def receive(count):
    data = b""
    while len(data) < count:
        part = os.read(channel, count - len(data))
        if not part:
            os._exit(0)
        data += part
    return data


def questions():
    while True:
        length, _ = struct.unpack("=Ic", receive(5))
        yield receive(length).decode().split()


class Task:
    """One operation on one set of inputs: run the given number of times."""

    def __init__(self, name, kind, arguments):
        self.operation = globals()[name]
        self.name, self.kind = name, kind
        self.arguments, self.places = [], []
        for argument in arguments:
            what, value = argument.split(":", 1)
            if what == "in":
                start, size = map(int, value.split(":"))
                self.arguments.append(take(os.pread(arena, size, start), kind))
            elif what == "out":
                self.places.append(tuple(map(int, value.split(":"))))
            else:
                self.arguments.append(int(value) if what == "int" else float(value))
        wait()

    def run(self, times):
        start = time.perf_counter()
        for _ in range(times):
            results = self.operation(*self.arguments)
        wait()
        spent = time.perf_counter() - start
        for result, (place, size) in zip(results, self.places):
            data = give(result)
            if len(data) != size:
                raise ValueError("%s gave %d bytes instead of %d" % (self.name, len(data), size))
            os.pwrite(arena, data, place)
        return spent * 1000


def not_offered(error):
    """A framework's way to say that it has no such operation in this precision on this device."""
    text = str(error).lower()
    return isinstance(error, NotImplementedError) or any(
        mark in text for mark in ("not implemented", "unimplemented", "no opkernel", "not supported",
                                  "could not find device", "value for attr", "unsupported"))


def answer_one(words_, state):
    what, rest = words_[0], words_[1:]
    if what == "start":
        facts = start(rest[0])
        return "ok " + " ".join("%s=%s" % (key, value.replace(" ", "_")) for key, value in facts.items())
    if what == "switch":
        state["off"] = rest
        return "ok"
    if what == "load":
        name, kind = rest[0], rest[1]
        if name not in globals():
            return "missing it has no " + name
        switch(state.get("off", []), kind)
        state["task"] = None
        state["task"] = Task(name, kind, rest[2:])
        return "ok"
    spent = state["task"].run(int(rest[0]))
    return ("ok %.6f %s" % (spent, how_it_ran(state["task"].name))).rstrip()


def answer_all():
    state = {}
    for question in questions():
        try:
            reply = answer_one(question, state)
        except Exception as error:
            import traceback
            traceback.print_exc()
            reply = ("missing " if not_offered(error) else "error ") + words(error)
        frame(b"a", reply)
