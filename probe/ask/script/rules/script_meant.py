"""Words and numbers that calls don't take, wherever in the file they are written: items of tables, defaults of options and of
parameters; for the reader of scripts."""

LIMITS_OF_MEMORY = re.compile(r"tensorflow\.config\.(LogicalDeviceConfiguration|experimental\.VirtualDeviceConfiguration)$")
STANDS_FOR_NONE = ("none", "no", "off", "false", "disable", "disabled", "eager", "auto")
BY_CALL = {}  # the rows of VALUES for each call
for (_call, _word, _place), _known in VALUES.items():
    BY_CALL.setdefault(_call, []).append((_word, _place, _known))


class Forks(OfValues):
    """Processes that are forked behind the first use of CUDA, wherever the script says so."""

    def look(self, nodes):
        if not {"torch", "cupy", "numba"} & {name.split(".")[0] for name in self.tracing.names.values()} or any(
                e.get("name") == "a forked process that uses CUDA" for e in self.reader.events) or self.says(r"['\"](spawn|forkserver)['\"]"):
            return
        self.know(nodes)
        self.forked_late(nodes, re.compile(r"torch\.cuda\.(init|synchronize|current_stream|set_device|mem_get_info|Stream)$|numba\.cuda\.(to_device|"
                                           r"device_array\w*|synchronize|current_context)$|cupy\.(zeros|ones|arange|array|asarray|empty|random\.\w+)$"))

    def computes(self, call, form):
        of = self.of_name.get(call.func.id) if isinstance(call.func, ast.Name) else None
        if self.begins(call, form) or of is not None and any(self.begins(one, form) for one in calls_in([of])):
            return True
        made = self.value_of(call.func) if isinstance(call.func, (ast.Name, ast.Attribute)) and not self.full(call.func) else None
        return isinstance(made, ast.Call) and made is not call and self.begins(made, form)  # net(x)

    def begins(self, call, form):
        """torch.ones(8, device="cuda"), net.cuda(), net.to(device), where that is a GPU."""
        if form.match(self.full(call.func)) or is_call(call, "cuda") and not call.args and not self.full(call.func):
            return True
        where = (call.args or [None])[0] if is_call(call, "to") else self.word(call, "device") if self.full(
            call.func).startswith("torch.") else None
        return where is not None and any(re.match(r"(torch\.device\()?['\"]cuda", self.written(one)) for one in self.origins.known(where))


class Meant(WholeFile):
    def look(self, nodes):
        for call in self.tracing.index.calls:
            name = self.full(call.func)
            for word, place, known in BY_CALL.get(name, ()):
                self.words(call, name, word, place, known)
            if name and LIMITS_OF_MEMORY.match(name):
                self.limit_in_gigabytes(call)
        for one in nodes:
            self.tests_of_tuples(one)
            if isinstance(one, ast.Assign) and re.search(r"\[['\"](CUDA|HIP|ROCR)_VISIBLE_DEVICES['\"]\]$", self.written(one.targets[0])):
                self.joined_without_commas(one)

    def tests_of_tuples(self, one):
        """if (i < n, j < m): a tuple that holds something is true, whatever it holds."""
        for test in [one.test] if isinstance(one, (ast.If, ast.While, ast.IfExp, ast.Assert)) else one.ifs if isinstance(one, ast.comprehension) else []:
            of = test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else test
            if isinstance(of, ast.Tuple) and any(not isinstance(each, ast.Starred) for each in of.elts):
                self.mistake(of, "a condition that is a tuple", doubted=False)

    def joined_without_commas(self, statement):
        """os.environ["CUDA_VISIBLE_DEVICES"] = " ".join(args.gpus)"""
        for one in self.origins.known(statement.value):
            between = self.said(one.func.value) if is_call(one, "join") and len(one.args) == 1 else None
            if isinstance(between, str) and between and between.strip() != ",":
                self.mistake(statement, "visible devices that CUDA can't read", "the first of them alone", doubted=True)

    def literals(self, node):
        """The constants that an expression can come from, with the choices of the options whose defaults are among them."""
        found = [one for one in self.origins.of(node) if isinstance(one, ast.Constant)] if node is not None else []
        for call in self.tracing.index.calls if found else ():
            default = self.word(call, "default") if is_call(call, "add_argument") else None
            choices = self.word(call, "choices") if any(one is default for one in found) else None
            if isinstance(choices, (ast.List, ast.Tuple, ast.Set)):
                found += [one for one in choices.elts if isinstance(one, ast.Constant)]
        return found

    def all_given(self, call, word, place):
        """What a call is given for an argument: by place, by name, or in **settings, also in each item of a table of settings."""
        if place is not None and place < len(call.args) and not any(isinstance(one, ast.Starred) for one in call.args[:place + 1]):
            return [call.args[place]]
        found = [k.value for k in call.keywords if k.arg == word]
        for keyword in call.keywords if not found else ():
            for one in self.origins.of(keyword.value) if keyword.arg is None else ():
                if isinstance(one, ast.Dict):
                    found += [value for key, value in zip(one.keys, one.values) if getattr(key, "value", None) == word]
                elif isinstance(one, ast.Call) and getattr(one.func, "id", "") == "dict":
                    found += [k.value for k in one.keywords if k.arg == word]
        return found

    def words(self, call, name, word, place, known):
        """torch.compile(net, **OPTIONS[args.profile]), where an item of OPTIONS says "max_autotune"."""
        if not known or word == "backend" and self.says(r"register_backend"):
            return
        for given in self.all_given(call, word, place):
            for one in self.literals(given):
                said = one.value
                if not isinstance(said, str) or said in known or not said or word == "backend" and (":" in said or said.lower() in known):
                    continue
                if said.lower() in STANDS_FOR_NONE or self.reader.asks_for(said):
                    continue
                if not any(e["subject"] == "script-mistake" and e["name"] == "a value that its library doesn't know" and e.get("value") == said
                           for e in self.reader.events):
                    self.reader.mistake(one, "a value that its library doesn't know", said, "%s(%s=…)" % (name.rsplit(".", 1)[-1], word),
                                        ", ".join(known[:8]), other=call, doubted=True)

    def limit_in_gigabytes(self, call):
        """LogicalDeviceConfiguration(memory_limit=args.gpu_gb), whose default is 6: it is read as megabytes."""
        limit = self.given(call, 0, "memory_limit")
        literals = self.literals(limit)
        small = [one for one in literals if type(one.value) in (int, float) and 0 < one.value < 64]
        named = re.search(r"(?i)(^|[._])(gb|gib|gigs|gigabytes?)(_(per_)?\w+)?$|_(gb|gib|gigabytes?)$", self.written(limit)) if isinstance(
            limit, (ast.Name, ast.Attribute)) else None
        scaled = named and (any(isinstance(one, ast.BinOp) for one in self.origins.of(limit)) or re.search(
            r"\b%s *\*=" % re.escape(self.written(limit)), self.reader.text))
        if (small and len(small) == len(literals) or named and not literals and not scaled) and not any(
                e["subject"] == "script-mistake" and e["name"] == "a limit of memory that is a fraction" for e in self.reader.events):
            self.reader.mistake(limit, "a limit of memory that is a fraction", "memory_limit=%s" % (small[0].value if small else self.written(limit)))
