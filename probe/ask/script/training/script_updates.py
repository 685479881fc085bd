"""Gradients of TensorFlow's tapes and of JAX that never come to the weights, or not as they are; for the reader of scripts."""

OPTIMIZER_OF_KERAS = re.compile(r"(tensorflow\.|tf_)?keras\.optimizers\.(legacy\.|experimental\.)?[A-Z]\w+$")
METRIC_OF_KERAS = re.compile(r"(tensorflow\.|tf_)?keras\.metrics\.[A-Z]\w+$")
GRADIENTS_OF_JAX = {"jax.grad": 0, "jax.value_and_grad": 1, "flax.nnx.grad": 0, "flax.nnx.value_and_grad": 1, "equinox.filter_grad": 0,
                    "equinox.filter_value_and_grad": 1}
MADE_BY_OPTAX = re.compile(r"optax\.\w+$")
# Losses of optax that give a number for each example.
LOSSES_OF_EXAMPLES = re.compile(r"optax\.(losses\.)?(softmax_cross_entropy(_with_integer_labels)?|sigmoid_binary_cross_entropy|l2_loss|squared_error|"
                                r"huber_loss)$")
MEASURES = r"perf_counter|time\.time\(|timeit|(?i:bench|profil)"


class Updates(KerasModels):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form:
            return
        tapes = "tensorflow" in roots and self.says(r"GradientTape")
        jax = "jax" in roots and self.says(r"\b\w*grad\(|optax")
        shared = self.ROOTS & roots and len(re.findall(r"\.compile\(", self.reader.text)) > 1
        if not tapes and not jax and not shared:
            return
        self.prepare(nodes)
        if shared:
            self.shared_optimizers()
        if tapes:
            self.blocks = [one for one in nodes if isinstance(one, ast.With) and any(self.is_tape(item) for item in one.items)]
            for call in self.calls:
                if is_call(call, "gradient") and isinstance(call.func.value, ast.Name):
                    self.asked(call)
                elif is_call(call, "apply_gradients"):
                    self.applied(call)
            self.optimizers_anew()
            self.measures_never_reset()
        if jax:
            self.gradients_of_jax()
        if "optax" in roots:
            self.steps_of_optax()

    def scope_of(self, node):
        of = self.origins.scope(node)
        return of if of is not None else [one for one in self.nodes if isinstance(one, ast.Module)]

    def is_read(self, name, node):
        """Whether a name is read anywhere in the function where a node stands."""
        of = self.scope_of(node)
        return self.says(r"\blocals\(") or any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
                   for part in (of if isinstance(of, list) else [of]) for one in ast.walk(part)) or not isinstance(of, list) and any(
                       isinstance(one, (ast.Global, ast.Nonlocal)) and name in one.names for one in ast.walk(of)) or any(
                           isinstance(one, ast.AugAssign) and getattr(one.target, "id", "") == name for one in self.nodes)

    # ---- what outlives an epoch or a model

    def shared_optimizers(self):
        """adam = Adam(); critic.compile(adam); gan.compile(adam): since Keras 2.11, an optimizer is of the variables that it began with."""
        first = {}
        for call in self.calls:
            given = self.given(call, 0, "optimizer") if is_call(call, "compile") and not self.full(call.func) else None
            made = self.origins.of(given) if isinstance(given, (ast.Name, ast.Attribute)) else []
            if len(made) != 1 or not isinstance(made[0], ast.Call) or not OPTIMIZER_OF_KERAS.match(self.full(made[0].func)) or "legacy" in self.full(made[0].func):
                continue
            before = first.setdefault(id(made[0]), call)
            apart = self.written(before.func.value) != self.written(call.func.value) and self.origins.scope(before) is self.origins.scope(call)
            if before is not call and apart and not self.in_branch(call) and not self.in_branch(before):
                self.mistake(call, "an optimizer of two models", self.written(given), self.written(before.func.value), other=before)
                return

    def measures_never_reset(self):
        """for epoch in …: step(x, y); print(loss.result()), of a metric of Keras's that nothing resets"""
        if self.says(r"reset_state"):
            return
        for call in self.calls:
            made = self.made_by(call.func.value, METRIC_OF_KERAS, surely=True) if is_call(call, "result") and not call.args else None
            loops = [one for one in self.origins.around(call) if isinstance(one, (ast.For, ast.While))]
            if made is None or not loops or any(one is loops[-1] for one in self.origins.around(made)):
                continue
            epoch = loops[-1]
            if re.search(r"(?i)ep(och)?s?\b|epoch", self.written(getattr(epoch, "target", epoch))) and any(
                    isinstance(one, ast.For) for part in epoch.body for one in ast.walk(part)):
                self.mistake(call, "a measure that nothing resets", self.written(call.func.value), other=made)
                return

    # ---- tapes

    def is_tape(self, item):
        return isinstance(item.context_expr, ast.Call) and self.full(item.context_expr.func) == "tensorflow.GradientTape" and isinstance(
            item.optional_vars, ast.Name)

    def block_of_tape(self, call):
        """The block of the tape that is asked for a gradient."""
        name, scope, here = call.func.value.id, self.origins.scope(call), self.origins.position(call)
        of = [one for one in self.blocks if any(self.is_tape(item) and item.optional_vars.id == name for item in one.items) and self.origins.scope(
            one) is scope and self.origins.position(one) < here]
        return of[-1] if of else None

    def is_variables(self, node):
        """model.trainable_variables, also by way of a name, or several of them."""
        if isinstance(node, ast.BinOp):
            return self.is_variables(node.left) and self.is_variables(node.right)
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Attribute) and one.attr in VARIABLES_OF_KERAS or isinstance(one, ast.BinOp) and self.is_variables(
            one) for one in values)

    def is_gradients(self, node):
        """Whether an expression is what a tape gave, a list of gradients."""
        values = self.origins.of(node)
        return bool(values) and all(is_call(one, "gradient") and isinstance(one.func.value, ast.Name) and self.block_of_tape(
            one) is not None and self.is_variables(self.given(one, 1, "sources")) for one in values)

    def asked(self, call):
        block = self.block_of_tape(call)
        target, sources = self.given(call, 0, "target"), self.given(call, 1, "sources")
        if block is None or target is None or sources is None:
            return
        if self.is_variables(target) and not self.is_variables(sources):
            self.mistake(call, "a tape that is asked the other way round", self.written(target), self.written(sources), doubted=False)
            return
        if not self.is_variables(sources):
            return
        statement = self.parents.get(id(call))
        name = statement.targets[0].id if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) else None
        around = [one for one in self.origins.around(call) if isinstance(one, (ast.For, ast.While, ast.FunctionDef))]
        if around and not self.says(MEASURES) and (name and not self.is_read(name, call) or isinstance(statement, ast.Expr)):
            self.mistake(call, "gradients that are never applied", self.written(sources))
        if isinstance(target, ast.Name):
            self.computed_outside(call, block, target)
            self.numbers_in_the_tape(call, block, target, sources)

    def computed_outside(self, call, block, target):
        """with tf.GradientTape() as tape: out = model(x), and then loss = loss_fn(y, out) behind the block."""
        bound = self.origins.statements_of(target)
        if not bound or any(not isinstance(one, ast.Assign) or not isinstance(one.value, (ast.Call, ast.BinOp)) for one in bound):
            return
        behind = [one for one in bound if self.origins.scope(one) is self.origins.scope(call) and self.origins.position(block) < self.origins.position(
            one) < self.origins.position(call) and not any(isinstance(each, ast.With) for each in self.origins.around(one))]
        if behind and len(behind) == len(bound) and line_of(behind[0]) > line_of(block.body[-1]):
            self.mistake(behind[0], "a loss behind its tape", self.written(target), other=call)

    def numbers_in_the_tape(self, call, block, target, sources):
        """with tf.GradientTape() as tape: loss = loss_fn(y, model(x).numpy())"""
        inside = [one for part in block.body for one in ast.walk(part)]
        if not any(is_call(one, "numpy") or isinstance(one, ast.Call) and self.full(one.func).startswith("numpy.") for one in inside):
            return
        models = {self.written(one.value) for one in ast.walk(sources) if isinstance(one, ast.Attribute) and one.attr in VARIABLES_OF_KERAS}
        bound = {one.targets[0].id: one.value for one in inside if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(
            one.targets[0], ast.Name)}
        waiting, chain = [target.id], []
        while waiting:
            name = waiting.pop()
            if name in bound and name not in chain:
                chain.append(name)
                waiting += [one.id for one in ast.walk(bound[name]) if isinstance(one, ast.Name)]
        outputs = {name for name in chain if isinstance(bound[name], ast.Call) and self.written(bound[name].func) in models}
        given = [one for name in chain for one in ast.walk(bound[name]) if isinstance(one, ast.Name) and one.id in outputs or isinstance(
            one, ast.Call) and self.written(one.func) in models and self.parents.get(id(one)) is not self.statement_of(one)]
        turned = [self.turned(one, block) for one in given]
        if turned and all(turned):
            self.mistake(turned[0], "a number of NumPy's in a tape", self.written(call), other=call)

    def statement_of(self, node):
        return next((one for one in self.origins.around(node) if isinstance(one, ast.stmt)), None)

    def turned(self, node, block):
        """The call around a tensor that makes a number or array of it: x.numpy(), float(x) or np.mean(x)."""
        for one in self.origins.around(node):
            if one is block or isinstance(one, ast.stmt):
                return None
            if is_call(one, "numpy") or isinstance(one, ast.Call) and (self.full(one.func).startswith("numpy.") or getattr(
                    one.func, "id", "") in ("float", )):
                return one
        return None

    def applied(self, call):
        """optimizer.apply_gradients(zip(model.trainable_variables, grads)), and apply_gradients(grads)."""
        given = self.given(call, 0, "grads_and_vars")
        pairs = self.value_of(given) if given is not None else None
        if isinstance(pairs, ast.Call) and getattr(pairs.func, "id", "") == "zip" and len(pairs.args) == 2 and self.is_variables(
                pairs.args[0]) and not self.is_variables(pairs.args[1]) and self.is_gradients(pairs.args[1]):
            self.mistake(call, "weights and gradients in the wrong order", self.written(pairs.args[1]), self.written(pairs.args[0]), doubted=False)
        elif given is not None and len(call.args) + len(call.keywords) == 1 and self.is_gradients(given):
            sources = self.given(self.origins.of(given)[0], 1, "sources")
            self.mistake(call, "gradients without their weights", self.written(given), self.written(sources), doubted=False)

    def optimizers_anew(self):
        """for x, y in data: optimizer = Adam(); …; optimizer.apply_gradients(…)"""
        if self.says(r"clone_model|[sg]et_weights|(?i:maml|meta.?learn)"):
            return
        for call in self.calls:
            if not (is_call(call, "apply_gradients") or is_call(call, "minimize")) or not isinstance(call.func.value, ast.Name):
                continue
            made = self.origins.of(call.func.value)
            made = made[0] if len(made) == 1 and isinstance(made[0], ast.Call) and OPTIMIZER_OF_KERAS.match(self.full(made[0].func)) else None
            bound = self.parents.get(id(made))
            if not isinstance(bound, ast.Assign) or self.origins.scope(bound) is not self.origins.scope(call) or self.full(made.func).endswith(
                    ".SGD") and self.word(made, "momentum") is None:
                continue
            loops = [one for one in self.until_scope(call) if isinstance(one, (ast.For, ast.While))]
            within = [one for one in self.until_scope(bound) if isinstance(one, (ast.For, ast.While))]
            of = self.origins.scope(call)
            sites = [] if loops or not isinstance(of, ast.FunctionDef) else self.origins.sites(of)
            called = any(isinstance(one, (ast.For, ast.While)) for site in sites for one in self.until_scope(site.call))
            around = loops[0] if loops and within and within[0] is loops[0] else of if called else None
            if around is None or any(isinstance(one, ast.If) for one in self.until_scope(bound)) or any(
                    self.is_sequential(one) or self.is_functional(one) or self.own_model(one) for one in calls_in(around.body)) or any(
                        isinstance(one, ast.Name) and "model" in one.id and not isinstance(one.ctx, ast.Load) for part in around.body for one in ast.walk(part)):
                continue
            self.mistake(made, "an optimizer that each step makes anew", self.written(call.func.value), other=call)

    # ---- JAX

    def gradient_form(self, call):
        """(the call of jax.grad or value_and_grad, 1 for the latter) behind the function that is called; None: another."""
        if not isinstance(call, ast.Call) or not isinstance(call.func, (ast.Name, ast.Call, ast.Attribute)):
            return None
        values = self.origins.of(call.func, True)
        made = values[0] if len(values) == 1 and isinstance(values[0], ast.Call) else None
        full = self.full(made.func) if made is not None and made is not call else ""
        return (made, GRADIENTS_OF_JAX[full]) if full in GRADIENTS_OF_JAX else None

    def gradients_of_jax(self):
        for one in self.nodes:
            form = self.gradient_form(one.value) if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
            if form is not None:
                self.unpacked(one, *form)
        for call in self.calls if not self.says(r"vmap") else ():
            if self.full(call.func) in GRADIENTS_OF_JAX and call.args:
                self.vector_of_losses(call)

    def unpacked(self, bound, made, with_value):
        target = bound.targets[0]
        parts = target.elts if isinstance(target, ast.Tuple) else []
        names = [getattr(one, "id", "") for one in parts]
        aux = self.said(self.word(made, "has_aux")) is True
        if with_value and len(parts) == 2 and re.search(r"grad", names[0]) and re.search(r"loss|value|cost|err", names[1]) and not re.search(
                r"grad", names[1]):
            return self.mistake(bound, "a value and a gradient in the wrong order", names[0], names[1])
        if with_value and aux and len(parts) == 3 and all(names):
            return self.mistake(bound, "a value with more that is not taken apart", names[0], names[1], names[2], doubted=False)
        name = names[1] if with_value and len(names) == 2 else target.id if not with_value and isinstance(target, ast.Name) else None
        if name and not name.startswith("_") and self.says(r"optax|TrainState|apply_gradients|optimizer") and not self.says(MEASURES) and any(
                isinstance(one, (ast.For, ast.While, ast.FunctionDef)) for one in self.origins.around(bound)) and not self.is_read(name, bound):
            return self.mistake(bound, "gradients that are never applied", self.written(made))
        return None

    def vector_of_losses(self, call):
        """jax.grad(loss_fn) of a function that returns the loss of each example."""
        functions = self.origins.functions_of(call.args[0])
        of = functions[0] if len(functions) == 1 and isinstance(functions[0], (ast.FunctionDef, ast.Lambda)) else None
        inner = within_others(of) if of is not None else ()
        returns = [of.body] if isinstance(of, ast.Lambda) else [one.value for one in ast.walk(of) if isinstance(one, ast.Return) and id(
            one) not in inner] if of is not None else []
        if len(returns) != 1 or getattr(of, "decorator_list", ()):
            return
        out = returns[0].elts[0] if isinstance(returns[0], ast.Tuple) and returns[0].elts else returns[0]
        made = self.value_of(out) if out is not None else None
        if isinstance(made, ast.Call) and LOSSES_OF_EXAMPLES.match(self.full(made.func)):
            self.mistake(made, "a loss of each example for jax.grad", self.written(call), other=call)

    # ---- optax

    def made_by_optax(self, node):
        """The call of optax that makes an optimizer."""
        return self.made_by(node, MADE_BY_OPTAX, surely=True) if isinstance(node, (ast.Name, ast.Attribute)) else None

    def steps_of_optax(self):
        for call in self.calls:
            statement = self.parents.get(id(call))
            if self.full(call.func) == "optax.apply_updates" and len(call.args) == 2:
                self.applied_updates(call, statement)
            elif is_call(call, "update") and len(call.args) >= 2:
                optimizer = self.made_by_optax(call.func.value)
                if optimizer is not None:
                    self.updated(call, optimizer, statement)

    def applied_updates(self, call, statement):
        name = statement.targets[0].id if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name) else None
        if isinstance(statement, ast.Expr) or name and not name.startswith("_") and not self.is_read(name, call):
            self.mistake(call, "new weights that are dropped", self.written(call.args[0]), doubted=False)
            return
        values = self.origins.of(call.args[1])
        for one in values if len(values) == 1 else ():
            of, steps = (one.of, one.steps) if isinstance(one, Part) else (one, ())
            form = self.gradient_form(of)
            if form is not None and steps == ((1, ) if form[1] else ()):
                self.mistake(call, "gradients that no optimizer has seen", self.written(call.args[1]), other=of)
            elif is_call(of, "update") and not steps and not isinstance(one, Part) and self.made_by_optax(of.func.value) is not None:
                self.mistake(call, "updates with their state", self.written(of), other=of, doubted=False)

    def updated(self, call, optimizer, statement):
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        names = [self.written(one) for one in target.elts] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
        taken_alone = isinstance(statement, ast.Subscript) and self.said(statement.slice) == 0
        if names and names[1] == self.written(call.args[0]) and names[1] != self.written(call.args[1]):
            self.mistake(call, "a state in the place of gradients", self.written(call.args[1]), self.written(call.args[0]), doubted=False)
            return
        plain = self.full(optimizer.func) in ("optax.scale", "optax.identity", "optax.set_to_zero") or self.full(
            optimizer.func) == "optax.sgd" and self.given(optimizer, 1, "momentum") is None
        around = [one for one in self.origins.around(call) if isinstance(one, (ast.For, ast.While, ast.FunctionDef))]
        if plain or not around or not (names or taken_alone):
            return
        name = names[1] if names else ""
        if taken_alone or name.startswith("_") or isinstance(target.elts[1], ast.Name) and not self.is_read(name, call):
            self.mistake(call, "a state of the optimizer that is dropped", self.written(call.args[1]), doubted=True)
