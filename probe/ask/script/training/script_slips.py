"""Slips of PyTorch's training that raise later, or never: what is made where it should be called, and made or asked once too often; for the reader
of scripts."""

CLASSES_OF_LOSSES = re.compile(r"torch\.nn\.(modules\.)?(loss\.)?(CrossEntropyLoss|NLLLoss|BCELoss|BCEWithLogitsLoss|MSELoss|L1Loss|SmoothL1Loss|HuberLoss|KLDivLoss)$")
ACTIVATION_CLASSES = re.compile(r"torch\.nn\.(modules\.)?(activation\.)?(ReLU6?|LeakyReLU|ELU|SELU|GELU|SiLU|Sigmoid|Tanh|Softmax|LogSoftmax|Softplus|Hardtanh)$")
GIVE_ANOTHER_TENSOR = frozenset("unsqueeze permute transpose contiguous squeeze reshape detach".split())
REDUCES_IN_PAIRS = re.compile(r"torch\.(max|min|sort|topk|kthvalue|median|mode)$")

KEEPS_ITS_CLASS = ("jax.tree_util.register_pytree_node_class", "jax.tree_util.register_pytree_with_keys_class", "jax.tree_util.register_static")


class Slips(Learning):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        if roots & {"torch", "jax", "tensorflow", "keras"}:
            self.fields_never_set()
        if "torch" not in roots:
            return
        for call in self.calls:
            self.made_for_called(call)
            self.state_for_model(call)
            self.other_tensor_dropped(call)
            self.there_and_back(call)
        for one in self.nodes:
            if isinstance(one, ast.Compare) and len(one.ops) == 1 and isinstance(one.ops[0], ast.Eq):
                self.compared_with_labels(one)
        self.planes_of_rows()
        if self.says(r"\.backward\("):
            self.steps_of_loops()
            for call in self.calls:
                self.made_in_each_step(call)
            self.stays_in_evaluation()
            self.evaluated_among_batches()
            self.used_up()
            self.all_frozen()
            self.switched_off()

    def made_for_called(self, call):
        """loss = nn.CrossEntropyLoss(scores, y), and x = nn.ReLU(self.fc(x)) in forward()"""
        full = self.full(call.func)
        if CLASSES_OF_LOSSES.match(full) and len(call.args) == 2 and not call.keywords and all(isinstance(one, (ast.Name, ast.Call, ast.Subscript)) for one in call.args) \
                and self.said(call.args[0], call) is call and self.said(call.args[1], call) is call:
            self.mistake(call, "a loss that is made where it should be called", full.rsplit(".", 1)[-1], *map(self.written, call.args), doubted=False)
        elif ACTIVATION_CLASSES.match(full) and len(call.args) == 1 and getattr(self.origins.scope(call), "name", "") == "forward" and not isinstance(
                call.args[0], ast.Constant) and isinstance(self.origins.scope(call), ast.FunctionDef) and self.is_tensor_in_forward(call.args[0]):
            self.mistake(call, "a layer that is made where it should be called", full.rsplit(".", 1)[-1], self.written(call.args[0]), doubted=False)

    def is_tensor_in_forward(self, node):
        """self.fc(x), or the first argument of forward()"""
        of = self.origins.scope(node)
        given = [one.arg for one in of.args.args[1:]]
        called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and self.written(node.func.value) == "self"
        return called or isinstance(node, ast.Name) and node.id in given[:1]

    def state_for_model(self, call):
        """model = model.load_state_dict(state): it gives back the names that didn't fit."""
        bound = self.parents.get(id(call))
        if not is_call(call, "load_state_dict") or not isinstance(bound, ast.Assign) or len(bound.targets) != 1 or self.origins.functions_of(call.func):
            return
        name = self.written(bound.targets[0])
        used = next((one for one in self.calls if line_of(one) > line_of(call) and (self.written(one.func) == name or isinstance(
            one.func, ast.Attribute) and one.func.attr in ("eval", "to", "cuda", "train", "parameters", "state_dict") and self.written(one.func.value) == name)), None)
        if used is not None and not self.is_reported(call):
            self.mistake(call, "a result of load_state_dict() that is taken for the model", name, self.written(used), other=used, doubted=False)

    def other_tensor_dropped(self, call):
        """x.unsqueeze(0), as a statement of its own"""
        if self.reader.other_form or not isinstance(self.parents.get(id(call)), ast.Expr) or not isinstance(call.func, ast.Attribute) or call.func.attr not in GIVE_ANOTHER_TENSOR or \
                self.full(call.func) or not isinstance(call.func.value, (ast.Name, ast.Attribute)) or any(k.arg in ("inplace", "copy") for k in call.keywords):
            return
        lasts = self.origins.block_of(self.parents[id(call)])
        if lasts and lasts[-1] is self.parents[id(call)] and getattr(call, "cell", None):
            return  # a cell of a notebook shows its last value
        if not self.says(r"IPython|>>>") and not self.is_reported(call) and not self.origins.functions_of(call.func):
            self.mistake(call, "a tensor that is dropped", self.written(call.func.value))

    def there_and_back(self, call):
        """loss.cuda().item(): to the GPU and back, and an error where there is none"""
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("item", "tolist", "numpy") and not call.args and is_call(call.func.value, "cuda") and not self.is_reported(call):
            self.mistake(call, "a number that goes to the GPU to be read", self.written(call.func.value), doubted=False)

    def compared_with_labels(self, test):
        """torch.max(out, 1) == y, a pair; out.argmax(0) == y, the best sample of each class"""
        for side, other in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
            value = self.value_of(side)
            if not isinstance(value, ast.Call) or not re.search(r"(?i)label|target|^y|truth|_y$", self.written(other)):
                continue
            full = self.full(value.func)
            axis = self.given(value, 1, "dim") if full else self.given(value, 0, "dim")
            if (REDUCES_IN_PAIRS.match(full) or not full and is_call(value, "max") and self.is_scores(value.func.value)) and self.said(axis) in (0, 1, -1) and \
                    isinstance(side, (ast.Call, ast.Name)):
                return self.mistake(test, "a pair that is compared with labels", self.written(value), doubted=False)
            of = value.args[0] if full == "torch.argmax" and value.args else value.func.value if not full and is_call(value, "argmax") else None
            if of is not None and self.said(axis) == 0 and self.is_scores(of):
                return self.mistake(test, "classes that are chosen across the samples", self.written(value))
        return None

    def is_scores(self, node):
        """Whether a value is what a model gives for a batch."""
        value = self.value_of(node)
        if not isinstance(value, ast.Call) or self.full(value.func) or not value.args:
            return False
        batch = self.origins.known(value.func, True) if isinstance(value.func, (ast.Name, ast.Attribute)) else []
        return any(isinstance(one, ast.Call) and (self.full(one.func).startswith("torch") or any(isinstance(of, ast.ClassDef) for of in self.origins.functions_of(
            one.func))) for one in batch) and any(isinstance(one, ast.For) and GOES_THROUGH_BATCHES.search(self.written(one.iter)) for one in self.origins.around(value))

    def fields_never_set(self):
        """self.fc3(x) in forward(), where __init__() makes fc1 and fc2 alone."""
        if self.reader.other_form:
            return
        stored = {one.attr for one in self.nodes if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)}
        bases = {self.written(base) for of in self.tracing.index.classes for base in of.bases}
        for of in self.tracing.index.classes:
            text = self.reader.written_whole(of)
            made = any(isinstance(one, ast.FunctionDef) and one.name == "__init__" for one in of.body)
            plain = not of.bases or len(of.bases) == 1 and self.full(of.bases[0]) in ("torch.nn.Module", "torch.utils.data.Dataset", "object")
            if not of.bases and re.search(r"super\(\)\.__init__\(.|Mixin", of.name + text):  # it is mixed into others, which set more
                continue
            if not made or of.keywords or any(self.full(by) not in KEEPS_ITS_CLASS for by in of.decorator_list) or of.name in bases or not plain or re.search(
                    r"setattr|__getattr|__dict__|vars\(|store_attr|__slots__", text) or any(isinstance(one.func, ast.Attribute) and re.match(
                        r"register_|add_module", one.func.attr) and not (one.args and isinstance(one.args[0], ast.Constant)) for one in calls_in(of.body)):
                continue
            own = {name for one in own_nodes(of) for name in names_bound_by(one)} | set(MODULE_MEMBERS) | MORE_OF_WRAPPERS | stored
            own |= {one.value for call in calls_in(of.body) for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)}
            for one in ast.walk(of):
                holder = self.origins.scope(one) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load) and getattr(one.value, "id", "") == "self" else None
                if holder is not None and self.parents.get(id(holder)) is of and one.attr not in own and not one.attr.startswith("_") and not any(
                        isinstance(each, ast.Try) for each in self.origins.around(one)) and not self.is_reported(one):
                    near = difflib.get_close_matches(one.attr, sorted(stored), 1, 0.6)
                    self.mistake(one, "a field that nothing sets", of.name, "Write self.%s, if that is meant." % near[0] if near else "Make it in __init__().")

    # ---- loops

    def steps_of_loops(self):
        for step in self.calls:
            optimizer = self.stepped(step)
            made = self.made_by(optimizer, OPTIMIZERS_AT_ALL, surely=True) if optimizer is not None and not step.args else None
            block = self.origins.block_of(self.parents.get(id(step))) if made is not None else []
            if not block:
                continue
            at = next(i for i, one in enumerate(block) if one is self.parents[id(step)])
            name = self.written(optimizer)
            zeroed = [i for i, one in enumerate(block) if isinstance(one, ast.Expr) and is_call(one.value, "zero_grad")]
            backs = [i for i, one in enumerate(block) if isinstance(one, ast.Expr) and (is_call(one.value, "backward"))]
            if backs and zeroed and min(backs) > at > max(zeroed) and self.in_a_loop(step):
                self.mistake(step, "a step before its gradients", self.written(block[backs[0]]), other=block[backs[0]], doubted=False)
            before = block[at - 1] if at > 0 else None
            inner = before if isinstance(before, ast.For) else None
            if inner is not None and not backs and GOES_THROUGH_BATCHES.search(self.written(inner.iter)):
                direct = [one.value for one in inner.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
                zero = next((one for one in direct if is_call(one, "zero_grad") and self.written(one.func.value) == name), None)
                if zero is not None and any(is_call(one, "backward") for one in direct) and not any(is_call(one, "step") for one in calls_in(inner.body)):
                    self.mistake(step, "one step for all batches", name, self.written(zero), other=zero)

    def in_a_loop(self, node):
        return any(isinstance(one, (ast.For, ast.While)) for one in self.origins.around(node))

    def made_in_each_step(self, made):
        """for x, y in loader: optimizer = Adam(model.parameters()); …; optimizer.step()"""
        bound = self.parents.get(id(made))
        loop = self.parents.get(id(bound))
        if not OPTIMIZERS_AT_ALL.match(self.full(made.func)) or not isinstance(bound, ast.Assign) or not isinstance(loop, ast.For) or bound not in loop.body or \
                not GOES_THROUGH_BATCHES.search(self.written(loop.iter)):
            return
        kind, name = self.full(made.func).rsplit(".", 1)[-1], self.written(bound.targets[0])
        steps = [one for one in calls_in(loop.body) if is_call(one, "step") and line_of(one) > line_of(made)]
        step = next((one for one in steps if name in (self.written(one.func.value), self.written(self.stepped(one) or one))), None)
        nearest = next((one for one in self.origins.around(step) if isinstance(one, (ast.For, ast.While))), None) if step is not None else None
        models = {self.written(one.func.value) for given in made.args[:1] + [k.value for k in made.keywords if k.arg == "params"] for one in ast.walk(
            given) if is_call(one, "parameters")}
        new = {self.written(one) for part in loop.body + [loop.target] for one in ast.walk(part) if isinstance(one, (ast.Name, ast.Attribute)) and not isinstance(
            one.ctx, ast.Load)}
        if nearest is loop and models and not models & new and not (kind == "SGD" and len(made.args) < 3 and self.word(made, "momentum") is None):
            self.mistake(made, "an optimizer that is made in each step", name, kind)

    def stays_in_evaluation(self):
        """model.train(); for epoch in …: train; model.eval(); validate: from the second epoch on it trains as it evaluates."""
        if self.has_other_engine():
            return
        for call in self.calls:
            model, statement = self.put_in_evaluation(call)
            loop = self.parents.get(id(statement))
            if model is None or not isinstance(loop, (ast.For, ast.While)) or statement not in loop.body or not self.repeats(loop) or re.search(
                    r"\.train\(|\.training\b", self.near(loop)):
                continue
            before = loop.body[:loop.body.index(statement)]
            learns = next((one for one in calls_in(before) if is_call(one, "backward")), None)
            if learns is not None and any(self.written(one.func) == model for one in calls_in(before)) and self.may_draw(call.args[0] if call.args else call.func.value):
                self.mistake(call, "a model that stays in evaluation", model, self.written(learns), other=learns)

    def evaluated_among_batches(self):
        """for x, y in loader: …; loss.backward(); if i % 100 == 0: score(net, test_loader), which calls net.eval(), and no train() in the loop"""
        if self.has_other_engine():
            return
        for loop in self.tracing.index.loops:
            direct = [one for part in loop.body if not isinstance(part, (ast.For, ast.While)) for one in calls_in([part])] if isinstance(loop, ast.For) else []
            back = next((one for one in direct if is_call(one, "backward")), None)
            if back is None or not GOES_THROUGH_BATCHES.search(self.written(loop.iter)) or re.search(r"\.train\(|\.training\b", self.near(loop)) or not self.repeats(loop):
                continue
            for call in direct:
                of = self.origins.functions_of(call.func) if isinstance(call.func, ast.Name) and call.args else []
                name = of[0].args.args[0].arg if len(of) == 1 and isinstance(of[0], ast.FunctionDef) and of[0].args.args else None
                switched = name is not None and any(is_call(one, "eval") and self.written(one.func.value) == name for one in calls_in(of[0].body))
                if switched and any(self.written(one.func) == self.written(call.args[0]) for one in direct) and self.may_draw(call.args[0]):
                    self.mistake(call, "a model that stays in evaluation", self.written(call.args[0]), self.written(back), other=back)
                    return

    def planes_of_rows(self):
        """x = self.fc1(x); x = self.drop(x), where drop = nn.Dropout2d(): it drops whole planes, and rows have none."""
        for of in self.tracing.index.classes:
            forward = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
            for call in calls_in(forward.body) if forward is not None else ():
                made = self.layer_of(call)
                if made is not None and re.search(r"\.Dropout[23]d$", self.full(made.func)) and len(call.args) == 1 and self.rows_behind(call.args[0], 6):
                    self.mistake(call, "planes that are dropped of rows", self.full(made.func).rsplit(".", 1)[-1], other=made)

    def layer_of(self, call):
        """The call that makes the layer of self.layer(x)."""
        if not isinstance(call.func, ast.Attribute) or self.written(call.func.value) != "self":
            return None
        values = self.origins.of(call.func)
        return values[0] if len(values) == 1 and isinstance(values[0], ast.Call) else None

    def rows_behind(self, node, deepest):
        """Whether a value is what a linear layer gives for flat samples, through activations alone."""
        values = self.origins.of(node) if deepest > 0 else []
        one = values[0] if len(values) == 1 else None
        if not isinstance(one, ast.Call) or not one.args:
            return False
        if re.match(r"torch\.(nn\.functional\.)?(relu|tanh|sigmoid|leaky_relu|gelu|elu|dropout)$", self.full(one.func)):
            return self.rows_behind(one.args[0], deepest - 1)
        made = self.layer_of(one)
        if made is not None and ACTIVATION_CLASSES.match(self.full(made.func)):
            return self.rows_behind(one.args[0], deepest - 1)
        return made is not None and self.full(made.func) == "torch.nn.Linear" and self.is_flat(one.args[0], deepest - 1)

    def is_flat(self, node, deepest):
        """Whether a value has one row for each sample: x.view(-1, 320), torch.flatten(x, 1), or what a linear layer gives for such."""
        values = self.origins.of(node) if deepest > 0 else []
        one = values[0] if len(values) == 1 else None
        if not isinstance(one, ast.Call):
            return False
        if self.full(one.func) == "torch.flatten":
            return self.said(self.given(one, 1, "start_dim")) == 1
        if isinstance(one.func, ast.Attribute) and one.func.attr in ("view", "reshape") and len(one.args) == 2 and not self.full(one.func):
            return True
        return self.rows_behind(node, deepest) or is_call(one, "flatten") and self.said(one.args[0] if one.args else None) == 1

    def put_in_evaluation(self, call):
        """(the model, the statement) of net.eval(), and of test(net, loader), where the function calls it for its first parameter."""
        statement = self.parents.get(id(call))
        if is_call(call, "eval") and not call.args and isinstance(statement, ast.Expr):
            return self.written(call.func.value), statement
        if isinstance(statement, ast.Call):  # print(test(net, loader))
            statement = next((one for one in self.origins.around(call) if isinstance(one, ast.stmt)), None)
        of = self.origins.functions_of(call.func) if isinstance(call.func, ast.Name) and call.args and isinstance(statement, (ast.Expr, ast.Assign)) else []
        if len(of) == 1 and isinstance(of[0], ast.FunctionDef) and of[0].args.args:
            name = of[0].args.args[0].arg
            if any(is_call(one, "eval") and self.written(one.func.value) == name for one in calls_in(of[0].body)):
                return self.written(call.args[0]), statement
        return None, None

    def used_up(self):
        """params = model.parameters(); Adam(params); …; clip_grad_norm_(params, 1): the optimizer has used it up."""
        for name, values in self.tracing.index.assigned.items():
            made = values[0] if len(values) == 1 and re.fullmatch(r"\w+", name) else None
            called = made.args[-1] if isinstance(made, ast.Call) and made.args and getattr(made.func, "id", "") == "filter" else made
            if not is_call(called, "parameters") or called.args and called is made or self.origins.functions_of(called.func):
                continue
            scope = self.origins.scope(made)
            taken = sorted((call for call in self.calls if call.args and isinstance(call.args[0], ast.Name) and call.args[0].id == name and self.origins.scope(
                call) is scope and line_of(call) > line_of(made)), key=self.origins.position)
            optimizer = next((one for one in taken if OPTIMIZERS_AT_ALL.match(self.full(one.func))), None)
            later = next((one for one in taken if optimizer is not None and line_of(one) > line_of(optimizer) and (self.full(one.func) in CLIPS or OPTIMIZERS_AT_ALL.match(
                self.full(one.func)))), None)
            if later is not None:
                self.mistake(later, "parameters that are used up", name, self.written(optimizer.func), other=optimizer, doubted=False)

    def all_frozen(self):
        """for p in model.parameters(): p.requires_grad = False, and Adam(model.parameters()): nothing is left to train."""
        if self.says(r"requires_grad\w*(\(|\s*=)(?!\s*False)|LoRA|peft|unfreeze|add_module|setattr"):
            return
        for loop in self.tracing.index.loops:
            of = loop.iter if isinstance(loop, ast.For) else None
            if not is_call(of, "parameters") or len(loop.body) != 1 or not re.match(r"\w+\.requires_grad(_\(False\)| = False)$", self.written(loop.body[0])) or self.in_branch(loop):
                continue
            model = self.written(of.func.value)
            changed = any(name.startswith(model + ".") or name == model and len(values) > 1 for name, values in self.tracing.index.assigned.items())
            trained = next((call for call in self.calls if OPTIMIZERS_AT_ALL.match(self.full(call.func)) and self.written(self.given(call, 0, "params")) ==
                            model + ".parameters()"), None) if not changed else None
            if trained is not None and re.fullmatch(r"\w+", model):
                self.mistake(loop.body[0], "a model that is frozen as a whole", model, self.written(trained), other=trained)

    def switched_off(self):
        """torch.set_grad_enabled(False), as a statement, and backward() behind it"""
        for call in self.calls:
            if self.full(call.func) != "torch.set_grad_enabled" or not isinstance(self.parents.get(id(call)), ast.Expr) or not call.args or self.said(
                    call.args[0]) is not False or self.says(r"set_grad_enabled\((?!False)|enable_grad"):
                continue
            scope = self.origins.scope(call)
            back = next((one for one in self.calls if is_call(one, "backward") and line_of(one) > line_of(call) and self.origins.scope(one) is scope), None)
            if back is not None and not self.in_branch(call):
                self.mistake(call, "gradients that are switched off for good", self.written(back), other=back, doubted=False)
