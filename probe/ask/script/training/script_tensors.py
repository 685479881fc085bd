"""Tensors of PyTorch's that are not what they are taken for: masks the other way round, gradients that are cut off, weights that nothing changes; for the
reader of scripts."""

RECURRENT_LAYERS = re.compile(r"torch\.nn\.(LSTM|GRU|RNN)$")
MAY_HAVE_PADS = re.compile(r"(?i)pad|^0$")
SOFTMAXES = re.compile(r"torch\.(nn\.functional\.)?softmax$")
LOG_SOFTMAXES = re.compile(r"torch\.(nn\.functional\.)?log_softmax$")
LOG_OF_VARIANCE = re.compile(r"(?i)(^|\.|_)log_?(var|variance|sigma2|sigma_sq)\w*$|logvar")
DEVIATION = re.compile(r"(?i)(^|\.|_)(std|stddev|sigma)$")
MADE_AS_MODULES = re.compile(r"torchvision\.models\.\w+$|torch\.nn\.(?!Parameter$|functional|init|utils|parameter)[A-Z]\w*$|transformers\.(\w+\.)*Auto\w+\.from_pretrained$|timm\.create_model$")
COUNTED_IN_EPOCHS = {"CosineAnnealingLR": (1, "T_max"), "LinearLR": (3, "total_iters"), "PolynomialLR": (1, "total_iters"), "OneCycleLR": (None, "total_steps")}


class Tensors(Learning):
    def look(self, nodes):
        if self.reader.other_form or not any(name.split(".")[0] == "torch" for name in self.tracing.names.values()):
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        self.functions = [one for one in nodes if isinstance(one, ast.FunctionDef)]
        for call in self.calls:
            self.masks(call)
            self.divergence(call)
            self.rows_of_embeddings(call)
            self.attention_over_heads(call)
            self.parts_that_miss_some(call)
            self.weights_that_are_drawn_again(call)
        for one in nodes:
            if isinstance(one, ast.Subscript):
                self.last_of_the_batch(one)
            elif isinstance(one, ast.Assign) and len(one.targets) == 1:
                self.deviation_of_variance(one)
                self.module_that_is_frozen_by_name(one)
        self.functions_of_autograd()
        self.sums_over_ranks()
        if self.says(r"\.backward\("):
            self.zeroed_between_parts()
            self.schedules_of_epochs()
            self.heads_behind_optimizers()
            self.rebound_weights()
            self.similar_to_themselves()
            self.losses_without_gradient()
            self.gathered_without_gradient()
            self.penalties_without_graph()
            self.inference_that_trains()
            self.rounded_weights()

    # ---- masks and shapes

    def masks(self, call):
        """encoder(x, src_key_padding_mask=ids != PAD), and scaled_dot_product_attention(q, k, v, attn_mask=torch.triu(…bool…, 1))"""
        given = next((k.value for k in call.keywords if k.arg in ("src_key_padding_mask", "tgt_key_padding_mask", "key_padding_mask", "memory_key_padding_mask")), None)
        mask = self.value_of(given) if given is not None else None
        if isinstance(mask, ast.Compare) and len(mask.ops) == 1 and isinstance(mask.ops[0], ast.NotEq) and MAY_HAVE_PADS.search(self.written(
                mask.comparators[0])) and not self.origins.functions_of(call.func):
            self.mistake(call, "a mask of padding the other way round", self.written(mask), other=mask)
        attention = self.full(call.func) == "torch.nn.functional.scaled_dot_product_attention"
        mask = self.word(call, "attn_mask") if attention else None
        made = self.mask_behind(mask) if mask is not None else None
        if made is not None and self.full(made.func) == "torch.triu" and (self.said(self.given(made, 1, "diagonal")) or 0) > 0:
            self.mistake(call, "a mask of attention the other way round", self.written(made), other=made)

    def mask_behind(self, node):
        """The call that makes a mask of truth values, also of a part of it, and of a buffer."""
        while isinstance(node, ast.Subscript):
            node = node.value
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self":
            kept = [call.args[1] for call in self.calls if is_call(call, "register_buffer") and len(call.args) > 1 and self.said(call.args[0]) == node.attr]
            node = kept[0] if len(kept) == 1 else node
        made = self.value_of(node)
        truth = isinstance(made, ast.Call) and "bool" in self.written(made)
        while isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute) and made.func.attr in ("bool", "to", "cuda") and not self.full(made.func):
            made = self.value_of(made.func.value)
        return made if isinstance(made, ast.Call) and truth else None

    def last_of_the_batch(self, node):
        """out, _ = self.lstm(x); out[:, -1], where the LSTM has no batch_first=True: the second axis is the batch."""
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        first = parts[0] if parts else None
        if len(parts) < 2 or not (isinstance(first, ast.Slice) and first.lower is None and first.upper is None) or self.said(parts[1]) != -1 or not isinstance(
                node.value, ast.Name) or isinstance(node.ctx, ast.Store):
            return
        values = self.origins.of(node.value)
        one = values[0] if len(values) == 1 else None
        call = one.of if isinstance(one, Part) and isinstance(one.of, ast.Call) and one.steps and one.steps[0] == 0 else None
        made = self.made_by(call.func, RECURRENT_LAYERS, surely=True) if call is not None and isinstance(call.func, (ast.Name, ast.Attribute)) else None
        if made is None or any(k.arg in ("batch_first", None) for k in made.keywords) or len(made.args) > 4 or self.says(r"pack_padded|batch_first *= *True"):
            return
        self.mistake(node, "a last step that is the last sample", self.written(node.value), self.full(made.func).rsplit(".", 1)[-1], other=made)

    def rows_of_embeddings(self, call):
        """vocab = {word: i for i, word in enumerate(words, 1)}; nn.Embedding(len(vocab), 100)"""
        size = self.given(call, 0, "num_embeddings") if self.full(call.func) == "torch.nn.Embedding" else None
        of = size.args[0] if isinstance(size, ast.Call) and getattr(size.func, "id", "") == "len" and len(size.args) == 1 else None
        table = self.value_of(of) if isinstance(of, ast.Name) else None
        if not isinstance(table, ast.DictComp) or len(table.generators) != 1 or not isinstance(table.value, ast.Name):
            return
        over, target = table.generators[0].iter, table.generators[0].target
        counts = isinstance(over, ast.Call) and getattr(over.func, "id", "") == "enumerate" and self.said(self.given(over, 1, "start")) == 1
        if counts and isinstance(target, ast.Tuple) and getattr(target.elts[0], "id", "") == table.value.id and not self.says(
                r"\b%s(\[[^\]\n]*\] *=[^=]|\.(update|setdefault|pop)\()" % re.escape(of.id)):
            self.mistake(call, "an embedding that is one row short", of.id, other=table)

    def attention_over_heads(self, call):
        """F.softmax(q @ k.transpose(-2, -1), dim=1), where q has four axes: dim 1 counts the heads."""
        if SOFTMAXES.match(self.full(call.func)) and call.args:
            of, axis = call.args[0], self.said(self.given(call, 1, "dim"))
        elif is_call(call, "softmax") and not self.full(call.func):
            of, axis = call.func.value, self.said(self.given(call, 0, "dim"))
        else:
            return
        made = self.value_of(of)
        while isinstance(made, ast.BinOp) and isinstance(made.op, (ast.Div, ast.Mult)):
            made = self.value_of(made.left)
        right = made.right if isinstance(made, ast.BinOp) and isinstance(made.op, ast.MatMult) else made.args[1] if isinstance(made, ast.Call) and self.full(
            made.func) == "torch.matmul" and len(made.args) == 2 else None
        turned = is_call(right, "transpose") and [self.said(one) for one in right.args] in ([-2, -1], [-1, -2], [2, 3], [3, 2])
        if turned and axis == 1 and re.search(r"\.(view|reshape)\([^()\n]*(\([^()]*\)[^()\n]*)*,[^\n]*heads?\b", self.reader.written_whole(self.origins.scope(call) or call)):
            self.mistake(call, "attention that is shared out over the heads", self.written(made), other=made)

    def parts_that_miss_some(self, call):
        """random_split(data, [int(0.8 * n), int(0.1 * n), int(0.1 * n)]), which leaves some samples over"""
        given = self.given(call, 1, "lengths") if self.full(call.func) == "torch.utils.data.random_split" else None
        parts = given.elts if isinstance(given, (ast.List, ast.Tuple)) else []
        def bound(part):
            for one in self.origins.statements_of(part) if isinstance(part, ast.Name) else ():
                target, value = getattr(one, "targets", [None])[0], getattr(one, "value", None)
                if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                    return next((v for t, v in zip(target.elts, value.elts) if getattr(t, "id", "") == part.id), part)
                return value
            return part
        sizes = [bound(one) for one in parts]
        if len(sizes) > 1 and all(isinstance(one, ast.Call) and getattr(one.func, "id", "") == "int" and len(one.args) == 1 and isinstance(one.args[0], ast.BinOp) and isinstance(
                one.args[0].op, ast.Mult) for one in sizes):
            self.mistake(call, "parts that miss some samples", ", ".join(map(self.written, sizes)))

    def weights_that_are_drawn_again(self, call):
        """net.load_state_dict(state); net.apply(init_weights)"""
        given = call.args[0] if is_call(call, "apply") and len(call.args) == 1 else None
        if given is None or not isinstance(self.parents.get(id(call)), ast.Expr) or not re.search(r"(?i)init|reset_param|weights?_(normal|xavier|kaiming)", self.written(given)):
            return
        name, scope = self.written(call.func.value), self.origins.scope(call)
        loads = [one for one in self.calls if is_call(one, "load_state_dict") and self.written(one.func.value) == name and self.origins.scope(one) is scope]
        before = next((one for one in loads if line_of(one) < line_of(call)), None)
        if before is not None and not any(line_of(one) > line_of(call) for one in loads) and not self.in_branch(call) and not self.in_branch(before):
            self.mistake(call, "learned weights that are drawn again", self.written(before), other=before)

    # ---- losses

    def divergence(self, call):
        """F.kl_div(F.softmax(student, 1), …), which takes the logarithm"""
        function = self.full(call.func) == "torch.nn.functional.kl_div"
        if not function and not (len(call.args) == 2 and isinstance(call.func, (ast.Name, ast.Attribute, ast.Call)) and self.made_by(
                call.func, re.compile(r"torch\.nn\.(modules\.)?(loss\.)?KLDivLoss$"), surely=True) is not None):
            return
        given = self.value_of(call.args[0]) if call.args else None
        of = self.full(given.func) if isinstance(given, ast.Call) else ""
        if SOFTMAXES.match(of) or isinstance(given, ast.Call) and not of and is_call(given, "softmax"):
            self.mistake(call, "a divergence of what has no logarithm", self.written(call.args[0]), doubted=False)

    def deviation_of_variance(self, statement):
        """std = torch.exp(logvar)"""
        value, name = statement.value, self.written(statement.targets[0])
        of = value.args[0] if isinstance(value, ast.Call) and self.full(value.func) == "torch.exp" and value.args else value.func.value if is_call(
            value, "exp") and not value.args and not self.full(value.func) else None
        if of is not None and DEVIATION.search(name) and isinstance(of, (ast.Name, ast.Attribute)) and LOG_OF_VARIANCE.search(self.written(of)):
            self.mistake(statement, "a deviation that is the variance", name, self.written(of))

    def similar_to_themselves(self):
        """sim = z @ z.t() / t; F.cross_entropy(sim, target), with each sample's likeness to itself left in"""
        for call in self.calls:
            if self.full(call.func) != "torch.nn.functional.cross_entropy" or not call.args or not isinstance(call.args[0], ast.Name):
                continue
            value = self.value_of(call.args[0])
            of = value.left if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Div, ast.Mult)) else value
            if isinstance(of, ast.BinOp) and isinstance(of.op, ast.MatMult):
                left, right = of.left, of.right
            elif isinstance(of, ast.Call) and self.full(of.func) in ("torch.mm", "torch.matmul") and len(of.args) == 2:
                left, right = of.args
            else:
                continue
            holder = self.origins.scope(call)
            same = re.match(r"%s\.(t\(\)|T|mT)$" % re.escape(self.written(left)), self.written(right))
            if same and isinstance(holder, ast.FunctionDef) and not re.search(r"fill|eye\(|diag|inf\b|mask|1e[0-9+]", self.reader.written_whole(holder)):
                self.mistake(call, "samples that are compared with themselves", self.written(of), other=value)

    def losses_without_gradient(self):
        """def dice_loss(logits, y): pred = logits.argmax(1); …, whose result backward() is called on"""
        for of in self.functions:
            if not re.search(r"(?i)loss|dice|iou", of.name) or not of.args.args or of.decorator_list:
                continue
            first = next((one.arg for one in of.args.args if one.arg not in ("self", "cls")), "")
            reads = [one for one in ast.walk(of) if isinstance(one, ast.Name) and one.id == first and isinstance(one.ctx, ast.Load)]
            rebound = any(isinstance(one, ast.Name) and one.id == first and isinstance(one.ctx, ast.Store) for one in ast.walk(of))
            chosen = [self.choice_of(one) for one in reads if not isinstance(self.parents.get(id(one)), ast.Attribute) or self.parents[id(one)].attr not in (
                "shape", "size", "device", "dtype", "dim")]
            called = [one for one in self.calls if any(each is of for each in self.origins.functions_of(one.func))]
            learned = any(is_call(one, "backward") and (one.func.value in called or isinstance(one.func.value, ast.Name) and any(
                getattr(each, "value", None) in called for each in self.origins.statements_of(one.func.value))) for one in self.calls)
            if chosen and None not in chosen and not rebound and learned:
                self.mistake(chosen[0], "a loss of classes that were chosen", of.name, other=of, doubted=False)

    def choice_of(self, name):
        """The argmax() of a name; None: something else reads it."""
        outer = self.parents.get(id(name))
        if isinstance(outer, ast.Attribute) and outer.attr == "argmax":
            return self.parents.get(id(outer))
        return outer if isinstance(outer, ast.Call) and self.full(outer.func) == "torch.argmax" else None

    def penalties_without_graph(self):
        """grad, = torch.autograd.grad(score.sum(), x); ((grad.norm(2, 1) - 1) ** 2).mean(), with no create_graph=True"""
        for call in self.calls:
            if self.full(call.func) != "torch.autograd.grad" or any(k.arg in ("create_graph", None) for k in call.keywords) or len(call.args) > 4:
                continue
            holder = self.origins.scope(call)
            text = self.reader.written_whole(holder) if isinstance(holder, ast.FunctionDef) else ""
            if re.search(r"(?i)penalty|(^|_)gp$", getattr(holder, "name", "")) and re.search(r"norm\(|\*\* *2|pow\(|square\(", text) and not re.search(r"no_grad|\.backward\(", text):
                self.mistake(call, "a penalty that no gradient goes through", holder.name, doubted=False)

    # ---- gradients

    def functions_of_autograd(self):
        """class Flip(Function): forward(ctx, x, scale), and backward() gives one gradient for the two"""
        for of in self.tracing.index.classes:
            if not any(self.full(base) in ("torch.autograd.Function", "torch.autograd.function.Function") for base in of.bases):
                continue
            parts = {one.name: one for one in of.body if isinstance(one, ast.FunctionDef)}
            forward, backward = parts.get("forward"), parts.get("backward")
            if forward is None or backward is None or forward.args.vararg or forward.args.kwarg or self.says(r"setup_context"):
                continue
            wanted = len(forward.args.args) - len(forward.args.defaults) - 1
            for one in ast.walk(backward):
                value = one.value if isinstance(one, ast.Return) else None
                given = len(value.elts) if isinstance(value, ast.Tuple) and not any(isinstance(each, ast.Starred) for each in value.elts) else 1 if isinstance(
                    value, (ast.BinOp, ast.UnaryOp)) and not any(isinstance(each, (ast.Tuple, ast.List)) for each in ast.walk(value)) else None  # (None,) * 12
                if given is not None and given < wanted and wanted > 1:
                    self.mistake(one, "too few gradients of a function", str(given), str(wanted), other=forward, doubted=False)
                    break

    def rebound_weights(self):
        """w = w - rate * w.grad, and for p, q in zip(a.parameters(), b.parameters()): p = 0.9 * p + 0.1 * q"""
        for one in self.nodes:
            if not isinstance(one, ast.Assign) or len(one.targets) != 1 or not isinstance(one.targets[0], ast.Name) or not isinstance(one.value, ast.BinOp):
                continue
            name = one.targets[0].id
            loops = [each for each in self.origins.around(one) if isinstance(each, (ast.For, ast.While))]
            if not loops:
                continue
            over = loops[0].iter if isinstance(loops[0], ast.For) else None
            bound = {each.id for each in ast.walk(loops[0].target) if isinstance(each, ast.Name)} if over is not None else set()
            later = [each for each in ast.walk(loops[0]) if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load) and line_of(
                each) > line_of(one)]
            if name in bound and re.search(r"\.parameters\(\)", self.written(over)) and not later:
                self.mistake(one, "a weight that only its name leaves", name, doubted=False)
            elif name not in bound and re.search(r"\b%s\.grad\b" % re.escape(name), self.written(one.value)) and not self.says(
                    r"\b%s\.(requires_grad|retain_grad|detach)|%s *= *%s\.(detach|clone)" % ((re.escape(name), ) * 3)) and any(
                        is_call(call, "backward") for call in calls_in(loops[-1].body)):
                self.mistake(one, "a weight that loses its gradient", name, doubted=False)

    def gathered_without_gradient(self):
        """dist.all_gather(parts, x); return torch.cat(parts), in a function whose result the loss is made of"""
        if self.says(r"all_gather_with_grad|GatherLayer|distributed\.nn|autograd\.Function|all_gather_into_tensor"):
            return
        for of in self.functions:
            call = next((one for one in calls_in(of.body) if self.full(one.func) == "torch.distributed.all_gather" and len(one.args) > 1), None)
            name = self.written(call.args[0]) if call is not None and isinstance(call.args[0], ast.Name) else None
            if name is None or re.search(r"\b%s\[[^\]]*\] *=[^=]|no_grad" % re.escape(name), self.reader.written_whole(of) + " ".join(map(self.written, of.decorator_list))):
                continue
            back = any(isinstance(one, ast.Return) and one.value is not None and any(isinstance(each, ast.Name) and each.id == name for each in ast.walk(
                one.value)) for one in ast.walk(of))
            for site in self.calls if back else ():
                holder = self.origins.scope(site)
                if any(each is of for each in self.origins.functions_of(site.func)) and isinstance(holder, ast.FunctionDef) and re.search(
                        r"(?i)loss", holder.name) and any(LOSS_CALLS.match(self.full(one.func)) for one in calls_in(holder.body)):
                    self.mistake(call, "what is gathered without gradient", self.written(site), other=site)
                    break

    def inference_that_trains(self):
        """with torch.inference_mode(): x = encoder(y); and loss = f(head(x)); loss.backward() behind it"""
        for block in (one for one in self.nodes if isinstance(one, ast.With) and any(re.search(r"inference_mode\(\)$", self.written(item.context_expr)) for item in one.items)):
            scope, last = self.origins.scope(block), max(getattr(one, "lineno", 0) for one in ast.walk(block))
            made = {one.targets[0].id for one in ast.walk(block) if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and isinstance(
                one.value, ast.Call) and not re.search(r"clone\(|item\(|numpy\(|tolist\(", self.written(one.value))}
            for call in self.calls:
                taken = next((one.id for one in call.args if isinstance(one, ast.Name) and one.id in made), None)
                module = self.made_by(call.func, MADE_AS_MODULES, surely=True) if taken and line_of(call) > last and isinstance(call.func, ast.Name) else None
                if module is None or not (scope is None or self.origins.scope(call) is scope) or self.without_gradients_around(call) or self.says(
                        r"\b%s *= *[^\n]*clone\(" % re.escape(taken)):
                    continue
                holder = self.origins.scope(call)
                if any(is_call(one, "backward") and self.origins.scope(one) is holder and line_of(one) >= line_of(call) for one in self.calls):
                    self.mistake(call, "what inference made in training", taken, other=block, doubted=False)
                    return

    def without_gradients_around(self, node):
        return any(isinstance(one, ast.With) and re.search(r"no_grad|inference_mode", self.written(one.items[0].context_expr)) for one in self.origins.around(node))

    def rounded_weights(self):
        """w = torch.round(self.weight / scale), in forward(): rounding has no gradient."""
        for call in self.calls:
            of = call.args[0] if self.full(call.func) in ("torch.round", "torch.sign", "torch.floor") and call.args else call.func.value if is_call(
                call, "round") and not self.full(call.func) else None
            holder = self.origins.scope(call)
            if of is None or "self.weight" not in self.written(of) or getattr(holder, "name", "") != "forward" or "detach(" in self.written(call):
                continue
            statement = next((one for one in self.origins.around(call) if isinstance(one, (ast.Assign, ast.Return))), None)
            name = self.written(statement.targets[0]) if isinstance(statement, ast.Assign) else None
            straight = any(is_call(one, "detach") and (any(each is call for each in ast.walk(one)) or name and re.search(r"\b%s\b" % re.escape(name), self.written(
                one.func.value))) for one in calls_in(holder.body))
            if not straight and statement is not None and not self.says(r"autograd\.Function|class \w+\(Function\)"):
                self.mistake(call, "rounding that stops the gradient", self.written(of))

    def zeroed_between_parts(self):
        """for i, (x, y) in enumerate(loader): optimizer.zero_grad(); …backward(); if (i + 1) % 4 == 0: optimizer.step()"""
        for loop in self.tracing.index.loops:
            direct = [one.value for one in loop.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)] if isinstance(loop, ast.For) else []
            zero = next((one for one in direct if is_call(one, "zero_grad")), None)
            back = next((one for one in direct if is_call(one, "backward")), None)
            for branch in loop.body if zero is not None and back is not None else ():
                some = isinstance(branch, ast.If) and not branch.orelse and re.search(r"%", self.written(branch.test))
                step = next((one for one in calls_in(branch.body) if is_call(one, "step") and self.written(self.stepped(one)) == self.written(zero.func.value)), None) if some else None
                if step is not None and not any(is_call(one, "step") and self.written(self.stepped(one)) == self.written(zero.func.value) for one in direct) and not self.is_reported(zero):
                    self.mistake(zero, "gradients that are zeroed between their parts", self.written(branch.test), other=step)

    # ---- optimizers and processes

    def schedules_of_epochs(self):
        """sched = CosineAnnealingLR(opt, T_max=EPOCHS); for epoch in range(EPOCHS): for x, y in loader: …; sched.step()"""
        for call in self.calls:
            made = self.made_by(call.func.value, SCHEDULERS, surely=True) if is_call(call, "step") and not call.args else None
            at, word = COUNTED_IN_EPOCHS.get(self.full(made.func).rsplit(".", 1)[-1], (None, None)) if made is not None else (None, None)
            count = self.given(made, at, word) if at is not None else self.word(made, word) if word else None
            loops = [one for one in self.origins.around(call) if isinstance(one, ast.For)]
            if count is None or len(loops) < 2 or not isinstance(count, (ast.Name, ast.Attribute)) or not GOES_THROUGH_BATCHES.search(self.written(loops[0].iter)):
                continue
            over = loops[1].iter
            ends = [self.written(one) for one in over.args] if isinstance(over, ast.Call) and getattr(over.func, "id", "") in ("range", "trange") else []
            if self.written(count) in ends:
                self.mistake(call, "a schedule of epochs that each batch steps", self.full(made.func).rsplit(".", 1)[-1], self.written(count), other=made)

    def heads_behind_optimizers(self):
        """opt = Adam(net.parameters()); net.fc = nn.Linear(512, 2): the optimizer has the weights of the head before."""
        if self.says(r"add_param_group"):
            return
        made = [(call, self.given(call, 0, "params")) for call in self.calls if OPTIMIZERS_AT_ALL.match(self.full(call.func))]
        for one in self.nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
            if not isinstance(target, ast.Attribute) or not isinstance(one.value, ast.Call) or not re.search(r"\bnn\.(Linear|Conv\dd|Sequential)\(|^Linear\(", self.written(one.value)):
                continue
            of, scope = self.written(target.value), self.origins.scope(one)
            before = [call for call, given in made if is_call(given, "parameters") and self.written(given.func.value) == of and self.origins.scope(
                call) is scope and line_of(call) < line_of(one)]
            after = any(line_of(call) > line_of(one) and self.origins.scope(call) is scope for call, _ in made)
            if before and not after and of != "self" and not self.in_branch(one):
                self.mistake(one, "a head that its optimizer doesn't know", self.written(target), self.written(before[-1].func), other=before[-1])

    def module_that_is_frozen_by_name(self, statement):
        """backbone.requires_grad = False, of a module: it sets a field that nothing reads."""
        target = statement.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr != "requires_grad" or self.said(statement.value) not in (True, False):
            return
        of = target.value
        base = of
        while isinstance(base, ast.Attribute) and getattr(base.value, "id", "") != "self" and base.attr not in ("weight", "bias", "data"):
            base = base.value
        values = self.origins.known(base) if isinstance(base, (ast.Name, ast.Attribute)) and not re.search(r"\.(weight|bias|data)$", self.written(of)) else []
        own = [each for value in values if isinstance(value, ast.Call) for each in self.origins.functions_of(value.func) if isinstance(each, ast.ClassDef)]
        modules = [value for value in values if isinstance(value, ast.Call) and MADE_AS_MODULES.match(self.full(value.func))]
        if len(values) == 1 and (modules and (base is of or "torchvision" in self.full(modules[0].func)) or base is of and any(self.full(each) == "torch.nn.Module" for one in own
                                                                                                                         for each in one.bases)):
            self.mistake(statement, "a module that is frozen by a name", self.written(of), doubted=False)

    def sums_over_ranks(self):
        """loss /= len(loader); dist.all_reduce(loss); return loss.item(): the sum of the ranks' means"""
        for call in self.calls:
            if self.full(call.func) != "torch.distributed.all_reduce" or not call.args or not isinstance(call.args[0], ast.Name) or re.search(
                    r"AVG|MAX|MIN|PRODUCT", self.written(call)):
                continue
            name, scope = call.args[0].id, self.origins.scope(call)
            same = [one for one in self.nodes if self.origins.scope(one) is scope]
            mean = any(isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Div) and self.written(one.target) == name and re.match(
                r"len\(", self.written(one.value)) and line_of(one) < line_of(call) for one in same)
            divided = any(isinstance(one, (ast.BinOp, ast.AugAssign)) and isinstance(one.op, (ast.Div, ast.Mult)) and line_of(one) > line_of(call) and re.search(
                r"\b%s\b" % re.escape(name), self.written(one)) for one in same)
            if mean and not divided and isinstance(scope, ast.FunctionDef) and any(isinstance(one, ast.Return) and re.match(
                    r"(float\()?%s\b" % re.escape(name), self.written(one.value) if one.value is not None else "") for one in ast.walk(scope)):
                self.mistake(call, "a sum of the ranks' means", name)
