"""What calls give that scripts compare or pass on: texts of a known form, lists, objects; for the reader of scripts."""

ENVIRONMENT = "variables are texts"
JAX_PLATFORM = r"(?!(?:cuda|rocm|nvidia|amd|mps|CUDA|GPU|CPU|TPU|Gpu|Cpu|ROCM|gpu:\d|cuda:\d|cpu:\d)$).*"
# What names and calls give: a pattern for all of it, what to say of it, and all that there is where that is known.
GIVES = {
    "tensorflow.test.gpu_device_name": (r"(/device:GPU:\d+)?", "it gives '/device:GPU:0', or '' without a GPU", ()),
    "jax.default_backend": (JAX_PLATFORM, "it gives 'cpu', 'gpu' or 'tpu'", ("cpu", "gpu", "tpu")),
    "keras.backend.backend": (r"tensorflow|jax|torch|numpy|openvino|mlx|theano|cntk|plaidml.*",
                              "it gives 'tensorflow', 'jax', 'torch', 'numpy' or 'openvino'", ()),
    "keras.config.backend": (r"tensorflow|jax|torch|numpy|openvino|mlx",
                             "it gives 'tensorflow', 'jax', 'torch', 'numpy' or 'openvino'", ()),
    "keras.backend.image_data_format": (r"channels_(first|last)", "it gives 'channels_first' or 'channels_last'", ()),
    "keras.config.image_data_format": (r"channels_(first|last)", "it gives 'channels_first' or 'channels_last'", ()),
    "platform.system": (r"|Linux|Darwin|Windows|Java|FreeBSD|OpenBSD|NetBSD|SunOS|CYGWIN.*|MSYS.*|MINGW.*|iOS|Android",
                        "it gives 'Linux', 'Darwin' or 'Windows'", ()),
    "sys.platform": (r"linux2?|darwin|win32|cygwin|aix|emscripten|wasi|ios|android|freebsd.*|msys",
                     "it is 'linux', 'darwin' or 'win32'", ()),
    "os.name": (r"posix|nt|java", "it is 'posix' or 'nt'", ()),
    "platform.machine": (r"(?!(?i:mac|m1|apple|nvidia|cuda|gpu|intel|amd)$).*",
                         "it gives 'x86_64', 'arm64' or 'aarch64'", ()),
}
GIVES["tensorflow.keras.backend.backend"] = GIVES["keras.backend.backend"]
GIVES["jax.lib.xla_bridge.get_backend().platform"] = GIVES["jax.default_backend"]
VERSIONS = ("tensorflow.__version__", "tensorflow.version.VERSION", "jax.__version__", "keras.__version__",
            "torch.__version__", "torch.version.cuda", "numpy.__version__")
# Questions that compare as if they had been called.
UNCALLED = tuple(name for name in GIVES if name not in ("sys.platform", "os.name")) + (
    "jax.device_count", "jax.local_device_count", "jax.devices", "tensorflow.config.list_physical_devices",
    "torch.cuda.device_count", "tensorflow.test.is_built_with_cuda")
JAX_KIND = (r"(?!(?i:gpu|cuda|nvidia|tpu|rocm|gpu:\d|cuda:\d)$).*", "it is the model, as 'NVIDIA A100-SXM4-40GB'", ())
TENSOR_DEVICE = (r"(/job:.*/device:\w+:\d+)?", "it is the whole name, '/job:localhost/replica:0/task:0/device:GPU:0'",
                 ())
# Which texts stand for no, though any text but the empty one is true.
NOES = ("0", "false", "no", "off", "n", "none")
# What hides all GPUs, and means to.
HIDES = re.compile(r"\s*(-.*|(?i:no\w*|cpu|null|void|false|off|nodevfiles|disabled?|empty))?\s*$")
ENTRY = re.compile(r"\s*(-?\d+|GPU-[\w-]*|MIG-[\w/.-]*|)\s*$")
MEMORY_NAME = re.compile(r"/?(job:[^/]*/replica:\d+/task:\d+/)?(device:)?(CPU|GPU|TPU|[A-Z_]+):\d+$")


def said(pattern, gives, texts=()):
    return Thing("said", pattern=pattern, gives=gives, texts=texts)


def devices(kind, logical):
    return Thing("gpus", logical=logical, of=kind)


class Results:
    def __init__(self, reader):
        self.reader = reader

    # ---- what there is

    def of_name(self, value):
        """sys.platform, tf.__version__: names that stand for a text."""
        if isinstance(value, Name) and value.full in ("sys.platform", "os.name"):
            return said(*GIVES[value.full])
        if isinstance(value, Name) and value.full in VERSIONS:
            return said(r"(?s).*", "a version is a text, as '%s'" % ("2.15.1" if value.full[0] == "t" else "0.4.30"))
        return value

    def call(self, name):
        return said(*GIVES[name]) if name in GIVES else None

    def attribute(self, owner, attribute):
        """gpu.name, gpu.device_type, device.platform, x.device"""
        if owner.kind == "gpu" and attribute == "name":
            return Thing("form", listed=owner["logical"], text="/%s:%s:%s" % (
                "device" if owner["logical"] else "physical_device", owner["of"] or UNKNOWN, NUMBER))
        if owner.kind == "gpu" and attribute == "device_type":
            return Text(owner["of"]) if owner["of"] else said(r"(XLA_)?[CGT]PU|TPU_SYSTEM",
                                                              "it is 'CPU', 'GPU' or 'TPU'")
        if owner.kind == "jax-device":
            kinds = {"platform": GIVES["jax.default_backend"], "device_kind": JAX_KIND}
            if attribute in kinds:
                return said(*kinds[attribute])
            return Thing("number") if attribute in ("id", "process_index") else None
        if owner.kind == "tf-tensor" and attribute == "device":
            return said(*TENSOR_DEVICE)
        return None

    # ---- comparisons

    @staticmethod
    def sort(value):
        """text, number, list, object; None: not known."""
        if isinstance(value, Text):
            kind = type(value.value)
            return {str: "text", bool: "truth", int: "number", float: "number"}.get(kind)
        if isinstance(value, Many):
            return "list"
        if not isinstance(value, Thing):
            return None
        if value["several"] and value.kind in ("words", "option"):
            return "list"
        if value.kind in ("form", "said", "variable", "variable or default", "option"):
            other = value["default"]
            plain = other is None and value.kind != "variable or default" or isinstance(other, Text) and (
                other.value is None or isinstance(other.value, str))
            return "text" if plain else None
        return {"gpus": "list", "jax-devices": "list", "words": "list", "gpu": "object", "jax-device": "object",
                "number": "number", "switch": "truth"}.get(value.kind)

    @staticmethod
    def is_given(value):
        """Whether it comes from outside: of two constants that a function got, this call alone may be meant."""
        return isinstance(value, Thing) and (value.kind != "number" or "default" in value.state)

    def unlike(self, one, other):
        """Why these two are never equal; None: they may be."""
        one, other = self.of_name(one), self.of_name(other)
        sorts = self.sort(one), self.sort(other)
        if None in sorts or not (self.is_given(one) or self.is_given(other)):
            return None
        for first, second in ((one, other), (other, one)):
            if isinstance(first, Thing) and first.kind == "said" and isinstance(second, Text):
                if self.sort(second) != "text" or not re.fullmatch(first["pattern"], second.value):
                    return first["gives"]
            if isinstance(first, Thing) and first.kind == "form" and self.sort(second) == "text":
                pattern = re.escape(first["text"]).replace(re.escape(NUMBER), r"\d+").replace(
                    re.escape(UNKNOWN), r"(?s:.*)")
                if isinstance(second, Text) and not re.fullmatch(pattern, second.value):
                    return "it is as '%s'" % first["text"].replace(NUMBER, "0").replace(UNKNOWN, "…")
            if isinstance(first, Thing) and first.kind == "option" and first["choices"] and isinstance(second, Text):
                if second.value not in first["choices"]:
                    return "the option is one of %s" % ", ".join(repr(c) for c in first["choices"][:6])
        if sorts[0] == sorts[1] or set(sorts) == {"number", "truth"}:
            return None
        named = [v for v in (one, other) if isinstance(v, Thing) and v.kind.startswith("variable")]
        if named:
            return ENVIRONMENT
        return {"list": "one of them is a list", "object": "one of them is a device, and no text or number"}.get(
            next((s for s in sorts if s in ("object", "list")), ""), "a text never equals a number")

    def compared(self, node, left, right):
        op = type(node.ops[0]).__name__
        for value in (left, right):
            if isinstance(value, Name) and value.full in UNCALLED and op in ("Eq", "NotEq", "Gt", "GtE", "Lt", "LtE",
                                                                            "In", "NotIn"):
                return self.reader.mistake(node, "a question without its brackets", value.full)
        if op in ("Eq", "NotEq"):
            why = self.unlike(left, right)
        elif op in ("In", "NotIn"):
            why = self.not_in(left, right)
        elif op in ("Gt", "GtE", "Lt", "LtE"):
            return self.ordered(node, left, right)
        else:
            return None
        # What one call hands to a function says nothing of the others.
        given = {one.arg for function in self.reader.inside[-1:] for one in function.node.args.args +
                 function.node.args.kwonlyargs}
        if any(isinstance(one, ast.Name) and one.id in given for one in [node.left] + node.comparators):
            return None
        if not isinstance(node.left, ast.Constant) and not isinstance(node.comparators[0], ast.Constant) and any(
                map(self.is_kept_parameter, [node.left] + node.comparators)):
            return None
        if why:
            always = "always" if op.startswith("Not") else "never"
            self.reader.mistake(node, "a comparison that is never true", self.reader.written(node), always, why)
        return None

    def is_kept_parameter(self, node):
        """self.name, which a method was given: another object of the class may have been given another."""
        owner = self.reader.inside[-1].owner if self.reader.inside and isinstance(node, ast.Attribute) else None
        for method in owner.node.body if owner else ():
            takes = {one.arg for one in method.args.args + method.args.kwonlyargs} if isinstance(method, ast.FunctionDef) else ()
            for one in ast.walk(method) if takes else ():
                targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AnnAssign) else []
                if targets and getattr(one.value, "id", "") in takes and any(isinstance(target, ast.Attribute) and target.attr == node.attr and getattr(
                        target.value, "id", "") == "self" for target in targets):
                    return True
        return False

    def not_in(self, left, right):
        """Why this is in none of those."""
        right = self.of_name(right)
        if isinstance(right, Many):
            if right.open or not right.items:
                return None
            why = [self.unlike(left, item) for item in right.items]
            return why[0] if all(why) else None
        if not isinstance(right, Thing) or self.sort(left) != "text":
            return None
        if right.kind in ("gpus", "jax-devices"):
            return "the list holds devices, and no texts"
        texts = right["texts"] if right.kind == "said" else ()
        if isinstance(left, Text) and texts and not any(left.value in text for text in texts):
            return right["gives"]
        if isinstance(left, Text) and right.kind == "form" and UNKNOWN not in right["text"] and \
                not re.search(r"\d", left.value) and left.value not in right["text"]:
            return "it is as '%s'" % right["text"].replace(NUMBER, "0")
        return None

    def ordered(self, node, left, right):
        left, right = self.of_name(left), self.of_name(right)
        sorts = [self.sort(value) for value in (left, right)]
        sure = any(isinstance(v, Text) and s == "number" for v, s in zip((left, right), sorts))
        other = next((s for s in sorts if s in ("text", "list")), None)
        if sure and other and None not in sorts and (self.is_given(left) or self.is_given(right)):
            what = "text" if other == "text" else "list"
            self.reader.mistake(node, "an order of a number and what is none", self.reader.written(node), what,
                                doubted=any(isinstance(v, Thing) and v.kind == "option" for v in (left, right)))

    def true_of(self, node):
        """if os.environ.get("USE_GPU", "0"): any text but the empty one is true."""
        reader, value = self.reader, None
        if isinstance(node, ast.Call) and reader.full(node.func) in ("os.environ.get", "os.getenv"):
            value = node.args[1] if len(node.args) > 1 else next((k.value for k in node.keywords), None)
            text = getattr(value, "value", text_of(reader.find_value(value)) if isinstance(value, ast.Name) else None)
        else:
            value = reader.find_value(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
            of = value["default"] if isinstance(value, Thing) and value.kind == "variable or default" else None
            text = of.value if isinstance(of, Text) else None
        if isinstance(text, str) and text.strip().lower() in NOES:
            reader.mistake(node, "a text that is always true", reader.written(node), repr(text))

    # ---- what can't be read

    def not_physical(self, node, value, whole):
        """tf.device and strategies take names and logical devices, no physical ones and no numbers."""
        reader = self.reader
        of = value.items[0] if isinstance(value, Many) and value.items else value
        if isinstance(of, Thing) and of.kind in ("gpu", "gpus") and (of["of"] or not of["logical"]):
            if not of["logical"] or of.kind == "gpus" and not whole:
                return reader.mistake(node, "a physical device where a name belongs", reader.written(node))
        return None

    def memory_of(self, node, value):
        """tf.config.experimental.get_memory_info(…)"""
        reader = self.reader
        if isinstance(value, Thing) and value.kind in ("gpu", "gpus") or is_number(value):
            return reader.mistake(node, "memory of what is no name", reader.written(node))
        name = form_of(value).replace(NUMBER, "0")
        if is_form(value) and UNKNOWN not in name and not MEMORY_NAME.match(name):
            reader.mistake(node, "memory of what is no name", reader.written(node))
        return None

    def visible(self, node, name, value):
        """CUDA_VISIBLE_DEVICES takes numbers and UUIDs with commas between them."""
        if name not in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"):
            return
        text = form_of(value)
        if not is_form(value) or HIDES.match(text) or isinstance(value, Text) and re.search(
                r"(^|,)\s*(cuda|gpu(?!-)|/gpu|['\"])", text, re.I):  # those the check of variables itself names
            return
        for number, part in enumerate(text.replace(NUMBER, "0").split(",")):
            if ENTRY.match(part) or UNKNOWN in part and not re.match(r"\s*[\[({/]|(cuda|gpu|GPU):", part):
                continue
            rest = "no GPU at all" if number == 0 else "none of what stands from there on"
            return self.reader.mistake(node, "visible devices that CUDA can't read", "%s='%s'" % (
                name, text.replace(NUMBER, "0").replace(UNKNOWN, "…")), rest)

    def as_text(self, value):
        """str(…) of a list or device."""
        if isinstance(value, Many) and not value.open and len(value.items) < 50:
            return text_or_form("[%s]" % ", ".join(
                repr(v.value) if isinstance(v, Text) and isinstance(v.value, str) else form_of(v) for v in value.items))
        if isinstance(value, Thing) and value.kind == "mapping" and value.attributes:
            return Thing("form", text="{'" + UNKNOWN + "}")
        if isinstance(value, Thing) and (value["several"] or value.kind in ("gpus", "jax-devices")):
            return Thing("form", text="[" + UNKNOWN + "]")
        return None

    def join(self, node, between, given):
        """','.join(…) of what are no texts raises."""
        items = given.items if isinstance(given, Many) and not given.open else []
        numbers = isinstance(given, Thing) and given["several"] and given["numbers"] or items and all(
            is_number(item) for item in items)
        if numbers or isinstance(given, Thing) and given.kind in ("gpus", "jax-devices", "range"):
            self.reader.mistake(node, "join of what are no texts", self.reader.written(node))
        known = [form_of(item) for item in items]
        return text_or_form(between.join(known)) if items and all(is_form(item) for item in items) else None
