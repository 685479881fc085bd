"""Reads a training script's syntax tree and prints, as a snapshot with a log, what in it has to do with devices.

    python -I -S -c LOADER READER FILE COUNT (SIZE SHOWN FOLDER) ... NAME... MODULE=NAMES...

READER is this text. FILE holds COUNT scripts one behind the other, each of SIZE bytes, called SHOWN, in FOLDER (empty:
none), from which modules that they import are read as well; NAMEs are the calls that matter, in full;
"tensorflow.random.*" stands for all below. MODULE=NAMES says all names that a module's releases have, and
parameters:FILE where it is written what calls take. A file is a script or a Jupyter notebook, whose cells are read in
their order. Nothing of the scripts is run.

Events come in the order in which the script would run: functions are followed at each call, with its arguments. What is
not sure to run has a path, "3a/7b": one step for each condition, loop or function that nobody calls. What stands on a
path comes after all that came before on this path or on the beginning of it, and is apart from all others.
"""

MOST_FAULTS = 5  # of one rule, after which it is left alone


class Reader(Expressions, Calls, FrameworkCalls, Changes, Flow):
    def __init__(self, names, modules=None, main=True):
        said = [n.partition("=") for n in names if re.match(r"[\w.]+=", n)]
        self.members = {module: set(text.split()) | set(MEMBERS.get(module, ())) for module, _, text in said}
        names = [n for n in names if not re.match(r"[\w.]+=", n)]
        self.removed = Removed(self, [n for n in names if n.startswith("-")])
        names = [n for n in names if not n.startswith("-")]
        parameters = next((n.partition(":")[2] for n in names if n.startswith("parameters:")), None)
        self.given = Given(self, [n for n in names if ")=" in n], parameters)
        names = [n for n in names if ")=" not in n and not n.startswith("parameters:")]
        self.variables = Variables(self, " ".join(self.members.pop("environment", ())))
        self.conditions = Statements(self)
        self.offload = Offload(self)
        self.own_names = set()  # torch.something = …
        self.policy = None  # keras.mixed_precision.set_global_policy: (what was said, where)
        self.exact = {n for n in names if not n.endswith("*")}
        self.begins = tuple(n[:-1] for n in names if n.endswith("*"))
        self.above = {n[: m.start()] for n in names for m in re.finditer(r"\.", n)}  # modules that hold one of them
        self.mattering = {}
        self.modules = modules  # finds the file of a module that lies beside the script; None: no file
        self.globals = Scope()
        self.globals.names[OWN_OS] = Name("os")
        self.scope = self.globals
        self.lambdas, self.never_bound, self.reported_unbound, self.lost = [], {}, set(), set()
        self.text = ""  # of the script as it is written
        self.starred = []  # modules of `from module import *`, the last first
        self.unbound = {}  # what names of the script mean that nothing in it binds
        self.events = []
        self.path = ()
        self.with_listed = set()  # steps that each run takes in which TensorFlow lists a GPU
        self.left = []  # where things lie at the returns of a function that stand in its branches
        self.with_gpu = set()  # steps of a path that each run takes which has a GPU, and calls of its driver to make
        self.one_left = False  # one of the two branches that were read last doesn't come to its end
        self.steps = self.branches = 0
        self.sequences = {}  # what *these stand for, of which one member is known
        self.inside = []  # functions that are being followed, the innermost last
        self.results = []
        self.calls = []  # (call, its module) of each function that is being followed
        self.journal = []  # changes of objects, one list for each branch that is being read
        self.functions = []  # all of the script, in their order
        self.device = None  # the tf.device or scope that statements stand under
        self.strategy = None  # of these the last that was a strategy's over several devices
        self.tf_keras = False  # tensorflow.keras was met in an expression
        self.cell = None  # of a notebook, from 1
        self.last_of_cell = None
        self.source = None  # of a module that was imported; None: the script itself
        self.main = main
        self.loaded = {}
        self.torch = Torch(self)
        self.float64 = []
        self.guarded = 0  # statements that expect a name to be missing
        self.deciding = 0  # expressions that decide what is run
        self.hidden = []  # paths on which all GPUs were hidden
        self.asked_visible = False  # whether it looks at what hiding changes
        self.hidden_in_part = []  # calls that leave some GPUs visible: (path, node)
        self.listed_after_hiding = []  # calls that list what the machine has, hidden or not
        self.unused_configurations = []
        self.grown = []  # calls that let the memory of one GPU grow; None: of several
        self.limited = []  # the path on which a GPU's memory was limited, and the GPU
        self.varying = []  # events that configure another GPU each time their loop comes round
        self.settled = {}  # calls that configure devices, and the arguments of their function at the last time
        self.strategies = []  # over several devices, and where they are made
        self.called = None  # the expression that is being called
        self.maybe_missing = set()  # names whose import may fail without harm
        self.moves_state = False  # the script moves an optimizer's state itself
        self.loads_models = False  # what it loads may be a model rather than data
        self.libraries = Libraries(self)
        self.children = Children(self)
        self.training = Training(self)
        self.brings_batches = False  # something of the script may bring a loader's batches to the GPU
        self.answers, self.jaxs, self.keras = Results(self), Jax(self), Keras(self)
        self.tracing = Tracing(self)
        self.at_the_edge = 0  # in how many __enter__ and __exit__ the reader is that a with calls
        self.other_form = self.by_options = False  # the rules read the script in its flat form, with options as they are by default
        self.trying = self.asserting = 0  # statements whose exceptions are caught; what is asserted
        self.starts_programs = False
        self.pins = {}  # releases that the script says that it is written for
        self.faults = []  # the reader's own, each once
        self.restarted, self.begin, self.forgotten, self.at_restart = False, (), [], 0  # of a notebook's kernel

    # ---- what the reader itself fails at

    def fault(self, error, node=None):
        said = "%s: %s" % (type(error).__name__, error)
        if not any(why == said for _, why in self.faults):
            self.faults.append((line_of(node) if node is not None and not self.source else None, said))

    def careful(self, rule, *given):
        """A rule whose own fault doesn't lose what the others find: what failed is left out, and the rest of the rule is run."""
        for _ in range(MOST_FAULTS):
            try:
                return rule(*given)
            except (RecursionError, MemoryError, TooLong):
                raise
            except Exception as error:
                self.fault(error)
                owner, below = getattr(rule, "__self__", None), error.__traceback__.tb_next.tb_next
                name = below.tb_frame.f_code.co_name if below else ""
                if owner in (None, self) or not name or below.tb_frame.f_locals.get("self") is not owner or name in vars(owner):
                    return None
                setattr(owner, name, lambda *_, **__: ())
        return None

    # ---- events

    def note(self, node, kind, name, value=None, inside=None, other_line=None, doubted=False):
        if len(self.events) >= MOST_EVENTS:
            return None
        if self.other_form and (kind != "mistake" or name in OF_OWN_FORM_ALONE):
            return None
        event = {"class": "noted", "subject": "script-" + kind, "line": line_of(node), "name": name}
        event["sure"] = "no" if self.path or doubted or self.by_options and kind == "mistake" else "yes"
        path = [step for step in self.path if step not in self.with_gpu] if kind == "call" else self.path
        if path:
            event["path"] = "/".join(path)
        if value is not None:
            event["value"] = value
        if inside or self.inside:
            event["inside"] = inside or self.inside[-1].name
        if other_line is not None:
            event["other_line"] = str(other_line)
        if getattr(node, "cell", self.cell):
            event["cell"] = str(getattr(node, "cell", self.cell))
        if self.source:
            event["source"] = self.source
        if self.guarded:
            event["guarded"] = "yes"
        if self.deciding:
            event["decides"] = "yes"
        self.events.append(event)
        return event

    def asks_for(self, word):
        """Whether the script compares something with this word itself, so that a library may never see it."""
        return re.search(r"(==|!=|\bin\b|\bcase\b|\.startswith\()[^\n]*['\"]%s['\"]" % re.escape(word), self.text) is not None

    def mistake(self, node, name, value=None, *more, other=None, doubted=False, since=None, against=None):
        """One of the mistakes of script_calls.json, with what it saw, and the release it is one since, or was tried with; once
        for each line."""
        line = line_of(node)
        cell = getattr(node, "cell", self.cell)
        if any(e["subject"] == "script-mistake" and e["name"] == name and (e["line"] == line and e.get("cell") == (str(cell) if cell else None) or
                                                                           self.other_form) and e.get("source") == self.source for e in self.events):
            return
        event = self.note(node, "mistake", name, value, other_line=line_of(other, None), doubted=doubted)
        if event and other is not None:
            # Of a function, a class or a loop, its first line.
            event["other"] = self.written_whole(other).partition("\n")[0] if isinstance(getattr(other, "body", None), list) else self.written(other)
            if getattr(other, "cell", None):
                event["other_cell"] = str(other.cell)
        if event:
            event.update(zip(("first", "second", "third", "fourth"), more))
            event.update({word: release for word, release in (("since", since), ("against", against)) if release})

    def pinned_for(self, name):
        """The release of its package that the script names, which is judged by what the newest takes otherwise."""
        root = name.split(".")[0]
        return self.pins.get({"pytorch_lightning": "lightning", "lightning_fabric": "lightning"}.get(root, root))

    @staticmethod
    def unparsed(node):
        """The text of a node, which is kept with it: no tree is changed once it is read. None: Python 3.8, or a tree too deep."""
        if "text" not in node.__dict__:
            try:
                node.text = ast.unparse(node)
            except Exception:
                node.text = None
        return node.text

    @staticmethod
    def written(node):
        text = Reader.unparsed(node)
        return "?" if text is None else text[:200]

    @staticmethod
    def words_of(node):
        """The names in an expression, whatever Python reads it."""
        try:
            return ast.dump(node)
        except RecursionError:
            return ""

    @staticmethod
    def written_whole(node):
        text = Reader.unparsed(node)
        return ".to(" if text is None else text  # whatever it does: nothing is claimed

    def find_value(self, node):
        """The value of a name or attribute, without reading it again."""
        if isinstance(node, ast.Name):
            return self.find(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.find_value(node.value)
            return owner.attributes.get(node.attr) if isinstance(owner, Thing) else None
        if isinstance(node, ast.Subscript):
            index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
            owner, at = self.find_value(node.value), getattr(index, "value", None)
            if isinstance(owner, Thing) and owner.kind == "mapping" and isinstance(at, str):
                return owner.attributes.get(at)
            if isinstance(owner, Many) and type(at) is int and 0 <= at < len(owner.items):
                return owner.items[at]
            return self.item_of(owner) if isinstance(owner, Thing) and owner.kind == "sequence" else None
        return None

    def by_line(self, call, words, names):
        """Some of a call's arguments, which may stand on several lines: [(where they stand, their names)], one for each line."""
        lines = {}
        for name in names:
            at = words.nodes.get(name, self.keyword_of(call, name))
            lines.setdefault(line_of(at), (at, []))[1].append(name)
        return list(lines.values())

    @staticmethod
    def keyword_of(node, word):
        """Where an argument of this name is written; the call itself if it is not written there."""
        return next((k.value for k in node.keywords if k.arg == word), node)

    def arguments(self, node, values=None):
        """What a call is given as it is written; `values`: a text in the place of its name, where it is known."""
        said = [self.written(a) for a in node.args]
        for at, (one, value) in enumerate(zip(node.args, values) if values and len(values) == len(said) and not self.by_options else ()):
            if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript, ast.JoinedStr)) and isinstance(value, Text) and isinstance(value.value, str):
                said[at] = repr(value.value)
        return ", ".join(said + [self.written(a) for a in node.keywords])

    # ---- names

    @staticmethod
    def normal(name):
        if not name.startswith("tensorflow"):
            return name
        if name == "tensorflow.compat.v2":
            return "tensorflow"
        if OWN_KERAS.match(name):
            return name
        for old, new in (("tensorflow.compat.v2.", "tensorflow."), ("tensorflow.python.keras.", "tensorflow.keras."),
                         ("tensorflow._api.v2.", "tensorflow.")):
            if name.startswith(old):
                return new + name[len(old):]
        return name

    def matters(self, name):
        """One of the calls of the tables, or below one: what was removed took all below it along."""
        known = self.mattering.get(name)
        if known is None:
            known = self.mattering[name] = name.startswith(self.begins) or self.is_exact(name)
        return known

    def is_exact(self, name):
        """A call of the tables by its whole name, or what is below one."""
        return any(name[:at] in self.exact for at in [len(name)] + [m.start() for m in re.finditer(r"\.", name)])

    def is_of_tables(self, name):
        """As matters(), but for what only starts the devices as all of its module does: jax.numpy.*, whose names are listed."""
        return self.matters(name) and (not name.startswith(tuple(one for one in self.begins if one[:-1] in self.members)) or self.is_exact(name))

    def find(self, name):
        value, known = self.scope.find(name)
        if known:
            return value
        for module in self.starred:
            full = module + "." + name
            if self.matters(full) or full == "os.environ" or full in self.above:
                return Name(full)
        return self.unbound.get(name) if self.source is None else None

    def look_for_unbound(self, trees):
        bound = set()
        self.tracing.files.append((None, trees))
        for tree in trees:
            self.torch.look_for_own_gpu(tree)
        for node in (node for tree in trees for node in ast.walk(tree)):
            bound.update(names_bound_by(node))
            if isinstance(node, ast.Attribute) and node.attr == "state" and "state_dict" not in self.written(node):
                self.moves_state = True
            if isinstance(node, ast.Attribute) and node.attr in ("load_state_dict", "eval"):
                self.loads_models = True
            kinds = ("name",) if isinstance(node, ast.alias) else ("attr", "id", "module", "name")
            said = next((getattr(node, kind) for kind in kinds if getattr(node, kind, None)), None)
            collates = getattr(node, "attr", "") == "collate_fn" and isinstance(node.ctx, ast.Store)
            if collates or isinstance(said, str) and BRINGS_BATCHES.search(said) or self.is_dataset_of_gpu(node):
                self.brings_batches = True
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Module)):
                self.look_for_unused_configurations(node)
                self.children.look_for_lost_environments(node)
        if len(trees) > 1:  # a notebook's cells share their names
            self.look_for_unused_configurations(ast.Module(body=[s for tree in trees for s in tree.body], type_ignores=[]))
        imported = self.packages_imported(trees)
        self.never_bound = {name: instead for name, (of, instead) in [*IMPORTS_OF_NAMES.items(), *CLASSES_OF_NAMES.items()]
                            if name not in bound and of in imported}
        self.unbound = {name: Name(full) for name, full in CONVENTIONS.items() if name not in bound}

    def packages_imported(self, trees):
        """The packages of which something is imported at the beginning of lines; none where all names of one may be there."""
        found = [one for tree in trees for one in ast.walk(tree) if isinstance(one, (ast.Import, ast.ImportFrom))]
        if any(alias.name == "*" for one in found for alias in one.names) or re.search(
                r"(?<!\.)\b(globals|exec|eval|locals|builtins)\b|%(run|load|pylab)\b", self.text):
            return set()
        return {name.split(".")[0] for tree in trees for one in tree.body if isinstance(one, (ast.Import, ast.ImportFrom)) and not getattr(
            one, "level", 0) for name in ([one.module or ""] if isinstance(one, ast.ImportFrom) else [alias.name for alias in one.names])}

    def names_never_bound(self):
        """from numba import jit, and @cuda.jit: a name of a package that the script imports in another way."""
        for name, instead in self.never_bound.items():
            if name in self.reported_unbound or name in self.lost:
                continue
            trees = [tree for source, trees in self.tracing.files if source is None for tree in trees]
            nodes = [one for tree in trees for one in ast.walk(tree)]
            used = [one for one in nodes if isinstance(one, ast.Attribute) and isinstance(
                one.value, ast.Name) and one.value.id == name and one.attr in USES_OF_NAMES.get(name, ())]
            if name in CLASSES_OF_NAMES:  # what is tried may be meant to fail
                tried = {id(inner) for one in nodes if isinstance(one, ast.Try) and one.handlers for inner in ast.walk(one)}
                used = [one.func for one in nodes if isinstance(one, ast.Call) and getattr(one.func, "id", "") == name and id(one) not in tried]
            if used:
                self.mistake(min(used, key=lambda one: (getattr(one, "cell", None) or 0, one.lineno)), "a name that nothing binds", name, instead)

    def look_for_unused_configurations(self, function):
        """config = tf.ConfigProto(…), whose fields are set and which nothing is given."""
        made = {}
        for statement in function.body:
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) and isinstance(
                    statement.targets[0], ast.Name) and self.written(statement.value.func).endswith("ConfigProto"):
                made[statement.targets[0].id] = statement
        shown = {id(n) for call in ast.walk(function) if isinstance(call, ast.Call) and getattr(call.func, "id", "") ==
                 "print" for n in ast.walk(call)} if made else ()
        for name, statement in made.items():
            loads = [n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name and
                     isinstance(n.ctx, ast.Load) and id(n) not in shown]
            stores = [n for n in ast.walk(function) if isinstance(n, ast.Attribute) and
                      isinstance(n.ctx, ast.Store) and re.match(re.escape(name) + r"\.", self.written(n))]
            shared = any(isinstance(n, (ast.Global, ast.Nonlocal)) and name in n.names for n in ast.walk(function))
            starts = any("ession" in self.written(n) for n in ast.walk(function) if isinstance(n, ast.Call))
            of_function = isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) and stores
            if len(loads) == len(stores) and not shared and (starts or of_function):
                sessions = [n for n in ast.walk(function) if isinstance(n, ast.Call) and
                            re.search(r"\bSession$|\bInteractiveSession$", self.written(n.func))]
                self.unused_configurations.append((stores[-1] if stores else statement, sessions))

    def is_dataset_of_gpu(self, node):
        return isinstance(node, ast.ClassDef) and any("Dataset" in self.written(base) for base in node.bases) and \
            bool(MOVES_ITSELF.search(self.written_whole(node)))

    def full(self, node):
        """'tensorflow.config' for tf.config; None where it can't be known."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        value = self.find(node.id) if isinstance(node, ast.Name) else None
        return self.normal(".".join([value.full] + parts[::-1])) if isinstance(value, Name) else None

    # ---- the whole

    def everything(self, tree):
        self.statements(tree.body)
        self.rest()

    def rest(self):
        """Functions that nobody called, each by itself, and what only the end shows."""
        made = {}
        self.path = ()
        waiting, seen = list(self.functions), len(self.functions)
        within = set()  # functions that such a function defines; one that is read again defines them again
        while waiting:
            function, of = waiting.pop(0)
            if function.followed or function.file:  # of a module: who asks about it reads it by itself
                continue
            self.path = ("u%d" % len(made),) if of is None else ("c%d" % id(of),)
            values = []
            if of is not None:
                if of not in made:
                    place = self.torch.place_of_class(of)
                    made[of] = self.make(of, [], {}, of.node)
                    if made[of].kind == "module" and made[of]["device"] is not None:
                        trained = any(base.endswith("LightningModule") for base in of.all_bases())  # its trainer moves it
                        made[of].state["device"] = None if trained else place
                        for part in made[of].attributes.values():  # which go where it goes
                            if isinstance(part, Thing) and part.kind == "module" and part["device"] is not None:
                                part.state["device"] = made[of].state["device"]
                values = [made[of]]
                self.path += ("u%d" % function.node.lineno,)
            else:
                made[function] = None
            if not function.followed:
                self.follow(function, values, {}, function.node, forced=True)
            followed = {id(one.node) for one, _ in self.functions[seen:] if one.followed}
            for one in self.functions[seen:]:
                if id(one[0].node) not in within | followed:
                    within.add(id(one[0].node))
                    waiting.append(one)
            seen = len(self.functions)
        self.path, self.source = (), None
        self.careful(self.torch.end)
        self.careful(self.training.end)
        self.careful(self.jaxs.end)
        self.careful(self.keras.end)
        self.careful(forgotten_variables, self)
        self.careful(self.tracing.end)
        self.careful(self.never_was_in_lambdas)
        self.careful(self.names_never_bound)
        self.careful(self.conditions.told_at_the_end)
        self.careful(self.uses_float64)
        self.careful(self.children.end)
        for node, sessions in self.unused_configurations:
            self.mistake(node, "a configuration that no session gets", self.written(node),
                         other=sessions[0] if sessions else None)
        self.careful(self.grows_apart)
        for node, path, source in self.listed_after_hiding if not self.asked_visible else ():
            self.path, self.source = path, source
            self.mistake(node, "list_physical_devices as proof of hiding", self.written(node))
        self.path, self.source = (), None
        self.careful(self.strategy_of_another_backend)
        self.careful(self.tape_of_another_backend)
        fits = any(e["name"] in (".fit", "tensorflow.keras.Model.fit") for e in self.events)
        for node, strategy, source in self.strategies:
            if fits and not source and not strategy["used"] and not strategy["escaped"]:
                self.mistake(node, "a strategy that nothing runs under", self.written(node))


    def other_backends(self):
        """The backends that the script chooses for Keras 3, where none of them is TensorFlow."""
        said = {e.get("value") for e in self.events if e["subject"] == "script-set-variable" and
                e["name"] == "KERAS_BACKEND"}
        return said if said <= {"jax", "torch"} and not self.tf_keras else set()

    def strategy_of_another_backend(self):
        """tf.distribute is TensorFlow's: Keras on JAX or PyTorch takes no notice of it."""
        said = self.other_backends()
        if not said:
            return
        for node, made, source in self.strategies:
            if made["runs_keras"]:
                self.source = source
                at = self.keras.backend_at or (None, None)
                self.mistake(node, "a strategy of TensorFlow's around Keras on another backend", said.pop(),
                             other=at[0] if at[1] == source else None)
                self.source = None
                return

    def tape_of_another_backend(self):
        """tf.GradientTape sees nothing of what Keras computes on JAX or PyTorch."""
        said = self.other_backends()
        if said and self.keras.tapes and \
                "keras" in self.keras.roots and (self.keras.built or "Sequential(" in self.text):
            self.torch.at(self.keras.tapes[0], "a tape of TensorFlow's around Keras on another backend", said.pop())

    def grows_apart(self):
        """Memory growth of one GPU alone, where the script uses several: TensorFlow takes one setting for all."""
        chosen = any(e["name"].endswith("set_visible_devices") or e["name"] in VARIABLES and "DEVICES" in e["name"] or
                     e["name"] == "TF_FORCE_GPU_ALLOW_GROWTH" for e in self.events)
        several = any(made["several"] for _, made, _ in self.strategies) or any(
            e["name"] == "tensorflow.device" and re.search(r"gpu:[1-9]", e.get("value", ""), re.I) for e in self.events)
        divided = any(e["name"].endswith(("logical_device_configuration", "virtual_device_configuration"))
                      for e in self.events)
        if chosen or divided or not several or len({id(node) for node, _ in self.grown}) != 1 or not self.grown[0][0]:
            return
        self.torch.at(self.grown[0], "growth of one GPU of several", self.written(self.grown[0][0]))
