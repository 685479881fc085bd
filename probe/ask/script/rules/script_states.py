"""States, gradients, times and models that aren't what they are taken for; for the reader of scripts."""

MOVES_OR_REPLACES = re.compile(r"\.(to|cuda|cpu|half|float|double|bfloat16|xpu|to_empty)\(")
# What no file of weights holds for torch.load(), since PyTorch 2.6.
NO_PLAIN_VALUES = re.compile(r"numpy\.(random\.get_state|array|asarray|zeros|ones|mean|std|max|min|float(32|64)|concatenate|stack|median)$|types\.SimpleNamespace$|"
                     r"argparse\.Namespace$|datetime\.datetime\.(now|utcnow|today)$|pathlib\.Path$|collections\.(defaultdict|deque)$")
# What methods of a module give that don't give the module back.
GIVES_NO_MODEL = {"load_state_dict": "the names that were missing or too many", "compile": "None", "zero_grad": "None"}
USED_OF_MODELS = ("eval", "train", "to", "cuda", "half", "parameters", "state_dict", "load_state_dict", "forward", "generate", "bfloat16", "cpu",
                  "named_parameters", "zero_grad", "requires_grad_", "modules")
TORCH_WITH_WEIGHTS = re.compile(r"torch\.nn\.(Linear|Conv\w*|LSTM|GRU|RNN|Embedding|Transformer\w*|Bilinear|MultiheadAttention)$")
# What gives a whole number in any case.
GIVES_INTEGER = re.compile(r"(int|len|torch\.cuda\.(current_device|device_count)|torch\.distributed\.get_rank|os\.getpid|"
                           r"random\.(randint|randrange))$")
# What has no deterministic way back on a GPU (torch.use_deterministic_algorithms), by its name as a module and as a function.
WITHOUT_DETERMINISM = re.compile(r"torch\.nn\.((functional\.)?(fractional_max_pool[23]d|avg_pool3d|max_unpool[123]d|adaptive_avg_pool[23]d|"
                                 r"adaptive_max_pool2d|ctc_loss)|(modules\.\w+\.)?(FractionalMaxPool[23]d|AvgPool3d|MaxUnpool[123]d|"
                                 r"AdaptiveAvgPool[23]d|AdaptiveMaxPool2d|CTCLoss|ReflectionPad[123]d))$")


class States(Scoped):
    """States that change with their model or are none, gradients that are never there, times and texts that can't be."""

    def rules(self, nodes):
        calls = self.tracing.index.calls
        self.parents = self.tracing.index.parents
        self.states_that_change(calls)
        self.states_not_called(nodes)
        self.states_in_a_checkpoint(calls)
        self.models_that_are_none(calls)
        self.numbers_beside_texts(nodes)
        self.ways_back_without_determinism(calls)
        for of, own in self.scopes:
            self.times_turned_round(own)
            self.gradients_of_copies(own)
        for call in calls:
            if is_call(call, "backward") and not call.args:
                self.backward_without_gradients(call)
        for loop in self.tracing.index.loops:
            self.states_of_the_last_step(loop)
            self.states_that_modules_keep(loop)
            self.best_by_name(loop)
        for of in [one for one in nodes if isinstance(one, LOOPS + (ast.FunctionDef, ast.Module))]:
            self.graphs_that_are_freed(of)
            self.steps_after_clearing(of)
            if not isinstance(of, LOOPS):
                self.emptied_too_early(of)
        self.texts_for_states(calls)

    # ---- states

    def states_that_change(self, calls):
        """best = model.state_dict(); …; model.load_state_dict(best): the state holds the model's own tensors, whatever they became."""
        if self.says(r"FSDP|fully_shard|FullyShard|deepspeed|assign=True|def (load_)?state_dict|state_dict_hook|parametriz"):
            return
        for call in calls:
            given = self.given(call, 0, "state_dict") if is_call(call, "load_state_dict") else None
            if not isinstance(given, (ast.Name, ast.Attribute, ast.Subscript)):
                continue
            values = [one for one in self.origins.of(given) if not (isinstance(one, ast.Constant) and one.value is None)]
            taken = [self.state_taken(one) for one in values]
            of = self.written(call.func.value)
            if not taken or None in taken or any(self.written(one.func.value).rsplit(".", 1)[-1] != of.rsplit(".", 1)[-1] for one in taken):
                continue
            first = taken[0]
            model = call.func.value
            if not self.is_module(model, "load_state_dict") and not re.search(r"(model|net|network|module|student|policy|actor|critic)$", of):
                continue
            if all(self.same_object(one.func.value, model) for one in taken) and not self.ends_there(first) and not self.between(first, call, of) and not any(
                    self.is_changed(each) for each in [self.written(given)] + [self.written(one.targets[0]) for one in self.origins.around(
                        first) if isinstance(one, ast.Assign)]):
                self.mistake(first, "a state that changes with its model", of, self.written(given), other=call, doubted=False)

    def state_taken(self, one):
        """model.state_dict(), also of a shallow copy: dict(model.state_dict()), model.state_dict().copy()."""
        if isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("dict", "OrderedDict") and len(one.args) == 1:
            one = one.args[0]
        elif is_call(one, "copy") and not one.args or self.origins.full_of(one) == "copy.copy" and one.args:
            one = one.args[0] if one.args else one.func.value
        return one if is_call(one, "state_dict") and not one.args and not one.keywords and isinstance(
            one.func.value, (ast.Name, ast.Attribute)) else None

    def is_changed(self, name):
        """Whether items of a state are set, or what the state is handed to may do that: average[key] = …"""
        last = name.rsplit(".", 1)[-1]
        for one in self.origins.nodes:
            holder = one.value if isinstance(one, ast.Subscript) and not isinstance(one.ctx, ast.Load) else one.func.value if isinstance(
                one, ast.Call) and getattr(one.func, "attr", "") in ("update", "pop", "setdefault", "clear", "popitem") else None
            given = one.args + [k.value for k in one.keywords] if isinstance(one, ast.Call) and not is_call(one, "load_state_dict") and self.full(
                one.func) not in ("torch.save", "copy.copy") and getattr(one.func, "id", "") not in ("len", "print", "list", "dict") else []
            if any(self.written(each).rsplit(".", 1)[-1] == last for each in [holder] * (holder is not None) + given):
                return True
        return False

    def same_object(self, one, other):
        """Whether two names stand for one model: what they come from is the same, or the one scope gives both."""
        if self.written(one) == self.written(other) and self.origins.scope(one) is self.origins.scope(other):
            return True
        ours, theirs = ({id(each) for each in self.origins.known(node, True) if isinstance(each, ast.Call)} for node in (one, other))
        return len(ours) == 1 and ours == theirs

    def between(self, first, last, name):
        """Whether a model gets other tensors, or is another, between two lines."""
        if first.lineno > last.lineno and self.origins.scope(first) is self.origins.scope(last):
            return True
        same = self.origins.scope(first) is self.origins.scope(last)
        if not same and name.startswith("self.") and any(getattr(self.origins.scope(one), "name", "") != "__init__" for one in self.origins.nodes if isinstance(
                one, ast.Assign) and self.written(one.targets[0]) == name):
            return True
        for one in self.origins.nodes:
            text = ""
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and MOVES_OR_REPLACES.search("." + one.func.attr + "("):
                text = self.written(one.func.value)
            elif isinstance(one, ast.Assign):
                text = self.written(one.targets[0])
            if text == name and (first.lineno < one.lineno < last.lineno if same else self.origins.scope(one) is self.origins.scope(first)):
                return True
        return False

    def states_not_called(self, nodes):
        """torch.save({"model": model.state_dict}, path), a.load_state_dict(b.state_dict)"""
        for one in nodes:
            if not isinstance(one, ast.Attribute) or one.attr != "state_dict" or not isinstance(one.ctx, ast.Load):
                continue
            by = self.parents.get(id(one))
            call = self.parents.get(id(by)) if isinstance(by, ast.Dict) else by
            if isinstance(call, ast.Assign) and isinstance(by, ast.Dict):  # state = {…}; torch.save(state, path)
                name = self.written(call.targets[0])
                call = next((each for each in self.tracing.index.calls if self.full(each.func) == "torch.save" and each.args and self.written(
                    each.args[0]) == name), None)
            if isinstance(call, ast.Call) and call.func is not one and (self.full(call.func) == "torch.save" or by is call and is_call(
                    call, "load_state_dict")):
                self.mistake(one, "a state that is named and not called", doubted=False)

    def states_in_a_checkpoint(self, calls):
        """torch.save({"model": model.state_dict(), "epoch": 3}, path); model.load_state_dict(torch.load(path))"""
        written = {}
        for call in calls:
            if self.full(call.func) == "torch.save" and len(call.args) > 1:
                written.setdefault(self.place_of(call.args[1]), []).append(self.value_of(call.args[0]))
        self.objects_in_a_checkpoint(written, calls)
        for call in calls if written else ():
            given = self.given(call, 0, "state_dict") if is_call(call, "load_state_dict") else None
            loads = [one for one in self.origins.of(given) if self.origins.full_of(one) == "torch.load"] if given is not None else []
            if len(loads) != 1 or len(self.origins.of(given)) != 1 or not loads[0].args or self.asks_for_keys(given, call):
                continue
            saved = written.get(self.place_of(loads[0].args[0]), [])
            held = [[(k.arg, k.value) for k in one.keywords] if isinstance(one, ast.Call) and getattr(one.func, "id", "") == "dict" and not one.args else
                    [(getattr(key, "value", None), value) for key, value in zip(one.keys, one.values)] if isinstance(one, ast.Dict) else [] for one in saved]
            keys = [sorted(key for key, _ in one) for one in held if any(is_call(value, "state_dict") for _, value in one) and all(
                isinstance(key, str) for key, _ in one)]
            if saved and len(keys) == len(saved):
                self.mistake(call, "a checkpoint that is taken for a state", ", ".join(keys[0][:6]), other=saved[0], doubted=False)

    def asks_for_keys(self, given, call):
        """if "model" in ckpt: …, in the same function: what is left for the other way is a file of another form."""
        name, holder = self.written(given), self.origins.scope(call)
        return any(isinstance(one, ast.Compare) and isinstance(one.ops[-1], (ast.In, ast.NotIn)) and re.fullmatch(
            re.escape(name) + r"(\.keys\(\))?", self.written(one.comparators[-1])) and self.origins.scope(one) is holder for one in self.origins.nodes)

    def objects_in_a_checkpoint(self, written, calls):
        """torch.save({"model": model.state_dict(), "args": args}, path); torch.load(path), which takes tensors and plain values alone."""
        if not written or self.says(r"safe_globals|pickle_module|FORCE_NO_WEIGHTS_ONLY") or self.reader.pinned_for("torch"):
            return
        for call in calls:
            if self.full(call.func) != "torch.load" or not call.args or self.word(call, "weights_only") is not None or any(
                    k.arg is None for k in call.keywords) or len(call.args) > 2:
                continue
            for saved in written.get(self.place_of(call.args[0]), ()):
                held = next((value for key, value in zip(saved.keys, saved.values) if key is not None and self.is_object(value)), None) if isinstance(
                    saved, ast.Dict) else None
                if held is not None:
                    self.mistake(call, "an object in a file of weights", self.written(held), other=held, doubted=False)
                    break

    def is_object(self, node):
        """Whether a value is no tensor and none of Python's plain values: of argparse, of NumPy, of a class of the file."""
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Call) and (is_call(one, "parse_args") or NO_PLAIN_VALUES.match(
            self.full(one.func) or self.written(one.func)) is not None or self.is_plain_class(one)) for one in values)

    def is_plain_class(self, call):
        of = self.origins.functions_of(call.func)
        return len(of) == 1 and isinstance(of[0], ast.ClassDef) and not any(self.written(one) in ("dict", "str", "int", "float", "list") or re.search(
            r"Module|Tensor|Enum|Dict", self.written(one)) for one in of[0].bases) and "__new__" not in self.reader.written_whole(of[0])

    def models_that_are_none(self, calls):
        """model = Net().load_state_dict(state); model = model.compile(); both change the model and don't give it back."""
        for call in calls:
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in GIVES_NO_MODEL or not self.is_module(call.func.value, call.func.attr):
                continue
            by = self.parents.get(id(call))
            by = self.parents.get(id(by)) if isinstance(by, ast.IfExp) else by
            taken = self.written(by.targets[0]) if isinstance(by, ast.Assign) and len(by.targets) == 1 else ""
            if isinstance(by, ast.Return):
                of = next((one for one in self.origins.around(call) if isinstance(one, (ast.FunctionDef, ast.Lambda))), None)
                site = next((one for one in calls if any(each is of for each in self.origins.functions_of(one.func))), None) if of is not None else None
                holder = self.parents.get(id(site)) if site is not None else None
                taken = self.written(holder.targets[0]) if isinstance(holder, ast.Assign) else ""
            uses = [one for one in self.origins.nodes if isinstance(one, ast.Attribute) and self.written(one.value) == taken and one.attr in (
                USED_OF_MODELS) or isinstance(one, ast.Call) and self.written(one.func) == taken] if taken else []
            chained = isinstance(by, ast.Attribute) and by.attr in USED_OF_MODELS
            if chained or any(one.lineno > call.lineno or self.origins.scope(one) is not self.origins.scope(call) for one in uses):
                self.mistake(call, "a result that is no model", GIVES_NO_MODEL[call.func.attr], doubted=False)

    def is_module(self, node, method):
        """A module of PyTorch's, or of a class of the file that has no such method of its own."""
        values = self.origins.of(node, True)
        return bool(values) and all(isinstance(one, ast.Call) and (re.match(r"torch\.nn\.[A-Z]\w+$|torchvision\.models\.(\w+\.)*[a-z]\w+$", self.full(
            one.func)) is not None or any(isinstance(of, ast.ClassDef) and any(self.full(base) == "torch.nn.Module" for base in of.bases) and not any(
                getattr(part, "name", "") in (method, "__getattr__") for part in of.body) for of in self.origins.functions_of(one.func))) for one in values)

    def place_of(self, node):
        """By what a file is known: its name, or the expression that gives it."""
        said = self.origins.text_of(node)
        return said if said is not None else self.written(node)

    def states_of_the_last_step(self, loop):
        """for x in batches: out, h = rnn(x, h); loss.backward(), where h is never detached."""
        own = own_nodes(loop, FUNCTIONS + LOOPS)
        passes = [one for one in own if is_call(one, "backward") and not one.args]
        if len(passes) != 1 or passes[0].keywords or self.in_branch_of(passes[0], loop):
            return
        text = self.reader.written_whole(loop)
        for one in own:
            if not isinstance(one, ast.Assign) or not isinstance(one.value, ast.Call) or not isinstance(one.targets[0], (ast.Tuple, ast.List)):
                continue
            given = {self.written(part) for each in one.value.args + [k.value for k in one.value.keywords] for part in (
                each.elts if isinstance(each, (ast.Tuple, ast.List)) else [each])}
            parts = one.targets[0].elts[1:]
            kept = [self.written(part) for part in (parts[0].elts if len(parts) == 1 and isinstance(parts[0], ast.Tuple) else parts)]
            both = [name for name in kept if name in given]
            if not both or one.lineno > passes[0].lineno or self.in_branch_of(one, loop) or not self.is_recurrent(one.value.func):
                continue
            name = re.escape(both[0])
            others = [each for each in own if isinstance(each, (ast.Assign, ast.AugAssign, ast.Delete, ast.For)) and each is not one and re.search(
                r"(?<![\w.])%s(?![\w(])" % name, " ".join(self.written(target) for target in getattr(each, "targets", None) or [each.target]))]
            handed = any(re.search(r"(?<![\w.])%s(?![\w])" % name, self.written(each)) for each in calls_in(loop.body) if each is not one.value and not (
                self.full(each.func).startswith("torch.")) and any(self.written(a) == both[0] for a in each.args))
            if not others and not handed and not re.search(r"(?<![\w.])%s(\[\w+\])?\.(detach|data)|detach|retain_graph|no_grad" % name, text):
                self.mistake(passes[0], "a state that brings the last step's graph", both[0], other=one, doubted=False)
                return

    def states_that_modules_keep(self, loop):
        """def forward(self, x): self.h = self.cell(x, self.h), of a module that a loop calls and goes back through in each round."""
        own = own_nodes(loop, FUNCTIONS + LOOPS)
        passes = [one for one in own if is_call(one, "backward") and not one.args and not one.keywords and not self.in_branch_of(one, loop)]
        if len(passes) != 1 or self.says(r"detach|retain_graph|\.data\b|repackage"):
            return
        for call in own:
            made = [one for one in self.origins.of(call.func, True)] if isinstance(call, ast.Call) and isinstance(
                call.func, (ast.Name, ast.Attribute)) and call.lineno <= passes[0].lineno else []
            of = next((each for one in made if isinstance(one, ast.Call) for each in self.origins.functions_of(one.func) if isinstance(
                each, ast.ClassDef)), None) if len(made) == 1 and not self.in_branch_of(call, loop) else None
            forward = next((one for one in of.body if getattr(one, "name", "") == "forward"), None) if of is not None else None
            for one in forward.body if isinstance(forward, ast.FunctionDef) else ():
                target = one.targets[0] if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) else None
                held = [self.written(part) for part in ([target] if isinstance(target, ast.Attribute) else target.elts[1:] if isinstance(
                    target, ast.Tuple) else [])]
                kept = next((name for name in held if name.startswith("self.") and any(self.written(a) == name for a in one.value.args)), None)
                layer = self.made_by(one.value.func, re.compile(r"torch\.nn\.(LSTM|GRU|RNN)(Cell)?$")) if kept else None
                setters = [each.name for each in of.body if isinstance(each, ast.FunctionDef) and each is not forward and re.search(
                    r"%s\b.*=[^=]" % re.escape(kept), self.reader.written_whole(each))] if layer is not None else []
                again = layer is None or any(getattr(each.func, "attr", "") in setters for each in calls_in(loop.body)) or re.search(
                    r"\.%s = " % re.escape(kept[5:]), self.reader.written_whole(loop)) or len(re.findall(re.escape(kept) + r"\b.*=[^=]", self.forward_of(of))) > 1
                if not again:
                    return self.mistake(passes[0], "a state that brings the last step's graph", kept, other=one, doubted=False)
        return None

    def best_by_name(self, loop):
        """if loss < best: best_model = model, in the loop that trains it: both names stand for one model."""
        text = self.reader.written_whole(loop)
        trains = any(is_call(one, "backward") or re.search(r"(^|[._])(train|fit)", self.written(one.func)) and one.args for one in calls_in(loop.body))
        for one in (each for part in loop.body for each in ast.walk(part)) if trains else ():
            target, value = (one.targets[0], one.value) if isinstance(one, ast.Assign) and len(one.targets) == 1 else (None, None)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
                pairs = list(zip(target.elts, value.elts))
            else:
                pairs = [(target, value)]
            for name, of in pairs:
                said, model = (self.written(name), self.written(of)) if isinstance(name, (ast.Name, ast.Attribute)) else ("", "")
                if not re.match(r"(self\.)?best_?\w*$", said) or not isinstance(of, (ast.Name, ast.Attribute)) or not re.search(
                        r"(model|net|network|student|classifier)$", model) or not any(isinstance(outer, ast.If) for outer in self.origins.around(
                            one)) or next(outer for outer in self.origins.around(one) if isinstance(outer, (ast.For, ast.While))) is not loop:
                    continue
                trained = any(self.written(a) == model for call in calls_in(loop.body) if re.search(r"(^|[._])(train|fit)", self.written(
                    call.func)) for a in call.args) or any(is_call(each, "backward") for each in own_nodes(loop, FUNCTIONS)) and re.search(
                        r"\b%s\(" % re.escape(model), text) and re.search(r"\b%s\.(module\.)?parameters\(" % re.escape(model), self.reader.text)
                stored = {self.written(each) for each in ast.walk(loop) if isinstance(each, (ast.Name, ast.Attribute)) and not isinstance(each.ctx, ast.Load)}
                within = {id(each) for each in ast.walk(loop)}
                reads = [each for each in self.origins.nodes if isinstance(each, (ast.Name, ast.Attribute)) and self.written(
                    each) == said and isinstance(each.ctx, ast.Load)]
                later = [each for each in reads if each.lineno > one.lineno and id(each) not in within]
                if trained and model not in stored and later and not any(id(each) in within for each in reads) and not self.ends_there(one):
                    self.mistake(one, "a best model that is the last", said, model, doubted=False)

    def ends_there(self, node):
        """Whether the loop ends in the branch that a node stands in."""
        branch = next((one for one in self.origins.around(node) if isinstance(one, (ast.If, ast.For, ast.While))), None)
        return isinstance(branch, ast.If) and any(isinstance(one, (ast.Break, ast.Return)) for one in ast.walk(branch))

    def graphs_that_are_freed(self, of):
        """fake = G(z); d(fake).backward(); g(fake).backward(): the first has freed the graph of fake."""
        if self.says(r"requires_grad|torch\.func\b|functorch|fabric|accelerat|manual_backward|deepspeed"):
            return
        statements = [one for one in self.directly(of.body)]
        made, passes = {}, []
        for one in statements:
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                made.setdefault(one.targets[0].id, []).append(one)
            elif isinstance(one, ast.Expr) and is_call(one.value, "backward") and not one.value.args:
                passes.append(one)
        shared = {}
        for before, one in zip(passes, passes[1:]):
            if self.is_the_same_loss(before, one, made):
                self.mistake(one.value, "a graph that is freed", self.written(before), other=before, doubted=False)
                return
        for one in passes:
            found = self.modules_behind(one.value.func.value, one.lineno, made, 0)
            first = next((shared[key] for key in found if key in shared), None)
            if first is not None and not one.value.keywords and first.lineno < one.lineno:
                self.mistake(one.value, "a graph that is freed", self.written(first), other=first, doubted=False)
                return
            if not any(k.arg in ("retain_graph", "create_graph", "inputs") for k in one.value.keywords):
                shared.update({key: one for key in found})

    def is_the_same_loss(self, before, one, made):
        """loss.backward(); optimizer.step(); loss.backward(), and nothing computes the loss anew."""
        name = before.value.func.value
        return isinstance(name, ast.Name) and self.written(one.value.func.value) == name.id and not before.value.keywords and not one.value.keywords and self.says(
            r"\.step\(") and not any(before.lineno < each.lineno < one.lineno and name.id in names_bound_by(each) for each in self.origins.nodes if isinstance(
                each, (ast.Name, ast.FunctionDef))) and not any(isinstance(each, ast.Try) for each in self.origins.around(one))

    def modules_behind(self, node, line, made, depth):
        """The assignments of what modules gave that an expression goes back through, of those above a line."""
        found, waiting = set(), [node]
        while waiting:
            one = waiting.pop()
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") in ("detach", "item", "cpu", "tolist", "numpy", "clone_detached") or isinstance(
                    one, ast.Attribute) and one.attr in ("data", "shape", "device", "dtype", "grad") or isinstance(one, ast.Call) and re.search(
                        r"no_grad|detach|stop", self.written(one.func)):
                continue
            if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load) and depth < 8:
                last = [each for each in made.get(one.id, ()) if each.lineno < line]
                if last and not self.without(last[-1]):
                    value = last[-1].value
                    found |= {id(last[-1])} if isinstance(value, ast.Call) and self.has_weights(value.func) else set()
                    found |= self.modules_behind(value, last[-1].lineno, made, depth + 1)
                continue
            waiting.extend(ast.iter_child_nodes(one))
        return found

    def has_weights(self, func):
        """A layer with weights, or a module of the file that holds one."""
        return self.is_module(func, "") and all(TORCH_WITH_WEIGHTS.search(self.full(one.func)) or any(TORCH_WITH_WEIGHTS.search(
            self.full(part.func)) for of in [one] + self.origins.functions_of(one.func) for part in ast.walk(of) if isinstance(
                part, ast.Call)) for one in self.origins.of(func, True))

    def steps_after_clearing(self, of):
        """scaler.scale(loss).backward(); optimizer.zero_grad(); scaler.step(optimizer)"""
        last, cleared = None, None
        for one in self.directly(of.body):
            call = one.value if isinstance(one, (ast.Expr, ast.Assign)) and isinstance(one.value, ast.Call) else None
            if isinstance(one, (ast.If, ast.For, ast.While, ast.Try)) or call is not None and self.origins.functions_of(call.func):
                last = cleared = None
            elif is_call(call, "backward") and re.search(r"\.scale\(", self.written(call)):
                last, cleared = call, None
            elif is_call(call, "zero_grad") and last is not None and not re.search(r"False", self.written(call)):
                cleared = call
            elif is_call(call, "step") and cleared is not None and len(call.args) == 1 and re.search(r"scaler\w*$", self.written(
                    call.func.value)) and self.written(call.args[0]) == self.written(cleared.func.value):
                self.mistake(call, "a step whose gradients are cleared", self.written(cleared), other=cleared, doubted=False)
                return

    def emptied_too_early(self, of):
        """torch.cuda.empty_cache(); del model"""
        body = [one for one in of.body if not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and self.full(one.value.func) == "gc.collect")]
        for at, one in enumerate(body[:-1]):
            call, after = getattr(one, "value", None), body[at + 1]
            if isinstance(one, ast.Expr) and isinstance(call, ast.Call) and self.full(call.func) == "torch.cuda.empty_cache" and isinstance(
                    after, ast.Delete) and not any("empty_cache" in self.reader.written_whole(each) or re.search(
                        r"free|clean|clear", self.reader.written_whole(each)) for each in body[at + 2:]) and not any(
                            isinstance(outer, LOOPS) for outer in self.origins.around(one)):
                gone = after.targets[0]
                if any(isinstance(each, ast.Call) and re.search(r"cuda", self.written(each)) for each in self.origins.of(gone)) or self.says(
                        r"\b%s\.(cuda|to)\(" % re.escape(self.written(gone))):
                    self.mistake(call, "a cache that is emptied too early", self.written(after), other=after, doubted=False)

    def texts_for_states(self, calls):
        """model.load_state_dict("net.pt"); model = torch.load("net.pt"), of a state, and model(x)"""
        states = {self.place_of(call.args[1]) for call in calls if self.full(call.func) == "torch.save" and len(call.args) > 1 and any(
            is_call(one, "state_dict") for one in self.origins.of(call.args[0]))}
        others = {self.place_of(call.args[1]) for call in calls if self.full(call.func) == "torch.save" and len(call.args) > 1 and not any(
            is_call(one, "state_dict") for one in self.origins.of(call.args[0]))}
        for call in calls:
            given = self.given(call, 0, "state_dict") if is_call(call, "load_state_dict") else None
            if given is not None and self.is_text(given) and self.is_module(call.func.value, "load_state_dict"):
                self.mistake(call, "a state that is a text", self.written(given), doubted=False)
            of = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr in USED_OF_MODELS else call.func
            loads = self.origins.of(of) if isinstance(of, (ast.Name, ast.Attribute)) and not self.full(call.func) else []
            loads = [one for one in loads if self.origins.full_of(one) == "torch.load" and one.args and self.place_of(one.args[0]) in states - others] if len(
                loads) == 1 else []
            if loads and not any(e.get("name") == "a state that is taken for a model" for e in self.reader.events):
                self.mistake(call, "a state that is taken for a model", self.written(of), other=loads[0], doubted=False)

    def is_text(self, node):
        """A text, or an option that argparse reads as one."""
        if self.origins.text_of(node) is not None:
            return True
        made = self.origins.calls_of_option(node.attr) if isinstance(node, ast.Attribute) else []
        return len(made) == 1 and not {k.arg for k in made[0].keywords} & {"type", "action", "nargs"} and any(
            is_call(one, "parse_args") for one in self.origins.of(node.value))

    def in_branch_of(self, node, loop):
        """Whether a node of a loop runs in some rounds alone."""
        for one in self.origins.around(node):
            if one is loop:
                return False
            if isinstance(one, (ast.If, ast.Try, ast.IfExp)) or type(one).__name__ == "Match":
                return True
        return True

    def is_recurrent(self, func):
        """A recurrent layer of PyTorch's, or a module of the file that holds one and detaches nothing."""
        for made in self.origins.of(func, True):
            if isinstance(made, ast.Call) and re.match(r"torch\.nn\.(LSTM|GRU|RNN)(Cell)?$", self.full(made.func)):
                return True
            of = made if isinstance(made, (ast.ClassDef, ast.FunctionDef)) else next(iter(self.origins.functions_of(made.func)), None) if isinstance(
                made, ast.Call) else None
            text = self.reader.written_whole(of) if of is not None else "detach"
            if re.search(r"\b(LSTM|GRU|RNN)(Cell)?\(", text) and not re.search(r"detach|no_grad|\.data\b|zeros", self.forward_of(of)):
                return True
        return False

    def forward_of(self, of):
        return "\n".join(self.reader.written_whole(one) for one in of.body if getattr(one, "name", "") == "forward") if isinstance(
            of, ast.ClassDef) else self.reader.written_whole(of)

    # ---- gradients

    def backward_without_gradients(self, call):
        """with torch.no_grad(): loss = criterion(model(x), y); loss.backward()"""
        quiet = next((one for one in self.origins.around(call) if isinstance(one, ast.With) and any(self.is_quiet(item.context_expr) for item in
                      one.items) or isinstance(one, (ast.FunctionDef, ast.Lambda))), None)
        if not isinstance(quiet, ast.With) and not any(map(self.is_quiet, getattr(quiet, "decorator_list", ()))):
            return
        text = self.reader.written_whole(quiet)
        made = self.origins.known(call.func.value)
        within = {id(one) for one in ast.walk(quiet)}
        if re.search(r"enable_grad|grad_enabled|requires_grad|inference_mode\(False", text) or not made or not all(isinstance(
                one, (ast.Call, ast.BinOp)) and id(one) in within for one in made) or not all(self.is_plain_loss(one) for one in made):
            return
        self.mistake(call, "a backward pass without gradients", self.written(quiet.items[0].context_expr) if isinstance(
            quiet, ast.With) else "@" + self.written(next(one for one in quiet.decorator_list if self.is_quiet(one))), other=quiet, doubted=False)

    def is_quiet(self, node):
        return self.full(node.func if isinstance(node, ast.Call) else node) in ("torch.no_grad", "torch.inference_mode", "torch.autograd.no_grad",
                                                                                 "torch.autograd.grad_mode.no_grad") and not (isinstance(
                                                                                     node, ast.Call) and node.args)

    def is_plain_loss(self, one):
        """Whether no function of the file gives it, which might turn gradients on again, nor a class, whose backward() is its own."""
        made = self.written(one.func).split(".")[-1] if isinstance(one, ast.Call) else ""
        return not made[:1].isupper() and not any(isinstance(each, ast.Call) and any(re.search(r"enable_grad|grad_enabled", self.near(of)) for of in self.origins.functions_of(
            each.func)) for each in ast.walk(one))

    def gradients_of_copies(self, own):
        """x = torch.randn(8, requires_grad=True).cuda(); …; x.grad"""
        if self.says(r"retain_grad\(|register_hook|\.cpu\(\)\.requires"):
            return
        for one in own:
            if not isinstance(one, ast.Assign) or len(one.targets) != 1 or not isinstance(one.targets[0], (ast.Name, ast.Attribute)):
                continue
            made, name = one.value, self.written(one.targets[0])
            if not is_call(made, "to") and not is_call(made, "cuda") or is_call(made, "to") and not self.moves(made):
                continue
            base = self.written(made.func.value)
            reads = [each for each in own if isinstance(each, ast.Attribute) and each.attr == "grad" and self.written(
                each.value) == name and each.lineno > one.lineno and isinstance(each.ctx, ast.Load) and not self.asks(each)]
            again = [each for each in own if isinstance(each, (ast.Assign, ast.AugAssign, ast.Expr)) and each is not one and one.lineno < each.lineno and (
                self.written(getattr(each, "targets", [getattr(each, "target", each)])[0]) == name or re.match(
                    r"%s\.(requires_grad_?\b|detach_\()" % re.escape(name), self.written(each)))]
            if not reads or any(each.lineno < reads[0].lineno for each in again):
                continue
            sets = self.requires_before(one, base, own)
            if sets is not None and any(is_call(each, "backward") and one.lineno < each.lineno <= reads[0].lineno for each in self.tracing.index.calls):
                self.mistake(reads[0], "a gradient of what was moved", name, self.written(made), other=one, doubted=False)

    def moves(self, call):
        where = (call.args or [self.word(call, "device")])[0]
        return where is not None and (re.search(r"dev|cuda", self.written(where)) is not None or any(re.match(
            r"(torch\.device\()?f?['\"]cuda", self.written(one)) for one in self.origins.known(where)))

    def asks(self, read):
        """if x.grad is not None: x.grad.zero_()"""
        return any(isinstance(one, (ast.If, ast.IfExp, ast.Compare)) and ".grad" in self.written(getattr(one, "test", one)) for one in self.origins.around(read))

    def requires_before(self, move, base, own):
        """Where the tensor of the CPU that is moved was set to require its gradient; None: nowhere."""
        if isinstance(move.value.func.value, ast.Call):
            inner = move.value.func.value
            made = self.full(inner.func).startswith("torch.") and getattr(self.word(inner, "requires_grad"), "value", None) is True and self.word(
                inner, "device") is None
            return inner if made or is_call(inner, "requires_grad_") and not inner.args and not re.search(r"\.(to|cuda)\(|device", self.written(
                inner)) else None
        before = [each for each in own if isinstance(each, (ast.Assign, ast.Expr)) and each.lineno < move.lineno]
        found = None
        for each in before:
            target, value = self.written(each.targets[0]) if isinstance(each, ast.Assign) else "", each.value
            if target == base:
                found = each if isinstance(value, ast.Call) and (is_call(value, "requires_grad_") or self.full(value.func).startswith(
                    "torch.") and getattr(self.word(value, "requires_grad"), "value", None) is True) and not re.search(
                        r"\.(to|cuda)\(|device|_like\(", self.written(value)) else None
                if re.search(r"\.(to|cuda)\(|device|_like\(", self.written(value)):
                    return None
            elif target == base + ".requires_grad" and getattr(value, "value", None) is True or isinstance(each, ast.Expr) and re.match(
                    r"%s\.requires_grad_\(" % re.escape(base), self.written(value)):
                found = each
        return found

    # ---- times, texts, switches

    def times_turned_round(self, own):
        """end.elapsed_time(start), where start was recorded before end."""
        for call in own:
            if not is_call(call, "elapsed_time") or len(call.args) != 1:
                continue
            first, last = self.written(call.func.value), self.written(call.args[0])
            marks = [(one.lineno, self.written(one.func.value)) for one in own if is_call(one, "record")]
            mine, other = ([line for line, name in marks if name == of] for of in (first, last))
            if len(mine) == len(other) == 1 and mine[0] > other[0] and mine[0] < call.lineno:
                self.mistake(call, "a time of events that are turned round", last, first, doubted=False)

    def numbers_beside_texts(self, nodes):
        """"cuda:" + args.gpu, of an option with type=int"""
        for one in nodes:
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add) and isinstance(one.left, ast.Constant) and isinstance(
                    one.left.value, str) and re.match(r"/?(cuda|gpu|xpu|device:gpu|cpu)\b", one.left.value, re.I) and self.is_integer(one.right):
                self.mistake(one, "a number that is added to a text", self.written(one.right), doubted=False)

    def is_integer(self, node):
        if isinstance(node, ast.Call):
            return GIVES_INTEGER.match(self.full(node.func) or self.written(node.func)) is not None
        made = self.origins.calls_of_option(node.attr) if isinstance(node, ast.Attribute) else []
        if made:
            return len(made) == 1 and getattr(self.word(made[0], "type"), "id", "") == "int" and self.word(made[0], "nargs") is None and any(
                is_call(one, "parse_args") for of in [self.origins.of(node.value)] for one in of)
        values = self.origins.of(node)
        if values and all(isinstance(one, Part) and isinstance(one.of, ast.Call) and getattr(one.of.func, "id", "") == "range" for one in values):
            return True
        return bool(values) and all(isinstance(one, ast.Constant) and type(one.value) is int or isinstance(one, ast.Call) and one is not node and
                                    self.is_integer(one) for one in values)

    def ways_back_without_determinism(self, calls):
        """torch.use_deterministic_algorithms(True), and a layer that has no deterministic way back on a GPU."""
        switch = next((call for call in calls if self.full(call.func) == "torch.use_deterministic_algorithms" and getattr(
            self.given(call, 0, "mode"), "value", None) is True and self.word(call, "warn_only") is None), None)
        if switch is None or not self.says(r"\.backward\(") or not self.says(r"\.cuda\(|['\"]cuda") or self.says(
                r"use_deterministic_algorithms\((mode=)?False|fill_uninit|warn_only|deterministic_debug|is_available"):
            return
        for call in calls:
            name = self.full(call.func)
            if re.match(r"torchvision\.models\.(vgg\d+(_bn)?|alexnet)$", name):  # they divide what they see into 7 x 7 or 6 x 6 parts
                self.mistake(call, "an operation without a deterministic way back", "AdaptiveAvgPool2d in it", other=switch)
            if not WITHOUT_DETERMINISM.match(name) or "ctc" in name.lower() and self.says(r"int32|IntTensor|torch\.int\b"):
                continue
            size = self.given(call, 1 if ".functional." in name else 0, "output_size") if "daptive" in name else None
            sizes = [self.said(one) for one in (size.elts if isinstance(size, ast.Tuple) else [size])] if size is not None else [2]
            # One number for each channel is a mean, which has a deterministic way back.
            if "daptive" in name and (None in sizes or "vg" in name and all(one == 1 for one in sizes)) or self.without(call):
                continue
            self.mistake(call, "an operation without a deterministic way back", name.rsplit(".", 1)[-1], other=switch, doubted=False)

    def without(self, call):
        return any(isinstance(one, ast.With) and any(self.is_quiet(item.context_expr) for item in one.items) or isinstance(
            one, ast.FunctionDef) and any(map(self.is_quiet, one.decorator_list)) for one in self.origins.around(call))
