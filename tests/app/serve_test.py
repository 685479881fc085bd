"""`envdoctor diagnose --serve`: the page in headless Chromium, attacks from other sites, fifty at once, and a thousand hostile
requests.

Arguments: the source folder, the program. SEED draws other requests."""
import concurrent.futures
import gzip
import http.client
import json
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import browser
import made

source, binary = pathlib.Path(sys.argv[1]), sys.argv[2]
seed = int(os.environ.get("SEED", "1"))
draw = random.Random(seed)
failures = []
sanitized = b"__asan_init" in pathlib.Path(binary).read_bytes()  # takes more memory and time by itself


def expect(name, condition, what=""):
    if not condition:
        failures.append(f"{name}: {what}")


def started(*arguments):
    served = subprocess.Popen([binary, "diagnose", "--serve", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    line = served.stderr.readline()
    return served, int(re.search(r"http://\S+:(\d+)/", line).group(1))


def ask(method, path, body=None, port=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port or PORT, timeout=60)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, dict((name.lower(), value) for name, value in answer.getheaders()), text


def descriptors():
    return len(list(pathlib.Path(f"/proc/{served.pid}/fd").iterdir()))


def children():
    return pathlib.Path(f"/proc/{served.pid}/task/{served.pid}/children").read_text().split()


def memory():
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{served.pid}/status").read_text()).group(1))


served, PORT = started("0")
LOG = b"step 1\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n"
host = source / "fixtures/hosts/made-a100-module-and-library-differ/expected/snapshot.json"

# The same document as on the command line, from a log, a packed log, a snapshot.
status, headers, text = ask("POST", "/diagnose", LOG)
expect("log", status == 200 and json.loads(text)["findings"][0]["id"] == "memory.out-of-memory", (status, text[:200]))
expect("log", "default-src 'none'" in headers["content-security-policy"] and headers["x-content-type-options"] == "nosniff", headers)
packed = ask("POST", "/diagnose", gzip.compress(LOG))
expect("packed log", packed[0] == 200 and packed[2] == text, packed[2][:200])
status, _, text = ask("POST", "/diagnose", host.read_bytes())
same = subprocess.run([binary, "diagnose", host, "--format", "json"], stdout=subprocess.PIPE).stdout
expect("snapshot", status == 200 and text == same, "not what diagnose writes")
status, headers, text = ask("POST", "/diagnose", host.read_bytes(), Accept="text/html")
expect("page", status == 200 and text.startswith(b"<!DOCTYPE html>") and headers["content-type"].startswith("text/html"), text[:100])
for name, body in (("empty", b""), ("a program", b"\x7fELF" + bytes(300)), ("bad snapshot", b'{"schema": "envdoctor.snapshot/1", "pci": 7}')):
    status, _, text = ask("POST", "/diagnose", body)
    expect(name, status == 400 and json.loads(text)["error"], (status, text[:200]))

# What other sites may not do.
for name, wanted, headers in (
        ("rebound name", 403, {"Host": f"evil.example:{PORT}"}), ("localhost", 200, {"Host": f"localhost:{PORT}"}),
        ("other origin", 403, {"Origin": "http://evil.example"}), ("no origin", 403, {"Origin": "null"}), ("other port", 403, {"Origin": "http://127.0.0.1:1"}),
        ("own origin", 200, {"Origin": f"http://127.0.0.1:{PORT}"}), ("other site", 403, {"Sec_Fetch_Site": "cross-site"}), ("own site", 200, {"Sec_Fetch_Site": "same-origin"})):
    expect(name, ask("POST", "/diagnose", LOG, **headers)[0] == wanted, ask("POST", "/diagnose", LOG, **headers))
expect("rebound page", ask("GET", "/", Host="evil.example")[0] == 403, "the page is shown under another name")
for method, path, wanted in (("GET", "/", 200), ("HEAD", "/", 200), ("GET", "/desk.js", 200), ("GET", "/diagnose", 405), ("POST", "/", 405), ("GET", "/../etc/passwd", 404), ("DELETE", "/diagnose", 405)):
    expect(f"{method} {path}", ask(method, path, b"" if method == "POST" else None)[0] == wanted, ask(method, path, b"" if method == "POST" else None)[:2])
expect("too large", ask("POST", "/diagnose", bytes(17 << 20))[0] == 413, "a body of 17 MiB is taken")
listening = subprocess.run(["ss", "-Htln", f"sport = :{PORT}"], stdout=subprocess.PIPE, text=True).stdout if shutil.which("ss") else f"LISTEN 0 0 127.0.0.1:{PORT}"
expect("loopback", re.match(r"LISTEN +\d+ +\d+ +127\.0\.0\.1:", listening), listening)
for arguments in (["--serve", "x"], ["--serve", "1", "file"], ["--serve", "example.org:1"], ["--serve", "99999"], ["--serve", str(PORT)]):
    done = subprocess.run([binary, "diagnose", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=20)
    expect(" ".join(arguments), done.returncode == 2 and done.stderr, done)

# Fifty at once, beside some who say nothing.
idle = [socket.create_connection(("127.0.0.1", PORT)) for _ in range(25)]
big = json.dumps(made.with_compute(source / "fixtures/hosts/made-eight-h100-healthy/expected/snapshot.json")).encode()
begin = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(50) as pool:
    statuses = list(pool.map(lambda n: ask("POST", "/diagnose", big if n % 2 and not sanitized else LOG)[0], range(100)))
expect("fifty at once", statuses == [200] * 100, [s for s in statuses if s != 200][:5])
at_once = time.monotonic() - begin
for one in idle:
    one.close()


def hostile(number):
    kind = draw.randrange(14)
    good = b"POST /diagnose HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (len(LOG), LOG)
    if kind == 0:
        return bytes(draw.randrange(256) for _ in range(draw.randrange(1, 2000)))
    if kind == 1:
        return good[: draw.randrange(1, len(good))]
    if kind == 2:
        spoilt = bytearray(good)
        for _ in range(draw.randrange(1, 8)):
            spoilt[draw.randrange(len(spoilt))] = draw.choice(b"\r\n\0 :/\xff9")
        return bytes(spoilt)
    if kind == 3:
        return b"GET / HTTP/1.1\r\n" + b"X: " + b"a" * draw.choice([20000, 200000]) + b"\r\n\r\n"
    if kind == 4:
        return b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"".join(b"H%d: 1\r\n" % n for n in range(2000)) + b"\r\n"
    if kind == 5:
        return b"POST /diagnose HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\nx" % draw.choice([0, 5, 2**31, 2**32, 2**63, 2**64, 10**30])
    if kind == 6:
        return b"POST /diagnose HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"ffffffffffffffff\r\n"
    if kind == 7:
        return b"GET /" + b"../" * draw.randrange(3000) + b"etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    if kind == 8:
        return good + good
    if kind == 9:
        body = b"[" * 300000 if draw.random() < 0.5 else b'{"schema":"envdoctor.snapshot/1","pci":' + b"[" * 200000
        return b"POST /diagnose HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    if kind == 10:  # an archive that would unpack to much more than is read
        body = gzip.compress(bytes(3 << 20) + LOG, 9)
        return b"POST /diagnose HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    if kind == 11:
        body = json.dumps(made.poisoned(json.loads(host.read_text()), [number])).encode()
        return b"POST /diagnose HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/html\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    if kind == 12:
        return b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" if draw.random() < 0.5 else b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500)
    return b"\r\n" * 5000


def attack(bytes_sent):
    """What came back; b"" where the server closed without a word. The sender may leave in the middle."""
    try:
        with socket.create_connection(("127.0.0.1", PORT), timeout=60) as connection:
            connection.sendall(bytes_sent)
            if len(bytes_sent) % 7 == 0:
                return None
            connection.shutdown(socket.SHUT_WR)
            answer = b""
            while piece := connection.recv(1 << 16):
                answer += piece
            return answer
    except OSError:
        return None


# The server sees a closed connection and an ended child a moment later.
def settled():
    """How many descriptors it has open once that number has stayed the same for a second, or after a minute."""
    count, since = descriptors(), time.monotonic()
    last = since + 60
    while time.monotonic() < min(since + 1, last):
        time.sleep(0.05)
        if children() or descriptors() != count:
            count, since = descriptors(), time.monotonic()
    return count


before, attacks = settled(), [hostile(number) for number in range(1000)]
begin = time.monotonic()
with concurrent.futures.ThreadPoolExecutor(50) as pool:
    for sent, answer in zip(attacks, pool.map(attack, attacks)):
        if answer is not None:
            expect("hostile", re.match(rb"HTTP/1\.1 (200|4\d\d|501|503) ", answer), f"{sent[:100]!r}: {answer[:100]!r}")
            expect("hostile", b"root:" not in answer, "a file is shown")
took = time.monotonic() - begin
after = settled()
expect("after", served.poll() is None and not children(), f"children are left: {children()}")
expect("after", after == before and memory() < (500_000 if sanitized else 50_000), f"{after} descriptors, {before} before; {memory()} KiB")
expect("after", ask("POST", "/diagnose", LOG)[0] == 200, "it answers no longer")

# The page, as a person uses it.
with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:  # helpers of the browser may still write
    folder = pathlib.Path(temporary)
    chromium = browser.Browser(folder)
    address = f"http://127.0.0.1:{PORT}/"
    chromium.open(address)
    shown = "!document.getElementById('report').hidden && document.getElementById('report').srcdoc"
    chromium.run("document.getElementById('text').value = 'RuntimeError: CUDA out of memory <script>alert(1)</' + 'script>\\n'; document.getElementById('ask').click()")
    expect("pasted", chromium.until(f"({shown}).includes('memory.out-of-memory')"), chromium.run("document.body.innerText"))
    expect("pasted", not chromium.run(f"new DOMParser().parseFromString({shown}, 'text/html').querySelector('script,img,iframe,a[href]')"), "hostile words are markup")
    # A snapshot that is poisoned in every text, dropped.
    (folder / "host.json").write_text(json.dumps(made.poisoned(json.loads(host.read_text()), [3])))
    node = chromium.call("DOM.querySelector", nodeId=chromium.call("DOM.getDocument")["root"]["nodeId"], selector="#file")["nodeId"]
    chromium.call("DOM.setFileInputFiles", nodeId=node, files=[str(folder / "host.json")])
    expect("file", chromium.until(f"({shown}).includes('driver.version-mismatch')"), chromium.run("document.body.innerText"))
    dropped = ("(() => { const data = new DataTransfer(); data.items.add(new File(['Failed to initialize NVML: Driver/library version mismatch\\n'], 'x.log'));"
               " document.getElementById('drop').dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true})); return true; })()")
    chromium.run(dropped)
    expect("dropped", chromium.until(f"({shown}).includes('version-mismatch') && !({shown}).includes('A100')"), chromium.run("document.body.innerText"))
    chromium.run("document.getElementById('file').value = ''; document.getElementById('text').value = ' '; document.getElementById('ask').click()")
    expect("empty", chromium.until("document.getElementById('status').textContent.includes('the text is empty')"), chromium.run("document.body.innerText"))
    expect("requests", all(url.startswith((address, "about:", "data:")) for url in chromium.asked), chromium.asked)
    said = [line for line in chromium.said if "400 (Bad Request)" not in line]
    expect("console", not said, said[:3])
    # The policy holds: what a page would need to let something out is refused, and that is seen.
    chromium.run("const image = new Image(); image.src = 'http://127.0.0.1:9/x'; const s = document.createElement('script'); s.textContent = 'window.got = 1'; document.body.append(s)")
    expect("policy", chromium.until("true") and not chromium.run("window.got") and any("Content Security Policy" in line or "violates" in line for line in chromium.said), chromium.said[-2:])
    if keep := os.environ.get("PICTURES"):
        import base64
        chromium.open(address)
        chromium.run("document.getElementById('text').value = 'RuntimeError: CUDA out of memory\\n'; document.getElementById('ask').click()")
        chromium.until(f"({shown}).includes('memory')")
        pathlib.Path(keep, "desk.png").write_bytes(base64.b64decode(chromium.call("Page.captureScreenshot")["data"]))
    chromium.close()

served.send_signal(signal.SIGINT)
expect("end", served.wait(10) == -signal.SIGINT, served.returncode)
print("\n".join(failures[:20]))
print(f"seed {seed}: 100 requests, 50 at once, in {at_once:.1f} s; 1000 hostile requests in {took:.1f} s; {len(failures)} failures")
sys.exit(bool(failures))
