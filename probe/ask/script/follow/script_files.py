"""The files of the reader of scripts: scripts, notebooks, modules that lie beside them; and what it prints."""
import json
import os
import sys
import warnings

# Cell magics whose cell is Python that this kernel runs; the cell of any other is another program's.
PYTHON_CELLS = ("time", "timeit", "capture", "prun", "memit", "mprun", "python", "python3", "tensorflow_version")
MAGIC = re.compile(r"^(\s*)(?:(?:[\w, ]+ = *)?[!%]|\?|[\w.]+\?{1,2}\s*$)")
SHELL_CELLS = ("bash", "sh", "script bash", "script sh")
EXPORT = re.compile(r"\s*export\s+\w+=\S*\s*$")
MOST_MAGICS = 200
MOST_MODULES = 40
MOST_OF_MODULES = 400000  # bytes: beyond it, what is imported isn't followed, so that reading comes to an end
LARGEST_MODULE = 1 << 20
TREES = {}  # path -> tree of a module, for all scripts of a folder; None: it can't be read
TIMED = re.compile(
    r"^(\s*)%(?P<how>time|timeit|prun|memit|mprun)\s+(?:-\w+\s*(?:\d+\s+)?)*(?P<what>.+?)\s*$")  # runs what follows it
TIMED_OFTEN = re.compile(r"^(\s*)(?:\w+ *= *)?%timeit\s+(?:-\w+\s*(?:\d+\s+)?)*([\w.]+\(.*\)(?:\.\w+\(\))?)\s*$")
# %%timeit -n 10 x = make(): what follows the options runs once, before the clock
TIMED_CELL = re.compile(r"^(\s*)%%(time|timeit)\b\s*(?:-\w+\s*(?:\d+(?:\s+|$))?)*(.*?)\s*$")
EXTENSION = re.compile(r"^(\s*)%(?:re)?load_ext\s+(cudf\.pandas|cuml\.accel)\s*$")  # puts itself in a library's place
SET_VARIABLE = re.compile(r"^(\s*)%(?:set_)?env\s+(\w+)(?:\s*=\s*|\s+)(.*?)\s*$")


def is_python(text):
    try:
        ast.parse(text)
        return True
    except (SyntaxError, ValueError):
        return False


def without_magic(line):
    """What is Python in a line that only IPython takes: %env sets a variable, some extensions are installed, all others count for nothing."""
    variable = SET_VARIABLE.match(line)
    if variable:
        return "%s%s.environ[%r] = %r" % (variable.group(1), OWN_OS, variable.group(2), variable.group(3))
    extension = EXTENSION.match(line)
    if extension:
        return "%simport %s; %s.install()" % (extension.group(1), extension.group(2), extension.group(2))
    often = TIMED_OFTEN.match(line)
    if often:
        try:
            call = "%s.timeit(%s)" % (OWN_OS, often.group(2))
            ast.parse(call, mode="eval")  # a comment behind it would take the bracket
            return often.group(1) + call
        except (SyntaxError, ValueError):
            pass
    cell = TIMED_CELL.match(line)
    if cell:
        mark = "%s.%s_cell()" % (OWN_OS, cell.group(2))
        return cell.group(1) + ("%s; %s" % (cell.group(3), mark) if cell.group(3) and is_python(cell.group(3) + "; " + mark) else mark)
    timed = TIMED.match(line)
    if timed and is_python(timed.group("what")):
        how, what = timed.group("how", "what")
        marked = "%s.%s_line(); %s" % (OWN_OS, how, what)
        return timed.group(1) + (marked if how in ("time", "timeit") and is_python(marked) else what)
    shell = re.match(r"^(\s*)(?:!|%(?=(?:pip|conda|mamba)\s))\s*(\w.*)$", line)
    if shell:
        return "%s%s.system(%r)" % (shell.group(1), OWN_OS, shell.group(2))
    return MAGIC.match(line).group(1) + "pass"


MOST_OF_STATEMENT = 60  # lines
MOST_REPAIRS = 8  # of lines that are no Python; beyond it, a file counts as something else
MOST_OF_PRINT = 12  # lines of one print statement
OF_PYTHON_2 = re.compile(r"Missing parentheses in call to '(print|exec)'|multiple exception types must be parenthesized|"
                         r"leading zeros in decimal integer|invalid (decimal|octal|hexadecimal) literal|inconsistent use of tabs")
NEVER_CLOSED = re.compile(r"closing parenthesis '.' does not match opening parenthesis '(.)'")
CLOSES = {"(": ")", "[": "]", "{": "}"}
# What says that a file holds cells, which something else than Python itself runs.
OF_CELLS = re.compile(r"^\s*# ?(%%|In ?\[|<codecell>|COMMAND -|\+\s*$)|^%\w|get_ipython", re.M)
OLD_ASYNC = re.compile(r"(?<=[(,\s])async(\s*=)")  # of .cuda(async=True), before it became a keyword of Python 3.7
EXCEPT_OF_2 = re.compile(r"^(\s*except\s*(?:\s[\w.]+|\([^()]*\)))\s*,\s*([\w.]+)\s*:")
RAISE_OF_2 = re.compile(r"^(\s*(?:[^#'\"]*:\s*)?raise\s+[\w.]+)\s*,\s*(.+?)\s*$")
PRINT_OF_2 = re.compile(r"^(\s*(?:[^#'\"]*[:;]\s*)?)(print|exec)\b[ \t]*(?![ \t=.,)(\]])(.+)$")
OCTAL_OF_2 = re.compile(r"(?<![\w.])0+(?=[0-7]*[1-7])([0-7]+)(?![\w.])")
LONG_OF_2 = re.compile(r"(?<![\w.])(0[xX][0-9a-fA-F]+|\d+)[lL]\b")
OF_STRINGS = re.compile(r"""('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\#.*)""")
HEAD_OF_BLOCK = re.compile(r"expected an indented block after .* on line (\d+)$")


def is_expression(text):
    try:
        ast.parse("(%s\n)" % text, mode="eval")
        return True
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False


def call_of_2(lines, at, before, name, rest):
    """Writes print x, y, or exec x in y, as a call on the same lines, which may be several; whether that is Python."""
    ends = [len(rest)] + [found.start() for found in reversed(list(re.finditer("[#;]", rest)))]
    for end in ends:
        inside = rest[:end].rstrip()
        of_exec = re.match(r"(.+?)\s+in\s+(\w+)$", inside) if name == "exec" else None
        inside = "%s, %s" % of_exec.groups() if of_exec else inside
        if inside and is_expression(inside):
            lines[at] = "%s%s(%s) %s" % (before, name, inside, rest[end:])
            return True
    for more in range(1, MOST_OF_PRINT):
        if at + more < len(lines) and "#" not in lines[at + more] and is_expression("\n".join([rest.rstrip("\\")] + [one.rstrip("\\") for one in lines[at + 1:at + more + 1]])):
            lines[at] = "%s%s(%s" % (before, name, rest)
            lines[at + more] += ")"
            return True
    return False


def of_python_3(lines):
    """Rewrites statements that only Python 2 has, each on its own lines; in a text that the script holds, it does no harm."""
    for at in range(len(lines)):
        line = lines[at].expandtabs(8) if lines[at][:1].isspace() else lines[at]
        line = OLD_ASYNC.sub(r"non_blocking\1", EXCEPT_OF_2.sub(r"\1 as \2:", line))
        raised = RAISE_OF_2.match(line)
        if raised and is_expression(raised.group(2)):
            line = "%s(%s)" % raised.groups()
        if line.count("`") and line.count("`") % 2 == 0 and "#" not in line:
            line = re.sub(r"`([^`]+)`", r"repr(\1)", line)
        pieces = OF_STRINGS.split(line)  # every second one is a string or a comment
        pieces[::2] = [OCTAL_OF_2.sub(r"0o\1", LONG_OF_2.sub(r"\1", one)).replace("<>", "!=") for one in pieces[::2]]
        line = "".join(pieces)
        lines[at] = line
    for at in range(len(lines)):
        said = PRINT_OF_2.match(lines[at])
        if said:
            call_of_2(lines, at, *said.groups())


def head_instead(lines, at):
    """What can stand before the block of a head that is no Python; pass, where no block follows."""
    said = re.match(r"(\s*)(?:async )?(def|class|for|while|if|elif|else|with|try|except|finally)\b\s*(\w*)", lines[at])
    below = next((one for one in lines[at + 1:] if one.strip()), "")
    if not said or len(re.match(r"\s*", below).group()) <= len(said.group(1)):
        return "pass"
    name = said.group(3) if said.group(3).isidentifier() else "_"
    return {"def": "def %s(*args, **kwargs):" % name, "class": "class %s:" % name, "try": "try:", "except": "except Exception:",
            "finally": "finally:"}.get(said.group(2), "if True:")


def opened(line):
    """How many brackets more a line opens than it closes."""
    code = "".join(OF_STRINGS.split(line)[::2])
    return sum(code.count(one) for one in "([{") - sum(code.count(one) for one in ")]}")


def brackets_around(lines, at):
    """(first line, last line) of the statement in whose brackets a line begins; None: it begins in none."""
    first, depth, deepest = None, 0, 0
    for above in range(at - 1, max(-1, at - MOST_OF_STATEMENT), -1):
        depth += opened(lines[above])
        if depth > deepest:
            first, deepest = above, depth
    depth = 0
    for last in range(first, min(len(lines), first + MOST_OF_STATEMENT)) if first is not None else ():
        depth += opened(lines[last])
        if depth <= 0:
            return (first, last) if last >= at else None
    return None


def closed_there(lines, at, column, bracket):
    """Sets the bracket that is missing before the one that closes another; whether the parser then comes to read beyond it."""
    line = lines[at]
    if line[column:column + 1] not in (")", "]", "}"):
        return False
    mended_line = line[:column] + bracket + line[column:]
    try:
        ast.parse("\n".join(lines[:at] + [mended_line] + lines[at + 1:]))
    except SyntaxError as error:
        if error.lineno is None or error.lineno <= at + 1:
            return False
    lines[at] = mended_line
    return True


def mended(lines, error):
    """Puts pass in the place of the statement that the parser names, or of a head without its block; whether there is one."""
    head = HEAD_OF_BLOCK.search(error.msg or "")
    at = (int(head.group(1)) if head else error.lineno or 0) - 1
    if not 0 <= at < len(lines) or lines[at].strip() in ("pass", "", "if True:"):
        return False
    open_yet = NEVER_CLOSED.match(error.msg or "")
    if open_yet and error.offset and closed_there(lines, at, error.offset - 1, CLOSES[open_yet.group(1)]):
        return True
    whole = None if head else brackets_around(lines, at)
    if whole:
        lines[whole[0]:whole[1] + 1] = [re.match(r"\s*", lines[whole[0]]).group() + head_instead(lines, whole[0])] + [""] * (whole[1] - whole[0])
        return True
    indent = re.match(r"\s*", lines[at]).group()
    if (error.msg or "") == "unexpected indent" and unindented(lines, at):
        return True
    if isinstance(error, IndentationError) and not head:  # what stands deeper, or at no depth, than the line above
        above = next((one for one in reversed(lines[:at]) if one.strip()), "")
        indent = re.match(r"\s*", above).group()
    lines[at] = indent + ("pass" if head or "never closed" in error.msg else head_instead(lines, at))
    return True


def unindented(lines, at):
    """Takes a block of several lines that stands deeper than the line above to its depth; whether there is one."""
    depth = re.match(r"[ ]*", lines[at]).group()
    above = next((one for one in reversed(lines[:at]) if one.strip() and not one.lstrip().startswith("#")), "")
    to = re.match(r"[ ]*", above).group()
    end = at
    while end < len(lines) and (not lines[end].strip() or lines[end].startswith(depth)):
        end += 1
    if len(to) >= len(depth) or sum(1 for one in lines[at:end] if one.strip()) < 2:
        return False
    lines[at:end] = [to + one[len(depth):] if one.strip() else one for one in lines[at:end]]
    return True


def text_of_source(source, any_coding):
    if not isinstance(source, bytes):
        return source
    try:
        return source.decode("utf-8")
    except UnicodeDecodeError:
        if not any_coding:
            raise
        return source.decode("latin-1")


def parsed(source, troubles=None):
    """The tree of Python in which lines may be for IPython: which they are, only the parser can tell.

    With `troubles`, to which each line that is no Python is added, the rest is read without them: `lost` has what stood
    there. Statements of Python 2 are one such trouble, at the first of them.
    """
    lines, rewritten, commands = None, False, []
    for _ in range(MOST_MAGICS):
        try:
            plain = ast.parse(source)
            if troubles is not None:
                refused(plain, troubles)
            tree = in_plain_form(plain)
            tree.text, tree.commands = source if lines else None, commands
            return tree
        except SyntaxError as error:
            if lines is None:
                lines = text_of_source(source, troubles is not None).split("\n")
            at = (error.lineno or 0) - 1
            if 0 <= at < len(lines) and MAGIC.match(lines[at]):
                commands += [error.lineno] if lines[at].lstrip().startswith("!") else []
                lines[at] = without_magic(lines[at])
            elif troubles is None:
                raise
            elif len(troubles) >= MOST_REPAIRS:
                raise troubles[0]
            else:
                of_2 = not rewritten and (OF_PYTHON_2.search(error.msg or "") or 0 <= at < len(lines) and (
                    "`" in lines[at] or RAISE_OF_2.match(lines[at]) or "<>" in lines[at] or OLD_ASYNC.search(lines[at])))
                before = list(lines)
                if of_2:
                    rewritten = True
                    of_python_3(lines)
                if lines == before and not ("codec" in (error.msg or "") and isinstance(source, bytes)) and not mended(lines, error):
                    raise troubles[0] if troubles else error
                error.lost = [] if of_2 else [one for one, now in zip(before, lines) if one.strip() != now.strip()]
                if not any(one.lineno == error.lineno for one in troubles):
                    troubles.append(error)
                else:
                    troubles[-1].lost += error.lost
                for number, line in enumerate(before, 1) if of_2 else ():  # each is one, and all are read on at once
                    if OLD_ASYNC.search(line) and not line.lstrip().startswith("#") and len(troubles) < MOST_REPAIRS and not any(
                            one.lineno == number for one in troubles):
                        more = SyntaxError(error.msg)
                        more.lineno, more.lost = number, []
                        troubles.append(more)
            source = "\n".join(lines)
    return in_plain_form(ast.parse(source))


def refused(tree, troubles):
    """What the compiler alone refuses of a tree: return outside of a function, break outside of a loop. The tree is not run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(tree, "<script>", "exec", getattr(ast, "PyCF_ALLOW_TOP_LEVEL_AWAIT", 0), True)
    except SyntaxError as error:
        if not any(one.lineno == error.lineno for one in troubles):
            troubles.append(error)
    except (ValueError, RecursionError, MemoryError, SystemError):  # the parser has read it
        pass


def names_lost(troubles):
    """The words of the lines that were left out, any of which they may bind."""
    return {word for _, error in troubles for line in getattr(error, "lost", ()) for word in re.findall(r"\w+", line)}


def cells_of(notebook):
    """[(number from 1, source)] of a notebook's code cells that Python runs."""
    info = notebook.get("metadata", {})
    language = info.get("language_info", {}).get("name") or info.get("kernelspec", {}).get("language") or "python"
    if language.lower() not in ("python", "ipython"):
        raise ValueError("the notebook's language is %s, not Python" % language)
    cells = notebook.get("cells")
    if cells is None:  # format 3
        cells = [cell for sheet in notebook["worksheets"] for cell in sheet["cells"]]
    found = []
    for number, cell in enumerate(cells, 1):
        source = cell.get("source", cell.get("input", ""))
        source = source if isinstance(source, str) else "".join(source)
        if cell.get("cell_type") != "code":
            continue
        first = source.lstrip().split("\n")[0]
        if first.startswith("%%") and first[2:].split(" ")[0].strip() not in PYTHON_CELLS:
            if first[2:].strip() in SHELL_CELLS:
                found.append((number, exports_alone(source)))
            continue
        found.append((number, source))
    return found


def exports_alone(source):
    """What a shell's cell sets that does nothing else, as Python; where it runs a program, the program takes it
    along."""
    lines = source.split("\n")
    at = [number for number, line in enumerate(lines) if line.strip() and not line.lstrip().startswith(("%%", "#"))]
    if not all(EXPORT.match(lines[number]) for number in at):
        return ""
    return "\n".join(
        "%s.system(%r)" % (OWN_OS, line.strip()) if number in at else "" for number, line in enumerate(lines))


def document(content):
    """What JSON there is in a file; None: it is no JSON, as a script is."""
    if content.lstrip()[:1] not in (b"{", b"["):
        return None
    try:
        return json.loads(content)
    except ValueError:
        return None


def trouble_of(error):
    if isinstance(error, SyntaxError):
        return {"why": error.msg or "this is not Python", "line": error.lineno or 1}
    if isinstance(error, (RecursionError, MemoryError)):
        return {"why": "it is nested too deeply to be read"}
    return {"why": str(error)}  # null bytes, text that can't be decoded


def modules_beside(folder, shown):
    """Finds (what it is called here, its tree) of a module in the script's folder; what can't be read counts as
    none."""
    known = {}  # the size of each
    root = os.path.realpath(folder)
    shown_folder = shown.rpartition("/")[0]

    def find(name, level, source):
        base = root
        if level and source:  # from . import x: beside the module that asks
            inner = source[len(shown_folder) + 1 :] if shown_folder else source
            base = os.path.join(root, os.path.dirname(inner))
        for _ in range(level - 1):
            base = os.path.dirname(base)
        parts = [p for p in name.split(".") if p]
        if any(not p.isidentifier() for p in parts):
            return None
        for path in (os.path.join(base, *parts) + ".py", os.path.join(base, *(parts + ["__init__.py"]))):
            path = os.path.realpath(path)
            if not path.startswith(root + os.sep) or not os.path.isfile(path):
                continue
            if path not in known and (len(known) >= MOST_MODULES or sum(known.values()) >= MOST_OF_MODULES):
                return None
            known[path] = os.path.getsize(path)
            if path not in TREES:
                TREES[path] = tree_of(path)
            tree = TREES[path]
            inner = os.path.relpath(path, root)
            return (shown_folder + "/" + inner if shown_folder else inner, tree) if tree else None
        return None

    def tree_of(path):
        try:
            if os.path.getsize(path) > LARGEST_MODULE:
                return None
            with open(path, "rb") as file:
                return in_plain_form(ast.parse(file.read(LARGEST_MODULE)))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            return None

    return find


def nothing_left(trees, troubles):
    """Raises the first trouble, where nothing was read beside it."""
    if troubles and all(isinstance(one, ast.Pass) for tree in trees for one in tree.body):
        raise troubles[0][1]


def read(content, shown, folder, names):
    failed = {"class": "failed", "subject": "script-reading"}
    count = content.count(b"\n") + 1
    troubles = []  # (cell, error) of what was left out
    reader = Reader(names, modules_beside(folder, shown) if folder else None)
    cell = None
    reader.text = content.decode("utf-8", "replace")
    reader.pins = pins_of(reader.text, folder)
    for framework, version in sorted(reader.pins.items()):
        reader.events.append({"class": "noted", "subject": "script-pin", "line": 1, "name": framework, "value": version,
                              "sure": "yes"})
    try:
        whole = document(content)
        if whole is None and shown.endswith(".ipynb"):
            raise ValueError("it is not a notebook: its content is not JSON")
        if whole is None:
            errors = []
            tree = parsed(content, errors)
            troubles = [(None, error) for error in errors]
            nothing_left([tree], troubles)
            if shown.endswith(".py") and tree.commands and not OF_CELLS.search(text_of_source(content, True)):
                error = SyntaxError("a command for a shell, which IPython takes in a notebook, and Python does not")
                error.lineno = tree.commands[0]
                troubles.append((None, error))
            reader.look_for_unbound([tree])
            reader.lost = names_lost(troubles)
            reader.everything(tree)
        elif not isinstance(whole, dict) or not ("cells" in whole or "worksheets" in whole):
            raise ValueError("it holds JSON, but neither a script nor a notebook")
        else:
            trees = []
            count = 0
            try:
                cells = cells_of(whole)
            except (AttributeError, KeyError, TypeError):
                raise ValueError("it is not a notebook of a known format")
            for cell, source in cells:
                count += source.count("\n") + 1
                errors = []
                try:
                    trees.append((cell, parsed(source, errors)))
                except SyntaxError as error:
                    errors = errors or [error]
                troubles += [(cell, error) for error in errors]
            cell = troubles[0][0] if troubles else None
            nothing_left([tree for _, tree in trees], troubles)
            cell = None
            reader.look_for_unbound([tree for _, tree in trees])
            reader.lost = names_lost(troubles)
            for number, tree in trees:
                for node in ast.walk(tree):
                    node.cell = number
                reader.cell = number
                reader.last_of_cell = tree.body[-1] if tree.body else None
                reader.path = reader.begin
                reader.statements(tree.body)
                if reader.restarted:
                    begin_anew(reader, number)
                reader.path = ()
            reader.rest()
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        failed.update(trouble_of(error))
        if cell:
            failed["cell"] = str(cell)
        return [failed]
    except Exception as error:  # a fault of the reader's own: never a pass
        failed["why"] = "the reader itself failed: %s: %s" % (type(error).__name__, error)
        return [failed]
    if reader.faults:
        line, why = reader.faults[0]
        reader.events.append(dict(failed, why="the reader itself failed: " + why, rest="read", **({"line": line} if line else {})))
    if troubles:
        cell, error = troubles[0]
        failed.update(trouble_of(error), rest="read")
        if cell:
            failed["cell"] = str(cell)
        failed["why"] += "".join("; %sline %d: %s" % ("cell %d, " % of if of else "", one.lineno or 1, trouble_of(one)["why"])
                                 for of, one in troubles[1:])
        reader.events.append(failed)
        reader.events += [dict(failed, why=trouble_of(one)["why"], line=one.lineno or 1, further="yes", **({"cell": str(of)} if of else {}))
                          for of, one in troubles[1:] if isinstance(one, SyntaxError)]
    return reader.events + [{"class": "present", "subject": "script", "lines": str(count)}]


def main():
    sys.setrecursionlimit(8000)
    count = int(sys.argv[2])
    names = sys.argv[3 + 3 * count :]
    answer = []
    with open(sys.argv[1], "rb") as scripts:
        for at in range(3, 3 + 3 * count, 3):
            for event in read(scripts.read(int(sys.argv[at])), sys.argv[at + 1], sys.argv[at + 2], names):
                if event.get("source"):
                    event["script"] = sys.argv[at + 1]  # what imported it
                event.setdefault("source", sys.argv[at + 1])
                event["python"] = "%d.%d" % sys.version_info[:2]
                answer.append(event)
    print(json.dumps({"schema": "envdoctor.snapshot/1", "log": answer}))


main()
