"""What Python itself refuses or never does, whatever the libraries: options that no parser has, values that are None; for the reader of
scripts."""

PRECISE_INTEGERS = re.compile(r"^[^{}]*\.\d+[dbcoxX]$")
FIELDS_OF_FORMAT = re.compile(r"(?<!\{)\{[^{}:]*:([^{}]*)\}")
ADDS_OPTIONS_UNSEEN = r"parse_known_args|add_subparsers|parents *=|set_defaults\(\*\*|vars\(|__dict__|setattr\(|Namespace\(|namespace *=|argument_default|from_file|fromfile"
# What gives a whole number, and what gives a text, whatever it is given.
COUNTS_OF_CALLS = re.compile(r"(int|len|os\.(getpid|cpu_count)|multiprocessing\.cpu_count|torch\.multiprocessing\.cpu_count|torch\.cuda\.(current_device|device_count)|"
                             r"torch\.distributed\.get_(rank|world_size)|jax\.(local_)?device_count|jax\.process_(index|count))$")
TEXTS_OF_CALLS = re.compile(r"(str|repr|input|os\.path\.(join|abspath|basename|dirname|expanduser)|os\.getcwd|time\.strftime)$")
BEGINS_A_DEVICE = re.compile(r"/?(cuda|gpu|xpu|device:gpu|cpu)\b", re.I)  # another rule reads those
GENERATORS_OF_MODULES = ("parameters", "named_parameters", "modules", "named_modules", "children", "named_children", "buffers", "named_buffers")


class PlainPython(WholeFile):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        if self.says(r"ArgumentParser\("):
            self.options_that_no_parser_has()
        for one in self.nodes:
            if isinstance(one, ast.FormattedValue) or isinstance(one, ast.Call) and is_call(one, "format"):
                self.precision_of_integers(one)
            elif isinstance(one, ast.If):
                self.used_where_it_is_none(one)
            elif isinstance(one, ast.Compare) and len(one.ops) == 1 and isinstance(one.ops[0], (ast.Eq, ast.NotEq)):
                self.generators_compared(one)
            elif isinstance(one, ast.BinOp) and isinstance(one.op, ast.Add):
                self.number_beside_text(one)

    def options_that_no_parser_has(self):
        """args = parser.parse_args(); args.gpu, where no add_argument() makes it."""
        parsers = [call for call in self.calls if self.full(call.func) == "argparse.ArgumentParser"]
        added = [call for call in self.calls if is_call(call, "add_argument")]
        if len(parsers) != 1 or not added or self.says(ADDS_OPTIONS_UNSEEN) or any(isinstance(outer, ast.For) for call in added for outer in self.origins.around(
                call)) or not all(call.args and all(isinstance(one, ast.Constant) for one in call.args) for call in added):
            return
        bound = self.parents.get(id(parsers[0]))
        name = self.written(bound.targets[0]) if isinstance(bound, ast.Assign) and len(bound.targets) == 1 else None
        handed = [call for call in self.calls if name in [self.written(one) for one in call.args + [k.value for k in call.keywords]]]
        groups = [call for call in self.calls if isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_group")]
        if name is None or any(not self.origins.functions_of(call.func) for call in handed) or any(self.parents.get(id(one)) in self.calls for one in groups):
            return
        known = set()
        for call in added:
            said = self.said(self.word(call, "dest"))
            flags = [str(one.value) for one in call.args]
            long = [flag for flag in flags if flag.startswith("--")] or flags
            known.add(said if isinstance(said, str) else long[0].lstrip("-").replace("-", "_"))
        for call in self.calls:
            known |= {k.arg for k in call.keywords} if is_call(call, "set_defaults") else set()
        set_here = {one.attr for one in self.nodes if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)}
        told = set()
        for one in self.nodes:
            if not isinstance(one, ast.Attribute) or not isinstance(one.ctx, ast.Load) or not isinstance(one.value, ast.Name) or one.attr in known | set_here | told or \
                    one.attr.startswith("_") or self.says(r"(has|get)attr\([^\n]*['\"]%s['\"]" % re.escape(one.attr)):
                continue
            values = self.origins.of(one.value)
            if values and all(is_call(value, "parse_args") and self.written(value.func.value) == name and len(value.args) + len(value.keywords) < 2 for value in values) and not any(
                    isinstance(outer, ast.Try) for outer in self.origins.around(one)):
                told.add(one.attr)
                near = difflib.get_close_matches(one.attr, sorted(known), 1, 0.6)
                self.mistake(one, "an option that no parser has", one.attr, " Write %s.%s, if that is meant." % (one.value.id, near[0]) if near else "", doubted=False)

    def precision_of_integers(self, node):
        """f"{epoch:.3d}", which Python refuses for any value"""
        if isinstance(node, ast.FormattedValue):
            parts = node.format_spec.values if isinstance(node.format_spec, ast.JoinedStr) else []
            forms = [parts[0].value] if len(parts) == 1 and isinstance(parts[0], ast.Constant) else []
        else:
            text = node.func.value
            forms = FIELDS_OF_FORMAT.findall(text.value) if isinstance(text, ast.Constant) and isinstance(text.value, str) else []
        wrong = next((form for form in forms if PRECISE_INTEGERS.match(str(form))), None)
        if wrong is not None:
            self.mistake(node, "a whole number with decimals", wrong, doubted=False)

    def used_where_it_is_none(self, branch):
        """if device is None: device = torch.device(device)"""
        test = branch.test
        if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Is) or not isinstance(
                test.left, ast.Name) or getattr(test.comparators[0], "value", 0) is not None:
            return
        name = test.left.id
        for part in branch.body:
            if not isinstance(part, (ast.Assign, ast.Expr, ast.Return, ast.AugAssign)):
                return
            for one in ast.walk(part):
                inner = isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
                outer = self.parents.get(id(one)) if inner else None
                told = isinstance(outer, ast.Attribute) or isinstance(outer, ast.Subscript) and outer.value is one or isinstance(
                    outer, ast.Call) and (outer.func is one or self.full(outer.func) == "torch.device" and outer.args[:1] == [one])
                if told and not any(isinstance(each, (ast.Lambda, ast.IfExp, ast.BoolOp)) for each in self.within(one, branch)):
                    self.mistake(outer, "a value that is None here", name, doubted=False, other=branch)
                    return
            if any(isinstance(one, (ast.Name, ast.NamedExpr)) and getattr(one, "id", "") == name and not isinstance(getattr(one, "ctx", None), ast.Load) for one in ast.walk(part)):
                return

    def number_beside_text(self, total):
        """torch.save(state, os.path.join(folder, "net") + dist.get_rank())"""
        left, right = total.left, total.right
        text, number = (left, right) if self.is_text(left) else (right, left)
        if isinstance(text, ast.Constant) and BEGINS_A_DEVICE.match(str(text.value)) or not self.is_count(number) or not self.is_text(text) or any(
                isinstance(one, (ast.Try, ast.With)) and (isinstance(one, ast.Try) or "raises" in self.written(one.items[0].context_expr)) for one in self.origins.around(total)):
            return
        self.mistake(total, "a count that is added to a text", self.written(number), self.written(text), doubted=False)

    def is_count(self, node):
        """Whether it is a whole number in any case."""
        values = self.origins.of(node) if isinstance(node, (ast.Name, ast.Attribute)) else [node]
        return bool(values) and all(isinstance(one, ast.Constant) and type(one.value) is int or isinstance(one, ast.Call) and COUNTS_OF_CALLS.match(
            self.full(one.func) or self.written(one.func)) and not self.origins.functions_of(one.func) for one in values)

    def is_text(self, node, deepest=6):
        """Whether it is a text in any case."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)):
            return deepest > 0 and (self.is_text(node.left, deepest - 1) or isinstance(node.op, ast.Add) and self.is_text(node.right, 0))
        values = self.origins.of(node) if isinstance(node, (ast.Name, ast.Attribute)) else [node]
        return bool(values) and all(isinstance(one, ast.JoinedStr) or isinstance(one, ast.Constant) and isinstance(one.value, str) or isinstance(
            one, ast.BinOp) and one is not node and self.is_text(one, deepest - 3) or isinstance(one, ast.Call) and self.gives_text(one) for one in values)

    def gives_text(self, call):
        if isinstance(call.func, ast.Attribute) and call.func.attr in ("format", "join") and isinstance(call.func.value, ast.Constant):
            return isinstance(call.func.value.value, str)
        return TEXTS_OF_CALLS.match(self.full(call.func) or self.written(call.func)) is not None and not self.origins.functions_of(call.func)

    def generators_compared(self, test):
        """before = net.parameters(); …; before == net.parameters(): two generators, which are never equal."""
        sides = [self.value_of(one) for one in (test.left, test.comparators[0])]
        if all(isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in GENERATORS_OF_MODULES and not one.args and not self.origins.functions_of(
                one.func) for one in sides) and sides[0] is not sides[1]:
            self.mistake(test, "generators that are compared", self.written(sides[0]), "false" if isinstance(test.ops[0], ast.Eq) else "true", doubted=False)
