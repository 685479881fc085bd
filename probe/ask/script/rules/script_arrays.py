"""CuPy, Numba and ONNX Runtime, for the reader of scripts: what the tree of a file shows of them."""

# NumPy's functions that ask an array for its memory, which CuPy refuses; ufuncs hand the work over to CuPy instead.
TAKES_MEMORY = re.compile(r"numpy\.(asarray|array|ascontiguousarray|save|savetxt|savez|frombuffer|asanyarray)$|"
                          r"torch\.(from_numpy|tensor)$|matplotlib\.pyplot\.(plot|scatter|hist|imshow)$")
OF_SESSIONS = ("path_or_bytes", "sess_options", "providers", "provider_options", "read_config_from_model",
               "disabled_optimizers", "enable_fallback")


class Arrays:
    def __init__(self, reader, tracing):
        self.reader, self.tracing = reader, tracing

    def look(self, nodes):
        """The nodes of one file, whose imports `tracing` knows."""
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        for node in nodes:
            if "numba" in roots and isinstance(node, ast.FunctionDef):
                self.kernel(node)
            if "onnxruntime" in roots and isinstance(node, ast.Call):
                self.session(node)
            if "cupy" in roots and isinstance(node, (ast.FunctionDef, ast.Module)):
                self.memory(node)

    def kernel(self, node):
        """@cuda.jit: a kernel returns nothing; with device=True it is a function that kernels call."""
        for one in node.decorator_list:
            call = one.func if isinstance(one, ast.Call) else one
            if self.tracing.full(call) != "numba.cuda.jit" or isinstance(one, ast.Call) and (one.args or any(
                    keyword.arg in ("device", None) for keyword in one.keywords)):
                continue
            inner = within_others(node)
            for given in ast.walk(node):
                if isinstance(given, ast.Return) and given.value is not None and id(given) not in inner and not (
                        isinstance(given.value, ast.Constant) and given.value.value is None) and \
                        not self.is_called_plainly(node.name):
                    return self.reader.mistake(given, "a kernel of Numba's that returns a value",
                                               self.reader.written(given), node.name)
        return None

    def is_called_plainly(self, name):
        """f(x) and not f[blocks, threads](x): other kernels call it, as newer releases let them."""
        return re.search(r"(?<!def )\b%s\(" % re.escape(name), self.reader.text) is not None

    def session(self, node):
        if self.tracing.full(node.func) != "onnxruntime.InferenceSession":
            return
        for keyword in node.keywords:
            if keyword.arg and keyword.arg not in OF_SESSIONS:
                self.reader.mistake(keyword.value, "an argument that a session doesn't take", keyword.arg)

    def memory(self, of):
        """a = cupy.zeros(3); numpy.asarray(a)"""
        arrays = {}
        own = within_others(of, (ast.FunctionDef, ast.Lambda, ast.ClassDef))
        for one in ast.walk(of):
            if id(one) in own:
                continue
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                made = self.tracing.full(one.value.func) if isinstance(one.value, ast.Call) else ""
                array = re.match(r"cupy\.(random\.)?[a-z_0-9]+$", made) and made.rsplit(".", 1)[-1] not in (
                    "asnumpy", "get_array_module", "shape", "ndim", "size", "seed")
                arrays.setdefault(one.targets[0].id, []).append(bool(array))
        for one in ast.walk(of):
            if isinstance(one, ast.Call) and id(one) not in own and one.args and isinstance(one.args[0], ast.Name) and \
                    TAKES_MEMORY.match(self.tracing.full(one.func)) and all(arrays.get(one.args[0].id, [False])):
                self.reader.mistake(one, "an array of CuPy's where the host reads", self.reader.written(one))
