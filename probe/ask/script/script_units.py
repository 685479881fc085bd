"""Times that a script prints in another unit than they have; for the reader of scripts."""

# What gives seconds, and how many seconds each unit holds that a script may write behind a number.
CLOCKS_IN_SECONDS = ("time.time", "time.perf_counter", "time.monotonic", "timeit.default_timer", "tensorflow.timestamp")
UNITS = (("milliseconds", re.compile(r"\W{0,3}(ms|msecs?|millis(econds?)?|milliseconds?)\b", re.I), 1e-3),
         ("seconds", re.compile(r"\W{0,3}(s|secs?|seconds?)\b", re.I), 1.0),
         ("microseconds", re.compile(r"\W{0,3}(us|µs|μs|microseconds?)\b", re.I), 1e-6))
LEAVES_THE_UNIT = ("round", "float", "str", "int", "tensorflow.strings.as_string", "numpy.round", "format", "abs")
PRINTS = ("print", "tensorflow.print")
FIELD = re.compile(r"\{(:[^{}]*)?\}")
PERCENT_FIELD = re.compile(r"%[-+ #0]*\d*(\.\d+)?[a-zA-Z]")
NO_COUNTS = r"#.*|\w*class\w* *= *1000"  # the classes of ImageNet count no rounds
THOUSANDS = re.compile(r"\b(1_?000(_?000)?(\.0*)?|1e[36])\b")


class Units(WholeFile):
    """(time.time() - begun) / 1000 as milliseconds, and begun.elapsed_time(end), which is in milliseconds, as seconds."""

    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if not {"torch", "tensorflow", "jax", "cupy", "numba", "keras"} & roots:
            return
        for one in nodes:
            unit = self.seconds_of(one)
            if unit is None or self.seconds_of(self.origins.parents.get(id(one))) is not None:
                continue
            for said in self.said_behind(one):
                name, seconds = next(((name, each) for name, form, each in UNITS if form.match(said)), (None, unit))
                # Where a loop has a thousand rounds, or data come by thousands, a factor may count those.
                if name is not None and abs(seconds / unit - 1) > 0.1 and len(THOUSANDS.findall(re.sub(NO_COUNTS, "", self.reader.text))) <= int(
                        isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Mult, ast.Div))):
                    self.mistake(one, "a time in another unit than it says", self.named(unit), name)
                    return

    def named(self, unit):
        known = next((name for name, _, each in UNITS if abs(each / unit - 1) < 0.1), None)
        return "in " + known if known else "in units of %g seconds" % unit

    def seconds_of(self, node):
        """How many seconds one of a time's units has; None: it is no time, or none that is known."""
        if isinstance(node, ast.Call):
            return 1e-3 if getattr(node.func, "attr", "") == "elapsed_time" and self.made_by(node.func.value, "torch.cuda.Event") is not None or \
                self.full(node.func) == "cupy.cuda.get_elapsed_time" else None
        if not isinstance(node, ast.BinOp):
            return None
        if isinstance(node.op, ast.Sub):
            return 1.0 if all(map(self.reads_seconds, (node.left, node.right))) else None
        factor = self.said(node.right) if isinstance(node.op, (ast.Mult, ast.Div)) else None
        if isinstance(node.op, ast.Div) and factor not in (60, 1000, 3600, 1000000) and isinstance(node.right, (ast.Name, ast.Attribute, ast.Call)):
            return self.seconds_of(node.left)  # the time of one round
        unit = self.seconds_of(node.left) if factor in (1000, 1000000) and isinstance(factor, (int, float)) else None
        return None if unit is None else unit * factor if isinstance(node.op, ast.Div) else unit / factor

    def reads_seconds(self, node):
        values = self.origins.of(node)
        return bool(values) and all(isinstance(one, ast.Call) and self.full(one.func) in CLOCKS_IN_SECONDS for one in values)

    def said_behind(self, node, deepest=3):
        """The texts that stand directly behind a value where it is printed."""
        above = self.origins.parents.get(id(node))
        while isinstance(above, ast.Call) and (self.full(above.func) or self.written(above.func)) in LEAVES_THE_UNIT and above.args[:1] == [node]:
            node, above = above, self.origins.parents.get(id(above))
        if isinstance(above, ast.FormattedValue):
            text = self.origins.parents.get(id(above))
            parts = text.values if isinstance(text, ast.JoinedStr) else []
            yield from self.text_at(parts, above)
        elif isinstance(above, ast.Call) and (self.full(above.func) or self.written(above.func)) in PRINTS:
            yield from self.text_at(above.args, node)
        elif isinstance(above, ast.Call) and getattr(above.func, "attr", "") == "format" and isinstance(above.func.value, ast.Constant):
            yield from self.in_form(above.func.value.value, FIELD, above.args, node)
        elif isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod) and isinstance(above.left, ast.Constant):
            yield from self.in_form(above.left.value, PERCENT_FIELD, [node], node)
        elif isinstance(above, ast.Tuple) and self.is_form(self.origins.parents.get(id(above)), above):
            yield from self.in_form(self.origins.parents[id(above)].left.value, PERCENT_FIELD, above.elts, node)
        elif isinstance(above, ast.Assign) and above.value is node and isinstance(above.targets[0], ast.Name) and deepest:
            name, scope = above.targets[0].id, self.origins.scope(above)
            for use in self.origins.nodes:
                if isinstance(use, ast.Name) and use.id == name and isinstance(use.ctx, ast.Load) and self.origins.scope(use) is scope and \
                        self.value_of(use) is node:
                    yield from self.said_behind(use, deepest - 1)

    @staticmethod
    def is_form(node, given):
        """"%s took %.2f s" % (name, seconds)"""
        return isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and node.right is given and isinstance(node.left, ast.Constant)

    @staticmethod
    def in_form(text, field, given, node):
        """What stands behind the field of a text that a value goes to."""
        fields = list(field.finditer(text)) if isinstance(text, str) else []
        at = next((number for number, one in enumerate(given) if one is node), None)
        if at is not None and len(fields) == len(given):
            yield text[fields[at].end():]

    @staticmethod
    def text_at(parts, node):
        at = next((number for number, one in enumerate(parts) if one is node), None)
        said = parts[at + 1] if at is not None and at + 1 < len(parts) else None
        if isinstance(said, ast.Constant) and isinstance(said.value, str):
            yield said.value
