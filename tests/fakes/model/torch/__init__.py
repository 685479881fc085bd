"""A simulated PyTorch on NumPy: the parts that `envdoctor agree` and its tests use. It has only a CPU."""
import contextlib

import numpy

__version__ = "2.9.9"


class dtype:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return "torch." + self.name


float16, bfloat16, float32, float64, int64 = map(dtype, ("float16", "bfloat16", "float32", "float64", "int64"))
NAMES = {one.name: one for one in (float16, bfloat16, float32, float64, int64)}


def numpy_type(kind):
    if kind is bfloat16:
        import ml_dtypes
        return numpy.dtype(ml_dtypes.bfloat16)
    return numpy.dtype(kind.name)


class device:
    def __init__(self, name):
        self.type = str(name).split(":")[0]

    def __str__(self):
        return self.type


class Tensor:
    device = device("cpu")

    def __init__(self, values):
        self.values, self._version = numpy.asarray(values), 0

    dtype = property(lambda self: NAMES[self.values.dtype.name])
    shape = property(lambda self: self.values.shape)
    T = property(lambda self: Tensor(self.values.T))

    def is_floating_point(self):
        return self.values.dtype.kind != "i"

    def detach(self):
        return self

    cpu = contiguous = detach

    def clone(self):
        return Tensor(self.values.copy())

    def copy_(self, other):
        self.values[...] = other.values

    def mul_(self, factor):
        self.values *= values_of(factor, self)
        self._version += 1
        return self

    def numpy(self):
        return self.values

    def dim(self):
        return self.values.ndim

    def numel(self):
        return self.values.size

    def to(self, *args, dtype=None):
        kind = next((a for a in args if isinstance(a, globals()["dtype"])), dtype)
        return self if kind is None else Tensor(self.values.astype(numpy_type(kind)))

    def float(self):
        return self.to(float32)

    def half(self):
        return self.to(float16)

    def bfloat16(self):
        return self.to(bfloat16)

    def type(self, kind):
        return self.to(kind)

    def __matmul__(self, other):
        wide = numpy.float32 if self.values.dtype.itemsize < 4 else self.values.dtype
        return Tensor((self.values.astype(wide) @ other.values.astype(wide)).astype(self.values.dtype))

    def __add__(self, other):
        return Tensor(self.values + values_of(other, self))

    def __sub__(self, other):
        return Tensor(self.values - values_of(other, self))

    def __mul__(self, other):
        return Tensor(self.values * values_of(other, self))


def values_of(value, like):
    return value.values if isinstance(value, Tensor) else numpy.asarray(value, like.values.dtype)


class Parameter(Tensor):
    pass


def from_numpy(array):
    return Tensor(array)


def manual_seed(seed):
    global random
    random = numpy.random.default_rng(seed)


manual_seed(0)


def randn(*shape):
    return Tensor(random.standard_normal(shape).astype("float32"))


def rand_like(tensor):
    return Tensor(random.random(tensor.shape).astype(tensor.values.dtype))


def get_default_dtype():
    return float32


def set_default_dtype(kind):
    pass


narrower = []


@contextlib.contextmanager
def autocast(kind, dtype):
    """Linear layers compute in this precision; its CPU is all there is."""
    narrower.append(dtype)
    try:
        yield
    finally:
        narrower.pop()


def is_autocast_cpu_enabled():
    return bool(narrower)


def get_autocast_cpu_dtype():
    return narrower[-1]


@contextlib.contextmanager
def no_grad():
    yield


class cuda:
    @staticmethod
    def is_available():
        return False


def are_deterministic_algorithms_enabled():
    return False


def use_deterministic_algorithms(on, warn_only=False):
    pass


from . import nn  # noqa: E402, F401
