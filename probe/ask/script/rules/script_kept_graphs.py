"""Graphs of gradients that are kept longer than they are needed; for the reader of scripts."""




DRAWS_NUMBERS = re.compile(r"matplotlib\.pyplot\.(plot|scatter|semilog[xy]|loglog|step)$")


class KeptGraphs(WholeFile):
    def graphs_that_pile_up(self, nodes):
        """for …: k = key(x); bank.append(k), of which everything else reads k.detach(): no backward pass frees its activations."""
        if self.says(r"requires_grad|grad_enabled|autograd\.|create_graph|lightning|Trainer\(|checkpoint\("):
            return
        trains = self.says(r"\.backward\(")
        for loop in (one for one in nodes if isinstance(one, ast.For)):
            if self.without_gradients(loop) or trains and not any(is_call(one, "backward") for one in calls_in(loop.body)):
                continue
            stored = self.stored_in(loop)
            for one in (one for part in loop.body for one in ast.walk(part)):
                name = one.targets[0] if isinstance(one, ast.Assign) else None
                if not isinstance(name, ast.Name) or stored.count(name.id) != 1 or not isinstance(one.value, ast.Call) or not self.is_model(
                        one.value.func) or self.without_gradients(one):
                    continue
                reads = [read for part in loop.body for read in ast.walk(part) if isinstance(read, ast.Name) and read.id == name.id and
                         isinstance(read.ctx, ast.Load)]
                kept = [(read, self.keeps(read, stored)) for read in reads]
                call = next((call for _, call in kept if call is not None), None)
                if call is not None and all(call is not None or self.goes_nowhere(read) for read, call in kept):
                    self.mistake(call, "graphs that no backward pass frees", name.id, self.written(one.value.func), other=one)

    @staticmethod
    def stored_in(loop):
        return [one.id for part in [loop.target] + loop.body for one in ast.walk(part) if isinstance(one, ast.Name) and isinstance(
            one.ctx, ast.Store)]

    def without_gradients(self, node):
        """Whether torch.no_grad() or the like is around it."""
        quiet = re.compile(r"no_grad|inference_mode|grad_enabled")
        return any(isinstance(one, ast.With) and any(quiet.search(self.written(item.context_expr)) for item in one.items) or isinstance(
            one, ast.FunctionDef) and any(quiet.search(self.written(by)) for by in one.decorator_list) for one in self.origins.around(node))

    def goes_nowhere(self, read):
        """Whether what reads a tensor takes no part in its graph: x.detach(), x.shape, or under torch.no_grad()."""
        outer = self.origins.parents.get(id(read))
        return isinstance(outer, ast.Attribute) and outer.attr in (
            "detach", "data", "shape", "size", "dtype", "device", "ndim", "item", "tolist") or self.without_gradients(read) or isinstance(
                outer, ast.Call) and getattr(outer.func, "id", "") in ("len", "print")

    def keeps(self, read, stored):
        """The call that appends a tensor to a list of outside, itself or in a method of the file; None: there is none."""
        call = self.origins.parents.get(id(read))
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or read not in call.args:
            return None
        if call.func.attr in ("append", "appendleft"):
            of = call.func.value
            return call if isinstance(of, (ast.Name, ast.Attribute)) and self.written(of) not in stored and self.never_joined(of) else None
        for of in self.origins.functions_of(call.func):
            at = call.args.index(read) + 1
            given = of.args.args[at].arg if isinstance(of, ast.FunctionDef) and len(of.args.args) > at else None
            for inner in calls_in(of.body) if given and not self.without_gradients(of.body[0]) else ():
                if getattr(inner.func, "attr", "") in ("append", "appendleft") and [self.written(one) for one in inner.args] == [
                        given] and self.never_joined(inner.func.value):
                    return call
        return None

    def never_joined(self, of):
        """Whether all that reads a list either takes no gradient or changes the list."""
        name = of.id if isinstance(of, ast.Name) else of.attr
        made = self.origins.of(of)
        short = any(isinstance(one, ast.Call) and self.origins.constant(self.word(one, "maxlen"), 99) in range(9) for one in made)
        for one in self.origins.nodes if not short else ():
            if getattr(one, "attr", getattr(one, "id", "")) != name or not isinstance(getattr(one, "ctx", None), ast.Load):
                continue
            outer = self.origins.parents.get(id(one))
            if isinstance(outer, ast.Attribute) and outer.attr == "clear":
                return False
            if isinstance(outer, ast.Call) and one in outer.args and getattr(outer.func, "id", "") not in ("len", "print") and not any(
                    isinstance(around, ast.Attribute) and around.attr in ("detach", "numpy", "data") for around in self.origins.around(one)
            ) and not self.without_gradients(one):
                return False
        return not short

    def graphs_of_validation(self, functions):
        """model.eval(); for …: losses.append(criterion(model(x), y)), with no torch.no_grad()."""
        if not self.says(r"\.backward\("):
            return
        for of in functions:
            text = self.reader.written_whole(of)
            decorated = " ".join(self.written(one) for one in of.decorator_list)
            if not re.search(r"\.eval\(\)", text) or re.search(
                    r"no_grad|inference_mode|set_grad_enabled|backward|\.train\(", text + decorated):
                continue
            for loop in (one for one in ast.walk(of) if isinstance(one, ast.For)):
                losses = {one.targets[0].id for one in loop.body if isinstance(one, ast.Assign) and isinstance(
                    one.targets[0], ast.Name) and isinstance(one.value, ast.Call) and re.search(
                        r"loss|crit|cross_entropy", self.written(one.value.func)) and not re.search(
                            r"item\(|detach|cpu\(", self.written(one.value))}
                for call in calls_in(loop.body):
                    given = [a for a in call.args] + [k.value for k in call.keywords]
                    if getattr(call.func, "attr", "") in ("append", "add") and any(getattr(a, "id", "") in losses for a in given):
                        self.mistake(call, "graphs that a validation keeps", other=loop.iter)
                stored = self.stored_in(loop)
                for one in loop.body:
                    total = one.target if isinstance(one, ast.AugAssign) and isinstance(one.op, ast.Add) else None
                    loss = getattr(one.value, "id", "") if isinstance(total, ast.Name) else ""
                    kept = loss in losses and stored.count(loss) == 1 and not self.says(r"\b%s\.(detach_|requires_grad)" % loss)
                    if isinstance(total, ast.Name) and stored.count(total.id) == 1 and (kept or self.tracing.wholes.is_loss(
                            one.value.func.value if is_call(one.value, "sum") or is_call(one.value, "mean") else one.value)):
                        self.mistake(one, "graphs that a validation keeps", other=loop.iter)

    def totals_that_are_drawn(self, functions):
        """def epoch(…): …; loss.backward(); total += loss; return total / n, of which a script appends each to a list that pyplot draws."""
        plots = [call for call in self.tracing.index.calls if DRAWS_NUMBERS.match(self.full(call.func))]
        totals = {id(of): of for of in functions if self.gives_total_with_graph(of)} if plots else {}
        for call in plots if totals else ():
            for given in call.args:
                made = self.origins.of(given) if isinstance(given, ast.Name) else []
                if len(made) != 1 or not isinstance(made[0], ast.List) or made[0].elts:
                    continue
                added = [one for one in self.tracing.index.calls if is_call(one, "append") and self.written(one.func.value) == given.id and len(one.args) == 1 and
                         self.origins.scope(one) is self.origins.scope(call)]
                for one in added:
                    values = [one.args[0]] if isinstance(one.args[0], ast.Call) else [b.value for b in self.origins.statements_of(one.args[0]) if isinstance(
                        b, ast.Assign) and isinstance(b.targets[0], ast.Name)] if isinstance(one.args[0], ast.Name) else []
                    own = self.origins.functions_of(values[0].func) if len(values) == 1 and isinstance(values[0], ast.Call) else []
                    if len(added) == 1 and len(own) == 1 and id(own[0]) in totals:
                        self.mistake(call, "a total of losses that is drawn", given.id, self.written(values[0]), own[0].name, other=values[0])
                        break

    def gives_total_with_graph(self, of):
        """Whether a function returns the sum of what it calls backward() for, as it is, or divided by a number."""
        ends = [one for one in ast.walk(of) if isinstance(one, ast.Return)]
        value = ends[0].value if len(ends) == 1 else None
        value = value.left if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Div) else value
        if not isinstance(value, ast.Name) or of.decorator_list:
            return False
        lost = {self.written(call.func.value) for call in calls_in(of.body) if is_call(call, "backward")}
        stored = [one for one in ast.walk(of) if isinstance(one, ast.Name) and one.id == value.id and not isinstance(one.ctx, ast.Load)]
        told = [one for one in ast.walk(of) if isinstance(one, (ast.Assign, ast.AugAssign)) and any(name is target for name in stored for target in (
            one.targets if isinstance(one, ast.Assign) else [one.target]))]
        adds = [one for one in told if isinstance(one, ast.AugAssign)]
        plain = len(told) == len(stored) and all(isinstance(one.value, ast.Constant) for one in told if isinstance(one, ast.Assign))
        if not plain or len(adds) not in (1, 2) or not isinstance(adds[0].op, ast.Add) or not isinstance(adds[0].value, ast.Name) or not isinstance(adds[-1].op, (
                ast.Add, ast.Div)) or adds[0].value.id not in lost:
            return False
        # A name that becomes something else before it is added, as loss = loss.item(), holds no graph.
        name = adds[0].value.id
        bound = [one for one in ast.walk(of) if isinstance(one, ast.Name) and one.id == name and not isinstance(one.ctx, ast.Load)]
        return len(bound) == 1 and not re.search(r"\b%s\.(detach_|data\b)" % re.escape(name), self.reader.written_whole(of)) and not self.without_gradients(adds[0])

    def kept_of_recorded(self, nodes):
        """kept.append(fast(x)), where fast is compiled with mode="reduce-overhead": the next call overwrites it."""
        if self.says(r"cudagraph_mark_step_begin") or not self.says(r"reduce-overhead"):
            return
        # What is handed to a function under a name of a model's.
        models = {one.arg for of in nodes if isinstance(of, ast.FunctionDef) for one in of.args.args if re.match(
            r"(model|net|network|policy|encoder|backbone|module)$", one.arg)}

        def is_recorded(func):
            made = self.made_by(func, "torch.compile")
            return made is not None and self.said(self.word(made, "mode")) == "reduce-overhead" or self.written(func) in models

        rounds = [of for of in nodes if isinstance(of, ast.FunctionDef) and any(self.is_repeated(site.call) for site in self.origins.sites(of))]
        for loop in [one for one in nodes if isinstance(one, (ast.For, ast.While))] + rounds:  # or what a loop calls
            if any(getattr(one.func, "attr", "") in ("item", "cpu", "tolist", "numpy") for one in calls_in(loop.body)) or re.search(
                    r"\.clone\(|deepcopy|copy_\(", self.near(loop)) or loop in rounds and any(self.local_list(one) for one in calls_in(loop.body)):
                continue
            results = {name.id for one in loop.body if isinstance(one, ast.Assign) and isinstance(one.value, ast.Call) and is_recorded(
                one.value.func) for name in ast.walk(one.targets[0]) if isinstance(name, ast.Name)}
            for call in (one for part in loop.body for one in ast.walk(part)):
                given = call.args[0] if is_call(call, "append") and call.args else call.value.elts[0] if isinstance(
                    call, ast.AugAssign) and isinstance(call.value, ast.List) and call.value.elts else None
                if getattr(given, "id", "") in results or isinstance(given, ast.Call) and is_recorded(given.func):
                    self.mistake(call, "an output that the next call overwrites", other=loop)
        for one in nodes:
            if isinstance(one, ast.ListComp) and isinstance(one.elt, ast.Call) and is_recorded(one.elt.func) and self.written(
                    one.elt.func) not in models:
                self.mistake(one, "an output that the next call overwrites", other=one.generators[0].iter)

    def local_list(self, call):
        """Whether what a call appends to is a list that its own function makes anew."""
        of = call.func.value if is_call(call, "append") else None
        return isinstance(of, ast.Name) and any(self.origins.scope(one) is self.origins.scope(call) and isinstance(
            one, ast.Assign) for one in self.origins.statements_of(of))

    def updated_for_many(self, functions):
        """scaler.step() in a function that a loop calls, and scaler.update() once behind the loop."""
        if not self.says(r"scaler\w*\.update\("):
            return
        steps = set()
        for of in functions:
            text = self.reader.written_whole(of)
            if re.search(r"scaler\w*\.(step|unscale_)\(", text) and not re.search(r"scaler\w*\.update\(", text):
                steps.add(of.name)
        for of in functions:
            loops = [one for one in of.body if isinstance(one, (ast.For, ast.While))]
            for loop in loops:
                calls = {self.written(one.func).rsplit(".", 1)[-1] for part in loop.body for one in ast.walk(part) if isinstance(one, ast.Call)}
                later = of.body[of.body.index(loop) + 1:]
                for one in calls_in(later):
                    if calls & steps and re.search(r"scaler\w*\.update$", self.written(one.func)):
                        self.mistake(one, "an update of the scaler for many steps", other=loop)

    def mean_with_graph(self, nodes):
        """def update(self, loss): self.value = 0.9 * self.value + 0.1 * loss, of a loss that has its graph."""
        if not self.says(r"\.backward\(|def training_step\("):
            return
        # What Lightning differentiates: what a step gives back.
        steps = [one for one in nodes if isinstance(one, ast.FunctionDef) and one.name == "training_step"]
        given_back = {id(one): {self.written(back.value) for back in ast.walk(one) if isinstance(back, ast.Return) and isinstance(
            back.value, ast.Name)} for one in steps}
        in_step = {id(call): given_back[id(one)] for one in steps for call in ast.walk(one) if isinstance(call, ast.Call)}
        for of in nodes:
            for method in of.body if isinstance(of, ast.ClassDef) else ():
                if not isinstance(method, ast.FunctionDef) or method.name not in ("update", "add", "__call__", "push", "step", "log"):
                    continue
                given = {one.arg for one in method.args.args[1:]}
                if not given or re.search(r"detach|item\(|float\(|no_grad|tolist", self.reader.written_whole(method)):
                    continue
                for one in ast.walk(method):
                    target = one.target if isinstance(one, ast.AugAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
                    if not isinstance(target, ast.Attribute) or not isinstance(one.value, (ast.BinOp, ast.Name)):
                        continue
                    names = {name.id for name in ast.walk(one.value) if isinstance(name, ast.Name)} & given
                    again = isinstance(one, ast.AugAssign) or self.written(target) in self.written(one.value)
                    handed = [call for call in nodes if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == method.name and
                              call.args and re.match(r"(\w*_)?loss$", self.written(call.args[0])) and (self.written(
                                  call.args[0]) in in_step.get(id(call), ()) or re.search(
                                      r"\b%s\.backward\(" % re.escape(self.written(call.args[0])), self.reader.text))]
                    if names and again and handed:
                        self.mistake(one, "a loss that is kept with its graph", sorted(names)[0], other=handed[0])

    def mean_of_what_has_no_backward(self, nodes):
        """self.value = 0.9 * self.value + 0.1 * x, in a meter that is given a tensor of the model's output, loop after loop."""
        if not self.says(r"\.backward\(") or self.says(r"set_grad_enabled\(False|inference_mode"):
            return
        for of in nodes:
            for method in of.body if isinstance(of, ast.ClassDef) and not of.bases else ():
                if not isinstance(method, ast.FunctionDef) or method.name.startswith("__") and method.name != "__call__" or method.decorator_list:
                    continue
                given = {one.arg for one in method.args.args[1:]}
                for loop in ast.walk(method):  # for name, value in values.items()
                    if isinstance(loop, ast.For) and re.match(r"\w+\.(items|values)\(\)$", self.written(loop.iter)):
                        given |= {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
                for one in ast.walk(method):
                    kept = self.grows_with(one, given)
                    if kept is None or re.search(r"\b%s = .*\b%s\b|self\.\w+(\.\w+)* = .*self\.\w+\.detach|no_grad" % (kept, kept), self.reader.written_whole(method)):
                        continue
                    target = one.target if isinstance(one, ast.AugAssign) else one.targets[0]
                    target = target.value if isinstance(target, ast.Subscript) else target
                    handed = self.handed_with_graph(method, kept) if self.is_read_as_number(target.attr, one) else None
                    if handed is not None and self.is_kept_over(handed) and not any(event.get("name") == "a loss that is kept with its graph" for event in self.reader.events):
                        self.mistake(one, "a loss that is kept with its graph", kept, other=handed)

    def is_read_as_number(self, name, statement):
        """Whether all that reads an attribute of this name prints it, or takes its number: nothing goes backward through it."""
        own = {id(one) for one in ast.walk(statement)}
        for one in self.origins.nodes:
            if not isinstance(one, ast.Attribute) or one.attr != name or not isinstance(one.ctx, ast.Load) or id(one) in own:
                continue
            if self.is_item_read(one, statement):
                continue
            if not any(isinstance(outer, (ast.FormattedValue, ast.Compare)) or isinstance(outer, ast.Call) and (
                    getattr(outer.func, "id", "") in ("float", "print", "round") or getattr(outer.func, "attr", "") in ("item", "detach"))
                       for outer in self.origins.around(one)):
                return False
        return True

    def is_item_read(self, table, statement):
        """old = self.means.get(name, value) beside the statement; or a loop over self.means.items() that takes numbers of the values."""
        outer = next((one for one in self.origins.around(table) if isinstance(one, (ast.stmt, ast.comprehension))), None)
        target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
        if not isinstance(target, ast.Subscript) or outer is None:
            return False
        if isinstance(outer, ast.Assign):
            return self.origins.scope(outer) is self.origins.scope(statement) and isinstance(outer.targets[0], ast.Name) and \
                outer.targets[0].id in self.names_of_item(statement, target.value)
        if not isinstance(outer, (ast.For, ast.comprehension)) or not re.search(r"\.(items|values)\(\)$", self.written(outer.iter)):
            return False
        value = outer.target.elts[-1] if isinstance(outer.target, ast.Tuple) else outer.target
        reads = [one for one in ast.walk(self.origins.parents[id(outer)] if isinstance(outer, ast.comprehension) else outer) if isinstance(
            one, ast.Name) and one.id == getattr(value, "id", "") and isinstance(one.ctx, ast.Load)]
        return bool(reads) and all(any(isinstance(around, ast.FormattedValue) or isinstance(around, ast.Call) and (getattr(
            around.func, "id", "") in ("float", "print", "round") or getattr(around.func, "attr", "") in ("item", "detach"))
                                       for around in self.origins.around(one)) for one in reads)

    def is_kept_over(self, handed):
        """Whether the loop around an expression makes no object of the file's classes, so that what keeps it is older."""
        loop = next((one for one in self.origins.around(handed) if isinstance(one, (ast.For, ast.While))), None)
        return loop is not None and not any(isinstance(of, ast.ClassDef) for call in calls_in(loop.body) for of in self.origins.functions_of(call.func))

    def grows_with(self, one, given):
        """The parameter that a statement adds to what it adds to itself each time, as it is; None: none."""
        target = one.target if isinstance(one, ast.AugAssign) else one.targets[0] if isinstance(one, ast.Assign) else None
        table = target.value if isinstance(target, ast.Subscript) else None  # self.means[name]
        target = target if table is None else table
        if not isinstance(target, ast.Attribute) or getattr(target.value, "id", "") != "self":
            return None
        value = one.value
        names = [target.attr] if table is None else self.names_of_item(one, table)
        if isinstance(one, ast.Assign) and not (isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and any(
                self.plain_in(side, name) for side in (value.left, value.right) for name in names)):
            return None
        sides = [value] if isinstance(one, ast.AugAssign) else [value.left, value.right]
        return next((name for name in sorted(given) for side in sides if self.plain_in(side, name)), None)

    def names_of_item(self, statement, table):
        """The names that hold what self.means has under some key, where a statement stores there: old = self.means.get(name, value)."""
        item = re.compile(r"%s(\[\w+\]|\.get\(\w+(, [\w.]+)?\))$" % re.escape(self.written(table)))
        function = self.origins.scope(statement)
        return [one.targets[0].id for one in ast.walk(function) if isinstance(one, ast.Assign) and isinstance(
            one.targets[0], ast.Name) and item.match(self.written(one.value))] + [self.written(one) for one in ast.walk(
                statement.value) if isinstance(one, (ast.Subscript, ast.Call)) and item.match(self.written(one))]

    def plain_in(self, node, name):
        """Whether a product is one of this name or attribute, with nothing called on it."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div, ast.Add, ast.Sub)):
            return self.plain_in(node.left, name) or isinstance(node.op, (ast.Mult, ast.Add)) and self.plain_in(node.right, name)
        return getattr(node, "id", getattr(node, "attr", None)) == name or isinstance(
            node, (ast.Subscript, ast.Call)) and self.written(node) == name

    def handed_with_graph(self, method, name):
        """The expression that a method is given, of a loss or of what the model gave, in a loop that trains; None: not sure."""
        of_name = [one for one in self.origins.nodes if isinstance(one, ast.FunctionDef) and one.name == method.name]
        calls = [one for one in self.origins.nodes if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == method.name]
        names = [one.arg for one in method.args.args]
        for call in calls if len(of_name) == 1 else [site.call for site in self.origins.sites(method)]:
            if name not in names:  # each of **values, or of a dictionary that is written out in the call
                table = next((self.value_of(one) for one in call.args if isinstance(self.value_of(one), ast.Dict)), None)
                for one in [k.value for k in call.keywords if k.arg] + (table.values if table is not None else []):
                    if self.has_graph(one, 10):
                        return one
                continue
            at = names.index(name) - 1
            given = next((k.value for k in call.keywords if k.arg == name), call.args[at] if len(call.args) > at else None)
            for one in self.values_given(given) if given is not None else ():
                if self.has_graph(one, 10):
                    return one
        return None

    def values_given(self, node):
        """What a name comes from: also each of **values, where a loop over values.items() hands them on."""
        loop = next((one for one in self.origins.statements_of(node) if isinstance(one, ast.For)), None) if isinstance(node, ast.Name) else None
        over = re.match(r"(\w+)\.(items|values)\(\)$", self.written(loop.iter)) if loop is not None else None
        outer = self.origins.scope(loop) if over else None
        if not isinstance(outer, ast.FunctionDef) or outer.args.kwarg is None or outer.args.kwarg.arg != over.group(1):
            return [node]
        return [k.value for site in self.origins.sites(outer) for k in site.call.keywords if k.arg]

    def has_graph(self, node, deepest):
        """Whether a value is computed from what a module gave in the same function, and nothing detached it."""
        if deepest <= 0 or re.search(r"detach|\.item\(|float\(|tolist|argmax|no_grad|\.data\b|==|[<>]", self.written(node)):
            return False
        scope = self.origins.scope(node)
        if not isinstance(scope, ast.FunctionDef) or "no_grad" in self.reader.written_whole(scope) or any(isinstance(one, ast.With) and re.search(
                r"no_grad|inference_mode|set_grad_enabled", self.written(one.items[0].context_expr)) for one in self.origins.around(node)):
            return False
        if isinstance(node, ast.Name):
            made = self.origins.statements_of(node)
            if len(made) == 1 and made[0] is scope:  # a parameter
                at = next((n for n, one in enumerate(scope.args.args) if one.arg == node.id), None)
                given = [next((k.value for k in site.keywords if k.arg == node.id), site.args[at - site.hidden] if 0 <= at - site.hidden < len(
                    site.args) else None) for site in self.origins.sites(scope)] if at is not None else []
                return bool(given) and all(isinstance(one, ast.AST) and self.has_graph(one, deepest - 1) for one in given)
            if len(made) == 1 and isinstance(made[0], ast.Assign) and isinstance(made[0].targets[0], ast.Tuple) and isinstance(made[0].value, ast.Call):
                part = self.part_returned(made[0], node.id)
                if part is not None:
                    return self.has_graph(part, deepest - 1)
            return len(made) == 1 and isinstance(made[0], ast.Assign) and self.has_graph(made[0].value, deepest - 1)
        if isinstance(node, ast.UnaryOp):
            return self.has_graph(node.operand, deepest - 1)
        if isinstance(node, ast.BinOp):
            return self.has_graph(node.left, deepest - 1) or self.has_graph(node.right, deepest - 1)
        if not isinstance(node, ast.Call):
            return False
        if re.match(r"torch\.nn\.functional\.\w+$|torch\.(sum|mean|exp|log|square|abs|pow)$", self.full(node.func)):
            return bool(node.args) and self.has_graph(node.args[0], deepest - 1)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("sum", "mean", "exp", "log", "pow", "square", "float", "flatten", "abs", "clamp", "view", "squeeze", "var", "std"):
            return self.has_graph(node.func.value, deepest - 1)
        return isinstance(node.func, ast.Name) and bool(re.search(r"\b%s\.parameters\(" % re.escape(node.func.id), self.reader.written_whole(scope)))

    def part_returned(self, statement, name):
        """What a function of the file gives for one of the names in first, second = losses(…); None: another call."""
        at = next((n for n, one in enumerate(statement.targets[0].elts) if getattr(one, "id", "") == name), None)
        functions = self.origins.functions_of(statement.value.func)
        of = functions[0] if len(functions) == 1 and isinstance(functions[0], ast.FunctionDef) else None
        given = [one.value for one in ast.walk(of) if isinstance(one, ast.Return)] if of is not None and not of.decorator_list else []
        plain = len(given) == 1 and isinstance(given[0], ast.Tuple) and len(given[0].elts) == len(statement.targets[0].elts)
        return given[0].elts[at] if plain and at is not None else None
