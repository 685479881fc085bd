"""`envdoctor mcp` with the official Python client, and with a thousand hostile messages that must all be answered or ignored.

Arguments: the source folder, the program. SEED draws other messages."""
import asyncio
import json
import os
import pathlib
import random
import subprocess
import sys
import time

import readers

readers.run_inside()
source, binary = pathlib.Path(sys.argv[1]), sys.argv[2]
failures = []
sanitized = b"__asan_init" in pathlib.Path(binary).read_bytes()  # takes more memory and time by itself
MESSAGES = 300 if sanitized else 1000
seed = int(os.environ.get("SEED", "1"))
draw = random.Random(seed)


def expect(name, condition, what=""):
    if not condition:
        failures.append(f"{name}: {what}")


async def by_client():
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    log = (source / "fixtures/cases").glob("*/*.log")
    async with Client(stdio_client(StdioServerParameters(command=binary, args=["mcp"]))) as client:
        listed = (await client.list_tools()).tools
        expect("tools", [tool.name for tool in listed] == ["check", "diagnose", "explain", "visible"], listed)
        expect("tools", all(tool.annotations.read_only_hint for tool in listed), "a tool is not said to be read-only")

        async def call(tool, **arguments):
            answer = await client.call_tool(tool, arguments)
            return answer.is_error, answer.content[0].text

        wrong, text = await call("check")
        expect("check", not wrong and set(json.loads(text)) >= {"verdict", "cause", "evidence", "next_command", "undetermined"}, text[:300])
        expect("check", len(text.encode()) <= 2048, len(text))
        wrong, text = await call("diagnose", text="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
        expect("diagnose", not wrong and json.loads(text)["cause"]["id"] == "memory.out-of-memory", text[:300])
        snapshot = (source / "fixtures/hosts/made-a100-module-and-library-differ/expected/snapshot.json").read_text()
        wrong, text = await call("diagnose", text=snapshot, format="json")
        expect("snapshot", not wrong and json.loads(text)["findings"][0]["id"] == "driver.version-mismatch", text[:300])
        wrong, text = await call("diagnose", text="")
        expect("empty", wrong and "empty" in text, text)
        wrong, text = await call("diagnose", text='{"schema": "envdoctor.snapshot/1", "pci": 7}')
        expect("bad snapshot", wrong, text[:300])
        wrong, text = await call("explain", id="driver.too-old")
        expect("explain", not wrong and "driver.too-old" in text, text[:300])
        wrong, text = await call("explain", id="driver.too-ol")
        expect("typo", wrong and "did you mean 'driver.too-old'" in text, text)
        wrong, text = await call("visible", format="json")
        expect("visible", not wrong and json.loads(text)["schema"] == "envdoctor.visible/1", text[:300])
        wrong, text = await call("check", path="/etc/shadow")
        expect("argument", wrong and "no argument 'path'" in text, text)


asyncio.run(by_client())


def request(method, params=None, number=1):
    return {"jsonrpc": "2.0", "id": number, "method": method, **({} if params is None else {"params": params})}


WORDS = ["", "check", "../../etc/passwd", "\x00", "\ud800", "%n%s", "é" * 50, "$(id)", "<script>"]


def value(depth=0):
    kind = draw.randrange(6 if depth < 4 else 4)
    if kind == 0:
        return draw.choice([None, True, [], {}])
    if kind == 1:
        return draw.choice([0, -1, 2**63, 2**70, 1e308, -0.0, draw.random()])
    if kind < 4:
        return draw.choice(WORDS)
    inner = [value(depth + 1) for _ in range(draw.randrange(4))]
    return inner if kind == 4 else {draw.choice(["name", "id", "text", "arguments", "x"]): item for item in inner}


def hostile(number):
    """One line, and whether it must be answered (None: either way)."""
    kind = draw.randrange(12)
    good = json.dumps(request("tools/call", {"name": draw.choice(["diagnose", "explain"]), "arguments": {"text": "CUDA error: out of memory", "id": "driver"}}, number)).encode()
    if kind == 0:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(1, 300))).replace(b"\n", b" "), None
    if kind == 1:
        return good[: draw.randrange(1, len(good))], True
    if kind == 2:
        return b"[" * draw.choice([33, 5000, 200000]), True
    if kind == 3:
        return b'{"a":' * draw.choice([40, 100000]), True
    if kind == 4:
        return json.dumps({"jsonrpc": value(), "id": value(), "method": value(), "params": value()}).encode(), None
    if kind == 5:
        return json.dumps(request(draw.choice(["tools/call", "initialize", "tools/list"]), value(), number)).encode(), True
    if kind == 6:
        return json.dumps(request("tools/call", {"name": draw.choice(["diagnose", "explain", "visible", "check", "run", "rm -rf"]), "arguments": {"quick": value(), "text": value(), "format": value()}}, number)).encode(), True
    if kind == 7:
        spoilt = bytearray(good)
        for _ in range(draw.randrange(1, 6)):
            spoilt[draw.randrange(len(spoilt))] = draw.choice(b'{}[]":,\\\x00\xff0e')
        return bytes(spoilt), None
    if kind == 8:
        line = json.dumps({"jsonrpc": "2.0", "method": draw.choice(["notifications/initialized", "notifications/cancelled", "x"]), "params": value()}).encode()
        return line, b"\\ud800" in line  # half a character makes it no JSON
    if kind == 9:
        return json.dumps([request("ping", None, number)] * 3).encode(), True
    if kind == 10:
        text = "".join(draw.choice(["CUDA error", "\\u0000", "nvidia-smi", "\n", "\x1b[31m", "A" * 5000, "{", "NVRM: Xid"]) for _ in range(30))
        return json.dumps(request("tools/call", {"name": "diagnose", "arguments": {"text": text}}, number)).encode(), True
    return json.dumps(request("explain" * draw.randrange(1, 2000), None, number)).encode(), True


served = subprocess.Popen([binary, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)


def ask(line):
    served.stdin.write(line + b"\n")
    served.stdin.flush()


def hear():
    line = served.stdout.readline()
    answer = json.loads(line)
    expect("answer", line.endswith(b"\n") and answer.get("jsonrpc") == "2.0" and ("result" in answer) != ("error" in answer), line[:200])
    return answer


start, answered = time.monotonic(), 0
for number in range(MESSAGES):
    line, must = hostile(number)
    ask(line)
    ask(json.dumps(request("ping", None, f"after {number}")).encode())  # it lives, and has not lost its place
    answers = []
    while not answers or answers[-1].get("id") != f"after {number}":
        answers.append(hear())
    answered += len(answers) - 1
    expect(f"message {number}", len(answers) <= 2 and (must is None or (len(answers) == 2) == must), f"{line[:150]!r}: {len(answers) - 1} answers")
    if failures:
        break
# Fifty at once: all are answered, each once.
for number in range(50):
    ask(json.dumps(request("tools/call", {"name": ("explain", "diagnose", "visible")[number % 3], "arguments": [{"id": "driver"}, {"text": "CUDA error: out of memory"}, {}][number % 3]}, number)).encode())
answers = [hear() for _ in range(50)]
expect("fifty at once", sorted(answer["id"] for answer in answers) == list(range(50)) and not any(answer["result"]["isError"] for answer in answers), answers[:2])
# A line that never ends is passed over at little cost; the next one is read.
for _ in range(20):
    served.stdin.write(b"x" * (1 << 20))
ask(b"")
expect("long line", hear()["error"]["code"] == -32600)
ask(json.dumps(request("ping")).encode())
expect("after a long line", hear().get("result") == {})
memory = int(next(line for line in pathlib.Path(f"/proc/{served.pid}/status").read_text().splitlines() if line.startswith("VmRSS")).split()[1])
expect("memory", memory < (1_000_000 if sanitized else 200_000), f"{memory} KiB")
expect("descriptors", len(list(pathlib.Path(f"/proc/{served.pid}/fd").iterdir())) < 12, "descriptors leak")
expect("children", not pathlib.Path(f"/proc/{served.pid}/task/{served.pid}/children").read_text().split(), "children are left")
served.stdin.close()
expect("end", served.wait(10) == 0, "it does not end when its client does")

print("\n".join(failures[:20]))
print(f"seed {seed}: {answered} of {MESSAGES} hostile messages answered in {time.monotonic() - start:.0f} s, {len(failures)} failures")
sys.exit(bool(failures))
