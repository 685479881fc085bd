"""Which expressions of a file an expression can come from, for all rules that read its statements; for the reader of scripts."""

EACH, ENTERED, ANY_ITEM = "each", "entered", "any"  # steps of a binding besides the key of an item
# Methods and functions that give back their object or first argument, or one of the same form.
GIVE_BACK_METHODS = frozenset("to cuda cpu eval train half float double bfloat16 requires_grad_ contiguous detach pin_memory "
                              "to_empty share_memory compile xpu mps numpy astype type".split())
GIVE_BACK_FUNCTIONS = frozenset((
    "torch.compile", "torch.jit.script", "torch.nn.DataParallel", "torch.nn.parallel.DataParallel",
    "torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.distributed.DistributedDataParallel",
    "torch.nn.SyncBatchNorm.convert_sync_batchnorm", "torch.distributed.fsdp.FullyShardedDataParallel", "copy.deepcopy", "copy.copy",
    "torch.distributed.fsdp.fully_shard", "torch.distributed._composable.fsdp.fully_shard", "jax.jit", "jax.device_put",
    "tensorflow.function", "flax.nnx.jit", "peft.get_peft_model", "torch.optim.swa_utils.AveragedModel"))
PREPARERS = frozenset("prepare prepare_model prepare_optimizer prepare_data_loader setup setup_module setup_optimizers "
                      "setup_dataloaders experimental_distribute_dataset prepare_module".split())
# Decorators under which a call still gives what the function returns.
OF_PLAIN_RETURNS = re.compile(r"(staticmethod|classmethod|property|(functools\.)?(cache|lru_cache|cached_property|wraps)|override|"
                              r"torch\.(no_grad|inference_mode|compile|autocast)|(torch\.)?(cuda\.)?(amp\.)?autocast|record|"
                              r"torch\.distributed\.elastic\.multiprocessing\.errors\.record|(contextlib\.)?contextmanager|"
                              r"tf\.function|tensorflow\.function|jax\.jit|partial|functools\.partial|typing\..*|torch\.jit\.\w+)\b")
HANDS_ARGUMENTS = ("run", "apply_async", "apply", "Process", "Thread", "start_processes", "spawn", "submit", "experimental_run_v2")


READS_SETTINGS = ("yaml.safe_load", "yaml.full_load", "yaml.load", "json.loads", "tomllib.loads", "tomli.loads", "toml.loads")


def flat_settings(text):
    """name: value or name = value, a line each, as a dictionary; what is indented or under a heading is left out."""
    keys, values = [], []
    for line in text.splitlines():
        if line.startswith("["):
            break
        said = re.match(r"([\w-]+)\s*[:=]\s+(\S.*?)\s*(#.*)?$", line)
        if not said:
            continue
        word = {"true": "True", "false": "False", "null": "None", "yes": "True", "no": "False"}.get(said.group(2).lower(), said.group(2))
        try:
            value = ast.parse(repr(ast.literal_eval(word)), mode="eval").body
        except (ValueError, SyntaxError):
            value = ast.Constant(word)
        keys.append(ast.Constant(said.group(1)))
        values.append(value)
    return ast.Dict(keys, values) if keys else None


class Part:
    """A part of an expression's value of which nothing else is known; `steps`: which part of a call's, where it is bound."""

    def __init__(self, of):
        self.of, self.lineno, self.steps = of, getattr(of, "lineno", 0), ()


class Site:
    """What one call gives to a function: by place, of which the first `hidden` parameters get nothing, and by name."""

    def __init__(self, call, args, keywords, hidden=0):
        self.call, self.args, self.keywords, self.hidden = call, args, keywords, hidden


def name_of_option(call):
    """What the value of add_argument("-b", "--batch-size") is kept under: "batch_size"."""
    flags = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    long = next((one for one in flags if one.startswith("--")), flags[0] if flags else "")
    dest = next((k.value for k in call.keywords if k.arg == "dest"), None)
    return getattr(dest, "value", None) or long.lstrip("-").replace("-", "_")


class Origins:
    """Follows the values of one file's expressions; it asks nothing of the interpreter of the script.

    A binding is (the statement, the value, steps): x, y = f() binds x to (…, f(), (0,)).
    """

    def __init__(self, tracing, nodes):
        self.tracing, self.nodes, self.parents = tracing, nodes, tracing.index.parents
        self.found, self.named, self.scopes_of, self.returned_by, self.sites_of = {}, {}, {}, {}, {}
        self.read = {}  # what a text of settings says
        self.wrapped, self.around_it = {}, []  # the calls of wrappers on the way
        self.active, self.through, self.left, self.all_left = set(), False, 0, 40000
        self.bindings = None

    # ---- what rules ask

    def of(self, node, through=False):
        """The calls, constants, functions, classes and names that an expression can come from.

        A parameter that nobody gives is its ast.arg, and what is not known a Part. With `through`, what .to(), torch.compile
        or DistributedDataParallel give back comes from what they are given.
        """
        if node is None:
            return []
        key = (id(node), through)
        if key not in self.found:
            self.prepare()
            self.active, self.through, self.left, self.around_it = set(), through, 200, []
            unique = {id(one): one for one in self.follow(node, (), 0)}
            self.found[key], self.wrapped[key] = list(unique.values()), self.around_it
        return self.found[key]

    def wrappers_of(self, node):
        """The calls that a value went through and that gave it back: torch.compile(f), model.half() and the like."""
        self.of(node, True)
        return self.wrapped.get((id(node), True), [])

    def known(self, node, through=False):
        return [one for one in self.of(node, through) if not isinstance(one, (Part, ast.arg))]

    def made_by(self, node, *names, surely=False):
        """The call of one of these full names that an expression comes from, also through wrappers; a name may be a pattern."""
        def is_one(call):
            full = self.full_of(call)
            return bool(full) and any(full == name if isinstance(name, str) else name.match(full) is not None for name in names)

        if surely and not self.all_are(is_one, node, 6):
            return None
        return next((one for one in self.wrappers_of(node) + self.of(node, True) if is_one(one)), None)

    def all_are(self, is_one, node, deepest):
        """Whether all that an expression comes from is of a kind, or given back by a wrapper of what is."""
        values = self.of(node)
        return bool(values) and all(is_one(one) or deepest > 0 and self.inner_of(one) is not None and self.all_are(
            is_one, self.inner_of(one), deepest - 1) for one in values)

    def inner_of(self, one):
        """What a call gives back, of x.to(), torch.compile(x) and the like; None: another."""
        if not isinstance(one, ast.Call):
            return None
        imported = self.tracing.imported(one.func)
        if imported:
            return one.args[0] if imported in GIVE_BACK_FUNCTIONS and one.args else None
        return one.func.value if isinstance(one.func, ast.Attribute) and one.func.attr in GIVE_BACK_METHODS else None

    def full_of(self, call):
        """The full name of what a call calls, also under another name."""
        return self.tracing.full(call.func) if isinstance(call, ast.Call) else ""

    def made(self, node):
        """The one expression that a value is made by, through wrappers; the node itself where there are several."""
        known = self.known(node, True)
        return known[0] if len(known) == 1 else node

    def constant(self, node, default=None):
        """The number, text or truth value that an expression stands for, where the file gives it one alone."""
        if node is None:
            return default
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.constant(node.operand)
            return -value if isinstance(value, (int, float)) else default
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.NamedExpr)):
            return default
        values = self.known(node)
        if not values or not all(map(self.is_literal, values)) or any(isinstance(one, ast.arg) for one in self.of(node)):
            return default
        said = [one.value if isinstance(one, ast.Constant) else -one.operand.value for one in values]
        return said[0] if all(type(one) is type(said[0]) and one == said[0] for one in said) else default

    @staticmethod
    def is_literal(node):
        """A constant, or a number with a sign."""
        return isinstance(node, ast.Constant) or isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and type(
            getattr(node.operand, "value", None)) in (int, float)

    def text_of(self, node):
        value = self.constant(node)
        return value if isinstance(value, str) else None

    def number_of(self, node):
        value = self.constant(node)
        return value if type(value) in (int, float) else None

    def full(self, node):
        """The full name behind an alias, an item of a table or a parameter: Opt, for Opt = torch.optim.SGD; otherwise ""."""
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            return ""
        if id(node) not in self.named:
            self.named[id(node)] = ""  # while it is asked for
            self.named[id(node)] = self.alias(node)
        return self.named[id(node)]

    def statements_of(self, node):
        """The statements that bind a name or attribute where it is read."""
        self.prepare()
        if isinstance(node, ast.Attribute) and self.owner(node) is not None:
            return [statement for statement, _, _ in self.bindings.get((id(self.owner(node)), node.attr), ())]
        name = node.id if isinstance(node, ast.Name) else self.tracing.written(node)
        return [statement for statement, _, _ in self.reaching(node, name)]

    def option_of(self, name):
        """The default of an option of argparse."""
        return next(iter(self.defaults_of(name)), None)

    def defaults_of(self, name):
        """The default in each call that makes an option; None: it has none."""
        return [next((k.value for k in call.keywords if k.arg == "default"), None) for call in self.calls_of_option(name)]

    def calls_of_option(self, name):
        """The calls of add_argument that make the option which is kept under this name."""
        self.prepare()
        return self.options.get(name, [])

    def functions_of(self, func):
        """The functions, lambdas and classes of the file that a called expression can be."""
        return [one for one in self.of(func) if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef))]

    def keyword(self, call, *names):
        """What a call is given under one of these names in **settings, whose items the file writes out."""
        for keyword in call.keywords:
            if keyword.arg is None:
                self.prepare()
                self.active, self.through, self.left = set(), False, 200
                for name in names:
                    values = [one for one in self.items(keyword.value, name, (), 0) if not isinstance(one, Part)]
                    if values:
                        return values[0]
        return None

    def function_of(self, arg):
        """The function whose parameter this is."""
        return self.parents.get(id(self.parents.get(id(arg))))

    # ---- the tables

    def prepare(self):
        if self.bindings is not None:
            return
        self.bindings, self.called, self.handed, self.options = {}, {}, {}, {}
        self.attributes = set()  # what `x.NAME` can be followed for
        for node in self.nodes:
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    self.bind(node, target, node.value, ())
            elif isinstance(node, ast.AnnAssign):
                if node.value is not None:
                    self.bind(node, node.target, node.value, ())
                elif isinstance(node.target, ast.Name):  # a field of a dataclass
                    self.attributes.add(node.target.id)
            elif isinstance(node, ast.AugAssign):
                self.bind(node, node.target, Part(node), ())
            elif isinstance(node, (ast.For, ast.AsyncFor)):
                self.bind(node, node.target, node.iter, (EACH, ))
            elif isinstance(node, ast.comprehension):
                self.bind(node, node.target, node.iter, (EACH, ))
            elif isinstance(node, (ast.With, ast.AsyncWith)):
                for item in node.items:
                    if item.optional_vars is not None:
                        self.bind(node, item.optional_vars, item.context_expr, (ENTERED, ))
            elif isinstance(node, ast.NamedExpr):
                self.bind(node, node.target, node.value, ())
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                outer = self.parents.get(id(node))
                outer = self.scope(node) if outer is not None else None
                self.keep(outer, node.name, node, node, ())
                if isinstance(outer, ast.ClassDef):
                    self.attributes.add(node.name)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                for one in self.parameters(node) + [node.args.vararg, node.args.kwarg]:
                    if one is not None:
                        self.keep(node, one.arg, node, one, ())
            elif isinstance(node, ast.Call):
                last = getattr(node.func, "attr", getattr(node.func, "id", ""))
                self.called.setdefault(last, []).append(node)
                if last == "add_argument" and node.args:
                    self.option(node)
                elif last in ("SimpleNamespace", "Namespace", "namedtuple"):
                    self.attributes.update(k.arg for k in node.keywords if k.arg)
                for given in node.args + [k.value for k in node.keywords]:
                    if isinstance(given, ast.Name):
                        self.handed.setdefault(given.id, []).append(node)
                    elif isinstance(given, ast.Attribute):
                        self.handed.setdefault(given.attr, []).append(node)
        for found in self.bindings.values():
            if len(found) > 1:
                found.sort(key=lambda binding: self.position(binding[0]))

    def option(self, call):
        """An option of argparse, by the name that its value is kept under."""
        name = name_of_option(call)
        if isinstance(name, str) and name:
            self.attributes.add(name)
            self.options.setdefault(name, []).append(call)

    @staticmethod
    def parameters(function):
        return getattr(function.args, "posonlyargs", []) + function.args.args + function.args.kwonlyargs

    def bind(self, statement, target, value, steps):
        if isinstance(target, (ast.Tuple, ast.List)):
            literal = isinstance(value, (ast.Tuple, ast.List)) and not steps and len(value.elts) == len(target.elts)
            for at, one in enumerate(target.elts):
                if isinstance(one, ast.Starred):
                    self.bind(statement, one.value, Part(value), ())
                    break
                if literal:
                    self.bind(statement, one, value.elts[at], ())
                else:
                    self.bind(statement, one, value, steps + (at, ))
        elif isinstance(target, ast.Name):
            of = self.scope(statement)
            self.keep(of, target.id, statement, value, steps)
            if isinstance(of, ast.ClassDef):
                self.attributes.add(target.id)
        elif isinstance(target, ast.Attribute):
            self.attributes.add(target.attr)
            of = self.owner(target)
            self.keep(of or self.scope(statement), target.attr if of is not None else self.tracing.written(target), statement, value, steps)
        elif isinstance(target, ast.Subscript):
            key = self.key(target)
            if key is not None:
                of = self.owner(target.value) if isinstance(target.value, ast.Attribute) else None
                text = target.value.attr if of is not None else self.tracing.written(target.value)
                self.keep(of or self.scope(statement), (text, key), statement, value, steps)

    def keep(self, scope, name, statement, value, steps):
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)) and isinstance(name, str) and name in self.shared(scope):
            scope = None
        self.bindings.setdefault((id(scope) if scope is not None else 0, name), []).append((statement, value, steps))

    def shared(self, function):
        """The names that a function declares as global or nonlocal."""
        key = ("shared", id(function))
        if key not in self.scopes_of:
            self.scopes_of[key] = {name for one in function.body if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}
        return self.scopes_of[key]

    def scope(self, node):
        """The function, lambda or class that a node stands in; None: the file."""
        chain, one, found = [], node, None
        while id(one) in self.parents:
            if id(one) in self.scopes_of:
                found = self.scopes_of[id(one)]
                break
            chain.append(id(one))
            one = self.parents[id(one)]
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                found = one
                break
        for each in chain:
            self.scopes_of[each] = found
        return found

    def owner(self, node):
        """The class whose object self is, of self.NAME; None: another expression."""
        if not isinstance(node.value, ast.Name) or node.value.id not in ("self", "cls"):
            return None
        function = self.scope(node)
        while function is not None and not isinstance(function, ast.ClassDef):
            function = self.scope(function)
        return function

    @staticmethod
    def key(node):
        """The literal key of an item; None: another."""
        of = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
        if isinstance(of, ast.UnaryOp) and isinstance(of.op, ast.USub) and isinstance(of.operand, ast.Constant):
            return -of.operand.value if type(of.operand.value) is int else None
        return of.value if isinstance(of, ast.Constant) and isinstance(of.value, (str, int)) else None

    @staticmethod
    def position(node):
        return (getattr(node, "cell", None) or 0, getattr(node, "lineno", 0), getattr(node, "col_offset", 0))

    # ---- bindings that reach a place

    def reaching(self, node, name):
        """The bindings of a name that can hold where a node stands."""
        start = scope = self.scope(node)
        while True:
            found = self.bindings.get((id(scope) if scope is not None else 0, name))
            if found and (scope is start or not isinstance(scope, ast.ClassDef)):
                return self.before(found, node) if scope is start and len(found) > 1 else found
            if scope is None:
                return ()
            scope = self.scope(scope)

    def before(self, found, node):
        """Of bindings in their order, in the function where the node stands: from the last one that surely ran."""
        around, loops, one = {}, [], node
        while id(one) in self.parents:
            outer = self.parents[id(one)]
            around[id(outer)] = one
            if isinstance(outer, (ast.For, ast.While, ast.AsyncFor)):
                loops.append(outer)
            if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                break
            one = outer
        here, first, within, last, carried = self.position(node), 0, [], None, {}
        for number, (statement, _, _) in enumerate(found):
            if self.position(statement) > here or id(statement) in around and not isinstance(
                    statement, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith, ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                outer = next((outer for outer in self.around(statement) if any(loop is outer for loop in loops)), None)
                if outer is not None:  # it holds in the next round
                    within.append(number)
                    carried[number] = outer
                continue
            within.append(number)
            outer = self.parents.get(id(statement))
            if id(statement) in around or outer is not None and id(outer) in around and self.same_block(
                    outer, statement, around[id(outer)]) or isinstance(outer, ast.Module):
                first, last = number, statement
        # What surely binds the name earlier in each round leaves nothing of the round before.
        rounds = [last] + list(self.around(last)) if last is not None else []
        return [found[number] for number in within if number >= first and not any(one is carried.get(number, self) for one in rounds)] or found

    def surely_before(self, statement, node):
        """Whether a statement stands in a block around a node, before it."""
        outer, one = self.parents.get(id(statement)), node
        while id(one) in self.parents and self.parents[id(one)] is not outer:
            one = self.parents[id(one)]
        return id(one) in self.parents and one is not statement and self.same_block(outer, statement, one)

    def around(self, node):
        while id(node) in self.parents:
            node = self.parents[id(node)]
            yield node

    def block_of(self, node):
        """The statements among which a node is one itself; none: it is a part of one."""
        outer = self.parents.get(id(node))
        return next((block for block in (getattr(outer, field, None) for field in ("body", "orelse", "finalbody")) if isinstance(
            block, list) and any(one is node for one in block)), [])

    @staticmethod
    def same_block(outer, one, other):
        return any(one in block and other in block for block in (
            getattr(outer, field, None) for field in ("body", "orelse", "finalbody")) if isinstance(block, list))

    # ---- one step of the way

    def follow(self, node, context, depth):
        key = (id(node), context)
        if key in self.active:
            return []
        if depth > 24 or self.left <= 0 or self.all_left <= 0:
            return [Part(node)]
        self.left -= 1
        self.all_left -= 1
        self.active.add(key)
        try:
            return self.step(node, context, depth + 1)
        finally:
            self.active.discard(key)

    def step(self, node, context, depth):
        if isinstance(node, ast.Name):
            found = self.reaching(node, node.id)
            return [one for binding in found for one in self.bound(binding, context, depth)] if found else [node]
        if isinstance(node, ast.Attribute):
            return self.attribute(node, context, depth)
        if isinstance(node, ast.Subscript):
            return self.item_of(node, context, depth)
        if isinstance(node, ast.Call):
            return self.call(node, context, depth)
        if isinstance(node, ast.IfExp):
            return self.follow(node.body, context, depth) + self.follow(node.orelse, context, depth)
        if isinstance(node, ast.BoolOp):
            return [one for value in node.values for one in self.follow(value, context, depth)]
        if isinstance(node, (ast.NamedExpr, ast.Await)):
            return self.follow(node.value, context, depth)
        return [node]

    def bound(self, binding, context, depth):
        _, value, steps = binding
        if isinstance(value, (Part, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return [value]
        if isinstance(value, ast.arg):
            return self.parameter(binding[0], value, context, depth)
        return self.take(value, steps, context, depth)

    def take(self, value, steps, context, depth):
        if not steps:
            return self.follow(value, context, depth)
        first, rest = steps[0], steps[1:]
        taken = self.follow(value, context, depth) if first == ENTERED else self.each(value, context, depth) if first == EACH else \
            self.items(value, first, context, depth)
        for one in taken:
            if isinstance(one, Part) and isinstance(one.of, ast.Call) and not one.steps:
                one.steps = steps
        return [one for each in taken for one in ([each] if isinstance(each, Part) else self.take(each, rest, context, depth))
                ] if rest else taken

    def attribute(self, node, context, depth):
        if self.tracing.imported(node) or node.attr not in self.attributes:
            return [node]
        of = self.owner(node)
        if of is not None:
            own = [one for one in self.bindings.get((id(of), node.attr), ()) if self.scope(one[0]) is self.scope(node)]
            last = self.before(own, node) if own else ()
            if last and all(self.position(one[0]) < self.position(node) for one in last) and self.surely_before(last[0][0], node):
                return [one for binding in last for one in self.bound(binding, context, depth)] or [node]
            return self.member(of, node.attr, context, depth) + self.given_to_field(of, node.attr, depth) or [node]
        found = self.reaching(node, self.tracing.written(node))
        if found:
            return [one for binding in found for one in self.bound(binding, context, depth)]
        values = []
        for one in self.follow(node.value, context, depth):
            values += self.member_of(one, node.attr, context, depth) or [Part(node)]
        return values if any(not isinstance(one, Part) for one in values) else [node]

    def given_to_field(self, of, name, depth):
        """What the calls of a dataclass give to one of its fields."""
        fields = [one.target.id for one in of.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
        if name not in fields or not any("dataclass" in self.tracing.written(one) for one in of.decorator_list):
            return []
        at, values = fields.index(name), []
        for call in self.called.get(of.name, ()):
            given = next((k.value for k in call.keywords if k.arg == name), None)
            if given is None and at < len(call.args) and not any(isinstance(one, ast.Starred) for one in call.args):
                given = call.args[at]
            values += self.follow(given, (), depth) if given is not None else []
        return values

    def member_of(self, one, name, context, depth):
        """The values of an attribute of what an expression came from."""
        if isinstance(one, ast.ClassDef):
            return self.member(one, name, context, depth)
        if not isinstance(one, ast.Call):
            return []
        last = getattr(one.func, "attr", getattr(one.func, "id", ""))
        if last in ("parse_args", "parse_known_args", "parse_args_into_dataclasses"):
            return [value for default in self.defaults_of(name) for value in (
                self.follow(default, (), depth) if default is not None else ())] + [Part(one)]
        if last in ("SimpleNamespace", "Namespace"):
            return [value for k in one.keywords if k.arg == name for value in self.follow(k.value, context, depth)]
        for of in self.targets(one.func, context, depth):
            if isinstance(of, ast.ClassDef):
                first = next((m for m in of.body if isinstance(m, ast.FunctionDef) and m.name == "__init__"), None)
                if first is not None:
                    return self.member(of, name, self.with_site(context, first, Site(one, one.args, one.keywords, 1)), depth)
                fields = [m.target.id for m in of.body if isinstance(m, ast.AnnAssign) and isinstance(m.target, ast.Name)]
                given = next((k.value for k in one.keywords if k.arg == name), None)
                if given is None and name in fields and fields.index(name) < len(one.args):
                    given = one.args[fields.index(name)]
                return self.follow(given, context, depth) if given is not None else self.member(of, name, context, depth)
        return []

    def member(self, of, name, context, depth, level=0):
        """What a class and its bases in the file assign to an attribute."""
        values = [one for binding in self.bindings.get((id(of), name), ()) for one in self.bound(binding, context, depth)]
        properties = [one for one in values if isinstance(one, ast.FunctionDef) and any(
            getattr(d, "id", getattr(d, "attr", "")) in ("property", "cached_property") for d in one.decorator_list)]
        for one in properties:
            values.remove(one)
            values += self.results(one, None, context, depth)
        if not any(isinstance(one, ast.FunctionDef) for one in values):
            for base in of.bases if level < 4 else ():
                for one in self.follow(base, (), depth):
                    if isinstance(one, ast.ClassDef) and one is not of:
                        values += self.member(one, name, context, depth, level + 1)
        return values

    # ---- items

    def item_of(self, node, context, depth):
        key = self.key(node)
        found = ()
        if key is not None:
            of = self.owner(node.value) if isinstance(node.value, ast.Attribute) else None
            found = self.bindings.get((id(of), (node.value.attr, key)), ()) if of is not None else self.reaching(
                node, (self.tracing.written(node.value), key))
        values = [one for binding in found for one in self.bound(binding, context, depth)]
        values += self.items(node.value, ANY_ITEM if key is None else key, context, depth)
        return values if any(not isinstance(one, Part) for one in values) else [node]

    def items(self, value, key, context, depth):
        """The values under a key of what an expression comes from."""
        return [found for one in self.follow(value, context, depth) for found in self.item(one, key, context, depth)]

    def item(self, one, key, context, depth):
        if isinstance(one, (ast.Tuple, ast.List)):
            if key == ANY_ITEM:
                return [value for part in one.elts for value in self.follow(part, context, depth)]
            if type(key) is int and -len(one.elts) <= key < len(one.elts) and not any(isinstance(e, ast.Starred) for e in one.elts):
                return self.follow(one.elts[key], context, depth)
        if isinstance(one, ast.Dict):
            values = []
            for label, value in zip(one.keys, one.values):
                if label is None:
                    values += [v for v in self.items(value, key, context, depth) if not isinstance(v, Part)]
                elif key == ANY_ITEM or isinstance(label, ast.Constant) and label.value == key:
                    values += self.follow(value, context, depth)
            return values or [Part(one)]
        if isinstance(one, ast.BinOp) and isinstance(one.op, ast.BitOr):
            return [v for side in (one.left, one.right) for v in self.items(side, key, context, depth)]
        if isinstance(one, ast.DictComp) and key == ANY_ITEM:
            return self.follow(one.value, context, depth)
        if isinstance(one, (ast.GeneratorExp, ast.ListComp)) and (key == ANY_ITEM or type(key) is int):
            return self.follow(one.elt, context, depth)
        if isinstance(one, ast.arg):
            return self.of_keywords(one, key, context, depth)
        if isinstance(one, ast.Call):
            last = getattr(one.func, "attr", getattr(one.func, "id", ""))
            if last == "dict":
                values = [v for k in one.keywords if k.arg == key or key == ANY_ITEM or k.arg is None for v in (
                    self.follow(k.value, context, depth) if k.arg else self.items(k.value, key, context, depth))]
                return values + [v for a in one.args for v in self.items(a, key, context, depth)] or [Part(one)]
            if last in ("copy", "deepcopy", "vars", "asdict", "tuple", "list", "OrderedDict", "MappingProxyType", "EasyDict"):
                of = one.args[0] if one.args else getattr(one.func, "value", None)
                if last in ("vars", "asdict") and of is not None and isinstance(key, str):
                    return [v for o in self.follow(of, context, depth) for v in self.member_of(o, key, context, depth)] or [Part(one)]
                return self.items(of, key, context, depth) if of is not None else [Part(one)]
            if self.tracing.imported(one.func) in READS_SETTINGS and one.args:
                return [v for text in self.follow(one.args[0], context, depth) for of in self.settings_of(text) for v in self.item(
                    of, key, context, depth)] or [Part(one)]
            if last in PREPARERS and type(key) is int and not self.tracing.imported(one.func) and key < len(one.args):
                return self.follow(one.args[key], context, depth) if self.through else [Part(one.args[key])]
        return [Part(one)]

    def settings_of(self, text):
        """The dictionary that yaml.safe_load, json.loads or tomllib.loads make of a text that is written down, as an expression."""
        if id(text) not in self.read:
            self.read[id(text)] = ()
            said = text.value if isinstance(text, ast.Constant) and isinstance(text.value, str) else ""
            try:
                of = ast.parse(repr(json.loads(said)), mode="eval").body if said.lstrip()[:1] in ("{", "[") else flat_settings(said)
            except ValueError:
                of = None
            if of is not None:
                for one in ast.walk(of):
                    ast.copy_location(one, text)
                self.read[id(text)] = (of, )
        return self.read[id(text)]

    def of_keywords(self, arg, key, context, depth):
        """What callers give under a name to **settings."""
        function = self.function_of(arg)
        if function is None or function.args.kwarg is not arg or not isinstance(key, str):
            return [Part(arg)]
        given = self.site_in(context, function)
        return [v for site in ([given[0]] if given else self.sites(function)) for k in site.keywords if k.arg == key
                for v in self.follow(k.value, given[1] if given else (), depth)] or [Part(arg)]

    def each(self, value, context, depth):
        """What a loop takes from an expression."""
        if isinstance(value, ast.Call):
            last = getattr(value.func, "attr", getattr(value.func, "id", ""))
            first = value.args[0] if value.args else None
            if last == "items" and not value.args and isinstance(value.func, ast.Attribute):
                return [ast.Tuple([Part(value), one]) for one in self.items(value.func.value, ANY_ITEM, context, depth)]
            if last == "values" and not value.args and isinstance(value.func, ast.Attribute):
                return self.items(value.func.value, ANY_ITEM, context, depth)
            if last == "enumerate" and first is not None:
                return [ast.Tuple([Part(value), one]) for one in self.each(first, context, depth)]
            if last in ("tqdm", "sorted", "reversed", "list", "tuple") and first is not None:
                return self.each(first, context, depth)
            if last == "zip" and value.args:
                sides = [self.each(one, context, depth) for one in value.args]
                return [ast.Tuple([side[min(at, len(side) - 1)] if side else Part(value) for side in sides])
                        for at in range(max(map(len, sides)))]
        values = []
        for one in self.follow(value, context, depth):
            if isinstance(one, (ast.Tuple, ast.List, ast.Set)):
                values += [found for part in one.elts for found in self.follow(part, context, depth)]
            elif isinstance(one, (ast.GeneratorExp, ast.ListComp, ast.SetComp)):
                values += self.follow(one.elt, context, depth)
            else:
                values.append(Part(one))
        return values

    # ---- calls

    def call(self, node, context, depth):
        func = node.func
        last = getattr(func, "attr", getattr(func, "id", ""))
        imported = self.tracing.imported(func)
        first = node.args[0] if node.args else None
        if self.through and first is not None and (imported in GIVE_BACK_FUNCTIONS or not imported and isinstance(
                func, ast.Attribute) and last in PREPARERS and len(node.args) == 1):
            self.around_it.append(node)
            return self.follow(first, context, depth)
        if imported:
            return [node]
        if isinstance(func, ast.Attribute):
            if self.through and last in GIVE_BACK_METHODS:
                self.around_it.append(node)
                return self.follow(func.value, context, depth)
            if last == "get" and first is not None and isinstance(getattr(first, "value", None), str):
                values = [one for one in self.items(func.value, first.value, context, depth) if not isinstance(one, Part)]
                return values or [node]
        if isinstance(func, ast.Name) and func.id in BUILTINS and (0, func.id) not in self.bindings:
            return [node]
        values = []
        for of in self.targets(func, context, depth):
            if isinstance(of, ast.Lambda):
                values += self.follow(of.body, self.with_site(context, of, Site(node, node.args, node.keywords)), depth)
            elif isinstance(of, (ast.FunctionDef, ast.AsyncFunctionDef)):
                values += self.results(of, node, context, depth)
            else:
                method = self.called_as(of, context, depth) if isinstance(of, ast.Call) else None
                if method is not None:
                    values += self.results(method, node, context, depth, 1)
                elif node not in values:
                    values.append(node)
        return values or [node]

    def is_maker(self, func):
        """Whether func is Maker(…).method, of a class of the file."""
        made = func.value if isinstance(func, ast.Attribute) else None
        return isinstance(made, ast.Call) and isinstance(made.func, ast.Name) and any(
            isinstance(value, ast.ClassDef) for _, value, _ in self.bindings.get((0, made.func.id), ()))

    def called_as(self, made, context, depth):
        """The method __call__ of the object that a call of a class of the file makes."""
        for of in self.targets(made.func, context, depth) if isinstance(made.func, (ast.Name, ast.Attribute)) else ():
            if isinstance(of, ast.ClassDef):
                return next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__call__"), None)
        return None

    def targets(self, func, context, depth):
        """What a called expression can be: functions, lambdas and classes of the file, or other expressions."""
        found = []
        for one in self.follow(func, context, depth):
            if isinstance(one, ast.Call) and one.args and self.tracing.imported(one.func) == "functools.partial":
                found += self.follow(one.args[0], context, depth)
            else:
                found.append(one)
        return found

    def results(self, function, call, context, depth, hidden=0):
        """What a call of a function of the file gives."""
        if not all(OF_PLAIN_RETURNS.match(self.tracing.imported(one) or self.tracing.written(one)) for one in function.decorator_list):
            return [call] if call is not None else [Part(function)]
        if id(function) not in self.returned_by:
            own, waiting = [], list(function.body)
            while waiting:
                one = waiting.pop()
                if isinstance(one, (ast.Return, ast.Yield)) and one.value is not None:
                    own.append(one.value)
                if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
                    waiting.extend(ast.iter_child_nodes(one))
            self.returned_by[id(function)] = sorted(own, key=self.position)
        values = self.returned_by[id(function)]
        if call is not None:
            bound = isinstance(call.func, ast.Attribute) and isinstance(self.scope(function), ast.ClassDef)
            context = self.with_site(context, function, Site(call, call.args, call.keywords, hidden or int(bound and self.is_method(function))))
        return [one for value in values for one in self.follow(value, context, depth)] or ([call] if call is not None else [])

    @staticmethod
    def with_site(context, function, site):
        return context[-3:] + ((id(function), site, context[-2:]), )

    @staticmethod
    def site_in(context, function):
        return next(((site, outer) for of, site, outer in reversed(context) if of == id(function)), None)

    @staticmethod
    def is_method(function):
        names = [one.arg for one in function.args.args[:1]]
        return names in (["self"], ["cls"])

    def sites(self, function):
        """The calls in the file of a function or method of it, by its name."""
        self.prepare()
        if id(function) in self.sites_of:
            return self.sites_of[id(function)]
        found, name = [], getattr(function, "name", None)
        of = self.scope(function) if name else None
        of = of if isinstance(of, ast.ClassDef) else None
        hidden = int(of is not None and self.is_method(function))
        if name == "__init__" and of is not None:
            found = [Site(call, call.args, call.keywords, 1) for call in self.called.get(of.name, ())]
            for call in self.called.get("__init__", ()):
                inner = self.scope(call)
                inner = self.scope(inner) if inner is not None else None
                if isinstance(inner, ast.ClassDef) and any(getattr(base, "id", "") == of.name for base in inner.bases):
                    found.append(Site(call, call.args, call.keywords, 1))
        elif name == "__call__" and of is not None:
            for made in self.called.get(of.name, ()):
                for target in getattr(self.parents.get(id(made)), "targets", ()):
                    found += [Site(call, call.args, call.keywords, 1)
                              for call in self.called.get(getattr(target, "id", getattr(target, "attr", None)), ())]
        elif name:
            for call in self.called.get(name, ()):
                if isinstance(call.func, ast.Attribute) == (of is not None):
                    found.append(Site(call, call.args, call.keywords, hidden))
            for call in self.handed.get(name, ()):
                found += self.handing(call, name, hidden)
        self.sites_of[id(function)] = found[:12]
        return self.sites_of[id(function)]

    def handing(self, call, name, hidden):
        """The call of a function that is handed to another, with args=(…)."""
        last = getattr(call.func, "attr", getattr(call.func, "id", ""))
        if last not in HANDS_ARGUMENTS and self.tracing.imported(call.func) != "functools.partial":
            return []
        at = next((n for n, one in enumerate(call.args) if getattr(one, "id", getattr(one, "attr", None)) == name), None)
        given = next((k.value for k in call.keywords if k.arg == "args"), None)
        if given is None and last in ("run", "apply_async", "apply", "spawn", "start_processes") and at is not None and len(call.args) > at + 1:
            given = call.args[at + 1]
        if isinstance(given, ast.Tuple):
            rank = [Part(call)] if last in ("spawn", "start_processes") else []
            return [Site(call, rank + given.elts, [], hidden)]
        if last in ("submit", "partial") and at is not None:
            return [Site(call, call.args[at + 1:], call.keywords, hidden)]
        return []

    def parameter(self, function, arg, context, depth):
        """What a parameter is given: by the call that led here, otherwise by all calls in the file."""
        if function.args.vararg is arg or function.args.kwarg is arg:
            return [arg]
        given = self.site_in(context, function)
        if given is not None:
            return self.argument(function, arg, given[0], given[1], depth)
        sites = self.sites(function)
        if not sites:
            default = self.default(function, arg)
            return ([] if default is None else self.follow(default, (), depth)) + [arg]
        return [one for site in sites for one in self.argument(function, arg, site, (), depth)]

    def argument(self, function, arg, site, context, depth):
        names = getattr(function.args, "posonlyargs", []) + function.args.args
        at = next((n for n, one in enumerate(names) if one is arg), None)
        at = at - site.hidden if at is not None else None
        if at is not None and at < 0:  # self
            func = site.call.func
            if getattr(function, "name", "") == "__init__":
                return [site.call if getattr(func, "attr", "") != "__init__" else arg]
            return self.follow(func.value, context, depth) if isinstance(func, ast.Attribute) and func.attr == getattr(
                function, "name", None) and not isinstance(func.value, ast.Call) or self.is_maker(func) else [arg]
        for keyword in site.keywords:
            if keyword.arg == arg.arg:
                return self.follow(keyword.value, context, depth)
        starred = next((n for n, one in enumerate(site.args) if isinstance(one, ast.Starred)), None)
        if at is not None and at < len(site.args) and (starred is None or at < starred):
            one = site.args[at]
            return [one] if isinstance(one, Part) else self.follow(one, context, depth)
        if starred is not None:
            return [Part(arg)]
        for keyword in site.keywords:
            if keyword.arg is None:
                values = [one for one in self.items(keyword.value, arg.arg, context, depth) if not isinstance(one, Part)]
                if values:
                    return values
        default = self.default(function, arg)
        return self.follow(default, (), depth) if default is not None else [arg]

    @staticmethod
    def default(function, arg):
        names = getattr(function.args, "posonlyargs", []) + function.args.args
        for one, default in zip(names[len(names) - len(function.args.defaults):], function.args.defaults):
            if one is arg:
                return default
        return next((default for one, default in zip(function.args.kwonlyargs, function.args.kw_defaults) if one is arg), None)

    # ---- names behind names

    def alias(self, node):
        """The full name of what an expression names, where it is no import written out."""
        self.prepare()
        if isinstance(node, ast.Attribute) and node.attr not in self.attributes:
            base, rest = node.value, [node.attr]
            while isinstance(base, ast.Attribute) and base.attr not in self.attributes:
                rest.append(base.attr)
                base = base.value
            if not isinstance(base, ast.Name) or not self.reaching(base, base.id):
                return ""
            of = self.full(base)
            return ".".join([of] + rest[::-1]) if of else ""
        if isinstance(node, ast.Name) and not self.reaching(node, node.id):
            return ""
        if isinstance(node, ast.Call) and not self.is_getattr(node):
            return ""
        names = {self.path(one) for one in self.of(node)}
        return names.pop() if len(names) == 1 else ""

    @staticmethod
    def is_getattr(node):
        return getattr(node.func, "id", "") == "getattr" and len(node.args) >= 2

    def path(self, one):
        """torch.optim.SGD, of torch.optim.SGD, getattr(torch.optim, "SGD") or functools.partial(torch.optim.SGD, lr=0.1)."""
        if isinstance(one, ast.Call) and self.is_getattr(one):
            of, name = self.tracing.full(one.args[0]), self.text_of(one.args[1])
            return of + "." + name if of and name else ""
        if isinstance(one, ast.Call) and self.tracing.imported(one.func) == "functools.partial" and len(one.args) == 1:
            return self.tracing.full(one.args[0])
        return self.tracing.imported(one) if isinstance(one, (ast.Name, ast.Attribute)) else ""
