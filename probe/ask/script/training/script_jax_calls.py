"""What JAX and Flax refuse in a call: integers to differentiate, masks without a size, loops without a way back, modules that are not compact; for the
reader of scripts."""

DIFFERENTIATES = ("jax.grad", "jax.value_and_grad")
JITS_OF_JAX = ("jax.jit", "equinox.filter_jit", "flax.nnx.jit")
LAYERS_OF_FLAX = re.compile(r"flax\.linen\.(Dense|Conv\w*|Embed|LayerNorm|BatchNorm|GroupNorm|Dropout|LSTMCell|GRUCell|SelfAttention|MultiHeadDotProductAttention|RNN|Einsum)$")


class JaxCalls(WholeFile):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not roots & {"jax", "flax"}:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        functions = [one for one in nodes if isinstance(one, ast.FunctionDef)]
        if self.says(r"\bgrad\(|value_and_grad\("):
            self.integers_to_differentiate()
            self.loops_without_a_way_back()
        for of in functions if self.says(r"\bjit\b|filter_jit") else ():
            if any(self.full(getattr(by, "func", by)) in JITS_OF_JAX or isinstance(by, ast.Call) and self.full(by.func) == "functools.partial" and by.args and self.full(
                    by.args[0]) in JITS_OF_JAX for by in of.decorator_list):
                for part in [of] + [each for call in self.reached(of, 2, classes=False) for each in self.origins.functions_of(call.func) if isinstance(each, ast.FunctionDef)]:
                    self.masks_in_a_trace(part)
        if "flax" in roots:
            self.modules_that_are_not_compact()
            self.weights_without_their_name()

    def integers_to_differentiate(self):
        """jax.grad(f)(jnp.array([1, 2])), and g = jax.grad(f); g(x), with x = jnp.array([1, 2])"""
        for call in self.calls:
            made = call.func if isinstance(call.func, ast.Call) else self.value_of(call.func) if isinstance(call.func, ast.Name) else None
            if isinstance(made, ast.Call) and self.full(made.func) in JITS_OF_JAX and made.args:
                made = self.value_of(made.args[0])
            if not isinstance(made, ast.Call) or self.full(made.func) not in DIFFERENTIATES or any(k.arg in ("argnums", "allow_int", None) for k in made.keywords) or len(
                    made.args) > 1 or not call.args:
                continue
            given = self.value_of(call.args[0])
            whole = isinstance(given, ast.Constant) and type(given.value) is int or isinstance(given, ast.Call) and self.full(given.func) in (
                "jax.numpy.array", "jax.numpy.asarray") and len(given.args) == 1 and not given.keywords and isinstance(given.args[0], (ast.List, ast.Tuple)) and all(
                    isinstance(one, ast.Constant) and type(one.value) is int or isinstance(one, ast.UnaryOp) and isinstance(one.operand, ast.Constant) and type(
                        one.operand.value) is int for one in given.args[0].elts) and bool(given.args[0].elts)
            if whole and not self.is_reported(call):
                self.mistake(call, "whole numbers to differentiate by", self.written(given), other=given, doubted=False)

    def loops_without_a_way_back(self):
        """def solve(a): return jax.lax.while_loop(…); jax.grad(lambda a: solve(a))"""
        if self.says(r"custom_vjp|custom_jvp|jacfwd|jvp\(|custom_root|implicit|stop_gradient|checkpointed_while"):
            return
        for call in self.calls:
            if self.full(call.func) not in DIFFERENTIATES or not call.args:
                continue
            for of in self.origins.functions_of(call.args[0]):
                loop = next((one for one in self.reached(of, 3, classes=False) if self.full(one.func) == "jax.lax.while_loop"), None) if isinstance(
                    of, (ast.FunctionDef, ast.Lambda)) else None
                if loop is not None and not self.is_reported(loop):
                    self.mistake(loop, "a loop that no gradient comes back through", self.written(call), other=call)
                    return

    def masks_in_a_trace(self, of):
        """@jax.jit def f(x): return x[x > 0].mean()"""
        taken = {one.arg for one in of.args.args}
        for one in ast.walk(of):
            if not isinstance(one, ast.Subscript) or not isinstance(one.ctx, ast.Load) or isinstance(one.value, ast.Attribute) and one.value.attr == "at":
                continue
            mask = self.value_of(one.slice) if isinstance(one.slice, (ast.Name, ast.Compare)) else None
            if isinstance(mask, ast.UnaryOp) and isinstance(mask.op, ast.Invert):
                mask = mask.operand
            traced = {part.id for part in ast.walk(mask) if isinstance(part, ast.Name)} & taken if isinstance(mask, ast.Compare) else set()
            holds = isinstance(one.value, ast.Name) and one.value.id in taken or isinstance(one.value, ast.Name) and isinstance(self.value_of(one.value), (ast.Call, ast.BinOp))
            if traced and holds and not self.says(r"static_arg|size=") and not self.is_reported(one):
                self.mistake(one, "a mask whose number of places no trace knows", self.written(mask), other=mask, doubted=False)
                return

    def modules_that_are_not_compact(self):
        """class Net(nn.Module): def __call__(self, x): return nn.Dense(3)(x), without @nn.compact"""
        for of in self.tracing.index.classes:
            if not any(self.full(base) == "flax.linen.Module" for base in of.bases):
                continue
            methods = [one for one in of.body if isinstance(one, ast.FunctionDef)]
            if any("compact" in self.written(by) for one in methods for by in one.decorator_list):
                continue
            for one in methods:
                made = next((call for call in calls_in(one.body) if LAYERS_OF_FLAX.match(self.full(call.func)) and isinstance(self.parents.get(id(call)), ast.Call) and self.parents[
                    id(call)].func is call), None) if one.name == "__call__" else None
                if made is not None:
                    self.mistake(made, "a layer of a module that is not compact", of.name, other=one, doubted=False)
                    break

    def weights_without_their_name(self):
        """params = net.init(key, x)["params"]; net.apply(params, x)"""
        for call in self.calls:
            given = self.value_of(call.args[0]) if is_call(call, "apply") and call.args else None
            of = given.value if isinstance(given, ast.Subscript) and self.origins.key(given) == "params" else None
            made = self.value_of(of) if of is not None else None
            if isinstance(made, ast.Call) and is_call(made, "init") and self.written(made.func.value) == self.written(call.func.value) and isinstance(call.args[0], ast.Name):
                self.mistake(call, "weights without their name", self.written(call.args[0]), other=given, doubted=False)
