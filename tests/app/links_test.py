"""Every link in the project's Markdown leads to a file, and every #anchor to a heading, of the project; no merge was left
half done in a page.

usage: links_test.py ROOT
"""
import pathlib
import re
import subprocess
import sys

root = pathlib.Path(sys.argv[1])
listed = subprocess.run(["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "*.md"], capture_output=True, text=True)
pages = [root / line for line in listed.stdout.splitlines()] or sorted(root.glob("**/*.md"))


def anchors(page):
    headings = re.findall(r"^#+ +(.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings}


broken = []
for page in pages:
    if re.search(r"^(<{7}|>{7}|={7}$)", page.read_text(), re.M):
        broken.append(f"{page.relative_to(root)}: holds a merge that was left half done")
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.S)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        if not file.exists():
            broken.append(f"{page.relative_to(root)}: {target} leads nowhere")
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            broken.append(f"{page.relative_to(root)}: {target}: no such heading")
print("\n".join(broken) or f"{len(pages)} pages, no broken link")
sys.exit(1 if broken or not pages else 0)
