"""What a script works out of the wrong numbers: means, shares, shapes and scales, and graphs of weights that have changed; for the reader of scripts."""

LEARNS_A_SCALE = re.compile(r"sklearn\.(preprocessing\.(\w+\.)?(StandardScaler|MinMaxScaler|RobustScaler|MaxAbsScaler|QuantileTransformer|PowerTransformer)|"
                            r"decomposition\.(\w+\.)?(PCA|TruncatedSVD|KernelPCA|FastICA)|impute\.(\w+\.)?(SimpleImputer|KNNImputer|IterativeImputer)|"
                            r"feature_selection\.(\w+\.)?Select\w+)$")
SPLITS = re.compile(r"sklearn\.model_selection\.(\w+\.)?train_test_split$")
OF_LABELS = re.compile(r"(?i)^(y|labels?|targets?|classes|y_\w+)$|train|label|target")
FORMATS_A_NUMBER = re.compile(r"%[-+ 0#]*\d*(\.\d+)?[dfgei]")
RESHAPES = re.compile(r"(torch|numpy|jax\.numpy|tensorflow)\.reshape$")
ONE_AXIS_OF_ONE = re.compile(r"(?i)^(h|hn|hx|c|cn|cx)$|hidden|h_n|state|memory|context")


class Numbers(Learning):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        self.bound, self.sums = {}, {}  # where a name is bound, and what is added to it
        for one in nodes:
            if isinstance(one, (ast.Name, ast.Attribute)) and not isinstance(one.ctx, ast.Load):
                self.bound.setdefault(self.written(one), []).append(one)
            elif isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add):
                self.sums.setdefault(self.written(one.target), []).append(one)
        if self.says(r"\bfit(_transform)?\("):
            self.scaled_before_the_split()
        for one in self.nodes:
            if isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Mult, ast.Div)):
                self.text_for_number(one)
            elif isinstance(one, ast.If):
                self.test_of_the_bound(one)
                self.mean_of_others(one)
            elif isinstance(one, ast.Call):
                self.reshaped_axes(one)
        if "tensorflow" in roots:
            self.shuffles()
        if {"tensorflow", "keras"} & roots:
            self.seed_of_numpy_alone()
        if "torch" in roots:
            self.workers_for_processes()
            self.sums_of_means()
            if self.says(r"\.backward\("):
                self.changed_weights()
                self.one_step_an_epoch()
                self.shares_that_are_shown()

    # ---- data

    def scaled_before_the_split(self):
        """data = scaler.fit_transform(data); train_test_split(data): the scale knows the test data."""
        for call in self.calls:
            made = self.made_by_form(call.func.value, LEARNS_A_SCALE) if (is_call(call, "fit_transform") or is_call(call, "fit")) and call.args else None
            given = call if made is None or is_call(call, "fit_transform") else self.transformed(call)
            statement = next((one for one in self.origins.around(given) if isinstance(one, ast.Assign)), None) if made is not None and given is not None else None
            fitted = self.written(call.args[0]).split("[")[0] if statement is not None else ""
            if statement is None or OF_LABELS.search(fitted) and not re.search(r"(?i)train", fitted):
                continue
            learned, cuts = OF_LABELS.search(fitted) is not None, {}  # what a part for training ends at
            scope, held = self.origins.scope(call), {self.base_of(one) for one in statement.targets} - {None}
            for later in sorted((one for one in self.nodes if isinstance(one, (ast.Assign, ast.Expr)) and line_of(one) > line_of(statement) and self.origins.scope(
                    one) is scope), key=line_of):
                read = {self.written(one) for one in ast.walk(later.value) if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load)} & held
                split = next((one for one in calls_in([later]) if SPLITS.match(self.full(one.func))), None)
                if split is not None and not learned and any(self.written(one) in held for given in split.args for one in ast.walk(given)):
                    self.mistake(call, "a scale that knows the test data", self.written(split), other=split)
                    break
                # Of what is called the training's a test may be cut all the same.
                if split is None and (not learned and self.cuts_in_two(later, held) or self.cuts_the_rest(later, held, cuts)):
                    self.mistake(call, "a scale that knows the test data", self.written(later), other=later)
                    break
                if isinstance(later, ast.Assign):
                    bound = {self.base_of(part) for one in later.targets for part in (one.elts if isinstance(one, ast.Tuple) else [one])} - {None}
                    held = held | bound if read else held - bound

    def transformed(self, fit):
        """scaler.fit(data); data = scaler.transform(data), the latter."""
        return next((one for one in self.calls if is_call(one, "transform") and one.args and self.origins.scope(one) is self.origins.scope(fit) and line_of(
            one) >= line_of(fit) and self.written(one.func.value) == self.written(fit.func.value) and self.written(one.args[0]) == self.written(fit.args[0])), None)

    def base_of(self, target):
        """The name of a target, also of one whose item or column is set."""
        while isinstance(target, ast.Subscript) or isinstance(target, ast.Attribute) and target.attr in ("loc", "iloc"):
            target = target.value
        return self.written(target) if isinstance(target, (ast.Name, ast.Attribute)) else None

    def cuts_in_two(self, statement, held):
        """train, test = data[:n], data[n:]"""
        parts = statement.value.elts if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Tuple) and len(statement.value.elts) == 2 else []
        targets = statement.targets[0].elts if parts and isinstance(statement.targets[0], ast.Tuple) else []
        if len(targets) != 2 or not all(isinstance(one, ast.Subscript) and self.written(one.value) in held for one in parts):
            return False
        cuts = [one.slice.elts[0] if isinstance(one.slice, ast.Tuple) and one.slice.elts else one.slice for one in parts]
        return all(isinstance(one, ast.Slice) for one in cuts) and cuts[0].upper is not None and self.written(cuts[0].upper) == self.written(
            cuts[1].lower) and "train" in self.written(targets[0]).lower() and re.search(r"(?i)test|val", self.written(targets[1])) is not None

    def cuts_the_rest(self, statement, held, cuts):
        """train = data[:n]; …; test = data[n:], each in a statement of its own and perhaps in the call of a tensor."""
        target = self.written(statement.targets[0]) if isinstance(statement, ast.Assign) and len(statement.targets) == 1 else ""
        for one in ast.walk(statement.value) if target else ():
            cut = one.slice if isinstance(one, ast.Subscript) and self.written(one.value) in held else None
            cut = cut.elts[0] if isinstance(cut, ast.Tuple) and cut.elts else cut
            if not isinstance(cut, ast.Slice) or cut.step is not None:
                continue
            if re.search(r"(?i)train", target) and cut.upper is not None and (cut.lower is None or self.said(cut.lower) == 0):
                cuts[self.written(cut.upper)] = target
            elif re.search(r"(?i)test", target) and cut.lower is not None and self.written(cut.lower) in cuts:
                return True
        return False

    def shuffles(self):
        """data.shuffle(1), which keeps the order, and data.batch(32).shuffle(1000), which shuffles whole batches"""
        for call in self.calls:
            if not is_call(call, "shuffle") or self.full(call.func) or not isinstance(call.func, ast.Attribute):
                continue
            size = self.given(call, 0, "buffer_size")
            chain, of = [], call.func.value
            while isinstance(of, ast.Call) and isinstance(of.func, ast.Attribute):
                chain.append(of)
                of = of.func.value
            names = [one.func.attr for one in chain]
            known = any(re.match(r"tensorflow\.data\.", self.full(one.func)) for one in chain) or any(isinstance(one, ast.Call) and self.full(one.func).startswith(
                "tensorflow.data.") for one in self.origins.known(of))
            if self.said(size) == 1 and (known or self.says(r"tf\.data\.|tfds\.|tensorflow_datasets")):
                self.mistake(call, "a shuffle that keeps the order")
            elif known and "batch" in names and not {"unbatch", "shuffle", "window", "repeat"} & set(names) and not self.says(r"\bunbatch\("):
                self.mistake(call, "a shuffle of whole batches", self.written(chain[names.index("batch")].args[0]) if chain[names.index("batch")].args else "batch")

    def seed_of_numpy_alone(self):
        """numpy.random.seed(7), for reproducibility, and Keras draws its weights by TensorFlow."""
        if self.says(r"set_random_seed|random\.set_seed|\.seed\(\w+\)[^\n]*tf\.|theano|PlaidML|seed *= *\w+\)[^\n]*initializer|enable_op_determinism"):
            return
        for call in self.calls:
            if self.full(call.func) != "numpy.random.seed" or getattr(call, "cell", None):
                continue
            lines = self.reader.text.split("\n")
            near = "\n".join(lines[max(0, line_of(call) - 4):line_of(call) + 1])
            if re.search(r"(?i)#[^\n]*reproducib", near) and any(re.search(r"keras\.(layers|models)\.|keras\.Sequential", self.full(one.func)) for one in self.calls):
                self.mistake(call, "a seed of NumPy's alone")

    # ---- text, tests and means

    def text_for_number(self, node):
        """print("%.2f" % share * 100): the text is repeated, and not the share made per cent."""
        left = node.left
        if isinstance(left, ast.BinOp) and isinstance(left.op, ast.Mod) and isinstance(left.left, ast.Constant) and isinstance(
                left.left.value, str) and FORMATS_A_NUMBER.search(left.left.value) and not isinstance(left.right, ast.Tuple):
            does = "repeats the text that many times" if isinstance(node.op, ast.Mult) else "raises TypeError"
            self.mistake(node, "a text that is counted with", does, "(%s %s %s)" % (self.written(left.right), "*" if isinstance(node.op, ast.Mult) else "/", self.written(
                node.right)), doubted=False)

    def test_of_the_bound(self, branch):
        """for epoch in range(epochs): if epochs % 100 == 0: …, which is the same in each round"""
        loop = next((one for one in self.origins.around(branch) if isinstance(one, (ast.For, ast.While, ast.FunctionDef, ast.Lambda, ast.ClassDef))), None)
        if not isinstance(loop, ast.For) or not is_range(loop.iter):
            return
        bounds = {one.id for one in ast.walk(loop.iter) if isinstance(one, ast.Name)} - {"range", "len"}
        bound = {one.id for one in ast.walk(loop) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}
        for one in ast.walk(branch.test):
            if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mod) and isinstance(one.left, ast.Name) and one.left.id in bounds - bound and isinstance(
                    one.right, ast.Constant) and isinstance(self.parents.get(id(one)), ast.Compare) and isinstance(loop.target, ast.Name) and not any(isinstance(
                        each, ast.Name) and each.id in bound for each in ast.walk(branch.test)):
                self.mistake(one, "a test that stays the same", one.left.id, loop.target.id, other=loop)

    def mean_of_others(self, branch):
        """if i % 100 == 99: print(total / 2000); total = 0"""
        test = branch.test
        every = test.left if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], ast.Eq) else None
        loop = next((one for one in self.origins.around(branch) if isinstance(one, (ast.For, ast.FunctionDef))), None)
        size = self.said(every.right) if isinstance(every, ast.BinOp) and isinstance(every.op, ast.Mod) else None
        if type(size) is not int or size < 2 or not isinstance(loop, ast.For):
            return
        emptied = {self.written(one.targets[0]) for one in branch.body if isinstance(one, ast.Assign) and self.said(one.value) == 0}
        for one in (each for part in branch.body for each in ast.walk(part)):
            count = self.said(one.right) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) else None
            name = self.written(one.left) if type(count) is int and count > 1 and count != size else ""
            if name in emptied and any(isinstance(each, ast.AugAssign) and self.written(each.target) == name and isinstance(each.op, ast.Add) and isinstance(
                    each.value, (ast.Name, ast.Call, ast.Subscript)) and each in loop.body for each in ast.walk(loop)):
                self.mistake(one, "a mean over another number", name, str(size), str(count), other=branch)

    def sums_of_means(self):
        """total += F.nll_loss(net(x), y).item(), a mean; total /= len(loader.dataset), and hits / (len(loader) * batch_size)"""
        for one in self.nodes:
            if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Div):
                name, by = self.written(one.target), one.value
            elif isinstance(one, ast.BinOp) and isinstance(one.op, ast.Div) and isinstance(one.left, ast.Name):
                name, by = one.left.id, one.right
            else:
                continue
            by = self.value_of(by) if isinstance(by, ast.Name) else by
            scope = self.origins.scope(one)
            sums = [each for each in self.sums.get(name, ()) if self.origins.scope(each) is scope]
            added = [each.value for each in sums]
            size = re.match(r"len\(([\w.]+(\[['\"]\w+['\"]\])?)\.dataset\)$|len\((\w*(?:dataset|_data|_set))\)$", self.written(by))
            over = [next((self.written(loop.iter) for loop in self.origins.around(each) if isinstance(loop, ast.For)), "") for each in sums]
            batches = size is not None and (size.group(1) or all(re.search(r"(?i)loader|batch|\bdl\b|_dl\b", loop) for loop in over))
            if batches and added and all(self.is_mean(each) for each in added) and not self.is_reported(one):
                self.mistake(one, "a sum of means by the number of samples", name, self.written(by), size.group(1) or "loader")
            elif isinstance(by, ast.BinOp) and isinstance(by.op, ast.Mult) and added and self.counts_batches(by) and all(
                    re.search(r"==|\.eq\(", self.written(self.value_of(each))) for each in added):
                self.mistake(one, "a count that takes the last batch for a whole one", self.written(by))

    def counts_batches(self, product):
        """len(loader) * batch_size, of a loader that doesn't drop its last batch"""
        texts = [self.written(product.left), self.written(product.right)]
        loader = next((side.args[0] for side in (product.left, product.right) if isinstance(side, ast.Call) and getattr(side.func, "id", "") == "len" and side.args), None)
        if loader is None or not any(re.search(r"(?i)batch_?size|^bs$", text) for text in texts) or not GOES_THROUGH_BATCHES.search(self.written(loader)):
            return False
        made = self.made_by(loader, "torch.utils.data.DataLoader")
        return not self.says(r"drop_last *= *True") and (made is None or len(made.args) < 9)

    def is_mean(self, node):
        """F.nll_loss(net(x), y).item(), and criterion(net(x), y).item() of a criterion that takes the mean; not times the size of the batch"""
        while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "cpu", "detach") or isinstance(
                node, ast.Attribute) and node.attr == "data" or isinstance(node, ast.Subscript) and self.said(node.slice) == 0:
            node = node.func.value if isinstance(node, ast.Call) else node.value
        value = self.value_of(node)
        if not isinstance(value, ast.Call):
            return False
        function = LOSS_CALLS.match(self.full(value.func)) is not None
        made = value if function else self.made_by(value.func, NUMBERS_OF_LOSSES, surely=True) if isinstance(value.func, (ast.Name, ast.Attribute)) else None
        return made is not None and not {"reduction", "reduce", "size_average", None} & {k.arg for k in made.keywords} and len(made.args) <= (3 if function else 1)

    def shares_that_are_shown(self):
        """loss = loss / accumulation_steps; loss.backward(); total += loss.item(): what is shown is too small by that."""
        for loop in self.tracing.index.loops:
            divided = {}
            for one in loop.body if isinstance(loop, ast.For) else ():
                of = one.value if isinstance(one, ast.Assign) and isinstance(one.value, ast.BinOp) and isinstance(one.value.op, ast.Div) else None
                name = self.written(one.target) if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Div) else self.written(
                    one.targets[0]) if of is not None and self.written(one.targets[0]) == self.written(of.left) else None
                by = one.value if name and of is None else of.right if of is not None else None
                if name and re.search(r"(?i)accum|^grad_acc", self.written(by)):
                    divided[name] = by
                total = one if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) else None
                said = self.written(total.value) if total is not None else ""
                taken = next((name for name in divided if said in (name + ".item()", name, "float(%s)" % name, name + ".detach().item()")), None)
                if taken is None or self.says(r"%s *\*=? *[\w.]*accum|[\w.]*accum\w* *\* *%s\b" % ((re.escape(self.written(total.target)),) * 2)):
                    continue
                shown = re.search(r"\b%s */=? *\(?len\(" % re.escape(self.written(total.target)), self.reader.text)
                if shown and any(is_call(call, "backward") and self.written(call.func.value) == taken for call in calls_in(loop.body)):
                    self.mistake(total, "a loss that is shown too small", taken, self.written(divided[taken]))

    # ---- shapes

    def reshaped_axes(self, call):
        """x.reshape(x.shape[1], x.shape[0]), and b, c, n = x.shape; x.view(b, n, c): the numbers stay where they were."""
        if RESHAPES.match(self.full(call.func)) and len(call.args) == 2:
            of, sizes = call.args[0], call.args[1:]
        elif isinstance(call.func, ast.Attribute) and call.func.attr in ("reshape", "view") and not self.full(call.func) and not call.keywords:
            of, sizes = call.func.value, call.args
        else:
            return
        if len(sizes) == 1 and isinstance(sizes[0], (ast.Tuple, ast.List)):
            sizes = sizes[0].elts
        name = self.written(of)
        if len(sizes) < 2 or not isinstance(of, (ast.Name, ast.Attribute)) or ONE_AXIS_OF_ONE.search(name.rsplit(".", 1)[-1]):
            return
        axes = [self.axis_of(one, name, call) for one in sizes]
        if axes.count(None) == 1 and any(self.said(one) == -1 for one in sizes):
            left = set(range(len(axes))) - set(axes)
            axes = [min(left) if one is None and left else one for one in axes]
        # What was padded is skewed on purpose, as relative places of attention are.
        skewed = "pad" in name or any(isinstance(one, ast.Call) and re.search(r"(^|\.)(pad|cat|concat|concatenate)$", self.written(one.func)) for one in self.origins.of(of))
        if None not in axes and sorted(axes) == list(range(len(axes))) != axes and not skewed and not self.is_reported(call):
            self.mistake(call, "a reshape that is to move axes", name, ", ".join(map(str, axes)))

    def axis_of(self, size, name, call):
        """Which axis of an array a size is: x.shape[1], x.size(1), or a name that x.shape was unpacked into."""
        if isinstance(size, ast.Subscript) and self.written(size.value) == name + ".shape" and type(self.said(size.slice)) is int:
            return self.said(size.slice)
        if is_call(size, "size") and self.written(size.func.value) == name and len(size.args) == 1 and type(self.said(size.args[0])) is int:
            return self.said(size.args[0])
        if not isinstance(size, ast.Name):
            return None
        scope = self.origins.scope(call)
        stores = [one for one in self.bound.get(size.id, ()) if self.origins.scope(one) is scope]
        unpacks = self.parents.get(id(stores[0])) if len(stores) == 1 else None
        bound = self.parents.get(id(unpacks)) if isinstance(unpacks, ast.Tuple) else None
        if not isinstance(bound, ast.Assign) or self.written(bound.value) not in (name + ".shape", name + ".size()") or any(isinstance(one, ast.Starred) for one in unpacks.elts):
            return None
        again = any(line_of(bound) <= line_of(one) <= line_of(call) and self.origins.scope(one) is scope and self.parents.get(id(one)) is not self.parents.get(
            id(call)) for one in self.bound.get(name, ()))
        return None if again else unpacks.elts.index(stores[0])

    # ---- steps of PyTorch's

    def workers_for_processes(self):
        """DistributedSampler(data, num_replicas=args.num_workers)"""
        for call in self.calls:
            given = self.given(call, 1, "num_replicas") if re.search(r"(^|\.)DistributedSampler$", self.full(call.func)) else None
            if given is not None and re.search(r"(?i)num_?workers|n_?workers|threads", self.written(given)) and self.says(
                    r"num_workers *= *%s\b" % re.escape(self.written(given))):
                self.mistake(given, "workers that are taken for processes", self.written(call.func))

    def changed_weights(self):
        """loss_d = f(d(g(z))); loss_g = h(d(g(z))); loss_d.backward(); optimizer_d.step(); loss_g.backward(): d's weights have changed since."""
        for back in self.calls:
            statement = self.parents.get(id(back))
            if not is_call(back, "backward") or not isinstance(back.func.value, ast.Name) or not isinstance(statement, ast.Expr):
                continue
            block = self.origins.block_of(statement)
            at = next((i for i, one in enumerate(block) if one is statement), 0)
            waiting, steps = {back.func.value.id}, {}
            for one in reversed(block[:at]):
                stepped = self.stepped(one.value) if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else None
                model = self.model_of(stepped) if stepped is not None else None
                if model:
                    steps.setdefault(model, one)
                targets = {name.id for target in one.targets for name in ast.walk(target) if isinstance(name, ast.Name)} if isinstance(one, ast.Assign) else set()
                if not targets & waiting:
                    continue
                cut = {id(part) for call in calls_in([one]) if isinstance(call.func, ast.Attribute) and call.func.attr in ("detach", "item") for part in ast.walk(call)}
                used = next((call for call in calls_in([one]) if self.written(call.func) in steps and id(call) not in cut and call.args), None)
                if used is not None:
                    step = steps[self.written(used.func)]
                    if self.is_reported(step):
                        break
                    self.mistake(back, "a backward pass through weights that have changed", self.written(step), self.written(used), other=step, doubted=False)
                    break
                waiting = waiting - targets | {name.id for name in ast.walk(one.value) if isinstance(name, ast.Name) and id(name) not in cut}

    def model_of(self, optimizer):
        """The name of the model whose parameters an optimizer steps; "": not known."""
        made = self.made_by(optimizer, OPTIMIZERS_AT_ALL, surely=True) if isinstance(optimizer, ast.Name) else None
        given = self.given(made, 0, "params") if made is not None else None
        return self.written(given.func.value) if is_call(given, "parameters") and not given.args else ""

    def one_step_an_epoch(self):
        """for epoch in range(n): optimizer.zero_grad(); for x, y in loader: …; loss.backward(), and optimizer.step() behind the inner loop"""
        if self.says(r"(?i)accum|full.?batch|meta|maml|reptile|virtual|LBFGS"):
            return
        for step in self.calls:
            optimizer, statement = self.stepped(step), self.parents.get(id(step))
            outer = self.parents.get(id(statement))
            if optimizer is None or step.args or not isinstance(statement, ast.Expr) or not isinstance(outer, ast.For) or not re.search(r"(?i)epoch", self.written(outer.target)):
                continue
            before = outer.body[:outer.body.index(statement)] if statement in outer.body else []
            loops = [one for one in before if isinstance(one, ast.For) and re.search(r"(?i)loader|\bdl\b|_dl\b", self.written(one.iter)) and any(
                is_call(each, "backward") for each in calls_in(one.body))]
            inner = loops[-1] if loops else None
            if inner is None or any(is_call(one, "step") or is_call(one, "zero_grad") for one in calls_in(inner.body)) or self.made_by(
                    optimizer, OPTIMIZERS_AT_ALL) is None or re.search(r"/=? *len\(|/=? *(n|num)_batch", self.near(inner)):
                continue
            if any(is_call(one, "zero_grad") for one in calls_in(before)) and not self.is_reported(step):
                self.mistake(step, "one step an epoch", self.written(inner.iter), other=inner)


def is_range(node):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "range"
