"""Steps of optax, Flax, Haiku and Equinox that raise or learn nothing, and what JAX's transformations refuse; for the reader of scripts."""

# Optimizers of optax that are whole: they give updates with their sign and rate.
WHOLE_OPTIMIZERS = re.compile(r"optax\.(sgd|adam|adamw|adamax|adamaxw|nadam|nadamw|rmsprop|adagrad|adabelief|adafactor|radam|lamb|lars|lion|yogi|novograd|amsgrad|"
                              r"noisy_sgd|fromage|adadelta|rprop|sm3)$")
NEEDS_WEIGHTS = re.compile(r"optax\.(adamw|adamaxw|nadamw|lamb|lars|lion|add_decayed_weights)$")
CLIPS_OF_OPTAX = re.compile(r"optax\.(clip|clip_by_global_norm|clip_by_block_rms|adaptive_grad_clip|per_example_\w+_clip)$")
MAPS_OF_JAX = ("jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map")
STATE_OF_HAIKU = re.compile(r"haiku\.(BatchNorm|get_state|set_state|ExponentialMovingAverage|EMAParamsTree|SNParamsTree|SpectralNorm|nets\.(ResNet\w*|MobileNetV1)|"
                            r"nets\.VectorQuantizerEMA)$")
ASKS_FOR_TRAINING = frozenset("train training is_training deterministic".split())
ELEMENTWISE_OF_JAX = re.compile(r"jax\.(numpy\.(square|abs|absolute|log|log1p|exp|sqrt|negative|where)|nn\.\w+)$")
REDUCES_OF_JAX = re.compile(r"jax\.numpy\.(sum|mean|max|min|prod|var|std|linalg\.norm)$|jax\.nn\.logsumexp$|jax\.scipy\.special\.logsumexp$")
DRAWS_BY_KEY = re.compile(r"jax\.random\.(?!PRNGKey$|key$|split$|fold_in$|key_data$|wrap_key_data$|clone$)\w+$")


class JaxSlips(Updates):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or "jax" not in roots and not roots & {"optax", "flax", "haiku"}:
            return
        self.prepare(nodes)
        if "optax" in roots:
            for call in self.calls:
                self.weights_left_out(call)
                self.clipped_behind(call)
                self.init_of_functions(call)
            self.updates_with_another_sign()
        if "flax" in roots and self.says(r"\bapply(_fn)?\("):
            self.applied_in_training()
        if "haiku" in roots:
            self.state_without_its_transform()
        if self.says(r"\bgrad\(|value_and_grad\("):
            self.vectors()
        if self.says(r"\bvmap\("):
            self.mapped_weights()
        if self.says(r"\bscan\("):
            self.carries_of_another_kind()
        if self.says(r"(PRNGKey|random\.key)\("):
            self.keys_within_steps()

    # ---- optax

    def needs_weights(self, made):
        """The optimizer of optax within a call, also of chain(), whose update() needs the weights."""
        full = self.full(made.func) if isinstance(made, ast.Call) else ""
        if NEEDS_WEIGHTS.match(full):
            return made
        if full == "optax.chain" and not any(isinstance(one, ast.Starred) for one in made.args):
            return next(filter(None, (self.needs_weights(self.value_of(one)) for one in made.args)), None)
        return None

    def weights_left_out(self, call):
        """updates, state = adamw.update(grads, state), which decays weights that it isn't given."""
        if not is_call(call, "update") or len(call.args) != 2 or call.keywords or any(isinstance(one, ast.Starred) for one in call.args):
            return
        made = self.made_by_optax(call.func.value)
        needs = self.needs_weights(made) if made is not None else None
        if needs is not None:
            self.mistake(call, "an update without the weights", self.written(needs.func), other=needs)

    def clipped_behind(self, call):
        """optax.chain(optax.adam(1e-3), optax.clip_by_global_norm(1.0)), which limits the updates in the place of the gradients."""
        if self.full(call.func) != "optax.chain" or len(call.args) < 2:
            return
        made = [self.value_of(one) for one in call.args]
        names = [self.full(one.func) if isinstance(one, ast.Call) else "" for one in made]
        first = next((n for n, name in enumerate(names) if WHOLE_OPTIMIZERS.match(name)), None)
        clip = next((n for n, name in enumerate(names) if first is not None and n > first and CLIPS_OF_OPTAX.match(name)), None)
        if clip is not None and not any(CLIPS_OF_OPTAX.match(name) for name in names[:first]):
            self.mistake(call.args[clip], "gradients that are limited behind the optimizer", self.written(made[first]), other=made[first])

    def init_of_functions(self, call):
        """optax.adam(1e-3).init(model), of an MLP of Equinox's, whose activation is a leaf."""
        if not is_call(call, "init") or len(call.args) != 1 or call.keywords or not self.says(r"equinox"):
            return
        made, optimizer = self.value_of(call.args[0]), self.made_by_optax(call.func.value)
        keeps = optimizer is not None and not (self.full(optimizer.func) == "optax.sgd" and self.given(optimizer, 1, "momentum") is None)
        if keeps and isinstance(made, ast.Call) and self.full(made.func) == "equinox.nn.MLP" and WHOLE_OPTIMIZERS.match(self.full(optimizer.func)):
            self.mistake(call, "an optimizer that is given functions", self.written(call.args[0]), other=made)

    def is_update(self, node):
        """Whether a value is the updates that update() of a whole optimizer gave."""
        values = self.origins.of(node)
        one = values[0] if len(values) == 1 else None
        if not isinstance(one, Part) or one.steps != (0, ) or not is_call(one.of, "update"):
            return False
        made = self.made_by_optax(one.of.func.value)
        return made is not None and WHOLE_OPTIMIZERS.match(self.full(made.func)) is not None

    def updates_with_another_sign(self):
        """jax.tree.map(lambda p, u: p - u, params, updates)"""
        for call in self.calls:
            of = call.args[0] if self.full(call.func) in MAPS_OF_JAX and len(call.args) == 3 else None
            functions = self.origins.functions_of(of) if of is not None else ()
            of = functions[0] if len(functions) == 1 else None
            body = of.body if isinstance(of, ast.Lambda) else of.body[-1].value if isinstance(of, ast.FunctionDef) and isinstance(
                of.body[-1], ast.Return) else None
            taken = [one.arg for one in of.args.args] if body is not None else []
            if len(taken) == 2 and isinstance(body, ast.BinOp) and isinstance(body.op, ast.Sub) and [getattr(one, "id", "") for one in (
                    body.left, body.right)] == taken and self.is_update(call.args[2]):
                self.mistake(call, "updates that are subtracted", self.written(call.args[2]))

    # ---- Flax and Haiku

    def models_of_apply(self, func):
        """The class of the file whose object apply() is of: model.apply, or state.apply_fn of the one that TrainState was given."""
        if isinstance(func, ast.Attribute) and func.attr == "apply_fn":
            given = {self.written(k.value): k.value for one in self.calls if is_call(one, "create") for k in one.keywords if k.arg == "apply_fn"}
            func = list(given.values())[0] if len(given) == 1 else None
        if not isinstance(func, ast.Attribute) or func.attr != "apply":
            return None
        made = self.value_of(func.value)
        of = self.own_model(made) if isinstance(made, ast.Call) else None
        return of if of is not None and any(self.full(base) == "flax.linen.Module" for base in of.bases) else None

    def parts_of(self, of, deepest=3):
        """The calls in __call__ of a class, and in those of the classes of the file that it makes there."""
        method = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__call__"), None)
        calls = list(calls_in([method])) if method is not None else []
        fixed = any(k.arg in ASKS_FOR_TRAINING and isinstance(k.value, ast.Constant) for one in calls for k in one.keywords)
        for call in calls:
            yield call
            inner = self.own_model(call) if deepest and not fixed else None
            if inner is not None and inner is not of:
                yield from self.parts_of(inner, deepest - 1)

    def asked_for(self, node, words):
        """Whether the argument of a layer follows a parameter that apply() sets so."""
        if isinstance(node, ast.Constant):
            return True if node.value is False else None
        turned = isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        name = getattr(node.operand if turned else node, "id", "")
        given = words.get(name)
        return True if name and given is turned else None

    def applied_in_training(self):
        """model.apply({…}, x, train=True), of a model with BatchNorm or Dropout, without mutable= or rngs=."""
        for call in self.calls:
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("apply", "apply_fn") or not call.args or any(
                    k.arg in (None, "method") for k in call.keywords) or any(isinstance(one, ast.Starred) for one in call.args):
                continue
            of = self.models_of_apply(call.func)
            method = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__call__"), None) if of is not None else None
            if method is None:
                continue
            taken = [one.arg for one in method.args.args][1:]
            defaults = dict(zip(taken[::-1], method.args.defaults[::-1]))
            words = {name: one.value for name, one in defaults.items() if isinstance(one, ast.Constant) and isinstance(one.value, bool)}
            given = dict(zip(taken, call.args[1:]))
            given.update({k.arg: k.value for k in call.keywords})
            words.update({name: one.value if isinstance(one, ast.Constant) and isinstance(one.value, bool) else None for name, one in given.items()})
            keywords = {k.arg for k in call.keywords}
            for layer in self.parts_of(of):
                if "mutable" not in keywords and self.full(layer.func) == "flax.linen.BatchNorm" and self.asked_for(
                        self.word(layer, "use_running_average"), words):
                    self.mistake(call, "statistics that apply may not change", self.written(layer), other=layer)
                    break
                made = layer if self.full(layer.func) == "flax.linen.Dropout" else layer.func if isinstance(layer.func, ast.Call) and self.full(
                    layer.func.func) == "flax.linen.Dropout" else None
                if "rngs" not in keywords and made is not None and self.said(self.given(made, 0, "rate")) not in (0, None) and self.word(
                        made, "rng_collection") is None and self.word(layer, "rng") is None and self.asked_for(self.word(layer, "deterministic"), words):
                    self.mistake(call, "dropout without a key", self.written(layer), other=layer)
                    break

    def state_without_its_transform(self):
        """hk.transform(f), where f makes hk.BatchNorm, which keeps state."""
        for call in self.calls:
            functions = self.origins.functions_of(call.args[0]) if self.full(call.func) == "haiku.transform" and call.args else ()
            of = functions[0] if len(functions) == 1 and isinstance(functions[0], (ast.FunctionDef, ast.Lambda)) else None
            keeps = next((one for one in self.reached(of, 4) if STATE_OF_HAIKU.match(self.full(one.func))), None) if of is not None else None
            if keeps is not None:
                self.mistake(call, "a transform without state", self.written(keeps), other=keeps)

    # ---- transformations

    def is_vector(self, node, deepest=6):
        """Whether an expression surely has an axis left: a sum over axis 1 has that of the rows."""
        one = self.value_of(node) if deepest else None
        if isinstance(one, ast.UnaryOp):
            return self.is_vector(one.operand, deepest - 1)
        if isinstance(one, ast.BinOp) and not isinstance(one.op, ast.MatMult):
            return self.is_vector(one.left, deepest - 1) or self.is_vector(one.right, deepest - 1)
        if not isinstance(one, ast.Call):
            return False
        full = self.full(one.func)
        if REDUCES_OF_JAX.match(full):
            axis = self.given(one, 2 if full.endswith("norm") else 1, "axis")
        elif not full and isinstance(one.func, ast.Attribute) and one.func.attr in ("sum", "mean", "max", "min", "prod"):
            axis = self.given(one, 0, "axis")
        else:
            return ELEMENTWISE_OF_JAX.match(full) is not None and len(one.args) == 1 and self.is_vector(one.args[0], deepest - 1)
        said = self.said(axis) if axis is not None else None
        return type(said) is int and said >= 1 and self.word(one, "where") is None

    def vectors(self):
        """jax.grad(loss), where loss returns jnp.sum(…, axis=1)."""
        for call in self.calls:
            if self.full(call.func) not in GRADIENTS_OF_JAX or not call.args:
                continue
            functions = self.origins.functions_of(call.args[0])
            of = functions[0] if len(functions) == 1 and isinstance(functions[0], (ast.FunctionDef, ast.Lambda)) else None
            if of is None or getattr(of, "decorator_list", ()):
                continue
            inner = within_others(of)
            returns = [of.body] if isinstance(of, ast.Lambda) else [one.value for one in ast.walk(of) if isinstance(one, ast.Return) and id(one) not in inner]
            out = returns[0] if len(returns) == 1 else None
            out = out.elts[0] if isinstance(out, ast.Tuple) and out.elts else out
            if out is not None and self.is_vector(out):
                self.mistake(out, "a loss of each example for jax.grad", self.written(call), other=call)

    def first_axis(self, node):
        """The length of an array's first axis, where the expression says it; None: not known."""
        one = self.value_of(node)
        if isinstance(one, ast.BinOp):
            sides = {side for side in (self.first_axis(one.left), self.first_axis(one.right)) if side is not None}
            scalar = isinstance(self.said(one.right), (int, float)) or isinstance(self.said(one.left), (int, float))
            return sides.pop() if len(sides) == 1 and scalar else None
        full = self.full(one.func) if isinstance(one, ast.Call) else ""
        size = self.given(one, 0, "shape") if full in ("jax.numpy.zeros", "jax.numpy.ones") else self.given(one, 1, "shape") if re.match(
            r"jax\.random\.(normal|uniform|truncated_normal)$", full) else None
        made = self.value_of(size) if size is not None else None
        said = self.said(made.elts[0] if isinstance(made, (ast.Tuple, ast.List)) and made.elts else made) if made is not None else None
        return said if type(said) is int else None

    def mapped_weights(self):
        """jax.vmap(predict)(params, x), which maps over the weights as well, whose first axes differ."""
        for call in self.calls:
            made = self.value_of(call.func) if isinstance(call.func, (ast.Name, ast.Call)) else None
            if not isinstance(made, ast.Call) or made is call or self.full(made.func) != "jax.vmap" or len(made.args) != 1 or made.keywords or len(
                    call.args) < 2 or not isinstance(call.args[0], ast.Name):
                continue
            bound = [one for one in self.nodes if isinstance(one, ast.Assign) and any(getattr(target, "id", "") == call.args[0].id for target in one.targets) and
                     isinstance(one.value, ast.Dict)]
            sizes = {self.first_axis(each) for each in bound[0].value.values} - {None} if len(bound) == 1 else ()
            if len(sizes) > 1:
                self.mistake(call, "weights that vmap goes through", self.written(made), call.args[0].id, ", ".join(map(str, sorted(sizes))), other=made)

    def is_float(self, node, deepest=6):
        """Whether an expression is surely of floating point: it computes with a fraction, or divides."""
        one = self.value_of(node) if deepest else None
        if isinstance(one, ast.BinOp):
            return isinstance(one.op, ast.Div) or self.is_float(one.left, deepest - 1) or self.is_float(one.right, deepest - 1)
        if isinstance(one, ast.UnaryOp) and not isinstance(one.op, ast.Not):
            return self.is_float(one.operand, deepest - 1)
        return isinstance(one, ast.Constant) and isinstance(one.value, float)

    def carries_of_another_kind(self):
        """jax.lax.scan(f, jnp.int32(0), xs), where f gives back 0.9 * carry."""
        for call in self.calls:
            if self.full(call.func) != "jax.lax.scan" or len(call.args) < 2:
                continue
            start = self.value_of(call.args[1])
            full = self.full(start.func) if isinstance(start, ast.Call) else ""
            kind = self.word(start, "dtype") or (start.args[1] if len(start.args) > 1 else None) if full in (
                "jax.numpy.zeros", "jax.numpy.ones", "jax.numpy.array", "jax.numpy.asarray") else None
            whole = re.match(r"jax\.numpy\.u?int\d+$", full) or kind is not None and re.match(r"(jax\.)?numpy\.u?int\d+$|int$", self.full(kind) or self.written(kind))
            functions = self.origins.functions_of(call.args[0])
            of = functions[0] if len(functions) == 1 and isinstance(functions[0], (ast.FunctionDef, ast.Lambda)) else None
            if not whole or of is None or getattr(of, "decorator_list", ()):
                continue
            inner = within_others(of)
            returns = [of.body] if isinstance(of, ast.Lambda) else [one.value for one in ast.walk(of) if isinstance(one, ast.Return) and id(one) not in inner]
            out = returns[0] if len(returns) == 1 else None
            if isinstance(out, ast.Tuple) and len(out.elts) == 2 and self.is_float(out.elts[0]):
                self.mistake(call, "a carry that changes its kind", self.written(start), self.written(self.value_of(out.elts[0])), other=out)

    def keys_within_steps(self):
        """@jax.jit def step(…): key = jax.random.PRNGKey(0): each step of the training draws the same."""
        if self.says(r"fold_in|absltest|unittest|pytest|def test_"):
            return
        wrapped = {self.written(one.args[0]): self.written(target) for one in self.calls if self.full(one.func) in ("jax.jit", "jax.pmap") and one.args
                   for target in getattr(self.parents.get(id(one)), "targets", ())}
        for of in (one for one in self.nodes if isinstance(one, ast.FunctionDef)):
            traced = next(filter(None, map(self.tracing.decorated, of.decorator_list)), None)
            name = of.name if traced is not None and traced.by in ("jax.jit", "jax.pmap") else wrapped.get(of.name)
            if name is None or not re.search(r"\b(value_and_)?grad\(", self.reader.written_whole(of)):
                continue
            key = next((one for one in calls_in(of.body) if re.match(r"jax\.random\.(PRNGKey|key)$", self.full(one.func)) and one.args and type(
                self.said(one.args[0])) is int), None)
            called = key is not None and any(isinstance(one, (ast.For, ast.While)) for each in self.calls if self.written(each.func) == name
                                             for one in self.origins.around(each))
            bound = self.parents.get(id(key))
            names = [one.id for one in bound.targets if isinstance(one, ast.Name)] if isinstance(bound, ast.Assign) else []
            uses = [one for one in calls_in(of.body) if DRAWS_BY_KEY.match(self.full(one.func)) or any(k.arg == "rngs" for k in one.keywords)]
            if called and any(one is key or getattr(one, "id", "") in names for use in uses for one in ast.walk(use)):
                self.mistake(key, "a key that each step makes alike", name)
                return
