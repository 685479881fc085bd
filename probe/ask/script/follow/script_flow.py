"""Statements of a script that is followed: each answers whether what stands below it is not reached; for the reader of scripts."""

# What a statement changes while it is read and what it puts on a stack meanwhile, which one that fails leaves behind.
OF_ONE_STATEMENT = ("scope", "path", "source", "called", "guarded", "deciding", "trying", "asserting", "device", "strategy", "at_the_edge")
STACKS = ("inside", "calls", "journal")


class Flow:
    def statements(self, body):
        begin, guarded = self.path, self.guarded
        for statement in body:
            self.step()
            if self.statement(statement):
                self.guarded = guarded
                return True
        self.path, self.guarded = begin, guarded
        return False

    def statement(self, node):
        kept, depths = [getattr(self, name) for name in OF_ONE_STATEMENT], [len(getattr(self, name)) for name in STACKS]
        try:
            return self.statement_read(node)
        except (RecursionError, MemoryError, TooLong):
            raise
        except Exception as error:  # a fault of the reader's own: what stands around the statement is read all the same
            self.fault(error, node)
            for name, value in zip(OF_ONE_STATEMENT, kept):
                setattr(self, name, value)
            for name, depth in zip(STACKS, depths):
                del getattr(self, name)[depth:]
            return False

    def statement_read(self, node):
        handler = getattr(self, "on_" + type(node).__name__, None)
        if handler:
            return bool(handler(node))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
        for field in ("body", "orelse", "finalbody"):
            if isinstance(getattr(node, field, None), list):
                with Branch(self, field):
                    self.statements(getattr(node, field))
        return False

    def on_Import(self, node):
        for alias in node.names:
            root = alias.name.split(".")[0]
            local = self.load(alias.name, 0)
            if local is not None:
                self.scope.names[alias.asname or root] = local
                continue
            self.scope.names[alias.asname or root] = Name(self.normal(alias.name if alias.asname else root))
            self.keras.imports(node, alias.name)
            self.removed.name(node, alias.name)
            self.never_was(node, self.normal(alias.name))
            if root in FRAMEWORKS or root in ON_JAX:
                self.note(node, "import", "jax" if root in ON_JAX else alias.name)
            if root == "torch":
                self.torch.imported = True
            if root == "numba":
                self.variables.begin(node, "numba", "import " + alias.name)

    def on_ImportFrom(self, node):
        module = node.module or ""
        local = self.load(module, node.level)
        for alias in node.names:
            name = alias.asname or alias.name
            if local is not None and alias.name == "*":
                self.scope.names.update({n: v for n, v in local.attributes.items() if not n.startswith("_")})
            elif local is not None:
                below = self.load((module + "." if module else "") + alias.name, node.level)
                self.scope.names[name] = local.attributes.get(alias.name, below)
            elif alias.name == "*":
                self.starred.insert(0, module)
            elif module:
                self.scope.names[name] = Name(self.normal(module + "." + alias.name))
            else:
                self.scope.names[name] = None
        if not node.level and local is None:
            self.keras.imports(node, module)
        if not node.level and module.split(".")[0] in FRAMEWORKS and local is None:
            for alias in node.names:
                at = self.place_of_name(node, alias)
                self.note(at, "import", self.normal(module + "." + alias.name))
                self.never_was(at, self.normal(module + "." + alias.name))
        elif not node.level and local is None:
            if module.split(".")[0] == "numba":
                self.variables.begin(node, "numba", "import of " + module)
            if module.split(".")[0] in ON_JAX:
                self.note(node, "import", "jax")
            for alias in node.names:
                at = self.place_of_name(node, alias)
                self.removed.name(at, module + "." + alias.name)
                self.never_was(at, module + "." + alias.name)

    def place_of_name(self, node, alias):
        """An import whose line is that of one of its names, where it stands on several lines; Python 3.10 knows it, others search."""
        line, last = getattr(alias, "lineno", None), getattr(node, "end_lineno", None) or node.lineno
        if line is None and last > node.lineno and not getattr(node, "cell", None):
            lines = self.text.split("\n")[node.lineno - 1:last]
            line = next((node.lineno + at for at, text in enumerate(lines) if re.search(
                r"(^|[\s,(])%s\b" % re.escape(alias.name), text.split("#")[0]) and (at or " import " in text)), None)
        if line is None or line == node.lineno or not node.lineno < line <= last:
            return node
        place = copy.copy(node)
        place.lineno = line
        return place

    def load(self, name, level):
        """A module that lies beside the script; None: there is none."""
        found = self.modules(name, level, self.source) if self.modules and (name or level) else None
        if found is None:
            return None
        shown, tree = found
        if shown in self.loaded:
            return self.loaded[shown]
        module = self.loaded[shown] = Thing("local-module")
        self.brings_batches = self.brings_batches or any(self.is_dataset_of_gpu(node) for node in ast.walk(tree))
        self.torch.reads_local_rank = self.torch.reads_local_rank or any(
            getattr(one, "value", None) == "LOCAL_RANK" for one in ast.walk(tree))
        self.torch.look_for_own_gpu(tree)
        self.tracing.files.append((shown, [tree]))
        before = self.scope, self.globals, self.source, self.main, self.cell, self.inside
        self.globals = self.scope = Scope()
        self.source, self.main, self.cell, self.inside = shown, False, None, []
        try:
            self.statements(tree.body)
            module.attributes = self.scope.names
        finally:
            self.scope, self.globals, self.source, self.main, self.cell, self.inside = before
        return module

    def annotated(self, *nodes):
        """Names in annotations, which Python looks up where they stand unless they are to be kept as text."""
        for node in nodes if "import annotations" not in self.text else ():
            for one in ast.walk(node) if node is not None else ():
                if isinstance(one, ast.Attribute) and self.full(one) is not None:
                    self.of_Attribute(one)

    def on_FunctionDef(self, node):
        self.annotated(node.returns, *(one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)))
        function = Function(node, self.scope)
        function.file = self.source
        function.decorators = [self.full(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
        function.wrapped = self.torch.wraps(node.decorator_list)
        for decorator in node.decorator_list:
            self.keras.decorates(decorator)
            if isinstance(decorator, ast.Call):
                self.value(decorator)
        for default in node.args.defaults + node.args.kw_defaults:  # they are made where the function is defined
            if not isinstance(default, (ast.Constant, type(None))):
                self.value(default)
        self.functions.append((function, None))
        self.scope.names[node.name] = function

    on_AsyncFunctionDef = on_FunctionDef

    def on_ClassDef(self, node):
        made = Class(node, self.scope)
        for base in node.bases:
            value = self.value(base)
            if isinstance(value, Class):
                made.parents.append(value)
            elif isinstance(value, Name):
                made.bases.append(value.full)
        before, self.scope = self.scope, Scope(self.scope)
        for one in node.body:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                function = made.methods[one.name] = Function(one, before, made)
                function.file = self.source
                function.decorators = [self.full(d.func if isinstance(d, ast.Call) else d) for d in one.decorator_list]
                function.wrapped = self.torch.wraps(one.decorator_list)
                self.functions.append((function, made))
                for decorator in one.decorator_list:
                    self.keras.decorates(decorator)
            else:
                self.statement(one)
        made.names = self.scope.names
        self.scope = before
        if any(
                self.full(d.func if isinstance(d, ast.Call) else d) == "dataclasses.dataclass"
                for d in node.decorator_list):
            made.fields = [one.target.id for one in node.body
                           if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
            made.kinds = {one.target.id: self.kind_of_field(one.annotation) for one in node.body
                          if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
        self.scope.names[node.name] = made

    @staticmethod
    def kind_of_field(said):
        """dict, of x: dict, x: dict[str, str] and x: typing.Dict[str, str]"""
        of = said.value if isinstance(said, ast.Subscript) else said
        return getattr(of, "id", getattr(of, "attr", "") if of is not said else "")

    def on_Global(self, node):
        for name in node.names:
            self.scope.names.pop(name, None)

    on_Nonlocal = on_Global

    def on_Return(self, node):
        self.results.append(self.value(node.value))
        return True

    def on_Raise(self, node):
        self.value(node.exc)
        return True

    def on_Break(self, node):
        return True

    on_Continue = on_Break

    def on_Expr(self, node):
        of = node.value
        value = self.value(of)
        shown = self.cell and node is self.last_of_cell  # a notebook shows the value: that is its use
        if isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute):
            thing = self.find_value(of.func.value)
            shown = shown and not (isinstance(thing, Thing) and thing["prepares"] == of.func.attr)
        self.restarted = self.restarted or restarts(self, of)
        if not shown:
            self.training.compared_alone(node)
            self.torch.dropped(node, of)
            self.jaxs.dropped(node, of)
            self.keras.dropped(node, of)
        if isinstance(of, ast.Call):
            name = self.full(of.func) or ""
            return name in ("sys.exit", "os._exit") or (isinstance(of.func, ast.Name) and
                                                        of.func.id in ("exit", "quit"))
        return False

    def on_Assign(self, node):
        value = self.value(node.value)
        self.conditions.not_called(node, value)
        for target in node.targets:
            self.assign(target, value)
            call, place = self.torch.last_load
            if node.value is call and isinstance(target, ast.Name):
                self.torch.loaded[self.source, target.id] = place, call

    def on_AnnAssign(self, node):
        self.annotated(node.annotation)
        if node.value is not None:
            self.on_Assign(ast.copy_location(ast.Assign(targets=[node.target], value=node.value), node))

    def on_AugAssign(self, node):
        value = self.value(node.value)
        if self.full(node.target) == "os.environ" and isinstance(node.value, ast.Dict):
            return self.update(node, node.value)
        if self.full(node.target) == "os.environ" and isinstance(value, Thing) and value.kind == "mapping":
            return self.update_all(node, value)
        before = self.value(node.target) if not isinstance(node.target, ast.Subscript) else None
        of = self.value(node.target.value) if isinstance(node.target, ast.Subscript) else None
        if isinstance(of, Thing) and of.kind == "tensor":
            index = node.target.slice.value if type(node.target.slice).__name__ == "Index" else node.target.slice
            at = self.value(index)
            self.torch.indexed(node.target, of, at.items if isinstance(at, Many) else [at])
        if isinstance(before, Many) and isinstance(node.op, ast.Add):
            return self.grow(before, "extend", [value])
        tensors = [v for v in (before, value) if isinstance(v, Thing) and v.kind == "tensor"]
        if len(tensors) == 2:
            self.torch.meet(node, tensors)
        elif tensors:
            self.training.works(tensors[0]["device"])
        if not tensors and isinstance(node.target, ast.Name):
            self.scope.names[node.target.id] = None
        return None

    def on_Delete(self, node):
        for target in node.targets:
            if isinstance(target, ast.Name):
                self.scope.names.pop(target.id, None)
            elif isinstance(target, ast.Subscript):
                self.take_out(self.value(target.value), self.value(target.slice.value if type(target.slice).__name__ == "Index" else target.slice))

    @staticmethod
    def take_out(mapping, key):
        """del settings["mode"] and settings.pop("mode"): nothing is known of the member from here on."""
        if isinstance(mapping, Thing) and mapping.kind == "mapping" and not mapping["environment"] and isinstance(key, Text):
            mapping.attributes.pop(key.value, None)

    def is_main(self, test):
        """Whether it asks for __name__ == "__main__"; then the answer is known."""
        return isinstance(test, ast.Compare) and getattr(test.left, "id", "") == "__name__"

    def decide(self, node):
        self.deciding += 1
        value = self.value(node)
        self.deciding -= 1
        self.truth_of(node, True)
        return value

    def on_Assert(self, node):
        self.torch.asked = self.torch.asked or "is_available" in self.written(node.test)
        self.asserting += 1
        self.decide(node.test)
        self.asserting -= 1
        self.value(node.msg)

    def on_If(self, node):
        test = Text(self.main) if self.is_main(node.test) else self.decide(node.test)
        if isinstance(test, Text):
            return self.statements(node.body if test.value else node.orelse)
        written = self.words_of(node.test)
        guards = bool(re.search(r"hasattr|version|VERSION|TF2|tf2|is_tf", written)) or \
            not self.maybe_missing.isdisjoint(re.findall(r"\w+", written))
        begin, guarded = self.path, self.guarded
        self.guarded += guards
        self.conditions.on_if(node)
        ended = self.branches_of(node)
        if not self.one_left:  # else what follows is the other branch
            self.guarded = guarded
        return ended

    def branches_of(self, node):
        number = self.number()
        begin = self.path
        self.asks_for_gpu(node, number)
        name, where = self.unlike(node.test)
        first = Branch(self, number + "a")
        with first:
            self.narrow(node.test)
            ended = self.statements_without(name if where == "body" else None, node.body)
        second = Branch(self, number + "b")
        with second:
            other_ended = self.statements_without(name if where == "orelse" else None, node.orelse)
        merge(self, first if not ended else None, second if not other_ended else None)
        for branch, body, left in ((first, node.body, ended), (second, node.orelse, other_ended)):
            if left and isinstance(body[-1], ast.Return):
                self.left.extend(change for change in branch.changes if change[1] == "device")
        self.path = begin
        self.one_left = ended != other_ended
        if ended and other_ended:
            return True
        if self.ends_program(node.body if ended else node.orelse):
            return False  # what follows runs in each run that goes on
        if ended:
            self.path = begin + (number + "b",)  # what follows is the other branch
        elif other_ended:
            self.path = begin + (number + "a",)
        return False

    def asks_for_gpu(self, node, number):
        """if torch.cuda.is_available(): model.cuda(), behind which a variable is too late wherever there is a GPU.

        A branch that leaves its function is left alone: what follows runs where there is none. So is a script that starts
        others, for which the variable may be meant.
        """
        without = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
        test = node.test.operand if without else node.test
        leaves = any(isinstance(one, (ast.Return, ast.Raise, ast.Continue, ast.Break)) or isinstance(one, ast.Call) and getattr(
            one.func, "attr", getattr(one.func, "id", "")) in ("exit", "_exit", "quit") for part in (
                node.orelse if without else node.body) for one in ast.walk(part))
        if isinstance(test, ast.Call) and self.full(test.func) == "torch.cuda.is_available" and not leaves and not re.search(
                r"subprocess|Popen|os\.(system|exec|spawn|posix)|multiprocessing", self.text):
            self.with_gpu.add(number + "ab"[without])
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Gt) and getattr(test.comparators[0], "value", None) == 0:
            test = test.left
        listed = test.args[0] if is_call_of(test, "len", 1) else test
        value = self.find_value(listed) if isinstance(listed, (ast.Name, ast.Attribute)) else None
        if isinstance(value, Thing) and value.kind == "gpus" and not leaves:
            self.with_listed.add(number + "ab"[without])

    def narrow(self, test):
        """if torch.is_tensor(value): below it, it is one."""
        if not isinstance(test, ast.Call) or not test.args or not isinstance(test.args[0], ast.Name):
            return
        name = self.full(test.func) or self.written(test.func)
        asked = self.full(test.args[1]) if name == "isinstance" and len(test.args) == 2 else None
        if (name == "torch.is_tensor" or asked == "torch.Tensor") and self.find(test.args[0].id) is None:
            self.scope.names[test.args[0].id] = Thing("tensor", device=None, line=test.lineno)

    def unlike(self, test):
        """if asked != "auto": a name and the branch in which it is another text than its default."""
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.left, ast.Name) or \
                not isinstance(test.ops[0], (ast.Eq, ast.NotEq)):
            return None, None
        value, said = self.scope.names.get(test.left.id), getattr(test.comparators[0], "value", None)
        known = value["default"] if isinstance(value, Thing) and value.kind == "option" else value
        if not isinstance(said, str) or text_of(known) != said:
            return None, None
        return test.left.id, "body" if isinstance(test.ops[0], ast.NotEq) else "orelse"

    def statements_without(self, name, body):
        """The statements, in which nothing is known of a name."""
        if name is None:
            return self.statements(body)
        scope, known = self.scope, self.scope.names.get(name)
        scope.names[name] = None
        ended = self.statements(body)
        if scope.names.get(name) is None:
            scope.names[name] = known
        return ended

    def ends_program(self, body):
        """Whether these statements end in an error or in the program's end."""
        last = body[-1] if body else None
        if isinstance(last, ast.Raise):
            return not self.trying
        call = last.value if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) else None
        return call is not None and (self.full(call.func) in ("sys.exit", "os._exit") or getattr(
            call.func, "id", "") in ("exit", "quit"))

    def number(self):
        self.branches += 1
        return str(self.branches)

    @staticmethod
    def members_of(mapping, way):
        return Many([v if way == "values" else Many([Text(k), v]) for k, v in mapping.attributes.items()])

    def for_each_choice(self, choice, does):
        """One of several dictionaries, each on a way of its own."""
        number = self.number()
        for letter, one in zip("abcdefgh", choice["mappings"]):
            with Branch(self, number + letter):
                does(one)

    def on_For(self, node):
        over = self.value(node.iter)
        if isinstance(over, Thing) and over["mappings"] and over["way"]:
            return self.for_each_choice(over, lambda one: self.for_items(node, self.members_of(one, over["way"])))
        return self.for_items(node, over)

    def for_items(self, node, over):
        self.conditions.rebound(node, self.item_of(over, node))
        if isinstance(over, Many) and not over.open and 0 < len(over.items) <= 8 and all(i is not None for i in over.items):
            for item in over.items:
                self.assign(node.target, item)
                self.statements(node.body)
            return self.statements(node.orelse) if node.orelse else None
        item = self.item_of(over, node)
        if item is None and not isinstance(over, Thing) and not self.brings_batches and self.is_loader(node.iter):
            item = self.loader_item(node.iter)
        if item is None and isinstance(node.iter, ast.Call) and getattr(node.iter.func, "id", "") == "enumerate":
            item = Many([Thing("number", varies=True), None])
        self.assign(node.target, item)
        self.libraries.loops(node, over)
        return self.loop(node, self.runs_once(node.iter))

    on_AsyncFor = on_For

    def is_loader(self, node):
        while isinstance(node, ast.Call) and node.args and isinstance(node.func, (ast.Name, ast.Attribute)):
            node = node.args[0]  # enumerate(tqdm(loader))
        node = node.value if isinstance(node, ast.Subscript) else node  # dataloaders[phase]
        name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
        return bool(TENSOR_LOADER.search(name))

    def loader_item(self, node):
        batch = Thing("batch", loader=Thing("loader", named=True))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "enumerate":
            return Many([Thing("number"), batch])
        return batch

    def runs_once(self, node):
        """range(10) and range(EPOCHS): a training loop runs at least once."""
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range" and node.args:
            end = self.value(node.args[-1 if len(node.args) == 1 else 1])
            return isinstance(end, Text) and isinstance(end.value, int) and end.value > 0
        return False

    def loop(self, node, once):
        self.training.loops += 1
        if once:
            self.statements(node.body)
        else:
            begin = len(self.events)
            branch = Branch(self, self.number() + "l")
            with branch:
                path = self.path
                ended = self.statements(node.body)
            merge(self, branch, None, True)
            if not ended:
                self.comes_round(begin, path)
        self.training.loops -= 1
        self.statements(node.orelse)

    def comes_round(self, begin, path):
        """What a loop configured is configured once more, after all that its body did."""
        for event in [e for e in self.events[begin:] if any(e is one for one in self.varying)]:
            steps = event.get("path", "").split("/")
            if re.match(r"p\d+:", steps[0]) and path[:1] != (steps[0],):
                continue  # a process of its own begins anew each time
            if all(step[-1:] in "lp" and step[:1] != "p" for step in steps[len(path) - 1:]):
                self.events.append(dict(event))

    def on_While(self, node):
        test = self.decide(node.test)
        return self.loop(node, isinstance(test, Text) and bool(test.value))

    def on_With(self, node):
        before, usual, placed, contexts = self.device, (self.torch.default, self.torch.default_set), False, []
        for item in node.items:
            call = item.context_expr
            value = self.value(call)
            contexts.append((call, value))
            value = self.entered(call, value)
            if item.optional_vars is not None:
                self.assign(item.optional_vars, value)
            # with torch.device("cuda"): what is made here lies there; an object that only hands out a device changes nothing.
            value = contexts[-1][1] if isinstance(contexts[-1][1], Place) or isinstance(value, Place) else value
            if isinstance(value, Place):
                self.torch.default = value.text if value.text and not value.text.startswith("meta") else None
                self.torch.default_set, placed = None, True
            if isinstance(call, ast.Call):
                self.torch.own_gpu = self.torch.own_gpu or self.full(call.func) == "torch.cuda.device"
                if self.full(call.func) == "tensorflow.device" or getattr(call.func, "attr", "") == "scope":
                    self.device = self.written(call)
                    of = self.find_value(getattr(call.func, "value", None))
                    many = isinstance(of, Thing) and of.kind == "strategy" and of["name"] in MIRRORED
                    self.strategy = self.device if many else self.strategy
                if self.full(call.func) in ("tensorflow.device", "tensorflow.compat.v1.device"):
                    self.runs_alone(node)
            elif isinstance(value, Bound) and isinstance(value.thing, Thing) and value.thing.kind == "strategy":
                self.mistake(node, "a context without its brackets", self.written(call))
            elif self.full(call) in ("torch.autocast", "torch.cuda.amp.autocast", "torch.no_grad", "torch.device",
                                     "torch.inference_mode", "torch.amp.autocast", "torch.enable_grad"):
                self.mistake(node, "a context without its brackets", self.full(call))
        without = self.training.without_gradient(node)
        casts = self.training.converts_numbers(node)
        on_gpu = self.training.autocast_of_gpu(node)
        self.training.gpu_casts += [] if on_gpu is None else [on_gpu]
        self.training.without += without
        self.training.casts += casts
        ended = self.statements(node.body)
        if placed:
            self.torch.default, self.torch.default_set = usual
        self.training.without -= without
        self.training.casts -= casts
        self.training.gpu_casts = self.training.gpu_casts[:-1] if on_gpu is not None else self.training.gpu_casts
        self.device = before
        for call, value in reversed(contexts):
            self.run_edge(call, value, "__exit__", [None, None, None])
        return ended

    on_AsyncWith = on_With

    @staticmethod
    def method_of(value, name):
        """A method of an object whose class the script writes."""
        of = value["class"] if isinstance(value, Thing) else None
        return of.method(name) if isinstance(of, Class) else None

    def entered(self, node, value):
        """What `as` gets: what __enter__ returns, which runs before the statements that the with holds."""
        made = self.run_edge(node, value, "__enter__", [])
        return value if made is None else made

    def run_edge(self, node, value, name, given):
        method = self.method_of(value, name)
        if method is None:
            return None
        self.at_the_edge += 1
        made = self.follow(method, [value] + given, {}, node)
        self.at_the_edge -= 1
        return made

    def runs_alone(self, node):
        """with tf.device: around nothing but a session's runs, whose operations were placed when they were made."""
        calls = [one.func for statement in node.body for one in ast.walk(statement) if isinstance(one, ast.Call)]
        runs = [f for f in calls if isinstance(f, ast.Attribute) and f.attr == "run" and
                re.search(r"sess", self.written(f.value), re.I)]
        others = [f for f in calls if f not in runs and not (isinstance(f, ast.Name) and f.id in BUILTINS) and
                  not (self.full(f) or "").startswith(("time.", "timeit.")) and
                  not (isinstance(f, ast.Attribute) and f.attr in ("append", "format"))]
        if runs and not others:
            self.mistake(node, "tf.device around a session's runs", self.written(node.items[0].context_expr))


    def on_Try(self, node):
        caught = [getattr(k, "attr", getattr(k, "id", "")) for h in node.handlers
                  for k in (h.type.elts if isinstance(h.type, ast.Tuple) else [h.type])]
        guards = any(c in ("", "ImportError", "ModuleNotFoundError", "AttributeError", "TypeError", "Exception") for c in caught)
        self.guarded += guards
        self.trying += bool(node.handlers)
        ended = self.statements(node.body)
        self.trying -= bool(node.handlers)
        self.guarded -= guards
        older = bool({"ImportError", "ModuleNotFoundError", "AttributeError"} & set(caught))
        if older:  # what its handler does is for another release
            self.maybe_missing |= {alias.asname or alias.name for one in node.body
                                   if isinstance(one, (ast.Import, ast.ImportFrom)) for alias in one.names}
        for handler in node.handlers:
            self.handler(handler)
            branch = Branch(self, self.number() + "e")
            self.guarded += older
            with branch:
                self.statements(handler.body)
            self.guarded -= older
            last = handler.body[-1]
            while isinstance(last, ast.With):
                last = last.body[-1]
            if older and isinstance(last, ast.Return):  # what follows is for releases that have it
                for alias in (a for one in node.body if isinstance(one, ast.ImportFrom) for a in one.names):
                    self.scope.names[alias.asname or alias.name] = None
            for name in self.maybe_missing & set(branch.after) if older else ():
                one, other = self.scope.names.get(name), branch.after[name]
                if isinstance(one, Name) and isinstance(other, Name) and one.full != other.full and \
                        self.matters(one.full):
                    self.scope.names[name] = other  # what newer releases have in its place
        begin = self.path
        if not ended:
            ended = self.statements(node.orelse)
        self.path = begin
        return self.statements(node.finalbody) or (ended and not node.handlers)

    on_TryStar = on_Try

    def on_Match(self, node):
        value = self.value(node.subject)
        for case in node.cases:
            pattern = getattr(case.pattern, "value", None)
            known = self.value(pattern) if isinstance(pattern, ast.expr) else None
            if isinstance(value, Text) and isinstance(known, Text):
                if value.value == known.value:
                    return self.statements(case.body)
                continue
            with Branch(self, self.number() + "c"):
                self.statements(case.body)

    def handler(self, node):
        """An out-of-memory error that is met by going on on the CPU."""
        kinds = node.type.elts if isinstance(node.type, ast.Tuple) else [node.type] if node.type else []
        names = [getattr(kind, "attr", getattr(kind, "id", "")) for kind in kinds]
        body = "\n".join(self.written(one) for one in node.body)
        memory = any(name in OUT_OF_MEMORY for name in names) or ("RuntimeError" in names and "memory" in body)
        to_cpu = any(word in body for word in (".cpu()", "'cpu'", "/CPU:", "'/cpu", "CUDA_VISIBLE_DEVICES"))
        if memory and to_cpu and not any(isinstance(one, ast.Raise) for one in ast.walk(node)):
            self.note(node, "handler", ", ".join(names), body.splitlines()[0].rstrip(":")[:200], doubted=True)


class Branch:
    """Statements that may not run: names and objects are afterwards as they were before, and what changed is kept."""

    def __init__(self, reader, step):
        self.reader, self.step = reader, step if step[:1].isdigit() else reader.number() + step

    def __enter__(self):
        reader = self.reader
        self.path = reader.path
        self.scope, self.names = reader.scope, dict(reader.scope.names)
        reader.path += (self.step,)
        reader.journal.append(Journal())
        return self

    def __exit__(self, kind, error, trace):
        reader = self.reader
        reader.path = self.path
        self.after = self.scope.names
        self.scope.names = self.names
        self.changes = []
        for thing, key, before in reversed(reader.journal.pop()):
            self.changes.append((thing, key, thing.state.get(key)))
            thing.state[key] = before
        return False


def merge(reader, first, second, maybe=False):
    """What is known after either of two branches; None: that one isn't left, or there is none."""
    names = reader.scope.names
    branches = [b for b in (first, second) if b is not None]
    if not branches:
        return
    for name in {n for b in branches for n in b.after}:
        values = [b.after[name] if name in b.after else None for b in branches]
        present = [b.after[name] for b in branches if name in b.after]
        if maybe and name in names:
            present.append(names[name])
        value = present[0]
        for other in present[1:]:
            value = join(value, other)
        names[name] = value
    ends = []
    for branch in branches:
        state = {}
        for thing, key, value in branch.changes:  # the last change first
            state.setdefault((id(thing), key), (thing, key, value))
        ends.append(state)
    for key in {k for state in ends for k in state}:
        thing, name, _ = next(state[key] for state in ends if key in state)
        values = [state[key][2] if key in state else thing.state.get(name) for state in ends]
        if maybe:
            values.append(thing.state.get(name))
        value = values[0]
        for other in values[1:]:
            if name == "device":
                value = join_places(value, other) if value != other else value
            elif isinstance(other, bool) or isinstance(value, bool):
                value = bool(value) or bool(other)
            elif value is not other:
                value = None
        reader.change(thing, name, value)
