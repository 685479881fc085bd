"""What calls of TensorFlow, Keras and JAX do to the devices of a script that is followed; for the reader of scripts."""


class FrameworkCalls:
    def tensorflow(self, node, name, values, words):
        parts = name.split(".")
        if parts[0] not in ("tensorflow", "keras", "tf_keras"):
            return None
        last = parts[-1]
        if name in ("tensorflow.device", "tensorflow.compat.v1.device") and values:
            for said in self.texts_of(node.args[0], values[0]):
                if not TF_DEVICE.match(said):
                    self.mistake(node, "tf.device of a name that is none", said)
        if "layers" in parts and text_of(words.get("dtype")) and not POLICY.match(text_of(words["dtype"])):
            self.mistake(node, "a policy that Keras doesn't know", text_of(words["dtype"]))
        if "layers" in parts and last == "Dense" and text_of(words.get("activation")) == "softmax" and \
                "dtype" not in words and self.policy and self.policy[0] == "mixed_float16":
            self.mistake(node, "a softmax in float16", self.written(node))
        if last in LISTS_DEVICES or last == "set_visible_devices":
            self.kind_of_device(node, values[last == "set_visible_devices" :][:1] or [words.get("device_type")])
        if last == "set_floatx" and values and isinstance(values[0], Text) and values[0].value not in FLOATX:
            self.mistake(node, "a floatx that Keras doesn't know", text_of(values[0]) or "None")
        if last in MIRRORED[:1] + ("OneDeviceStrategy",) and parts[0] == "tensorflow":
            self.strategy_devices(node, values[0] if values else words.get("devices", words.get("device")))
        if last == "set_visible_devices" and values and isinstance(values[0], Many) and not values[0].items and \
                not values[0].open and \
                (len(values) < 2 or text_of(values[1]) != "CPU"):
            self.hidden.append(self.path)
        if last == "set_visible_devices" and node.args and isinstance(node.args[0], ast.Subscript) and (
                len(values) < 2 or text_of(values[1]) == "GPU"):
            self.hidden_in_part.append((self.path, node))
        if last == "list_physical_devices" and (not values or text_of(values[0]) == "GPU") and \
                any(self.path[: len(path)] == path for path in self.hidden):
            self.listed_after_hiding.append((node, self.path, self.source))
        if last in ("get_visible_devices", "list_logical_devices"):
            self.asked_visible = True
        if last in POLICIES and ("mixed_precision" in name or "config" in parts or last == "DTypePolicy") and values:
            option = isinstance(values[0], Thing) and values[0].kind == "option"
            policy = text_of(values[0]["default"] if option else values[0])
            if policy and not POLICY.match(policy):
                self.mistake(node, "a policy that Keras doesn't know", policy, doubted=option)
            elif policy and last in POLICIES[:3]:
                self.policy = (policy, node, self.source, list(self.calls))
        if last in ("list_physical_devices", "get_visible_devices", "list_logical_devices"):
            return Thing("gpus", logical=last == "list_logical_devices", whole=last == "list_physical_devices",
                         of=text_of(values[0] if values else words.get("device_type")))
        if last == "set_memory_growth" and values:
            one = values[0]
            if isinstance(one, Thing) and (one.kind == "gpus" or one["logical"]) or isinstance(one, (Many, Text)):
                self.mistake(node, "set_memory_growth of what is no physical device", self.written(node.args[0]))
        named = values[0].items if values and isinstance(values[0], Many) else values[:1]
        if last in ("set_visible_devices", "set_memory_growth", "set_logical_device_configuration",
                    "set_virtual_device_configuration") and any(
                        form_of(one).startswith(("/physical_device:", "/device:")) and isinstance(one, Thing)
                        for one in named):
            self.mistake(node, "set_visible_devices of a text", self.written(node.args[0]))
        limit = words.get("memory_limit", values[0] if values else None)
        if last in ("LogicalDeviceConfiguration", "VirtualDeviceConfiguration") and isinstance(limit, Text) and \
                isinstance(limit.value, (int, float)) and 0 < limit.value < 16:
            self.mistake(self.keyword_of(node, "memory_limit"), "a limit of memory that is a fraction",
                         "memory_limit=%s" % limit.value)
        counts = words.get("device_count")
        for kind in counts.attributes if last == "ConfigProto" and isinstance(counts, Thing) and \
                counts.kind == "mapping" else ():
            if kind.upper() in ("GPU", "CPU", "TPU") and kind != kind.upper():
                self.mistake(counts.nodes.get(kind, node), "a count of devices that there are none of", kind)
        if last == "LossScaleOptimizer" and parts[0] in ("keras", "tensorflow") and "experimental" not in parts:
            if "loss_scale" in words:
                self.mistake(self.keyword_of(node, "loss_scale"), "an argument that Keras 3 lacks", "loss_scale", "LossScaleOptimizer")
            return Thing("loss-scale", keras=parts[0])
        if last in ("set_memory_growth", "set_logical_device_configuration", "set_virtual_device_configuration"):
            self.growth_and_limit(node, last == "set_memory_growth", values)
        if last == "set_visible_devices" and values and is_form(values[0]) and "GPU" in form_of(values[0]):
            self.mistake(node, "set_visible_devices of a text", self.written(node.args[0]))
        if len(parts) > 2 and parts[-2] in OLD_ARGUMENTS and last[:1].isupper(
        ) and "legacy" not in parts and "v1" not in parts:
            self.old_arguments(node, parts[-2], words)
        if last == "Model" and not values:
            self.old_arguments(node, last, words)
        if last in MODEL_MAKERS or "applications" in parts:
            functional = last == "Model" or "applications" in parts or last in ("load_model", "clone_model")
            built = functional or self.has_input(node)
            if built:
                self.note(node, "call", "tensorflow.keras.built")
                self.keras.built.append((node, self.path, self.source))
            fresh = last in ("Sequential", "Model") and built or "applications" in parts
            return Thing("keras-model", line=node.lineno, under=self.device, keras=parts[0],
                         calls=self.calls + [(node, self.source)],
                         policy=self.policy[0] if self.policy else "float32" if fresh else None)
        if "layers" in parts and last[:1].isupper() and last not in ("Input", "InputLayer"):
            return Thing("layer", keras=parts[0])
        if last == "Input" and parts[-2] in ("keras", "layers", "tf_keras"):
            return Thing("symbol")
        if last.endswith("Strategy"):
            made = Thing("strategy", name=last)
            if last in MIRRORED:
                given = values[0] if values else words.get("devices")
                made.state["several"] = not values and "devices" not in words or isinstance(
                    given, Many) and len({text_of(one) for one in given.items}) > 1
                self.strategies.append((node, made, self.source))
            return made
        return None

    def is_same_setting(self, node, name, values, words):
        """A call that configures devices as they are, or as its function did before: TensorFlow takes that at any time."""
        all_of = values[0] if name.endswith("set_visible_devices") and values else None
        if isinstance(all_of, Thing) and all_of.kind == "gpus" and all_of["of"] == "GPU" and all_of["whole"] and not (
                self.hidden or self.hidden_in_part) and text_of(values[1] if len(values) > 1 else words.get("device_type")) == "GPU":
            return True  # all GPUs that there are, which are visible
        if not self.inside or not name.startswith("tensorflow.config.") or isinstance(self.inside[-1].node, ast.Lambda):
            return False
        parameters = self.inside[-1].node.args
        given = [self.scope.names.get(one.arg) for one in parameters.args + parameters.kwonlyargs]
        before = self.settled.get(node)
        self.settled[node] = given
        if any(isinstance(one, Thing) and one["varies"] for one in given):
            return False
        return before is not None and len(before) == len(given) and all(
            one is not None and same(one, other) for one, other in zip(before, given))

    def growth_and_limit(self, node, grows, values):
        """A GPU whose memory was limited may not grow; the other way round TensorFlow takes it."""
        if not node.args:
            return
        of = node.args[0]
        if not grows and "memory_limit" in self.words_of(node):
            self.limited.append((self.path, of))
        if not grows or len(values) > 1 and isinstance(values[1], Text) and not values[1].value:
            return
        gpu = values[0] if values else None
        one = isinstance(gpu, Thing) and gpu.kind == "gpu" and gpu["one"]
        self.grown.append((node if one else None, self.source))
        for path, first in self.limited:
            apart = isinstance(of, ast.Subscript) and isinstance(first, ast.Subscript) and \
                self.written(of) != self.written(first)
            if self.path[: len(path)] == path and not apart:
                self.mistake(node, "growth of limited memory", self.written(node.func))

    def texts_of(self, node, value):
        """What an expression may be: its text, or all of a dictionary or list where one is taken by a name."""
        found = value["items"] if isinstance(value, Thing) and value.kind == "texts" else [value]
        if value is None and isinstance(node, ast.Subscript):
            of = self.find_value(node.value)
            found = of.items if isinstance(of, Many) else list(of.attributes.values()) if isinstance(
                of, Thing) and of.kind == "mapping" else []
        return [form_of(one).replace(NUMBER, "0") for one in found if is_form(one) and UNKNOWN not in form_of(one)]

    def kind_of_device(self, node, values):
        """list_physical_devices('gpu') gives an empty list: kinds are upper case."""
        kind = text_of(values[0])
        if kind and re.match(r"/?(device:)?(cpu|gpu|tpu|cuda)(:\d+)?$", kind,
                             re.I) and kind not in ("CPU", "GPU", "TPU"):
            self.mistake(node, "a kind of device that TensorFlow doesn't know", kind)

    def strategy_devices(self, node, devices):
        for one in devices.items if isinstance(devices, Many) else [devices]:
            if isinstance(one, Text) and isinstance(one.value, str) and not TF_DEVICE.match(one.value):
                self.mistake(node, "a strategy over what is no device", repr(one.value))
            elif isinstance(one, Text) and type(one.value) is int:
                self.mistake(node, "a strategy over what is no device", str(one.value))

    def old_arguments(self, node, of, words):
        for word in OLD_ARGUMENTS[of]:
            if word in words:
                self.mistake(self.keyword_of(node, word), "an argument that Keras 3 lacks", word, {
                    "optimizers": "optimizers",
                    "layers": "layers",
                    "Model": "Model"
                }.get(of, "fit"))
                return

    def has_input(self, node):
        """Whether a Sequential has what it needs to make its variables at once."""
        text = self.written(node)
        return "input_shape=" in text or "Input(" in text or "input_dim=" in text or "batch_input_shape" in text

    def jax(self, node, name, values, words):
        if name.startswith("jax.numpy.") or name in ("jax.device_put",):
            kinds = list(words.values()) + values[1:]
            if any(isinstance(k, Name) and k.full.endswith("float64") for k in kinds) or \
                    any(isinstance(k, Text) and k.value == "float64" for k in kinds):
                self.float64.append((node, self.source))
        if name == "jax.device_put" and (len(values) > 1 or "device" in words):
            where = values[1] if len(values) > 1 else words["device"]
            several = where["items"] if isinstance(where, Thing) and where.kind == "texts" else []
            if isinstance(where, Text) and isinstance(where.value, str):
                self.mistake(node, "jax.device_put to a text", where.value)
            elif several and all(is_form(one) for one in several) or isinstance(where, Place) and where.said and where.text:
                said = where.text.split("|")[0] if isinstance(where, Place) else form_of(several[0])
                self.mistake(node, "jax.device_put to a text", said.replace(UNKNOWN, "…").replace(NUMBER, "0"))
        if name in ("jax.devices", "jax.local_devices", "jax.device_count", "jax.local_device_count"):
            said = words.get("backend", values[0] if values and name == "jax.devices" else None)
            option = isinstance(said, Thing) and said.kind == "option"
            platform = text_of(said["default"] if option else said)
            if platform and (":" in platform or
                             platform != platform.lower() and platform.lower() in ("cpu", "gpu", "tpu")):
                self.mistake(node, "a platform that JAX doesn't know", self.written(node), doubted=option)
        option = text_of(values[0]) if name == "jax.config.update" and values else None
        known = self.members.get("JAX_OPTIONS", set())
        if option and option not in JAX_OPTIONS and option not in known:
            near = difflib.get_close_matches(option, sorted(known.union(JAX_OPTIONS)), 1, 0.93)
            if near and not option.startswith(near[0]) or known and not option.startswith("jax_experimental"):
                near = near or difflib.get_close_matches(option, sorted(known), 1, 0.6) or ["one that it lists"]
                self.mistake(node, "an option that JAX lacks", option, near[0], doubted=near[0] in known)
        if option in ("jax_platforms", "jax_platform_name") and len(values) > 1:
            self.not_taken(node, option.upper(), values[1])
            self.jaxs.platforms(node, option, text_of(values[1]) or "")
        if option == "jax_enable_x64" and len(values) > 1 and isinstance(values[1], Text) and values[1].value is True:
            self.jaxs.wide_too_late(node)
        if re.match(r"jax\.numpy\.(array|asarray|linspace|zeros|ones|full|eye)$", name) and not self.path:
            self.jaxs.made_narrow.append((node, self.source))
        if option == "jax_num_cpu_devices":
            self.note(node, "call", "jax.config.update of jax_num_cpu_devices")
        if option == "jax_default_device" and len(values) > 1:
            self.jaxs.default_device(node, values[1:])
        if option == "jax_platform":
            self.mistake(node, "an option that JAX lacks", option, "jax_platforms")
        if name == "jax.config.update" and len(values) > 1 and text_of(values[0]) == "jax_default_matmul_precision":
            said = values[1]["items"] if isinstance(values[1], Thing) and values[1].kind == "texts" else [values[1]]
            wrong = [one for one in map(text_of, said) if one and one not in JAX_PRECISIONS and
                     not re.match(r"(ANY_)?B?T?F[0-9]+_", one)]
            if isinstance(values[1], Name) and values[1].full.startswith("jax.lax.Precision.") or wrong:
                self.mistake(node, "a precision that JAX doesn't know", repr(wrong[0]) if wrong else
                             self.written(node.args[1]), doubted=len(said) > 1)
        if name == "jax.default_device" and values and ":" in (text_of(values[0]) or ""):
            self.mistake(node, "a platform that JAX doesn't know", self.written(node))
        if name in ("jax.jit", "jax.pmap") and ("device" in words or "backend" in words) and name == "jax.jit":
            self.mistake(node, "jax.jit with device= or backend=", self.arguments(node))

    def uses_float64(self):
        """Without x64 JAX makes float32 of it, with a warning that is easy to miss."""
        on = any(("x64" in e.get("value", "") and not e.get("value", "").rstrip(")").endswith("False")) or
                 "ENABLE_X64" in e["name"] or not hasattr(ast, "unparse") for e in self.events
                 if e["subject"] in ("script-call", "script-set-variable"))
        if not on:
            for node, source in self.float64:
                self.source = source
                named = self.tracing.constants.get(self.written(node.value if isinstance(node, ast.keyword) else node))
                kind = self.kind_by_name(node)
                if kind is not None:  # DTYPE = jnp.float64, which several calls are given
                    self.mistake(kind, "float64 in JAX without x64", self.written(kind), other=node)
                else:
                    self.mistake(node, "float64 in JAX without x64", self.written(node), other=named)

    def kind_by_name(self, node):
        """What the name of a kind stands for, which a call is given: jnp.float64, of DTYPE."""
        given = node.args + [k.value for k in node.keywords] if isinstance(node, ast.Call) else []
        for one in given:
            of = self.tracing.constants.get(one.id) if isinstance(one, ast.Name) else None
            if isinstance(of, (ast.Attribute, ast.Constant)) and self.written(of).rstrip("'").endswith("float64"):
                return of
        return None
