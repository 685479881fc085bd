"""What is asked as older releases answered it, what a tape never saw, clocks of another kind and strategies that come too late; for the
reader of scripts."""

GPUS_OF_TF = re.compile(r"tensorflow\.config\.(experimental\.)?(list_physical_devices|list_logical_devices|get_visible_devices)$")
VARIABLES_OF_KERAS = ("trainable_variables", "trainable_weights", "variables", "weights")
# Whose calls leave the work to other threads, or wait for the device asleep: the time of this process is not the time that passes.
WAITS_ASLEEP = {"tensorflow": "TensorFlow", "keras": "Keras", "jax": "JAX", "mxnet": "MXNet"}
CLOCKS_OF_PROCESS = ("time.process_time", "time.process_time_ns")


class Lapses(WholeFile):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        if "flax" in roots:
            self.optimizers_of_nnx()
            self.bare_parameters()
            self.relative_checkpoints()
            self.popped_in_two()
        if "jax" in roots:
            self.keys_carried_on()
        if "cv2" in roots:
            self.layers_as_lists()
        if "tensorflow" in roots:
            self.made_before_the_tape()
            self.first_of_none()
            self.scopes_around_weights()
        if roots & set(WAITS_ASLEEP):
            self.clocks_of_the_process(roots)

    def is_tried(self, node):
        return any(isinstance(one, ast.Try) and one.handlers for one in self.origins.around(node))

    # ---- Flax

    def optimizers_of_nnx(self):
        """optimizer = nnx.Optimizer(model, tx, wrt=nnx.Param); optimizer.model, and optimizer.update(grads)"""
        if self.reader.pinned_for("flax.nnx"):
            return
        for one in self.nodes:
            if not isinstance(one, ast.Attribute) or not isinstance(one.ctx, ast.Load) or one.attr not in ("model", "update") or self.is_tried(one):
                continue
            if self.made_by(one.value, "flax.nnx.Optimizer", surely=True) is None and not self.is_of_its_name(one.value):
                continue
            call = self.parents.get(id(one))
            if one.attr == "model":
                self.mistake(one, "a model that an optimizer of nnx no longer holds", doubted=False)
            elif isinstance(call, ast.Call) and call.func is one and len(call.args) == 1 and not call.keywords and not isinstance(
                    call.args[0], ast.Starred):
                self.mistake(call, "gradients alone for an optimizer of nnx", self.written(one.value), self.written(call.args[0]), doubted=False)

    def is_of_its_name(self, node):
        """A parameter of a function that nothing in the file calls, of the name that an optimizer of nnx has there."""
        values = self.origins.of(node) if isinstance(node, ast.Name) else []
        made = self.tracing.index.assigned.get(node.id, ()) if len(values) == 1 and isinstance(values[0], ast.arg) and values[0].arg == node.id else ()
        return bool(made) and all(isinstance(one, ast.Call) and self.full(one.func) == "flax.nnx.Optimizer" for one in made)

    def relative_checkpoints(self):
        """checkpoints.save_checkpoint("checkpoints", state, 1), which hands the path to Orbax"""
        if self.says(r"use_orbax_checkpointing|abspath|\.resolve\(|\.absolute\(|realpath|expanduser|getcwd|\.cwd\("):
            return
        for call in self.calls:
            given = self.given(call, 0, "ckpt_dir") if self.full(call.func) in ("flax.training.checkpoints.save_checkpoint",
                                                                                "flax.training.checkpoints.save_checkpoint_multiprocess") else None
            said = self.said(given) if given is not None else None
            if said is None and isinstance(given, ast.Attribute):
                said = self.said(self.default_of(given.attr))
            if isinstance(said, str) and said and not re.match(r"/|\w+://|[A-Za-z]:[\\/]", said) and not self.is_tried(call):
                self.mistake(given, "a relative path for Orbax", said)

    def popped_in_two(self):
        """state, params = net.init(key, x).pop("params"), of a FrozenDict, which gave both"""
        if self.says(r"freeze\(|FrozenDict|return_frozen_dict|core\.pop\("):
            return
        for call in self.calls:
            bound = self.parents.get(id(call))
            made = self.value_of(call.func.value) if is_call(call, "pop") and len(call.args) == 1 and isinstance(self.said(call.args[0]), str) else None
            if isinstance(bound, ast.Assign) and isinstance(bound.targets[0], ast.Tuple) and len(bound.targets[0].elts) == 2 and is_call(
                    made, "init") and not self.full(made.func) and not self.is_tried(call):
                self.mistake(call, "a dictionary of Flax that is popped in two", self.written(call.args[0]))

    def bare_parameters(self):
        """params = model.init(key, x)["params"]; model.apply(params, x)"""
        for call in self.calls:
            given = call.args[0] if is_call(call, "apply") and call.args else None
            if not isinstance(given, ast.Name) or self.is_tried(call) or not self.is_of_linen(call.func.value):
                continue
            bound = next((one for one in self.origins.statements_of(given) if isinstance(one, ast.Assign) and one.targets[0] is not None and isinstance(
                one.targets[0], ast.Name) and self.is_params(one.value)), None)
            if bound is not None:
                self.mistake(call, "parameters without their collection", given.id, other=bound)

    def is_of_linen(self, model):
        values = self.origins.known(model)
        return bool(values) and all(isinstance(one, ast.Call) and (self.full(one.func).startswith("flax.linen.") or any(isinstance(
            of, ast.ClassDef) and any(self.full(base) == "flax.linen.Module" for base in of.bases) for of in self.origins.functions_of(one.func)))
                                    for one in values)

    def is_params(self, node):
        """model.init(…)["params"], also by way of a name."""
        if not isinstance(node, ast.Subscript) or self.said(node.slice) != "params":
            return False
        of = node.value
        bound = self.origins.statements_of(of) if isinstance(of, ast.Name) else []
        made = bound[0].value if len(bound) == 1 and isinstance(bound[0], ast.Assign) and isinstance(bound[0].targets[0], ast.Name) else of
        return is_call(made, "init") and self.is_of_linen(made.func.value)

    # ---- JAX

    def keys_carried_on(self):
        """state, key = carry; a, b = random.split(key); random.normal(b); return (state, b), …: the next step splits what was drawn from."""
        for call in self.calls:
            bodies = self.origins.functions_of(call.args[0]) if self.full(call.func) == "jax.lax.scan" and call.args else ()
            for body in bodies:
                if isinstance(body, ast.FunctionDef) and body.args.args:
                    self.key_drawn_from(body)

    def key_drawn_from(self, body):
        own = [one for one in ast.walk(body) if id(one) not in within_others(body)]
        taken = next((one.targets[0].elts for one in own if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Tuple) and self.written(
            one.value) == body.args.args[0].arg), ())
        made = {}  # the keys that each key was split into
        drawn = {}
        for one in own:
            full = self.full(one.func) if isinstance(one, ast.Call) else ""
            first = one.args[0].id if full.startswith("jax.random.") and one.args and isinstance(one.args[0], ast.Name) else None
            last = full.rsplit(".", 1)[-1]
            if first is not None and last not in ("split", "fold_in", "PRNGKey", "key", "key_data", "clone", "wrap_key_data", "key_impl"):
                drawn.setdefault(first, one)
            bound = self.parents.get(id(one))
            if first is not None and last == "split" and isinstance(bound, ast.Assign) and isinstance(bound.targets[0], ast.Tuple):
                made.setdefault(first, set()).update(name.id for name in bound.targets[0].elts if isinstance(name, ast.Name))
        bound = [one.id for one in own if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
        for one in own:
            parts = one.value.elts if isinstance(one, ast.Return) and isinstance(one.value, ast.Tuple) else ()
            given = parts[0].elts if len(parts) == 2 and isinstance(parts[0], ast.Tuple) else ()
            for before, after in zip(taken, given) if len(taken) == len(given) else ():
                key = getattr(before, "id", None)
                name = getattr(after, "id", None)
                if name != key and name in made.get(key, ()) and name in drawn and bound.count(name) == 1:
                    self.mistake(one, "a key that is drawn from and carried on", name, key, other=drawn[name], doubted=False)
                    return

    # ---- OpenCV

    def layers_as_lists(self):
        """[names[i[0] - 1] for i in net.getUnconnectedOutLayers()]: since OpenCV 4.5.4 these are numbers."""
        if self.says(r"cv2\.__version__|opencv[\w-]*(==|<)"):
            return
        for one in self.nodes:
            if not isinstance(one, (ast.For, ast.comprehension)) or not isinstance(one.target, ast.Name):
                continue
            of = self.value_of(one.iter) if isinstance(one.iter, ast.Name) else one.iter
            if not is_call(of, "getUnconnectedOutLayers"):
                continue
            holder = one if isinstance(one, ast.For) else self.parents.get(id(one))
            part = next((each for each in ast.walk(holder) if isinstance(each, ast.Subscript) and self.written(
                each.value) == one.target.id and type(self.said(each.slice)) is int), None)
            if part is not None and not self.is_tried(part) and not self.in_branch(part):
                self.mistake(part, "an item of a layer's number", self.written(of), one.target.id, doubted=False)

    # ---- TensorFlow

    def made_before_the_tape(self):
        """fake = generator(noise); with GradientTape() as tape: loss = judge(fake); tape.gradient(loss, generator.trainable_variables)"""
        for block in (one for one in self.nodes if isinstance(one, ast.With) and len(one.items) == 1):
            item = block.items[0]
            if not isinstance(item.context_expr, ast.Call) or self.full(item.context_expr.func) != "tensorflow.GradientTape" or not isinstance(
                    item.optional_vars, ast.Name) or any(isinstance(one, ast.With) for one in self.origins.around(block)):
                continue
            rest = self.origins.block_of(block)
            for call in (call for statement in rest[rest.index(block) + 1:] for call in calls_in([statement])):
                if self.written(call.func) != item.optional_vars.id + ".gradient" or len(call.args) < 2 or self.stated(call) is not block:
                    continue
                of = call.args[1]
                if isinstance(of, ast.Attribute) and of.attr in VARIABLES_OF_KERAS:
                    self.tell_what_no_tape_saw(block, rest, call, self.written(of.value))

    def stated(self, call):
        """The block of the tape that a gradient is asked of, which another of the same name may have replaced."""
        tape = call.func.value.id
        rest = self.origins.block_of(next((one for one in [call] + list(self.origins.around(call)) if isinstance(one, ast.stmt)), call))
        earlier = [one for one in rest if isinstance(one, ast.With) and line_of(one) < line_of(call) and any(
            getattr(item.optional_vars, "id", "") == tape for item in one.items)]
        return earlier[-1] if earlier else None

    def tell_what_no_tape_saw(self, block, rest, call, model):
        inside = [one for part in block.body for one in ast.walk(part)]
        before = [one for one in rest[:rest.index(block)] if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(
            one.targets[0], ast.Name) and isinstance(one.value, ast.Call) and self.written(one.value.func) == model]
        made = {one.targets[0].id: one for one in before}
        stored = {one.id for one in inside if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
        used = next((one for one in inside if isinstance(one, ast.Name) and one.id in made and one.id not in stored), None)
        if used is None or any(self.written(one) == model for one in inside if isinstance(one, (ast.Name, ast.Attribute))):
            return
        for one in inside:  # what else is called in there may hold the model, as a chain of two models does
            if isinstance(one, ast.Call) and not re.match(r"(tensorflow|keras|numpy)\.", self.full(one.func)) and self.made_by(
                    one.func, LOSSES_OF_KERAS, surely=True) is None:
                names = {name.id for each in one.args + [k.value for k in one.keywords] for name in ast.walk(each) if isinstance(name, ast.Name)}
                if not {name for name in names if name not in self.tracing.names} <= stored | {used.id} | {"self"} or not names:
                    return
        applied = next((each for statement in rest[rest.index(block) + 1:] for each in calls_in([statement]) if is_call(
            each, "apply_gradients") and line_of(each) >= line_of(call)), call)
        self.mistake(used, "a result from before the tape", model, self.written(call), other=applied)

    def first_of_none(self):
        """if len(gpus) > 1: …, else: set_memory_growth(gpus[0], True), which also runs where there is no GPU."""
        for one in self.nodes:
            if not isinstance(one, ast.If) or not one.orelse or isinstance(one.orelse[0], ast.If):
                continue
            said = re.match(r"len\((\w+)\) (?:> 1|>= 2)$", self.written(one.test))
            if said is None:
                continue
            name = said.group(1)
            listed = next((each for each in ast.walk(one.test) if isinstance(each, ast.Name) and each.id == name), None)
            made = self.value_of(listed) if listed is not None else None
            others = [each for each in self.nodes if isinstance(each, (ast.If, ast.IfExp, ast.Assert, ast.While)) and each is not one and re.search(
                r"\b%s\b" % name, self.written(each.test))]
            if not isinstance(made, ast.Call) or not GPUS_OF_TF.match(self.full(made.func)) or self.said(
                    self.given(made, 0, "device_type")) != "GPU" or others:
                continue
            first = next((each for part in one.orelse for each in ast.walk(part) if isinstance(each, ast.Subscript) and self.written(
                each.value) == name and self.said(each.slice) == 0), None)
            if first is not None and not self.is_caught(first):
                self.mistake(first, "the first GPU where there may be none", self.written(one.test), other=one.test)

    def is_caught(self, node):
        """Whether a try around a node takes IndexError."""
        return any(isinstance(one, ast.Try) and any(handler.type is None or re.search(
            r"\b(IndexError|LookupError|Exception|BaseException)\b", self.written(handler.type)) for handler in one.handlers)
                   for one in self.origins.around(node))

    def scopes_around_weights(self):
        """model = load(config); with strategy.scope(): model.load_weights(path), and nothing else stands in a scope."""
        blocks = [one for one in self.nodes if isinstance(one, ast.With) and any(is_call(item.context_expr, "scope") for item in one.items)]
        if len(blocks) != 1 or self.says(r"experimental_set_strategy|enter_context|__enter__|\.scope\b(?!\(\))|strategy\w*\.(run|experimental_)|clone_model"):
            return
        block = blocks[0]
        made = self.made_by(block.items[0].context_expr.func.value, STRATEGIES_OF_TF)
        if made is None or not all(isinstance(one, ast.Expr) and is_call(one.value, "load_weights") and isinstance(
                one.value.func.value, ast.Name) for one in block.body):
            return
        for one in block.body:
            model = one.value.func.value
            bound = self.origins.statements_of(model)
            if len(bound) == 1 and isinstance(bound[0], ast.Assign) and isinstance(bound[0].value, ast.Call) and line_of(bound[0]) < line_of(
                    made) and self.origins.scope(bound[0]) is self.origins.scope(made):
                self.mistake(block.items[0].context_expr, "a scope around weights alone", model.id, other=bound[0])
                return

    # ---- clocks

    def clocks_of_the_process(self, roots):
        """begun = time.process_time(); …; time.process_time() - begun, around work of the GPU's."""
        if not self.says(r"(?i)\bgpu\b|cuda|tensorrt|\bgpus\b") or self.says(r"(?i)cpu[ _-]*(time|sec|usage|util|clock|bound)|processor time|process[ _]time(?!\()|user time"):
            return
        said = " and ".join(WAITS_ASLEEP[one] for one in sorted(roots & set(WAITS_ASLEEP)) if one != "keras" or "tensorflow" not in roots)
        ends = [one for one in self.nodes if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub)]
        if "torch" in roots or any(self.full(getattr(end, "func", None)) in CLOCKS_OF_HOST for one in ends for end in [one.left] + self.origins.of(
                one.left) if isinstance(end, ast.Call)):
            return  # both are shown side by side
        for one in ends:
            begun = self.value_of(one.right) if isinstance(one.right, ast.Name) else None
            end = self.value_of(one.left) if isinstance(one.left, ast.Name) else one.left
            if all(isinstance(each, ast.Call) and self.full(each.func) in CLOCKS_OF_PROCESS for each in (begun, end)) and self.works_between(begun, end):
                self.mistake(begun, "a clock of the processor around work of the GPU", said, other=one)

    def works_between(self, begun, end):
        """Whether calls other than of clocks and print() stand between two in one function."""
        first, last = line_of(begun), line_of(end)
        return self.origins.scope(begun) is self.origins.scope(end) and any(
            first < line_of(call) < last and self.full(call.func) not in CLOCKS_OF_PROCESS and self.written(call.func) not in ("print", "range", "len")
            for call in self.calls)
