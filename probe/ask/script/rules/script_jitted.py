"""JAX's traced functions, meshes and processes, and what Flax, Equinox and Orbax make of them, read from the statements of a
file as they stand; for the reader of scripts."""
import builtins

COMPUTES_JAX = re.compile(r"jax\.(numpy\.\w+|random\.\w+|device_put|devices|local_devices|device_count|nn\.\w+|lax\.\w+)$")
MAPPED = r"\b(pmap|vmap|shard_map|xmap|smap|shmap)\b"
REDUCING = r"\b(psum|pmean|pmax|pmin|all_gather|psum_scatter|all_to_all)\b"
GRADIENTS = ("jax.grad", "jax.value_and_grad")
COUNT_WHEN_TRACED = ("jax.default_matmul_precision", "jax.numpy_dtype_promotion", "jax.enable_x64", "jax.experimental.enable_x64",
                     "jax.default_device")
COUNTS_DEVICES = ("jax.device_count", "jax.local_device_count")
# What a script says of itself whose layers are to compute in 16 bits.
ASKS_FOR_SPEED = re.compile(r"(?i)mixed.?precision|tensor.?core|\b(comput\w+|matmuls?|products?|arithmetic|activations|forward|train\w*)\b.*\b(bf16|bfloat16|fp16|"
                            r"float16|half)\b|\b(bf16|bfloat16|fp16|float16|half)\b.*\b(comput\w+|matmuls?|products?|arithmetic|activations|speed|faster)\b|"
                            r"^--(fast|amp|mixed\w*)$")
# Names of shardings that are meant to divide what they place.
SHARDINGS_OF_DATA = re.compile(r"(?i)(^|[._'\"])(batch(es)?|data|examples?|inputs?|samples?|images|tokens)(_?(sharding|spec|placement|layout|shards?))?"
                               r"(['\"]\])?$|^(shard(ed|s)?|split|divided)(_\w*)?$|\.(sharded|split|divided)$")


# Modules of JAX 0.10 that `import jax` doesn't import, though they are there; and imports that don't import them either.
MODULES_TO_IMPORT = frozenset("jax." + one for one in (
    "extend tools experimental.pjit experimental.mesh_utils experimental.multihost_utils experimental.pallas experimental.sparse "
    "experimental.checkify experimental.jax2tf experimental.ode experimental.array_serialization experimental.custom_partitioning "
    "experimental.layout experimental.topologies experimental.serialize_executable experimental.rnn scipy.optimize scipy.spatial "
    "ad_checkpoint test_util").split())
OF_JAX_ITSELF = re.compile(r"jax$|jax\.(numpy|random|lax|nn|tree|tree_util|sharding|debug|profiler|config|lib|experimental\.maps|Array|jit|grad|vmap|pmap|"
                           r"value_and_grad|device_put|devices|local_devices|jacfwd|jacrev|hessian)\b")
WITHOUT_JAX = frozenset("numpy scipy matplotlib pandas PIL cv2 tqdm seaborn sklearn".split())


class Jitted(OfValues):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if "jax" not in roots:
            return
        self.know(nodes)
        calls = self.tracing.index.calls
        functions = [one for one in nodes if isinstance(one, ast.FunctionDef)]
        self.share_without_an_allocator(nodes)
        self.left_without_jit(calls)
        self.unruled_partitions(calls)
        self.forked_late(nodes, COMPUTES_JAX)
        self.counted_for_gpus(nodes)
        self.differentiated_by_nothing(calls)
        self.kept_of_traces(functions)
        self.bound_behind_traces(nodes)
        self.names_of_inner_functions(nodes)
        self.modules_without_import(nodes)
        self.unused_device(nodes)
        self.changed_behind_traces(nodes)
        self.changed_behind_a_call(nodes)
        self.changed_in_its_object(nodes)
        self.wrong_gradients(calls)
        self.branches_of_vmap(calls)
        self.texts_for_jit(calls)
        self.items_of_arrays(nodes)
        self.devices_asked_for(calls)
        self.unbound_collectives()
        self.scale_that_stays(nodes)
        self.flat_for_pmap(calls)
        self.shared_by_nobody(calls)
        self.of_all_processes(nodes, calls)
        self.unused_mesh(nodes)
        self.whole_on_each(calls)
        self.uneven_shards(calls)
        self.unreduced_output(calls)
        self.strict_products(calls)
        self.weights_of_the_host(nodes)
        self.key_left_behind(functions)
        self.compiled_in_a_context(nodes)
        if "optax" in roots:
            self.narrow_trees(calls)
        self.waits_for_what_was_given(nodes)
        if "flax" in roots:
            self.replicas_saved(nodes, calls)
            self.modules_of_nnx(functions)
            self.counters_of_nnx(nodes)
            self.applied_in_training(nodes, calls)
            self.narrow_weights(calls)
            self.wide_products(nodes)
            self.small_eps_of_optax(calls)
        if "equinox" in roots:
            self.functions_as_leaves(nodes, calls)
        if "orbax" in roots:
            self.checkpoints(nodes, calls)

    def share_without_an_allocator(self, nodes):
        """XLA_PYTHON_CLIENT_MEM_FRACTION beside XLA_PYTHON_CLIENT_ALLOCATOR=platform, which takes each piece from CUDA and reads no share."""
        said = {}
        for one in nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) else None
            if isinstance(target, ast.Subscript) and self.full(target.value) == "os.environ":
                name = self.said(target.slice.value if type(target.slice).__name__ == "Index" else target.slice)
                said.setdefault(name, []).append(one)
        allocator = said.get("XLA_PYTHON_CLIENT_ALLOCATOR", [])
        if len(allocator) != 1 or self.said(allocator[0].value) != "platform" or self.in_branch(allocator[0]):
            return
        if self.says(r"environ\.(pop|clear)|del os\.environ|environ\.update"):
            return
        for name in ("XLA_PYTHON_CLIENT_MEM_FRACTION", "XLA_CLIENT_MEM_FRACTION"):
            for one in said.get(name, ()):
                if not self.in_branch(one) and self.origins.scope(one) is self.origins.scope(allocator[0]):
                    self.mistake(one, "a share of memory that no allocator reads", name, other=allocator[0], doubted=False)

    def left_without_jit(self, calls):
        """jax.config.update("jax_disable_jit", True), in a program that trains with functions of jax.jit."""
        switches = [one for one in calls if self.full(one.func) == "jax.config.update" and self.said(self.given(one, 0, "name")) == "jax_disable_jit"]
        if len(switches) != 1 or self.said(self.given(switches[0], 1, "val")) is not True or self.in_branch(switches[0]):
            return
        if self.origins.scope(switches[0]) is not None or self.says(
                r"breakpoint|pdb|(?i:debug(?!_nans))|set_trace|perf_counter|timeit|time\.time|pytest|unittest|assert\b|checkify"):
            return
        trains = any(isinstance(loop, ast.For) and (self.number(loop.iter.args[-1]) or 1000) >= 50 if isinstance(loop, ast.For) and isinstance(
            loop.iter, ast.Call) and getattr(loop.iter.func, "id", "") == "range" and loop.iter.args else False for loop in self.tracing.index.loops)
        if trains and self.says(r"optax|apply_gradients|jax\.(value_and_)?grad\b") and any(one for one in self.tracing.traced.values()):
            self.mistake(switches[0], "functions of jax.jit that run step by step", self.written(switches[0]))

    def unruled_partitions(self, calls):
        """f.def_partition(partition=…, infer_sharding_from_operands=…), which Shardy takes with a sharding rule alone."""
        if self.says(r"jax_use_shardy_partitioner|JAX_USE_SHARDY_PARTITIONER"):
            return
        for call in calls:
            if not self.method(call, "def_partition") or len(call.args) > 4 or any(k.arg in (None, "sharding_rule") for k in call.keywords) or any(
                    isinstance(one, ast.Starred) for one in call.args):
                continue
            of = call.func.value
            marks = [mark for one in self.origins.functions_of(of) for mark in getattr(one, "decorator_list", ())] if isinstance(of, ast.Name) else []
            made = [one.func for one in (self.origins.of(of) if isinstance(of, (ast.Name, ast.Attribute)) else [of]) if isinstance(one, ast.Call)]
            if any(self.full(one.func if isinstance(one, ast.Call) else one) == "jax.experimental.custom_partitioning.custom_partitioning" or self.written(
                    one).startswith("partial(custom_partitioning") for one in marks + made):
                self.mistake(call, "a partition without a sharding rule", self.written(call.func))

    def key_left_behind(self, functions):
        """key, drop = jax.random.split(state.key), of which key is used nowhere: the next step splits the same one."""
        if self.says(r"replace\([^)]*(key|rng)\w*=|apply_gradients\([^)]*(key|rng)\w*="):
            return
        for of in functions:
            states = {one.arg for one in of.args.args}
            loads = {one.id for one in ast.walk(of) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
            for one in (one for one in of.body if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Tuple)):
                of_state = one.value.args[0] if isinstance(one.value, ast.Call) and self.full(
                    one.value.func) == "jax.random.split" and len(one.value.args) == 1 else None
                left = [name.id for name in one.targets[0].elts if isinstance(name, ast.Name) and name.id not in loads]
                if isinstance(of_state, ast.Attribute) and self.written(of_state.value) in states & loads and len(left) == 1 and any(
                        isinstance(part, ast.Return) and self.written(of_state.value) in self.written(part) for part in ast.walk(of)):
                    self.mistake(one, "a key that the state doesn't take on", left[0], self.written(of_state))

    def compiled_in_a_context(self, nodes):
        """with jax.default_matmul_precision("highest"): step = jax.jit(f), and step is called when the block is left."""
        for block in (one for one in nodes if isinstance(one, ast.With)):
            item = next((one.context_expr for one in block.items if isinstance(one.context_expr, ast.Call) and self.full(
                one.context_expr.func) in COUNT_WHEN_TRACED), None)
            makes = [one.value for one in block.body if isinstance(one, (ast.Assign, ast.Return)) and isinstance(
                one.value, ast.Call) and self.full(one.value.func) in ("jax.jit", "jax.pmap")]
            functions = [one for one in block.body if isinstance(one, ast.FunctionDef) and any(
                self.full(part) in ("jax.jit", "jax.pmap") for d in one.decorator_list for part in [d] + (
                    [d.func] + d.args if isinstance(d, ast.Call) else []))]
            if item is not None and len(makes) + len(functions) == len(block.body):
                self.mistake(item, "a context that only a call would see", self.written(makes[0] if makes else functions[0]),
                             other=makes[0] if makes else functions[0])

    def jitted(self):
        """The functions that jax.jit traces: (name, function)."""
        return [(name, traced.node) for name, traced in self.tracing.traced.items() if traced and traced.by == "jax.jit" and
                isinstance(traced.node, ast.FunctionDef)]

    @staticmethod
    def locals_of(of):
        """The names that a function binds."""
        shared = {name for one in ast.walk(of) if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}
        return ({one.id for one in ast.walk(of) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)} |
                {one.arg for one in ast.walk(of) if isinstance(one, ast.arg)}) - shared

    # ---- traced functions

    def counted_for_gpus(self, nodes):
        """if jax.device_count() == 0: there is always one device, the CPU."""
        for one in nodes:
            if not isinstance(one, ast.Compare) or len(one.ops) != 1:
                continue
            sides = [one.left, one.comparators[0]]
            limit = next((side.value for side in sides if isinstance(side, ast.Constant)), None)
            of = next((side for side in sides if isinstance(side, ast.Call)), None)
            if of is None or not (limit == 0 or limit == 1 and isinstance(one.ops[0], (ast.Lt, ast.GtE))):
                continue
            inner = of.args[0] if getattr(of.func, "id", "") == "len" and of.args else of
            if isinstance(inner, ast.Call) and self.full(inner.func) in COUNTS_DEVICES + ("jax.devices", "jax.local_devices") and not (
                    inner.args or inner.keywords):
                self.mistake(one, "a count that includes the CPU", self.written(inner), doubted=False)

    def differentiated_by_nothing(self, calls):
        """jax.grad(loss), where loss() never uses its first argument."""
        for call in calls:
            of = self.function(call.args[0]) if self.full(call.func) in GRADIENTS and len(call.args) == 1 and self.word(
                call, "argnums") is None else None
            if not isinstance(of, ast.FunctionDef) or not of.args.args or of.args.args[0].arg in ("self", "cls", "_"):
                continue
            name = of.args.args[0].arg
            if any(isinstance(one, ast.Name) and one.id == name for one in ast.walk(of)) or "locals()" in self.reader.written_whole(of):
                continue
            bound = self.locals_of(of)
            model = next((one for one in calls_in(of.body) if isinstance(one.func, ast.Name) and one.func.id in self.single and
                          one.func.id not in bound), None)
            self.mistake(model or of, "a gradient by what is not used", of.name, name, other=call, doubted=False)

    def kept_of_traces(self, functions):
        """@jax.jit def forward(w, x): model.hidden = x @ w, which is read after the trace."""
        for _, of in self.jitted():
            bound, values = self.locals_of(of), {one.arg for one in of.args.args}
            shared = {name for one in ast.walk(of) if isinstance(one, ast.Global) for name in one.names}
            for one in of.body:
                target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
                if target is None or not self.tracing.is_value(one.value, values):
                    continue
                values |= {name.id for name in ast.walk(target) if isinstance(name, ast.Name)}
                base = target.value if isinstance(target, ast.Attribute) else None
                kept = isinstance(base, ast.Name) and base.id not in bound and base.id in self.single or isinstance(
                    target, ast.Name) and target.id in shared
                text = self.written(target)
                if kept and len(re.findall(r"\b%s\b(?!\s*=[^=])" % re.escape(text), self.reader.text)) > len(
                        re.findall(r"\b%s\b(?!\s*=[^=])" % re.escape(text), self.reader.written_whole(of))):
                    self.mistake(one, "a traced value that is kept", text, of.name)

    def bound_behind_traces(self, nodes):
        """def step(p, x): print(loss_now) …, traced by a call before loss_now is bound: tracing raises NameError."""
        if self.reader.other_form or self.says(r"NameError|UnboundLocalError|\bexec\(|disable_jit"):
            return
        cells = sum(isinstance(one, ast.Module) for one in nodes)  # of a notebook, whose cells share their names
        for of, own in self.scopes(nodes):
            if isinstance(of, ast.Module) and cells > 1:
                continue
            inside = [one for one in of.body if isinstance(one, ast.FunctionDef)]
            given = {one.arg for one in ast.walk(of.args) if isinstance(one, ast.arg)} if isinstance(of, ast.FunctionDef) else set()
            for name, traced in self.tracing.traced.items() if inside else ():
                if not traced or traced.by not in JITS or not any(one is traced.node for one in inside):
                    continue
                calls = [one for one in own if isinstance(one, ast.Call) and self.written(one.func) == name]
                first = min(calls, key=lambda one: one.lineno, default=None)
                local = self.locals_of(traced.node) | given
                for read in self.read_each_time(traced.node) if first is not None else ():
                    bound = self.bindings_of(own, read.id)
                    if read.id not in local and bound and all(one.lineno > (getattr(first, "end_lineno", None) or first.lineno) for one in bound):
                        self.mistake(read, "a name that is bound behind the trace", self.written(first), other=bound[0], doubted=False)
                        break

    @staticmethod
    def read_each_time(of):
        """The names that a function reads in each call, in no branch and in no function of its own."""
        waiting, found = list(reversed(of.body)), []
        while waiting:
            one = waiting.pop()
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                found.append(one)
            if not isinstance(one, (ast.If, ast.IfExp, ast.BoolOp, ast.Try, ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.ClassDef)):
                waiting.extend(reversed(list(ast.iter_child_nodes(one))))
        return found

    @staticmethod
    def bindings_of(own, name):
        """What binds a name, among the nodes of one scope: assignments, loops, imports, functions, exceptions."""
        return [one for one in own if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load) or isinstance(
            one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)) and one.name == name or isinstance(
                one, (ast.Import, ast.ImportFrom)) and any((alias.asname or alias.name.split(".")[0]) in (name, "*") for alias in one.names)]

    def names_of_inner_functions(self, nodes):
        """def train(): def step(): grads = …, and train() itself reads grads, which it doesn't have."""
        if self.reader.other_form or self.says(r"NameError|\b(exec|eval|globals|locals)\(|import \*|\b(global|nonlocal) "):
            return
        everywhere = {one.id for one in nodes if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load) and self.origins.scope(one) is None}
        for of, own in self.scopes(nodes):
            inside = [one for one in of.body if isinstance(one, ast.FunctionDef)] if isinstance(of, ast.FunctionDef) else []
            around = [one for one in self.origins.around(of) if isinstance(one, (ast.FunctionDef, ast.ClassDef, ast.Lambda))]
            # What lambdas and comprehensions bind is theirs; a class gives its names to its body alone.
            if not inside or any(one is not of for one in around):
                continue
            here = [one for one in own if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and self.origins.scope(one) is of]
            for read in sorted(here, key=lambda one: (one.lineno, one.col_offset)):
                has = next((one for one in inside if any(isinstance(part, ast.Name) and part.id == read.id and isinstance(
                    part.ctx, ast.Store) and self.origins.scope(part) is one for part in ast.walk(one))), None)
                bound = self.bindings_of(own, read.id) if has is not None else ()
                # What a plain statement reads before the function's first binding of it isn't there either.
                plain = bound and any(isinstance(one, (ast.Assign, ast.Expr)) and any(part is read for part in ast.walk(one)) and all(
                    each.lineno > (getattr(one, "end_lineno", None) or one.lineno) or any(each is part for target in getattr(
                        one, "targets", ()) for part in ast.walk(target)) for each in bound) for one in of.body)
                if has is not None and read.id not in everywhere and read.id not in {
                        one.arg for one in ast.walk(of.args) if isinstance(one, ast.arg)} and (plain or not bound) and not self.bindings_of(
                            [part for whole in nodes if isinstance(whole, ast.Module) for part in ast.walk(whole) if self.origins.scope(
                                part) is None], read.id) and not hasattr(builtins, read.id):
                    self.mistake(read, "a name of an inner function", has.name, other=has, doubted=False)
                    break

    def modules_without_import(self, nodes):
        """jax.extend.backend.get_backend(), of a file that imports jax alone."""
        names = set(self.tracing.names.values())
        imported = {alias.name if isinstance(one, ast.Import) else "%s.%s" % (one.module, alias.name) for one in nodes if isinstance(
            one, (ast.Import, ast.ImportFrom)) for alias in one.names}
        if self.says(r"hasattr\(jax|getattr\(jax|import_module") or any(isinstance(one, ast.ImportFrom) and one.level for one in nodes) or not all(
                one.split(".")[0] in WITHOUT_JAX | set(getattr(sys, "stdlib_module_names", ())) or OF_JAX_ITSELF.match(one) for one in imported | names):
            return
        reported = set()
        for one in nodes:
            full = self.full(one) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load) else ""
            if full in MODULES_TO_IMPORT and full not in reported and not any(name == full or name.startswith(full + ".") for name in imported):
                reported.add(full)
                tried = [each for each in self.origins.around(one) if isinstance(each, ast.Try)]
                if not any(not isinstance(part, ast.Expr) for each in tried for handler in each.handlers for part in handler.body):
                    self.mistake(one, "a module that import jax leaves out", full, doubted=False)

    def unused_device(self, nodes):
        """cpu = jax.devices("cpu")[0], which nothing reads, and product_cpu = jax.jit(product): it runs where JAX puts it."""
        if re.search(r"default_device|platform(_name|s)?\b|JAX_PLATFORM|device_put|device *=|backend *=", re.sub(r"#[^\n]*", "", self.reader.text)):
            return
        for one in nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
            made = self.value_of(one.value) if isinstance(target, ast.Name) else None
            of = made.value if isinstance(made, ast.Subscript) else made
            if not isinstance(of, ast.Call) or self.full(of.func) not in ("jax.devices", "jax.local_devices") or self.said(
                    self.given(of, 0, "backend")) != "cpu" or self.written(target) in {
                        name.id for name in nodes if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)}:
                continue
            meant = next((each for each in nodes if isinstance(each, ast.Assign) and each is not one and isinstance(
                each.targets[0], ast.Name) and re.search(r"(^|_)cpu(_|$)", each.targets[0].id) and isinstance(each.value, ast.Call) and self.full(
                    each.value.func) in ("jax.jit", "jax.numpy.ones", "jax.numpy.zeros", "jax.numpy.array", "jax.numpy.asarray", "jax.numpy.arange")), None)
            if meant is not None:
                self.mistake(meant.value, "a device that is asked for and not used", self.written(meant.targets[0]), self.written(target), other=one)

    def changed_behind_traces(self, nodes):
        """scale = 0.5 ** epoch in a loop that calls step(), which was traced with the first value of scale."""
        for of, own in self.scopes(nodes):
            if isinstance(of, ast.FunctionDef) and not any(isinstance(one, ast.FunctionDef) for one in of.body):
                continue
            inside = {one.name: one for one in of.body if isinstance(one, ast.FunctionDef)}
            read = {}  # the function's own name and those of what is made of it: (name of a variable, function)
            for name, traced in self.tracing.traced.items():
                if traced and traced.node is not None and traced.by in JITS + GRAPHS and inside.get(
                        getattr(traced.node, "name", "")) is traced.node:
                    free = {one.id for one in ast.walk(traced.node) if isinstance(one, ast.Name) and isinstance(
                        one.ctx, ast.Load)} - self.locals_of(traced.node)
                    read[name] = free
            for one in own if read else ():  # gradient = jax.jit(jax.grad(loss))
                if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
                    inner = {name.id for name in ast.walk(one.value) if isinstance(name, ast.Name)} & set(read)
                    if inner and self.full(one.value.func) in WRAPPERS:
                        read[self.written(one.targets[0])] = set().union(*(read[name] for name in inner))
            for loop in (one for one in own if read and isinstance(one, (ast.For, ast.While))):
                if re.search(r"clear_caches|jax\.jit\(|tf\.function\(", self.reader.written_whole(loop)):
                    continue
                called = [name for name in read if any(self.written(call.func) == name for call in calls_in(loop.body))]
                for statement in loop.body:
                    for target in statement.targets if isinstance(statement, ast.Assign) else ():
                        for name in ast.walk(target):
                            if isinstance(name, ast.Name) and any(name.id in read[one] for one in called) and not any(
                                    e["subject"] == "script-mistake" and e["name"] == "a name that is bound behind the trace" and e.get(
                                        "other_line") in (line_of(name), str(line_of(name))) for e in self.reader.events):
                                self.mistake(statement, "a variable that a trace has read", name.id, next(
                                    one for one in called if name.id in read[one]))

    def changed_behind_a_call(self, nodes):
        """f(x); scale = 3.0; f(x), where f was traced with the first value of scale."""
        if self.says(r"clear_caches|clear_cache\(|disable_jit"):
            return
        for _, body in self.bodies(nodes):
            calls = {}  # how a traced function is called: (the call, the names that it reads)
            for at, one in enumerate(body):
                for call in calls_in([one]) if not isinstance(one, (ast.FunctionDef, ast.ClassDef)) else ():
                    traced = self.tracing.traced_of(call.func) if isinstance(call.func, ast.Name) else None
                    if traced is not None and isinstance(traced.node, ast.FunctionDef) and traced.by in JITS and self.origins.scope(
                            traced.node) is self.origins.scope(one):
                        free = {name.id for name in ast.walk(traced.node) if isinstance(name, ast.Name) and isinstance(
                            name.ctx, ast.Load)} - self.locals_of(traced.node)
                        calls[self.written(call)] = (call, free)
                target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else getattr(one, "target", None) if isinstance(
                    one, ast.AugAssign) else None
                if not calls or not isinstance(target, ast.Name):
                    continue
                again = {self.written(call) for rest in body[at + 1:] for call in calls_in([rest])}
                for form, (call, free) in list(calls.items()):
                    given = {name.id for part in call.args + [k.value for k in call.keywords] for name in ast.walk(part) if isinstance(name, ast.Name)}
                    if target.id in given or target.id == call.func.id:
                        del calls[form]
                    elif target.id in free and form in again:
                        self.mistake(one, "a variable that a trace has read", target.id, call.func.id, other=call)

    def changed_in_its_object(self, nodes):
        """self.rate *= 0.5 in a loop that calls self.step(), which jit traced with self as a static argument."""
        if self.says(r"clear_caches|clear_cache\(|__hash__|__eq__|disable_jit"):
            return
        for owner in (one for one in nodes if isinstance(one, ast.ClassDef)):
            for of in (one for one in owner.body if isinstance(one, ast.FunctionDef) and one.args.args):
                traced = next(filter(None, map(self.tracing.decorated, of.decorator_list)), None)
                own = of.args.args[0].arg
                if traced is None or traced.by not in JITS or 0 not in traced.static and own not in traced.static_names:
                    continue
                read = {one.attr for one in ast.walk(of) if isinstance(one, ast.Attribute) and getattr(one.value, "id", "") == own and isinstance(
                    one.ctx, ast.Load)}
                for loop in (one for one in nodes if isinstance(one, (ast.For, ast.While))):
                    calls = {self.written(call.func.value): call for call in calls_in(loop.body) if self.method(call, of.name)}
                    for one in ast.walk(loop):
                        target = one.targets[0] if isinstance(one, ast.Assign) else one.target if isinstance(one, ast.AugAssign) else None
                        if isinstance(target, ast.Attribute) and target.attr in read and self.written(target.value) in calls:
                            self.mistake(one, "a variable that a trace has read", self.written(target), of.name, other=calls[self.written(target.value)])

    def wrong_gradients(self, calls):
        """jax.grad(loss)(w), where loss() gives a pair without has_aux, or an array of many numbers, or w is an integer."""
        for call in calls:
            if self.full(call.func) not in GRADIENTS or not call.args or any(k.arg in (None, "allow_int") for k in call.keywords):
                continue
            of = self.function(call.args[0])
            aux = self.word(call, "has_aux")
            if isinstance(of, ast.FunctionDef) and not of.decorator_list:
                inner = within_others(of)
                returns = [one for one in ast.walk(of) if isinstance(one, ast.Return) and id(one) not in inner]
                if returns and all(isinstance(one.value, ast.Tuple) for one in returns) and aux is None and len(call.args) < 3:
                    self.mistake(call, "a gradient of a pair", of.name, other=returns[0])
                    continue
            for use in self.uses_of_gradient(call):
                first = use.args[0] if use.args and not isinstance(use.args[0], ast.Starred) else None
                if first is None or self.word(call, "argnums") is not None or len(call.args) > 1:
                    continue
                made = self.value(first)
                if isinstance(made, ast.Constant) and type(made.value) is int or self.is_of_integers(made):
                    self.mistake(use, "a gradient by an integer", self.written(use), self.written(first), other=call)
                elif isinstance(of, (ast.FunctionDef, ast.Lambda)) and aux is None and not use.keywords:
                    ranks = dict(zip([one.arg for one in of.args.args], map(self.rank_of_array, use.args)))
                    result = of.body if isinstance(of, ast.Lambda) else of.body[-1].value if len([one for one in of.body if not (isinstance(
                        one, ast.Expr) and isinstance(one.value, ast.Constant))]) == 1 and isinstance(of.body[-1], ast.Return) else None
                    if result is not None and (self.rank(result, ranks, 3) or 0) > 0:
                        self.mistake(use, "a gradient of an array", self.written(call), self.written(result), other=call)

    def uses_of_gradient(self, call):
        """The calls of what jax.grad gives: jax.grad(f)(x), or g(x) where g = jax.grad(f)."""
        outer = self.origins.parents.get(id(call))
        if isinstance(outer, ast.Call) and outer.func is call:
            return [outer]
        if isinstance(outer, ast.Call) and self.full(outer.func) == "jax.jit" and outer.args[:1] == [call]:
            call, outer = outer, self.origins.parents.get(id(outer))
        name = outer.targets[0].id if isinstance(outer, ast.Assign) and outer.value is call and isinstance(outer.targets[0], ast.Name) else None
        return [one for one in self.tracing.index.calls if getattr(one.func, "id", "") == name] if name in self.single else []

    def is_of_integers(self, made):
        """jnp.arange(4), jnp.array([1, 2, 3])"""
        if not isinstance(made, ast.Call) or any(k.arg == "dtype" for k in made.keywords) or len(made.args) > 1 and "arange" not in self.full(made.func):
            return False
        numbers = [part for one in made.args for part in (one.elts if isinstance(one, (ast.List, ast.Tuple)) else [one])]
        return self.full(made.func) in ("jax.numpy.arange", "jax.numpy.array", "jax.numpy.asarray") and bool(numbers) and all(
            isinstance(one, ast.Constant) and type(one.value) is int for one in numbers)

    def rank_of_array(self, node):
        """How many dimensions an array has that the file makes; None: not known."""
        made = self.value(node)
        if isinstance(made, ast.Constant):
            return 0 if type(made.value) in (int, float) else None
        shape = self.shape(node)
        return len(shape) if shape else None

    def rank(self, node, ranks, deepest):
        """How many dimensions an expression has, whose names have these; None: not known."""
        if isinstance(node, ast.Constant):
            return 0 if type(node.value) in (int, float) else None
        if isinstance(node, ast.Name):
            return ranks.get(node.id)
        if isinstance(node, ast.UnaryOp):
            return self.rank(node.operand, ranks, deepest)
        if isinstance(node, ast.BinOp):
            left, right = self.rank(node.left, ranks, deepest), self.rank(node.right, ranks, deepest)
            if left is None or right is None:
                return None
            if isinstance(node.op, ast.MatMult):
                return left + right - 2 if left in (1, 2) and right in (1, 2) else None
            return max(left, right)
        if not isinstance(node, ast.Call) or node.keywords or deepest == 0:
            return None
        if re.match(r"jax\.(numpy\.(tanh|exp|log|sin|cos|abs|square|sqrt)|nn\.(relu|sigmoid|tanh|gelu|softplus))$", self.full(node.func)):
            return self.rank(node.args[0], ranks, deepest) if len(node.args) == 1 else None
        of = self.of_name.get(getattr(node.func, "id", ""))
        if of is None or of.decorator_list or len(of.body) != 1 or not isinstance(of.body[0], ast.Return) or len(of.args.args) != len(node.args):
            return None
        inner = {one.arg: self.rank(given, ranks, deepest - 1) for one, given in zip(of.args.args, node.args)}
        return self.rank(of.body[0].value, inner, deepest - 1)

    def branches_of_vmap(self, calls):
        """jax.vmap(f), where f asks if x > 0: of the elements of a batch it has no one answer."""
        for call in calls:
            if self.full(call.func) != "jax.vmap" or len(call.args) != 1 or call.keywords:
                continue
            of = call.args[0]
            while isinstance(of, ast.Call) and self.full(of.func) in GRADIENTS + ("jax.jit", ) and len(of.args) == 1 and not of.keywords:
                of = of.args[0]
            of = self.function(of)
            if not isinstance(of, ast.FunctionDef) or of.decorator_list or of.args.defaults or of.args.kwonlyargs:
                continue
            values, inner = {one.arg for one in of.args.args} - {"self"}, within_others(of)
            for one in ast.walk(of):
                if isinstance(one, (ast.If, ast.While)) and id(one) not in inner and self.tracing.decides(one.test, values):
                    self.mistake(one, "a branch of a batch", self.written(one.test), of.name, other=call)
                    break

    def texts_for_jit(self, calls):
        """act(x, "relu"), of a function of jax.jit that takes no static arguments."""
        for call in calls:
            traced = self.tracing.traced_of(call.func) if isinstance(call.func, ast.Name) else None
            if traced is None or traced.by != "jax.jit" or not traced.known or traced.static_names and traced.node is None or any(
                    isinstance(one, ast.Starred) for one in call.args):
                continue
            names = [one.arg for one in traced.node.args.args] if isinstance(traced.node, ast.FunctionDef) else []
            given = [(at, names[at] if at < len(names) else None, one) for at, one in enumerate(call.args)] + [
                (names.index(k.arg) if k.arg in names else None, k.arg, k.value) for k in call.keywords if k.arg]
            static = {at % len(names) if names and type(at) is int else at for at in traced.static}
            for at, name, one in given:
                if at in static or name in traced.static_names or not names and traced.static:
                    continue
                values = self.origins.of(one)
                if values and all(isinstance(value, (ast.Lambda, ast.FunctionDef)) or isinstance(getattr(value, "value", None), str) and isinstance(
                        value, ast.Constant) for value in values):
                    self.mistake(call, "an argument that is no array", self.written(one), doubted=False)
                    break

    def is_array(self, node):
        """Whether all that a value comes from is made by functions of JAX that give one array."""
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Call) and ARRAYS.match(self.full(one.func)) and not NO_ARRAYS.search(
            self.full(one.func)) for one in values)

    def items_of_arrays(self, nodes):
        """out = jnp.zeros(8); out[0] = 1.0, and host = np.asarray(jnp.zeros(8)); host[0] = 1.0: neither can be changed."""
        for one in nodes:
            targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AugAssign) else []
            for target in targets:
                of = target.value if isinstance(target, ast.Subscript) else target if isinstance(one, ast.AugAssign) else None
                if not isinstance(of, (ast.Name, ast.Attribute)):
                    continue
                if isinstance(target, ast.Subscript) and self.is_array(of) and not self.is_reported(one):
                    self.mistake(one, "an item of a JAX array that is set", doubted=True)
                views = self.origins.of(of) if isinstance(target, ast.Subscript) else ()
                if views and all(isinstance(view, ast.Call) and self.full(view.func) in ("numpy.asarray", "jax.device_get") and len(
                        view.args) == 1 and not view.keywords and self.is_array(view.args[0]) for view in views):
                    self.mistake(one, "a view of a JAX array that is set", self.written(views[0]), other=views[0])

    def devices_asked_for(self, calls):
        """gpus = jax.devices("gpu"), and len(gpus) > 0 decides: without a GPU the question raises."""
        for call in calls:
            statement = self.origins.parents.get(id(call))
            asked = self.given(call, 0, "backend") if self.full(call.func) == "jax.devices" else None
            if self.said(asked) not in ("gpu", "cuda", "rocm", "tpu") or not isinstance(statement, ast.Assign) or any(
                    isinstance(one, (ast.Try, ast.If, ast.IfExp)) for one in self.origins.around(call)):
                continue
            name = self.written(statement.targets[0])
            for one in self.origins.nodes:
                test = one.test if isinstance(one, (ast.If, ast.IfExp)) else one.value if isinstance(one, ast.Assign) and isinstance(
                    one.value, ast.Compare) else None
                if test is not None and re.match(r"(not )?(%s|len\(%s\)( (>|==|>=|!=) [01])?)$" % (re.escape(name), re.escape(name)), self.written(test)):
                    self.mistake(call, "jax.devices of a platform as a question", self.said(asked), other=test)
                    break

    def applied_in_training(self, nodes, calls):
        """net.apply(v, x, train=True) of a BatchNorm that collects means, without mutable=["batch_stats"]."""
        for owner in (one for one in nodes if isinstance(one, ast.ClassDef)):
            text = self.reader.written_whole(owner)
            collects = re.search(r"BatchNorm\([^)]*use_running_average=(not (self\.)?(?P<train>\w+)|False)[,)\s]", text)
            drops = re.search(r"Dropout\([^)]*deterministic=(not (self\.)?(?P<train>\w+)|False)[,)\s]", text)
            for call in calls if (collects or drops) and self.says(r"flax\.linen|flax import linen") else ():
                made = self.value_of(call.func.value) if self.method(call, "apply") else None
                if not isinstance(made, ast.Call) or getattr(made.func, "id", "") != owner.name or any(k.arg is None for k in call.keywords):
                    continue
                words = {k.arg: k.value for k in call.keywords}
                for found, word, name, shown in ((collects, "mutable", "BatchNorm", 'mutable=["batch_stats"]'),
                                                 (drops, "rngs", "Dropout", 'rngs={"dropout": key}')):
                    flag = found.group("train") if found else None
                    trains = found and (flag is None or flag in words and self.said(words[flag]) is True)
                    if trains and word not in words and "capture_intermediates" not in words:
                        self.mistake(call, "a layer that training gives nothing", self.written(call), name, shown)
                        break

    def unbound_collectives(self):
        """jax.lax.pmean(g, "devices") under jax.jit alone."""
        if self.says(MAPPED):
            return
        for _, of in self.jitted():
            for call in calls_in(of.body):
                name = self.full(call.func)
                if name.startswith("jax.lax.") and name.rsplit(".", 1)[-1] in COLLECTIVES_OF_JAX:
                    axis = self.given(call, 0 if name.endswith("axis_index") else 1, "axis_name")
                    if isinstance(getattr(axis, "value", None), str):
                        self.reader.mistake(call, "an axis that nothing binds", self.written(call), axis.value, "none", doubted=True)

    def scale_that_stays(self, nodes):
        """_, finite, loss, grads = scale.value_and_grad(loss_fn)(params): the first is the scale of the next step."""
        if not self.says(r"DynamicScale"):
            return
        for one in nodes:
            made = one.value.func if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) else None
            target = one.targets[0] if made is not None else None
            if is_call(made, "value_and_grad") and re.search(r"scale", self.written(made.func.value)) and isinstance(
                    target, ast.Tuple) and len(target.elts) == 4 and getattr(target.elts[0], "id", "").startswith("_"):
                self.reader.mistake(one, "a scale of the loss that stays as it is", self.written(made.func.value))

    # ---- pmap, meshes and processes

    def flat_for_pmap(self, calls):
        """forward(batch) of pmap, where batch has n * 256 rows and not n times 256."""
        for call in calls:
            traced = self.tracing.traced.get(self.written(call.func))
            if not traced or traced.by != "jax.pmap" or self.says(r"in_axes"):
                continue
            for given in call.args:
                shape = self.shape(given)
                first = self.value(shape[0]) if shape else None
                if isinstance(first, ast.BinOp) and isinstance(first.op, ast.Mult) and any(
                        isinstance(one, ast.Call) and self.full(one.func) in COUNTS_DEVICES for one in self.origin(first)):
                    sides = [self.number(one) for one in (first.left, first.right)]
                    if any(side is not None and side > 1 for side in sides):
                        self.mistake(call, "a flat batch for pmap", self.written(given), doubted=False)

    def shared_by_nobody(self, calls):
        """params = tree_map(lambda p, g: p - lr * g, params, grads) in a function of pmap, with no pmean of grads."""
        for traced in self.tracing.traced.values():
            of = traced.node if traced and traced.by == "jax.pmap" else None
            if not isinstance(of, ast.FunctionDef):
                continue
            shared = {name.id for call in calls_in(of.body) if re.search(REDUCING, self.written(call)) for name in ast.walk(call) if
                      isinstance(name, ast.Name)}
            gradients = {}
            for one in of.body:
                made = one.value.func if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) else None
                if isinstance(made, ast.Call) and self.full(made.func) in GRADIENTS:
                    target = one.targets[0]
                    last = target.elts[-1] if isinstance(target, ast.Tuple) else target
                    if isinstance(last, ast.Name) and not re.search(REDUCING, self.reader.written_whole(one)):
                        gradients[last.id] = one
            for call in calls_in(of.body) if gradients else ():
                if self.full(call.func) in ("jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map") and len(call.args) > 2:
                    name = next((one.id for one in call.args[1:] if isinstance(one, ast.Name) and one.id in gradients), None)
                    if name and name not in shared and isinstance(call.args[0], ast.Lambda) and isinstance(call.args[0].body, ast.BinOp):
                        self.reader.mistake(call, "gradients that the devices don't share", name, other=gradients[name], doubted=True)

    def of_all_processes(self, nodes, calls):
        """Behind jax.distributed.initialize(): data on jax.devices()[0], the whole data or one's own key in each process."""
        if not self.says(r"distributed\.initialize\("):
            return
        guarded = {id(inner) for one in nodes if isinstance(one, ast.If) and "process" in self.written(one.test) for inner in ast.walk(one)}
        for call in calls:
            name = self.full(call.func)
            if name == "jax.device_put" and id(call) not in guarded:
                where = self.value(self.given(call, 1, "device") or call)
                if isinstance(where, ast.Subscript) and isinstance(where.value, ast.Call) and self.full(
                        where.value.func) == "jax.devices" and not where.value.args and self.number(where.slice) is not None:
                    self.mistake(call, "a device of another process", self.written(where))
            if name != "jax.make_array_from_process_local_data" or len(call.args) < 2:
                continue
            replicated = self.is_replicated(call.args[0])
            origin = list(self.origin(call.args[1]))
            names = {self.full(one.func) for one in origin if isinstance(one, ast.Call)}
            if replicated:
                key = next((one for one in self.single.values() if isinstance(one.value, ast.Call) and self.full(one.value.func) in (
                    "jax.random.key", "jax.random.PRNGKey") and any(isinstance(inner, ast.Call) and self.full(
                        inner.func) == "jax.process_index" for inner in ast.walk(one.value)) and any(
                            inner is one.value for inner in origin)), None)
                if key is not None:
                    self.mistake(key, "weights of a key of each process", self.written(key.targets[0]), other=call)
            elif "numpy.load" in names and all(isinstance(one.args[0], ast.Constant) for one in origin if isinstance(
                    one, ast.Call) and self.full(one.func) == "numpy.load" and one.args) and not re.search(
                        r"process|split|index|host|rank|shard|\[", " ".join(self.written(one) for one in origin)):
                self.mistake(self.single.get(self.written(call.args[1]), call), "all data as the part of each process",
                             self.written(call.args[1]), other=call)

    def is_replicated(self, node):
        """Whether a sharding is NamedSharding(mesh, P())."""
        made = self.value(node)
        spec = self.value(made.args[1]) if isinstance(made, ast.Call) and self.full(
            made.func) == "jax.sharding.NamedSharding" and len(made.args) > 1 else None
        return isinstance(spec, ast.Call) and self.full(spec.func) in SPECS and not spec.args

    def unused_mesh(self, nodes):
        """mesh = Mesh(devices, ("data", )), and nothing is placed on it or computed over it."""
        if self.says(r"with \w*mesh|set_mesh|use_mesh|shard_map|in_shardings|import \*") or not self.says(r"\n *for |\n *while "):
            return
        loaded = {}
        for one in nodes:
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load):
                loaded.setdefault(one.id, []).append(one)
        places = [one for one in nodes if isinstance(one, ast.Call) and (self.full(one.func) == "jax.device_put" and len(one.args) == 1 and
                                                                        not one.keywords)]
        for name, one in self.single.items():
            if not isinstance(one.value, ast.Call) or self.full(one.value.func) not in MESHES or one.col_offset or not places:
                continue
            idle = {name}
            for other, made in self.single.items():
                if isinstance(made.value, ast.Call) and self.full(made.value.func) == "jax.sharding.NamedSharding" and any(
                        isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(made.value)):
                    idle.add(other)
            within = {id(inner) for other in idle for inner in ast.walk(self.single[other].value)}
            if not any(id(use) not in within for other in idle for use in loaded.get(other, ())):
                self.mistake(one.value, "a mesh that nothing is placed on", name, self.written(places[0]), other=places[0])

    def whole_on_each(self, calls):
        """jax.device_put(batch, NamedSharding(mesh, P())), in a file that divides nothing over its mesh."""
        if self.says(r"(P|PartitionSpec)\((?!\))|shard_map|pmap|in_shardings|with_sharding_constraint|set_mesh|use_mesh|PositionalSharding|process_count"):
            return
        for call in calls:
            of = self.value(call.args[1]) if self.full(call.func) == "jax.device_put" and len(call.args) > 1 else None
            spec = self.value(of.args[1]) if isinstance(of, ast.Call) and self.full(of.func) == "jax.sharding.NamedSharding" and len(
                of.args) > 1 else None
            where = self.written(call.args[1]) if isinstance(spec, ast.Call) and not spec.args else ""
            if SHARDINGS_OF_DATA.search(where):
                self.reader.mistake(of, "a batch that every device has whole", where, other=call, doubted=True)
            elif isinstance(spec, ast.Call) and not spec.args and re.search(
                    r"(^|[._])(x|y|xs|ys|batch|data|images?|labels?|tokens|inputs|targets)s?$", self.written(call.args[0])):
                self.mistake(call, "a batch that every device has whole", self.written(call.args[0]))

    def uneven_shards(self, calls):
        """device_put(x, NamedSharding(mesh, P("data"))) of 100 rows over 8 devices."""
        for call in calls:
            if self.full(call.func) != "jax.device_put" or len(call.args) < 2:
                continue
            made = self.value(call.args[1])
            if not isinstance(made, ast.Call) or self.full(made.func) != "jax.sharding.NamedSharding" or len(made.args) < 2:
                continue
            mesh, spec, shape = self.value(made.args[0]), self.value(made.args[1]), self.shape(call.args[0])
            if not isinstance(mesh, ast.Call) or self.full(mesh.func) != "jax.make_mesh" or len(mesh.args) < 2 or not isinstance(
                    spec, ast.Call) or not shape:
                continue
            sizes, names = (self.value(one) for one in mesh.args[:2])
            sizes = dict(zip((getattr(one, "value", None) for one in getattr(names, "elts", ())),
                             (self.number(one) for one in getattr(sizes, "elts", ()))))
            for axis, one in zip(spec.args, shape):
                count, rows = sizes.get(getattr(axis, "value", "")), self.number(one)
                if count and rows and rows % count:
                    self.mistake(call, "rows that don't divide among the devices", str(rows), str(count), other=made, doubted=False)

    def unreduced_output(self, calls):
        """shard_map(local, in_specs=P("data"), out_specs=P()), where local() reduces nothing over the axis."""
        for call in calls:
            if not self.full(call.func).endswith("shard_map") or not call.args:
                continue
            of, given, gives = self.function(call.args[0]), self.given(call, 2, "in_specs"), self.given(call, 3, "out_specs")
            gives = self.value(gives) if gives is not None else None
            if not isinstance(of, ast.FunctionDef) or not isinstance(gives, ast.Call) or self.full(gives.func) not in SPECS or gives.args:
                continue
            text = self.text_of(of)
            split = any(isinstance(one, ast.Call) and self.full(one.func) in SPECS and any(
                getattr(axis, "value", None) is not None for axis in one.args) for one in self.origin(given)) if given is not None else False
            summed = re.search(r"\bgrad\(|value_and_grad\(|vjp\(", text) and not re.search(r"pcast|pvary", text)  # JAX adds it up by itself
            back = next((one for one in of.body if isinstance(one, ast.Return)), None)
            if split and not re.search(REDUCING + r"|axis_index|ppermute", text) and not summed and back is not None and isinstance(
                    back.value, (ast.Call, ast.BinOp, ast.Name)):
                self.reader.mistake(back, "an output that no shard has summed", of.name, self.written(gives), other=call, doubted=True)

    # ---- precision and places

    def strict_products(self, calls):
        """assert error < 1e-6 of jnp.matmul, whose products are rounded to TF32 on newer GPUs."""
        if self.says(r"precision|highest|enable_x64|HIGHEST|['\"]cpu|XLA_FLAGS|TF32|tf32") or not self.says(r"float64"):
            return
        strict = re.search(r"assert \w*(err|diff)\w*(\.max\(\)|\.item\(\))? *<=? *(1e-0?[6-9]|1e-1\d)|rtol *= *(1e-0?[6-9]|1e-1\d)", self.reader.text)
        for call in calls if strict else ():
            if self.full(call.func) in ("jax.numpy.matmul", "jax.numpy.dot", "jax.numpy.einsum", "jax.numpy.tensordot", "jax.lax.dot",
                                        "jax.lax.dot_general"):
                return self.mistake(call, "a product that a GPU rounds to TF32", strict.group(0))
        return None

    def weights_of_the_host(self, nodes):
        """encode(weights, x) in a loop, where weights = dict(np.load(…)) stay arrays of NumPy's."""
        for loop in nodes:
            parts = loop.body if isinstance(loop, (ast.For, ast.While)) else [loop.elt] if isinstance(loop, (ast.ListComp, ast.GeneratorExp)) else ()
            for call in calls_in(parts):
                traced = self.tracing.traced.get(self.written(call.func))
                for given in call.args if traced and traced.by == "jax.jit" else ():
                    made = self.single.get(given.id) if isinstance(given, ast.Name) else None
                    if made is not None and re.match(r"(dict\()?(np|numpy|onp)\.load\(", self.written(made.value)) and re.search(
                            r"weight|param|variables|state|model", given.id, re.I):
                        self.mistake(made, "weights that each call copies to the GPU", given.id, self.written(call), other=call)

    # ---- Flax and Equinox

    def replicas_saved(self, nodes, calls):
        """params = replicate(params), which to_bytes(params) saves once for each device."""
        if self.says(r"unreplicate|get_first|\[0\], *(\w+\.)*(params|state)|x\[0\]"):
            return
        held = {self.written(one.targets[0]) for one in nodes if isinstance(one, ast.Assign) and isinstance(
            one.value, ast.Call) and self.full(one.value.func) == "flax.jax_utils.replicate"}
        for call in calls:
            name = self.full(call.func)
            if name.startswith("flax.") and name.rsplit(".", 1)[-1] in ("to_bytes", "to_state_dict", "msgpack_serialize", "save_checkpoint",
                                                                       "save_checkpoint_multiprocess") or name in ("pickle.dump", "pickle.dumps"):
                for given in call.args + [k.value for k in call.keywords]:
                    if self.written(given).split(".")[0] in held:
                        self.mistake(call, "a state that is saved once for each device", self.written(given))

    def counters_of_nnx(self, nodes):
        """self.count.value += 1 in an nnx.Module that jax.jit is given: the module outside stays as it is, or it raises."""
        changes = {owner.name: one for owner in nodes if isinstance(owner, ast.ClassDef) and any(
            self.full(base) == "flax.nnx.Module" for base in owner.bases) for of in owner.body if isinstance(of, ast.FunctionDef) and of.name == "__call__"
            for one in of.body if isinstance(one, (ast.AugAssign, ast.Assign)) and re.match(r"self\.\w+\.(value|\[\.\.\.\])$", self.written(
                one.target if isinstance(one, ast.AugAssign) else one.targets[0]))}
        for call in self.tracing.index.calls if changes else ():
            traced = self.tracing.traced_of(call.func) if isinstance(call.func, ast.Name) else None
            for at, one in enumerate(call.args) if traced is not None and traced.by == "jax.jit" and isinstance(traced.node, ast.FunctionDef) else ():
                made = self.value_of(one)
                name = getattr(made.func, "id", "") if isinstance(made, ast.Call) else ""
                names = [arg.arg for arg in traced.node.args.args]
                uses = name in changes and at < len(names) and any(getattr(inner.func, "id", "") == names[at] for inner in calls_in(traced.node.body))
                if uses and not re.search(r"nnx\.(merge|state|split|to_tree|pure|update)\(", self.reader.written_whole(traced.node)):
                    self.reader.mistake((traced.node.decorator_list or [traced.node])[0], "changes that jax.jit doesn't bring out", traced.node.name, self.written(
                        changes[name]), other=changes[name], doubted=True)

    def modules_of_nnx(self, functions):
        """@jax.jit def step(model, optimizer, x): optimizer.update(…), whose changes jax.jit doesn't bring out."""
        if not self.says(r"\bnnx\b"):
            return
        for of in functions:
            decorator = next((one for one in of.decorator_list if (self.tracing.decorated(one) or Traced("")).by == "jax.jit"), None)
            text = self.reader.written_whole(of)
            if decorator is None or re.search(r"nnx\.(merge|state|split|to_tree|pure|update)\(", text):
                continue
            given = {one.arg for one in of.args.args}
            changed = next((one for one in of.body if isinstance(one, ast.Expr) and self.method(one.value, "update") and self.written(
                one.value.func.value) in given), None)
            if changed is not None and re.search(r"nnx\.(value_and_)?grad\(", text):
                self.reader.mistake(decorator, "changes that jax.jit doesn't bring out", of.name, self.written(changed), other=changed, doubted=True)

    def narrow_weights(self, calls):
        """Dense(…, param_dtype=jnp.bfloat16) under Adam with a small rate."""
        if self.says(r"stochastic|master|float32_params|frozen|lora|to_fp32"):
            return
        small = next((one for one in calls if re.match(r"optax\.(adamw?|sgd|lion|nadamw?|radam|rmsprop)$", self.full(one.func)) and isinstance(
            getattr(self.value(self.given(one, 0, "learning_rate") or one), "value", None), float) and self.value(self.given(
                one, 0, "learning_rate")).value <= 1e-4), None)
        for one in calls if small is not None and self.says(r"apply_updates|apply_gradients|Optimizer\(") else ():
            kind = self.word(one, "param_dtype")
            if kind is not None and self.full(one.func).startswith("flax.") and re.search(r"\b(bfloat16|float16)$", self.written(kind)):
                return self.mistake(one, "weights that small steps don't change", self.written(kind), self.written(small), other=small)
        return None

    def wide_products(self, nodes):
        """nn.Dense(8, param_dtype=jnp.bfloat16) and no dtype, of inputs in float32: Flax computes in float32."""
        if self.says(r"memory|stochastic|master|frozen|lora|fits?\b|storage|stored|(?i:tpu)|\[['\"]dtype['\"]\] *=") or not self.says(
                r"apply_updates|apply_gradients|nnx\.Optimizer\(") or not self.says(r"float32|jnp\.(ones|zeros)\(|random\.normal\("):
            return
        said = re.findall(r"#.*", self.reader.text) + [one.value for one in nodes if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        if not any(ASKS_FOR_SPEED.search(one) for one in said):
            return
        narrow, held = [], set()
        for one in nodes:
            if isinstance(one, ast.Call) and (self.full(one.func).startswith(("flax.linen.", "flax.nnx.")) or self.full(one.func) in (
                    "dict", "functools.partial") or getattr(one.func, "id", "") == "dict"):
                kind, other = (next((k.value for k in one.keywords if k.arg == name), None) for name in ("param_dtype", "dtype"))
                other = other or next((k.value for k in one.keywords if k.arg is None and kind is not None), None)
            elif isinstance(one, ast.Dict):
                kind, other = (next((value for key, value in zip(one.keys, one.values) if getattr(key, "value", "") == name), None)
                               for name in ("param_dtype", "dtype"))
                other = one if None in one.keys else other
            else:
                kind = other = None
            if kind is None:
                continue
            known = self.origins.known(kind)
            if len(known) != 1 or not self.is_half(known[0]):
                continue
            if other is not None or "Embed" in self.written(getattr(one, "func", one)):
                return
            narrow.append((one, kind))
            held.add(id(known[0]))
            held.add(id(kind))
        # What is cast to the narrow kind elsewhere may be what the layers compute with.
        others = [one for one in nodes if narrow and self.is_half(one) and id(one) not in held]
        casts = [one.args[0] for one in nodes if narrow and is_call(one, "astype") and one.args] + [
            k.value for one in nodes if narrow and isinstance(one, ast.Call) for k in one.keywords if k.arg == "dtype"]
        if narrow and not others and all(re.search(r"float32|int\d+|bool|float64", self.written(one)) for one in casts):
            self.reader.mistake(narrow[0][0], "weights in half under products in float32", self.written(narrow[0][1]), doubted=True)

    @staticmethod
    def is_half(node):
        return getattr(node, "attr", getattr(node, "value", None)) in ("bfloat16", "float16")

    def narrow_trees(self, calls):
        """params = jax.tree.map(lambda a: a.astype(jnp.bfloat16), params), and optax.adamw(1e-5) of them."""
        if self.says(r"stochastic|master|float32_params|frozen|lora|to_fp32"):
            return
        small = None
        for one in calls:
            rate = self.given(one, 0, "learning_rate") if re.match(r"optax\.(adamw?|sgd|lion|nadamw?|radam|rmsprop)$", self.full(one.func)) else None
            value = self.said(rate) if rate is not None else None
            if value is None and isinstance(rate, ast.Attribute):
                value = self.said(self.default_of(rate.attr))
            small = one if isinstance(value, float) and value <= 1e-4 else small
        if small is None or not self.says(r"apply_updates") or self.says(
                r"astype\((jnp\.|np\.)?float32\), *(params|grads|updates|weights|state)|tree\.?_?map\(lambda [^\n]*float32"):
            return
        started = {self.written(one.args[0]) for one in calls if getattr(one.func, "attr", "") == "init" and len(one.args) == 1 and
                   isinstance(one.args[0], ast.Name)}
        for name in started:
            for statement in self.assigned.get(name, ()):
                made = statement.value
                if isinstance(made, ast.Call) and re.match(r"jax\.(tree\.map|tree_map|tree_util\.tree_map)$", self.full(made.func)) and made.args and \
                        isinstance(made.args[0], ast.Lambda) and isinstance(made.args[0].body, ast.Call) and re.search(
                            r"\b(bfloat16|float16)\b['\"]?\)$", self.written(made.args[0].body)):
                    self.mistake(made, "a tree of weights that small steps don't change", name, self.written(small), other=small)
    def small_eps_of_optax(self, calls):
        """Net(param_dtype=jnp.float16) under optax.adam(rate): its eps of 1e-8 is 0 in float16."""
        if self.says(r"tree(\.|_)map\([^\n]*float32|MultiSteps|apply_if_finite|loss_scale|LossScale|DynamicScale|master|lora|stochastic"):
            return
        adam = next((one for one in calls if re.match(r"optax\.(adamw?|nadamw?|radam|amsgrad|adamax|lamb|scale_by_adam)$", self.full(
            one.func)) and self.is_zero_in_half(one)), None)
        for one in calls if adam is not None and self.says(r"apply_updates|apply_gradients|Optimizer\(") else ():
            kind = self.word(one, "param_dtype")
            if kind is not None and any(self.full(of) == "jax.numpy.float16" or getattr(of, "value", None) == "float16"
                                        for of in self.origins.known(kind)):
                return self.mistake(adam, "an eps that float16 lacks", self.written(kind), self.written(adam), other=one)
        return None

    def is_zero_in_half(self, adam):
        """Whether all that keeps an Adam from dividing by 0 is 0 in float16, whose smallest number is 6e-8."""
        given = [self.word(adam, name) for name in ("eps", "eps_root")]
        numbers = [self.said(one) for one in given if one is not None]
        return len(adam.args) < 4 and all(type(one) in (int, float) and abs(one) < 3e-8 for one in numbers)

    def waits_for_what_was_given(self, nodes):
        """begin = clock(); out = step(x); jax.block_until_ready(x); clock() - begin: out may not be ready."""
        for body in (one.body for one in nodes if isinstance(getattr(one, "body", None), list)):
            for number, statement in enumerate(body):
                begin = statement.targets[0] if isinstance(statement, ast.Assign) and isinstance(
                    statement.value, ast.Call) and self.full(statement.value.func) in CLOCKS_OF_TRACES else None
                end = next((at for at, later in enumerate(body) if at > number and re.search(
                    r"\) - %s\b" % re.escape(self.written(begin)), self.reader.written_whole(later))), None) if begin is not None else None
                between = body[number + 1:end] if end is not None else []
                waits = [one.args[0] if self.full(one.func) == "jax.block_until_ready" else one.func.value for one in calls_in(between)
                         if self.full(one.func) == "jax.block_until_ready" and one.args or is_call(one, "block_until_ready") and not one.args]
                stored = {self.written(one) for part in between for one in ast.walk(part) if isinstance(one, (ast.Name, ast.Attribute)) and
                          isinstance(one.ctx, ast.Store)}
                # What is waited for: one name, or several in a tuple, none of which is made between the clocks.
                parts = getattr(waits[0], "elts", waits) if len(waits) == 1 else []
                given = all(isinstance(one, ast.Name) and one.id not in stored for one in parts)
                wait = waits[0] if parts and given else None
                made = next((one for part in between for one in ast.walk(part) if isinstance(one, ast.Assign) and isinstance(
                    one.value, ast.Call) and one.lineno < wait.lineno and all(self.gives(one.value, of) for of in parts)), None) if wait is not None else None
                if made is not None and not re.search(r"device_get|\.item\(|float\(|asarray\(", "\n".join(map(self.reader.written_whole, between))):
                    self.mistake(self.origins.parents[id(wait)], "a wait for what was given", self.written(wait), self.written(made.value), other=made)

    @staticmethod
    def gives(call, name):
        """Whether a call is given what has this name, also as *name, or calls it."""
        return getattr(call.func, "id", "") == name.id or any(getattr(one.value if isinstance(one, ast.Starred) else one, "id", "") == name.id for one in call.args)

    def functions_as_leaves(self, nodes, calls):
        """jax.jit of a function that is given an MLP of Equinox's, among whose leaves is its activation."""
        if self.says(r"partition\(|eqx\.filter\(|is_array|filter_jit"):
            return
        kinds = {one.name for one in nodes if isinstance(one, ast.ClassDef) and any(self.full(base) == "equinox.Module" for base in one.bases) and
                 re.search(r"\bMLP\(|nn\.Lambda\(", self.reader.written_whole(one))}
        for call in calls:
            traced = self.tracing.traced.get(self.written(call.func))
            for given in call.args if traced and traced.by == "jax.jit" and not traced.static else ():
                made = self.value(given)
                if isinstance(given, ast.Name) and isinstance(made, ast.Call) and (self.full(made.func) in (
                        "equinox.nn.MLP", "equinox.nn.Lambda") or getattr(made.func, "id", "") in kinds):
                    at = next((one for one in getattr(traced.node, "decorator_list", ()) if self.tracing.decorated(one)), call)
                    self.reader.mistake(at, "a module whose leaves are functions", self.written(given), self.written(call), other=call)

    # ---- Orbax

    def checkpoints(self, nodes, calls):
        makers = {name for name, made in self.assigned.items() for one in made if isinstance(one.value, ast.Call) and re.match(
            r"orbax\.checkpoint\.(\w+\.)*(CheckpointManager|StandardCheckpointer|AsyncCheckpointer|PyTreeCheckpointer|Checkpointer)$",
            self.full(one.value.func))}
        of_orbax = [one for one in calls if isinstance(one.func, ast.Attribute) and self.written(one.func.value) in makers]
        saves = [one for one in of_orbax if one.func.attr == "save"]
        ends = next((one for one in calls if self.full(one.func) == "os._exit"), None)
        if saves and ends is not None and not self.says(r"wait_until_finished|\.close\(\)|with ocp|enable_async_checkpointing=False"):
            self.mistake(ends, "an end before a checkpoint is written", self.written(saves[-1].func), other=saves[-1], doubted=False)
        for one in nodes:
            for call in calls_in(one.body) if isinstance(one, ast.If) and not one.orelse and re.match(
                    r"(not |0 == )?(\w+\.)*process_(index|id)(\(\))?( == 0)?$", self.written(one.test)) and "distributed" in self.reader.text else ():
                if any(call is save for save in saves) and not self.says(r"multiprocessing_options|active_processes"):
                    self.mistake(call, "a checkpoint that one process saves", other=one.test)
        for call in of_orbax:
            if call.func.attr == "restore" and len(call.args) == 1 and not call.keywords and self.says(r"\bNamedSharding\(") and self.says(
                    r"ShapeDtypeStruct\([^\n]*sharding") and not self.says(r"\.restore\([^)\n]+(,|=)"):
                self.mistake(call, "a restore that is given no sharding")
