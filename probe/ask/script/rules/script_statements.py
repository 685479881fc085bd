"""Statements and conditions that can't do what they are written for, whatever the libraries."""

# Options by which a script takes the GPU, or doesn't.
FLAGS = re.compile(r"(?:(no|disable|without)_?|use_|with_|enable_)?(?:cuda|gpu)")
GPU_ASKED = ("torch.cuda.is_available", "torch.xpu.is_available", "torch.accelerator.is_available",
             "tensorflow.test.is_gpu_available")
GPUS_COUNTED = ("torch.cuda.device_count",)
# What moves in place, so that a name of its own in a loop is no loss.
MOVES_IN_PLACE = re.compile(r"model|net|module|layer|block|metric|encoder|decoder|head|criterion|loss|generator|discriminator|"
                            r"branch|expert|pipe|batch|encod", re.I)


# Methods of tensors whose arguments must lie where the tensor does.
MEETS_ITS_ARGUMENTS = ("masked_fill", "masked_fill_", "masked_select", "masked_scatter", "gather", "index_select", "scatter", "scatter_",
         "matmul", "mm", "bmm", "add", "sub", "mul", "div", "where", "lerp", "add_", "mul_", "expand_as", "addmm", "dot")


class Statements:
    def __init__(self, reader):
        self.reader = reader

    # ---- conditions

    def flag_of(self, node):
        """1: an option by which the GPU is chosen (args.cuda); -1: one by which it is not (args.no_cuda); else 0. What
        argparse sets true is meant, with no more said of it."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return -self.flag_of(node.operand)
        name = getattr(node, "attr", "") if isinstance(node, ast.Attribute) else ""
        found = FLAGS.fullmatch(name)
        declared = found and re.search(r"['\"]--%s['\"][^)]*store_true" % name.replace("_", "[-_]"), self.reader.text)
        if not declared or len(re.findall(r"\.%s\s*=[^=]|dest=['\"]%s['\"]" % (name, name), self.reader.text)):
            return 0
        return -1 if found.group(1) else 1

    def flag_and_there(self, node):
        """args.no_cuda and torch.cuda.is_available(): the GPU where the option says that there is to be none."""
        if not isinstance(node.op, ast.And) or not any(self.there(one) == 1 for one in node.values):
            return
        for one in node.values:
            if self.flag_of(one) == -1:
                self.reader.mistake(node, "an option that chooses the other way round", self.reader.written(node))

    def there(self, node):
        """1: true where there is a GPU; -1: true where there is none; 0: neither is known."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return -self.there(node.operand)
        if isinstance(node, ast.Call):
            name = self.reader.full(node.func)
            return 1 if name in GPU_ASKED else 0
        if isinstance(node, ast.Name):
            value = self.reader.find(node.id)
            return 1 if isinstance(value, Thing) and value.kind == "gpu-there" else 0
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And):
            return int(any(self.there(one) == 1 for one in node.values))
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.left, ast.Call) and \
                self.reader.full(node.left.func) in GPUS_COUNTED:
            number = getattr(node.comparators[0], "value", getattr(node.comparators[0], "n", None))
            kind = type(node.ops[0]).__name__
            if (kind, number) in (("Gt", 0), ("GtE", 1), ("NotEq", 0)):
                return 1
            if (kind, number) in (("Eq", 0), ("Lt", 1), ("LtE", 0)):
                return -1
        return 0

    @staticmethod
    def is_gpu(value):
        """True for a GPU, False for the CPU, None for neither."""
        if isinstance(value, Text) and type(value.value) is int:
            return None if value.value < -1 else value.value >= 0  # of a pipeline
        place = place_of(value)
        return None if not place or "|" in place else place.split(":")[0] in ("cuda", "xpu") if place != "cpu" else False

    def chosen(self, node, test, one, other):
        """"cpu" if torch.cuda.is_available() else "cuda"."""
        there, kinds = self.there(test), (self.is_gpu(one), self.is_gpu(other))
        both_numbers = all(isinstance(v, Text) and type(v.value) is int for v in (one, other))
        flag = self.flag_of(test)
        if flag and kinds in ((False, True), (True, False)) and kinds[0] != (flag == 1):
            self.reader.mistake(node, "an option that chooses the other way round", self.reader.written(node))
        numbers = any(isinstance(v, Text) and type(v.value) is int for v in (one, other))
        if numbers and (not both_numbers or -1 not in (one.value, other.value)):
            return
        if there and kinds in ((False, True), (True, False)) and kinds[0] != (there == 1):
            self.reader.mistake(node, "a device that is chosen the wrong way round", self.reader.written(node))

    def on_if(self, node):
        """The same with if and else, and what uses the GPU where there is none."""
        there = self.there(node.test)
        if not there or isinstance(node.test, ast.BoolOp):
            return
        sides = []
        for body in (node.body, node.orelse):
            found = {}
            for one in body:
                if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                    found[one.targets[0].id] = (one, self.constant(one.value))
            sides.append(found)
        for name in set(sides[0]) & set(sides[1]):
            (at, one), (_, other) = sides[0][name], sides[1][name]
            if one and other and (one == "cpu") != (other == "cpu") and (one == "cpu") == (there == 1):
                self.reader.mistake(at, "a device that is chosen the wrong way round", self.reader.written(node.test))
                return
        without = node.body if there == -1 else node.orelse
        if any(isinstance(inner, ast.If) for one in without for inner in ast.walk(one)):
            return
        for call in (c for one in without for c in ast.walk(one) if isinstance(c, ast.Call)):
            moves = isinstance(call.func, ast.Attribute) and (
                call.func.attr == "cuda" and not call.args or
                call.func.attr == "to" and call.args and (self.constant(call.args[0]) or "").startswith("cuda"))
            if moves and self.reader.full(call.func) is None:
                self.reader.mistake(call, "a device that is chosen the wrong way round", self.reader.written(node.test))
                return

    def constant(self, node):
        """The device that a constant names."""
        if isinstance(node, ast.Call) and node.args and self.reader.full(node.func) == "torch.device":
            node = node.args[0]
        said = getattr(node, "value", getattr(node, "s", None))
        return said if isinstance(said, str) and re.match(r"(cpu|cuda(:\d+)?)$", said) else None

    def compared(self, node, left, rights):
        """os.environ["LOCAL_RANK"] == 0: a variable is a text, which no number equals."""
        if len(rights) != 1:
            return
        for one, other in ((left, rights[0]), (rights[0], left)):
            text = isinstance(one, Thing) and (one.kind == "variable" or one.kind == "variable or default" and one["texts"])
            if text and isinstance(other, Text) and isinstance(other.value, (int, float)):
                self.reader.mistake(node, "a variable that is compared with a number", self.reader.written(node))
        kind = node.left
        if isinstance(kind, ast.Attribute) and kind.attr == "type" and isinstance(self.reader.find_value(kind.value), Place):
            said = rights[0].value if isinstance(rights[0], Text) else None
            if isinstance(said, str) and ":" in said:
                self.reader.mistake(node, "a type of device with a number", self.reader.written(node))
        for asked in [node.left] + node.comparators:
            self.reader.asked_without_brackets(asked)
            if isinstance(asked, ast.Attribute) and self.reader.full(asked) in GPUS_COUNTED:
                self.reader.mistake(node, "a question without its brackets", self.reader.full(asked))

    def either(self, node):
        """device = "cuda" or "cpu": always the first."""
        if isinstance(node.op, ast.Or) and all(self.constant(one) for one in node.values):
            self.reader.mistake(node, "a choice that is always the first", self.reader.written(node))

    # ---- loops

    def rebound(self, node, item):
        """for v in batch.values(): v = v.to(device) — the name is another tensor's then, and what held it is as before."""
        targets = node.target.elts if isinstance(node.target, ast.Tuple) else [node.target]
        names = {one.id for one in targets if isinstance(one, ast.Name)}
        items = item.items if isinstance(item, Many) else [item]
        over = getattr(getattr(node.iter, "func", None), "attr", "")
        if over not in ("values", "items", "parameters", "buffers") and not any(
                isinstance(one, Thing) and one.kind == "tensor" for one in items):
            return
        if any(isinstance(one, Thing) and one.kind in ("module", "batch", "encoding") for one in items):
            return
        over = node.iter.func.id if isinstance(node.iter, ast.Call) and isinstance(node.iter.func, ast.Name) else ""
        if over in ("enumerate", "tqdm") and self.reader.is_loader(node.iter) or self.reader.is_loader(node.iter):
            return
        body = []
        for statement in node.body:
            body += statement.body if isinstance(statement, ast.If) and not statement.orelse else [statement]
        for number, statement in enumerate(body):
            call = statement.value if isinstance(statement, ast.Assign) else None
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or \
                    not isinstance(call.func.value, ast.Name) or call.func.attr not in ("to", "cuda", "cpu"):
                continue
            name = call.func.value.id
            target = statement.targets[0]
            if name not in names or not isinstance(target, ast.Name) or target.id != name or MOVES_IN_PLACE.search(name):
                continue
            later = [one for rest in body[number + 1:] + node.orelse for one in ast.walk(rest)]
            used = any(isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load) for one in later)
            yields = any(isinstance(one, (ast.Yield, ast.Return)) for one in later)
            if not used and not yields:
                self.reader.mistake(statement, "a loop's own name that is moved", self.reader.written(statement),
                                    other=node)

    # ---- what is named and not called

    def not_called(self, node, value):
        """x = x.cuda"""
        target = node.targets[0] if len(node.targets) == 1 else None
        if not isinstance(value, Bound) or value.name not in ("cuda", "cpu", "half") or not isinstance(value.thing, Thing) or \
                value.thing.kind not in ("tensor", "module") or not isinstance(node.value, ast.Attribute):
            return
        if self.reader.written(target) == self.reader.written(node.value.value):
            self.reader.mistake(node, "a method that is named and not called", self.reader.written(node.value))

    # ---- tensors that a module doesn't hold

    def plain(self, target, owner, value):
        """self.table = torch.zeros(…) in a module, which moves its parameters and buffers alone; told at the end."""
        reader = self.reader
        if owner.kind != "module" or not owner["class"] or not isinstance(value, Thing) or value.kind != "tensor" or \
                value["parameter"] or value["device"] != "cpu" or value["scalar"] or value["zero"]:
            return
        reader.torch.plain.append((target, reader.source, owner["class"], target.attr))

    def told_at_the_end(self):
        reader, torch = self.reader, self.reader.torch
        # Where the default device is chosen, a tensor is made where the module is.
        if not torch.module_on_gpu or re.search(r"set_default_(device|tensor_type)\(", reader.text):
            return
        for target, source, of, name in torch.plain:
            known = any(e["subject"] == "script-mistake" and e["line"] == target.lineno and e.get("source") == source
                        for e in reader.events)
            text = reader.written_whole(of.node)
            strange = any(not base.endswith(("nn.Module", "LightningModule")) for base in of.all_bases())
            if known or strange or MOVES_TENSORS.search(text) or "device" in text or "register_" in text and \
                    re.search(r"register_buffer\(\s*['\"]%s" % name, text):
                continue
            use = next((use for method in of.methods.values() if method.name != "__init__"
                        for use in self.uses(method, name)), None)
            if use is not None:
                torch.at((target, source), "a tensor that a module doesn't hold", "self." + name, reader.written(use),
                         other=use, doubted="|" in torch.module_on_gpu)

    def uses(self, function, name):
        """Where self.NAME, or a part of it, is computed with."""
        def is_it(node):
            while isinstance(node, (ast.Compare, ast.UnaryOp)) or isinstance(node, ast.Call) and isinstance(
                    node.func, ast.Attribute) and node.func.attr in ("bool", "unsqueeze", "view", "expand", "float", "t"):
                node = node.left if isinstance(node, ast.Compare) else node.operand if isinstance(
                    node, ast.UnaryOp) else node.func.value
            while isinstance(node, (ast.Subscript, ast.Attribute)) and not (isinstance(node, ast.Attribute) and
                                                                           node.attr == name):
                node = node.value
            return isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "self"
        function, modules = function.node, function.scope
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and len(node.args) > 1 and isinstance(node.func, ast.Attribute):
                root = node.func
                while isinstance(root, ast.Attribute):
                    root = root.value
                value = modules.find(root.id)[0] if isinstance(root, ast.Name) and modules else None
                of_torch = isinstance(value, Name) and value.full.split(".")[0] == "torch"
                others = [one for one in node.args if not is_it(one) and type(one).__name__ not in ("Constant", "Num")]
                if of_torch and others and any(is_it(one) for one in node.args):
                    yield node
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MEETS_ITS_ARGUMENTS and any(
                    map(is_it, node.args)) and \
                    not is_it(node.func.value):
                yield node
            if isinstance(node, ast.BinOp) and is_it(node.left) != is_it(node.right):
                other = node.right if is_it(node.left) else node.left
                if type(other).__name__ not in ("Constant", "Num"):
                    yield node
