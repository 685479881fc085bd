"""Reads a training script's syntax tree and prints, as a snapshot with a log, what in it has to do with devices.

    python -I -S script_reader.py FILE COUNT SIZE SHOWN ... NAME...

Nothing of the scripts is run. FILE holds COUNT scripts one behind the other, each of SIZE bytes and called SHOWN; NAMEs are the calls that
matter, in full; "tensorflow.random.*" stands for all below. A file is a script or a Jupyter notebook, whose cells are
read in their order.
Events come in the order in which the script would run: functions are followed from where they are called; what stands
under a condition, in a loop, or in a function that nobody calls is not sure to run.
"""
import ast
import json
import re
import sys

FRAMEWORKS = ("tensorflow", "keras", "tf_keras", "torch", "jax")
MODEL_MAKERS = ("Sequential", "Model", "load_model", "model_from_json", "clone_model", "from_pretrained")
MODEL_USES = ("fit", "predict", "evaluate", "train_on_batch", "predict_on_batch", "test_on_batch")
OUT_OF_MEMORY = ("ResourceExhaustedError", "OutOfMemoryError", "XlaRuntimeError")
MOST_EVENTS = 5000
# Cell magics whose cell is Python that this kernel runs; the cell of any other is another program's.
PYTHON_CELLS = ("time", "timeit", "capture", "prun", "memit", "mprun", "python", "python3", "tensorflow_version")
MAGIC = re.compile(r"^(\s*)(?:(?:[\w, ]+ = *)?[!%]|\?|[\w.]+\?{1,2}\s*$)")
OWN_OS = "_os_of_the_reader"
MOST_MAGICS = 200
SET_VARIABLE = re.compile(r"^(\s*)%(?:set_)?env\s+(\w+)(?:\s*=\s*|\s+)(.*?)\s*$")


class Reader:
    def __init__(self, names):
        self.exact = {n for n in names if not n.endswith("*")}
        self.begins = tuple(n[:-1] for n in names if n.endswith("*"))
        self.aliases = {OWN_OS: "os"}  # local name -> what it stands for, in full
        self.starred = []  # modules of `from module import *`, the last first
        self.constants = {}
        self.functions = {}
        self.followed = set()
        self.events = []
        self.models = {}  # variable -> (line, device) where a model was put into it
        self.device = None
        self.inside = None
        self.tf_keras = False  # tensorflow.keras was met in an expression
        self.cell = None  # of a notebook, from 1

    # ---- names

    def full(self, node):
        """'tensorflow.config' for tf.config; None where it can't be known."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        if node.id in self.aliases:
            name = ".".join([self.aliases[node.id]] + parts[::-1])
        else:
            name = self.of_star([node.id] + parts[::-1])
        if name is None:
            return None
        for old, new in (("tensorflow.compat.v2.", "tensorflow."), ("tensorflow.python.keras.", "tensorflow.keras.")):
            if name.startswith(old):
                name = new + name[len(old):]
        return name

    def of_star(self, parts):
        """The name that `from module import *` may have brought: one of the calls that matter."""
        if parts[0] in self.functions or parts[0] in self.constants:
            return None
        for module in self.starred:
            name = ".".join([module] + parts)
            if name in self.exact or name.startswith(self.begins) or name == "os.environ":
                return name
        return None

    def text_of(self, node):
        """The text or number that an expression surely gives; None: computed."""
        if isinstance(node, ast.Constant) and isinstance(node.value, (str, int)) and not isinstance(node.value, bool):
            return str(node.value)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            return "-" + str(node.operand.value)
        if isinstance(node, ast.Name):
            return self.constants.get(node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "str" and node.args:
            return self.text_of(node.args[0])
        return None

    @staticmethod
    def written(node):
        try:
            return ast.unparse(node)[:200]
        except Exception:  # Python 3.8, or a tree too deep
            return "?"

    # ---- events

    def note(self, node, kind, name, value=None, sure=True, inside=None, other_line=None):
        if len(self.events) >= MOST_EVENTS:
            return
        event = {"class": "noted", "subject": "script-" + kind, "line": node.lineno, "name": name}
        event["sure"] = "yes" if sure else "no"
        if value is not None:
            event["value"] = value
        if inside or self.inside:
            event["inside"] = inside or self.inside
        if other_line is not None:
            event["other_line"] = str(other_line)
        if self.cell_of(node):
            event["cell"] = str(self.cell_of(node))
        self.events.append(event)

    def cell_of(self, node):
        """The cell that a node stands in: a function's is where it was written."""
        return getattr(node, "cell", self.cell)

    def set_variable(self, node, name, value, sure):
        if name is not None:
            self.note(node, "set-variable", name, value, sure)

    # ---- expressions

    def expression(self, node, sure):
        """All calls in it, arguments before the call that takes them."""
        if node is None:
            return
        waiting = [(node, False)]
        while waiting:
            one, ready = waiting.pop()
            if ready:
                self.call(one, sure)
                continue
            if isinstance(one, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                continue
            if isinstance(one, ast.Call):
                waiting.append((one, True))
            elif isinstance(one, ast.Attribute) and not self.tf_keras:
                self.uses_tf_keras(one, sure)
            waiting.extend((child, False) for child in reversed(list(ast.iter_child_nodes(one))))

    def uses_tf_keras(self, node, sure):
        """tf.keras.Sequential: the same as an import, since TensorFlow loads its Keras when it is first used."""
        name = self.full(node)
        if name and (name + ".").startswith("tensorflow.keras."):
            self.tf_keras = True
            self.note(node, "import", name, None, sure)

    def call(self, node, sure):
        name = self.full(node.func)
        if name is None:
            if isinstance(node.func, ast.Name) and node.func.id in self.functions:
                self.follow(node.func.id, sure)
            elif isinstance(node.func, ast.Attribute):
                self.method(node, sure)
            return
        first = self.text_of(node.args[0]) if node.args else None
        if name in ("os.environ.setdefault", "os.putenv", "os.environ.__setitem__") and len(node.args) > 1:
            return self.set_variable(node, first, self.text_of(node.args[1]), sure and not name.endswith("default"))
        if name == "os.environ.update":
            for keyword in node.keywords:
                self.set_variable(node, keyword.arg, self.text_of(keyword.value), sure)
            if node.args and isinstance(node.args[0], ast.Dict):
                self.update(node, node.args[0], sure)
            return
        if name in self.exact or name.startswith(self.begins):
            self.note(node, "call", name, ", ".join(self.written(a) for a in node.args + node.keywords), sure)

    def update(self, node, pairs, sure):
        for key, value in zip(pairs.keys, pairs.values):
            self.set_variable(node, self.text_of(key) if key else None, self.text_of(value), sure)

    def method(self, node, sure):
        """model.fit(…), x.to("cuda:3"): of what is not known by import."""
        attribute, of = node.func.attr, node.func.value
        if attribute in ("to", "cuda") and node.args:
            where = self.text_of(node.args[0])
            if where is not None:
                self.note(node, "call", "." + attribute, where, sure)
        if not isinstance(of, ast.Name):
            return
        if attribute == "compile" and of.id not in self.models:
            self.models[of.id] = (node.lineno, self.device)
        if attribute in MODEL_USES and of.id in self.models:
            line, device = self.models[of.id]
            if self.device is not None and self.device != device:
                self.note(node, "placed-call", of.id + "." + attribute, None, sure, self.device, line)
            else:
                self.note(node, "call", "." + attribute, None, sure)

    # ---- statements

    def follow(self, name, sure):
        if name in self.followed:
            return
        self.followed.add(name)
        before, self.inside = self.inside, name
        self.statements(self.functions[name].body, sure)
        self.inside = before

    def statements(self, body, sure):
        for statement in body:
            self.statement(statement, sure)

    def statement(self, node, sure):
        kind = type(node).__name__
        handler = getattr(self, "on_" + kind, None)
        if handler:
            return handler(node, sure)
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.expression(child, sure)
        for field in ("body", "orelse", "finalbody"):
            self.statements(getattr(node, field, []), False)
        for case in getattr(node, "cases", []):
            self.statements(case.body, False)

    def on_Import(self, node, sure):
        for alias in node.names:
            self.aliases[alias.asname or alias.name.split(".")[0]] = alias.name if alias.asname else alias.name.split(".")[0]
            if alias.name.split(".")[0] in FRAMEWORKS:
                self.note(node, "import", alias.name, None, sure)

    def on_ImportFrom(self, node, sure):
        if node.level or not node.module:
            return
        for alias in node.names:
            if alias.name == "*":
                self.starred.insert(0, node.module)
            self.aliases[alias.asname or alias.name] = node.module + "." + alias.name
        if node.module.split(".")[0] in FRAMEWORKS:
            for alias in node.names:
                self.note(node, "import", node.module + "." + alias.name, None, sure)

    def on_FunctionDef(self, node, sure):
        self.functions[node.name] = node

    on_AsyncFunctionDef = on_FunctionDef

    def on_ClassDef(self, node, sure):
        for one in node.body:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions[node.name + "." + one.name] = one
            else:
                self.statement(one, sure)

    def on_Assign(self, node, sure):
        self.expression(node.value, sure)
        for target in node.targets:
            if isinstance(target, ast.Subscript) and self.full(target.value) == "os.environ":
                index = target.slice
                if type(index).__name__ == "Index":  # Python 3.8
                    index = index.value
                self.set_variable(node, self.text_of(index), self.text_of(node.value), sure)
            elif isinstance(target, ast.Name):
                self.bind(target.id, node.value)

    def on_AnnAssign(self, node, sure):
        if node.value is not None:
            self.on_Assign(ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node), sure)

    def on_AugAssign(self, node, sure):
        self.expression(node.value, sure)
        if self.full(node.target) == "os.environ" and isinstance(node.value, ast.Dict):
            self.update(node, node.value, sure)

    def bind(self, name, value):
        self.constants.pop(name, None)
        text = self.text_of(value)
        if text is not None:
            self.constants[name] = text
        stands_for = self.full(value) if isinstance(value, (ast.Attribute, ast.Name)) else None
        if stands_for:
            self.aliases[name] = stands_for
        elif name in self.aliases:
            del self.aliases[name]
        self.models.pop(name, None)
        if isinstance(value, ast.Call):
            made_by = (self.full(value.func) or getattr(value.func, "id", "")).split(".")
            if made_by[-1] in MODEL_MAKERS or "applications" in made_by:
                self.models[name] = (value.lineno, self.device)

    def on_If(self, node, sure):
        self.expression(node.test, sure)
        main = isinstance(node.test, ast.Compare) and getattr(node.test.left, "id", "") == "__name__"
        self.statements(node.body, sure and main)
        self.statements(node.orelse, False)

    def on_With(self, node, sure):
        before = self.device
        for item in node.items:
            self.expression(item.context_expr, sure)
            call = item.context_expr
            if not isinstance(call, ast.Call):
                continue
            if self.full(call.func) == "tensorflow.device" or getattr(call.func, "attr", "") == "scope":
                self.device = self.written(call)
        self.statements(node.body, sure)
        self.device = before

    on_AsyncWith = on_With

    def on_Try(self, node, sure):
        self.statements(node.body, sure)
        for handler in node.handlers:
            self.handler(handler)
            self.statements(handler.body, False)
        self.statements(node.orelse, False)
        self.statements(node.finalbody, sure)

    def handler(self, node):
        """An out-of-memory error that is met by going on on the CPU."""
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type] if node.type else []
        names = [getattr(kind, "attr", getattr(kind, "id", "")) for kind in kinds]
        body = "\n".join(self.written(one) for one in node.body)
        memory = any(name in OUT_OF_MEMORY for name in names) or ("RuntimeError" in names and "memory" in body)
        to_cpu = any(word in body for word in (".cpu()", "'cpu'", "/CPU:", "'/cpu", "CUDA_VISIBLE_DEVICES"))
        if memory and to_cpu and not any(isinstance(one, ast.Raise) for one in node.body):
            self.note(node, "handler", ", ".join(names), body.splitlines()[0].rstrip(":")[:200], False)

    def everything(self, tree):
        self.statements(tree.body, True)
        self.functions_never_called()

    def functions_never_called(self):
        for name in list(self.functions):
            self.follow(name, False)


# ---- files


def without_magic(line):
    """What is Python in a line that only IPython takes: %env sets a variable, all others count for nothing."""
    variable = SET_VARIABLE.match(line)
    if variable:
        return "%s%s.environ[%r] = %r" % (variable.group(1), OWN_OS, variable.group(2), variable.group(3))
    return MAGIC.match(line).group(1) + "pass"


def parsed(source):
    """The tree of Python in which lines may be for IPython: which they are, only the parser can tell."""
    lines = None
    for _ in range(MOST_MAGICS):
        try:
            return ast.parse(source)
        except SyntaxError as error:
            if lines is None:
                lines = (source.decode("utf-8") if isinstance(source, bytes) else source).split("\n")
            at = (error.lineno or 0) - 1
            if not 0 <= at < len(lines) or not MAGIC.match(lines[at]):
                raise
            lines[at] = without_magic(lines[at])
            source = "\n".join(lines)
    return ast.parse(source)


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
            continue
        found.append((number, source))
    return found


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


def read(content, shown, names):
    failed = {"class": "failed", "subject": "script-reading"}
    count = content.count(b"\n") + 1
    reader = Reader(names)
    cell = None
    try:
        whole = document(content)
        if whole is None and shown.endswith(".ipynb"):
            raise ValueError("it is not a notebook: its content is not JSON")
        if whole is None:
            reader.everything(parsed(content))
        elif not isinstance(whole, dict) or not ("cells" in whole or "worksheets" in whole):
            raise ValueError("it holds JSON, but neither a script nor a notebook")
        else:
            cells = cells_of(whole)
            count = 0
            for cell, source in cells:
                count += source.count("\n") + 1
                tree = parsed(source)
                for node in ast.walk(tree):
                    node.cell = cell
                reader.cell = cell
                reader.statements(tree.body, True)
            reader.functions_never_called()
    except (SyntaxError, RecursionError, MemoryError, ValueError, AttributeError, KeyError, TypeError) as error:
        if isinstance(error, (AttributeError, KeyError, TypeError)):
            error = ValueError("it is not a notebook of a known format")
        failed.update(trouble_of(error))
        if cell:
            failed["cell"] = str(cell)
        return [failed]
    return reader.events + [{"class": "present", "subject": "script", "lines": str(count)}]


sys.setrecursionlimit(5000)
count = int(sys.argv[2])
names = sys.argv[3 + 2 * count :]
answer = []
with open(sys.argv[1], "rb") as scripts:
    for at in range(3, 3 + 2 * count, 2):
        for event in read(scripts.read(int(sys.argv[at])), sys.argv[at + 1], names):
            event["source"] = sys.argv[at + 1]
            event["python"] = "%d.%d" % sys.version_info[:2]
            answer.append(event)
print(json.dumps({"schema": "envdoctor.snapshot/1", "log": answer}))
