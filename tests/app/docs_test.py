"""The pages of docs/ match the program: a page for each command with its own --help, a page for each format
with what it really writes, and no page names a command, an option or a format that doesn't exist.

Arguments: the source folder, the program. UPDATE_GOLDEN=1 writes the blocks anew."""
import os
import pathlib
import re
import subprocess
import sys

source, binary = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
docs = source / "docs"
update = os.environ.get("UPDATE_GOLDEN") == "1"
failures = []
LONGEST = 24


def said(*arguments):
    done = subprocess.run([binary, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, cwd=docs / "examples")
    if done.returncode not in (0, 1):
        raise SystemExit(f"{arguments}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def words(pattern, text):
    return re.findall(pattern, text, re.M)


def hold(page, title, text, fence):
    """The page ends with this block."""
    if not page.exists():
        failures.append(f"{page.relative_to(source)}: there is no such page")
        return
    block = f"## {title}\n\n{fence}\n{text.rstrip()}\n{fence}\n"
    begin, found, _ = page.read_text().partition(f"## {title}\n")
    if update:
        page.write_text(begin.rstrip() + "\n\n" + block)
    elif page.read_text() != begin.rstrip() + "\n\n" + block:
        failures.append(f"{page.relative_to(source)}: not what the program says; UPDATE_GOLDEN=1 rewrites it")


program = said("--help")
commands = words(r"^  ([a-z-]+) {2,}\S", program.partition("Subcommands:")[2])
formats = words(r"\w+", re.search(r"--format FORMAT\s+format of standard output: ((?:\w+,\s+)+\w+)", program).group(1))
helps = {command: said(command, "--help") for command in commands}
options = {command: set(words(r"(?<![\w-])(--[a-z][a-z0-9-]*)", text + program)) for command, text in helps.items()}

for command in commands:
    hold(docs / "commands" / f"{command}.md", "Options", helps[command].partition("\nExit status:")[0], "```")
for form in formats:
    if form == "html":
        continue  # is looked at in a browser
    lines = said("diagnose", "no-gpu.json", "--only", "hardware.no-gpu", "--format", form).splitlines()
    shown = [line if len(line) <= 118 else line[:115] + "..." for line in lines[:LONGEST]] + (["..."] if len(lines) > LONGEST else [])
    hold(docs / "formats" / f"{form}.md", "Example", "\n".join(shown), "````")
for form in formats:
    if not (docs / "formats" / f"{form}.md").exists():
        failures.append(f"docs/formats/{form}.md: there is no such page")
for folder, names in (("commands", commands), ("formats", formats)):
    for page in (docs / folder).glob("*.md"):
        if page.stem not in names and page.stem != "README":
            failures.append(f"{page.relative_to(source)}: the program has no such {folder[:-1]}")
        index = docs / "README.md" if folder == "commands" else docs / folder / "README.md"
        if page.stem != "README" and f"({'commands/' if folder == 'commands' else ''}{page.name})" not in index.read_text():
            failures.append(f"{page.relative_to(source)}: not in {index.relative_to(source)}")


def wrong_in(line):
    """What of a typed command line the program would refuse."""
    for typed in re.findall(r"(?:^|[\s`(|;&/])envdoctor((?: +[^\s`|;&#)>\\]+)+)", line):
        arguments = typed.split()
        command = arguments[0] if re.fullmatch(r"[a-z]+(-[a-z]+)*", arguments[0]) else "check"
        if command not in commands:
            yield f"no command '{command}'"
            continue
        mine = arguments[: arguments.index("--")] if "--" in arguments else arguments
        for word in mine:
            name = word.partition("=")[0].strip("[].,")
            if name.startswith("--") and len(name) > 2 and name not in options[command]:
                yield f"{command} has no option {name}"
        for word in re.findall(r"--format[ =](\w+)|-o (\w+)=", typed):
            if "".join(word) not in formats and "".join(word) != "F":
                yield f"no format {''.join(word)}"


listed = subprocess.run(["git", "-C", str(source), "ls-files", "-co", "--exclude-standard", "*.md", "docs/ci"], capture_output=True, text=True)
pages = [source / line for line in listed.stdout.splitlines()] or sorted(docs.glob("**/*.md"))
tried = 0
for page in pages:
    if not page.exists() or "fixtures" in page.parts or "results" in page.parts:
        continue
    text = page.read_text()
    code = text if page.suffix != ".md" else "\n".join(words(r"`{3,}\w*\n(.*?)`{3,}", text) + re.findall(r"`{3,}\w*\n(.*?)\n`{3,}", text, re.S) + words(r"`(envdoctor [^`\n]+)`", text))
    for line in code.splitlines():
        line = re.split(r"(?:^|\s)#", line)[0]
        tried += "envdoctor " in line
        failures += [f"{page.relative_to(source)}: {line.strip()}: {what}" for what in wrong_in(line)]

# The reader can fail.
if not (list(wrong_in("envdoctor chek")) and list(wrong_in("$ envdoctor compare --jq a b")) and list(wrong_in("envdoctor --format yaml"))):
    failures.append("self: nonsense passes")
print("\n".join(failures[:30]))
print(f"{len(commands)} commands, {len(formats)} formats, {tried} command lines, {len(failures)} failures")
sys.exit(bool(failures) or tried < 40)
