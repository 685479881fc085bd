"""What assignments and environment variables of a script that is followed change; for the reader of scripts."""


class Changes:
    def change(self, thing, key, value):
        if self.journal:
            self.journal[-1].note(thing, key)
        thing.state[key] = value

    def set_variable(self, node, name, value, doubted=False, at=None):
        """`at`: where its name and value are written, if that is elsewhere."""
        if name is None:
            return
        if is_no_text(value):
            said = repr(value.value) if isinstance(value, Text) else "a number"
            self.mistake(at or node, "os.environ of what is no text", "%s = %s" % (name, said))
        self.misspelt(at or node, name)
        self.variables.set(at or node, name)
        self.torch.hidden_by(at or node, name, value, doubted)
        if name == "KERAS_BACKEND" and text_of(value) is not None and text_of(value).lower() not in BACKENDS:
            self.mistake(node, "a backend that Keras doesn't know", text_of(value))
        self.not_taken(at or node, name, value)
        self.answers.visible(at or node, name, value)
        self.keras.by_rank(at or node, name, value)
        self.jaxs.variable(at or node, name, value)
        self.keras.variable(at or node, name, value)
        self.note(node, "set-variable", name, text_of(value), doubted=doubted)

    def not_taken(self, node, name, value):
        self.variables.allocator(node, name, value)
        self.variables.workspace(node, name, value)
        taken, said = TAKEN.get(name), text_of(value)
        if taken and said and is_form(value) and not re.fullmatch(taken[0], said):
            self.mistake(node, "a value that a variable doesn't take", said, name, taken[1])

    def misspelt(self, node, name):
        if name in VARIABLES:
            return
        near = difflib.get_close_matches(name.upper(), VARIABLES, 1, 0.9)
        if not near and self.variables.is_slip(name):
            near = [self.variables.is_slip(name)]
        words = set(name.upper().split("_"))
        if not near and {"CUDA", "VISIBLE"} <= words and words & {"DEVICE", "DEVICES", "GPU", "GPUS"}:
            near = ["CUDA_VISIBLE_DEVICES"]
        if near and not (name.startswith("TF_CPP") or name in ("CUDA_DEVICE", "JAX_PLATFORM")):
            self.mistake(node, "a variable that nothing reads", name, near[0])

    def update(self, node, pairs):
        for key, value in zip(pairs.keys, pairs.values):
            self.set_variable(node, text_of(self.value(key)) if key else None, self.value(value), at=key)

    def update_all(self, node, mapping):
        """os.environ.update(…) of a dictionary that was made before: a mistake stands where its member does."""
        for name, value in list(mapping.attributes.items()):
            self.set_variable(node, name, value, at=mapping.nodes.get(name))

    def assign(self, target, value):
        if isinstance(target, ast.Name):
            self.scope.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = value.items if isinstance(value, Many) else None
            if isinstance(value, Thing) and value["parameter"] and len(target.elts) == 2:
                items = [None, value]  # for name, parameter in model.named_parameters()
            for number, one in enumerate(target.elts):
                one = one.value if isinstance(one, ast.Starred) else one
                known = items and len(items) == len(target.elts)
                each = value if isinstance(value, Thing) and value.kind in (
                    "batch", "gpus", "sequence", "jax-tree", "jax-devices", "tf-batch", "tensor") else None
                if each is not None and each.kind == "jax-devices":
                    each = self.jaxs.device(each, None if each["offset"] else Text(number))
                elif each is not None:
                    each = self.item_of(each)
                if isinstance(each, Thing) and value.kind == "batch" and len(value["loader"]["numbers"] or ()) == len(target.elts):
                    kind = value["loader"]["numbers"][number]
                    each.state.update(number=kind, double=kind == "float64")
                self.assign(one, items[number] if known else each)
        elif isinstance(target, ast.Attribute):
            self.assign_attribute(target, value)
        elif isinstance(target, ast.Subscript):
            owner = self.value(target.value)
            index = target.slice.value if type(target.slice).__name__ == "Index" else target.slice
            if isinstance(owner, Name) and owner.full == "os.environ":
                self.set_variable(target, text_of(self.value(index)), value)
            elif isinstance(owner, Thing) and owner.kind == "layout-map":
                self.keras.layout(target, value, owner["mesh"])
            elif isinstance(owner, Thing) and owner.kind == "encoding":
                self.change(owner, "device", None)
            elif isinstance(owner, Thing) and owner.kind == "batch":
                key = self.value(index)
                if isinstance(key, Text):
                    owner.attributes[key.value] = value
                else:  # in a loop over all that it holds
                    self.change(owner, "moved", True)
                    self.change(owner, "device", value["device"] if isinstance(value, Thing) else None)
            elif isinstance(owner, Thing) and owner.kind == "tensor":
                at = self.value(index)
                self.torch.indexed(target, owner, at.items if isinstance(at, Many) else [at])
            elif isinstance(owner, (Bound, Thing)) and self.torch.holder(owner):
                self.torch.late_part(target, owner, value)
            elif isinstance(owner, Thing) and owner.kind == "mapping":
                key = self.value(index)
                if isinstance(key, Text):
                    owner.nodes[key.value] = target
                if not isinstance(key, Text):
                    owner.attributes.clear()
                elif self.journal and owner["path"] != self.path and not same(owner.attributes.get(key.value), value):
                    owner.attributes[key.value] = join(owner.attributes.get(key.value), value)
                else:
                    owner.attributes[key.value] = value

    def assign_attribute(self, target, value):
        name = self.full(target)
        if name:
            self.own_names.add(name)
            module, _, last = name.rpartition(".")
            if name in OVERWRITTEN or SETTERS.match(name) and isinstance(value, (Text, Many)):
                self.mistake(target, "a function that is overwritten", name)
            if module == "jax.config" and last in JAX_OPTIONS:
                self.mistake(target, "an option of JAX that is assigned", name)
            if module in TORCH_SWITCHES and last not in TORCH_SWITCHES[module]:
                self.mistake(target, "a switch that torch.backends lacks", name)
            if module in SETTINGS_OF_TF and last not in MEMBERS.get(module, ()) and not SETTERS.match(name) and not re.search(
                    r"config\.(\w+\.)?%s\b(?!\s*=[^=])|getattr\(|hasattr\(" % re.escape(last), self.text):
                self.mistake(target, "a setting that tf.config lacks", name)
            self.torch.switch(target, name, value)
            return
        owner = self.value(target.value)
        self.torch.late_part(target, owner, value)
        if isinstance(owner, Class):
            owner.names[target.attr] = join(owner.names.get(target.attr), value) if self.journal else value
        if isinstance(owner, Thing):
            whole = owner.kind == "module" or owner["class"] and owner["class"].has_stranger()
            if whole and isinstance(value, Thing) and (value.kind == "module" or value["parameter"]):
                if value["device"] != owner["device"] and value["device"] and owner.kind == "module":
                    self.change(owner, "device", None)  # its parts lie on several devices
                    self.change(value, "placed", value["device"])
                self.change(value, "device", None)  # it moves with the whole
                self.change(value, "whole", owner)
                self.change(value, "weight", None)
            if owner.kind == "module" and isinstance(value, Thing) and value["lost"]:
                self.mistake(target, "a parameter that is moved", self.written(value["lost"]),
                             doubted="|" in (value["device"] or ""))
                self.change(owner, "device", None)  # a part of it lies elsewhere
            self.torch.plain_list(target, owner, value)
            self.torch.plain_tensor(target, owner, value)
            self.conditions.plain(target, owner, value)
            if owner.kind == "tensor" and target.attr == "data":
                self.change(owner, "device", value["device"] if isinstance(value, Thing) else None)
            if self.journal and owner.attributes.get(target.attr) is not value and target.attr in owner.attributes:
                value = join(owner.attributes[target.attr], value)
            owner.attributes[target.attr] = value

    def item_of(self, value, node=None):
        """What a loop over it gives."""
        if isinstance(value, Many) and value.open:
            found = value.items[0] if value.items else None
            for other in value.items[1:]:
                found = found if is_alike(found, other) else join(found, other)
            return found
        if isinstance(value, Many):
            if value.items and all(is_number(item) for item in value.items):
                return value.items[0] if len(value.items) == 1 else Thing("number")
            rows = [item.items if isinstance(item, Many) else [] for item in value.items]
            if len(rows) > 1 and rows[0] and all(len(row) == len(rows[0]) for row in rows):
                return Many([self.item_of(Many(list(column))) for column in zip(*rows)])
            if value.items and all(is_alike(one, value.items[0]) and one.kind == "tensor" for one in value.items):
                return value.items[0]
            return value.items[0] if len(value.items) == 1 else None
        if isinstance(value, Thing):
            if value.kind == "gpus":
                return Thing("gpu", logical=value["logical"], varies=True, of=value["of"])
            if value.kind == "jax-devices":
                return self.jaxs.device(value, None)
            if value.kind == "tf-dataset":
                return Thing("tf-batch", made=node)
            if value.kind in ("tf-batch", "jax-tree", "jax-array"):
                return value
            if value.kind == "enumerate":
                return Many([Thing("number", varies=True), self.item_of(value["of"], node)])
            if value.kind == "range":
                return Thing("number", varies=True)
            if value.kind == "sequence":
                return value["item"]
            if value.kind == "module" and value["each"]:
                return value["each"]
            if value.kind == "zipped":
                return Many([self.item_of(one) for one in value["items"]])
            if value.kind == "loader":
                self.training.begins_workers(node, value)
                return Thing("batch", loader=value) if not self.brings_batches and not value["unknown"] else None
            if value.kind == "batch":
                place = value["device"] if value["moved"] else "cpu"
                return Thing("tensor", device=place, loader=value["loader"], line=getattr(node, "lineno", None))
            if value.kind == "tensor":
                return Thing("tensor", **dict(value.state, element=True))
        if isinstance(value, Bound) and value.name == "params" and isinstance(value.thing, Thing):
            return Thing("tensor", device=value.thing["device"], parameter=True, cause=value.thing["copied"],
                         made=value.thing["made"])
        return None
