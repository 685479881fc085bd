"""Layers of Keras's that are left out of their model, and weights that are frozen or freed in vain; for the reader of scripts."""

TRAINS_KERAS = ("fit", "train_on_batch", "fit_generator")
JOINS_TENSORS = ("concatenate", "add", "multiply", "average", "maximum", "minimum", "subtract", "dot")
# What a layer may be wanted for besides what it gives.
READ_BY_NAME = r"\b(globals|locals|vars|eval|exec)\(|Session\(|placeholder\("


class KerasLeft(KerasModels):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not self.ROOTS & roots:
            return
        self.prepare(nodes)
        if self.says(r"\bModel\b") and not self.says(READ_BY_NAME):
            self.left_out()
        if self.says(r"\.trainable *= *(True|False)"):
            self.frozen()

    # ---- layers that nothing reads

    def left_out(self):
        """x = Dense(64)(x), and then x = Dropout(0.5)(inputs): the first is no part of the model."""
        models = [one for one in self.calls if self.is_functional(one) and (len(one.args) >= 2 or self.word(one, "outputs", "output") is not None)]
        scopes = {id(self.origins.scope(one)) for one in models}
        for call in self.calls:
            statement = self.parents.get(id(call))
            if not isinstance(statement, (ast.Assign, ast.Expr)) or statement.value is not call:
                continue
            of = self.origins.scope(statement)
            if isinstance(call.func, ast.Call):
                layer = self.layer_of(call.func)
                counts = id(of) in scopes and not isinstance(of, ast.ClassDef) and layer and self.is_functional_tensor(call.args[0] if call.args else None)
            else:
                layer = self.layer_of_call(call, of)
                counts = bool(layer)
            if not counts or layer in ("Lambda", "Input", "InputLayer"):
                continue
            if isinstance(statement, ast.Expr):
                self.mistake(statement, "a layer that is left out of its model", "", "nothing takes what it gives")
            elif len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name) and not statement.targets[0].id.startswith("_"):
                name = statement.targets[0].id
                behind = self.bound_again(statement, name)
                if behind is not None or not self.is_read_in(name, of):
                    self.mistake(statement, "a layer that is left out of its model", name, "%s is bound anew before anything reads it" % name if behind is not None else
                                 "nothing reads %s" % name, other=behind)

    def layer_of_call(self, call, of):
        """Dense, of self.dense(x) in the call() of a model of the file."""
        outer = self.parents.get(id(of)) if isinstance(of, ast.FunctionDef) and of.name == "call" else None
        if not isinstance(outer, ast.ClassDef) or not isinstance(call.func, ast.Attribute) or getattr(call.func.value, "id", "") != "self" or not any(
                self.of_keras(base) in WORDS_FOR_MODELS for base in outer.bases):
            return ""
        values = self.origins.of(call.func)
        layers = {self.layer_of(one) for one in values}
        return layers.pop() if len(layers) == 1 else ""

    def is_read_in(self, name, of):
        """Whether anything in a function, or in the file, reads a name."""
        within = ast.walk(of) if of is not None else self.nodes
        return any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) or isinstance(one, ast.AugAssign) and getattr(
            one.target, "id", "") == name or isinstance(one, (ast.Global, ast.Nonlocal)) and name in one.names for one in within) or of is None and self.says(
                r"['\"]%s['\"]" % re.escape(name))

    def bound_again(self, statement, name):
        """The statement of the same block that binds a name again before anything reads it; None: something may read it."""
        block = self.origins.block_of(statement)
        for one in block[block.index(statement) + 1:] if block and statement in block else ():
            names = [inner for inner in ast.walk(one) if isinstance(inner, ast.Name) and inner.id == name]
            if not names:
                if isinstance(one, ENDS_BLOCK):
                    return None
                continue
            plain = isinstance(one, ast.Assign) and len(names) == 1 and names[0] is one.targets[0]
            return one if plain else None
        return None

    def is_functional_tensor(self, node, deepest=60):
        """Whether a value comes from Input() by way of layers alone."""
        while node is not None and deepest:
            deepest -= 1
            if isinstance(node, (ast.List, ast.Tuple)):
                node = node.elts[0] if node.elts else None
                continue
            values = self.origins.of(node)
            if not values or not isinstance(values[0], ast.Call):
                return False
            one = values[0]
            if self.of_keras(one.func) in ("Input", "layers.Input"):
                return True
            layer = self.layer_of(one.func) if isinstance(one.func, ast.Call) else self.layer_of(one)
            node = one.args[0] if one.args and layer and (isinstance(one.func, ast.Call) or layer in JOINS_TENSORS) else None
        return False

    # ---- weights that are frozen or freed

    def frozen(self):
        sets = [one for one in self.nodes if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute) and one.targets[0].attr == "trainable" and
                isinstance(one.value, ast.Constant) and isinstance(one.value.value, bool)]
        trains = [one for one in self.calls if any(is_call(one, name) for name in TRAINS_KERAS)]
        told = set()
        for one in sets:
            self.never_learns(one, sets, trains)
            self.freed_too_late(one, trains, told)

    def never_learns(self, statement, sets, trains):
        """discriminator.trainable = False, discriminator.compile(…), and discriminator.train_on_batch(…): nothing of it learns."""
        owner = self.written(statement.targets[0].value)
        if statement.value.value or any(one.value.value for one in sets) or self.says(r"trainable *=(?! *False)|set_trainable|setattr\(|unfreeze") or self.origins.scope(
                statement) is None and self.in_branch(statement):
            return
        if self.in_branch(statement) or not isinstance(statement.targets[0].value, ast.Name):
            return
        made = self.origins.of(statement.targets[0].value)
        compiles = [one for one in self.calls if is_call(one, "compile") and self.written(one.func.value) == owner and
                    self.origins.scope(one) is self.origins.scope(statement)]
        if not compiles or any(self.origins.position(one) < self.origins.position(statement) for one in compiles) or len(made) != 1:
            return
        for one in trains:
            if self.written(one.func.value) == owner and self.origins.position(one) > self.origins.position(compiles[0]) and [id(each) for each in self.origins.of(
                    one.func.value)] == [id(made[0])] and not self.in_branch(compiles[0]):
                self.mistake(statement, "a model of Keras's that is frozen and trained", owner, self.written(one)[:80], other=one)
                return

    def freed_too_late(self, statement, trains, told):
        """model.fit(…); base.trainable = True; model.fit(…), with no compile() between: the function that trains is traced already."""
        block, top = self.origins.block_of(statement), statement
        while block and isinstance(self.parents.get(id(top)), (ast.For, ast.If)):  # for layer in base.layers: layer.trainable = True
            top = self.parents[id(top)]
            block = self.origins.block_of(top)
        if not block or top not in block or isinstance(top, ast.If):
            return
        at = block.index(top)
        named = {one.id for one in ast.walk(top) if isinstance(one, ast.Name)}
        before = [one for part in block[:at] for one in self.plain_calls(part)]
        behind = [one for part in block[at + 1:] for one in self.plain_calls(part)]
        for second in [one for one in behind if one in trains and getattr(one.func, "attr", "") == "fit" and isinstance(one.func.value, ast.Name)]:
            model = second.func.value.id
            mine = lambda one, name: is_call(one, name) and self.written(one.func.value) == model
            if any(mine(one, "compile") or model in (getattr(given, "id", "") for given in one.args) and not self.full(one.func) for one in behind[
                    :behind.index(second)]) or not any(mine(one, "fit") for one in before):
                continue
            first = [one for one in before if mine(one, "fit")][-1]
            between = [one for part in block[:at + 1] for one in ast.walk(part) if isinstance(one, ast.Assign) and self.written(
                one.targets[0]) == model and self.origins.position(one) > self.origins.position(first)]
            if between or not (model in named or self.holds(model, named)):
                continue
            if id(second) not in told:
                self.mistake(statement, "weights that are freed behind compile", "trained" if statement.value.value else "frozen", model, other=second)
            told.add(id(second))
            return

    def plain_calls(self, part):
        return [one for one in ast.walk(part) if isinstance(one, ast.Call)] if not isinstance(part, (ast.FunctionDef, ast.ClassDef, ast.If, ast.Try)) else []

    def holds(self, model, names):
        """Whether what a model is made of says one of these names: Sequential([base, Dense(1)]), base(x), base.output."""
        made = [one for one in self.nodes if isinstance(one, ast.Assign) and self.written(one.targets[0]) == model]
        said = {inner.id for one in made for inner in ast.walk(one.value) if isinstance(inner, ast.Name)}
        for _ in range(12):  # from the outputs back to the inputs
            said |= {inner.id for one in self.nodes if isinstance(one, ast.Assign) and getattr(one.targets[0], "id", None) in said for inner in ast.walk(
                one.value) if isinstance(inner, ast.Name)}
        return bool(said & names)
