"""Expressions of a script that is followed: each gives what is known of its value; for the reader of scripts."""


class Expressions:
    def value(self, node):
        if node is None:
            return None
        self.step()
        return getattr(self, "of_" + type(node).__name__, self.of_other)(node)

    def step(self):
        self.steps += 1
        if self.steps > MOST_STEPS_OF_ALL:
            raise TooLong("it is too long to be followed")

    def of_other(self, node):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                self.value(child)
            elif isinstance(child, ast.comprehension):
                self.comprehension(child, self.value(child.iter))
        return None

    def comprehension(self, part, over):
        item = self.item_of(over, part.iter)
        if item is None and isinstance(part.iter, ast.Call) and getattr(part.iter.func, "id", "") == "enumerate":
            item = Many([Thing("number", varies=True), None])
        self.assign(part.target, item)
        for test in part.ifs:
            self.value(test)

    def each_known(self, node, over):
        """Of a comprehension over a few values that are known: what each gives, in their order; None: not known."""
        if len(node.generators) != 1 or node.generators[0].ifs:
            return None
        option = isinstance(over, Thing) and over.kind == "option"
        over = over["default"] if option else over
        if not isinstance(over, Many) or over.open or not 0 < len(over.items) <= 8 or not all(
                isinstance(one, Text) for one in over.items):
            return None
        found = []
        for one in over.items:
            self.assign(node.generators[0].target, one)
            found.append(self.value(node.elt))
            if not isinstance(found[-1], (Text, Thing, Place)):
                return None
        known = Many(found)
        return Thing("option", default=known) if option else known

    def of_ListComp(self, node):
        first = node.generators[0]
        over = self.value(first.iter)
        known = None if isinstance(node, ast.SetComp) else self.each_known(node, over)
        if known is not None:
            return known
        self.comprehension(first, over)
        for part in node.generators[1:]:
            self.comprehension(part, self.value(part.iter))
        of = self.find_value(node.generators[0].iter)
        if isinstance(of, Thing) and of.kind == "sequence":  # it runs, and what it does to the members stays
            item = self.value(node.elt)
        else:
            begin = len(self.events)
            with Branch(self, "loop"):
                path = self.path
                item = self.value(node.elt)
                state = dict(item.state) if isinstance(item, Thing) else {}
            self.comes_round(begin, path)
            for key, value in state.items():  # what it did to the members stays
                if item.state.get(key) is not value:
                    self.change(item, key, value)
        if isinstance(item, Thing) and item.kind == "gpu":
            return Thing("gpus", logical=item["logical"], of=item["of"])
        if isinstance(item, Thing) and item.kind == "form" and not isinstance(node, ast.SetComp):
            made = Many([item])
            made.open = True
            return made
        if isinstance(item, Thing) and item.kind in ("number", "host-data") or isinstance(node.elt, ast.Call) and getattr(
                node.elt.func, "id", "") in ("float", "int", "len"):
            return Thing("host-data")
        return Thing("sequence", item=item) if isinstance(item, Thing) and item.kind in ("tensor", "module",
                                                                                                  "ndarray") else None

    of_SetComp = of_GeneratorExp = of_ListComp

    def of_DictComp(self, node):
        over = None
        for part in node.generators:
            over = self.value(part.iter)
            self.comprehension(part, over)
        if len(node.generators) == 1 and not part.ifs and isinstance(over, Many) and over.items and not over.open:
            self.value(node.key)  # it surely comes at least once
            held = self.value(node.value)
        else:
            with Branch(self, "loop"):
                self.value(node.key)
                held = self.value(node.value)
        return Thing("mapping", path=self.path, each=held) if isinstance(held, Thing) and held.kind == "module" else None

    def of_Constant(self, node):
        return Text(node.value) if isinstance(node.value, (str, int, float, bool, type(None))) else None

    def of_Str(self, node):  # of Python 3.7 and older, as the next two
        return Text(node.s)

    def of_Num(self, node):
        return Text(node.n) if isinstance(node.n, (int, float)) else None

    def of_NameConstant(self, node):
        return Text(node.value)

    def of_Name(self, node):
        return self.find(node.id)

    def of_Attribute(self, node):
        name = self.full(node)
        if name is not None:
            self.named(node, name)
            if node is not self.called and isinstance(node.ctx, ast.Load):
                self.removed.name(node, name)
                if self.matters(name):
                    self.note(node, "use", name)
            return Name(name)
        owner = self.value(node.value)
        if isinstance(owner, Thing):
            if owner.kind == "strategy" and node.attr not in ("num_replicas_in_sync", "extended"):
                owner.state["used"] = True
            if node.attr in owner.attributes:
                self.torch.read_in_worker(node, owner.attributes[node.attr])
                return owner.attributes[node.attr]
            given = self.answers.attribute(owner, node.attr)
            if given is not None:
                return given
            if isinstance(node.ctx, ast.Load):
                self.keras.lacks(node, owner, node.attr)
            if owner.kind == "jax-tree" and node is not self.called:
                return Thing("jax-tree", place=owner["place"])
            if node.attr in ("device", "is_cuda") and isinstance(node.ctx, ast.Load):
                self.torch.has_no_device(node, owner)
            if node.attr == "device" and owner["hf"]:
                return Place(owner["device"]) if owner["device"] else None
            if owner.kind in ("outputs", "encoding") and node.attr not in ("to", "items", "values", "keys"):
                return Thing("tensor", device=owner["device"], line=owner["line"], grad=owner["grad"],
                             number=owner["number"] if node.attr in ("logits", "loss", "last_hidden_state") else None)
            if owner["parallel"] and node.attr == "module":
                return self.training.inner(owner)
            self.training.wrapped_member(node, owner)
            if owner.kind in ("tensor", "parameter") and node.attr == "device":
                return Place(owner["device"]) if owner["device"] else None
            if owner.kind == "tensor" and node.attr in ("data", "grad") and owner["grad"]:
                return Thing("tensor", **dict(owner.state, grad=None))
            if owner.kind == "tensor" and node.attr in ("data", "T", "mT", "grad", "H", "real", "imag"):
                return owner
            of = owner["class"]
            method = of.method(node.attr) if of else None
            if method and decorated(method, "property", "cached_property"):
                return self.follow(method, [owner], {}, node)
            if of and not method and owner.kind == "instance" and not owner["escaped"] and not of.has_stranger():
                held = of.held(node.attr)
                if held is not None:
                    return held
            return Bound(owner, node.attr, method)
        if isinstance(owner, Place) and node.attr == "type" and re.match(r"(cuda|cpu)(:\d+)?$", owner.text or ""):
            return Text(owner.text.split(":")[0])
        if isinstance(owner, Class):
            method = owner.method(node.attr)
            if method and decorated(method, "classmethod"):
                return Bound(owner, node.attr, method)
            return method or owner.names.get(node.attr) or Bound(owner, node.attr)
        if isinstance(owner, Many) and node.attr in ("values", "indices") and len(owner.items) == 2:  # x.max(1)
            return owner.items[node.attr == "indices"]
        return Bound(owner, node.attr) if owner is not None else Bound(None, node.attr)

    def named(self, node, name):
        """tf.keras.Sequential is the same as an import, since TensorFlow loads its Keras when it is first used."""
        if not self.tf_keras and (name + ".").startswith("tensorflow.keras."):
            self.tf_keras = True
            event = self.note(node, "import", name)
            if event:
                event["used"] = "yes"  # no statement of import: what follows is reached all the same
        for module in CLOSED:
            member = name[len(module) + 1 :].split(".")[0] if name.startswith(module + ".") else ""
            if member and member not in MEMBERS[module] and not self.matters(name) and not member.startswith("_") and \
                    not difflib.get_close_matches(member, MEMBERS[module], 1, 0.86):
                self.mistake(node, "a name that tf.config lacks", module + "." + member)
        self.never_was(node, name)

    def never_was_in_lambdas(self):
        """Names in the bodies of functions without a name, which only a library calls."""
        for node in self.lambdas:
            taken = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
            for one in ast.walk(node.body):
                root = one
                while isinstance(root, ast.Attribute):
                    root = root.value
                full = self.tracing.full(one) if isinstance(one, ast.Attribute) and isinstance(root, ast.Name) and root.id not in taken else None
                if full and full.split(".")[0] in FRAMEWORKS:
                    self.never_was(one, full)

    def never_was(self, node, name):
        """A name that no release of its framework has had; a newer one may have it."""
        if self.guarded or name in self.own_names or self.is_of_tables(name) or self.pinned_for(name):
            return
        # tensorflow.python.keras is taken for tf.keras, and has modules of its own.
        if name.startswith("tensorflow.keras.") and "tensorflow.python.keras" in self.text:
            return
        said, name = name, OTHER_ROOTS.sub("pytorch_lightning.", name)
        for dot in [m.start() for m in re.finditer(r"\.", name)]:
            module, member = name[:dot], name[dot + 1 :].split(".")[0]
            row = re.sub(r"^(tensorflow\.|tf_)(?=keras\.)", "", module) if module not in self.members else module
            known, whole = self.members.get(row, MEMBERS.get(module)), module + "." + member
            if known is None or member in known or member.startswith("_") or member == "*":
                continue
            if row == "keras.models" and "." in name[dot + 1 :]:  # a module of Keras 3.0's: keras.models.sequential
                return
            if whole in self.own_names or whole in self.above or self.removed.has(name) or not ONLY_THESE.get(module, ANY_NAME).match(member):
                return
            near = difflib.get_close_matches(member, MEMBERS.get(module, ()), 1, 0.86)
            if near:
                self.mistake(node, "a name that %s lacks" % module.split(".")[0], whole, module + "." + near[0])
            if near or module in CLOSED:
                return
            near = self.nearest(member, known)
            of_layers = module.startswith(("torch.nn", "torch.optim", "torch.utils.data"))
            more = ["; %s.%s exists" % (module, near) if near else ""]
            if not OF_DEVICES.match(module) and not of_layers:
                self.mistake(node, "a name that a library never had", whole if said == name else said, *more, "ImportError" if isinstance(
                    node, (ast.Import, ast.ImportFrom)) else "AttributeError", doubted=True)
                return
            self.mistake(node, "a layer or an optimizer that torch never had" if of_layers else "a name that %s never had" % module.split(".")[0], whole,
                         *more, doubted=True)
            return

    @staticmethod
    def nearest(member, known):
        """The name that differs in its capitals alone, or else the one that is nearest; None: none is near."""
        public = sorted(one for one in known if not one.startswith("_"))
        small = next((one for one in public if one.lower().replace("_", "") == member.lower().replace("_", "")), None)
        return small or next(iter(difflib.get_close_matches(member, public, 1, 0.8)), None)

    def of_Subscript(self, node):
        owner = self.value(node.value)
        index = node.slice.value if type(node.slice).__name__ == "Index" else node.slice
        at = self.value(index)
        if isinstance(owner, Name) and owner.full == "os.environ":
            if isinstance(node.ctx, ast.Load):
                self.variables.read(node, text_of(at))
            return Thing("variable", name=text_of(at))
        if isinstance(owner, Thing):
            if owner.kind in ("gpus", "jax-devices"):
                self.keras.by_rank(node, owner, at)
            if owner.kind == "jax-devices":
                if not isinstance(index, ast.Slice):
                    return self.jaxs.device(owner, at)
                return owner if index.lower is None else Thing("jax-devices", platform=owner["platform"], offset=True)
            if owner.kind in ("jax-tree", "jax-array"):
                return Thing(owner.kind, place=owner["place"])
            if owner.kind == "mapping" and isinstance(at, Text) and isinstance(at.value, str):
                return owner.attributes.get(at.value)
            if owner.kind == "mapping":
                return choice_of(list(owner.attributes.values()))
            if owner.kind == "gpus":
                return Thing("gpus", logical=owner["logical"], of=owner["of"]) if isinstance(index, ast.Slice) else Thing(
                    "gpu", logical=owner["logical"], varies=isinstance(at, Thing) and at["varies"],
                    one=isinstance(at, Text), of=owner["of"], index=at)
            if owner.kind in ("ndarray", "moved"):
                return owner
            if owner.kind == "sequence":
                return owner if isinstance(index, ast.Slice) else owner["item"]
            if owner.kind in ("outputs", "encoding"):
                return Thing("tensor", device=owner["device"], line=owner["line"])
            if owner.kind == "batch" and isinstance(at, Text) and isinstance(at.value, str):
                return owner.attributes[at.value] if at.value in owner.attributes else self.item_of(owner, node)
            if owner.kind == "tensor":
                if owner["scalar"] and isinstance(at, Text) and type(at.value) is int:
                    self.mistake(node, "a number taken from a loss by its index", self.written(node))
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                self.torch.indexed(node, owner, at.items if isinstance(at, Many) else [at])
                rows = isinstance(at, Thing) and at.kind == "tensor" and bool(at["device"]) and not any(
                    at[key] for key in ("zero", "scalar", "element"))
                return Thing("tensor",
                             device=owner["device"],
                             line=owner["line"],
                             loader=owner["loader"],
                             cause=owner["cause"],
                             number=owner["number"],
                             grad=owner["grad"],
                             zero=not any(isinstance(part, ast.Slice) for part in parts) and not rows)
        if isinstance(owner, Many) and owner.open:
            return owner if isinstance(index, ast.Slice) else self.item_of(owner)
        if isinstance(owner, Many) and isinstance(at, Text) and isinstance(at.value, int):
            if -len(owner.items) <= at.value < len(owner.items):
                return owner.items[at.value]
        return None

    def of_Dict(self, node):
        known = Thing("mapping", path=self.path)
        for key, value in zip(node.keys, node.values):
            name, held = self.value(key), self.value(value)
            if key is None:
                merge_mapping(known, held)
            elif isinstance(name, Text) and isinstance(name.value, str):
                known.attributes[name.value] = held
                known.nodes[name.value] = key
        if any(name in VARIABLES for name in known.attributes):  # for an environment
            for name in known.attributes:
                self.misspelt(known.nodes[name], name)
        return known

    def of_List(self, node):
        return Many(self.spread_out(node.elts))

    def spread_out(self, nodes):
        """The values of these; of *these all where they are known."""
        found = []
        for node in nodes:
            value = self.value(node)
            starred = isinstance(node, ast.Starred)
            if starred and isinstance(value, Thing) and value.kind == "sequence":
                self.sequences[id(node)] = value
            found += value.items if starred and isinstance(value, Many) else [None if starred else value]
        return found

    of_Tuple = of_List

    def of_Starred(self, node):
        return self.value(node.value)

    def of_JoinedStr(self, node):
        parts, values = [], []
        for part in node.values:
            value = self.value(part.value if isinstance(part, ast.FormattedValue) else part)
            values.append(value)
            plain = not isinstance(part, ast.FormattedValue) or (part.conversion == -1 and part.format_spec is None)
            parts.append(form_of(value) if plain else UNKNOWN)
        return of_rank(text_or_form("".join(parts)), *values)

    def of_UnaryOp(self, node):
        value = self.value(node.operand)
        if isinstance(value, Text):
            if isinstance(node.op, ast.USub) and isinstance(value.value, (int, float)):
                return Text(-value.value)
            if isinstance(node.op, ast.Not):
                return Text(not value.value)
        return value if isinstance(value, Thing) and value.kind == "tensor" else None

    def of_BinOp(self, node):
        spine = [node]  # a + b + c + … leans to the left
        while isinstance(spine[-1].left, ast.BinOp):
            spine.append(spine[-1].left)
        left = self.value(spine[-1].left)
        for one in reversed(spine):
            left = self.both(one, left, self.value(one.right))
        return left

    def both(self, node, left, right):
        said = form_of(left), form_of(right)
        if isinstance(node.op, ast.Add) and is_form(left) + is_form(right) and len(said[0]) < 1000:
            return of_rank(text_or_form(said[0] + said[1]), left, right)
        if isinstance(left, Text) and isinstance(left.value, str) and isinstance(node.op, ast.Mod):
            given = right.items if isinstance(right, Many) else [right]
            try:
                return Text(left.value % tuple(one.value for one in given))
            except (TypeError, ValueError, AttributeError):
                said = re.sub(r"%[di]", NUMBER, left.value)
                return of_rank(text_or_form(re.sub(r"%[-#0 +]*\d*(?:\.\d+)?[a-z]", UNKNOWN, said)),
                               *given) if right is not left else None
        if isinstance(node.op, ast.BitOr) and isinstance(right, Thing) and right.kind == "mapping":
            known = Thing("mapping")
            merge_mapping(known, left)
            merge_mapping(known, right)
            return known
        numbers = [is_number(left), is_number(right)]
        if all(numbers) and isinstance(node.op, ast.Sub):
            self.training.elapsed(node, left, right)
        if all(numbers) and not (isinstance(left, Text) and isinstance(right, Text)):
            return Thing("number", varies=any(isinstance(v, Thing) and v["varies"] for v in (left, right)))
        arrays = [v for v in (left, right) if isinstance(v, Thing) and v.kind in ("jax-array", "jax-tree")]
        if arrays:
            self.jaxs.meet(node, arrays)
            return next((v for v in arrays if v["place"]), arrays[0])
        tensors = [v for v in (left, right) if isinstance(v, Thing) and v.kind == "tensor"]
        if len(tensors) == 2:
            self.torch.meet(node, tensors)
        arrays = [v for v in (left, right) if isinstance(v, Thing) and v.kind == "ndarray"]
        if arrays and not tensors:
            return arrays[0]
        whole = [t for t in tensors if not t["zero"] and not t["scalar"]] or tensors
        if whole and whole[0]["scalar"]:
            return Thing("tensor", device=whole[0]["device"], line=whole[0]["line"])
        return whole[0] if whole else None

    def of_BoolOp(self, node):
        self.conditions.either(node)
        self.conditions.flag_and_there(node)
        guards = bool(re.search(r"hasattr|version|VERSION", self.words_of(node)))
        self.guarded += guards
        values = [self.value(v) for v in node.values]
        self.guarded -= guards
        for one in node.values:
            self.truth_of(one)
        ends = isinstance(node.op, ast.Or)  # the first of this truth is the value
        for number, one in enumerate(values):
            if isinstance(one, Text) and bool(one.value) == ends:
                return one if all(
                    isinstance(v, Text) for v in values[:number]) else Text(ends) if self.deciding else None
        if all(isinstance(v, Thing) and v.kind == "gpus" for v in values):  # of GPUs, or else of CPUs
            return Thing("gpus", logical=values[0]["logical"] and values[-1]["logical"])
        left = [one for one in values if not isinstance(one, Text)]  # device or torch.device("cuda"), of a parameter that is None
        if len(left) == 1 and left[0] is values[-1] and not self.deciding:
            return left[0]
        return values[-1] if all(isinstance(v, Text) for v in values) else None

    def of_Compare(self, node):
        left = self.value(node.left)
        rights = [self.value(c) for c in node.comparators]
        tensors = [v for v in [left] + rights if isinstance(v, Thing) and v.kind == "tensor"]
        if len(tensors) == 2 == 1 + len(rights) and not isinstance(node.ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)):
            self.torch.meet(node, tensors)
            return Thing("tensor", device=tensors[0]["device"], line=tensors[0]["line"], cause=tensors[0]["cause"])
        if len(rights) == 1 and isinstance(left, Thing) and left.kind == "tensor" and is_number(rights[0]):
            return Thing("tensor", device=left["device"], line=left["line"])
        self.compared(node, left, rights)
        if len(rights) != 1 or not isinstance(left, Text):
            return None
        op, right = type(node.ops[0]).__name__, rights[0]
        if isinstance(right, Text):
            if op in ("Eq", "Is"):
                return Text(left.value == right.value)
            if op in ("NotEq", "IsNot"):
                return Text(left.value != right.value)
            if op in ("In", "NotIn") and isinstance(left.value, str) and isinstance(right.value, str):
                return Text((left.value in right.value) == (op == "In"))
        if isinstance(right, Many) and op in ("In", "NotIn") and all(isinstance(i, Text) for i in right.items):
            return Text(any(left.value == i.value for i in right.items) == (op == "In"))
        return None

    def compared(self, node, left, rights):
        """device == "cuda" of a torch.device: it equals no text."""
        if len(rights) == 1:
            self.answers.compared(node, left, rights[0])
        if len(rights) != 1 or not isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In, ast.NotIn)):
            return self.conditions.compared(node, left, rights)
        one, other = left, rights[0]
        if isinstance(other, Place) and isinstance(node.ops[0], (ast.Eq, ast.NotEq)):
            one, other = other, one
        texts = other.items if isinstance(other, Many) else [other]
        if isinstance(one, Place) and not one.said and texts and all(
                isinstance(t, Text) and isinstance(t.value, str) for t in texts):
            self.mistake(node, "a device that is compared with a text", self.written(node))
        self.conditions.compared(node, left, rights)

    def of_IfExp(self, node):
        test = self.decide(node.test)
        if isinstance(test, Text):
            return self.value(node.body if test.value else node.orelse)
        if isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], (ast.Is, ast.IsNot)) and getattr(
                node.test.comparators[0], "value", "") is None:
            of = self.find_value(node.test.left)
            if isinstance(of, Thing) and of.kind in ("host-data", "tensor"):  # it is something
                return self.value(node.body if isinstance(node.test.ops[0], ast.IsNot) else node.orelse)
        guards = bool(re.search(r"hasattr|version|VERSION", self.words_of(node.test)))
        self.guarded += guards
        with Branch(self, "a"):
            one = self.value(node.body)
        with Branch(self, "b"):
            other = self.value(node.orelse)
        self.guarded -= guards
        self.conditions.chosen(node, node.test, one, other)
        return join(one, other)

    def truth_of(self, node, decides=False):
        """What decides as true or false by itself."""
        while isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            node = node.operand
        if self.deciding or decides:
            self.answers.true_of(node)
        self.asked_without_brackets(node)

    def asked_without_brackets(self, node):
        """if torch.cuda.is_available: a function is always true."""
        if isinstance(node, (ast.Attribute, ast.Name)) and self.full(node) in ASKED:
            self.mistake(node, "a question without its brackets", self.full(node))

    def of_NamedExpr(self, node):
        value = self.value(node.value)
        self.assign(node.target, value)
        return value

    def of_Lambda(self, node):
        if not self.guarded and not self.source:
            self.lambdas.append(node)
        return Function(node, self.scope)

    def of_Await(self, node):
        return self.value(node.value)

    def of_Call(self, node):
        self.called = node.func
        called = self.value(node.func)
        values = self.spread_out(node.args)
        words = Words()
        for keyword in node.keywords:
            given = self.value(keyword.value)
            if keyword.arg is None and isinstance(given, Thing) and given.kind == "mapping":
                words.update(given.attributes)
                words.nodes.update(given.nodes)
            else:
                words[keyword.arg] = given
        if isinstance(called, (Name, Bound)) and any(is_default(one, called) for one in values + list(words.values())):
            return self.call_by_default(node, called, values, words)
        if isinstance(called, (Name, Function, Class, Bound, Thing)):
            return self.call_value(node, called, values, words)
        if isinstance(node.func, ast.Name) and node.func.id == "setattr" and len(values) == 3:
            self.set_member(*values)
        if isinstance(node.func, ast.Name) and node.func.id == "map" and len(values) > 1 and isinstance(values[0], Function):
            self.follow(values[0], [None] * (len(values) - 1), {}, node)
        if isinstance(node.func, ast.Attribute) and node.func.attr == "tolist" and not node.args:
            return Thing("host-data")
        if not isinstance(node.func, ast.Name) or node.func.id not in BUILTINS:
            self.hand_over(values + list(words.values()), node)
            for one in values:
                if isinstance(one, Thing) and one.kind == "tensor":
                    self.training.works(one["device"])
        if isinstance(node.func, ast.Name) and node.func.id == "dict":
            known = Thing("mapping", path=self.path)
            merge_mapping(known, values[0] if values else None)
            known.attributes.update({name: value for name, value in words.items() if name})
            known.nodes.update({keyword.arg: keyword.value for keyword in node.keywords})
            return known
        if isinstance(node.func, ast.Name) and node.func.id in ("str", "int") and len(values) == 1 and text_of(
                values[0]):
            try:
                return Text(str(values[0].value) if node.func.id == "str" else int(values[0].value))
            except ValueError:
                return None
        if isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(values) == 2 and isinstance(
                values[0], Name) and values[0].full == "torch":  # getattr(torch, args.dtype), as it is where nothing is said
            of = values[1]["default"] if isinstance(values[1], Thing) and values[1].kind == "option" else values[1]
            return Name("torch." + text_of(of)) if text_of(of) in NUMBER_NAMES else None
        if isinstance(node.func, ast.Name) and node.func.id == "bool" and len(node.args) == 1:
            self.answers.true_of(node.args[0])
        if isinstance(node.func, ast.Name) and node.func.id == "str" and len(values) == 1:
            said = self.answers.as_text(values[0])
            if said is not None:
                return said
        if isinstance(node.func, ast.Name) and node.func.id == "zip" and values and all(
                isinstance(v, Many) and len(v.items) == len(values[0].items) for v in values):
            return Many([Many(list(row)) for row in zip(*(v.items for v in values))])
        if isinstance(node.func, ast.Name) and node.func.id == "zip" and values:
            return Thing("zipped", items=values)
        if isinstance(node.func, ast.Name) and node.func.id == "str" and len(values) == 1 and is_number(values[0]):
            return Thing("form", text=NUMBER, rank=isinstance(values[0], Thing) and values[0]["rank"], horovod=isinstance(values[0], Thing) and values[0]["horovod"])
        if isinstance(node.func, ast.Name) and node.func.id == "len" and len(values) == 1:
            self.counted(node, values[0])
        if isinstance(node.func, ast.Name) and node.func.id in ("len", "int", "range"):
            of = values[0] if values and isinstance(values[0], Thing) and node.func.id == "int" else None
            return Thing("range" if node.func.id == "range" else "number",
                         rank=of is not None and (of.kind.startswith("variable") and of["name"] in RANKS_OF_ALL or
                                                  of.kind == "number" and of["rank"]),
                         varies=of is not None and of["varies"])
        if isinstance(node.func, ast.Name) and node.func.id == "tuple" and values and isinstance(values[0], Thing) and \
                values[0].kind == "sequence":
            return values[0]
        if isinstance(node.func, ast.Name) and node.func.id in ("list", "tuple") and values and isinstance(
                values[0], Many):
            made = Many(list(values[0].items))
            made.open = values[0].open
            return made
        if isinstance(node.func, ast.Name) and node.func.id in ("list", "iter", "enumerate", "tqdm", "sorted", "next"):
            return self.through(node.func.id, values)
        return None

    def counted(self, node, of):
        """len(tf.config.list_physical_devices('GPU')), which counts hidden GPUs as well."""
        listed = isinstance(node.args[0], ast.Call) and (self.full(node.args[0].func) or "").endswith("list_physical_devices")
        # What stands under `if gpus:` runs wherever there is a GPU to hide.
        hiding = [(tuple(step for step in path if step not in self.with_listed), at) for path, at in self.hidden_in_part]
        before = [at for path, at in hiding if self.path[: len(path)] == path]
        if listed and before and isinstance(of, Thing) and of.kind == "gpus" and not self.deciding:
            self.mistake(node, "a count of GPUs that are hidden", self.written(node), other=before[0])

    @staticmethod
    def set_member(owner, name, value):
        """setattr(owner, name, value): where the name is not known, it may be any of the members."""
        if isinstance(owner, Thing):
            said = text_of(name)
            for one in list(owner.attributes) if said is None else [said]:
                owner.attributes[one] = value if said is not None else None

    def through(self, function, values):
        first = values[0] if values else None
        if function == "next":
            return self.item_of(first)
        if function == "enumerate" and isinstance(first, Many):
            return Many([Many([Text(number), item]) for number, item in enumerate(first.items)])
        return Thing("enumerate", of=first) if function == "enumerate" and first is not None else first

    def ipython(self, node, name, texts):
        """get_ipython().run_line_magic('time', 'x = 1'), as exports of notebooks have it."""
        if name in ("run_line_magic", "magic"):
            source = without_magic("%" + " ".join(texts))
        elif name in ("system", "getoutput"):
            source = without_magic("!" + " ".join(texts))
        elif name == "run_cell_magic" and len(texts) == 3 and texts[0] in PYTHON_CELLS:
            source = texts[2]
        else:
            return
        try:
            body = parsed(source).body
        except SyntaxError:
            return
        for inner in (inner for statement in body for inner in ast.walk(statement) if hasattr(inner, "lineno")):
            inner.lineno = node.lineno
            inner.cell = getattr(node, "cell", self.cell)
        self.statements(body)
