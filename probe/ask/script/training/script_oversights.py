"""What a script of training overlooks: what it makes and replaces, counts in the wrong place, or asks of one of two ways alone; for the reader of
scripts."""

# Schedules whose get_lr() works from the rate before, so that between two steps it tells a rate that is never used.
STEPS_FROM_THE_LAST = re.compile(r"torch\.optim\.lr_scheduler\.(StepLR|MultiStepLR|ExponentialLR|CosineAnnealingLR|MultiplicativeLR|ConstantLR|LinearLR|PolynomialLR)$")
PAIRS_OF = ("enumerate", "zip")
MEMBERS_OF_TUPLES = ("count", "index")
COUNTS_ITS_STEPS = re.compile(r"jax\.(experimental|example_libraries)\.optimizers\.(adam|adamax|nesterov)$")
METRICS_WITH_A_TASK = re.compile(r"torchmetrics\.(classification\.)?(Accuracy|Precision|Recall|F1Score|FBetaScore|AUROC|ConfusionMatrix|CohenKappa|JaccardIndex|"
                                 r"MatthewsCorrCoef|Specificity|StatScores|ROC|PrecisionRecallCurve|AveragePrecision|CalibrationError|HammingDistance)$")
METRICS_BY_CALL = re.compile(r"torchmetrics\.functional\.(classification\.)?(accuracy|precision|recall|f1_score|auroc|confusion_matrix|cohen_kappa|jaccard_index|"
                             r"specificity|stat_scores|average_precision)$")
DRAWS_OF_THE_HOST = re.compile(r"(numpy\.random\.(rand|randn|randint|random|normal|uniform|choice|permutation|standard_normal|random_sample|binomial|poisson|beta|"
                               r"gamma|exponential)|random\.(random|randint|uniform|gauss|choice|sample|randrange|normalvariate))$")
SCALES_TO_ONE = re.compile(r"skimage\.(transform\.(\w+\.)?(resize|rescale|rotate|warp|pyramid_reduce|downscale_local_mean)|util\.(\w+\.)?img_as_float(32|64)?|img_as_float(32|64)?|"
                           r"exposure\.(\w+\.)?(equalize_hist|equalize_adapthist))$|torchvision\.transforms\.(functional\.)?(ToTensor|to_tensor)$")
OF_SCORES = re.compile(r"(?i)(^|[._])(logits?|preds?|predictions?|scores?|outputs?|y_hat|y_pred|models?|hypothesis)(_\w+)?$")
OF_TRUTH = re.compile(r"(?i)(^|[._])(labels?|targets?|y_true|truth|ground_truth|one_?hot|y)(_\w*)?$")
NAMED_ALONE = re.compile(r"tensorflow\.(compat\.v1\.)?nn\.(sparse_|sigmoid_)?(softmax_)?cross_entropy_with_logits(_v2)?$")
PLACEHOLDERS = re.compile(r"tensorflow\.(compat\.v1\.)?placeholder$")
COMPUTES_SCORES = re.compile(r"\b(matmul|conv2d|dense|bias_add|fully_connected)\(")
SEEDS_ALL = re.compile(r"torch\.(cuda\.)?manual_seed(_all)?$|numpy\.random\.seed$|random\.seed$")
WRITES_A_FILE = re.compile(r"numpy\.(save|savez|savez_compressed|savetxt)$|torch\.save$|pickle\.dump$")


class Oversights(Learning):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not roots & {"torch", "tensorflow", "keras", "jax", "flax", "pytorch_lightning", "lightning", "torchmetrics"}:
            return
        for of in self.tracing.index.classes:
            self.made_twice(of)
            self.layers_passed_over(of)
            if {"lightning", "pytorch_lightning"} & roots:
                self.logs_returned(of)
        for one in self.nodes:
            if isinstance(one, ast.For):
                self.pairs_taken_whole(one)
            elif isinstance(one, ast.If):
                self.counted_where_it_shows(one)
            elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.modules_behind_switches(one)
        if self.says(r"\bresize\(|img_as_float|rescale\(|[tT]o_?[tT]ensor\("):
            self.scaled_twice()
        if self.says(r"seed['\"]"):
            self.seeds_that_nothing_reads()
        if self.says(r"add_argument\("):
            self.options_without_a_type()
        if "horovod" in roots and "tensorflow" in roots:
            self.gpus_that_nobody_shares_out()
        if "tensorflow" in roots:
            self.logits_by_place()
        if "jax" in roots:
            self.draws_of_a_batch()
            self.one_step_for_ever()
        if "torchmetrics" in roots:
            self.metrics_without_a_task()
        if "torch" in roots:
            self.rates_of_the_next_step()
            self.one_transform_for_two()
            self.moved_behind_its_wrapper()
            self.modules_of_what_may_be_bare()
            self.seeds_of_the_parent()
            self.double_where_mps_may_be()
            self.arrays_loaded_as_weights()
            self.files_of_two_parts()
            self.loaded_and_never_evaluated()

    # ---- Python

    def made_twice(self, of):
        """class Net: def __init__(self): …; def __init__(self, size): …, of which the last alone is left."""
        made = {}
        for one in of.body:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                first = made.get(one.name)
                if first is not None and one.name != "_" and not first.decorator_list and not one.decorator_list and self.does_something(first):
                    self.reader.mistake(one, "a method that is made twice", of.name, one.name, other=first, doubted=False)
                made[one.name] = one
            elif isinstance(one, (ast.Assign, ast.AnnAssign, ast.Expr)):  # the first is used before the second takes its name
                read = {each.id for each in ast.walk(one) if isinstance(each, ast.Name)}
                made = {name: each for name, each in made.items() if name not in read}

    @staticmethod
    def does_something(of):
        return any(not isinstance(one, (ast.Pass, ast.Raise)) and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)) for one in of.body)

    def pairs_taken_whole(self, loop):
        """for x in enumerate(texts): len(x), which is always 2."""
        if not isinstance(loop.iter, ast.Call) or getattr(loop.iter.func, "id", "") not in PAIRS_OF or not isinstance(loop.target, ast.Name) or self.origins.functions_of(
                loop.iter.func) or getattr(loop.iter.func, "id", "") in self.tracing.names:
            return
        name, size = loop.target.id, 2 if loop.iter.func.id == "enumerate" else len(loop.iter.args)
        if any(isinstance(one, ast.Starred) for one in loop.iter.args) or loop.iter.keywords and loop.iter.func.id == "zip":
            return
        around = [one for part in loop.body for one in ast.walk(part)]
        bound = next((one for one in around if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load)), None)
        for one in around:
            if not isinstance(one, ast.Name) or one.id != name or not isinstance(one.ctx, ast.Load) or bound is not None and self.origins.position(
                    one) > self.origins.position(bound) or any(isinstance(each, (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.GeneratorExp)) and loop in self.origins.around(
                        each) for each in self.origins.around(one)):
                continue
            outer = self.parents.get(id(one))
            if isinstance(outer, ast.Call) and getattr(outer.func, "id", "") == "len" and outer.args == [one] and isinstance(self.parents.get(id(outer)), (
                    ast.Compare, ast.BinOp, ast.AugAssign)):
                return self.mistake(outer, "a pair that is taken for its part", name, self.written(loop.iter), "it is always %d" % size, other=loop.iter)
            key = self.origins.key(outer) if isinstance(outer, ast.Subscript) and outer.value is one else None
            if isinstance(key, str):
                return self.mistake(outer, "a pair that is taken for its part", name, self.written(loop.iter), "it raises TypeError", other=loop.iter, doubted=False)
            if isinstance(outer, ast.Attribute) and outer.value is one and outer.attr not in MEMBERS_OF_TUPLES and not outer.attr.startswith("__"):
                return self.mistake(outer, "a pair that is taken for its part", name, self.written(loop.iter), "it raises AttributeError", other=loop.iter, doubted=False)
        return None

    def counted_where_it_shows(self, branch):
        """if step % 10 == 0: print(loss); step += 1, and nowhere else: it is 1 for ever."""
        test = branch.test
        left = test.left if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq) and self.said(test.comparators[0]) == 0 else None
        if not isinstance(left, ast.BinOp) or not isinstance(left.op, ast.Mod) or not isinstance(left.left, (ast.Name, ast.Attribute)):
            return
        name, every = self.written(left.left), self.said(left.right)
        grows = [one for one in self.nodes if isinstance(one, ast.AugAssign) and self.written(one.target) == name]
        loop = next((one for one in self.origins.around(branch) if isinstance(one, (ast.For, ast.While, ast.FunctionDef))), None)
        within = {id(one) for part in branch.body for one in ast.walk(part)}
        if type(every) is not int or every < 2 or not isinstance(loop, (ast.For, ast.While)) or len(grows) != 1 or id(grows[0]) not in within or not isinstance(
                grows[0].op, ast.Add) or self.said(grows[0].value) != 1:
            return
        sets = [one for one in self.nodes if isinstance(one, ast.Assign) and name in [self.written(each) for each in one.targets]]
        others = [one for one in self.nodes if isinstance(one, (ast.Name, ast.Attribute)) and self.written(one) == name and not isinstance(one.ctx, ast.Load)]
        if sets and len(others) == len(sets) + 1 and all(self.said(one.value) == 0 for one in sets) and not any(loop in self.origins.around(one) for one in sets):
            self.mistake(grows[0], "a count that its own test stops", name, self.written(test), other=test)

    def modules_behind_switches(self, of):
        """def load(state, amp=False): if amp: amp.load_state_dict(state), where amp is the truth value."""
        shared = self.origins.parameters(of)
        for one in shared:
            default = self.origins.default(of, one)
            if one.arg not in self.tracing.names or not isinstance(default, ast.Constant) or type(default.value) is not bool:
                continue
            if any(isinstance(each, ast.Name) and each.id == one.arg and not isinstance(each.ctx, ast.Load) for each in ast.walk(of)):
                continue
            use = next((each for each in ast.walk(of) if isinstance(each, ast.Attribute) and getattr(each.value, "id", "") == one.arg and isinstance(
                self.parents.get(id(each)), ast.Call)), None)
            if use is not None:
                self.mistake(use, "a switch that hides a module", one.arg, self.tracing.names[one.arg], other=one, doubted=False)

    def seeds_that_nothing_reads(self):
        """parser.add_argument("--seed", default=1), where nothing reads args.seed."""
        added = [call for call in self.calls if is_call(call, "add_argument") and call.args]
        parsed = [call for call in self.calls if is_call(call, "parse_args")]
        bound = self.parents.get(id(parsed[0])) if len(parsed) == 1 else None
        if not isinstance(bound, ast.Assign) or len(bound.targets) != 1 or not isinstance(bound.targets[0], ast.Name) or self.says(
                r"vars\(|__dict__|getattr\(|parents *=|exec\(|eval\("):
            return
        args = bound.targets[0].id
        # The whole of the options may be read by whatever gets it.
        if any(isinstance(one, ast.Name) and one.id == args and isinstance(one.ctx, ast.Load) and not isinstance(self.parents.get(id(one)), ast.Attribute) and not self.is_shown(
                one) for one in self.nodes) or not any(isinstance(one, ast.Attribute) and getattr(one.value, "id", "") == args for one in self.nodes):
            return
        for call in added:
            name = name_of_option(call)
            if isinstance(name, str) and re.search(r"(^|_)seed$", name) and not self.says(r"\.\s*%s\b|['\"]%s['\"]" % (name, name)) and not any(
                    isinstance(one, ast.Name) and one.id == name for one in self.nodes):
                self.mistake(call, "a seed that nothing reads", name, args)

    def options_without_a_type(self):
        """parser.add_argument("--batch_size", default=32); DataLoader(data, batch_size=args.batch_size), which gets a text from the command line."""
        parsed = [call for call in self.calls if is_call(call, "parse_args")]
        bound = self.parents.get(id(parsed[0])) if len(parsed) == 1 else None
        if not isinstance(bound, ast.Assign) or not isinstance(bound.targets[0], ast.Name) or self.says(r"literal_eval|register\(|set_defaults"):
            return
        args = bound.targets[0].id
        for call in self.calls:
            words = {k.arg: k.value for k in call.keywords}
            default = words.get("default")
            if not is_call(call, "add_argument") or not call.args or {"type", "action", "nargs", "choices", None} & set(words) or not self.origins.is_literal(
                    default) or type(self.said(default)) not in (int, float):
                continue
            name = name_of_option(call)
            reads = [one for one in self.nodes if isinstance(one, ast.Attribute) and one.attr == name and getattr(one.value, "id", "") == args]
            if any(not isinstance(one.ctx, ast.Load) or getattr(getattr(self.parents.get(id(one)), "func", None), "id", "") in ("int", "float", "str") for one in reads):
                continue
            use = next((each for each in (self.counts(one, 3) for one in reads) if each is not None), None)
            if use is not None:
                self.mistake(call, "an option without its type", name, self.written(use), type(self.said(default)).__name__, other=use)

    def counts(self, node, deepest):
        """What takes a number of an expression: a sum, range(), the loader of batches, also in a function that is given it; None: nothing that is known."""
        outer = self.parents.get(id(node))
        word = next((k.arg for k in getattr(self.parents.get(id(outer)), "keywords", ()) if k is outer), None) if isinstance(outer, ast.keyword) else None
        call = self.parents.get(id(outer)) if isinstance(outer, ast.keyword) else outer
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, (ast.Sub, ast.Div, ast.FloorDiv, ast.Pow)):
            return outer
        if not isinstance(call, ast.Call) or node is call.func:
            return None
        full = self.full(call.func)
        if getattr(call.func, "id", "") == "range" or full.startswith(("torch.utils.data.", "torch.optim.")) and word in (
                "batch_size", "num_workers", "lr", "momentum", "weight_decay", "step_size", "gamma"):
            return call
        functions = self.origins.functions_of(call.func) if deepest > 0 else ()
        for of in functions:
            if isinstance(of, ast.ClassDef):
                of = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
            given = self.parameter_of(of, call, node, word) if isinstance(of, ast.FunctionDef) else None
            stored = given is None or any(isinstance(one, ast.Name) and one.id == given and not isinstance(one.ctx, ast.Load) for one in ast.walk(of))
            for one in ast.walk(of) if not stored else ():
                if isinstance(one, ast.Name) and one.id == given:
                    use = self.counts(one, deepest - 1)
                    if use is not None:
                        return use
        return None

    @staticmethod
    def parameter_of(of, call, node, word):
        """The parameter that a call gives an argument to."""
        names = [one.arg for one in of.args.args]
        hidden = int(names[:1] in (["self"], ["cls"]))
        if word is not None:
            return word if word in names else None
        at = next((at for at, one in enumerate(call.args) if one is node), len(names))
        return names[at + hidden] if at + hidden < len(names) and not any(isinstance(one, ast.Starred) for one in call.args) else None

    def gpus_that_nobody_shares_out(self):
        """hvd.init(), and nothing asks for hvd.local_rank(): each process takes the memory of all GPUs."""
        begins = next((call for call in self.calls if re.match(r"horovod\.(tensorflow|keras)[\w.]*\.init$", self.full(call.func))), None)
        if begins is None or self.says(r"local_rank|LOCAL_RANK|CUDA_VISIBLE_DEVICES|visible_device|set_visible_devices|tf\.device\(") or not self.says(
                r"\.fit\(|GradientTape|MonitoredTrainingSession"):
            return
        asks = next((call for call in self.calls if re.match(r"tensorflow\.config\.(experimental\.)?list_physical_devices$", self.full(call.func))), None)
        self.mistake(asks or begins, "GPUs that nobody shares out", other=begins if asks is not None else None)

    def is_shown(self, node):
        """print(args), or a line of a log."""
        outer = next((one for one in self.origins.around(node) if isinstance(one, ast.Call)), None)
        return outer is not None and (getattr(outer.func, "id", "") == "print" or getattr(outer.func, "attr", "") in ("info", "debug"))

    def files_of_two_parts(self):
        """save_features(train_loader, model); save_features(test_loader, model), both into features.npy."""
        for of in self.nodes:
            if not isinstance(of, ast.FunctionDef) or not of.args.args:
                continue
            writes = next((call for call in calls_in(of.body) if WRITES_A_FILE.match(self.full(call.func)) and self.path_of(call) is not None), None)
            sites = [site.call for site in self.origins.sites(of)] if writes is not None else []
            for first, second in zip(sites, sites[1:]):
                block = self.origins.block_of(self.parents.get(id(first)))
                statement = self.parents.get(id(second))
                if not block or not any(one is statement for one in block) or self.path_moves(of, first, second):
                    continue
                apart = [(self.written(one), self.written(other)) for one, other in zip(first.args, second.args) if self.written(one) != self.written(other)]
                if len(first.args) == len(second.args) and apart and any("train" in one.lower() and VALIDATES.search(other) or "train" in other.lower() and VALIDATES.search(
                        one) for one, other in apart):
                    self.mistake(second, "a file that the next part overwrites", self.written(first), str(self.path_of(writes)), other=writes)

    def path_of(self, call):
        """The name of a file that a call writes, where it is written out."""
        path = self.given(call, 1, "f", "file") if self.full(call.func) in ("torch.save", "pickle.dump") else self.given(call, 0, "file", "fname")
        return path.value if isinstance(path, ast.Constant) and isinstance(path.value, str) else None

    def path_moves(self, of, first, second):
        """Whether the file is moved or read between two calls, or depends on where the script stands."""
        return self.says(r"chdir\(|os\.rename|shutil\.|\.rename\(") or any(isinstance(one, ast.Return) and one.value is not None for one in ast.walk(of))

    # ---- layers

    def layers_passed_over(self, of):
        """x = self.conv(x0); x = self.pool(x0), so that conv computes for nothing."""
        if not self.is_model(of):
            return
        for one in ast.walk(of):
            body = getattr(one, "body", None)
            for first, second in zip(body, body[1:]) if isinstance(body, list) else ():
                if not all(isinstance(each, ast.Assign) and len(each.targets) == 1 and isinstance(each.targets[0], ast.Name) and isinstance(
                        each.value, ast.Call) and isinstance(each.value.func, ast.Attribute) and isinstance(each.value.func.value, ast.Name) for each in (first, second)):
                    continue
                name, holder = first.targets[0].id, getattr(self.origins.scope(first), "args", None)
                own = holder.args[0].arg if holder is not None and holder.args else None
                if second.targets[0].id == name and own is not None and all(each.value.func.value.id == own for each in (first, second)) and not any(
                        isinstance(each, ast.Name) and each.id == name for each in ast.walk(second.value)) and self.written(first.value) != self.written(
                            second.value) and self.is_layer(of, first.value.func.attr):
                    self.mistake(first, "a layer whose result is replaced", name, self.written(second), other=second)

    def is_model(self, of):
        return any(re.search(r"(^|\.)(Module|Model|Layer|LightningModule)$", self.full(base) or self.written(base)) for base in of.bases)

    def is_layer(self, of, name):
        """Whether a class makes this member by a call: no method, which may do more than give a result."""
        return not any(isinstance(one, ast.FunctionDef) and one.name == name for one in of.body) and any(isinstance(one, ast.Assign) and isinstance(
            one.value, ast.Call) and any(getattr(each, "attr", "") == name for each in one.targets) for one in ast.walk(of))

    def logs_returned(self, of):
        """return {"loss": loss, "log": logs}, of a LightningModule: since Lightning 1.0 nothing reads the logs."""
        if not any(self.full(base).endswith(".LightningModule") for base in of.bases) or self.reader.pinned_for("lightning") or re.search(
                r"\[['\"](log|progress_bar)['\"]\]", self.reader.written_whole(of)):
            return
        for method in of.body:
            if not isinstance(method, ast.FunctionDef) or not re.match(r"(training|validation|test)_(step|epoch_end)$", method.name):
                continue
            for one in own_nodes(method):
                given = self.value_of(one.value) if isinstance(one, ast.Return) and one.value is not None else None
                key = next((key.value for key in given.keys if isinstance(key, ast.Constant) and key.value in ("log", "progress_bar")), None) if isinstance(
                    given, ast.Dict) else None
                if key is not None:
                    self.mistake(one, "logs that nothing reads", key, other=given if given is not one.value else None)

    # ---- numbers

    def scaled_twice(self):
        """resize(imread(path), size) / 255, where scikit-image's resize gives numbers from 0 to 1."""
        for one in self.nodes:
            by = one.right if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) else one.value if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Div) else None
            if by is None or self.said(by) not in (255, 255.0):
                continue
            of = one.left if isinstance(one, ast.BinOp) else one.target
            while isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute) and of.func.attr in ("astype", "copy", "float"):
                of = of.func.value
            values = [value for value in self.origins.of(of) if not (isinstance(value, Part) and value.of is one)]
            if len(values) == 1 and isinstance(values[0], ast.Call) and SCALES_TO_ONE.match(self.full(values[0].func)) and not any(
                    k.arg in ("preserve_range", None) for k in values[0].keywords) and not self.in_branch(one) and not self.of_the_same_range(values[0]):
                self.mistake(one, "a picture that is scaled twice", self.full(values[0].func).rpartition(".")[2], other=values[0])

    def of_the_same_range(self, call):
        """Whether what is resized was made floating before, whose range resize leaves as it is."""
        given = self.value_of(call.args[0]) if call.args else None
        return given is None or re.search(r"astype|float|asarray|np\.array|numpy\.array|\*|load\(", self.written(given)) is not None

    def logits_by_place(self):
        """tf.nn.softmax_cross_entropy_with_logits(logits, labels), which takes the labels first, and in TensorFlow 1 nothing by its place."""
        for call in self.calls:
            if len(call.args) >= 2 and NAMED_ALONE.match(self.full(call.func)) and OF_TRUTH.search(
                    self.written(call.args[1])) and (OF_SCORES.search(self.written(call.args[0])) or COMPUTES_SCORES.search(self.written(self.value_of(call.args[0]))) or self.made_by(call.args[1], PLACEHOLDERS, surely=True) is not None and not (
                        OF_TRUTH.search(self.written(call.args[0])) or self.made_by(call.args[0], PLACEHOLDERS))):
                self.mistake(call, "logits in the place of the labels", self.full(call.func).rpartition(".")[2], self.written(call.args[1]), self.written(call.args[0]), doubted=False)

    # ---- JAX

    def draws_of_a_batch(self):
        """@jax.vmap def crop(n): i = np.random.randint(9), which all elements of the batch share."""
        for of in self.nodes:
            if not isinstance(of, ast.FunctionDef):
                continue
            by = next((one for one in of.decorator_list if self.full(getattr(one, "func", one)) == "jax.vmap" or isinstance(one, ast.Call) and self.full(
                one.func) == "functools.partial" and one.args and self.full(one.args[0]) == "jax.vmap"), None)
            by = by or next((call for call in self.calls if self.full(call.func) == "jax.vmap" and call.args and getattr(call.args[0], "id", "") == of.name), None)
            drawn = next((call for call in calls_in(of.body) if DRAWS_OF_THE_HOST.match(self.full(call.func))), None) if by is not None else None
            if drawn is not None and not self.is_reported(drawn) and not self.says(r"pure_callback|io_callback"):
                self.mistake(drawn, "a draw that a batch shares", of.name, other=by)

    def one_step_for_ever(self):
        """opt_state = opt_update(0, grads, opt_state) in each round, where Adam asks for the number of the step."""
        for call in self.calls:
            step = call.args[0] if len(call.args) == 3 and not call.keywords else None
            if not isinstance(step, ast.Constant) or type(step.value) is not int or not isinstance(call.func, (ast.Name, ast.Attribute)):
                continue
            made = [value for value in self.origins.of(call.func) if isinstance(value, Part) and isinstance(value.of, ast.Call)]
            holder = self.origins.scope(call)
            again = self.is_repeated(call) or isinstance(holder, ast.FunctionDef) and any(self.is_repeated(site.call) for site in self.origins.sites(holder))
            if made and all(COUNTS_ITS_STEPS.match(self.full(value.of.func)) for value in made) and again:
                self.mistake(call, "a step that is always the first", self.written(step), self.full(made[0].of.func).rpartition(".")[2], other=made[0].of)

    # ---- PyTorch

    def loaded_and_never_evaluated(self):
        """net.load_state_dict(torch.load(path)); out = net(x), in a script that trains nothing and never calls eval()."""
        if self.says(r"\beval\b(?!_)|\.train\(|backward|optim\.\w+\(|Trainer|\.fit\(|requires_grad|\.training\b|train_mode|set_mode|export|jit\.|quant|state_dict\(\)"):
            return
        for call in self.calls:
            if not is_call(call, "load_state_dict") or not isinstance(call.func.value, ast.Name) or self.is_repeated(call):
                continue
            name = call.func.value.id
            made = self.origins.known(call.func.value, True)
            reads = [one for one in self.nodes if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)]
            # Whoever is given the model may call eval() on it.
            handed = any(isinstance(self.parents.get(id(one)), (ast.Return, ast.Dict, ast.Tuple, ast.List, ast.keyword)) or isinstance(self.parents.get(
                id(one)), ast.Call) and one in self.parents[id(one)].args and not self.full(self.parents[id(one)].func).startswith("torch.nn.") for one in reads)
            use = next((one for one in self.calls if self.runs(one.func, name) and not isinstance(self.parents.get(id(one)), ast.Expr)), None)
            if made and all(isinstance(one, ast.Call) for one in made) and use is not None and not handed and self.draws_in_training(made):
                self.mistake(call, "a loaded model in training mode", name, self.written(use.func), other=use)

    @staticmethod
    def runs(func, name):
        """Whether it is net(…), net.module(…), or a method of its own: net.module.encode(…)"""
        if isinstance(func, ast.Attribute) and func.attr not in MODULE_MEMBERS and func.attr not in MORE_OF_WRAPPERS and func.attr != "module":
            func = func.value
        if isinstance(func, ast.Attribute) and func.attr in ("module", "forward"):
            func = func.value
        return isinstance(func, ast.Name) and func.id == name

    def draws_in_training(self, made):
        """Whether a model has layers that evaluate in another way; where another file defines it, it is taken to have some."""
        own = [of for call in made for of in self.origins.functions_of(call.func)]
        return self.says(r"Dropout|dropout|BatchNorm|Transformer") if own or any(self.full(call.func).startswith("torch.nn.") for call in made) else True

    def metrics_without_a_task(self):
        """torchmetrics.Accuracy(), which asks for its task since torchmetrics 0.11."""
        if self.reader.pinned_for("torchmetrics"):
            return
        for call in self.calls:
            full = self.full(call.func)
            words = {k.arg for k in call.keywords}
            if {"task", None} & words or any(isinstance(one, ast.Starred) for one in call.args) or any(isinstance(one, ast.Try) for one in self.origins.around(call)):
                continue
            if METRICS_WITH_A_TASK.match(full) and not call.args or METRICS_BY_CALL.match(full) and len(call.args) < 3:
                self.mistake(call, "a metric without its task", full.rpartition(".")[2], doubted=False)

    def rates_of_the_next_step(self):
        """print(scheduler.get_lr()[0]), outside of step()."""
        for call in self.calls:
            if is_call(call, "get_lr") and not call.args and not call.keywords and not isinstance(call.func.value, ast.Call):
                made = self.made_by(call.func.value, STEPS_FROM_THE_LAST, surely=True)
                if made is not None and not any(isinstance(one, ast.Try) for one in self.origins.around(call)):
                    self.mistake(call, "a rate that is not in use", self.full(made.func).rpartition(".")[2], self.written(call.func.value), other=made, doubted=False)

    def one_transform_for_two(self):
        """train, val = random_split(data, sizes); val.dataset.transform = plain, which train shares."""
        for one in self.nodes:
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 else None
            if not isinstance(target, ast.Attribute) or target.attr not in ("transform", "transforms", "target_transform") or not isinstance(
                    target.value, ast.Attribute) or target.value.attr != "dataset" or not isinstance(target.value.value, (ast.Name, ast.Attribute)):
                continue
            part = self.written(target.value.value)
            made = [value for value in self.origins.of(target.value.value) if isinstance(value, Part) and isinstance(value.of, ast.Call)]
            split = made[0].of if len(made) == 1 and self.full(made[0].of.func) == "torch.utils.data.random_split" else None
            if split is None or self.says(re.escape(part) + r"\.dataset *= "):
                continue
            parts = next((each.targets[0] for each in self.nodes if isinstance(each, ast.Assign) and each.value is split), None)
            others = [self.written(each) for each in parts.elts if self.written(each) not in (part, "_")] if isinstance(parts, (ast.Tuple, ast.List)) else []
            # Both may be told the same, one after the other, and what is set between two uses is meant for one at a time.
            if len(others) >= 1 and not self.is_repeated(one) and not any(self.says(re.escape(each) + r"\.dataset\.%s *=" % target.attr) for each in others):
                self.mistake(one, "a transform that two parts share", others[0], part, self.written(split), other=split)

    def moved_behind_its_wrapper(self):
        """net = DistributedDataParallel(net); net.to(device): the wrapper knows the parameters on the CPU."""
        for call in self.calls:
            if self.full(call.func) not in DDP_OF_TORCH or not call.args or len(call.args) > 1 or any(k.arg in ("device_ids", None) for k in call.keywords):
                continue
            bound = self.parents.get(id(call))
            name = self.written(bound.targets[0]) if isinstance(bound, ast.Assign) and len(bound.targets) == 1 else None
            inner = self.origins.known(call.args[0])
            if name is None or not inner or not all(isinstance(one, ast.Call) and (isinstance(one.func, ast.Name) or self.full(one.func)) and not is_call(
                    one, "to") and not is_call(one, "cuda") for one in inner) or any(is_call(each, word) for one in inner for each in ast.walk(one) for word in ("to", "cuda")):
                continue
            scope, moves = self.origins.scope(call), [one for one in self.calls if (is_call(one, "cuda") or is_call(one, "to") and one.args) and self.written(
                one.func.value) in (name, self.written(call.args[0])) and self.origins.scope(one) is self.origins.scope(call)]
            behind = [one for one in moves if self.origins.position(one) > self.origins.position(call)]
            if len(moves) == len(behind) == 1 and not self.says(r"set_default_device|set_default_tensor_type") and not self.moves_itself(inner):
                self.mistake(call, "a wrapper around a model that moves later", self.written(behind[0]), other=behind[0])

    def moves_itself(self, made):
        """Whether a class of the file takes its layers to the GPU itself."""
        return any(re.search(r"\.cuda\(|\.to\(|device", self.reader.written_whole(of)) for one in made for of in self.origins.functions_of(one.func))

    def modules_of_what_may_be_bare(self):
        """if distributed: net = DDP(net); …; torch.save(net.module.state_dict(), path), whether it was wrapped or not."""
        for branch in self.nodes:
            if not isinstance(branch, ast.If) or branch.orelse:
                continue
            for one in branch.body:
                wraps = one.value if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.value, ast.Call) else None
                if wraps is None or self.full(wraps.func) not in WRAPPERS_OF_TORCH or not wraps.args or self.written(wraps.args[0]) != self.written(one.targets[0]):
                    continue
                name, switch = self.written(one.targets[0]), self.written(branch.test)
                words = set(re.findall(r"[A-Za-z_]\w+", switch))
                uses = [use for use in self.nodes if isinstance(use, ast.Attribute) and use.attr == "module" and self.written(use.value) == name and isinstance(
                    use.ctx, ast.Load)]
                # What asks whether it was wrapped knows; so does what stops without a GPU.
                if uses and not self.says(r"hasattr\(|isinstance\(|(?i:unwrap)|getattr\(") and not any(self.asks_of(use, words) for use in uses) and not self.stops_without(
                        branch, words) and all(self.origins.position(use) > self.origins.position(branch) for use in uses) and not self.is_wrapped_again(name, one):
                    self.mistake(uses[0], "a module of what may not be wrapped", name, switch, other=wraps)

    def asks_of(self, use, words):
        """Whether a test around a node, or one before it that leaves, asks by a word of the switch, or by one that may say the same."""
        form = re.compile(r"\b(%s)\b|parallel|distributed|ddp|multi|n?_?gpus?\b|world|count" % "|".join(map(re.escape, words - {"self", "args", "opt", "config", "cfg", "not", "and", "is", "None"})),
                          re.I) if words else re.compile("parallel|distributed|ddp|multi|gpu|world|count", re.I)
        part = use
        for of in self.origins.around(use):
            if isinstance(of, ast.Try) or isinstance(of, (ast.If, ast.IfExp, ast.While)) and part is not of.test and form.search(self.written(of.test)) or isinstance(
                    of, ast.BoolOp) and form.search(self.written(of)):
                return True
            for before in self.origins.block_of(part):
                if before is part:
                    break
                if isinstance(before, ast.If) and isinstance(before.body[-1], (ast.Return, ast.Continue, ast.Raise)) and form.search(self.written(before.test)):
                    return True
            part = of
        return False

    def stops_without(self, branch, words):
        """Whether the script says elsewhere that it runs with the switch on alone."""
        return any(isinstance(one, ast.Assert) and words & set(re.findall(r"\w+", self.written(one.test))) for one in self.nodes) or any(
            isinstance(one, ast.If) and one is not branch and words & set(re.findall(r"[A-Za-z_]\w+", self.written(one.test))) - {"self", "args"} and any(
                isinstance(part, ast.Raise) or re.search(r"exit\(", self.written(part)) for part in one.body + one.orelse if not isinstance(part, (
                    ast.If, ast.For))) for one in self.nodes)

    def is_wrapped_again(self, name, wrap):
        """Whether the model is wrapped in other places as well, which together may be all ways."""
        return any(isinstance(one, ast.Assign) and one is not wrap and isinstance(one.value, ast.Call) and name in [self.written(each) for each in one.targets] and (self.full(
            one.value.func) in WRAPPERS_OF_TORCH or re.search(r"(?i)parallel|ddp|wrap|prepare|Classifier", self.written(one.value.func))) for one in self.nodes)

    def seeds_of_the_parent(self):
        """torch.manual_seed(1); mp.spawn(main, …): the new processes begin with seeds of their own."""
        for call in self.calls:
            if self.full(call.func) != "torch.multiprocessing.spawn" or not call.args or self.said(self.word(call, "start_method"), "spawn") != "spawn":
                continue
            worker = next((of for of in self.origins.functions_of(call.args[0]) if isinstance(of, ast.FunctionDef)), None)
            block = self.origins.block_of(self.parents.get(id(call)))
            seeds = [one.value for one in block if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and SEEDS_ALL.match(self.full(one.value.func)) and
                     self.origins.position(one) < self.origins.position(call)]
            if worker is None or not seeds:
                continue
            between = [one for one in calls_in([part for part in block if self.origins.position(seeds[0]) < self.origins.position(part) <= self.origins.position(
                self.parents[id(call)])]) if one not in seeds and one is not call]
            if any(not re.match(r"print$|int$|len$|str$|torch\.cuda\.(device_count|is_available)|os\.", self.full(one.func) or self.written(one.func)) for one in between):
                continue
            if not any(re.search(r"seed", self.written(one.func)) for one in self.reached(worker, 3)) and not self.says(r"initial_seed|seed_everything|set_seed") and \
                    any(self.full(one.func).startswith("torch.nn.") or any(isinstance(of, ast.ClassDef) for of in self.origins.functions_of(one.func)) for one in self.reached(worker, 1)):
                self.mistake(seeds[0], "a seed that new processes don't have", self.written(call.args[0]), other=call)

    def double_where_mps_may_be(self):
        """device = torch.device(args.device), which may be "mps"; net.to(device).double()"""
        for call in self.calls:
            made = self.value_of(call.func.value) if is_call(call, "double") and not call.args else None
            place = self.given(made, 0, "device") if made is not None and is_call(made, "to") else None
            kind = self.value_of(place) if place is not None else None
            name = self.written(kind.args[0]) if isinstance(kind, ast.Call) and self.full(kind.func) == "torch.device" and len(kind.args) == 1 and isinstance(
                kind.args[0], (ast.Name, ast.Attribute)) else None
            if name is not None and self.says(r"\b%s\s*==\s*['\"]mps['\"]" % re.escape(name)) and not self.says(r"float32|\.float\(\)") and not self.is_reported(call):
                self.mistake(call, "double precision on MPS", other=kind)

    def arrays_loaded_as_weights(self):
        """torch.from_numpy(torch.load(path)): the file holds an array of NumPy's, which torch.load refuses."""
        if self.says(r"safe_globals|pickle_module|FORCE_NO_WEIGHTS_ONLY|torch\.load *= *") or self.reader.pinned_for("torch"):
            return
        for call in self.calls:
            if self.full(call.func) != "torch.from_numpy" or len(call.args) != 1:
                continue
            load = self.value_of(call.args[0])
            if isinstance(load, ast.Call) and self.full(load.func) == "torch.load" and load.args and not any(k.arg in ("weights_only", "pickle_module", None) for k in load.keywords):
                self.mistake(load, "an object in a file of weights", "what torch.from_numpy() takes", other=call)
