# The parts of agree.py for PyTorch.
import contextlib


class Torch:
    """A torch.nn.Module, called in eval mode without gradients."""

    def __init__(self, model):
        global torch
        import torch
        self.model = model
        self.names = {id(module): name for name, module in model.named_modules()}
        self.training = [module for module in model.modules() if module.training]
        model.eval()
        cuda = torch.cuda.is_available()
        place = next((p.device for p in model.parameters()), torch.device("cpu"))
        self.place = torch.device("cuda") if cuda and place.type == "cpu" else place
        if self.place != place:
            model.to(self.place)
        self.device = str(self.place)
        self.library = "torch " + str(torch.__version__)

    def why_not(self, against):
        if against == "cpu" and self.place.type == "cpu":
            return "torch lists no GPU here, so that there is no other device: use --against fp64"
        return ""

    def make_inputs(self, seed):
        raise NotLoaded(
            "torch models do not declare the shape of their input: name one by --input FILE.npy, or let the "
            "function return (model, input)")

    def tensor(self, array):
        tensor = torch.from_numpy(numpy.ascontiguousarray(array))
        if tensor.is_floating_point():
            first = next((p for p in self.model.parameters() if p.is_floating_point()), None)
            tensor = tensor.to(first.dtype if first is not None else torch.float32)
        return tensor.to(self.place)

    def build(self, inputs):
        pass

    def activations(self, inputs):
        return sum(a.size for a in inputs) * 64

    def run(self, inputs):
        with torch.no_grad():
            return self.model(*[self.tensor(a) for a in inputs])

    def precisions(self, inputs):
        """Of each layer with weights; autocast's type is only known while the model runs."""
        found = {m: str(p.dtype).replace("torch.", "") for m in self.model.modules()
                 for p in list(m.parameters(recurse=False))[:1] if p.is_floating_point()}
        found.update({m: "int8" for m in self.model.modules()
                      if ".quantized." in type(m).__module__ and hasattr(m, "weight")})
        before = self.kept()

        def note(module, original, args, kwargs):
            narrow = self.autocast_dtype()
            if narrow and module in found and self.multiplies(module):
                found[module] = narrow
            return original(module, *args, **kwargs)
        if hasattr(torch, "autocast"):
            try:
                with self.watch(note):
                    self.run(inputs)
            except Exception:
                pass  # it fails again where its layers are compared, which reports it
            self.copy_back(before)
        return list(found.values())

    def autocast_dtype(self):
        """The type of products under autocast here; None: it is off."""
        kind = "cpu" if self.place.type == "cpu" else "gpu"
        on = torch.is_autocast_cpu_enabled() if kind == "cpu" else torch.is_autocast_enabled()
        return str(getattr(torch, "get_autocast_%s_dtype" % kind)()).replace("torch.", "") if on else ""

    def weights(self, layer=None):
        held = (self.model if layer is None else layer)
        for name, tensor in list(held.named_parameters()) + list(held.named_buffers()):
            if tensor is not None:
                yield name, self.numbers(tensor)

    @staticmethod
    def numbers(tensor):
        tensor = tensor.detach().cpu()
        return (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).contiguous().numpy()

    def kept(self):
        return {name: tensor.detach().clone() for name, tensor in self.model.named_buffers()}

    def copy_back(self, kept):
        with torch.no_grad():
            for name, tensor in self.model.named_buffers():
                if name in kept and kept[name].shape == tensor.shape:
                    tensor.copy_(kept[name])

    def put_back(self, kept):
        self.copy_back(kept)
        for module in self.training:
            module.training = True

    @contextlib.contextmanager
    def watch(self, call):
        original = torch.nn.Module.__call__

        def wrapped(module, *args, **kwargs):
            return call(module, original, args, kwargs)
        torch.nn.Module.__call__ = wrapped
        try:
            yield
        finally:
            torch.nn.Module.__call__ = original

    def concrete(self, args, kwargs):
        return True

    def kept_inputs(self, args, kwargs):
        """Copies, and how often the tensors had been changed in place."""
        tensors = list(self.tensors([args, kwargs]))
        return tensors, [getattr(t, "_version", 0) for t in tensors], self.copied([args, kwargs])

    def as_given(self, given, args, kwargs):
        tensors, versions, copies = given
        self.in_place = any(getattr(t, "_version", 0) != v for t, v in zip(tensors, versions))
        return copies if self.in_place else (args, kwargs)

    def copied(self, value):
        """A tensor that is passed twice stays one tensor."""
        done = {}
        return self.each(value, lambda t: done.setdefault(id(t), t.detach().clone()))

    def state(self, layer):
        return [self.numbers(t).copy() for t in layer._buffers.values() if t is not None]

    def full_name(self, name, around):
        return name

    def mapped(self, value, change):
        return self.each(value, lambda tensor: torch.from_numpy(numpy.ascontiguousarray(change(tensor.numpy())))
                         if tensor.dtype == torch.float64 else tensor)

    def tensors(self, value):
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (list, tuple, dict)):
            for part in value.values() if isinstance(value, dict) else value:
                yield from self.tensors(part)

    def each(self, value, change):
        if isinstance(value, torch.Tensor):
            return change(value)
        if isinstance(value, (list, tuple)):
            parts = [self.each(part, change) for part in value]
            return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
        if isinstance(value, dict):
            try:
                return type(value)((key, self.each(part, change)) for key, part in value.items())
            except Exception:
                return {key: self.each(part, change) for key, part in value.items()}
        return value

    def moved(self, value, change):
        return self.each(
            value, lambda t: torch.from_numpy(numpy.ascontiguousarray(change(self.numbers(t).astype("float64")))).to(
                t.device).to(t.dtype) if t.is_floating_point() else t)

    def gradients(self, inputs, signs, change):
        """By weight; in float64 with `change` applied, or as the model is where that is None."""
        tensors = [self.tensor(array) for array in inputs]
        if change is None:
            return self.gradients_of({
                n: p
                for n, p in self.model.named_parameters() if p.is_floating_point()
            }, tensors, signs)

        with self.swapped(self.model, lambda t, name: self.in_float64(t, name, change)), casts_kept():
            return self.gradients_of({n: p for n, p in self.model.named_parameters() if p.is_floating_point()},
                                     [self.in_float64(t, None, change) for t in tensors], signs)

    def gradients_of(self, weights, tensors, signs):
        frozen = [p for p in weights.values() if not p.requires_grad]
        for parameter in frozen:
            parameter.requires_grad_(True)
        try:
            with torch.enable_grad():
                total = 0
                for result in self.tensors(self.model(*tensors)):
                    if result.is_floating_point():
                        total = total + (result * torch.from_numpy(signs(tuple(result.shape))).to(result.device).to(
                            result.dtype)).sum()
                results = torch.autograd.grad(total, list(weights.values()), allow_unused=True)
        finally:
            for parameter in frozen:
                parameter.requires_grad_(False)
        return {name: self.numbers(g).astype("float64") for name, g in zip(weights, results) if g is not None}

    def arrays(self, result):
        return [self.numbers(tensor) for tensor in self.tensors(result)]

    def about(self, layer, args, result):
        name = self.names.get(id(layer), "") or "the model"
        kind = type(layer).__name__ if type(layer).__module__.startswith("torch.nn.") else (
            type(layer).__module__.split(".")[-1] + "." + type(layer).__name__)
        dtypes = [str(tensor.dtype).replace("torch.", "") for tensor in self.tensors(result)]
        row = {"name": name if layer is not self.model else "the model", "kind": kind}
        floating = [d for d in dtypes if "float" in d]
        if floating:
            row["dtype"] = floating[0]
        own = [p for p in layer.parameters(recurse=False) if p.dim() > 0]
        row["weighted"] = bool(own)
        row["terms"] = self.terms(layer, own, args, result)
        return row

    @staticmethod
    def terms(layer, own, args, result):
        """The longest sum that one number of the result is made of."""
        most = max([p.numel() // p.shape[0] for p in own if p.dim() > 1] or [1])
        first = next((a for a in args if isinstance(a, torch.Tensor)), None)
        if isinstance(layer, (torch.nn.RNNBase,)) and first is not None and first.dim() > 1:
            return most * int(max(first.shape[:2])) * layer.num_layers
        if isinstance(layer, (torch.nn.Embedding,)):
            return 1
        if most == 1 and first is not None and first.dim() > 0 and isinstance(result, torch.Tensor) and result.numel():
            shape = getattr(layer, "normalized_shape", None)
            most = int(numpy.prod(shape)) if shape else max(
                1,
                first.numel() // result.numel(),
                int(first.shape[-1]) if "oftmax" in type(layer).__name__ else 1)
        return most

    @contextlib.contextmanager
    def swapped(self, layer, change):
        """The layer with other weights, and everything inside it: change(tensor, name)."""
        held = []
        for module in layer.modules():
            held.append((module, dict(module._parameters), dict(
                module._buffers), module.__dict__.get("_flat_weights"), dict(module.__dict__)))
        done = {}

        def changed(tensor, name):
            if tensor is None:
                return None
            if id(tensor) not in done:
                done[id(tensor)] = change(tensor.detach(), name)
            return done[id(tensor)]
        try:
            for module, parameters, buffers, flat_weights, own in held:
                for name, tensor in parameters.items():
                    module._parameters[name] = changed(tensor, name)
                for name, tensor in buffers.items():
                    module._buffers[name] = changed(tensor, name)
                if flat_weights is not None:
                    module.__dict__["_flat_weights"] = [
                        changed(t, n) for t, n in zip(flat_weights, module._flat_weights_names)
                    ]
                for name, value in own.items():  # tensors that are no buffers
                    if isinstance(value, torch.Tensor):
                        module.__dict__[name] = changed(value, name)
            yield
        finally:
            for module, parameters, buffers, flat_weights, own in held:
                module._parameters.update(parameters)
                module._buffers.update(buffers)
                for name, value in own.items():
                    if isinstance(value, torch.Tensor) or name == "_flat_weights":
                        module.__dict__[name] = value

    def in_float64(self, tensor, name, change):
        if not tensor.is_floating_point():
            return tensor.detach().cpu().clone()
        array = tensor.detach().cpu().to(torch.float64).numpy()
        # A copy: a layer may change it in place.
        return torch.from_numpy(numpy.array(change(array, name), order="C"))

    def exact(self, layer, original, args, kwargs, change, noise):
        with torch.no_grad(), self.swapped(layer, lambda t, name: self.in_float64(t, name, change)), casts_kept():
            args = self.each(args, lambda t: self.in_float64(t, None, change))
            kwargs = self.each(kwargs, lambda t: self.in_float64(t, None, change))
            return original(layer, *args, **kwargs)

    def again(self, layer, original, args, kwargs):
        if self.in_place:
            args, kwargs = self.copied([args, kwargs])
        if next(layer.buffers(), None) is None:
            with torch.no_grad():
                return original(layer, *args, **kwargs)
        with torch.no_grad(), self.swapped(layer, lambda t, name: t.clone()):
            return original(layer, *args, **kwargs)

    def multiplies(self, layer):
        return any(p.dim() > 1 for p in layer.parameters(recurse=False)) and not isinstance(layer, torch.nn.Embedding)

    def other(self, against, layer, original, args, kwargs):
        if against == "deterministic":
            before = torch.are_deterministic_algorithms_enabled()
            torch.use_deterministic_algorithms(True, warn_only=True)
            try:
                return self.again(layer, original, args, kwargs)
            finally:
                torch.use_deterministic_algorithms(before)
        place, dtype = ("cpu", None) if against == "cpu" else (self.place, torch.bfloat16)

        def moved(tensor, name=None):
            tensor = tensor.detach().to(place)
            return tensor.to(dtype if dtype is not None and tensor.is_floating_point() else tensor.dtype).clone()
        with torch.no_grad(), self.swapped(layer, moved):
            return original(layer, *self.each(args, moved), **self.each(kwargs, moved))


@contextlib.contextmanager
def casts_kept():
    """While a layer runs in float64, no intermediate value may be rounded to less."""
    narrow = (torch.float32, torch.float16, torch.bfloat16)
    names = ("to", "float", "half", "bfloat16", "type")
    originals = {name: getattr(torch.Tensor, name) for name in names}

    def keep(name):
        def cast(tensor, *args, **kwargs):
            if tensor.dtype == torch.float64:
                if name in ("float", "half", "bfloat16"):
                    return tensor
                args = tuple(torch.float64 if a in narrow and isinstance(a, torch.dtype) else a for a in args)
                if kwargs.get("dtype") in narrow:
                    kwargs = dict(kwargs, dtype=torch.float64)
            return originals[name](tensor, *args, **kwargs)
        return cast
    for name in names:
        setattr(torch.Tensor, name, keep(name))
    usual = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        yield
    finally:
        torch.set_default_dtype(usual)
        for name in names:
            setattr(torch.Tensor, name, originals[name])
