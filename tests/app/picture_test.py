"""The picture in the README is what the program prints: its text report of an example, in colour, drawn as SVG.

Arguments: the source folder, the program. UPDATE_GOLDEN=1 draws the pictures anew."""
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree
from xml.sax.saxutils import escape

source, binary = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
COLUMNS, CHARACTER, LINE, MARGIN = 80, 7.8, 18, 16  # columns, then pixels
# By the number in the escape sequence; 0 is the text, -1 the background.
COLOURS = {
    "light": {-1: "#ffffff", 0: "#1f2328", 31: "#cf222e", 32: "#116329", 33: "#7d4e00", 36: "#0550ae"},
    "dark": {-1: "#0d1117", 0: "#e6edf3", 31: "#ff7b72", 32: "#7ee787", 33: "#e3b341", 36: "#79c0ff"},
}


def pieces(line):
    """(column, text, colour, bold) for each run of characters that look alike, cut where spaces are: SVG shows several as one."""
    column, colour, bold = 0, 0, False
    for codes, text in re.findall(r"\x1b\[([\d;]*)m|([^\x1b]+)", line):
        for part in re.finditer(r"\S+(?: \S+)*", text):
            yield column + part.start(), part.group(), colour, bold
        column += len(text)
        for code in (codes or "0").split(";") if not text else ():
            if int(code) == 0:
                colour, bold = 0, False
            elif int(code) == 1:
                bold = True
            else:
                colour = int(code)


def draw(report, colours):
    lines = report.rstrip("\n").split("\n")
    width, height = COLUMNS * CHARACTER + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    plain = re.sub(r"\x1b\[[\d;]*m", "", report).split("\n", 1)[0]
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}" role="img">',
        f"<title>{escape(plain)}</title>",
        f'<rect width="100%" height="100%" rx="6" fill="{colours[-1]}"/>',
        '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="13">',
    ]
    for row, line in enumerate(lines):
        for column, text, colour, bold in pieces(line):
            weight = ' font-weight="bold"' if bold else ""
            out.append(f'<text x="{MARGIN + column * CHARACTER:g}" y="{MARGIN + (row + 1) * LINE - 5}" textLength="{len(text) * CHARACTER:g}" '
                       f'fill="{colours[colour]}"{weight}>{escape(text)}</text>')
    return "\n".join(out + ["</g>", "</svg>"]) + "\n"


done = subprocess.run([binary, "diagnose", "docs/examples/one-root-two-consequences.json", "--color", "always"], capture_output=True, text=True,
                      timeout=60, cwd=source, env={**os.environ, "COLUMNS": str(COLUMNS)})
failures = [] if done.returncode == 1 else [f"exit {done.returncode}: {done.stderr}"]
failures += [f"line of {len(line)} columns" for line in re.sub(r"\x1b\[[\d;]*m", "", done.stdout).split("\n") if len(line) > COLUMNS]
for name, colours in COLOURS.items():
    picture = source / "docs" / "images" / f"report-{name}.svg"
    drawn = draw(done.stdout, colours)
    drawn_words = [e.text for e in xml.etree.ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")]
    if "FAIL" not in drawn_words or "driver.version-mismatch, host, certain" not in drawn_words:
        failures.append(f"{name}: the picture lacks the verdict or the cause")
    if os.environ.get("UPDATE_GOLDEN") == "1":
        picture.write_text(drawn)
    elif not picture.exists() or picture.read_text() != drawn:
        failures.append(f"{picture.relative_to(source)}: not what the program prints; UPDATE_GOLDEN=1 draws it anew")
    if f"docs/images/{picture.name}" not in (source / "README.md").read_text():
        failures.append(f"README.md does not show {picture.name}")
print("\n".join(failures))
sys.exit(bool(failures))
