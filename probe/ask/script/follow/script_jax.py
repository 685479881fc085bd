"""Where JAX's arrays lie, meshes and shardings, and the settings of XLA; for the reader of scripts."""

ARRAYS = re.compile(r"jax\.(numpy|nn|random|scipy\.\w+|lax)\.[a-z]\w*$")
NO_ARRAYS = re.compile(r"\.(finfo|iinfo|dtype|save\w*|load|result_type|promote_types|shape|ndim|size|split|\w+_split|"
                       r"meshgrid|unique\w*|nonzero|where|svd|eigh?|qr|slogdet|lstsq|broadcast_arrays|divmod|modf|"
                       r"frexp|gradient|histogram\w*|linspace|issubdtype|can_cast|isscalar|vectorize|cond|scan|"
                       r"while_loop|fori_loop|map|switch|sort|top_k|associative_scan|custom_\w+|initializers\.\w+|"
                       r"key_data|indices|ix_|atleast_\w+|set_printoptions|axis_index|psum|pmean|pmax|pmin|all_gather|"
                       r"stop_gradient|optimization_barrier|reduce|linearize|cho_factor|lu\w*|minimize)$")
COLLECTIVES_OF_JAX = ("psum", "pmean", "pmax", "pmin", "all_gather", "all_to_all", "ppermute", "axis_index",
                      "psum_scatter", "pshuffle", "pbroadcast")
SAME_TREE = ("jax.block_until_ready", "jax.lax.stop_gradient", "jax.tree_util.tree_map", "jax.tree.map", "jax.tree_map",
             "optax.apply_updates", "jax.lax.stop_gradient")
WRAPPERS = ("jax.jit", "jax.pmap", "jax.vmap", "jax.value_and_grad", "jax.grad", "jax.checkpoint", "jax.remat")
SPECS = ("jax.sharding.PartitionSpec", "jax.P", "jax.experimental.PartitionSpec", "jax.interpreters.pxla.PartitionSpec",
         "jax.experimental.pjit.PartitionSpec", "jax.PartitionSpec")
MESHES = ("jax.sharding.Mesh", "jax.experimental.maps.Mesh", "jax.interpreters.pxla.Mesh", "jax.make_mesh",
          "jax.sharding.AbstractMesh")
# x.at[i].set(v): a copy with another item.
SETS_ITEMS = re.compile(r"^[\w.]+\.at\[.*\]\.(set|add|multiply|divide|power|min|max|apply)\([^()]*\)$")
# What gives a placed copy, which a statement of its own drops.
PLACES = re.compile(r"(jax\.device_put\w*|jax\.lax\.with_sharding_constraint|jax\.pmap|jax\.vmap|"
                    r"jax\.make_array_from_\w+|jax\.reshard|jax\.sharding\.reshard|flax\.jax_utils\.(un)?replicate|"
                    r"jax\.(experimental\.shard_map\.)?shard_map|jax\.lax\.stop_gradient)$")
# Flags that older releases of XLA took.
OLD_FLAGS = re.compile(r"xla_(gpu_enable_async_\w+|gpu_simplify_all_fp_conversions|gpu_enable_triton_\w+|gpu_graph_\w+|"
                       r"gpu_enable_cudnn_\w+|gpu_enable_persistent_temp_buffers|gpu_enable_xla_runtime_executable|"
                       r"gpu_enable_priority_fusion|gpu_use_random_streams|gpu_bef_executable|gpu_all_reduce_\w+|"
                       r"gpu_max_kernel_unroll_factor|gpu_asm_extra_flags|gpu_enable_custom_\w+|gpu_enable_bf16_\w+|"
                       r"gpu_enable_address_computation_fusion|gpu_enable_dot_strength_reduction|gpu_lhs_\w+|"
                       r"gpu_enable_softmax_fusion|gpu_enable_mlir_\w+|gpu_enable_gpu2_\w+|gpu_use_cudnn_batchnorm|"
                       r"gpu_disable_multi_streaming|gpu_use_horizontal_fusion|gpu_enable_command_buffer\w*|"
                       r"gpu_enable_highest_priority_\w+|gpu_enable_nccl_\w+|gpu_enable_all_reduce_\w+|"
                       r"gpu_enable_split_k_autotuning|gpu_enable_pipelined_\w+|gpu_enable_while_loop_\w+|"
                       r"gpu_enable_llvm_\w+|gpu_unsafe_\w+|gpu_enable_analytical_\w+|gpu_nccl_\w+|"
                       r"cpu_enable_\w+|cpu_use_\w+|cpu_sparse_cuda_threads|cpu_parallel_\w+)$")
# Platforms of JAX: its own and those of plug-ins.
KNOWN_PLATFORMS = ("cpu", "gpu", "cuda", "rocm", "tpu", "metal", "METAL", "iree", "iree_cpu", "iree_cuda", "iree_metal",
                   "interpreter", "neuron", "axon", "xpu", "sycl", "oneapi", "proxy", "pathways", "cloud_tpu", "tt",
                   "habana", "hpu", "npu", "musa", "maca", "mps", "stablehlo", "vulkan", "opencl", "wgpu", "plugin", "")
WRONG_PLATFORM = re.compile(r"(?i:nvidia|amd|cuda\d+|gpu\d+|cuda_\w+|gpu_\w+|none|auto|default|all|apple|torch|xla|"
                            r"cudnn|intel|any|true|false|hip|host|device|tensorrt)$")


class Jax:
    def __init__(self, reader):
        self.reader = reader
        self.axes = set()  # names that pmap, vmap or a mesh binds
        self.unknown_axes = False
        self.collectives = []
        self.on_cpu = False  # the script chooses the CPU for all of JAX
        self.made_narrow = []  # arrays of the script itself, made in single precision so far: (node, source)
        self.tracing = 0  # functions of jax.jit that are being followed: their arguments have met where they are called

    # ---- devices

    def wide_too_late(self, node):
        """jax_enable_x64 behind arrays that were made before, and are used after it."""
        reader, trees = self.reader, self.reader.tracing.files[0][1]
        statements = {id(one.value): one for tree in trees for one in tree.body if isinstance(one, ast.Assign)}
        for made, source in self.made_narrow if not reader.path and not reader.source else ():
            statement = statements.get(id(made))
            target = statement.targets[0] if statement is not None else None
            later = any(isinstance(one, ast.Name) and one.id == getattr(target, "id", "") and isinstance(one.ctx, ast.Load)
                        for tree in trees for one in ast.walk(tree))
            if not source and later and not re.search(r"dtype|int\d|\.astype\(", reader.written(statement)):
                return reader.mistake(node, "double precision behind arrays of single", reader.written(node), target.id,
                                      other=made)
        return None

    def call(self, node, name, values, words):
        """What is known of it; None: nothing."""
        reader = self.reader
        if name in ("jax.devices", "jax.local_devices"):
            return self.devices(node, name, values, words)
        if name == "numpy.array" or name == "numpy.asarray":
            of = values[0] if values else None
            if isinstance(of, Thing) and of.kind == "jax-devices":
                return Thing("device-array", ndim=1)
            return None
        if name.endswith("mesh_utils.create_device_mesh") or name.endswith(".create_hybrid_device_mesh"):
            shape = values[0] if values else words.get("mesh_shape")
            return Thing("device-array", ndim=len(shape.items) if isinstance(shape, Many) else None)
        if name.startswith("optax.") and name.count(".") == 1:
            return self.of_optax(node, name, values, words)
        if name.startswith("flax."):
            return self.of_flax(node, name, values, words)
        if not name.startswith("jax."):
            return None
        last = name.rsplit(".", 1)[-1]
        if name in MESHES:
            return self.mesh(node, name, values, words)
        if name in SPECS:
            return Thing("spec", axes=self.axes_of(node, values))
        if name == "jax.sharding.NamedSharding":
            return self.named_sharding(node, values, words)
        if name in ("jax.sharding.SingleDeviceSharding", "jax.sharding.PositionalSharding"):
            single = values and name.endswith("DeviceSharding")
            return Thing("sharding", place=self.place(values[0]) if single else None)
        if name.startswith("jax.lax.") and last in COLLECTIVES_OF_JAX:
            at = values[0 if last == "axis_index" else 1 :][:1] or [words.get("axis_name")]
            if isinstance(at[0], Text) and isinstance(at[0].value, str):
                self.collectives.append((node, at[0].value, reader.source, reader.path))
            return self.tree(values, None)
        if name in WRAPPERS or name in ("jax.experimental.pjit.pjit", "jax.pjit"):
            return self.wrapped(node, name, values, words)
        if last == "shard_map":
            self.specs_in(node, words.get("mesh", values[1] if len(values) > 1 else None),
                          [words.get("in_specs"), words.get("out_specs")] + values[2:4])
            return None
        if name == "jax.device_put":
            return self.put(node, values, words)
        if name == "jax.lax.with_sharding_constraint":
            self.sharding(node, values[1] if len(values) > 1 else words.get("shardings"), "with_sharding_constraint")
            return self.tree(values, None)
        if name == "jax.default_device":
            self.default_device(node, values)
        if name in SAME_TREE:
            given = values[1:] if "tree" in name else values
            if "tree" not in name:
                self.meet(node, given)
                return self.tree(given, None)
            found = [self.placed([value]) for value in given]
            alone = [placed[0] for placed in found if len({one["place"] for one in placed}) == 1]
            self.meet(node, alone)  # of several trees the leaves in the same place meet
            return self.mapped(values)
        if ARRAYS.match(name):
            self.meet(node, values + list(words.values()))
            place = self.place(words["device"]) if "device" in words else self.first_place(values)
            if "device" in words:
                self.array_on(node, words["device"])
            if NO_ARRAYS.search(name) or name in ("jax.random.PRNGKey", "jax.random.key"):
                return Thing("jax-tree", place=place) if place else None
            return Thing("jax-array", place=place)
        return None

    def devices(self, node, name, values, words):
        said = values[0] if values and name == "jax.devices" else words.get("backend")
        platform = text_of(said)
        reader = self.reader
        if is_number(said):
            reader.mistake(node, "a platform that JAX doesn't know", reader.written(node))
        asked = reader.deciding and not reader.trying and not reader.asserting
        if platform in ("gpu", "cuda", "rocm", "tpu") and asked:
            reader.mistake(node, "jax.devices of a platform as a question", reader.written(node), platform)
        if platform and WRONG_PLATFORM.match(platform):
            reader.mistake(node, "a platform that JAX doesn't know", reader.written(node))
        platform = {"cuda": "gpu", "rocm": "gpu"}.get(platform, platform)
        if said is not None and platform is None:
            return Thing("jax-devices", platform="?", local=False)
        return Thing("jax-devices", platform=platform or "default", local="local" in name)

    def device(self, of, at):
        index = at.value if isinstance(at, Text) and type(at.value) is int else None
        return Thing("jax-device", place=(of["platform"], index) if of["platform"] != "?" else None)

    @staticmethod
    def place(value):
        """(platform, number) of a device or sharding; None: not known."""
        return value["place"] if isinstance(value, Thing) and value.kind in (
            "jax-device", "sharding", "jax-array", "jax-tree") else None

    def differ(self, one, other):
        """Whether two committed arrays lie apart for sure where there is an accelerator, or several."""
        if not one or not other or one == other:
            return False
        kinds = one[0], other[0]
        if "mesh" in kinds:
            return kinds[0] != kinds[1] and "?" not in kinds
        if kinds[0] == kinds[1]:
            return None not in (one[1], other[1])
        if "default" in kinds:
            return "cpu" in kinds and not self.on_cpu
        return True

    def placed(self, values, depth=0):
        found = []
        for value in values if depth < 6 else ():
            if isinstance(value, Many):
                found += self.placed(value.items, depth + 1)
            elif isinstance(value, Thing) and value.kind in ("jax-array", "jax-tree") and value["place"]:
                found.append(value)
            elif isinstance(value, Thing) and value.kind == "mapping":
                found += self.placed(list(value.attributes.values()), depth + 1)
        return found

    def first_place(self, values):
        found = self.placed(values)
        return found[0]["place"] if found else None

    def meet(self, node, values):
        """Arrays that were put on a device stay there: two of them on two devices can't meet."""
        found = self.placed(values) if not self.tracing else []
        for one in found[1:]:
            if self.differ(found[0]["place"], one["place"]):
                told = found[0] if one["place"][0] == "mesh" else one  # beside a mesh, what lies on one device alone
                other = told["made"] if told["made"] and told["made"][1] == self.reader.source else (None, None)
                return self.reader.mistake(node, "JAX arrays on two devices", self.reader.written(node),
                                           self.named(found[0]["place"]), self.named(one["place"]), other=other[0],
                                           doubted=True)
        return None

    @staticmethod
    def named(place):
        if place[0] == "mesh":
            return "all devices of a mesh"
        which = "" if place[0] == "default" else repr(place[0])
        return "jax.devices(%s)[%s]" % (which, "…" if place[1] is None else place[1])

    def tree(self, values, first):
        place = self.first_place(values)
        return Thing("jax-tree", place=place) if place else None

    def mapped(self, values):
        """jax.tree.map(f, tree): where a function puts its leaves is seen by reading it."""
        function = values[0] if values else None
        if isinstance(function, Function) and isinstance(function.node, ast.Lambda):
            # Leaves of a tree that isn't known may be anything.
            leaves = [Thing("jax-array", place=self.first_place([v])) if self.first_place([v]) else None
                      for v in values[1:]]
            answer = self.reader.follow(function, leaves, {}, function.node)
            place = self.place(answer)
            return Thing("jax-tree", place=place) if place else None
        return None

    def put(self, node, values, words):
        reader = self.reader
        where = values[1] if len(values) > 1 else words.get("device")
        of = values[0] if values else words.get("x")
        if where is None and (len(values) > 1 or "device" in words):
            return Thing("jax-tree", place=None)
        bad = {"mesh": "a mesh", "jax-devices": "a list of devices", "number": "a number"}
        kind = bad.get(where.kind) if isinstance(where, Thing) else "a number" if is_number(where) else None
        meshed = re.search(r"set_mesh|use_mesh|with \w*mesh", reader.text)
        if isinstance(where, Thing) and where.kind == "spec" and not meshed:
            kind = "a PartitionSpec without its mesh"
        if kind:
            reader.mistake(node, "a place that device_put doesn't take", reader.written(node), kind)
            return None
        if where is None:
            return of if isinstance(of, Thing) and of.kind == "jax-array" else None
        single = isinstance(of, Thing) and of.kind == "jax-array"
        return Thing("jax-array" if single else "jax-tree", place=self.place(where), made=(node, reader.source))

    def array_on(self, node, where):
        if is_form(where) or is_number(where):
            self.reader.mistake(node, "an array of JAX on what is no device", self.reader.written(node))

    def default_device(self, node, values):
        where = values[0] if values else None
        if isinstance(where, Thing) and where.kind in ("jax-devices", "sharding", "mesh") or is_number(where):
            self.reader.mistake(node, "a default device that is none", self.reader.written(node))

    # ---- meshes and shardings

    def names_of(self, value):
        """The axes of a mesh; None: not known."""
        if isinstance(value, Text) and isinstance(value.value, str):
            return (value.value, )
        names = [text_of(i) for i in value.items] if isinstance(value, Many) and not value.open else [None]
        return tuple(names) if None not in names else None

    def mesh(self, node, name, values, words):
        shape = values[0] if values else words.get("axis_shapes", words.get("devices"))
        names = self.names_of(values[1] if len(values) > 1 else words.get("axis_names"))
        self.axes |= set(names or ())
        self.unknown_axes = self.unknown_axes or names is None
        ndim = None
        if isinstance(shape, Thing) and shape.kind in ("jax-devices", "device-array"):
            ndim = 1 if shape.kind == "jax-devices" else shape["ndim"]
        elif isinstance(shape, Many) and not shape.open and (name == "jax.make_mesh" or all(
                isinstance(i, Thing) and i.kind == "jax-device" for i in shape.items)):
            ndim = len(shape.items) if name == "jax.make_mesh" else 1
        if ndim and names is not None and ndim != len(names):
            self.reader.mistake(node, "a mesh with more or fewer axes than names", self.reader.written(node), str(ndim),
                                str(len(names)))
        return Thing("mesh", names=names, place=("mesh", id(node)))

    def axes_of(self, node, values):
        """The axes that a PartitionSpec names; the same twice raises as soon as it is used."""
        axes = []
        for value in values:
            each = value.items if isinstance(value, Many) else [value]
            axes += [text_of(one) if not (isinstance(one, Text) and one.value is None) else "" for one in each]
        named = [axis for axis in axes if axis]
        twice = [axis for axis in named if named.count(axis) > 1]
        if twice:
            self.reader.mistake(node, "an axis that a spec names twice", self.reader.written(node), twice[0])
        return axes

    def named_sharding(self, node, values, words):
        mesh = values[0] if values else words.get("mesh")
        spec = values[1] if len(values) > 1 else words.get("spec")
        reader = self.reader
        if isinstance(mesh, Thing) and mesh.kind in ("spec", "jax-devices", "device-array") or is_form(spec) or \
                isinstance(spec, Many):
            reader.mistake(node, "a NamedSharding of what is none", reader.written(node))
        self.specs_in(node, mesh, [spec])
        return Thing("sharding", place=mesh["place"] if isinstance(mesh, Thing) and mesh.kind == "mesh" else None)

    def specs_in(self, node, mesh, specs):
        names = mesh["names"] if isinstance(mesh, Thing) and mesh.kind == "mesh" else None
        for spec in specs:
            if isinstance(spec, Many):
                self.specs_in(node, mesh, spec.items)
            if names is None or not isinstance(spec, Thing) or spec.kind != "spec":
                continue
            wrong = [axis for axis in spec["axes"] if axis and axis not in names]
            if wrong:
                self.reader.mistake(node, "an axis that the mesh lacks", self.reader.written(node), wrong[0],
                                    ", ".join(repr(name) for name in names))

    def sharding(self, node, value, of):
        """in_shardings=… takes shardings and specs."""
        for one in value.items if isinstance(value, Many) else [value]:
            kind = one.kind if isinstance(one, Thing) else "text" if is_form(one) else None
            said = {"jax-device": "a device", "jax-devices": "a list of devices", "mesh": "a mesh", "text": "a text"}
            if kind in said:
                self.reader.mistake(node, "a sharding that is none", self.reader.written(node), of, said[kind])
                return

    def wrapped(self, node, name, values, words):
        reader = self.reader
        for word in ("in_shardings", "out_shardings"):
            if word in words:
                self.sharding(reader.keyword_of(node, word), words[word], word)
        axis = words.get("axis_name", values[1] if name == "jax.pmap" and len(values) > 1 else None)
        if axis is not None or "axis_name" in words:
            self.axes.add(text_of(axis))
            self.unknown_axes = self.unknown_axes or text_of(axis) is None
        if name == "jax.pmap" and is_form(words.get("devices")):
            reader.mistake(node, "a sharding that is none", reader.written(node), "devices", "a text")
        of = values[0] if values else None
        if isinstance(of, (Function, Bound, Name)) or isinstance(of, Thing) and of.kind == "jitted":
            meets = not {"in_shardings", "out_shardings", "device", "backend", "axis_name"} & set(words) and \
                name not in ("jax.pmap", "jax.vmap")
            return Thing("jitted", of=of, meets=meets, gives=name)
        return None

    def apply(self, node, thing, values, words):
        """step(…) of step = jax.jit(f)"""
        reader = self.reader
        if thing["meets"]:
            self.meet(node, values + list(words.values()))
        place = self.first_place(values + list(words.values()))
        if isinstance(thing["of"], Function) and "jax.jit" == thing["gives"]:
            reader.note(node, "call", "jax.jit called")
        answer = None
        if isinstance(thing["of"], (Function, Thing)):
            self.tracing += 1
            answer = reader.call_value(node, thing["of"], values, words)
            self.tracing -= 1
        if thing["gives"] in ("jax.value_and_grad", "jax.grad", "jax.vmap", "jax.pmap"):
            answer = None
        return answer if answer is not None else Thing("jax-tree", place=place) if place else None

    @staticmethod
    def is_jitted(function):
        """@jax.jit, or @partial(jax.jit, …) without a word of shardings."""
        if "jax.jit" in function.decorators:
            text = "".join(ast.dump(d) for d in function.node.decorator_list)
            return "shardings" not in text
        for one in getattr(function.node, "decorator_list", ()):
            if isinstance(one, ast.Call) and one.args and getattr(one.args[0], "attr", getattr(
                    one.args[0], "id", "")) == "jit" and "shardings" not in ast.dump(one):
                return True
        return False

    # ---- libraries above JAX

    def of_optax(self, node, name, values, words):
        if name == "optax.apply_updates":
            self.meet(node, values)
            return self.tree(values, None)
        if name in ("optax.incremental_update", "optax.global_norm"):
            self.meet(node, values)
            return None
        return Thing("optax") if not self.placed(values) else None

    def of_flax(self, node, name, values, words):
        if name.endswith("TrainState.create"):
            return Thing("jax-tree", place=self.first_place([words.get("params")]), state=True)
        return None

    def method(self, node, thing, attribute, values, words):
        """(whether it is known, its value)"""
        if thing.kind == "optax" and attribute == "init":
            return True, self.tree(values, None)
        if thing.kind == "optax" and attribute == "update":
            self.meet(node, values)
            place = self.first_place(values)
            return True, Many([Thing("jax-tree", place=place), Thing("jax-tree", place=place)]) if place else None
        if thing.kind == "device-array" and attribute == "reshape":
            shape = values[0].items if len(values) == 1 and isinstance(values[0], Many) else values
            return True, Thing("device-array", ndim=len(shape))
        if thing.kind == "jax-tree" and attribute == "replace":
            return True, Thing("jax-tree", place=None, state=thing["state"])
        if thing.kind == "jax-tree" and attribute == "apply_gradients":
            self.meet(node, [thing] + values + list(words.values()))
            return True, thing
        if thing.kind == "jax-tree" and attribute in ("items", "values"):
            item = Thing("jax-tree", place=thing["place"])
            return True, Thing("sequence", item=item) if attribute == "values" else None
        if thing.kind == "jax-array" and attribute == "to_device":
            return True, Thing("jax-array", place=self.place(values[0]) if values else None)
        if thing.kind == "jax-array" and attribute in ("astype", "reshape", "sum", "mean", "transpose", "copy", "dot",
                                                       "max", "min", "squeeze", "ravel", "flatten", "swapaxes", "std",
                                                       "block_until_ready", "set", "add", "get", "multiply"):
            self.meet(node, [thing] + values)
            return True, thing
        return False, None

    # ---- settings

    def variable(self, node, name, value):
        if name in ("XLA_FLAGS", "TF_XLA_FLAGS"):
            self.flags(node, name, form_of(value) if is_form(value) else "")
        if name in ("JAX_PLATFORMS", "JAX_PLATFORM_NAME"):
            self.platforms(node, name, text_of(value) or "")

    def platforms(self, node, name, said):
        self.on_cpu = self.on_cpu or said.split(",")[0] == "cpu"
        wrong = [one for one in said.split(",") if WRONG_PLATFORM.match(one.strip())]
        if wrong:
            self.reader.mistake(node, "a value that a variable doesn't take", said, name, "JAX knows no platform '%s'; "
                                "it takes 'cpu', 'gpu', 'cuda', 'rocm' or 'tpu', and raises" % wrong[0])

    def flags(self, node, name, text):
        reader, known = self.reader, self.reader.members.get("XLA_FLAGS", ())
        begins = "tf_xla_" if name == "TF_XLA_FLAGS" else "xla_"
        if not known:
            return
        words = text.replace(NUMBER, "0").split()
        for number, word in enumerate(words):
            flag = word.split("=")[0]
            if UNKNOWN in flag:
                continue
            if not flag.startswith("-"):
                before = words[number - 1] if number else ""
                if number == 0 and UNKNOWN not in text and flag.startswith("xla_"):
                    reader.mistake(node, "a flag of XLA that there is none", flag, "--" + flag)
                elif before.startswith("--" + begins) and "=" not in before and re.match(r"[\w.]+$", flag):
                    reader.mistake(node, "a flag of XLA that there is none", before + " " + flag, before + "=" + flag)
                continue
            if "," in word and ",--" in word:
                reader.mistake(node, "a flag of XLA that there is none", word, word.replace(",--", " --"))
                continue
            if not flag.startswith("--") and flag.lstrip("-") in known:
                reader.mistake(node, "a flag of XLA that there is none", flag, "--" + flag.lstrip("-"))
                continue
            flag = flag.lstrip("-")
            if name == "TF_XLA_FLAGS":
                if flag.startswith("xla_") and not flag.startswith("xla_enable"):
                    reader.mistake(node, "a flag of the other variable", flag, name, "XLA_FLAGS")
                continue
            if flag.startswith("tf_xla_"):
                reader.mistake(node, "a flag of the other variable", flag, name, "TF_XLA_FLAGS")
            elif flag not in known and OLD_FLAGS.match(flag):
                reader.mistake(node, "a flag of XLA that is gone", "--" + flag)
            elif flag not in known and not flag.startswith(("xla_tpu_", "xla_latency", "xla_jf_", "xla_sc_")):
                near = difflib.get_close_matches(flag, known, 1, 0.75)
                reader.mistake(node, "a flag of XLA that there is none", "--" + flag,
                               "--" + near[0] if near else "a flag that XLA has")

    # ---- statements, and the end

    def dropped(self, node, of):
        """A statement that only makes a placed copy."""
        reader = self.reader
        if not isinstance(of, ast.Call):
            return
        name = reader.full(of.func) or ""
        if PLACES.match(name) and name not in GIVES_BACK:
            return reader.mistake(of, "a result that is dropped", reader.written(of))
        if name in ("jax.tree.map", "jax.tree_map", "jax.tree_util.tree_map") and "device_put" in reader.written(of):
            return reader.mistake(of, "a result that is dropped", reader.written(of))
        if name in ("optax.apply_updates", "optax.incremental_update") or SETS_ITEMS.search(reader.written(of)):
            return reader.mistake(of, "a result that is dropped", reader.written(of))
        attribute = of.func.attr if isinstance(of.func, ast.Attribute) and not name else ""
        thing = reader.find_value(of.func.value) if attribute else None
        places = re.search(r"device_put|replicate\(", reader.written(of))
        state = isinstance(thing, Thing) and thing.kind == "jax-tree" and thing["state"]
        if attribute == "replace" and of.keywords and not of.args and (places or state) or \
                attribute == "apply_gradients" and state or \
                attribute == "to_device" and isinstance(thing, Thing) and thing.kind == "jax-array":
            return reader.mistake(of, "a result that is dropped", reader.written(of))
        return None

    def end(self):
        reader = self.reader
        if not self.axes or self.unknown_axes:
            return
        for node, axis, source, path in self.collectives:
            if axis not in self.axes:
                reader.source, reader.path = source, path
                reader.mistake(node, "an axis that nothing binds", reader.written(node), axis,
                               ", ".join(repr(a) for a in sorted(self.axes)), doubted=True)
        reader.source, reader.path = None, ()
