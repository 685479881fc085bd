"""The HTML page in headless Chromium: no console message, no request, hostile words as text, 200 KB at most.

Arguments: the source folder, the program. PICTURES=FOLDER keeps the screenshots."""
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import made

source, binary = pathlib.Path(sys.argv[1]), sys.argv[2]
chromium = shutil.which("chromium")
if not chromium:
    sys.exit("needs chromium")
failures = []
hosts = source / "fixtures/hosts"


def expect(name, condition, what):
    if not condition:
        failures.append(f"{name}: {what}")


class Reader(html.parser.HTMLParser):
    """What elements there are, and every address."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.addresses, self.text = {}, [], ""

    def handle_starttag(self, tag, attributes):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.addresses += [v for k, v in attributes if k in ("src", "href", "srcset", "action", "xlink:href") or k.startswith("on")]

    def handle_data(self, data):
        self.text += data


def page(name, document, folder):
    snapshot, out = folder / f"{name}.json", folder / f"{name}.html"
    snapshot.write_text(json.dumps(document))
    done = subprocess.run([binary, "diagnose", snapshot, "-o", f"html={out}", "-o", f"json={folder / 'report.json'}"], stderr=subprocess.PIPE, timeout=60)
    expect(name, done.returncode in (0, 1, 3), done.stderr[:300])
    text = out.read_text()
    expect(name, len(text.encode()) <= 200_000, f"{len(text.encode())} bytes")
    reader = Reader()
    reader.feed(text)
    for tag in ("script", "img", "link", "iframe", "object", "form"):
        expect(name, tag not in reader.tags, f"an element {tag}")
    expect(name, not reader.addresses, reader.addresses[:3])
    report = json.loads((folder / "report.json").read_text())
    shown = sum(1 for f in report["findings"])
    expect(name, reader.tags.get("details", 0) >= min(shown, 12), "a finding is missing")
    return out, reader


def in_chromium(name, path, folder, *more, size="1100,1500"):
    picture, net = folder / f"{name}.png", folder / "net.json"
    done = subprocess.run(
        [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-default-apps", "--disable-extensions", "--disable-domain-reliability", "--no-pings", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
         "--disable-features=OptimizationHints,MediaRouter,Translate,AutofillServerCommunication", f"--user-data-dir={folder / 'profile'}",
         "--enable-logging=stderr", f"--log-net-log={net}", f"--window-size={size}", f"--screenshot={picture}", *more, path.as_uri()],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, cwd=folder)
    expect(name, picture.exists() and picture.stat().st_size > 10_000, f"no picture: {done.stderr[-300:]}")
    said = [line for line in done.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line]
    expect(name, not said, said[:3])
    log = net.read_text(errors="replace") if net.exists() else ""
    expect(name, '"constants"' in log, "no record of requests")
    # The browser itself calls home, or would if it found the way.
    started = {a for a in re.findall(r'"url":"https?://([^/:"]+)', log) if not a.endswith((".google.com", ".googleapis.com", ".gvt1.com"))}
    expect(name, not started, f"asks {started}")
    if keep := os.environ.get("PICTURES"):
        shutil.copy(picture, keep)


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    for host in sorted(hosts.glob("*/expected/snapshot.json")):
        document = json.loads(host.read_text())
        page("host", document, folder)
        _, reader = page("hostile", made.poisoned(document, [0]), folder)
    shown, reader = page("poisoned", made.poisoned(made.with_compute(hosts / "made-gtx970-nouveau-bound/expected/snapshot.json"), [3]), folder)
    expect("poisoned", "<script>" in reader.text or "<img" in reader.text, "hostile words are not there at all")
    in_chromium("poisoned", shown, folder)
    in_chromium("sick", page("sick", json.loads((hosts / "made-eight-h100-no-fabric-manager/expected/snapshot.json").read_text()), folder)[0], folder)
    compute = page("compute", made.with_compute(hosts / "made-eight-h100-healthy/expected/snapshot.json"), folder)[0]
    red = '"bar off"'
    expect("compute", red in compute.read_text(), "no histogram is red where a result is wrong")
    expect("compute", "gemm fp32 k=m=n=1024 with copies" in compute.read_text(), "with copies and without are not distinguished")
    in_chromium("compute", compute, folder)
    # Eight devices with seventy results each do not fit: the wrong one, which comes last, stays.
    many = made.with_compute(hosts / "made-eight-h100-healthy/expected/snapshot.json")
    many["compute"] = [made.result(f"cuda:{i}", "triad", "within-bound", 2_900.0, "GB/s", 0.8, [10**6] * 15) | {"size": {"n": 1000 + n}} for i in range(8) for n in range(70)]
    many["compute"].append(made.result("cuda:7", "gemm", "outside", 50_100.0, "GFLOP/s", 0.75, [5] * 15))
    text = page("many", many, folder)[0].read_text()
    expect("many", "✕ outside the bound" in text, "what is wrong was left out")
    expect("many", re.search(r"and \d+ more results", text), "the omission is not reported")
    right = made.with_compute(hosts / "made-eight-h100-healthy/expected/snapshot.json")
    for result in right["compute"]:
        result["agreement"].update({"outcome": "within-bound", "max_ulp": 5e6, "ulp_histogram": [5] * 15})
    text = page("right", right, folder)[0].read_text()
    expect("right", red not in text, "a histogram is red where all is within its bound")
    expect("right", "&gt; 4096" in text, "the histogram doesn't show its last class")
    in_chromium("dark", compute, folder, "--blink-settings=preferredColorScheme=0")
    in_chromium("narrow", compute, folder, size="500,1500")
    # The driver sees a page that does what ours may not.
    bad = folder / "bad.html"
    bad.write_text("<p>x<script>console.error('seen')</script><img src='http://127.0.0.1:9/x'>" + "y" * 3000)
    before = len(failures)
    in_chromium("bad", bad, folder)
    caught = failures[before:]
    del failures[before:]
    expect("self", any("seen" in f for f in caught) and any("127.0.0.1" in f for f in caught), f"a bad page passes: {caught}")

print("\n".join(failures[:20]))
print(f"{len(failures)} failures")
sys.exit(bool(failures))
