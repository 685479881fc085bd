"""Settings of TensorFlow's and steps of JAX's that exclude each other or come too late; for the reader of scripts."""

GRAPPLER = "tensorflow.config.optimizer.set_experimental_options"
# What TensorFlow 2.21 reads of them (eager/context.py).
OPTIONS_OF_GRAPPLER = ("auto_mixed_precision auto_mixed_precision_mkl auto_mixed_precision_onednn_bfloat16 layout_optimizer constant_folding "
                       "shape_optimization remapping arithmetic_optimization dependency_optimization loop_optimization function_optimization "
                       "debug_stripper disable_model_pruning scoped_allocator_optimization pin_to_host_optimization implementation_selector "
                       "use_plugin_optimizers disable_meta_optimizer min_graph_nodes auto_parallel").split()


class TensorFlowSteps(WholeFile):
    def limit_of_another_backend(self, nodes):
        """os.environ["KERAS_BACKEND"] = "jax"; set_logical_device_configuration(gpu, [LogicalDeviceConfiguration(memory_limit=8192)])"""
        if not self.says(r"KERAS_BACKEND['\"]\] *= *['\"]jax['\"]|KERAS_BACKEND['\"], *['\"]jax['\"]") or not self.says(
                r"\.fit\(|train_on_batch\(") or self.says(r"XLA_PYTHON_CLIENT|jax_platforms|JAX_PLATFORMS"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and re.match(r"tensorflow\.config\.(experimental\.)?(LogicalDevice|VirtualDevice)Configuration$",
                                                      self.full(one.func)):
                limit = self.given(one, 0, "memory_limit")
                size = self.said(limit)
                if limit is not None and (not isinstance(size, (int, float)) or size >= 2048):
                    self.mistake(one, "a limit of TensorFlow's where JAX computes", self.written(one))

    def growth_of_a_flag(self, nodes):
        """os.environ["TF_FORCE_GPU_ALLOW_GROWTH"] = str(flag): 'True' and 'False', which TensorFlow doesn't take."""
        for one in nodes:
            if isinstance(one, ast.Assign) and "TF_FORCE_GPU_ALLOW_GROWTH" in self.written(one.targets[0]) and isinstance(
                    one.value, ast.Call) and getattr(one.value.func, "id", "") == "str" and not re.search(
                        r"\b%s\s*(:\s*str\b|=\s*['\"])" % re.escape(self.written(one.value.args[0]).rsplit(".", 1)[-1]) if one.value.args else "$",
                        self.reader.text):
                self.mistake(one, "a flag that is written in capitals", self.written(one.value))

    def growth_of_one(self, nodes):
        """set_memory_growth(gpus[0], True) in a script that mirrors over several GPUs."""
        several = self.shows_several()
        if not several and not self.says(r"MirroredStrategy\((\)|.*len\()") or several is not True and self.says(
                r"set_visible_devices") or self.says(r"VISIBLE_DEVICES|ALLOW_GROWTH"):
            return
        calls = [one for one in nodes if isinstance(one, ast.Call) and self.full(one.func).endswith(".set_memory_growth") and one.args]
        if len(calls) == 1 and isinstance(calls[0].args[0], ast.Subscript) and getattr(calls[0].args[0].slice, "value", None) == 0:
            self.mistake(calls[0], "growth of memory in one of several GPUs")

    def shows_several(self):
        """Whether the file makes several GPUs visible, or mirrors over several that it names; None: not known."""
        known = None
        for call in self.tracing.index.calls:
            last = self.full(call.func).rsplit(".", 1)[-1]
            of = self.value_of(call.args[0]) if call.args and last in ("set_visible_devices", "MirroredStrategy") else None
            if isinstance(of, (ast.List, ast.Tuple)) and last == "MirroredStrategy":
                known = known is not False and (len(of.elts) > 1 or None)
            elif of is not None and last == "set_visible_devices" and self.said(self.given(call, 1, "device_type")) != "CPU":
                part = getattr(of.slice, "value", of.slice) if isinstance(of, ast.Subscript) and not isinstance(of.slice, ast.Slice) else \
                    getattr(of, "slice", None)
                count = len(of.elts) if isinstance(of, (ast.List, ast.Tuple)) else self.said(part.upper) if isinstance(
                    part, ast.Slice) and part.upper is not None and part.lower is None and part.step is None else None
                if type(count) is not int or count < 2:
                    return False
                known = True
        return known

    def second_of_one(self, nodes):
        """os.environ["CUDA_VISIBLE_DEVICES"] = "1", and an option whose default is "/GPU:1": the one that is left is 0."""
        shown = next((one for one in nodes if isinstance(one, ast.Assign) and self.written(one.targets[0]).replace('"', "'") ==
                      "os.environ['CUDA_VISIBLE_DEVICES']" and re.match(r"\d+$", str(getattr(one.value, "value", "")))), None)
        options = [one for one in nodes if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "add_argument"]
        for keyword in (k for one in options for k in one.keywords if shown is not None and k.arg == "default"):
            said = getattr(keyword.value, "value", None)
            if isinstance(said, str) and re.match(r"/?(device:)?gpu:[1-9]\d*$", said, re.I):
                self.mistake(keyword.value, "a second GPU where one is visible", self.written(shown.value), other=shown)
        late = any(e.get("name") == "a GPU that is numbered anew" for e in self.reader.events)
        shown = shown if shown is not None else self.one_of_the_gpus()
        for call in nodes if shown is not None and not late else ():
            if isinstance(call, ast.Call) and re.match(
                    r"(tensorflow|keras)\.device$|tensorflow\.config\.(experimental\.)?(get_memory_info|reset_memory_stats)$|"
                    r"tensorflow\.distribute\.(OneDevice|Mirrored)Strategy$", self.full(call.func)) and (call.args or call.keywords):
                where = self.value_of(self.given(call, 0, "devices", "device", "device_name"))
                for one in (inner for each in getattr(where, "elts", [where]) for inner in self.origins.of(each)):
                    said = one.value if isinstance(one, ast.Constant) else None
                    if isinstance(said, str) and re.match(r"/?(device:)?gpu:[1-9]\d*$", said, re.I) and not any(
                            e.get("name") == "a second GPU where one is visible" and e["line"] == one.lineno for e in self.reader.events):
                        if isinstance(shown, ast.Call):
                            self.mistake(call, "a GPU that is numbered anew", self.written(shown), str(line_of(shown)), other=shown)
                        else:
                            self.mistake(call, "a second GPU where one is visible", self.written(shown.value), other=shown)

    def one_of_the_gpus(self):
        """The call of set_visible_devices(gpus[1], "GPU"), the only one, in a file that cuts no GPU into parts."""
        calls = [one for one in self.tracing.index.calls if self.full(one.func).endswith("config.set_visible_devices") or self.full(
            one.func).endswith("experimental.set_visible_devices")]
        of = calls[0].args[0] if len(calls) == 1 and calls[0].args else None
        of = of.elts[0] if isinstance(of, (ast.List, ast.Tuple)) and len(of.elts) == 1 else of
        kind = self.said(self.given(calls[0], 1, "device_type")) if calls else None
        cut = self.says(r"set_(logical|virtual)_device_configuration")
        single = isinstance(of, ast.Subscript) and not isinstance(of.slice, ast.Slice) and kind != "CPU"
        return calls[0] if single and not cut and not self.in_branch(calls[0]) else None

    def halves_of_no_optimization(self, nodes):
        """converter.target_spec.supported_types = [tf.float16], of a converter that is told to optimize nothing."""
        if self.says(r"setattr\(|__dict__"):
            return
        told = {id(self.origins.scope(one)) for one in nodes if isinstance(one, ast.Attribute) and one.attr == "optimizations"}
        for one in nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            if not self.written(target if target is not None else one).endswith(".target_spec.supported_types") or target is None:
                continue
            of = target.value.value
            made = next((call for call in self.origins.of(of) if isinstance(call, ast.Call) and self.full(call.func).startswith(
                "tensorflow.lite.TFLiteConverter.")), None)
            kinds = [kind for value in self.origins.of(one.value) + [one.value] if isinstance(value, ast.AST) for kind in ast.walk(value)
                     if isinstance(kind, (ast.Name, ast.Attribute))]
            if made is not None and any(self.full(kind) == "tensorflow.float16" for kind in kinds) and not told:
                self.mistake(one, "a type for weights that nothing optimizes", self.written(of))

    def parts_without_limit(self, nodes):
        """set_logical_device_configuration(gpus[0], [LogicalDeviceConfiguration() for _ in range(2)])"""
        if self.says(r"(list_physical_devices|get_visible_devices)\(['\"]CPU") or not self.says(
                r"list_physical_devices\((device_type=)?['\"]GPU"):
            return
        for one in nodes:
            if isinstance(one, ast.Call) and not one.args and not one.keywords and self.full(one.func) in (
                    "tensorflow.config.LogicalDeviceConfiguration", "tensorflow.config.experimental.VirtualDeviceConfiguration"):
                self.mistake(one, "a part of a GPU without a limit")

    def parts_that_nothing_uses(self, nodes):
        """set_logical_device_configuration(gpus[0], [part, part]), and neither a strategy nor tf.device: all runs in the first part."""
        if not self.says(r"\.fit\(|\.train_on_batch\(|GradientTape\(") or self.says(
                r"[Ss]trategy|\bdevice\(|\b[GC]PU:|\.distribute\b|dtensor|DeviceMesh|multiprocess|Process\("):
            return
        for listed in self.tracing.index.calls:
            of = self.origins.parents.get(id(listed)) if self.full(listed.func).endswith("list_logical_devices") else None
            name = getattr(of.targets[0], "id", "") if isinstance(of, ast.Assign) else ""
            if of is not None and not (isinstance(of, ast.Assign) and all(getattr(getattr(self.origins.parents.get(id(one)), "func", None), "id", "") in (
                    "len", "print") for one in nodes if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load))):
                return
        for call in self.tracing.index.calls:
            if re.search(r"config\.(experimental\.)?set_(logical|virtual)_device_configuration$", self.full(call.func)):
                parts = self.value_of(self.given(call, 1, "logical_devices", "virtual_devices"))
                if isinstance(parts, (ast.List, ast.Tuple)) and len(parts.elts) > 1 and all(isinstance(one, ast.Call) for one in parts.elts):
                    self.reader.mistake(call, "parts of a GPU that nothing uses", self.written(call.args[0]), str(len(parts.elts)), doubted=True)

    def first_before_the_question(self, nodes):
        """gpus = tf.config.list_physical_devices("GPU"), set_memory_growth(gpus[0], True), and below them if gpus:."""
        for block in (block for one in nodes for block in (getattr(one, field, None) for field in ("body", "orelse")) if isinstance(block, list)):
            for at, made in enumerate(block):
                name = made.targets[0].id if isinstance(made, ast.Assign) and len(made.targets) == 1 and isinstance(
                    made.targets[0], ast.Name) and isinstance(made.value, ast.Call) and re.search(
                        r"config\.(experimental\.)?list_(physical|logical)_devices$", self.full(made.value.func)) and self.said(
                            self.given(made.value, 0, "device_type")) == "GPU" else None
                first = None
                for rest in block[at + 1:] if name else ():
                    if isinstance(rest, ast.If) and first is not None and re.match(
                            r"(not )?%s$|(not )?len\(%s\)( (>|!=|==) 0| >= 1| < 1)?$" % (name, name), self.written(rest.test)):
                        self.mistake(first, "the first GPU before it is asked for", self.written(rest.test), other=rest.test)
                        break
                    if not isinstance(rest, (ast.Expr, ast.Assign)) or any(isinstance(one, ast.Name) and one.id == name and not isinstance(
                            one.ctx, ast.Load) for one in ast.walk(rest)):
                        if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(rest)):
                            break
                        continue
                    if not any(isinstance(one, (ast.IfExp, ast.BoolOp, ast.Lambda, ast.comprehension)) for one in ast.walk(rest)):
                        first = first or next((one for one in ast.walk(rest) if isinstance(one, ast.Subscript) and getattr(
                            one.value, "id", "") == name and type(self.said(one.slice)) is int), None)

    def growth_and_parts(self, nodes):
        """set_memory_growth(gpus[0], True) of a GPU that set_logical_device_configuration has cut into parts."""
        found = {}
        for one in nodes:
            last = self.full(one.func).rsplit(".", 1)[-1] if isinstance(one, ast.Call) else ""
            kind = "growth" if last == "set_memory_growth" and len(one.args) > 1 and getattr(
                one.args[1], "value", None) is True else "parts" if last in (
                    "set_logical_device_configuration", "set_virtual_device_configuration") else None
            if kind and one.args:
                found.setdefault(self.written(one.args[0]), {}).setdefault(kind, one)
        # Parts of one GPU are enough for TensorFlow to ask for no growth of any.
        grows, cut = ([both[kind] for both in found.values() if kind in both] for kind in ("growth", "parts"))
        for growth, parts in ((growth, parts) for growth in grows for parts in cut):
            if self.function_of(nodes, growth) is self.function_of(nodes, parts) and growth.lineno < parts.lineno and re.search(
                    r"memory_limit *=", self.reader.written_whole(parts)) and not self.apart(nodes, growth, parts) and not any(
                        isinstance(up, (ast.If, ast.IfExp, ast.ExceptHandler)) and not any(inner is growth for inner in ast.walk(up))
                        for up in self.origins.around(parts)):
                self.mistake(growth, "growth of memory in a GPU that gets parts", other=parts)
        for receiver, both in found.items():
            growth, parts = both.get("growth"), both.get("parts")
            if growth is None or parts is None:
                continue
            in_methods = receiver.startswith("self.") and self.called_later(nodes, growth, parts)
            if in_methods or self.function_of(nodes, growth) is self.function_of(nodes, parts) and \
                    growth.lineno > parts.lineno and not self.apart(nodes, growth, parts):
                self.mistake(growth, "growth of memory in a GPU of parts", other=parts)

    def options_of_grappler(self, nodes):
        """tf.config.optimizer.set_experimental_options({"mixed_precision": True}): a name that nothing reads is no error."""
        for one in nodes:
            given = one.args[0] if isinstance(one, ast.Call) and self.full(one.func) == GRAPPLER and one.args else None
            for key in given.keys if isinstance(given, ast.Dict) else ():
                name = getattr(key, "value", None)
                if isinstance(name, str) and name not in OPTIONS_OF_GRAPPLER:
                    near = next((known for known in OPTIONS_OF_GRAPPLER if name in known), None) or next(
                        iter(difflib.get_close_matches(name, OPTIONS_OF_GRAPPLER, 1, 0.5)), "one that it knows")
                    self.mistake(one, "an option that grappler lacks", name, near)

    def called_later(self, nodes, one, other):
        """Whether two methods of one class hold these, and the first is called behind the second, each in one place."""
        methods = [self.function_of(nodes, each) for each in (one, other)]
        if methods[0] is methods[1] or None in methods or not any(isinstance(of, ast.ClassDef) and all(
                method in of.body for method in methods) for of in nodes):
            return False
        calls = [[call for call in nodes if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == method.name] for method in methods]
        return len(calls[0]) == len(calls[1]) == 1 and calls[0][0].lineno > calls[1][0].lineno and not self.apart(
            nodes, calls[0][0], calls[1][0])

    @staticmethod
    def function_of(nodes, one):
        return next((of for of in nodes if isinstance(of, ast.FunctionDef) and any(inner is one for inner in ast.walk(of))), None)

    def apart(self, nodes, one, other):
        """Whether only one of the two runs: in two branches, or the second where the first failed."""
        def holds(body, node):
            return any(inner is node for part in body for inner in ast.walk(part))
        for node in nodes:
            if isinstance(node, ast.If) and (holds(node.body, one) and holds(node.orelse, other) or
                                             holds(node.body, other) and holds(node.orelse, one)):
                return True
            if isinstance(node, ast.If) and any(isinstance(last, (ast.Return, ast.Raise)) for last in node.body[-1:]) and \
                    holds(node.body, one) != holds(node.body, other):
                return True
            if isinstance(node, ast.ExceptHandler) and holds(node.body, one) != holds(node.body, other):
                return True
        return False

    # ---- JAX and Numba

    def waited_for_late(self, functions):
        """for …: out = fn(x); times.append(clock() - begin), and out.block_until_ready() behind the loop."""
        clock = r"(time\.)?(perf_counter|monotonic|time)\(\) - "
        for of in functions:
            for loop in (one for one in of.body if isinstance(one, (ast.For, ast.While))):
                results = {statement.targets[0].id: number for number, statement in enumerate(loop.body) if isinstance(
                    statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and isinstance(statement.value, ast.Call)}
                waits = {name for rest in of.body[of.body.index(loop) + 1:] for name in results if re.search(
                    r"\b%s\.block_until_ready\(|block_until_ready\(%s\b" % (name, name), self.written(rest))}
                for number, statement in enumerate(loop.body):
                    said = self.written(statement)
                    if re.search(clock, said) and not any("block_until_ready" in self.written(one) for one in loop.body):
                        for name in waits:
                            if results[name] == number - 1:
                                self.mistake(statement, "a clock that stops before the wait", name, other=loop.body[number - 1])

    def compiled_at_each_call(self, nodes, functions):
        """def update(self): step = jax.jit(jax.grad(loss)), where loss is a function of update's own."""
        called = {getattr(call.func, "attr", getattr(call.func, "id", "")) for loop in nodes if isinstance(loop, (ast.For, ast.While))
                  for part in loop.body for call in ast.walk(part) if isinstance(call, ast.Call)}
        for of in functions:
            own = {one.name for one in of.body if isinstance(one, ast.FunctionDef)}
            if of.name not in called or of.decorator_list or any(isinstance(one, (ast.For, ast.While)) for one in of.body):
                continue
            for one in (one for one in of.body if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)):
                jitted = one.value
                if not isinstance(jitted, ast.Call) or self.full(jitted.func) != "jax.jit" or not jitted.args:
                    continue
                inner = jitted.args[0].args[0] if isinstance(jitted.args[0], ast.Call) and self.full(jitted.args[0].func) in (
                    "jax.grad", "jax.value_and_grad", "jax.vmap") and jitted.args[0].args else jitted.args[0]
                name, text = one.targets[0].id, self.reader.written_whole(of)
                kept = re.search(r"return %s\b(?!\()|= %s$" % (name, name), text, re.M)
                if (isinstance(inner, ast.Lambda) or getattr(inner, "id", "") in own) and re.search(
                        r"\b%s\(" % name, text) and not kept:
                    self.mistake(jitted, "a function that each call compiles anew", of.name)

    def traced_each_time(self, nodes):
        """step = jax.jit(lambda p, x: …) in a loop: each round traces and compiles a new function.

        jax.jit of the same function finds what it has compiled, and tf.function doesn't.
        """
        for loop in (one for one in nodes if isinstance(one, (ast.For, ast.While))):
            inner, repeats = within_others(loop), self.tracing.repeats(loop)
            bound = {name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)} if isinstance(loop, ast.For) else set()
            for one in (one for part in loop.body for one in ast.walk(part)):
                graph = isinstance(one, ast.Call) and self.full(one.func) in GRAPHS and not self.says(r"perf_counter|time\.time|timeit")
                if id(one) in inner or not isinstance(one, ast.Call) or self.full(one.func) not in ("jax.jit", "jax.pmap") and not graph:
                    continue
                of = one.args[0] if one.args else None
                while isinstance(of, ast.Call) and self.full(of.func) in WRAPPERS and of.args:
                    of = of.args[0]
                fresh = isinstance(of, ast.Lambda) or isinstance(of, ast.Call) and self.full(
                    of.func) == "functools.partial" or graph and isinstance(of, (ast.Name, ast.Attribute)) and self.kept_by_name(loop, one)
                free = {name.id for name in ast.walk(of) if isinstance(name, ast.Name)} if fresh else set()
                if fresh and (repeats and not free & bound or self.goes_on(loop, one)):
                    self.mistake(one, "a function that each round compiles anew", other=of)

    def goes_on(self, loop, call):
        """Whether each round of a loop calls what it has just compiled once, and goes on with what that gives: a step of training."""
        name = next((self.written(one.targets[0]) for one in loop.body if isinstance(one, ast.Assign) and one.value is call), None)
        for one in loop.body if name else ():
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and self.written(one.value.func) == name:
                stored = {self.written(target) for target in ast.walk(one.targets[0]) if isinstance(target, (ast.Name, ast.Attribute))}
                return bool(stored & {self.written(given) for given in one.value.args})
        return False

    def kept_by_name(self, loop, call):
        """fast = tf.function(step), or tf.function(step)(x): a statement of the loop itself, in no branch of it."""
        return any(isinstance(one, ast.Assign) and one.value is call and isinstance(one.targets[0], ast.Name) or isinstance(
            one, (ast.Assign, ast.Expr, ast.AugAssign)) and any(isinstance(inner, ast.Call) and inner.func is call for inner in ast.walk(one))
                   for one in loop.body)

    def clock_of_launches(self, nodes):
        """The clock around a kernel's launch, which gives back before the kernel ran."""
        launches = [one for one in nodes if isinstance(one, ast.Call) and isinstance(one.func, ast.Subscript)]
        waits = [one for one in launches if any(map(self.is_of_the_host, one.args))]
        clock = ("time.perf_counter", "time.time", "time.monotonic", "timeit.default_timer")
        ends = [one for one in nodes if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub) and any(
            isinstance(end, ast.Call) and self.full(end.func) in clock for end in [one.left] + self.origins.of(one.left))]
        self.compiled_under_a_clock(launches, ends)
        if len(waits) == len(launches) or self.says(r"synchronize|copy_to_host|cuda\.event|elapsed_time|\.wait\(|cuda\.profil"):
            return
        for one in ends:
            if isinstance(one.left, ast.Call) and not any(self.origins.scope(call) is self.origins.scope(one) for call in waits):
                return self.mistake(one, "a clock of kernels that nobody waits for")
        return None

    def is_of_the_host(self, node):
        """Whether an expression is an array of NumPy's: a launch that is given one copies it there and back, and so waits for its kernel."""
        values = self.origins.of(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) else []
        return bool(values) and all(isinstance(one, ast.Call) and (
            re.match(r"numpy\.(random\.)?[a-z]\w+$", self.full(one.func)) is not None or not self.full(one.func) and getattr(
                one.func, "attr", "") in ("astype", "copy", "reshape", "ravel", "flatten") and self.is_of_the_host(one.func.value)) for one in values)

    def compiled_under_a_clock(self, launches, ends):
        """begun = clock(); kernel[blocks, threads](a, b); print(clock() - begun), where nothing launched the kernel before."""
        if self.says(r"(?i)compil|first|warm|cold|incl|total|whole|jit time"):
            return
        for call in launches:
            kernels = [of for of in self.origins.functions_of(call.func.value) if isinstance(of, ast.FunctionDef)]
            marks = kernels[0].decorator_list if len(kernels) == 1 else []
            plain = len(marks) == 1 and (self.full(marks[0]) == "numba.cuda.jit" or isinstance(marks[0], ast.Call) and self.full(
                marks[0].func) == "numba.cuda.jit" and not marks[0].args and not marks[0].keywords)
            scope, statement = self.origins.scope(call), self.origins.parents.get(id(call))
            if not plain or scope is not None or any(isinstance(one, (ast.For, ast.While, ast.If)) for one in self.origins.around(call)) or sum(
                    getattr(one, "id", "") == kernels[0].name for one in self.origins.nodes) != 1 or not isinstance(statement, ast.Expr):
                continue
            around = self.origins.parents.get(id(statement))
            body = getattr(around, "body", [])
            at = body.index(statement) if statement in body else 0
            start = body[at - 1] if at else None
            started = self.written(start.targets[0]) if isinstance(start, ast.Assign) and isinstance(start.value, ast.Call) else None
            end = next((one for one in ends if started is not None and self.written(one.right) == started), None)
            if end is not None and self.full(start.value.func) in CLOCKS_OF_HOST:
                self.mistake(call, "a time that holds the compilation of a kernel", self.written(call), other=end)
