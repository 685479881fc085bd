"""Steps of JAX's and flax's whose gradients, keys or modules are not what they are taken for; for the reader of scripts."""

# What joins the devices of a pmap, by itself or in other libraries' words.
JOINS_DEVICES = re.compile(r"\b(l?p(mean|sum|max|min)\w*|all_gather|psum_scatter|all_to_all|ppermute|pcast|pbroadcast|all_?reduce\w*|kfac\w*|hvd|sync\w*|axis_index)\b|"
                           r"tree_?map\w*\(.*(mean|axis=0)|tree\.map\(.*(mean|axis=0)|\.mean\(0|unreplicate\(\w*grad|shard_map|mpi4jax")
# Replicas that are meant to go their own ways.
OWN_WAYS = re.compile(r"(?i:ensemble|populat|independent|num_seeds|n_seeds|members|agents|replicas? of|sweep|hyper_?param)")
REPLICATES = re.compile(r"\breplicate\(|device_put_replicated\(|broadcast_to\(|\] *\* *(jax\.)?(local_)?(device_count|n_dev|num_dev|n_devices)")
# Functions of jax.random that take a key first.
DRAWS_OF_JAX = re.compile(r"jax\.random\.(?!PRNGKey$|key$|key_data$|key_impl$|wrap_key_data$|default_prng_impl$|clone$|[A-Z])\w+$")
MAKES_A_KEY = ("jax.random.PRNGKey", "jax.random.key")
MODULES_OF_LINEN = ("flax.linen.Module", )
# Where the same numbers are wanted each time.
WANTS_THE_SAME = re.compile(r"(?i:fixed|eval|test|valid|sample|init|plot|demo|create|make|build|generat|data|load|setup|get_|main|show|debug)")


class JaxUpdates(WholeFile):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not {"jax", "flax"} & roots:
            return
        self.parents, self.calls = self.tracing.index.parents, self.tracing.index.calls
        if "pmap" in self.reader.text:
            self.replicas()
        for call in self.calls:
            full = self.full(call.func)
            if DRAWS_OF_JAX.match(full):
                self.drawn_from(call)
            elif full in MAKES_A_KEY:
                self.key_of_each_call(call)
            elif full == "jax.clear_caches":
                self.cleared(call)
            elif not full and getattr(call.func, "attr", "") in ("apply", "init") and "flax" in roots:
                self.applied_to_the_class(call)

    # ---- pmap

    def replicas(self):
        """pstep = jax.pmap(step), whose gradients are each device's own, over weights that jax_utils.replicate() gave to all of them."""
        if JOINS_DEVICES.search(self.reader.text) or OWN_WAYS.search(self.reader.text) or not REPLICATES.search(self.reader.text):
            return
        if any(e["name"] == "gradients that the devices don't share" for e in self.reader.events):
            return
        for node, function in self.mapped():
            calls = list(self.reached(function, 5))
            if any(self.full(one.func) in GRADIENTS_OF_JAX for one in calls) and any(
                    self.full(one.func) == "optax.apply_updates" or is_call(one, "apply_gradients") for one in calls):
                self.mistake(node, "a parallel step whose replicas drift apart", getattr(function, "name", "the function"), other=function)

    def mapped(self):
        """Each function of the file that pmap runs on all devices, with where it is given to it."""
        for of in self.tracing.index.functions:
            for one in of.decorator_list:
                call = one if isinstance(one, ast.Call) else None
                if self.full(call.func if call else one) == "jax.pmap" or call and call.args and self.full(call.args[0]) == "jax.pmap":
                    yield one, of
        for call in self.calls:
            if self.full(call.func) == "jax.pmap" and call.args:
                functions = [one for one in self.origins.functions_of(call.args[0]) if isinstance(one, ast.FunctionDef)]
                if len(functions) == 1:
                    yield call, functions[0]

    # ---- keys

    def drawn_from(self, call):
        """jax.random.normal(0, (3,)), whose first argument is a key."""
        key = self.given(call, 0, "key")
        said = self.said(key) if key is not None else None
        literal = isinstance(key, (ast.Tuple, ast.List)) and all(isinstance(one, ast.Constant) for one in key.elts) and not (
            len(key.elts) == 2 and self.full(call.func).endswith(("split", "fold_in")))
        if type(said) is int or literal:
            self.mistake(call, "a number in the place of a key", self.written(key), doubted=False)

    def key_of_each_call(self, call):
        """rngs={"dropout": jax.random.PRNGKey(0)} in the function of the loss: each step drops the same units."""
        if type(self.said(call.args[0] if call.args else None)) is not int or not isinstance(call.args[0], ast.Constant):
            return
        of = self.origins.scope(call)
        while of is not None and not isinstance(of, ast.FunctionDef):
            of = self.origins.scope(of)
        if of is None or WANTS_THE_SAME.search(of.name) or re.search(r"fold_in", self.reader.written_whole(of)):
            return
        for use in self.uses_of_key(call):
            if self.is_for_dropout(use) and self.is_of_training(of):
                self.mistake(call, "a key that each call makes anew", of.name, other=of)
                return

    def uses_of_key(self, call):
        """Where a key is read: the call itself, or the name that it is kept under."""
        statement = self.parents.get(id(call))
        if not isinstance(statement, ast.Assign) or statement.value is not call or not isinstance(statement.targets[0], ast.Name):
            return [call]
        name, of = statement.targets[0].id, self.origins.scope(call)
        return [one for one in ast.walk(of) if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)]

    def is_for_dropout(self, use):
        """apply(…, rngs={"dropout": key}), model(x, key=key) and, of haiku's, apply(params, key, x)."""
        outer = self.parents.get(id(use))
        above = self.parents.get(id(outer))
        if isinstance(outer, ast.Dict):
            label = next((key for key, value in zip(outer.keys, outer.values) if value is use), None)
            return isinstance(label, ast.Constant) and label.value != "params" and isinstance(above, ast.keyword) and above.arg == "rngs"
        if not self.says(r"(?i:dropout)"):
            return False
        if isinstance(outer, ast.keyword):
            return outer.arg in ("key", "rng", "dropout_rng", "rngs") and isinstance(above, ast.Call) and not self.full(above.func)
        return is_call(outer, "apply") and self.says(r"\bhk\.|haiku") and len(outer.args) > 1 and outer.args[1] is use

    def is_of_training(self, of):
        """Whether a function, or one that it stands in, is what gradients are taken of or what takes them."""
        while of is not None:
            if isinstance(of, ast.FunctionDef) and (any(self.full(one.func) in GRADIENTS_OF_JAX for one in calls_in(of.body)) or any(self.full(getattr(
                    mark, "func", mark)) in GRADIENTS_OF_JAX for mark in of.decorator_list) or any(
                    of in self.origins.functions_of(one.args[0]) for one in self.calls if self.full(one.func) in GRADIENTS_OF_JAX and one.args)):
                return True
            of = self.origins.scope(of)
        return False

    # ---- what is compiled again

    def cleared(self, call):
        """jax.clear_caches() behind each step of a function that jit compiled."""
        if self.says(r"perf_counter|time\.time\(|timeit|(?i:bench)|lower\(") or self.in_branch(call):
            return
        loop = next((one for one in self.origins.around(call) if isinstance(one, (ast.For, ast.While, ast.FunctionDef, ast.Lambda))), None)
        if not isinstance(loop, (ast.For, ast.While)):
            return
        for one in calls_in(loop.body):
            if one is not call and self.is_compiled(one):
                self.mistake(call, "compiled functions that each round drops", self.written(one.func), other=one)
                return

    def is_compiled(self, call):
        """Whether a call is one of a function that jit compiles."""
        return any(isinstance(one, ast.FunctionDef) and any(self.full(getattr(mark, "func", mark)) in ("jax.jit", "flax.nnx.jit", "equinox.filter_jit") or isinstance(
            mark, ast.Call) and mark.args and self.full(mark.args[0]) == "jax.jit" for mark in one.decorator_list) for one in self.origins.functions_of(call.func)) or any(
                self.full(one.func) in ("jax.jit", "flax.nnx.jit", "equinox.filter_jit") for one in self.origins.wrappers_of(call.func))

    # ---- flax

    def applied_to_the_class(self, call):
        """Net.apply(params, x), where Net is the class and not one of its modules."""
        of = [one for one in self.origins.of(call.func.value)] if isinstance(call.func.value, ast.Name) else []
        if len(of) != 1 or not isinstance(of[0], ast.ClassDef) or not any(self.full(base) in MODULES_OF_LINEN for base in of[0].bases):
            return
        if any(isinstance(one, ast.FunctionDef) and one.name == call.func.attr for one in of[0].body) or not call.args:
            return
        first = self.origins.of(call.args[0])
        if any(isinstance(one, ast.arg) and not re.search(r"param|variable|state|weight|theta", one.arg) or isinstance(one, ast.Call) and of[0] in self.origins.functions_of(one.func) or isinstance(
                one, ast.Name) and one.id in ("self", "cls", "model", "module", "net") for one in first) or isinstance(call.args[0], ast.Starred):
            return
        self.mistake(call, "a class of flax's in the place of its module", of[0].name, call.func.attr, other=of[0], doubted=False)
