"""Calls of a script that is followed: of frameworks, of things and of the script's own functions and classes; for the reader of scripts."""


class Calls:
    def call_name(self, node, name, values, words):
        first = text_of(values[0]) if values else None
        if name in CHILDREN and is_form(values[0] if values else None) and INSTALLS.match(form_of(values[0])):
            return installs(self, node, form_of(values[0]))
        self.given.call(node, name, values, words)
        self.variables.call(node, name)
        self.training.call(node, name, values, words)
        if name in CHILDREN:
            self.starts_programs = True
            self.children.start(node, name, values, words)
        if name in ("os.environ.setdefault", "os.putenv", "os.environ.__setitem__") and len(values) > 1:
            doubted = name.endswith("default")
            self.set_variable(node, first, values[1], doubted)
        elif name == "os.environ.update":
            for keyword in node.keywords:
                self.set_variable(node, keyword.arg, words.get(keyword.arg), at=keyword.value)
            if node.args and isinstance(node.args[0], ast.Dict):
                self.update(node, node.args[0])
            elif values and isinstance(values[0], Thing) and values[0].kind == "mapping":
                self.update_all(node, values[0])
            elif values and isinstance(values[0], Thing) and values[0]["mappings"]:
                self.for_each_choice(values[0], lambda one: self.update_all(node, one))
        elif self.matters(name) or name.startswith("jax."):
            self.jax(node, name, values, words)
            if self.matters(name) and not self.is_same_setting(node, name, values, words):
                event = self.note(node, "call", name, self.arguments(node, values))
                given = values[0].items if values and isinstance(values[0], Many) else values[:1]
                if event and name.startswith("tensorflow.config.") and any(
                        isinstance(v, Thing) and v.kind == "gpu" and v["varies"] for v in given):
                    self.varying.append(event)
        if name in ("os.environ.copy", "copy.copy", "copy.deepcopy") and (values or name[0] == "o"):
            if name[0] == "o" or isinstance(values[0], Name) and values[0].full == "os.environ":
                return Thing("mapping", environment=True, path=self.path)
        if name == "shlex.split" and values and is_form(values[0]):
            return self.of_text(values[0], "split", [], {})
        if name in CLOCKS:
            return self.training.reads_clock(node, name)
        if name in NUMBERS:
            return Thing("number", rank=name == "torch.distributed.get_rank", process=name == "jax.process_index",
                         current=name == "torch.cuda.current_device")
        if name in ("os.environ.get", "os.getenv") and first:
            self.variables.read(node, first)
            plain = len(values) == 1 and not words
            return Thing("variable" if plain else "variable or default", name=first,
                         default=values[1] if len(values) > 1 else words.get("default"),
                         texts=len(values) > 1 and isinstance(values[1], Text) and isinstance(values[1].value, str))
        if name in RUNNERS and values and isinstance(values[0], Function):
            return self.follow(values[0], [], {}, node)
        if name == "torch.utils.checkpoint.checkpoint" and values and (isinstance(values[0], Function) or isinstance(
                values[0], Bound) and isinstance(values[0].value, Function)):
            return self.call_value(node, values[0], values[1:], Words())
        if name.rsplit(".", 1)[-1] in ("tqdm", "trange") and values:
            return values[0]
        if values and TO_NUMPY.match(name):
            whole = name in ("numpy.array", "numpy.asarray") or not name.startswith("numpy.")
            for one in values[:1 if name.startswith("numpy.") else 2]:
                if whole or isinstance(one, Many):
                    self.torch.to_numpy(node, one)
        if name == "functools.partial" and values and (len(values) > 1 or words):
            if isinstance(values[0], Name):
                self.removed.call(node, values[0].full, words)
                self.jax(node, values[0].full, values[1:], words)
                if values[0].full.startswith("jax."):
                    self.jaxs.call(node, values[0].full, [None] + values[1:], words)
            return Thing("partial", of=values[0], given=values[1:], words=words)
        if name == "dataclasses.field":
            made = words.get("default_factory")
            if isinstance(made, Class):
                return self.make(made, [], {}, node)
            return self.follow(made, [], {}, node) if isinstance(made, Function) else words.get("default")
        if name == "dataclasses.asdict" and values and isinstance(values[0], Thing) and values[0]["fields"]:
            made = Thing("mapping", path=self.path)
            made.attributes = dict(values[0].attributes)
            return made
        if name in ("functools.partial", "itertools.cycle", "copy.deepcopy", "copy.copy") and values:
            return values[0] if name != "copy.deepcopy" else self.torch.copied(node, values[0])
        self.removed.name(node.func, name)
        self.removed.call(node, name, words)
        own = self.keras.call(node, name, values, words)
        made = self.tensorflow(node, name, values, words)
        for known in (own, self.jaxs.call(node, name, values, words), self.answers.call(name)):
            made = known if made is None else made
        if made is None:
            made = self.torch.call(node, name, values, words)
        if made is None:
            made = self.libraries.call(node, name, values, words)
        if made is None:
            self.hand_over(values + list(words.values()), node, name.rsplit(".", 1)[-1] in SPAWNERS, self.given_to_target(node, words))
        return made

    def given_to_target(self, node, words):
        """What Process(target=f, args=(…)) gives to f."""
        return self.items_of(words.get("args"), self.keyword_of(node, "args")) if isinstance(words.get("target"), Function) else []

    @staticmethod
    def items_of(given, written):
        """What args=(…) holds for a function of another process; nothing where a * hides how many there are."""
        plain = not any(isinstance(one, ast.Starred) for one in getattr(written, "elts", ()))
        return list(given.items) if isinstance(given, Many) and plain else []

    def hand_over(self, values, node, spawned=False, given=()):
        """What a foreign function gets it may change; a function that another process is given starts anew there."""
        for value in values:
            if isinstance(value, Many):
                self.hand_over(value.items, node, spawned)
            if isinstance(value, Thing) and value.kind == "partial":
                value = value["of"]
            if isinstance(value, Function) and spawned and not value.followed:
                value.followed = True
                before, self.path = self.path, ("p%d:" % node.lineno,)
                self.follow(value, list(given), {}, node, forced=True)
                self.path = before
            if isinstance(value, Thing):
                if value.kind == "mapping":
                    value.attributes.clear()
                if value.kind == "sequence":
                    if isinstance(value["item"], Thing):  # of tuple(inputs.values()), nothing is known of what is in it
                        self.change(value["item"], "device", None)
                    self.hand_over([value["item"]], node, spawned)
                self.change(value, "escaped", True)
                self.change(value, "late", None)
                if value.kind in ("instance", "module") and (value["class"] or value["hf"]):
                    self.change(value, "device", None)

    def call_method(self, node, bound, values, words):
        thing, attribute = bound.thing, bound.name
        if isinstance(bound.value, Function):
            if decorated(bound.value, "classmethod") and isinstance(thing, Thing):
                thing = thing["class"]
            first = [] if decorated(bound.value, "staticmethod") else [thing]
            return self.follow(bound.value, first + values, words, node)
        if self.is_super(node) and self.inside and self.inside[-1].owner:
            for parent in self.inside[-1].owner.parents:
                method = parent.method(attribute)
                if method:
                    return self.follow(method, [self.scope.names.get("self")] + values, words, node)
        if attribute in ("to", "cuda") and values and text_of(values[0]) is not None:
            self.note(node, "call", "." + attribute, text_of(values[0]))
        if attribute == "pop" and values:
            self.take_out(thing, values[0])
        if isinstance(thing, Many) and attribute in ("append", "extend", "insert", "pop", "remove", "clear"):
            return self.grow(thing, attribute, values)
        if is_form(thing) and attribute in ("format", "split", "strip", "lower", "upper"):
            return self.of_text(thing, attribute, values, words)
        if isinstance(thing, Thing) and thing.kind == "option" and is_form(thing["default"]) and attribute in ("split", "strip"):
            return Thing("option", default=self.of_text(thing["default"], attribute, values, words))
        if isinstance(thing, Text) and isinstance(thing.value, str) and attribute == "join" and values:
            return self.answers.join(node, thing.value, values[0])
        of = node.func.value if isinstance(node.func, ast.Attribute) else None
        if isinstance(of, ast.Call) and getattr(of.func, "id", "") == "get_ipython":
            texts = [v.value for v in values if isinstance(v, Text) and isinstance(v.value, str)]
            return self.ipython(node, attribute, texts) if len(texts) == len(values) else None
        for part in (self.keras, self.jaxs) if isinstance(thing, Thing) else ():
            known, answer = part.method(node, thing, attribute, values, words)
            if known:
                return answer
        if isinstance(thing, Thing):
            if thing.kind in ("keras-model", "layer") or (attribute == "compile" and thing.kind == "instance"):
                return self.keras_method(node, thing, attribute, words)
            if thing.kind == "strategy" and attribute in ("run", "experimental_run_v2") and values:
                return self.follow(values[0], [], {}, node) if isinstance(values[0], Function) else None
            if thing.kind == "gpus":
                return None
            if thing.kind == "parser":
                return self.of_parser(node, thing, attribute, values, words)
            if thing.kind == "mapping" and attribute == "update":
                merge_mapping(thing, values[0] if values else None, not values or bool(self.journal))
                thing.attributes.update({} if self.journal else {n: v for n, v in words.items() if n})
                return None
            if thing.kind == "mapping" and attribute == "get" and values and not isinstance(values[0], Text):
                return choice_of(list(thing.attributes.values()))
            if thing.kind == "mapping" and attribute == "get" and values and isinstance(values[0].value, str) and \
                    values[0].value in thing.attributes:
                return thing.attributes[values[0].value]
            if thing.kind == "mapping" and attribute in ("values", "items") and thing.attributes:
                return self.members_of(thing, attribute)
            if thing["mappings"] and attribute == "items":
                return Thing("choice", items=[], mappings=thing["mappings"], way=attribute)
            if thing.kind == "encoding" and attribute in ("pop", "get"):
                return Thing("tensor", device=thing["device"], line=node.lineno)
            if thing.kind in ("batch", "encoding") and attribute in ("values", "items"):
                item = self.item_of(thing, node)
                return Thing("sequence", item=item if attribute == "values" else Many([None, item]))
            if thing.kind == "mapping" and attribute not in ("get", "items", "keys", "values"):
                thing.attributes.clear()
            if thing.kind in ("jax-array", "jax-tree") and attribute in ("device", "device_buffer") and not values and \
                    not words:
                return self.mistake(node, "a JAX array's device()", self.written(node))
        elif attribute == "compile" and isinstance(node.func.value, ast.Name) and "optimizer" in words:
            made = Thing("keras-model", line=node.lineno, under=self.device)  # whoever made it
            self.scope.names[node.func.value.id] = made
            return self.keras_method(node, made, attribute, words)
        # scikit-learn's models have the one, and none has the other.
        of_keras = attribute == "predict_proba" and isinstance(node.func, ast.Attribute) and self.written(node.func.value) + ".predict_classes(" in self.text
        if (of_keras or attribute in ("fit_generator", "predict_generator", "evaluate_generator", "predict_classes")) and not set(words) - OF_GENERATORS:
            self.note(node, "call", "tensorflow.keras.Model." + attribute,
                      self.arguments(node))  # Keras alone has these, but for classes with arguments of their own
        if attribute == "experimental_run_v2":
            self.note(node, "call", "tensorflow.distribute.Strategy." + attribute, self.arguments(node))
        if attribute in ("get_gradients", "get_updates") and self.keras.roots & {"tensorflow", "keras"} and \
                "optim" in self.written(node.func.value).lower():
            self.note(node, "call", "tensorflow.keras.optimizers.Optimizer." + attribute, self.arguments(node))
        if attribute == "device" and not values and not words and not isinstance(thing, Thing) and \
                "jax" in self.keras.roots and not self.keras.roots & {"torch", "tensorflow", "cupy", "numba"}:
            self.mistake(node, "a JAX array's device()", self.written(node), doubted=True)
        if attribute in ("getint", "getfloat") and values:  # of a configparser
            return Thing("number")
        if attribute == "getsockname" and not values:  # of a socket: (address, port)
            return Many([None, Thing("number")])
        if attribute == "astype":
            kinds = values[:1]
            if any(isinstance(k, Name) and k.full == "jax.numpy.float64" for k in kinds):
                self.float64.append((node, self.source))
            made = self.libraries.cast(thing, node, kinds[0] if kinds else words.get("dtype"))
            if made is not None:
                return made
        self.given.method(node, thing, attribute, values, words)
        if isinstance(thing, Thing):
            self.removed.method(node, thing, attribute, words)
        self.training.method(node, thing, attribute, values, words)
        answer = self.offload.method(node, thing, attribute, values, words)
        if answer is None:
            answer = self.libraries.method(node, thing, attribute, values, words)
        if answer is None:
            answer = self.torch.method(node, thing, attribute, values, words)
        if answer is None:
            self.hand_over(values + list(words.values()), node, attribute in SPAWNERS, self.given_to_target(node, words))
            if attribute in SPAWNERS and isinstance(thing, Name):
                return None
        return answer

    def grow(self, many, attribute, values):
        """list.append: in a loop or branch it is not known how often."""
        new = values[-1:] if attribute in ("append", "insert") else values[0].items if attribute == "extend" and \
            values and isinstance(values[0], Many) else [None]
        many.open = many.open or bool(self.journal) or attribute != "append"
        if len(many.items) < 100:
            many.items.extend(new)

    @staticmethod
    def of_text(thing, attribute, values, words):
        """A text's own methods, where some of it may not be known."""
        said = form_of(thing)
        if attribute == "format":
            filled = iter(values)
            return of_rank(text_or_form(re.sub(r"\{(\w*)[^{}]*\}", lambda m: form_of(
                words.get(m.group(1)) if m.group(1) and not m.group(1).isdigit() else
                next(filled, None) if not m.group(1) else None), said)), *values, *words.values())
        if attribute == "split":
            between = text_of(values[0]) if values else None
            return Many([text_or_form(part) for part in (said.split(between) if between or not values else [])])
        return text_or_form(getattr(said, attribute)()) if not values else None

    def of_parser(self, node, parser, attribute, values, words):
        """argparse: which options are numbers, and the texts that stand for others."""
        if attribute in ("add_argument_group", "add_mutually_exclusive_group"):
            return parser
        if attribute == "set_defaults":
            for word in words:
                parser.attributes.pop(word, None)
        if attribute in ("parse_args", "parse_known_args"):
            options = Thing("instance")
            options.attributes.update(parser.attributes)
            self.switches_that_are_set(parser)
            return options if attribute == "parse_args" else Many([options, None])
        if attribute != "add_argument":
            return None
        flags = [text_of(v) or "" for v in values]
        longs = [f for f in flags if f.startswith("--")] or flags
        name = text_of(words.get("dest")) or (longs[0].lstrip("-").replace("-", "_") if longs else "")
        kind = next((getattr(k.value, "id", None) for k in node.keywords if k.arg == "type"), None)
        if kind == "bool" and (ABOUT_DEVICES.search(name) or ABOUT_SPREADING.search(name) or TRAINS_BY.search(self.text)):
            self.mistake(next(k.value for k in node.keywords if k.arg == "type"), "an option of type bool", longs[0])
        if name in ("local_rank", "local-rank") and longs[0].startswith("--"):
            self.torch.launched.append((node, self.source))
        action, default = text_of(words.get("action")), words.get("default")
        if action in ("store_true", "store_false"):
            fixed = isinstance(default, Text) and default.value is (action == "store_true")
            self.change(parser, "switches", (parser["switches"] or []) + [(node, name, longs[0], fixed)])
        if action in ("store_true", "store_false") and name or name and any(k.arg == "action" and getattr(
                k.value, "attr", getattr(k.value, "id", "")) == "BooleanOptionalAction" for k in node.keywords):
            parser.attributes[name] = Thing("switch", default=default)
        nargs = words.get("nargs")
        counted = isinstance(nargs, Text) and type(nargs.value) is int
        several = text_of(nargs) in ("+", "*") or counted or action == "append"
        if name and several:
            parser.attributes[name] = Thing("option" if isinstance(default, Many) else "words", several=True,
                                            numbers=kind in ("int", "float"), default=default)
        elif name and isinstance(words.get("default"), Many) and "nargs" in words:
            parser.attributes[name] = Thing("option", default=words["default"])
        if name and not {"nargs", "action"} & set(words):
            if kind in ("int", "float"):
                parser.attributes[name] = Thing("number", default=words.get("default"), launched=name == "local_rank", rank=isinstance(
                    words.get("default"), Thing) and words["default"]["rank"])
            elif kind == "str" or "type" not in words:
                parser.attributes[name] = Thing("option", default=words.get("default"), choices=self.choices_of(words))
        return None

    @staticmethod
    def choices_of(words):
        """All texts that an option takes, its default among them; None: not known."""
        choices, default = words.get("choices"), words.get("default")
        items = [text_of(i) for i in choices.items] if isinstance(choices, Many) and not choices.open else [None]
        return None if None in items else items + ([text_of(default)] if text_of(default) is not None else [])

    def switches_that_are_set(self, parser):
        """--no-cuda of store_true whose default is True: given or not, there is no GPU."""
        switches = parser["switches"] or []
        for node, name, flag, fixed in switches:
            others = [one for one in switches if one[1] == name and one[0] is not node]
            changed = re.search(r"\b%s\s*=[^=]" % re.escape(name), self.text)
            if fixed and not others and not changed and AGAINST_GPU.match(name):
                self.mistake(node, "a switch whose default is its value", flag)
            elif not others and not changed and AGAINST_GPU.match(name) and self.is_true_if_not_given(node, name):
                self.mistake(node, "an option that chooses the other way round", self.written(node))

    def is_true_if_not_given(self, node, name):
        """--no-cuda of store_false, which is true where nobody gives it, and is always read as what leaves the GPU out."""
        action = next((k.value for k in node.keywords if k.arg == "action"), None)
        if getattr(action, "value", None) != "store_false" or any(k.arg in (None, "default", "dest") for k in node.keywords):
            return False
        reads = len(re.findall(r"\.%s\b" % re.escape(name), self.text))
        meant = r"\bnot (\w+\.)+%s\b|['\"]cpu['\"]\)? if (\w+\.)+%s\b" % (re.escape(name), re.escape(name))
        return 0 < reads == len(re.findall(meant, self.text)) and not re.search(r"\bvars\(|set_defaults|__dict__", self.text)

    @staticmethod
    def is_super(node):
        of = node.func.value if isinstance(node.func, ast.Attribute) else None
        return isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super"

    def keras_method(self, node, model, attribute, words):
        name = self.written(node.func)
        if self.strategy and self.strategy in (self.device, model["under"]):
            for _, made, _ in self.strategies:
                made.state["runs_keras"] = True
        usual = model["under"] is None and re.search(r"device\('/?(device:)?gpu:0'\)$", self.device or "", re.I)
        if attribute in MODEL_USES and self.device is not None and self.device != model["under"] and not usual:
            self.note(node, "placed-call", name, None, self.device, model["line"])
        elif attribute in MODEL_USES:
            self.note(node, "call", "." + attribute)
        if model.kind == "keras-model" and not model["class"]:
            self.of_keras_model(node, model, attribute, words)
        if attribute in MODEL_USES or attribute in ("compile", "build", "load_weights", "set_weights") or \
                attribute == "adapt" and model.kind == "layer":
            self.note(node, "call", "tensorflow.keras.Model." + attribute, self.arguments(node))
        if attribute == "add":
            return None
        return model if attribute in ("compile",) else None

    def of_keras_model(self, node, model, attribute, words):
        if attribute in MODEL_USES:
            self.old_arguments(node, "fit", words)
        if attribute == "save" and text_of(words.get("save_format")) and model["keras"] in ("tensorflow", "keras") and not (
                node.args and re.search(r"\.(keras|h5|hdf5)\b", self.written(node.args[0]))):
            self.mistake(self.keyword_of(node, "save_format"), "an argument that Keras 3 lacks", "save_format", "save", doubted=bool(
                node.args and not isinstance(node.args[0], ast.Constant)))
        for word in words if attribute in KEYWORDS and model["keras"] else ():
            if word and word not in KEYWORDS[attribute] and word not in OLD_ARGUMENTS["fit"]:
                self.mistake(node, "an argument that Keras never had", word, "%s()" % attribute)
        if attribute in ("to", "cuda",
                         "cpu") and model["keras"] and not (model["keras"] == "keras" and self.keras_on_torch()):
            self.mistake(node, "a move of a Keras model", self.written(node), doubted=model["keras"] == "keras")
        both = [words.get(word) for word in ("run_eagerly", "jit_compile")]
        if attribute == "compile" and all(isinstance(one, Text) and one.value is True for one in both):
            self.mistake(self.keyword_of(node, "jit_compile"), "XLA that eager execution switches off")
        if attribute == "compile" and self.strategy and self.strategy == self.device and model["keras"] and \
                model["under"] is None:
            at = [one for one, other in zip(model["calls"] or [], self.calls + [None])
                  if other is None or one[0] is not other[0]][:1]
            self.mistake(node, "a model made outside its strategy", self.written(node), self.device,
                         other=at[0][0] if at and at[0][1] == self.source else None)
        if attribute in ("compile", "fit") and self.policy and self.policy[0].startswith("mixed_") and \
                model["policy"] not in (None, self.policy[0]):
            before, self.source = self.source, self.policy[2]
            of = [at for at, source in self.policy[3] if source == self.source and not any(at is one for one, _ in model["calls"] or ())]
            self.mistake(self.policy[1], "a policy set after the model", self.policy[0], str(model["line"]), other=of[0] if of else None)
            self.source = before

    def keras_on_torch(self):
        """Whether Keras may run on PyTorch, whose modules its models then are."""
        return any(e["subject"] == "script-set-variable" and e["name"] == "KERAS_BACKEND" or
                   e["subject"] == "script-import" and e["name"].split(".")[0] == "torch" for e in self.events)

    def call_thing(self, node, thing, values, words):
        if thing.kind == "jitted":
            return self.jaxs.apply(node, thing, values, words)
        if thing.kind == "layer":
            self.note(node, "call", "tensorflow.keras.built")
            self.keras.built.append((node, self.path, self.source))
            return Thing("symbol")
        if thing.kind == "keras-model":
            if not any(isinstance(v, Thing) and v.kind == "symbol" for v in values):
                self.note(node, "call", "tensorflow.keras.Model.__call__")
                return self.keras.model_called(node, thing)
            return None
        if thing.kind == "tokenizer":
            return self.libraries.tokens(node, words)
        if thing.kind == "choice" and thing["items"]:
            return self.call_choice(node, thing["items"], values, words)
        if thing.kind == "partial":
            return self.call_value(node, thing["of"], thing["given"] + values, {**thing["words"], **words})
        if thing.kind in ("instance", "flax-module") and thing["class"]:
            method = thing["class"].method("__call__")
            if method:
                return self.follow(method, [thing] + values, words, node)
        return self.torch.apply(node, thing, values, words)

    def call_choice(self, node, functions, values, words):
        """One of several functions, each on a way of its own."""
        number, answers = self.number(), []
        for letter, function in zip("abcdefgh", functions):
            with Branch(self, number + letter):
                answers.append(self.call_value(node, function, values, words))
        answer = answers[0]
        for other in answers[1:]:
            answer = join(answer, other)
        return answer

    def call_by_default(self, node, called, values, words):
        """A foreign call with options as they are where nothing else is said."""
        for name, one in words.items():
            words[name] = one["default"] if is_default(one, called) else one
        before, self.by_options = self.by_options, True
        made = self.call_value(node, called, [one["default"] if is_default(one, called) else one for one in values], words)
        self.by_options = before
        return made

    def call_value(self, node, called, values, words):
        if isinstance(called, Name):
            return self.call_name(node, called.full, values, words)
        if isinstance(called, Function):
            return self.follow(called, values, words, node)
        if isinstance(called, Class):
            return self.make(called, values, words, node)
        if isinstance(called, Bound):
            return self.call_method(node, called, values, words)
        return self.call_thing(node, called, values, words) if isinstance(called, Thing) else None

    def follow(self, function, values, words, node, forced=False):
        """The body of a function, with what is known of its arguments."""
        if len(self.inside) >= DEEPEST_CALL or any(f.node is function.node for f in self.inside):
            return None
        if self.steps > MOST_STEPS and function.followed:
            return None
        function.followed = True
        if function.wrapped:
            values, words = self.torch.unwrapped(values), dict(zip(words, self.torch.unwrapped(words.values())))
        jitted = self.jaxs.is_jitted(function)
        all_given = values + list(words.values())
        if jitted:
            self.jaxs.meet(node, all_given)
        if any(d in ("tensorflow.function", "jax.jit") for d in function.decorators):
            self.note(node, "call", "%s called" % ("tensorflow.function" if "tensorflow.function" in function.decorators
                                                   else "jax.jit"))
        scope = Scope(function.scope)
        parameters = function.node.args
        named = getattr(parameters, "posonlyargs", []) + parameters.args
        defaults = [None] * (len(named) - len(parameters.defaults)) + list(parameters.defaults)
        before = self.scope, self.results, self.device if forced else None, self.source, self.path
        left, self.left = self.left, []
        for number, (parameter, default) in enumerate(zip(named, defaults)):
            given = parameter.arg in words or number < len(values)
            value = values[number] if number < len(values) else words.get(parameter.arg)
            if not given and default is not None and not forced:
                value = self.value(default)
            if given and value is None and parameter.annotation is not None and OF_NUMBERS.search(self.written(parameter.annotation)):
                value = Thing("host-data")
            scope.names[parameter.arg] = value
        for parameter, default in zip(parameters.kwonlyargs, parameters.kw_defaults):
            value = words.get(parameter.arg)
            scope.names[parameter.arg] = self.value(default) if value is None and default is not None else value
        for rest in (parameters.vararg, parameters.kwarg):
            if rest:
                scope.names[rest.arg] = None
        if "tensorflow.function" in function.decorators:
            scope.names = {name: value if isinstance(value, Thing) and
                           (name == "self" or value.kind == "tf-batch") else None for name, value in scope.names.items()}
        self.scope, self.results = scope, []
        self.source = function.file
        self.inside.append(function)
        self.calls.append((node, before[3]))
        self.jaxs.tracing += jitted
        free = bool(function.wrapped) or any(str(d).rsplit(".", 1)[-1] in ("no_grad", "inference_mode")
                                             for d in function.decorators)
        self.training.without += free
        cast = bool(function.wrapped) or any("autocast" in str(d) or "custom_fwd" in str(d)
                                             for d in function.decorators)
        self.training.casts += cast
        try:
            if isinstance(function.node, ast.Lambda):
                return self.value(function.node.body)
            self.statements(function.node.body)
            results = self.results
        finally:
            self.inside.pop()
            self.calls.pop()
            self.jaxs.tracing -= jitted
            self.training.without -= free
            self.training.casts -= cast
            self.scope, self.results, _, self.source, self.path = before
            left, self.left = self.left, left
        for thing, key, value in left:
            if thing.state.get(key) != value:
                self.change(thing, key, None)  # it depends on where the function ended
        answer = results[0] if results else None
        for other in results[1:]:
            answer = join(answer, other)
        if function.wrapped:
            answer = self.torch.unwrapped([answer])[0]
        return self.jaxs.tree(all_given, None) if jitted and answer is None else answer

    def make(self, of, values, words, node):
        bases = of.all_bases()
        flax = any(re.match(r"(flax|equinox|haiku)\.(\w+\.)*Module$", b) for b in bases)
        module = not flax and any(b.endswith((".Module", "LightningModule")) or b.startswith((
            "torch.nn.", "torchvision.")) for b in bases)
        keras = any(b.split(".")[0] in FRAMEWORKS and b.endswith(("keras.Model", "models.Model", ".Layer"))
                    for b in bases)
        kind = "module" if module else "keras-model" if keras else "flax-module" if flax else "instance"
        thing = Thing(kind, **{"class": of, "line": node.lineno, "under": self.device, "made": (node, self.source)})
        if module:
            thing.state["device"] = self.torch.default
            thing.state["number"] = None if self.training.says(OTHER_DEFAULT) else "float32"
            self.torch.made_before = True
            self.torch.makings.setdefault(of, []).append(thing)
            self.training.draws(node)
        init = of.method("__init__")
        if init and module and any(b.endswith("LightningModule") for b in bases):
            self.device_in_init(init)
        if init:
            self.follow(init, [thing] + values, words, node)
        elif of.fields is not None:
            for number, field in enumerate(of.fields):
                known = values[number] if number < len(values) else words.get(field, of.names.get(field))
                if None in words and number >= len(values) and field not in words:
                    known = self.default_of(known, of.kinds.get(field))
                thing.attributes[field] = known
            thing.state["fields"] = True
            after = of.method("__post_init__")
            if after:
                self.follow(after, [thing], {}, node)
        if any("parameters" in b for b in bases) or module and self.torch.is_without_weights(of, thing):
            thing.state["device"] = None
        return thing

    @staticmethod
    def default_of(value, kind):
        """What a field may be whose value a file or a command line can set."""
        if kind in ("int", "float") and is_number(value):
            return Thing("number", default=value)
        if isinstance(value, Thing) and value.kind == "mapping" and re.match(r"(\w+\.)?[dD]ict\b", kind or ""):
            return value  # what it is where nothing is said
        return Thing("option", default=value) if kind == "str" and is_form(value) else None

    def device_in_init(self, init):
        """self.device of a LightningModule, before the trainer has moved it; what only the constructor uses may lie there."""
        kept = [one for statement in init.node.body for one in ast.walk(statement) if isinstance(one, (ast.Assign, ast.AnnAssign)) and any(
            isinstance(target, ast.Attribute) for target in getattr(one, "targets", [getattr(one, "target", None)]))]
        for node in (part for one in kept for part in ast.walk(one)):
            if isinstance(node, ast.Attribute) and node.attr == "device" and isinstance(node.ctx, ast.Load) and \
                    getattr(node.value, "id", "") == "self" and not init.file:
                self.mistake(node, "self.device in a LightningModule's __init__", "self.device")
                return
