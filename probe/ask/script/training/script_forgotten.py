"""What a script makes, updates or is given and then doesn't go on with: a state, a best score, a loader, an option; for the reader of scripts."""

OF_EPOCHS = re.compile(r"(?i)epoch|^ep$|^e$")
OF_THE_BEST = re.compile(r"(?i)(^|[_.])(best|lowest|highest)(_|$)|best[A-Z]\w*$")
MAKES_UPDATES = re.compile(r"(?i)^(tx|opt|optim|optimi[sz]er|solver|\w*_(tx|opt|optim|optimi[sz]er)|(opt|optim|optimi[sz]er)_\w+)$")
TRAINS_FURTHER = re.compile(r"(?i)\bsav(e|ing)(?!_strategy|_steps|_total_limit|_only|_safetensors|_dir|_path|_on_each)|push_to_hub|state_dict|predict|generate\(|pipeline\(|\.eval\(|evaluate\("
                            r"|bench|profil|throughput|smoke|dry_?run|sweep|optuna|search|tune\b|compute_metrics|export|merge_and|mlflow|callback")
# Parameters that a command line or a caller chooses.
OPTIONS_OF_TRAINING = re.compile(r"(?i)^(seed|random_?seed|lr|learning_?rate|batch_?size|(num_?)?epochs?|n_epochs|momentum|weight_?decay|dropout|device|hidden_(size|dim)|"
                                 r"num_(layers|workers|classes|steps)|gamma|temperature|warmup_steps|max_(len|length|steps|epochs))$")
# Arguments that are numbers, and raise where they are None.
NUMBERS_OF_CALLS = (
    (re.compile(r"transformers\.(Seq2Seq)?TrainingArguments$|trl\.\w+Config$"), frozenset(
        "warmup_steps learning_rate num_train_epochs per_device_train_batch_size gradient_accumulation_steps logging_steps save_steps weight_decay".split())),
    (re.compile(r"torch\.optim\.[A-Z]\w+$"), frozenset(("lr", "momentum", "weight_decay"))),
    (re.compile(r"torch\.optim\.lr_scheduler\.\w+LR$"), frozenset(("step_size", "gamma", "T_max"))))
KERAS_DENSE = re.compile(r"(tensorflow\.)?keras\.layers\.Dense$")
KERAS_PLAIN = re.compile(r"(tensorflow\.)?keras\.layers\.(Dense|Dropout|BatchNormalization|Flatten)$")
KERAS_ROWS = re.compile(r"(tensorflow\.)?keras\.(models\.)?Sequential$")
# Datasets whose training part holds one class behind the other: how many rows there are, and of the first class.
SORTED_BY_LABEL = {"imdb": (25000, 12500), "stanfordnlp/imdb": (25000, 12500), "rotten_tomatoes": (8530, 4265),
                   "cornell-movie-review-data/rotten_tomatoes": (8530, 4265)}


class Forgotten(Loops):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not roots & {"torch", "torchvision", "tensorflow", "keras", "jax", "optax", "transformers", "accelerate", "datasets", "flax", "equinox", "trl",
                        "lightning", "pytorch_lightning"}:
            return
        for one in self.nodes:
            if isinstance(one, ast.If):
                self.best_under_another_name(one)
                self.mean_of_other_batches(one)
        self.options_overwritten()
        if self.says(r"\w*augment\w*=True") and not self.says(r"(?i)\btta\b|test.?time"):
            self.augmented_by_an_option()
        if "torch" in roots:
            self.scalers_of_each_epoch()
            self.asked_again_in_training()
            if self.says(r"\b(LSTM|GRU|RNN)\(") and self.says(r"\.backward\("):
                self.states_of_windows()
        if {"torch", "lightning", "pytorch_lightning"} & roots:
            self.models_thrown_away()
        if "accelerate" in roots:
            self.prepared_and_left()
        if {"jax", "optax"} & roots:
            self.states_left_in_a_step()
        if {"transformers", "trl"} & roots:
            self.trained_for_nobody()
        if self.says(r"(?i)softmax"):
            self.softmax_between_layers()
        if "datasets" in roots:
            self.first_class_alone()
        if self.says(r"add_argument\("):
            self.numbers_that_may_be_none()

    def reads_of(self, name, within):
        return [one for one in within if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load) and self.written(one) == name]

    def stores_of(self, name, within):
        return [one for one in within if isinstance(one, (ast.Name, ast.Attribute)) and not isinstance(one.ctx, ast.Load) and self.written(one) == name]

    # ---- of any framework

    def best_under_another_name(self, branch):
        """if acc > best_accuracy: save(); best_acc = acc, and nothing else sets best_accuracy or reads best_acc."""
        test = branch.test
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], (ast.Gt, ast.Lt, ast.GtE, ast.LtE)):
            return
        for new, best in ((test.left, test.comparators[0]), (test.comparators[0], test.left)):
            name = self.written(best)
            if not isinstance(best, (ast.Name, ast.Attribute)) or not OF_THE_BEST.search(name) or not isinstance(new, (ast.Name, ast.Attribute)):
                continue
            loop = next((one for one in self.origins.around(branch) if isinstance(one, (ast.For, ast.While))), None)
            other = next((one for one in branch.body if isinstance(one, ast.Assign) and len(one.targets) == 1 and self.written(one.value) == self.written(
                new) and isinstance(one.targets[0], (ast.Name, ast.Attribute)) and OF_THE_BEST.search(self.written(one.targets[0]))), None)
            if other is None or loop is None or self.written(other.targets[0]) == name or self.reads_of(self.written(other.targets[0]), self.nodes):
                continue
            bound = self.stores_of(name, self.nodes)
            known = [self.parents.get(id(one)) for one in bound]
            if known and all(isinstance(one, ast.Assign) and (self.origins.is_literal(one.value) or re.match(
                    r"-?(float\(|(np|numpy|math|torch)\.inf)", self.written(one.value))) and loop not in self.origins.around(one) for one in known):
                self.mistake(other, "a best score under another name", name, self.written(test), other=branch)
                return

    def mean_of_other_batches(self, branch):
        """if i % 2000 == 499: print(total / 2000); total = 0, which sums 500 batches at first."""
        loop, test = self.parents.get(id(branch)), branch.test
        if not isinstance(loop, ast.For) or branch not in loop.body or not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
            return
        counts, left, rest = loop.iter, test.left, self.said(test.comparators[0])
        number = self.said(left.right) if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) else None
        if getattr(getattr(counts, "func", None), "id", "") != "enumerate" or type(number) is not int or type(rest) is not int or not isinstance(
                loop.target, ast.Tuple) or number < 2:
            return
        start = self.said(self.given(counts, 1, "start")) if len(counts.args) > 1 or counts.keywords else 0
        name, more = getattr(loop.target.elts[0], "id", None), 0
        if isinstance(left.left, ast.BinOp) and isinstance(left.left.op, ast.Add) and type(self.said(left.left.right)) is int:
            more, left = self.said(left.left.right), left.left
        if self.written(left.left) != name or type(start) is not int or start not in (0, 1):
            return
        first = (rest - more - start) % number + 1  # how many batches stand before the first report
        for one in ast.walk(branch):
            over = self.said(one.right) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) and isinstance(one.left, (ast.Name, ast.Attribute)) else None
            if type(over) not in (int, float) or over < 2 or over == first == number or not isinstance(one.right, (ast.Constant, ast.Name)):
                continue
            total = self.written(one.left)
            reset = any(isinstance(part, ast.Assign) and self.written(part.targets[0]) == total and self.said(part.value) in (0, 0.0) for part in branch.body)
            adds = [part for part in loop.body if isinstance(part, ast.AugAssign) and isinstance(part.op, ast.Add) and self.written(part.target) == total and re.fullmatch(
                r"[\w.]+(\.data)?(\.item\(\)|\[0\])|float\(\w+\)", self.written(part.value))]
            if reset and len(adds) == 1 and (over != number or first not in (1, number)):
                self.mistake(one, "a mean of another number of batches", total, "%g" % over, str(first if over == number else number), other=branch)
                return

    def options_overwritten(self):
        """def main(seed, lr): seed = 0, before anything reads what it is given."""
        for of in self.tracing.index.functions:
            names = {one.arg for one in of.args.args + of.args.kwonlyargs if OPTIONS_OF_TRAINING.match(one.arg)}
            for statement in of.body if names else ():
                target = statement.targets[0] if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else None
                name = getattr(target, "id", None)
                if name in names and not self.reads_of(name, ast.walk(statement.value)) and not re.search(r"\b(args|config|cfg|opt|hparams|self)\b", self.written(statement.value)):
                    given = [site.call for site in self.origins.sites(of) if any(isinstance(one, (ast.Name, ast.Attribute)) and re.search(
                        r"(^|\.)%s$" % name, self.written(one)) for one in [*site.args, *(k.value for k in site.keywords)])]
                    if given and not self.is_reported(statement):
                        self.mistake(statement, "an option that its function overwrites", name, of.name, self.written(given[0]), other=given[0])
                # What reads it, or may leave before it is set anew.
                names -= {one.id for one in ast.walk(statement) if isinstance(one, ast.Name)}
                if any(isinstance(one, (ast.Call, ast.Return)) and re.search(r"locals\(|vars\(\)", self.written(one)) for one in ast.walk(statement)):
                    break

    def augmented_by_an_option(self):
        """Loader(root, train=False, augment=True), beside one that trains with the same."""
        for call in self.calls:
            asked = next((k for k in call.keywords if re.search(r"(?i)augment", k.arg or "") and self.said(k.value) is True), None)
            parts = {k.arg: self.said(k.value) for k in call.keywords}
            if asked is not None and (parts.get("train") is False or parts.get("is_train") is False or parts.get("split") in ("test", "val", "valid", "validation")) and any(
                    one is not call and any(k.arg == asked.arg for k in one.keywords) and self.written(one.func) == self.written(call.func) for one in self.calls):
                self.reader.mistake(asked.value, "an augmented test", self.written(call.func) + "(…)", "%s=True" % asked.arg, doubted=True)

    def numbers_that_may_be_none(self):
        """add_argument("--warmup", type=int), the only number without a default, that an optimizer or a range() is given."""
        options = {name: calls for name, calls in self.origins.options.items() if len(calls) == 1} if self.origins.prepare() is None else {}
        numbers = {name: calls[0] for name, calls in options.items() if getattr(self.word(calls[0], "type"), "id", "") in ("int", "float") and any(
            str(getattr(one, "value", "")).startswith("-") for one in calls[0].args)}
        bare = [name for name, call in numbers.items() if not {k.arg for k in call.keywords} & {"default", "required", "action", "nargs", "const", None}]
        if len(bare) != 1 or len(numbers) < 4 or self.says(r"set_defaults|argument_default|setattr\(|\.update\(|SUPPRESS|yaml|__dict__"):
            return
        name = bare[0]
        if self.says(r"\.%s\b *(is|or|if|and|=[^=]|==|!=|>|<)|(if|not|and|or) [\w.]*\.%s\b|getattr\([^\n]*%s" % (name, name, name)):
            return
        for one in self.nodes:
            if not isinstance(one, ast.Attribute) or one.attr != name or not isinstance(one.ctx, ast.Load):
                continue
            above = self.parents.get(id(one))
            call = self.parents.get(id(above)) if isinstance(above, ast.keyword) else above
            plain = isinstance(call, ast.Call) and (getattr(call.func, "id", "") == "range" if call is above else any(
                form.match(self.full(call.func)) and above.arg in words for form, words in NUMBERS_OF_CALLS))
            if plain and not self.in_branch(call) and not self.is_reported(one):
                self.mistake(one, "a number that may be None", self.written(numbers[name].args[0]), self.written(call.func), other=numbers[name])
                return

    # ---- PyTorch

    def scalers_of_each_epoch(self):
        """def train(epoch): scaler = GradScaler(); for x, y in loader: …, which a loop over the epochs calls."""
        for made in self.calls:
            bound = self.parents.get(id(made))
            if self.full(made.func) not in SCALERS or not isinstance(bound, ast.Assign) or not isinstance(bound.targets[0], ast.Name) or self.word(made, "init_scale"):
                continue
            name, holder = bound.targets[0].id, self.parents.get(id(bound))
            inner = [one for one in getattr(holder, "body", ()) if isinstance(one, ast.For) and line_of(one) > line_of(bound)]
            steps = [one for one in calls_in(inner) if is_call(one, "step") and self.written(one.func.value) == name]
            nearest = next((one for one in self.origins.around(steps[0]) if isinstance(one, (ast.For, ast.While))), None) if steps else None
            if nearest not in inner or any(isinstance(one.ctx, ast.Load) and isinstance(self.parents.get(id(one)), (ast.Return, ast.Call, ast.keyword)) for one in self.reads_of(
                    name, ast.walk(holder))) or self.says(re.escape(name) + r"\.(load_)?state_dict"):
                continue
            if isinstance(holder, ast.For):
                loops = [holder]
            else:
                loops = [next((one for one in self.origins.around(site.call) if isinstance(one, ast.For)), None) for site in self.origins.sites(holder)] if isinstance(
                    holder, ast.FunctionDef) else []
            if loops and all(isinstance(one, ast.For) and (OF_EPOCHS.search(self.written(one.target)) or OF_EPOCHS.search(self.written(one.iter))) for one in loops):
                self.mistake(made, "a scaler that each epoch makes anew", name, other=loops[0])

    def asked_again_in_training(self):
        """loss(net(x), y).backward(); optimizer.step(); hits += (net(x).argmax(1) == y).sum(): a second pass, in training mode and with a graph."""
        for loop in self.tracing.index.loops:
            block = loop.body
            backs = [i for i, one in enumerate(block) if isinstance(one, ast.Expr) and is_call(one.value, "backward")]
            if not isinstance(loop, ast.For) or len(backs) != 1 or sum(is_call(one, "backward") for one in calls_in(block)) != 1:
                continue
            first = {self.written(one): one for one in calls_in(block[:backs[0]]) if isinstance(one.func, ast.Name) and len(one.args) == 1 and isinstance(
                one.args[0], ast.Name) and not one.keywords and not self.full(one.func) and not self.is_function(one.func)}
            steps = [i for i, one in enumerate(block) if i > backs[0] and isinstance(one, ast.Expr) and is_call(one.value, "step")]
            for i, part in enumerate(block[steps[0] + 1:] if steps else (), steps[0] + 1 if steps else 0):
                if any(isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load) and any(one.id in text for text in first) for one in ast.walk(part)) or isinstance(
                        part, (ast.With, ast.If)) or any(is_call(one, "eval") or is_call(one, "set_grad_enabled") for one in calls_in([part])):
                    break
                again = next((one for one in calls_in([part]) if self.written(one) in first), None)
                if again is not None and not self.is_reported(again) and re.search(r"argmax|\.max\(|topk|round\(", self.written(part)):
                    self.mistake(again, "a second pass in training", self.written(again), other=first[self.written(again)])
                    return

    def is_function(self, func):
        return any(isinstance(one, (ast.FunctionDef, ast.Lambda)) for one in self.origins.functions_of(func))

    def models_thrown_away(self):
        """Adam(Net().parameters()), and Net().configure_optimizers(): the weights of a model that nothing else has."""
        if not self.says(r"\.backward\(|\.fit\("):
            return
        for call in self.calls:
            of = call.func.value if is_call(call, "configure_optimizers") else None
            given = self.given(call, 0, "params") if OPTIMIZERS_AT_ALL.match(self.full(call.func)) else None
            if is_call(given, "parameters"):
                of = given.func.value
            # A single layer only stands for a model there, as in a schedule that is drawn.
            if isinstance(of, ast.Call) and re.match(r"[A-Z]\w*[a-z]", self.written(of.func).rpartition(".")[2]) and not isinstance(
                    self.parents.get(id(call)), ast.Return) and not self.full(of.func).startswith("torch.nn."):
                self.mistake(call, "an optimizer of a model that is thrown away", self.written(of))

    def prepared_and_left(self):
        """model, opt, train_dl = accelerator.prepare(model, opt, loader); for batch in loader: what prepare() gave stays unused."""
        for call in self.calls:
            bound = self.parents.get(id(call))
            targets = bound.targets[0] if isinstance(bound, ast.Assign) and len(bound.targets) == 1 else None
            targets = targets.elts if isinstance(targets, ast.Tuple) else [targets]
            if not is_call(call, "prepare") or len(targets) != len(call.args) or not self.made_by(call.func.value, re.compile(r"accelerate\.(accelerator\.)?Accelerator$")):
                continue
            for new, old in zip(targets, call.args):
                if not isinstance(new, ast.Name) or not isinstance(old, ast.Name) or new.id == old.id or new.id == "_" or self.reads_of(new.id, self.nodes):
                    continue
                loop = next((one for one in self.tracing.index.loops if isinstance(one, ast.For) and line_of(one) > line_of(call) and self.origins.scope(
                    one) is self.origins.scope(call) and old.id in (self.written(part) for part in [one.iter, *getattr(one.iter, "args", ())])), None)
                if loop is not None and not self.stores_of(old.id, [one for one in self.nodes if line_of(one, 0) > line_of(call)]):
                    self.mistake(loop.iter, "a loader from before it was prepared", old.id, new.id, other=call)

    # ---- recurrent layers

    def states_of_windows(self):
        """for i in range(0, n - size, size): out, new = net(text[:, i:i + size], hidden), and new goes nowhere: each window begins with the first state."""
        for loop in self.nodes:
            through = loop.iter if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) else None
            if not isinstance(through, ast.Call) or self.written(through.func) != "range" or len(through.args) != 3 or not any(is_call(one, "backward") for one in calls_in(loop.body)):
                continue
            inside = [one for part in loop.body for one in ast.walk(part)]
            for one in inside:
                target = one.targets[0] if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and len(one.value.args) == 2 else None
                state = one.value.args[1] if isinstance(target, ast.Tuple) and len(target.elts) == 2 else None
                if not isinstance(state, ast.Name) or self.stores_of(state.id, inside) or not self.is_window(one.value.args[0], loop) or not self.gives_state(one.value.func):
                    continue
                new = [part for part in ast.walk(target.elts[1]) if isinstance(part, ast.Name)]
                if new and not any(self.reads_of(part.id, inside) for part in new) and not any(isinstance(part, ast.Attribute) for part in ast.walk(target.elts[1])):
                    self.mistake(one.value, "a state that each window begins anew with", state.id, self.written(target.elts[1]))
                    return

    def is_window(self, given, loop):
        """text[:, i:i + size] of a loop whose steps are as long, so that each window goes on where the last one ended"""
        step, at = self.written(loop.iter.args[2]), loop.target.id
        made = self.origins.of(given) if isinstance(given, ast.Name) else [given]
        made = [one.of if isinstance(one, Part) and not one.steps else one for one in made]
        parts = made[0].slice if len(made) == 1 and isinstance(made[0], ast.Subscript) else None
        parts = parts.elts if isinstance(parts, ast.Tuple) else [parts]
        return any(isinstance(one, ast.Slice) and self.written(one.lower) == at and self.written(one.upper) in (
            "%s + %s" % (at, step), "%s + %s" % (step, at)) for one in parts if getattr(one, "lower", None) is not None and one.upper is not None)

    def gives_state(self, func):
        """Whether it is a recurrent layer of PyTorch's, or a model of the file that holds one."""
        made = self.origins.of(func, True)
        call = made[0] if len(made) == 1 and isinstance(made[0], ast.Call) else None
        own = self.origins.functions_of(call.func) if call is not None else []
        held = calls_in(own[0].body) if len(own) == 1 and isinstance(own[0], ast.ClassDef) else [call] if call is not None else []
        return any(re.match(r"torch\.nn\.(LSTM|GRU|RNN)$", self.full(one.func)) for one in held)

    # ---- JAX

    def states_left_in_a_step(self):
        """def step(params, opt_state, x): …, opt_state = opt.update(…); return params: each step begins with the first state."""
        for call in self.calls:
            bound, of = self.parents.get(id(call)), self.origins.scope(call)
            targets = bound.targets[0] if isinstance(bound, ast.Assign) and len(bound.targets) == 1 else None
            if not is_call(call, "update") or not isinstance(targets, ast.Tuple) or len(targets.elts) != 2 or len(call.args) < 2 or not isinstance(of, ast.FunctionDef):
                continue
            state = getattr(targets.elts[1], "id", None)
            if state is None or getattr(call.args[1], "id", "") != state or not MAKES_UPDATES.match(self.written(call.func.value).rpartition(".")[2]) or state not in [
                    one.arg for one in of.args.args]:
                continue
            later = [one for one in ast.walk(of) if isinstance(one, ast.Name) and one.id == state and isinstance(one.ctx, ast.Load) and line_of(one) > line_of(bound.value) and
                     one is not call.args[1]]
            returns = [one for one in own_nodes(of) if isinstance(one, ast.Return) and one.value is not None]
            at = [one.arg for one in of.args.args].index(state)
            for site in self.origins.sites(of) if returns and not [one for one in later if not call.lineno <= one.lineno <= call.end_lineno] else ():
                given = site.args[at] if len(site.args) > at else next((k.value for k in site.keywords if k.arg == state), None)
                loop = next((one for one in self.origins.around(site.call) if isinstance(one, (ast.For, ast.While))), None)
                if isinstance(given, ast.Name) and loop is not None and not self.stores_of(given.id, ast.walk(loop)):
                    self.mistake(call, "a state that its step doesn't give back", state, of.name, self.written(returns[-1]), other=site.call)
                    break

    # ---- Transformers, datasets and Keras

    def trained_for_nobody(self):
        """TrainingArguments(save_strategy="no"); trainer.train(), as the last that a script does."""
        if TRAINS_FURTHER.search(re.sub(r"(?m)#.*$|help *= *[^\n]*", "", self.reader.text)) or any(getattr(one, "cell", None) for one in self.calls[:1]):
            return
        settings = next((one for one in self.calls if re.match(r"(transformers\.(Seq2Seq)?TrainingArguments|trl\.\w+Config)$", self.full(one.func)) and str(self.said(
            self.word(one, "save_strategy"))).lower() == "no"), None)
        steps = self.said(self.word(settings, "max_steps"), -1) if settings is not None else 0
        for call in self.calls if steps == -1 else ():
            statement = self.parents.get(id(call))
            if not is_call(call, "train") or call.args or not isinstance(statement, ast.Expr) or not self.made_by(call.func.value, TRAINERS_OF_TEXT, re.compile(r"trl\.\w+Trainer$")):
                continue
            block = self.origins.block_of(statement)
            if block and block[-1] is statement and not self.in_branch(statement):
                at = next(k.value for k in settings.keywords if k.arg == "save_strategy") if "save_strategy" in [k.arg for k in settings.keywords] else settings
                self.mistake(at, "a model that nothing saves", self.written(call), other=call)

    def softmax_between_layers(self):
        """Dense(512, activation="softmax"), Dense(10, activation="softmax"): the first lets its units share one in all."""
        for layers in self.rows_of_layers():
            for one, behind in zip(layers, layers[1:]):
                if KERAS_DENSE.match(self.full(one.func)) and self.said(self.given(one, 1, "activation")) == "softmax" and KERAS_PLAIN.match(self.full(behind.func)) and any(
                        KERAS_DENSE.match(self.full(each.func)) for each in layers[layers.index(behind):]) and not self.is_reported(one):
                    self.mistake(one, "a softmax between layers", self.written(behind), "activation='relu'", other=behind)
        for made in self.calls:
            names = [self.full(getattr(one, "func", one)) for one in made.args] if self.full(made.func) == "torch.nn.Sequential" else []
            at = next((i for i, name in enumerate(names) if name == "torch.nn.Softmax"), 0)
            behind = next((i for i in range(at + 1, len(names)) if at > 0 and not re.match(r"torch\.nn\.(Dropout|BatchNorm1d)$", names[i])), 0)
            if behind and names[behind] == names[at - 1] == "torch.nn.Linear":
                self.mistake(made.args[at], "a softmax between layers", self.written(made.args[behind]), "nn.ReLU()", other=made.args[behind])

    def rows_of_layers(self):
        """The layers of each Sequential of the file, in their order."""
        for made in self.calls:
            if not KERAS_ROWS.match(self.full(made.func)):
                continue
            given = self.given(made, 0, "layers")
            layers = list(given.elts) if isinstance(given, ast.List) else []
            bound = self.parents.get(id(made))
            if isinstance(bound, ast.Assign) and given is None:
                name, scope = self.written(bound.targets[0]), self.origins.scope(made)
                layers = [one.args[0] for one in self.calls if is_call(one, "add") and len(one.args) == 1 and self.written(one.func.value) == name and self.origins.scope(
                    one) is scope and not self.in_branch(one)] if len(self.stores_of(name, self.nodes)) == 1 else []
            if all(isinstance(one, ast.Call) for one in layers):
                yield layers

    def first_class_alone(self):
        """load_dataset("imdb", split="train[:1000]"), whose reviews come negative ones first."""
        for call in self.calls:
            if self.full(call.func) != "datasets.load_dataset" or not call.args:
                continue
            rows, half = SORTED_BY_LABEL.get(self.said(call.args[0]), (0, 0))
            split = self.said(self.word(call, "split"))
            cut = re.fullmatch(r"(train|test)\[:(\d+)(%?)\]", split) if isinstance(split, str) else None
            taken = int(cut.group(2)) * (rows // 100 if cut.group(3) else 1) if cut and cut.group(1) == "train" else 0
            if 0 < taken <= half and not self.says(r"(?i)masked|causal|unsupervised|language.?model"):
                self.mistake(call, "a part that holds one class alone", str(self.said(call.args[0])), str(taken), str(half))
