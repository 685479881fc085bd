"""TensorFlow's and JAX's traced functions as they are timed and called, and tf.data; for the reader of scripts."""

METRICS_OF_KERAS = re.compile(r"(tensorflow\.|tf_)?keras\.metrics\.[A-Z]\w+$")
WEIGHED_LAYERS = re.compile(r"(tensorflow\.|tf_)?keras\.layers\.(Dense|Conv\w+|LSTM|GRU|Embedding|MultiHeadAttention|BatchNormalization|LayerNormalization)$")


class ClocksOfTraces(WholeFile):
    """Clocks around compiled functions of JAX or TensorFlow that stand in a context or a decorator of the file."""

    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if "tensorflow" in roots:
            self.placed_in_timeit()
        if not {"jax", "tensorflow"} & roots or self.says(
                r"(?i)device\(['\"]/?(device:)?cpu|['\"]cpu['\"]|set_visible_devices\(\[\]|VISIBLE_DEVICES['\"]\] = ['\"](-1)?['\"]"):
            return
        for of in nodes:
            if isinstance(of, (ast.FunctionDef, ast.ClassDef)):
                stops = self.stops_of(of)
                if stops is not None:
                    self.around_blocks(of, stops, nodes)
                    self.around_functions(of, stops, nodes)
        for call in self.tracing.index.calls:
            if self.full(call.func) in ("timeit.timeit", "timeit.repeat", "timeit.Timer"):
                self.in_timeit(call)

    def placed_in_timeit(self):
        """timeit.timeit(product, number=10), where product() gives the GPU work under tf.device; the last time of each is what is reported."""
        last = {}
        for call in self.tracing.index.calls if not self.tracing.says_sync_devices() else ():
            timed = self.given(call, 0, "stmt") if self.full(call.func) in ("timeit.timeit", "timeit.repeat", "timeit.Timer") else None
            of = timed.body.func if isinstance(timed, ast.Lambda) and isinstance(timed.body, ast.Call) else timed
            if of is not None and self.tracing.leaves_to_the_gpu(of):
                last[self.written(of)] = (call, of)
        for call, of in last.values():
            self.reader.mistake(call, "a time of TensorFlow's without an end", self.written(of) + "()", other=of, doubted=True)

    def in_timeit(self, call):
        """timeit.timeit(lambda: step(x), number=10), of a compiled function that nobody waits for."""
        timed = self.given(call, 0, "stmt")
        text = self.said(timed)
        if isinstance(text, str):
            try:
                runs = [ast.Lambda(args=None, body=ast.parse(text, mode="eval").body)]
            except (SyntaxError, ValueError):
                return
        else:
            runs = [timed] if isinstance(timed, ast.Lambda) else self.origins.functions_of(timed) if timed is not None else []
        for run in runs:
            last = run.body if isinstance(run, ast.Lambda) else run.body[-1].value if isinstance(run, ast.FunctionDef) and isinstance(
                run.body[-1], (ast.Expr, ast.Return, ast.Assign)) else None
            if self.is_compiled(last) and not WAITS_OF_TRACES.search(self.written(run.body) if isinstance(run, ast.Lambda) else self.near(run)):
                self.tell(call, self.tracing.traced_of(last.func), self.written(last), timed)

    def stops_of(self, of):
        """clock() - start in a function or class that waits for nothing."""
        text = self.reader.written_whole(of)
        if WAITS_OF_TRACES.search(re.sub(r"\bprint\(", "", text)) or re.search(r"sync|\bwait|Event\(|\.get\(\)|compil", text):
            return None
        return next((one for one in ast.walk(of) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) and any(isinstance(
            end, ast.Call) and self.full(end.func) in CLOCKS_OF_TRACES for end in self.origins.of(one.left))), None)

    def around_blocks(self, of, stops, nodes):
        """with lap(laps): features = forward(images)"""
        enters = isinstance(of, ast.ClassDef) and any(getattr(one, "name", "") == "__exit__" for one in of.body) or isinstance(
            of, ast.FunctionDef) and any("contextmanager" in self.written(one) for one in of.decorator_list)
        for block in (one for one in nodes if enters and isinstance(one, ast.With)):
            call = next((item.context_expr for item in block.items if isinstance(item.context_expr, ast.Call) and any(
                to is of for to in self.origins.functions_of(item.context_expr.func)) or isinstance(item.context_expr, ast.Call) and getattr(
                    item.context_expr.func, "attr", getattr(item.context_expr.func, "id", "")) == of.name), None)
            if call is None or re.search(r"(?i)compil|jit|trac|warm|first|start|load|init|data", self.written(call)):
                continue
            last = block.body[-1]
            while isinstance(last, ast.With) or isinstance(last, ast.For) and self.written(last.iter).startswith("range("):
                last = last.body[-1]
            if isinstance(last, ast.For):  # over data: the reading of it is measured as well
                continue
            runs = next((one for one in ast.walk(last) if self.is_compiled(one)), None)
            if runs is not None and not WAITS_OF_TRACES.search(self.near(block)) and not re.search(r"sync|\bwait", self.near(block)):
                return self.tell(stops, self.tracing.traced_of(runs.func), self.written(runs), call)
        return None

    def tell(self, stops, traced, called, other):
        name = "a time of TensorFlow's without an end" if traced.by in GRAPHS else "a time without an end"
        self.reader.mistake(stops, name, called, other=other, doubted=True)

    def is_compiled(self, node):
        return isinstance(node, ast.Call) and (self.tracing.traced_of(node.func) or Traced("")).by in JITS + GRAPHS

    def around_functions(self, of, stops, nodes):
        """@timed @jax.jit def f(x): …, or timed(jax.jit(f)), where timed() reads the clock around its call."""
        takes = [one.arg for one in ast.walk(of) if isinstance(one, ast.arg)]
        calls = any(isinstance(one, ast.Call) and getattr(one.func, "id", getattr(one.func, "attr", "")) in takes and any(
            isinstance(part, ast.Starred) for part in one.args) for one in ast.walk(of))
        for one in nodes if calls else ():
            if isinstance(one, ast.FunctionDef) and len(one.decorator_list) > 1:
                named = [getattr(d.func if isinstance(d, ast.Call) else d, "id", "") == of.name for d in one.decorator_list]
                at = named.index(True) if True in named else len(named)
                if any(self.tracing.decorated(d) for d in one.decorator_list[at + 1:]) and not any(
                        self.tracing.decorated(d) for d in one.decorator_list[:at]):
                    traced = next(filter(None, map(self.tracing.decorated, one.decorator_list[at + 1:])))
                    return self.tell(stops, traced, one.name, one.decorator_list[at])
            makes = one.func.func if isinstance(one, ast.Call) and isinstance(one.func, ast.Call) else getattr(one, "func", None)
            if isinstance(one, ast.Call) and getattr(makes, "id", "") == of.name and one.args:  # timed(f), and timed("name")(f)
                given = one.args[0]
                traced = self.tracing.made(given) if isinstance(given, ast.Call) else self.tracing.traced_of(given) if isinstance(
                    given, (ast.Name, ast.Attribute)) else None
                if traced and traced.by in JITS + GRAPHS:
                    return self.tell(stops, traced, self.written(given), one)
        return None


class Traces(OfValues):
    """What TensorFlow's traced functions read, keep and do only while they are traced."""

    def look(self, nodes):
        if not {"tensorflow", "keras"} & {name.split(".")[0] for name in self.tracing.names.values()} or self.says(
                r"run_functions_eagerly\((True)?\)|enable_debug_mode|run_eagerly *= *True"):
            return
        self.know(nodes)
        self.origins.prepare()
        calls, functions = self.tracing.index.calls, [one for one in nodes if isinstance(one, ast.FunctionDef)]
        graphs = {id(of): of for of in self.traced_of_tf(calls, functions)}
        parts = {key: self.reach(of) for key, of in graphs.items()}
        inner = {id(one) for reached in parts.values() for of in reached for one in ast.walk(of)}
        reported = set()
        for key, of in graphs.items():
            self.changed_behind(of, parts[key])
            for part in parts[key]:
                if id(part) not in reported and not re.search(r"py_function|numpy_function|init_scope", self.reader.written_whole(part)):
                    reported.add(id(part))
                    self.done_once(part, inner)
                    self.made_inside(part, "tf.function")
                    self.leaves_the_graph(part, of, inner)
        self.layers_of_calls(nodes)
        self.changed_by_callbacks(nodes)
        self.optimizers_of_one_graph(graphs.values(), calls)
        self.drawn_by_maps(calls)
        self.kept_draws(calls)
        self.values_in_maps(calls)
        self.traced_in_each_call(functions)

    def values_in_maps(self, calls):
        """ds.map(load), where load() asks for path.numpy(), and compile(loss=f) with an f that does."""
        traced = [call.args[0] for call in calls if self.method(call, "map", "filter", "flat_map") and call.args and self.begins_as_dataset(call)]
        for call in calls:
            if self.method(call, "compile") and not self.full(call.func):
                metrics = self.value_of(self.word(call, "metrics"))
                traced += [one for one in [self.given(call, 1, "loss")] + getattr(metrics, "elts", []) if one is not None]
        for of in (of for one in traced for of in self.origins.functions_of(one) if not isinstance(of, ast.ClassDef)):
            for call in self.reached(of, 3, classes=False):
                self.tracing.value_in_graph(call)

    def traced_in_each_call(self, functions):
        """def epoch(self): @tf.function def step(x): …, which each call of epoch() makes and traces anew."""
        for of in functions:
            if not any(self.tracing.decorated_by(of, name) for name in GRAPHS):
                continue
            outer = self.origins.scope(of)
            loops = [one for one in self.origins.around(of) if isinstance(one, ast.For)]
            if isinstance(outer, ast.FunctionDef) and not any(isinstance(one, ast.Return) and one.value is not None and of.name in self.written(
                    one.value) for one in ast.walk(outer)):
                made = Jitted.locals_of(outer) - {one.arg for one in ast.walk(outer) if isinstance(one, ast.arg)}
                made |= {one.name for one in outer.body if isinstance(one, ast.FunctionDef)} - {of.name}
                free = {one.id for one in ast.walk(of) if isinstance(one, ast.Name)} - Jitted.locals_of(of)
                sites = [call for call in self.tracing.index.calls if any(to is outer for to in self.origins.functions_of(call.func))]
                each = [(call, loop) for call in sites for loop in self.origins.around(call) if isinstance(loop, ast.For) and self.counts_rounds(loop)]
                given = {name.id for call, loop in each for one in call.args for name in ast.walk(one) if isinstance(name, ast.Name)} & {
                    name.id for _, loop in each for one in ast.walk(loop) for name in ast.walk(one) if isinstance(name, ast.Name) and isinstance(
                        name.ctx, ast.Store)}
                used = any(isinstance(one, ast.Name) and one.id == of.name and isinstance(one.ctx, ast.Load) for one in ast.walk(outer))
                if each and len(each) == len(sites) and used and not free & made and not given:
                    self.reader.mistake(of.decorator_list[0], "a graph that each round traces anew", of.name, outer.name, other=each[0][0], doubted=True)
            elif loops and self.counts_rounds(loops[0]) and not isinstance(outer, ast.FunctionDef):
                bound = {one.id for one in ast.walk(loops[0]) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
                free = {one.id for one in ast.walk(of) if isinstance(one, ast.Name)} - Jitted.locals_of(of)
                if not free & bound:
                    self.reader.mistake(of.decorator_list[0], "a graph that each round traces anew", of.name, "the loop", other=loops[0], doubted=True)

    def counts_rounds(self, loop):
        """Whether a loop counts epochs or steps, in which the same is done again."""
        return re.search(r"epoch|step|iter|batch|_$", self.written(loop.target)) is not None

    def traced_of_tf(self, calls, functions):
        yield from (of for of in functions if any(self.tracing.decorated_by(of, name) for name in GRAPHS))
        for call in calls:
            if self.full(call.func) in GRAPHS and call.args:
                yield from (of for of in self.origins.functions_of(call.args[0]) if isinstance(of, ast.FunctionDef))

    def reach(self, of):
        """A function, and those of the file that it calls or hands to strategy.run()."""
        found, waiting = [of], [of]
        while waiting and len(found) < 20:
            for call in calls_in(waiting.pop().body):
                handed = call.args[:1] if getattr(call.func, "attr", "") == "run" else []
                for inner in (one for func in [call.func] + handed for one in self.origins.functions_of(func)):
                    if isinstance(inner, ast.FunctionDef) and not any(inner is one for one in found):
                        found.append(inner)
                        waiting.append(inner)
        return found

    def numbers_of(self, target):
        """What a variable of the file or an attribute of a class is bound to, where each of that is a number or is added to it."""
        scope, name = None, getattr(target, "id", getattr(target, "attr", None))
        if isinstance(target, ast.Attribute):
            made = self.value_of(target.value)
            classes = [of for of in self.origins.functions_of(made.func) if isinstance(of, ast.ClassDef)] if isinstance(made, ast.Call) else []
            scope = self.origins.owner(target) or (classes[0] if len(classes) == 1 else None)
            if scope is None:
                return []
        values = [value for _, value, _ in self.origins.bindings.get((id(scope) if scope is not None else 0, name), ())]
        plain = [one for one in values if isinstance(one, ast.Constant) and type(one.value) in (int, float)]
        return plain if all(one in plain or isinstance(one, Part) and isinstance(one.of, ast.AugAssign) for one in values) else []

    def is_shared(self, target, of):
        """Whether what a function assigns to is the file's or an object's."""
        if isinstance(target, ast.Attribute):
            return isinstance(target.value, ast.Name) and (target.value.id == "self" or target.value.id not in Jitted.locals_of(of))
        return isinstance(target, ast.Name) and target.id not in Jitted.locals_of(of)

    def done_once(self, of, inner):
        """self.steps += 1, losses["train"].append(loss) and next(batches) of a generator, in a tf.function."""
        given = {one.arg for one in ast.walk(of) if isinstance(one, ast.arg)}
        for one in ast.walk(of):
            if isinstance(one, ast.AugAssign) and self.is_shared(one.target, of) and self.numbers_of(one.target) and self.number_is_plain(
                    one.value) and not re.search(r"(?i)trac|compil|graph", self.written(one.target)) and self.is_read_outside(one.target, inner):
                self.mistake(one, "what a traced function does once", "tf.function")
            shows = isinstance(one, ast.Call) and (getattr(one.func, "id", "") == "print" or re.match(
                r"logging\.(info|debug|warning)$", self.full(one.func)))
            shown = [part for each in one.args for part in (getattr(each, "values", [each]))] if shows else []
            shown = [part.value if isinstance(part, ast.FormattedValue) else part for part in shown]
            if any(isinstance(part, ast.Name) and part.id in Jitted.locals_of(of) - given and self.is_computed(part) for part in shown) and not re.search(
                    r"(?i)trac|compil|build|graph", self.written(one)):
                self.reader.mistake(one, "a tensor of a graph that is shown", self.written(one), doubted=True)
            base = one.func.value if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "append" and one.args else None
            base = base.value if isinstance(base, ast.Subscript) else base
            if isinstance(base, ast.Attribute) and self.is_shared(base, of) and self.is_computed(one.args[0]) and self.is_read_outside(base, inner):
                self.reader.mistake(one, "what a traced function does once", self.written(one), "tf.function", doubted=True)
            if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "next" and one.args:
                made = [each.value for each in self.origins.statements_of(one.args[0]) if isinstance(each, ast.Assign)] if isinstance(
                    one.args[0], (ast.Name, ast.Attribute)) else []
                if made and all(self.is_generator(each) and id(each) not in inner for each in made):
                    self.reader.mistake(one, "what a traced function does once", self.written(one), "tf.function", doubted=True)

    def is_generator(self, node):
        """Whether it is a call of a function of the file that yields."""
        return isinstance(node, ast.Call) and any(isinstance(part, (ast.Yield, ast.YieldFrom)) for to in self.origins.functions_of(
            node.func) if isinstance(to, ast.FunctionDef) for part in ast.walk(to))

    def number_is_plain(self, node):
        return type(self.said(node)) in (int, float)

    def is_read_outside(self, target, inner):
        """Whether what a traced function assigns is read where nothing is traced."""
        name = getattr(target, "attr", getattr(target, "id", None))
        return any(isinstance(one, type(target)) and getattr(one, "attr", getattr(one, "id", None)) == name and isinstance(
            one.ctx, ast.Load) and id(one) not in inner for one in self.origins.nodes)

    def made_inside(self, of, by):
        """optimizer = Adam() in a tf.function, which makes its variables again in each trace."""
        for call in calls_in(of.body):
            made = self.full(call.func)
            layer = isinstance(call.func, ast.Call) and WEIGHED_LAYERS.match(self.full(call.func.func))
            if (layer or by == "tf.function" and (OPTIMIZERS_OF_KERAS.match(made) or METRICS_OF_KERAS.match(made))) and not self.in_branch(call):
                self.reader.mistake(call, "a variable that a tf.function makes", self.written(call.func if layer else call), doubted=True)

    def layers_of_calls(self, nodes):
        """def call(self, x): return layers.Dense(8)(x), of a model that fit() trains: each trace makes other weights."""
        if not self.says(r"\.fit\("):
            return
        for of in nodes:
            if isinstance(of, ast.ClassDef) and any(LAYERS_OF_KERAS.match(self.full(base)) for base in of.bases):
                for method in of.body:
                    if isinstance(method, ast.FunctionDef) and method.name == "call":
                        self.made_inside(method, "call")
                        for call in self.reached(method, 3, classes=False) if "torch" not in self.reader.text and not re.search(
                                r"py_function|numpy_function", self.reader.written_whole(method)) else ():
                            if DRAWS_OF_TRACES.match(self.full(call.func)):
                                self.reader.mistake(call, "what a traced function does once", self.written(call), "fit()", doubted=True)

    def is_computed(self, node, deepest=4):
        """Whether a value is surely a tensor that TensorFlow has computed."""
        if isinstance(node, ast.BinOp):
            return self.is_computed(node.left, deepest - 1) or self.is_computed(node.right, deepest - 1)
        if isinstance(node, ast.Call):
            return TENSORS.match(self.full(node.func)) is not None or getattr(node.func, "attr", "") == "gradient" or self.made_by(
                node.func, LOSSES_OF_KERAS) is not None
        made = self.origins.known(node) if deepest > 0 and isinstance(node, ast.Name) else []
        return bool(made) and all(one is not node and self.is_computed(one, deepest - 1) for one in made)

    def leaves_the_graph(self, of, traced, inner):
        """self.last_loss = loss in a tf.function, which is read where nothing is traced: it is no number."""
        for one in ast.walk(of):
            for target in one.targets if isinstance(one, ast.Assign) else ():
                if isinstance(target, (ast.Attribute, ast.Name)) and self.is_shared(target, of) and self.is_computed(
                        one.value) and self.is_read_outside(target, inner):
                    self.reader.mistake(one, "a tensor of a graph that is kept", self.written(target), traced.name, doubted=True)

    def changed_behind(self, of, parts):
        """self.kl_weight = epoch / 10 in a loop that calls step(), which was traced with the first value."""
        names = {one.id for part in parts for one in ast.walk(part) if isinstance(one, ast.Name) and isinstance(
            one.ctx, ast.Load) and one.id not in Jitted.locals_of(part)}
        attributes = {(id(self.origins.owner(one)), one.attr) for part in parts for one in ast.walk(part) if isinstance(
            one, ast.Attribute) and isinstance(one.ctx, ast.Load) and self.origins.owner(one) is not None}
        items = {self.written(one) for part in parts for one in ast.walk(part) if isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Load)}
        for loop in self.tracing.index.loops:
            called = self.called_in(loop, 2)
            if not any(one is of for one in called) or re.search(r"tf\.function\(", self.reader.written_whole(loop)):
                continue
            bound = {name.id for one in ast.walk(loop) for name in ast.walk(one) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
            inside = within_others(loop, (ast.FunctionDef, ast.Lambda, ast.ClassDef))
            own = [one for one in ast.walk(loop) if id(one) not in inside]
            setters = [one for by in self.called_in(loop, 0) if not any(by is part for part in parts) and by.name != "__init__" for one in ast.walk(by)]
            for one in own + setters:
                target = one.target if isinstance(one, ast.AugAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
                if isinstance(target, ast.Name):
                    reads = target.id in names and self.is_same_variable(one, target.id, of)
                elif isinstance(target, ast.Attribute):
                    made = self.value_of(target.value)
                    owners = [self.origins.owner(target)] + (self.origins.functions_of(made.func) if isinstance(made, ast.Call) else [])
                    reads = any((id(owner), target.attr) in attributes for owner in owners if owner is not None)
                else:
                    reads = isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id in names and self.written(
                        target) in items and self.is_same_variable(
                            next(iter(self.origins.statements_of(target.value)), one), target.value.id, of)
                used = {name.id for name in ast.walk(one.value) if isinstance(name, ast.Name)} if reads else set()
                changes = reads and (isinstance(one, ast.AugAssign) or bool(used & bound) or one in setters and bool(used) or self.written(
                    target) in self.written(one.value))
                if reads and changes and self.numbers_at_first(target):
                    self.reader.mistake(one, "a variable that a trace has read", self.written(one), self.written(target), of.name, doubted=True)

    def numbers_at_first(self, target):
        """Whether the first thing that is bound to a variable, an attribute or an item of a dictionary is a number of Python's."""
        if isinstance(target, ast.Subscript):
            made = [one.value for one in self.origins.statements_of(target.value) if isinstance(one, ast.Assign)]
            key = self.origins.key(target)
            return len(made) == 1 and isinstance(made[0], ast.Dict) and any(getattr(name, "value", None) == key and type(self.said(value)) in (
                int, float) for name, value in zip(made[0].keys, made[0].values))
        scope = self.origins.scope(target) if isinstance(target, ast.Name) else self.origins.owner(target)
        if isinstance(target, ast.Attribute) and scope is None:
            made = self.value_of(target.value)
            scope = next((of for of in self.origins.functions_of(made.func) if isinstance(of, ast.ClassDef)), None) if isinstance(
                made, ast.Call) else None
        name = getattr(target, "id", getattr(target, "attr", None))
        found = [value for key in ((id(scope) if scope is not None else 0, name), (0, name)) for _, value, _ in self.origins.bindings.get(key, ())]
        first = self.origins.of(found[0]) if found and isinstance(found[0], ast.expr) else found[:1]
        first = [self.origins.default(self.origins.function_of(one), one) if isinstance(one, ast.arg) else one for one in first]
        return bool(first) and all(isinstance(one, ast.expr) and type(self.said(one)) in (int, float, bool) for one in first)

    def is_same_variable(self, statement, name, of):
        """Whether a name that a statement binds is the one that a function reads from around it."""
        scope = self.origins.scope(statement)
        if isinstance(scope, ast.FunctionDef) and name in self.origins.shared(scope):
            scope = None
        outer = self.origins.scope(of)
        while outer is not None and (isinstance(outer, ast.ClassDef) or (id(outer), name) not in self.origins.bindings):
            outer = self.origins.scope(outer)
        return outer is scope

    def called_in(self, loop, deepest):
        """The functions of the file that a loop calls, and those that these call."""
        found, waiting = [], [(call, deepest) for call in calls_in(loop.body)]
        while waiting and len(found) < 30:
            call, depth = waiting.pop()
            traced = self.tracing.traced_of(call.func)
            for of in self.origins.functions_of(call.func) + ([traced.node] if traced is not None else []):
                if isinstance(of, ast.FunctionDef) and not any(of is one for one in found):
                    found.append(of)
                    waiting += [(inner, depth - 1) for inner in calls_in(of.body)] if depth > 0 else []
        return found

    def changed_by_callbacks(self, nodes):
        """self.model.beta = epoch / 10 in a callback, of which train_step() has traced the first value."""
        classes = [of for of in nodes if isinstance(of, ast.ClassDef)]
        models = [of for of in classes if any(re.search(r"keras\.(\w+\.)*Model$", self.full(base)) for base in of.bases)]
        reads = {one.attr: (of, method) for of in models for method in of.body if isinstance(method, ast.FunctionDef) and method.name in (
            "train_step", "call", "compute_loss") for one in ast.walk(method) if isinstance(one, ast.Attribute) and isinstance(
                one.ctx, ast.Load) and getattr(one.value, "id", "") == "self"}
        for of in classes if reads else ():
            if not any(re.search(r"keras\.(\w+\.)*\w*Callback$", self.full(base)) for base in of.bases):
                continue
            for one in ast.walk(of):
                target = one.target if isinstance(one, ast.AugAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
                if isinstance(target, ast.Attribute) and self.written(target.value) == "self.model" and target.attr in reads:
                    model, method = reads[target.attr]
                    first = [value for _, value, _ in self.origins.bindings.get((id(model), target.attr), ())]
                    given = first[0] if len(first) == 1 else None
                    number = type(self.said(given)) in (int, float) if isinstance(given, ast.AST) else False
                    if number and not self.says(r"make_train_function|\.compile\([^)]*\)[\s\S]*\.compile\("):
                        self.reader.mistake(one, "a variable that a trace has read", self.written(one), self.written(target), method.name, doubted=True)

    def optimizers_of_one_graph(self, graphs, calls):
        """train_step(model, Adam(rate), x) for several rates, of one tf.function: it makes variables in its first call alone."""
        if self.says(r"optimizer\w*\.build\(|opt\w*\.build\("):
            return
        for of in graphs:
            parameters = [one.arg for one in of.args.args]
            applied = {one.func.value.id for one in calls_in(of.body) if getattr(one.func, "attr", "") == "apply_gradients" and isinstance(
                one.func.value, ast.Name)} & set(parameters)
            sites = [call for call in calls if applied and any(to is of for to in self.origins.functions_of(call.func))]
            for name in applied:
                made = {}
                for call in sites:
                    given = self.given(call, parameters.index(name), name)
                    for one in self.origins.known(given) if given is not None else ():
                        if isinstance(one, ast.Call) and OPTIMIZERS_OF_KERAS.match(self.full(one.func)) and (
                                not self.full(one.func).endswith(".SGD") or self.word(one, "momentum") is not None):
                            made.setdefault(id(one), (one, call))
                each = [pair for pair in made.values() if any(self.makes_many(around, of, pair[1]) for around in self.origins.around(pair[0]))]
                if len(made) > 1 and len(sites) > 1 or each:
                    at = each[0] if each else sorted(made.values(), key=lambda pair: pair[1].lineno)[-1]
                    self.reader.mistake(at[1], "an optimizer for a function that has its variables", self.written(at[1]), of.name, other=at[0], doubted=True)

    @staticmethod
    def makes_many(around, of, call):
        """Whether a loop makes optimizers for one function that it calls, or a comprehension makes several."""
        inside = list(ast.walk(around)) if isinstance(around, (ast.For, ast.While)) else []
        return isinstance(around, (ast.DictComp, ast.ListComp)) or any(one is call for one in inside) and not any(one is of for one in inside)

    # ---- tf.data

    def begins_as_dataset(self, node, deepest=6):
        """Whether an expression is a dataset, by what it begins with."""
        parts, base = self.chain(node)
        if any(DATASETS.match(self.full(one.func)) for one in parts) or any(self.word(one, "num_parallel_calls") is not None for one in parts):
            return True
        return deepest > 0 and isinstance(base, (ast.Name, ast.Attribute)) and any(
            one is not base and not isinstance(one, (Part, ast.arg)) and self.begins_as_dataset(one, deepest - 1) for one in self.origins.of(base))

    def drawn_by_maps(self, calls):
        """ds.map(augment), where augment() asks Python's random: it is asked once, and all images get the same number."""
        for call in calls:
            if not self.method(call, "map", "flat_map", "interleave") or not call.args or not self.begins_as_dataset(call):
                continue
            for of in self.origins.functions_of(call.args[0]):
                for one in self.reached(of, 3, classes=False):
                    if DRAWS_OF_TRACES.match(self.full(one.func)):
                        self.reader.mistake(one, "what a traced function does once", self.written(one), "Dataset.%s()" % call.func.attr, doubted=True)

    def kept_draws(self, calls):
        """ds.map(augment).cache(), where augment() draws at random: each epoch gets what the first has drawn."""
        for call in calls:
            if self.method(call, "cache") and not self.full(call.func) and not self.in_branch(call) and self.says(r"\.fit\(|GradientTape"):
                draws = self.draws_before(call.func.value, 8)
                if draws is not None:
                    self.reader.mistake(call, "a cache of what is drawn at random", self.written(call.func), self.written(draws.func), other=draws, doubted=True)

    def draws_before(self, node, deepest):
        """The random operation of a map that a dataset has gone through."""
        for one in self.origins.of(node) if deepest > 0 else ():
            if not isinstance(one, ast.Call) or not isinstance(one.func, ast.Attribute) or self.full(one.func):
                continue
            if one.func.attr == "map" and one.args and (not self.in_branch(one) or self.is_asked_for(one)):
                for of in self.origins.functions_of(one.args[0]):
                    drawn = next((each for each in self.reached(of, 3, classes=False) if re.match(
                        r"tensorflow\.(image\.(stateless_)?random_|random\.(uniform|normal|truncated_normal)$)", self.full(each.func))), None)
                    layer = next((each for each in self.reached(of, 3, classes=False) if self.said(self.word(each, "training")) is True and self.is_random_layer(
                        each.func)), None)
                    if layer is not None:
                        return layer
                    if drawn is not None and "stateless" not in self.full(drawn.func) and not self.in_branch(drawn):
                        return drawn
            found = self.draws_before(one.func.value, deepest - 1) if one.func.attr in OF_DATASET else None
            if found is not None:
                return found
        return None

    def is_asked_for(self, node):
        """Whether a branch runs by a parameter that a call of the function gives True."""
        tests = [one.test for one in self.origins.around(node) if isinstance(one, (ast.If, ast.IfExp))]
        return len(tests) == 1 and isinstance(tests[0], ast.Name) and any(getattr(one, "value", None) is True for one in self.origins.known(tests[0]))

    def is_random_layer(self, func):
        """Whether it is a layer of Keras's that draws at random, or a list of layers with one."""
        made = self.value_of(func)
        layers = self.value_of(made.args[0]) if isinstance(made, ast.Call) and self.full(made.func).endswith("Sequential") and made.args else None
        return any(isinstance(one, ast.Call) and re.search(r"keras\.layers\.(\w+\.)*Random[A-Z]\w+$", self.full(one.func))
                   for one in [made] + getattr(layers, "elts", []))
