"""Arguments that functions, classes and models of the file itself don't take, or lack; for the reader of scripts."""

PLAIN_METHODS = ([], ["staticmethod"], ["classmethod"])


class OwnCalls(WholeFile):
    def look(self, nodes):
        if self.reader.other_form or self.reader.source:
            return
        self.parents, index = self.tracing.index.parents, self.tracing.index
        times = {}  # how often the file binds a name, in whatever scope
        for one in nodes:
            for name in names_bound_by(one):
                times[name] = times.get(name, 0) + 1
        top = {one.name: one for of in nodes if isinstance(of, ast.Module) for one in of.body if isinstance(one, (ast.FunctionDef, ast.ClassDef))}
        self.stored = {one.attr for one in nodes if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)}
        self.bases = {self.written(base) for of in index.classes for base in of.bases}
        for call in index.calls:
            of, (function, hidden) = call.func, (None, 0)
            if isinstance(of, ast.Name) and of.id in top and times.get(of.id) == 1:
                function, hidden = self.callee(top[of.id])
            elif isinstance(of, ast.Attribute) and getattr(of.value, "id", "") == "self":
                function, hidden = self.method_of(call)
            elif isinstance(of, ast.Name):
                function, hidden = self.forward_of(of)
            if function is not None:
                self.check(call, function, hidden)
                if function.name != "__init__":
                    self.unpacked(call, function)

    @staticmethod
    def callee(of):
        """(the function that a call of a name runs, the arguments that Python gives it itself); (None, 0): not known."""
        if of.decorator_list:
            return None, 0
        if isinstance(of, ast.FunctionDef):
            return of, 0
        own = [one for one in of.body if getattr(one, "name", "") in ("__init__", "__new__")]
        return (own[0], 1) if len(own) == 1 and own[0].name == "__init__" and not own[0].decorator_list and not of.keywords else (None, 0)

    def method_of(self, call):
        """The same for self.step(…), in a class of which the file makes no other."""
        holder = next((one for one in self.origins.around(call) if isinstance(one, (ast.FunctionDef, ast.ClassDef))), None)
        of = self.parents.get(id(holder))
        if not isinstance(of, ast.ClassDef) or not isinstance(holder, ast.FunctionDef) or holder.decorator_list or of.name in self.bases or not [
                one.arg for one in holder.args.args[:1]] == ["self"]:
            return None, 0
        name = call.func.attr
        bound = [one for one in own_nodes(of) for each in names_bound_by(one) if each == name] if name not in self.stored else []
        if len(bound) != 1 or not isinstance(bound[0], ast.FunctionDef):
            return None, 0
        by = [self.written(one) for one in bound[0].decorator_list]
        return (bound[0], 0 if by == ["staticmethod"] else 1) if by in PLAIN_METHODS else (None, 0)

    def forward_of(self, func):
        """The same for net(…), of a model of one class of the file."""
        values = self.origins.of(func, True) if self.says(r"def forward\(") else []
        classes = [one for one in self.origins.functions_of(values[0].func) if isinstance(one, ast.ClassDef)] if len(values) == 1 and isinstance(
            values[0], ast.Call) else []
        if len(classes) != 1 or self.origins.wrappers_of(func) and self.says(r"\.compile\(|jit\.|Parallel|prepare\("):
            return None, 0
        of = classes[0]
        own = [one for one in of.body if getattr(one, "name", "") in ("forward", "__call__")]
        plain = len(own) == 1 and own[0].name == "forward" and not own[0].decorator_list and not of.decorator_list and of.name not in self.bases
        return (own[0], 1) if plain and [self.full(base) for base in of.bases] == ["torch.nn.Module"] and "forward" not in self.stored else (None, 0)

    def check(self, call, of, hidden):
        why = self.misfit(of.args, call, hidden)
        if why and not self.is_reported(call) and not any(isinstance(one, ast.Try) or isinstance(one, ast.With) and "raises" in self.written(
                one.items[0].context_expr) for one in self.origins.around(call)):
            self.mistake(call, "an argument of its own that a function doesn't take", why, other=of if line_of(of) != line_of(call) else None, doubted=False)

    def unpacked(self, call, of):
        """loss, parts = step(x), where step() gives three values, or none."""
        by = self.parents.get(id(call))
        target = by.targets[0] if isinstance(by, ast.Assign) and by.value is call and len(by.targets) == 1 else None
        if not isinstance(target, (ast.Tuple, ast.List)) or any(isinstance(one, ast.Starred) for one in target.elts) or self.is_reported(call):
            return
        own = own_nodes(of)
        gives = [one.value for one in own if isinstance(one, ast.Return)]
        if any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in own) or not all(isinstance(one, ast.Tuple) and not any(
                isinstance(each, ast.Starred) for each in one.elts) for one in gives) or not gives and (isinstance(of.body[-1], (ast.Raise, ast.Pass)) or isinstance(
                    getattr(of.body[-1], "value", None), ast.Constant)):
            return
        counts = {len(one.elts) for one in gives}
        if len(counts) < 2 and counts != {len(target.elts)} and not any(isinstance(one, ast.Try) for one in self.origins.around(call)):
            self.mistake(call, "results of an own function that are unpacked into another number", str(len(target.elts)), "%d values" % min(
                counts) if counts else "nothing", other=gives[0] if gives else of, doubted=False)

    @staticmethod
    def misfit(takes, call, hidden):
        """Why Python refuses a call; None: it takes it, or what is given isn't written out."""
        places = [one.arg for one in takes.posonlyargs + takes.args]
        words, only = {k.arg for k in call.keywords}, {one.arg for one in takes.kwonlyargs}
        spread, count = any(isinstance(one, ast.Starred) for one in call.args), len(call.args) + hidden
        if not spread and count > len(places) and not takes.vararg:
            most = len(places) - hidden
            return "it takes %s by place, and is given %d" % ("%d argument%s" % (most, "s" * (most > 1)) if most else "no argument", count - hidden)
        by_word = set(places) - {one.arg for one in takes.posonlyargs}
        strange = sorted(one for one in words - {None} - only - by_word) if not takes.kwarg else []
        if strange:
            return "it has no argument %s" % strange[0]
        twice = sorted(words & set(places[:count])) if not spread else []
        if twice:
            return "it is given %s twice" % twice[0]
        if spread or None in words:
            return None
        needed = places[count:len(places) - len(takes.defaults)] + [one.arg for one, value in zip(takes.kwonlyargs, takes.kw_defaults) if value is None]
        lacking = [one for one in needed if one not in words]
        return "it is not given %s" % lacking[0] if lacking else None
