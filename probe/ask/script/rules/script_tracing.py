"""Functions that JAX and TensorFlow trace, and what may be used once: keys, donated buffers; for the reader of scripts.

The statements are read as they stand, block by block: what another block does to a name is not known here, and nothing
is said of it.
"""

JITS = ("jax.jit", "jax.pmap", "flax.nnx.jit", "jax.experimental.pjit.pjit", "jax.pjit")
GRAPHS = ("tensorflow.function", "tensorflow.autograph.experimental.function")
PARTIALS = ("functools.partial",)
SAMPLERS = ("ball bernoulli beta binomial bits categorical cauchy chisquare dirichlet double_sided_maxwell exponential f "
            "gamma generalized_normal geometric gumbel laplace loggamma logistic lognormal maxwell "
            "multivariate_normal normal orthogonal pareto poisson rademacher randint rayleigh t triangular "
            "truncated_normal uniform wald weibull_min").split()
# What draws an order: twice with one key, it orders two arrays alike.
ORDERS = ("jax.random.permutation", "jax.random.choice", "jax.random.shuffle")
# Calls of JAX whose result is as long as the values make it, where no size is given.
FINDS = re.compile(r"jax\.numpy\.(nonzero|flatnonzero|argwhere|unique|where|bincount|union1d|setdiff1d|intersect1d)$")
# Calls of JAX whose argument, by place or name, is a shape or length, which jit must know.
SIZES_OF_CALLS = (
    (re.compile(r"jax\.numpy\.(zeros|ones|empty|full)$"), 0, "shape"), (re.compile(r"jax\.numpy\.(eye|identity|tri)$"), 0, "N"),
    (re.compile(r"jax\.numpy\.arange$"), 0, "stop"), (re.compile(r"jax\.numpy\.linspace$"), 2, "num"),
    (re.compile(r"jax\.nn\.one_hot$"), 1, "num_classes"), (re.compile(r"jax\.numpy\.(broadcast_to|reshape)$"), 1, "shape"),
    (re.compile(r"jax\.random\.(normal|uniform|truncated_normal)$"), 1, "shape"))
# Loops of JAX, and where they are given the functions that they trace.
LOOPS_OF_JAX = {"jax.lax.fori_loop": ((2, "body_fun"), ), "jax.lax.while_loop": ((0, "cond_fun"), (1, "body_fun")), "jax.lax.scan": ((0, "f"), ),
                "jax.lax.map": ((0, "f"), )}
# What NumPy tells of an array without a look at its values.
SHAPES = ("shape", "ndim", "size", "dtype", "result_type", "issubdtype", "iinfo", "finfo")
CLOCKS_OF_TRACES = CLOCKS + ("time.process_time", "datetime.datetime.now", "tensorflow.timestamp")
DRAWS_OF_TRACES = re.compile(
    r"(numpy\.random\.(rand|randn|randint|random|normal|uniform|choice|permutation|shuffle|standard_normal|random_sample|"
    r"binomial|poisson|beta|gamma|exponential)|random\.(random|randint|uniform|gauss|choice|shuffle|sample|randrange|"
    r"normalvariate))$")
# Attributes of a state that hold its arrays.
PARTS_OF_STATES = ("params", "opt", "opt_state", "weights", "model", "variables", "ema", "ema_params", "batch_stats", "grads", "mu", "nu",
                   "target_params", "master", "velocity", "momentum")
WAITS_OF_TRACES = re.compile(r"block_until_ready(?!\s*(\n|$))|device_get|\.item\(|\.tolist\(|effects_barrier|float\(|int\(|asarray\(|"
                             r"np\.array\(|onp\.|print\(|copy_to_host|\.numpy\(|\.result\(|assert|%timeit|if .*loss")
HEAVY_OPS_OF_JAX = re.compile(r"jax\.numpy\.(dot|matmul|einsum|tensordot|convolve|sort|linalg\.(inv|svd|eigh|qr|cholesky|solve)|fft\.\w*fft\w*)$")
# What a time is called that is meant to be the one of a first call, or of a launch without its end.
TIME_OF_ANOTHER = re.compile(r"(?i)compil|trac(e|ing)|warm|first|dispatch|launch|enqueue|async|overhead|build|submit")
NAMES_OF_SIZES = re.compile(r"(?i)(sizes?|lengths?|widths?|dims?|shapes?|resolutions?|lens|heads|ns)\)*$")
OF_CASES = "*"  # among the names that a loop binds: it goes through cases
MAKES_ARRAYS = re.compile(r"(jax\.)?numpy\.(array|asarray|zeros|ones|full|empty|arange|linspace|eye|hanning|hamming|blackman|stack|concatenate|"
                          r"tile|random\.(rand|randn|normal|uniform|randint))$")
UNHASHABLE = (ast.Dict, ast.List, ast.Set, ast.ListComp, ast.DictComp)
COMPOUND = (ast.For, ast.While, ast.If, ast.With, ast.Try, ast.AsyncFor, ast.AsyncWith)


# What the usual names stand for in a file that was cut out below its imports, and the names that it must use beside them.
NAMES_OF_CUT_OUTS = {"torch": ("torch", ()), "nn": ("torch.nn", ("torch", )), "F": ("torch.nn.functional", ("torch", "nn")), "optim": ("torch.optim", ("torch", "nn")),
                     "tf": ("tensorflow", ()), "keras": ("keras", ()), "layers": ("keras.layers", ("keras", "tf")), "jax": ("jax", ()), "jnp": ("jax.numpy", ("jax", )),
                     "np": ("numpy", ("torch", "tf", "keras", "jax"))}


def names_of_a_cut_out(nodes):
    """The full names behind the usual names of frameworks, in a file of functions or classes that imports nothing and binds none of them."""
    if not any(isinstance(one, (ast.FunctionDef, ast.ClassDef)) for one in nodes):
        return {}  # a few lines that only show a call
    names = [one for one in nodes if isinstance(one, ast.Name)]
    bound = {one.id for one in names if not isinstance(one.ctx, ast.Load)} | {one.arg for one in nodes if isinstance(one, ast.arg)} | {
        one.name for one in nodes if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
    used = {one.value.id for one in nodes if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)} - bound
    return {name: full for name, (full, beside) in NAMES_OF_CUT_OUTS.items() if name in used and (not beside or used & set(beside))}


def within_others(of, kinds=(ast.FunctionDef, ast.Lambda)):
    """The nodes, by id, that lie in functions (and classes, if kinds holds them) within this one, and so don't run with it."""
    return {id(inner) for one in ast.walk(of) if one is not of and isinstance(one, kinds) for inner in ast.walk(one)}


class Traced:
    """How a function is traced: which of its arguments are static or donated."""

    def __init__(self, by, node=None, static=(), static_names=(), donated=(), donated_names=(), known=True):
        self.by, self.node, self.static, self.static_names = by, node, static, static_names
        self.hidden = 0  # 1 for a method, whose object takes the first place
        self.donated, self.donated_names, self.known = donated, donated_names, known


# Methods of Keras's classes that fit() and predict() trace.
TRACED_METHODS = ("train_step", "test_step", "predict_step")
# What makes tensors that no tape watches by itself.
UNWATCHED = ("tensorflow.constant", "tensorflow.ones", "tensorflow.zeros")
# Methods of arrays that give one number.
REDUCTIONS = ("sum", "mean", "max", "min", "any", "all", "prod", "std", "var")


class Tracing:
    def __init__(self, reader):
        self.reader = reader
        self.arrays, self.wholes, self.steps = Arrays(reader, self), Wholes(reader, self), Steps(reader, self)
        self.rules = [of(reader, self) for of in (Waits, Precision, Ranks, Shards, Hub, Kernels, Boosters, Launches, Batches, Settings, Meant, Choices,
                                               Forks, States, Objects, FilesAndSessions, Units, NeverBound, BoundInOneBranch, BoundInAnotherScope, GlobalsOfNobody, HandlersOfImports, Learning,
                                               Lapses, Kinds, ReadTooEarly, Judging, OwnCalls, PlainPython, Losses, Loops, Slips, Numbers, Tensors, Oversights, KerasLosses, KerasFits,
                                               Updates, Gym, JaxUpdates, KerasLeft, KerasData, JaxSlips, TablesOfData, NamedData, Finetuning, Denoising, KerasArguments,
                                               JaxCalls, Methods, Forgotten, Unheeded, Astray)]
        self.rules_of_traces = [of(reader, self) for of in (Graphs, Jitted, ClocksOfTraces, Traces)]
        self.files = []  # (source, its trees)
        self.names, self.fulls, self.origins = {}, {}, None
        self.enabled, self.seeded, self.draws = [], False, False

    def end(self):
        reader = self.reader
        for source, trees in self.files:
            reader.source, reader.path = source, ()
            reader.careful(self.look, trees)
            text = reader.text
            for flat, by_options in flat_forms(trees, text, self.written):
                reader.other_form, reader.by_options, reader.text = True, by_options, text + "\n" + reader.written_whole(flat)
                reader.careful(self.look, [flat])
            reader.other_form, reader.by_options, reader.text = False, False, text
        for node, source in self.enabled if self.draws and not self.seeded else ():
            reader.source = source
            reader.mistake(node, "determinism without a seed", self.written(node))
        reader.source = None

    # ---- names

    def look(self, trees):
        """The trees of one script, of a notebook one for each cell."""
        self.names, self.fulls, self.origins = {}, {}, None
        self.traced, self.functions, self.aliases = {}, {}, {}
        self.bound, self.called, self.drawing, self.traced_by = {}, {}, {}, {}  # of statements and functions, which are asked about often
        nodes = [node for tree in trees for node in ast.walk(tree)]
        for node in nodes:
            if isinstance(node, ast.Import):
                for one in node.names:
                    self.names[one.asname or one.name.split(".")[0]] = self.reader.normal(one.name) if one.asname else one.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for one in node.names:
                    self.names[one.asname or one.name] = self.reader.normal(node.module + "." + one.name)
        if not self.names and not any(isinstance(one, (ast.Import, ast.ImportFrom)) for one in nodes):
            self.names = names_of_a_cut_out(nodes)
        if "cuda" in self.names or any(isinstance(one, ast.ImportFrom) and any((each.asname or each.name) == "cuda" for each in one.names) for one in nodes):
            # from .gpu import cuda: what decorates kernels is Numba's, whichever module hands it on.
            if any(isinstance(one, ast.FunctionDef) and any(self.written(getattr(mark, "func", mark)) == "cuda.jit" for mark in one.decorator_list)
                   for one in nodes):
                self.names["cuda"] = "numba.cuda"
        bodies = [[s for tree in trees for s in tree.body]]
        self.constants = {self.written(s.targets[0]): s.value for s in bodies[0] if isinstance(s, ast.Assign) and
                          len(s.targets) == 1}
        self.index = FileIndex(nodes, self.written)
        self.origins = Origins(self, nodes)
        for one in [self.arrays, self.wholes, self.steps] + self.rules:
            self.reader.careful(one.look, nodes)
        if not {"jax", "tensorflow", "keras", "optax"} & {name.split(".")[0] for name in self.names.values()}:
            return
        for node in nodes:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                twice = node.name in self.functions
                self.functions[node.name] = None if twice else node  # methods of two classes, or two versions
                for decorator in node.decorator_list:
                    traced = self.decorated(decorator)
                    if traced:
                        traced.node = node
                        self.traced[node.name] = None if twice else traced
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                traced = self.made(node.value)
                for target in node.targets if traced else ():
                    self.traced[self.written(target)] = traced
        for node in nodes:  # jax.jit(f)(x)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Call) and self.full(node.func.func) in JITS:
                traced = self.made(node.func)
                if traced is not None:
                    self.traced.setdefault(self.written(node.func), traced)
        bodies += [node.body for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
        for body in bodies:
            self.block(body, ())
        for traced in list(self.traced.values()):
            if traced and traced.node is not None:
                self.inside(traced)
        for node in nodes:
            if isinstance(node, ast.ClassDef):
                self.jitted_methods(node)
            if isinstance(node, ast.Call) and self.full(node.func) == "jax.lax.scan" and node.args:
                self.body_of_scan(node)
            if isinstance(node, ast.Call) and self.full(node.func) in LOOPS_OF_JAX:
                self.bodies_of_loops(node)
            if isinstance(node, (ast.FunctionDef, ast.Module)):
                self.tapes(node)
            if isinstance(node, ast.ClassDef) and any(re.match(r"(tensorflow\.)?keras\.(\w+\.)*(Model|Layer)$",
                                                               self.full(base)) for base in node.bases):
                for method in node.body:
                    if isinstance(method, ast.FunctionDef) and method.name in TRACED_METHODS:
                        self.statements(method, set(), False, (method, ))
            if isinstance(node, ast.With):
                self.numpy_under_a_device(node)
            if isinstance(node, ast.Call):
                self.determinism(node)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Attribute) and node.value.attr == "block_until_ready":
                self.reader.mistake(node, "a wait that is named and not called", self.written(node.value))
        for how, at, timed, last in timed_by_magics(nodes) if not self.reader.other_form else ():
            self.timed_by_magic(how, at, timed, last)
        for one in self.rules_of_traces:
            self.reader.careful(one.look, nodes)

    def timed_by_magic(self, how, at, timed, call):
        """%timeit step(x), of a function of jax.jit: it gives back before the GPU has computed."""
        text = "\n".join(self.wholes.near(one) for one in timed)
        if not isinstance(call, ast.Call) or WAITS_OF_TRACES.search(text) or TIME_OF_ANOTHER.search(text):
            return
        traced = self.traced_of(call.func)
        compiled = traced is not None and traced.by in JITS
        if not compiled and not HEAVY_OPS_OF_JAX.match(self.full(call.func)):
            return
        # %time of a first call measures the compilation, for which it waits.
        before = compiled and any(self.written(one.func) == self.written(call.func) and self.origins.position(one) < self.origins.position(
            call) for one in self.index.calls)
        if how == "timeit" or before and not any(isinstance(one, (ast.For, ast.While)) for part in timed for one in ast.walk(part)):
            self.reader.mistake(at, "a magic that doesn't wait", self.written(call), "%" + how, "jax.block_until_ready(…) around it")

    def full(self, node):
        """The full name of what an expression names: by the imports of the file, or by what its names stand for."""
        if id(node) not in self.fulls:
            self.fulls[id(node)] = self.imported(node) or (self.origins.full(node) if self.origins is not None else "")
        return self.fulls[id(node)]

    def imported(self, node):
        """The full name of what is written with the name of an import."""
        parts = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.names:
            return ""
        return self.reader.normal(".".join([self.names[node.id]] + parts[::-1]))

    def written(self, node):
        """Names are most of what is asked for, and need no unparsing."""
        parts, one = [], node
        while isinstance(one, ast.Attribute):
            parts.append(one.attr)
            one = one.value
        return ".".join([one.id] + parts[::-1]) if isinstance(one, ast.Name) else self.reader.written(node)

    def decorated(self, node):
        name = self.full(node)
        if name in JITS + GRAPHS:
            return Traced(name)
        if not isinstance(node, ast.Call):
            return None
        name = self.full(node.func)
        if name in PARTIALS and node.args and self.full(node.args[0]) in JITS:
            return self.with_arguments(self.full(node.args[0]), node)
        return self.with_arguments(name, node) if name in JITS + GRAPHS and not node.args else None

    def decorated_by(self, function, name):
        """Whether one of its decorators is this function, with or without arguments."""
        return any((self.decorated(one) or Traced("")).by == name for one in function.decorator_list)

    def made(self, node):
        """step = jax.jit(f, …)"""
        name = self.full(node.func)
        if name not in JITS + GRAPHS or not node.args:
            return None
        traced = self.with_arguments(name, node)
        traced.node = self.function_of(node.args[0])
        return traced

    def traced_of(self, func):
        """How what is called is traced, also where it is a method, a parameter or an item of a dictionary."""
        if self.written(func) in self.traced:
            return self.traced[self.written(func)]
        if id(func) not in self.traced_by:
            found = [self.made(one) for one in self.origins.wrappers_of(func) + self.origins.of(func) if isinstance(one, ast.Call)]
            for one in self.origins.functions_of(func):
                for decorator in getattr(one, "decorator_list", ()):
                    traced = self.decorated(decorator)
                    if traced is not None:
                        traced.node = one
                        traced.hidden = int(isinstance(func, ast.Attribute) and bool(one.args.args) and one.args.args[0].arg == "self")
                        found.append(traced)
            self.traced_by[id(func)] = next((one for one in found if one is not None), None)
        return self.traced_by[id(func)]

    def function_of(self, node):
        """The function of the script that an expression is, also within jax.value_and_grad(…); None: another thing."""
        if isinstance(node, ast.Call) and self.full(node.func) in WRAPPERS and node.args:
            return self.function_of(node.args[0])
        if isinstance(node, ast.Name):
            return self.functions.get(node.id)
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
            return self.functions.get(node.attr)
        return None

    def with_arguments(self, name, node):
        found = {"static_argnums": (), "static_argnames": (), "donate_argnums": (), "donate_argnames": (),
                 "static_broadcasted_argnums": ()}
        known = True
        for keyword in node.keywords:
            if keyword.arg is None:
                known = False
                for word in ("donate_argnums", "donate_argnames"):
                    given = self.origins.keyword(node, word)
                    try:
                        value = ast.literal_eval(given) if given is not None else ()
                    except (ValueError, TypeError, SyntaxError, RecursionError):
                        continue
                    found[word] = tuple(value) if isinstance(value, (tuple, list)) else (value, )
            if keyword.arg in found:
                try:
                    values = self.origins.known(keyword.value) if isinstance(keyword.value, (ast.Name, ast.Attribute)) else []
                    value = ast.literal_eval(values[0] if len(values) == 1 else keyword.value)
                except (ValueError, TypeError, SyntaxError, RecursionError):
                    known = False
                    continue
                found[keyword.arg] = tuple(value) if isinstance(value, (tuple, list)) else (value, )
        return Traced(name, None, found["static_argnums"] + found["static_broadcasted_argnums"],
                      found["static_argnames"], found["donate_argnums"], found["donate_argnames"], known)

    # ---- blocks of statements

    def stored(self, node):
        """The names that a statement binds, with those of its parts: "state", "self.state"."""
        if id(node) not in self.bound:
            self.bound[id(node)] = {
                self.written(one) for one in ast.walk(node)
                if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, (ast.Store, ast.Del))}
        return self.bound[id(node)]

    def own_calls(self, node):
        """The calls of a statement that surely run with it, in their order."""
        if isinstance(node, COMPOUND + (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return []
        if id(node) in self.called:
            return self.called[id(node)]
        hidden = {id(inner) for one in ast.walk(node) if isinstance(one, (ast.Lambda, ast.IfExp, ast.ListComp, ast.DictComp,
                                                                          ast.SetComp, ast.GeneratorExp))
                  for inner in ast.walk(one)}
        found = [one for one in ast.walk(node) if isinstance(one, ast.Call) and id(one) not in hidden]
        self.called[id(node)] = found
        return found

    def own_calls_of(self, function):
        """The calls of a function that run each time, as far as its own statements tell."""
        return [call for statement in function.body for call in self.own_calls(statement)]

    def block(self, body, loops):
        """`loops`: what the loops around it bind."""
        self.donations(body, loops)
        self.keys(body, loops)
        self.timings(body)
        self.static_arguments(body)
        self.states(body, loops)
        for statement in body:
            if isinstance(statement, (ast.For, ast.While, ast.AsyncFor)):
                self.traced_for_numbers(statement)
                bound = set()
                for inner in statement.body:
                    bound |= self.stored(inner)
                if not self.repeats(statement) and not self.carries_on(statement):
                    bound.add(OF_CASES)
                if self.is_of_sizes(statement):
                    bound |= {OF_CASES + name for name in self.stored(statement.target)}
                if not isinstance(statement, ast.While):
                    bound |= self.stored(statement.target)
                self.block(statement.body, loops + (bound, ))
                self.block(statement.orelse, loops)
            elif isinstance(statement, COMPOUND):
                for name in ("body", "orelse", "finalbody"):
                    self.block(getattr(statement, name, []), loops)
                for handler in getattr(statement, "handlers", []):
                    self.block(handler.body, loops)

    def jitted_methods(self, of):
        """@jax.jit on a method: the object itself is an argument, and JAX knows no such kind."""
        if of.bases or of.keywords or of.decorator_list:
            return
        for method in of.body:
            if not isinstance(method, ast.FunctionDef) or not method.args.args or method.args.args[0].arg != "self" or \
                    len(method.decorator_list) != 1:
                continue
            traced = self.decorated(method.decorator_list[0])
            if traced and traced.by == "jax.jit" and traced.known and 0 not in traced.static and \
                    "self" not in traced.static_names and not re.search(
                        r"register_\w*(pytree|dataclass)|tree_flatten", self.reader.text):
                self.reader.mistake(method, "a method that jit is given with its object", of.name + "." + method.name,
                                    other=method.decorator_list[0])

    def bodies_of_loops(self, call):
        """jax.lax.fori_loop(0, n, body, x) traces what it calls, also outside of jax.jit."""
        if "disable_jit" in self.reader.text:
            return
        for at, word in LOOPS_OF_JAX[self.full(call.func)]:
            given = call.args[at] if len(call.args) > at else next((k.value for k in call.keywords if k.arg == word), None)
            body = self.function_of(given) if given is not None else None
            if isinstance(body, ast.FunctionDef) and body.args.args[:1] and body.args.args[0].arg != "self" and not body.decorator_list:
                self.statements(body, {one.arg for one in body.args.args}, True, (body, ))

    def body_of_scan(self, call):
        """jax.lax.scan takes a function that gives a pair: what is carried on, and what is kept of each step."""
        body = self.function_of(call.args[0])
        if not isinstance(body, ast.FunctionDef):
            return
        self.key_of_each_step(body)
        inner = within_others(body)
        numbers = {self.written(one.targets[0]) for one in ast.walk(body) if isinstance(one, ast.Assign) and
                   isinstance(one.value, ast.BinOp)}
        for one in ast.walk(body):
            if isinstance(one, ast.Return) and id(one) not in inner and (
                    isinstance(one.value, ast.BinOp) or one.value is None or
                    isinstance(one.value, ast.Name) and one.value.id in numbers):
                return self.reader.mistake(one, "a body of scan that gives no pair", self.written(one))
        return None

    def key_of_each_step(self, body):
        """state, key = carry; jax.random.normal(key); return (state, key), …: each step draws the same numbers."""
        text = self.reader.written_whole(body)
        carried = {name.id for one in ast.walk(body) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Tuple) and
                   self.written(one.value) == body.args.args[0].arg for name in one.targets[0].elts if isinstance(name, ast.Name)}
        bound = [name.id for one in ast.walk(body) for name in ([one] if isinstance(one, ast.Name) else ()) if isinstance(name.ctx, ast.Store)]
        for one in ast.walk(body):
            parts = one.value.elts if isinstance(one, ast.Return) and isinstance(one.value, ast.Tuple) else ()
            given = {name.id for name in getattr(parts[0], "elts", ()) if isinstance(name, ast.Name)} if parts else set()
            for name in sorted(given & carried):
                form = re.escape(name)
                draws = re.search(r"random\.(?!split|fold_in)\w+\(%s\b|rngs=\{[^}]*: %s\b" % (form, form), text)
                if bound.count(name) == 1 and draws:
                    return self.reader.mistake(one, "a key that each step of scan draws from anew", self.written(one), name, doubted=True)
        return None

    def tapes(self, of):
        """with tf.GradientTape() as tape: what it is asked for once it is used up, or never watched."""
        own = within_others(of, (ast.FunctionDef, ast.Lambda, ast.ClassDef))
        constants, others = set(), set()
        for one in ast.walk(of):
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
                if not isinstance(one.value, ast.Call) or self.full(one.value.func) not in UNWATCHED:
                    others.add(one.targets[0].id)
                elif id(one) not in own:
                    constants.add(one.targets[0].id)
        constants -= others
        for body in (one.body for one in [of] + list(ast.walk(of)) if id(one) not in own and isinstance(
                getattr(one, "body", None), list)):
            for at, block in enumerate(body):
                made = block.items[0] if isinstance(block, ast.With) and len(block.items) == 1 else None
                if made is None or made.optional_vars is None or not isinstance(made.context_expr, ast.Call) or \
                        self.full(made.context_expr.func) != "tensorflow.GradientTape" or made.context_expr.keywords:
                    continue
                tape = self.written(made.optional_vars)
                asked = []
                for statement in body[at + 1:]:
                    if tape in self.stored(statement):
                        break
                    asked += [call for call in self.own_calls(statement) if self.written(call.func) in (
                        tape + ".gradient", tape + ".jacobian")]
                if len(asked) > 1:
                    self.reader.mistake(asked[1], "a tape that is used twice", self.written(asked[1]), other=asked[0])
                watched = re.search(r"\.watch\(", self.reader.written_whole(block))
                for call in asked[:1] if not watched else ():
                    if len(call.args) > 1 and isinstance(call.args[1], ast.Name) and call.args[1].id in constants:
                        self.reader.mistake(call, "a gradient of what a tape doesn't watch", self.written(call),
                                            call.args[1].id)

    def traced_for_numbers(self, loop):
        """for i in range(1000): step(x, i), where step is a tf.function: Python's numbers are traced one by one."""
        kind = getattr(getattr(loop.iter, "func", None), "id", "") if isinstance(loop, ast.For) else ""
        target = loop.target.elts[0] if kind == "enumerate" and isinstance(loop.target, ast.Tuple) else getattr(loop, "target", None)
        counts = kind in ("range", "enumerate") and isinstance(target, ast.Name)
        numbers = self.changed_numbers(loop) | ({target.id} if counts else set())
        if not numbers or not counts and not self.repeats(loop):
            return
        count = getattr(loop.iter.args[0], "value", None) if kind == "range" and len(loop.iter.args) == 1 else None
        few = isinstance(count, int) and count < 10
        for statement in loop.body if not few else ():
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) and \
                    self.is_number_of(statement.value, numbers):
                numbers.add(statement.targets[0].id)
            for call in self.own_calls(statement):
                traced = self.traced_of(call.func) or self.traced.get(getattr(call.func, "attr", None))
                given = next((one for one in call.args + [k.value for k in call.keywords] if self.is_number_of(one, numbers)), None)
                if traced and traced.by == "jax.jit" and traced.known and not (isinstance(count, int) and count <= 50):
                    self.static_numbers(call, traced, numbers)
                text = next((one for one in call.args + [k.value for k in call.keywords] if isinstance(one, ast.JoinedStr) and any(
                    isinstance(name, ast.Name) and name.id in numbers for name in ast.walk(one))), None)
                if traced and traced.by in GRAPHS and traced.known and text is not None:
                    self.reader.mistake(call, "a text that a tf.function is traced anew for", self.written(text))
                if traced and traced.by in GRAPHS and traced.known and given is not None:
                    self.reader.mistake(call, "a number that a tf.function is traced anew for", self.written(call),
                                        self.written(given))

    def changed_numbers(self, loop):
        """The numbers of Python's that each round changes: step += 1, temperature *= 0.99"""
        found = set()
        for one in loop.body:
            name = one.target.id if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name) else None
            made = self.index.assigned.get(name, ()) if name else ()
            if made and self.is_fixed_number(one.value) and all(isinstance(value, ast.Constant) and type(value.value) in (
                    int, float) for value in made):
                found.add(name)
        return found

    def static_numbers(self, call, traced, numbers):
        """step(w, lr=0.1 / (1 + i)) in a loop over i, where lr is static: each value is compiled for."""
        parameters = [one.arg for one in traced.node.args.args] if traced.node is not None else []
        given = [self.argument(call, traced, at, None) for at in traced.static if type(at) is int] + [
            self.argument(call, traced, parameters.index(name) if name in parameters else None, name) for name in traced.static_names]
        for one in given:
            if one is not None and self.is_number_of(one, numbers) and not any(
                    isinstance(inner, (ast.Mod, ast.FloorDiv)) for inner in ast.walk(one)):
                self.reader.mistake(call, "a static argument of a new value in each round", self.written(call), self.written(one))

    def is_number_of(self, node, names):
        """Whether an argument is one of these numbers, or what math alone, or a function of the script by it, makes of them."""
        if isinstance(node, ast.Name):
            return node.id in names
        if isinstance(node, ast.UnaryOp):
            return self.is_number_of(node.operand, names)
        if isinstance(node, ast.BinOp):
            sides = (node.left, node.right)
            return any(self.is_number_of(one, names) for one in sides) and all(
                self.is_fixed_number(one) or self.is_number_of(one, names) for one in sides)
        if not isinstance(node, ast.Call) or not any(self.is_number_of(one, names) for one in node.args):
            return False
        if self.full(node.func).startswith("math.") or getattr(node.func, "id", "") in ("min", "max", "float", "abs", "round"):
            return True
        found = self.origins.functions_of(node.func) + [method for one in self.origins.of(node.func) if isinstance(
            one, ast.Call) for of in self.origins.functions_of(one.func) if isinstance(of, ast.ClassDef) for method in of.body if getattr(
                method, "name", "") == "__call__"]
        function = found[0] if len(found) == 1 and isinstance(found[0], ast.FunctionDef) else None
        return function is not None and all(
            self.full(one.func).split(".")[0] in ("math", "") for one in ast.walk(function) if isinstance(one, ast.Call)) and \
            any(isinstance(one, ast.Return) and isinstance(one.value, ast.BinOp) for one in ast.walk(function))

    def is_fixed_number(self, node):
        """Whether an expression is a number of Python's that the file writes out, or computes of such: args.steps - 1"""
        if isinstance(node, ast.BinOp):
            return self.is_fixed_number(node.left) and self.is_fixed_number(node.right)
        values = self.origins.known(node)
        return bool(values) and all(isinstance(one, ast.Constant) and type(one.value) in (int, float) for one in values)

    def states(self, body, loops):
        """updates, new = optimizer.update(gradients, state) in a loop that never takes the new state."""
        for statement in body if loops else ():
            call = statement.value if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) else None
            if call is None or len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Tuple) or \
                    not isinstance(call.func, ast.Attribute) or call.func.attr != "update" or len(call.args) < 2 or \
                    not isinstance(call.args[1], (ast.Name, ast.Attribute)) or len(statement.targets[0].elts) != 2:
                continue
            made, text = self.constants.get(self.written(call.func.value)), self.written(call.args[1])
            if not isinstance(made, ast.Call) or not self.full(made.func).startswith("optax.") or self.binds(
                    loops[-1], text):
                continue
            new = self.written(statement.targets[0].elts[1])
            named = [] if new == "_" else re.findall(r"\b%s\b" % re.escape(new), "\n".join(
                self.reader.written_whole(one) for one in body))
            if len(named) < 2:
                self.reader.mistake(call, "a state of an optimizer that is not taken on", text)

    def repeats(self, loop):
        """Whether a loop does the same again, rather than go through cases that are to be alike."""
        if isinstance(loop, ast.While):
            return True
        over = loop.iter
        while isinstance(over, ast.Call) and over.args and getattr(over.func, "id", getattr(over.func, "attr", "")) in (
                "enumerate", "tqdm", "zip"):
            over = over.args[0]
        name = self.written(over.func if isinstance(over, ast.Call) else over)
        return re.search(r"^t?range$|loader|batch|data|_ds$|^ds|steps|epochs|\.take$|"
                         r"sizes|dims|widths|layers|hidden|features", name) is not None

    def carries_on(self, loop):
        """Whether a round hands on what the last one gave: state, loss = step(state, batch), and no state that this round made."""
        made = self.stored(loop.target) if isinstance(loop, ast.For) else set()
        for one in loop.body:
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call):
                given = {self.written(each) for each in one.value.args if isinstance(each, (ast.Name, ast.Attribute))}
                if given & self.stored(one) - made:
                    return True
            if isinstance(one, ast.Assign):
                read = {self.written(each) for each in ast.walk(one.value) if isinstance(each, (ast.Name, ast.Attribute))}
                made = made | self.stored(one) - read
        return False

    def is_of_sizes(self, loop):
        """for size in sizes: x = normal(key, (size, 16)): an experiment for each size. Layers of these sizes are kept or handed on."""
        if not isinstance(loop, (ast.For, ast.AsyncFor)) or not NAMES_OF_SIZES.search(self.written(loop.iter)) and not (isinstance(
                loop.iter, (ast.Tuple, ast.List)) and all(type(getattr(one, "value", None)) is int for one in loop.iter.elts)):
            return False
        own = self.stored(loop.target)
        return not any(is_call(one, "append") and not self.is_measured(one) or isinstance(one, ast.Subscript) and isinstance(one.ctx, ast.Store) or
                       isinstance(one, (ast.Yield, ast.AugAssign)) or isinstance(one, ast.Assign) and isinstance(
                           one.value, ast.Name) and one.value.id in own for part in loop.body for one in ast.walk(part)) and not self.carries_on(loop)

    def is_measured(self, call):
        """Whether what is appended is a time or a number of the host's."""
        return bool(call.args) and re.search(r"time\.|perf_counter|clock|\bfloat\(|elapsed|seconds|\bms\b", self.written(call.args[0])) is not None

    def changes_with(self, bound, text, call):
        """Whether a key is another one in each round, or a round is an experiment of its own."""
        return self.binds(bound, text) or OF_CASES in bound or self.is_of_size(bound, call)

    @staticmethod
    def is_of_size(bound, call):
        """Whether a call names what a loop over sizes binds."""
        return any(isinstance(one, ast.Name) and OF_CASES + one.id in bound for one in ast.walk(call))

    @staticmethod
    def binds(bound, text):
        """Whether one of these names is the text, or what it hangs on."""
        return any(text == name or text.startswith(name + ".") or text.startswith(name + "[") for name in bound)

    def argument(self, node, traced, position, name):
        """What a call gives for a parameter, by its number or its name."""
        if position is not None and traced.hidden and isinstance(node.func, ast.Attribute):
            position -= traced.hidden
            if position < 0:
                return None
        if position is not None and 0 <= position < len(node.args) and not any(
                isinstance(one, ast.Starred) for one in node.args[:position + 1]):
            return node.args[position]
        if name is None and traced.node is not None and position is not None:
            parameters = [one.arg for one in traced.node.args.args][traced.hidden:]
            name = parameters[position] if position < len(parameters) else None
        return next((k.value for k in node.keywords if k.arg == name and name), None)

    def donations(self, body, loops):
        self.aliases = self.aliases if loops else {}
        gone, others = {}, dict(self.aliases)  # others: the names that hold what other names hold
        for statement in body:
            loads = [one for one in ast.walk(statement) if isinstance(one, (ast.Name, ast.Attribute)) and
                     isinstance(one.ctx, ast.Load)] if gone else []
            for one in loads:
                text = self.written(one)
                outer = self.origins.parents.get(id(one))
                last = isinstance(outer, ast.Subscript) and outer.value is one and self.origins.key(outer) == -1  # states[-1]
                if text in gone and not last and not isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                    self.reader.mistake(one, "a buffer that was donated", text, self.written(gone[text].func),
                                        other=gone[text])
                    del gone[text]
            bound = self.stored(statement)
            gone = {text: call for text, call in gone.items() if not self.binds(bound, text)}
            others = {name: held for name, held in others.items() if name not in bound}
            if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
                parts = statement.value.elts if isinstance(statement.value, ast.Tuple) else [statement.value]
                if all(isinstance(one, (ast.Name, ast.Attribute)) for one in parts):
                    others[statement.targets[0].id] = [self.written(one) for one in parts]
                    self.aliases.update(others)
            if isinstance(statement, (ast.For, ast.While)):
                for call in (one for one in ast.walk(statement) if isinstance(one, ast.Call)):
                    given = {self.written(one) for one in self.donated(call) if one is not None}
                    gone.update({name: call for name, held in others.items() if self.is_part(held, given) and not self.binds(bound, name)})
                    gone.update({name: call for name in self.kept_in_loop(statement, given)})
            for call in self.own_calls(statement):
                for one in self.donated(call):
                    if not isinstance(one, (ast.Name, ast.Attribute)):
                        continue
                    text = self.written(one)
                    gone.update({name: call for name, held in others.items() if self.is_part(held, {text})})
                    if self.binds(bound, text):
                        continue
                    if loops and not self.binds(loops[-1], text):
                        self.reader.mistake(call, "a buffer that was donated", text, self.written(call.func), other=call)
                    else:
                        gone[text] = call
            if isinstance(statement, ast.Assign):  # state = fresh(): what another name holds is no longer the state's
                self.aliases = {name: held for name, held in self.aliases.items() if not self.left_by(held, bound)}
                others = {name: held for name, held in others.items() if not self.left_by(held, bound)}

    @staticmethod
    def left_by(held, bound):
        """Whether the names that a name's value came from have all got another value."""
        return all(text in bound or any(text.startswith(name + ".") for name in bound) for text in held)

    @staticmethod
    def is_part(held, given):
        """Whether what a name holds is given away, itself or as an attribute: kept = state.params, of a state that is donated."""
        return any(text == one or text.startswith(one + ".") and text[len(one) + 1:] in PARTS_OF_STATES for text in held for one in given)

    def kept_in_loop(self, loop, given):
        """The names that a loop binds to what a later round gives away, and to nothing else: if loss < best: kept = params"""
        left = {id(inner) for one in ast.walk(loop) if isinstance(one, ast.If) for body in (one.body, one.orelse) if body and isinstance(
            body[-1], (ast.Break, ast.Return, ast.Raise)) for part in body for inner in ast.walk(part)}
        found = {}
        for one in (one for one in ast.walk(loop) if isinstance(one, ast.Call) and given):  # states.append(state)
            if isinstance(one.func, ast.Attribute) and one.func.attr == "append" and isinstance(one.func.value, ast.Name) and len(
                    one.args) == 1 and isinstance(one.args[0], ast.Name) and id(one) not in left:
                found.setdefault(one.func.value.id, []).append(one.args[0].id in given)
        for one in (one for one in ast.walk(loop) if isinstance(one, ast.Assign) and given):
            for target in one.targets:
                pairs = zip(target.elts, one.value.elts) if isinstance(target, ast.Tuple) and isinstance(
                    one.value, ast.Tuple) else [(target, one.value)]
                for name, value in pairs:
                    for inner in (inner for inner in ast.walk(name) if isinstance(inner, ast.Name)):
                        alias = inner is name and isinstance(value, ast.Name) and value.id in given and id(one) not in left
                        found.setdefault(inner.id, []).append(alias)
        return [name for name, aliases in found.items() if all(aliases) and name not in given]

    def donated(self, call):
        """What a call gives away for good."""
        traced = self.traced_of(call.func)
        if traced is None or not (traced.donated or traced.donated_names):
            return []
        return [self.argument(call, traced, at, None) for at in traced.donated if type(at) is int] + [
            self.argument(call, traced, self.place_of(traced, name), name) for name in traced.donated_names]

    @staticmethod
    def place_of(traced, name):
        """The place of the parameter of a traced function that has this name."""
        parameters = [one.arg for one in traced.node.args.args] if traced.node is not None else []
        return parameters.index(name) if name in parameters else None

    def consumed(self, call):
        """The keys that a call draws with."""
        name = self.full(call.func)
        if name.startswith("jax.random.") and name.rsplit(".", 1)[-1] in SAMPLERS:
            key = call.args[0] if call.args else next((k.value for k in call.keywords if k.arg == "key"), None)
            if isinstance(key, (ast.Name, ast.Attribute)):
                return [self.written(key)]
        found = []
        if not name and call.args and isinstance(call.args[0], ast.Name) and self.draws_weights(call.func):
            return [call.args[0].id]
        for keyword in call.keywords:
            if keyword.arg == "rngs" and isinstance(keyword.value, ast.Dict):
                for label, value in zip(keyword.value.keys, keyword.value.values):
                    if isinstance(value, (ast.Name, ast.Attribute)) and getattr(label, "value", "") == "dropout" and \
                            not self.full(call.func).endswith(".init") and getattr(call.func, "attr", "") != "init":
                        found.append(self.written(value))
        return found

    def draws_weights(self, func):
        """Whether what is called is an initializer of JAX's, which takes the key first: uniform(2)(key, shape)."""
        if not self.wholes.says(r"initializers"):
            return False
        made = [func] if isinstance(func, ast.Call) else self.origins.of(func) if isinstance(func, ast.Name) else []
        return bool(made) and all(isinstance(one, ast.Call) and re.match(r"(jax|flax\.linen|flax\.nnx)\.(nn\.)?initializers\.(?!zeros|ones|constant)\w+$", self.full(one.func)) for one in made)

    def consumes(self, function):
        """The parameters of a function of the script with which it draws as they are."""
        if id(function) not in self.drawing:
            drawn = {text for one in ast.walk(function) if isinstance(one, ast.Call) for text in self.consumed(one)}
            stored = {one.id for one in ast.walk(function) if isinstance(one, ast.Name) and
                      isinstance(one.ctx, ast.Store)}
            self.drawing[id(function)] = [(at, one.arg) for at, one in enumerate(function.args.args)
                                          if one.arg in drawn and one.arg not in stored]
        return self.drawing[id(function)]

    def divides_keys(self, function):
        """The parameters that a function splits, of which it draws with the parts, and gives none back."""
        key = ("divides", id(function))
        if key not in self.drawing:
            found = []
            drawn = {text for one in ast.walk(function) if isinstance(one, ast.Call) for text in self.consumed(one)}
            names = [one.arg for one in function.args.args]
            for one in function.body:
                call = one.value if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) else None
                of = call.args[0] if call is not None and self.full(call.func) == "jax.random.split" and call.args else None
                if isinstance(of, ast.Name) and of.id in names and self.stored(one) & drawn and not any(
                        isinstance(part, (ast.Return, ast.Yield)) and part.value is not None and any(getattr(
                            name, "id", "") in self.stored(one) | {of.id} for name in ast.walk(part.value)) for part in ast.walk(function)):
                    found.append((names.index(of.id), of.id))
            self.drawing[key] = found
        return self.drawing[key]

    def keys(self, body, loops):
        drawn, divided = {}, {}
        compares = lambda: any(re.search(r"array_equal|allclose|assert", self.reader.written_whole(one)) for one in body)
        for statement in body:
            bound = self.stored(statement)
            for call in self.own_calls(statement):
                for text in self.consumed(call):
                    if any(self.is_of_size(one, call) for one in loops):
                        continue  # what a speed is measured with need not be independent
                    if text in drawn and (self.is_for_a_clock() or self.is_shown_alone(body, drawn[text], call)):
                        continue
                    if text in drawn and not compares():
                        self.reader.mistake(call, "a key that is used twice", text, self.written(drawn[text]),
                                            other=drawn[text])
                    elif loops and not any(self.changes_with(one, text, call) for one in loops):
                        self.reader.mistake(call, "a key that every round uses", text)
                    elif text in divided and self.full(call.func).startswith("jax.random.") and not compares():
                        self.reader.mistake(call, "a key that is used twice", text, self.written(divided[text]), other=divided[text])
                    drawn[text] = call
                if self.full(call.func) in ORDERS and call.args and isinstance(call.args[0], (ast.Name, ast.Attribute)) and loops and not any(
                        self.binds(one, self.written(call.args[0])) or OF_CASES in one for one in loops):
                    self.reader.mistake(call, "a key that every round uses", self.written(call.args[0]))
                if self.full(call.func) == "jax.random.split" and call.args and isinstance(call.args[0], ast.Name):
                    text = call.args[0].id
                    if text in divided and not compares() and not self.is_for_a_clock():
                        self.reader.mistake(call, "a key that is used twice", text, self.written(divided[text]), other=divided[text])
                    divided[text] = call
                self.keys_given(call, loops, bound)
            drawn, divided = ({text: call for text, call in of.items() if not self.binds(bound, text)} for of in (drawn, divided))
            for one in ast.walk(statement) if not isinstance(statement, COMPOUND) else ():
                if isinstance(one, (ast.ListComp, ast.GeneratorExp)):
                    bound = {self.written(t) for g in one.generators for t in ast.walk(g.target)
                             if isinstance(t, ast.Name)}
                    for call in (c for c in ast.walk(one.elt) if isinstance(c, ast.Call)):
                        for text in self.consumed(call):
                            if not self.binds(bound, text):
                                self.reader.mistake(call, "a key that every round uses", text)

    def keys_given(self, call, loops, bound):
        """train_step(state, batch, key) in a loop, whose function draws with the key as it is."""
        if not loops:
            return
        name = self.written(call.func)
        traced = self.traced.get(name)
        function = traced.node if traced else self.functions.get(name if "." not in name else name.replace("self.", ""))
        if function is None:
            return
        of_class = function.args.args[:1] and function.args.args[0].arg == "self"
        goes_on = bound & {self.written(one) for one in call.args}
        for at, parameter in self.consumes(function) + (self.divides_keys(function) if goes_on else []):
            if of_class:
                at -= 1
            given = call.args[at] if 0 <= at < len(call.args) else next(
                (k.value for k in call.keywords if k.arg == parameter), None)
            text = self.written(given) if isinstance(given, (ast.Name, ast.Attribute)) or isinstance(
                given, ast.Subscript) and self.origins.key(given) is not None else ""
            if text and not any(self.changes_with(one, text, call) for one in loops):
                self.reader.mistake(call, "a key that every round uses", text)

    def timings(self, body):
        """start = time.time() … step(x) … time.time() - start: JAX gives back before it has computed."""
        def starts(statement):
            return isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call) and \
                self.full(statement.value.func) in CLOCKS_OF_TRACES and isinstance(statement.targets[0], ast.Name)

        if not any(map(starts, body)) or self.says_sync_devices():
            return
        # Beside what is placed on the CPU, only what is placed on the GPU is surely the GPU's.
        placed = "jax" not in self.names.values() and re.search(r"\bdevice\(['\"]/?(device:)?cpu", self.reader.text, re.I)
        started = {}  # the clock's name: (statement, calls since, text since)
        waited = {self.written(one.args[0].func) for statement in body for one in ast.walk(statement) if isinstance(
            one, ast.Call) and self.full(one.func) == "jax.block_until_ready" and one.args and isinstance(
                one.args[0], ast.Call)}
        for number, statement in enumerate(body):
            text = self.written(statement)
            for name in list(started):
                at, call, since = started[name]
                if starts(statement) and self.is_end_of(body[number + 1:], statement.targets[0].id, name):
                    if call is not None and not WAITS_OF_TRACES.search(since):
                        self.tell_time(statement, call)
                    del started[name]
                    continue
                stops = next((one for one in ast.walk(statement) if isinstance(one, ast.BinOp) and isinstance(
                    one.op, ast.Sub) and isinstance(one.left, ast.Call) and self.full(one.left.func) in CLOCKS_OF_TRACES and
                    getattr(one.right, "id", None) == name), None)
                if stops is not None and not isinstance(statement, COMPOUND):
                    self.compiled_within(stops, statement, body, at)
                    before = text.split(self.written(stops))[0]
                    waits_later = any(e["name"] == "a clock that stops before the wait" and e["line"] == stops.lineno for e in
                                      self.reader.events if e["subject"] == "script-mistake")
                    if call is not None and not WAITS_OF_TRACES.search(since) and not waits_later and not re.search(
                            r"block_until_ready|\bfloat\(|\bint\(|\.numpy\(|\.item\(", before):
                        self.tell_time(stops, call)
                    del started[name]
                    continue
                calls = [one for one in ast.walk(statement) if isinstance(one, ast.Call) and (
                    (self.traced_of(one.func) or Traced("")).by in JITS + GRAPHS or
                    HEAVY_OPS.match(self.full(one.func)) or self.written(one.func) in waited or
                    isinstance(one.func, ast.Call) and self.full(one.func.func) in ("jax.vmap", "jax.pmap", "jax.jit") or
                    self.origins.made_by(one.func, MODELS_OF_KERAS, surely=True) is not None or self.leaves_to_the_gpu(one.func))]
                if placed:
                    calls = [one for one in calls if self.is_on_the_gpu(one) or self.leaves_to_the_gpu(one.func)]
                started[name] = (at, call or (calls[0] if calls else None), since + "\n" + text)
            if starts(statement):
                started[statement.targets[0].id] = (statement, None, "")

    def compiled_within(self, stops, statement, body, begun):
        """print("CPU time:", clock() - start) behind a compiled function's only call, whose time is mostly that of its compilation."""
        text = self.reader.written_whole(statement)
        if not re.search(r"(?i)\b(cpu|gpu|tpu)\b", text) or TIME_OF_ANOTHER.search(text) or re.search(
                r"(?i)\.compile\(|incl|whole|total|cold", self.reader.text):
            return
        between = body[body.index(begun) + 1:body.index(statement)]
        for call in (call for one in between for call in self.own_calls(one)) if len(between) <= 2 else ():
            traced = self.traced_of(call.func) if isinstance(call.func, ast.Name) else None
            if not traced or traced.by != "jax.jit" or not isinstance(traced.node, ast.FunctionDef) or len(traced.node.body) > 3 or any(
                    isinstance(one, (ast.For, ast.While, ast.FunctionDef)) and one is not traced.node or isinstance(one, ast.Call) and re.match(
                        r"jax\.lax\.(scan|fori_loop|while_loop|map)$", self.full(one.func)) for one in ast.walk(traced.node)):
                continue
            alike = {name for name, other in self.traced.items() if other and other.node is traced.node}
            calls = [one for one in self.index.calls if self.written(one.func) in alike]
            once = sum(self.written(one.func) == call.func.id for one in calls) == 1
            if once and min(calls, key=lambda one: one.lineno) is call and self.origins.scope(call) is None and not any(
                    isinstance(one, (ast.For, ast.While)) for one in self.origins.around(call)):
                self.reader.mistake(call, "a time that holds the compilation", self.written(call), other=stops, doubted=True)

    def says_sync_devices(self):
        return "sync_devices(" in self.reader.text and "jax" not in self.names.values()

    def tell_time(self, stops, call):
        by = (self.traced_of(call.func) or Traced("")).by
        graph = by in GRAPHS or not by and "jax" not in self.names.values()
        self.reader.mistake(stops, "a time of TensorFlow's without an end" if graph else "a time without an end", self.written(call), other=call)

    def is_end_of(self, rest, end, start):
        """Whether statements take start from end, both names of times, before either is read from the clock again.

        Not where the time is called one of compilation or of the launch, or a later time is taken from the same start.
        """
        found = False
        for one in rest:
            ends = [getattr(part.left, "id", "") for part in ast.walk(one) if isinstance(part, ast.BinOp) and isinstance(
                part.op, ast.Sub) and getattr(part.right, "id", "") == start]
            if any(other != end for other in ends) or ends and TIME_OF_ANOTHER.search(self.reader.written_whole(one)):
                return False
            found = found or end in ends
            if self.stored(one) & {end, start}:
                break
        return found and not TIME_OF_ANOTHER.search(end + " " + start)

    def is_on_the_gpu(self, node):
        """Whether it stands in a with tf.device('/GPU:0')."""
        return any(isinstance(one, ast.With) and any(isinstance(item.context_expr, ast.Call) and self.full(
            item.context_expr.func) == "tensorflow.device" and item.context_expr.args and re.search(
                "(?i)gpu", self.origins.text_of(item.context_expr.args[0]) or "") for item in one.items) for one in self.origins.around(node))

    def leaves_to_the_gpu(self, func):
        """Whether what is called is a function of the file that gives the GPU a product under tf.device and doesn't wait for it."""
        for of in self.origins.functions_of(func) if isinstance(func, (ast.Name, ast.Attribute)) and not self.imported(func) else ():
            if isinstance(of, ast.FunctionDef) and not of.decorator_list and not WAITS_OF_TRACES.search(self.reader.written_whole(of)) and any(
                    isinstance(one, ast.Call) and HEAVY_OPS.match(self.full(one.func)) and self.is_on_the_gpu(one) for one in ast.walk(of)):
                return True
        return False

    def static_arguments(self, body):
        literal = {}
        for statement in body:
            for call in self.own_calls(statement):
                traced = self.traced_of(call.func)
                if traced is None or traced.by not in JITS:
                    continue
                given = [self.argument(call, traced, at, None) for at in traced.static if type(at) is int] + [
                    self.argument(call, traced, None, name) for name in traced.static_names]
                if traced.node is not None:  # a name that is given by its place
                    parameters = [one.arg for one in traced.node.args.args]
                    given += [self.argument(call, traced, parameters.index(name), None) for name in traced.static_names
                              if name in parameters]
                for one in given:
                    of = literal.get(one.id, self.constants.get(one.id)) if isinstance(one, ast.Name) else one
                    values = self.origins.of(one) if not isinstance(of, UNHASHABLE) else [of]
                    if values and all(isinstance(value, UNHASHABLE) or isinstance(value, ast.Call) and MAKES_ARRAYS.match(self.full(
                            value.func)) for value in values):
                        self.reader.mistake(call, "a static argument that can't be hashed", self.written(one))
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                literal[self.written(statement.targets[0])] = statement.value
            else:
                for name in self.stored(statement):
                    literal.pop(name, None)

    # ---- inside of functions that are traced

    def inside(self, traced):
        node = traced.node
        arguments = node.args.args + node.args.kwonlyargs
        with_default = {one.arg for one in node.args.args[len(node.args.args) - len(node.args.defaults):]} | {
            one.arg for one, default in zip(node.args.kwonlyargs, node.args.kw_defaults) if default is not None}
        static = set(traced.static_names) | with_default | {"self", "cls"}
        for at in traced.static:
            if type(at) is int and -len(node.args.args) <= at < len(node.args.args):
                static.add(node.args.args[at].arg)
        values = {one.arg for one in arguments if one.arg not in static} if traced.known else set()
        of_jax = traced.by in JITS
        self.statements(node, values, of_jax, (node, ))
        for statement in node.body:
            if not of_jax and isinstance(statement, (ast.Assign, ast.Expr)) and isinstance(statement.value, ast.Call):
                made = self.full(statement.value.func)
                if made == "tensorflow.Variable" or made.startswith("tensorflow.random.Generator.from_"):
                    self.reader.mistake(statement, "a variable that a tf.function makes", self.written(statement.value))

    def computed_by_jax(self, node, within, deepest=5):
        """Whether an expression is computed by JAX in this function: under a trace it is traced, whatever it is computed from."""
        if isinstance(node, ast.BinOp):
            return any(self.computed_by_jax(one, within, deepest - 1) for one in (node.left, node.right)) if deepest else False
        if isinstance(node, ast.Name):
            known = [one for one in self.origins.statements_of(node) if isinstance(one, ast.Assign) and self.origins.scope(one) is within]
            return len(known) == 1 and deepest > 0 and isinstance(known[0].targets[0], ast.Name) and self.computed_by_jax(known[0].value, within, deepest - 1)
        return isinstance(node, ast.Call) and re.match(r"jax\.(numpy|random|nn|lax)\.[a-z]\w*$", self.full(node.func)) is not None

    def statements(self, node, values, of_jax, callers):
        """Of a traced function, and of those of the script that it calls."""
        deepest = 4
        nested = within_others(node)
        masks = set()
        local = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)} | {
            one.arg for one in node.args.args + node.args.kwonlyargs}
        for statement in node.body:
            for one in ast.walk(statement):
                if id(one) in nested:
                    continue
                if of_jax:
                    self.items_set(one, values, node)
                if isinstance(one, ast.Call) and len(callers) == 1:
                    self.grows_once(one, local, of_jax)
                if isinstance(one, ast.Call) and not of_jax:
                    self.value_in_graph(one)
                if of_jax and isinstance(one, ast.Assign) and self.is_value(one.value, values):
                    values |= {t.id for target in one.targets for t in ast.walk(target) if isinstance(t, ast.Name)} - self.sizes_given(one, values)
                if of_jax:
                    self.sizes_and_counts(one, values, masks)
                if of_jax and isinstance(one, ast.While):
                    values |= self.made_in_rounds(one, values)
                if of_jax and isinstance(one, (ast.If, ast.While, ast.IfExp, ast.Assert)) and self.decides(one.test, values):
                    self.reader.mistake(one, "a branch on a traced value", self.written(one.test))
                elif of_jax and isinstance(one, ast.BoolOp) and any(self.decides(part, values) for part in one.values[:-1]):
                    self.reader.mistake(one, "a branch on a traced value", self.written(one))
                if not isinstance(one, ast.Call):
                    continue
                self.call_inside(one, values, of_jax)
                if of_jax and getattr(one.func, "attr", "") == "block_until_ready" and not one.args and not self.full(one.func) and (
                        self.is_value(one.func.value, values) or self.computed_by_jax(one.func.value, node)):
                    self.reader.mistake(one, "a wait for a traced value", self.written(one.func.value), getattr(node, "name", "the function"))
                called = self.function_of(one.func)
                if called is None or called in callers or len(callers) > deepest:
                    continue
                names = [parameter.arg for parameter in called.args.args]
                if names[:1] == ["self"]:
                    names = names[1:]
                given = list(zip(names, one.args)) + [(k.arg, k.value) for k in one.keywords if k.arg]
                starred = any(isinstance(argument, ast.Starred) for argument in one.args)
                inner = set() if starred else {name for name, value in given if self.is_value(value, values)}
                self.statements(called, inner, of_jax, callers + (called, ))

    def sizes_given(self, statement, values):
        """The names that are given no arrays where several are unpacked: flat, n = dims(x), of a function of the file."""
        if isinstance(statement.value, ast.Tuple) and isinstance(statement.targets[0], ast.Tuple):
            return {name.id for name, part in zip(statement.targets[0].elts, statement.value.elts) if isinstance(
                name, ast.Name) and not self.is_value(part, values)}
        of = self.function_of(statement.value.func) if isinstance(statement.value, ast.Call) and isinstance(
            statement.targets[0], ast.Tuple) else None
        if of is None:
            return set()
        known = {one.id for one in ast.walk(of) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        made = {one.targets[0].id: one.value for one in ast.walk(of) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name)}
        arrays = {one.arg for one in of.args.args} | {name for name in known if name in made and self.is_value(
            made[name], {one.arg for one in of.args.args})}
        found = set()
        for one in ast.walk(of):
            parts = one.value.elts if isinstance(one, ast.Return) and isinstance(one.value, ast.Tuple) else ()
            found |= {name.id for name, part in zip(statement.targets[0].elts, parts) if isinstance(name, ast.Name) and not self.is_value(
                part, arrays)}
        return found

    def made_in_rounds(self, loop, values):
        """The names that a round of a loop gives arrays, which its test meets in the next round."""
        found = set()
        for one in loop.body:
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
            if isinstance(target, ast.Name) and self.is_plain(one.value, values | found):
                found.add(target.id)
            if any(isinstance(part, (ast.Break, ast.Return)) for part in ast.walk(one)):
                return set()
        return found

    def items_set(self, node, values, of):
        """x[0] = 1.0, of a traced array; of a dictionary, whose keys are texts, or another tree it may be."""
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AugAssign) else []
        for target in targets:
            if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name) and target.value.id in values and \
                    not isinstance(getattr(target.slice, "value", None), str) and not self.may_be_a_tree(target.value.id, of):
                self.reader.mistake(node, "an item of a JAX array that is set", self.written(target))

    def may_be_a_tree(self, name, of):
        """Whether a function gives a name a dictionary, a list or what tree.map makes, which has the form of what it is given."""
        made = [one.value for one in ast.walk(of) if isinstance(one, ast.Assign) and any(getattr(target, "id", "") == name for target in one.targets)]
        return any(isinstance(one, (ast.Dict, ast.DictComp, ast.List, ast.ListComp)) or isinstance(one, ast.Call) and (re.match(
            r"jax\.(tree_map$|tree\.|tree_util\.)", self.full(one.func)) or getattr(one.func, "id", "") in ("dict", "list") or isinstance(
                one.func, ast.Call) and self.full(one.func.func) in ("jax.grad", "jax.value_and_grad")) for one in made)

    def is_for_a_clock(self):
        """Whether a file measures times and trains nothing: what it computes with need not be independent."""
        return any(self.full(one.func) in CLOCKS_OF_TRACES[:-1] for one in self.index.calls) and not re.search(
            r"grad\(|optax|\.init\(|[Pp]aram|weight|dropout|loss|nnx|sampl|\bmean\(|monte", self.reader.text)

    def is_shown_alone(self, body, first, again):
        """Whether all that reads what the first call drew, before the second gives its name another value, prints it."""
        owners = [next((one for one in body if isinstance(one, ast.Assign) and one.value is call and len(one.targets) == 1 and isinstance(
            one.targets[0], ast.Name)), None) for call in (first, again)]
        if None in owners or owners[0].targets[0].id != owners[1].targets[0].id:
            return False
        name, between = owners[0].targets[0].id, body[body.index(owners[0]) + 1:body.index(owners[1])]
        return not any(isinstance(one, (ast.FunctionDef, ast.Lambda)) for part in between for one in ast.walk(part)) and all(
            isinstance(part, ast.Expr) and isinstance(part.value, ast.Call) and getattr(part.value.func, "id", "") == "print" for part in between if any(
                isinstance(one, ast.Name) and one.id == name for one in ast.walk(part)))

    def grows_once(self, call, local, of_jax):
        """A list of the script's that a traced function appends to: that happens where it is traced alone."""
        of = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr == "append" else None
        if isinstance(of, ast.Name) and of.id not in local and call.args and isinstance(self.constants.get(of.id), ast.List):
            self.reader.mistake(call, "what a traced function does once", self.written(call),
                                "jit" if of_jax else "tf.function")

    def value_in_graph(self, call):
        """y.numpy() where TensorFlow traces."""
        if getattr(call.func, "attr", "") == "numpy" and not call.args and not re.search(
                r"run_eagerly|run_functions_eagerly|py_function|numpy_function", self.reader.text):
            self.reader.mistake(call, "a value of a tensor in a graph", self.written(call))

    def sizes_and_counts(self, node, values, masks):
        """x[x > 0] and range(n), whose sizes depend on traced values; `masks`: the names of comparisons so far."""
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Compare) and self.decides(node.value, values):
            masks |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name) and \
                node.value.id in values:
            index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
            bounds = [one for one in (index.lower, index.upper) if one is not None] if isinstance(index, ast.Slice) else []
            if any(isinstance(one, (ast.Name, ast.BinOp)) and self.is_plain(one, values) for one in bounds):
                self.reader.mistake(node, "a shape that jit doesn't know", self.written(node), self.written(index))
            if isinstance(index, ast.Compare) and self.decides(index, values) or \
                    isinstance(index, ast.Name) and index.id in masks:
                self.reader.mistake(node, "a mask that jit can't size", self.written(node))
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name) and isinstance(
                self.constants.get(node.value.id), (ast.List, ast.Tuple, ast.Dict)) and isinstance(node.slice, ast.Name) and self.is_plain(
                    node.slice, values):
            self.reader.mistake(node, "a traced value outside of JAX", self.written(node))
        elif isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and \
                getattr(node.iter.func, "id", "") == "range" and any(
                    self.is_plain(argument, values) for argument in node.iter.args):
            self.reader.mistake(node, "a loop over a traced number", self.written(node.iter))

    def is_value(self, node, values):
        """Whether an expression is made of a traced value, and not of its shape alone."""
        if isinstance(node, ast.Attribute) and node.attr in ("shape", "ndim", "dtype", "size"):
            return False
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("len", "isinstance", "type", "hasattr", "range",
                                                                         "enumerate"):
            return False
        if isinstance(node, ast.Call) and self.full(node.func).rsplit(".", 1)[-1] in SHAPES:
            return False
        if isinstance(node, ast.Name):
            return node.id in values
        return any(self.is_value(one, values) for one in ast.iter_child_nodes(node))

    def is_plain(self, node, values):
        """A traced value itself, arithmetic with it, or what jax.numpy makes of it: an array, and no structure."""
        if isinstance(node, ast.BinOp):
            return self.is_plain(node.left, values) or self.is_plain(node.right, values)
        if isinstance(node, ast.UnaryOp):
            return self.is_plain(node.operand, values)
        if isinstance(node, ast.Subscript):
            return self.is_plain(node.value, values)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in REDUCTIONS:
            if self.is_plain(node.func.value, values):
                return True
        if isinstance(node, ast.Call):
            return self.full(node.func).startswith("jax.numpy.") and self.full(node.func).rsplit(
                ".", 1)[-1] not in SHAPES and any(self.is_value(one, values) for one in node.args)
        return isinstance(node, ast.Name) and node.id in values

    def decides(self, test, values):
        if isinstance(test, ast.BoolOp):
            return any(self.decides(one, values) for one in test.values)
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self.decides(test.operand, values)
        if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(
                test.ops[0], (ast.Lt, ast.Gt, ast.LtE, ast.GtE, ast.Eq, ast.NotEq)):
            sides = (test.left, test.comparators[0])
            said = [getattr(one, "value", None) for one in sides]
            if any(isinstance(one, (str, bytes)) or isinstance(two, ast.Constant) and one is None
                   for one, two in zip(said, sides)):
                return False
            return any(self.is_plain(one, values) for one in sides)
        return isinstance(test, ast.Call) and self.is_plain(test, values)

    def call_inside(self, call, values, of_jax):
        reader, name = self.reader, self.full(call.func)
        if name in CLOCKS_OF_TRACES[:-1] or DRAWS_OF_TRACES.match(name):
            what = "jit" if of_jax else "tf.function"
            return reader.mistake(call, "what a traced function does once", self.written(call), what)
        if not of_jax:
            return None
        if name.startswith("numpy.") and not name.startswith("numpy.random.") and name.rsplit(
                ".", 1)[-1] not in SHAPES and any(self.is_value(one, values) for one in call.args) and \
                re.match(r"numpy\.(linalg\.|fft\.)?[a-z_0-9]+$", name) and not re.match(
                    r"numpy\.(u?int\d*|float\d*|bool_?|complex\d*)$", name):
            return reader.mistake(call, "a traced value outside of JAX", self.written(call))
        alone = len(call.args) == 1 and not call.keywords
        if alone and getattr(call.func, "id", "") in ("float", "int", "bool") and self.is_plain(call.args[0], values):
            return reader.mistake(call, "a traced value outside of JAX", self.written(call))
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("item", "tolist") and not call.args and \
                self.is_plain(call.func.value, values):
            return reader.mistake(call, "a traced value outside of JAX", self.written(call))
        if name == "jax.debug.print" and call.args and isinstance(call.args[0], ast.JoinedStr):
            shown = next((one.value for one in call.args[0].values if isinstance(one, ast.FormattedValue) and self.is_plain(
                one.value, values)), None)
            if shown is not None:
                return reader.mistake(call, "a print of what is traced", self.written(call), self.written(shown))
        named = getattr(call.func, "id", "")
        if named in ("max", "min") and len(call.args) > 1 and any(self.is_plain(one, values) for one in call.args):
            return reader.mistake(call, "a branch on a traced value", self.written(call))
        if name.startswith("math.") and call.args and self.is_plain(call.args[0], values):
            return reader.mistake(call, "a traced value outside of JAX", self.written(call))
        words = {k.arg for k in call.keywords}
        found = FINDS.match(name) if not words & {"size", "length", None} else None
        if found and len(call.args) == (1 if name.endswith("where") else len(call.args)) and call.args and self.is_value(call.args[0], values):
            return reader.mistake(call, "a mask that jit can't size", self.written(call))
        size = self.size_of(call, name)
        wrong = next((one for one in getattr(size, "elts", [size]) if isinstance(one, (ast.Name, ast.BinOp)) and self.is_plain(
            one, values)), None)
        if wrong is not None:
            return reader.mistake(call, "a shape that jit doesn't know", self.written(call), self.written(wrong))
        return None

    @staticmethod
    def size_of(call, name):
        """The argument of a call that must be known when jit traces it: the shape or length of what it makes."""
        words = {k.arg: k.value for k in call.keywords}
        place, word = next(((place, word) for form, place, word in SIZES_OF_CALLS if form.match(name)), (None, None))
        if place is None:
            return None
        return words.get(word, call.args[place] if place < len(call.args) else None)

    # ---- TensorFlow

    def numpy_under_a_device(self, node):
        """with tf.device('/GPU:0'): of which every call is NumPy's."""
        if not any(isinstance(item.context_expr, ast.Call) and self.full(item.context_expr.func) == "tensorflow.device"
                   for item in node.items):
            return
        calls = [one for statement in node.body for one in ast.walk(statement) if isinstance(one, ast.Call)]
        names = [self.full(one.func) for one in calls]
        builtin = [isinstance(one.func, ast.Name) and one.func.id in BUILTINS for one in calls]
        works = [name for name in names if re.match(r"numpy\.(linalg\.|fft\.)?[a-z_0-9]+$", name)]
        of_arrays = [isinstance(one.func, ast.Attribute) and one.func.attr in ("astype", "reshape", "sum", "mean", "copy",
                                                                              "transpose") for one in calls]
        products = any(isinstance(one, (ast.BinOp, ast.AugAssign)) and isinstance(one.op, ast.MatMult)
                       for statement in node.body for one in ast.walk(statement))
        if works and not products and all(name in works or known or method
                                          for name, known, method in zip(names, builtin, of_arrays)):
            self.reader.mistake(node, "NumPy under tf.device", self.written(calls[0]), other=calls[0])

    def determinism(self, node):
        """enable_op_determinism() needs a seed as soon as something draws."""
        name, last = self.full(node.func), getattr(node.func, "attr", getattr(node.func, "id", ""))
        if name.endswith(".enable_op_determinism"):
            self.enabled.append((node, self.reader.source))
        self.seeded = self.seeded or last in ("set_random_seed", "set_seed", "seed_everything")
        drawn = name.startswith(("tensorflow.random.", "tensorflow.image.random_")) and "stateless" not in name
        self.draws = self.draws or last in ("fit", "shuffle") or drawn
