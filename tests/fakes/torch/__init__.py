"""A simulated PyTorch with one GPU, in plain Python: the parts that envdoctor uses. TORCH_LIE says how it misbehaves."""
import array
import ctypes
import os
import random
import signal
import struct
import sys
import time

LIE = os.environ.get("TORCH_LIE", "")
__version__ = "2.9.9"
float16, bfloat16, float32, float64 = "float16", "bfloat16", "float32", "float64"


if LIE == "clock-stops":
    readings = iter(range(12))  # of two a run: enough to check a result and to find out how long one takes
    time.perf_counter = lambda: next(readings, 12)


class version:
    cuda = "12.8"


class _C:
    pass


class device:
    def __init__(self, name):
        self.type, self.name = str(name).split(":")[0], str(name)

    def __str__(self):
        return self.name


def single(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def tf32(value):
    bits = struct.unpack("I", struct.pack("f", value))[0]
    bits = (bits + 0xFFF + (bits >> 13 & 1)) & ~0x1FFF
    return struct.unpack("f", struct.pack("I", bits))[0]


class Tensor:
    def __init__(self, values, shape, place="cpu"):
        self.values, self.shape, self.place = values, shape, place

    dtype = float32

    @property
    def device(self):
        return self.place

    def view(self, *shape):
        return Tensor(self.values, shape, self.place)

    def t(self):
        rows, columns = self.shape
        return Tensor([self.values[i * columns + j] for j in range(columns) for i in range(rows)], (columns, rows), self.place)

    def to(self, place):
        return Tensor(self.values, self.shape, str(place))

    def detach(self):
        return self

    cpu = contiguous = detach

    def numel(self):
        return len(self.values)

    def element_size(self):
        return 4

    def data_ptr(self):
        self.memory = array.array("f", self.values)
        return self.memory.buffer_info()[0]

    def __getitem__(self, index):
        return self.values[0]

    def __matmul__(self, other):
        return multiply(self, other)


skipped = [None, None]  # the last product: what it was made of, and the result


def multiply(a, b):
    (m, k), (_, n) = a.shape, b.shape
    if LIE == "skips" and skipped[0] and a.values is skipped[0][0] and b.values is skipped[0][1]:
        return skipped[1]
    on_gpu = a.place.startswith("cuda") and len(a.values) != 64 * 64
    left, right = a.values, b.values
    if on_gpu and LIE == "slow":
        time.sleep(0.01)
    if on_gpu and LIE == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if on_gpu and LIE == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        time.sleep(10000)
    if on_gpu and LIE == "print":
        for _ in range(64):
            os.write(1, b"all is well\n" * 8192)
            os.write(2, b"all is well\n" * 8192)
    if on_gpu and LIE == "unwritten":
        return Tensor(left[:1], (1, 1), a.place)
    if on_gpu and LIE == "missing":
        raise RuntimeError('"addmm" not implemented for \'Float\'')
    if on_gpu and backends.cuda.matmul.allow_tf32:
        left, right = [tf32(v) for v in left], [tf32(v) for v in right]
    columns = [right[j::n] for j in range(n)]
    values = [single(sum(x * y for x, y in zip(left[i * k:i * k + k], column))) for i in range(m) for column in columns]
    if on_gpu and LIE == "wrong":
        values[3] += 1
    if on_gpu and LIE == "cudnn" and backends.cudnn.enabled:
        values = [v + 1 for v in values]
    if on_gpu and LIE == "unstable":
        values = [v * (1 + random.choice((0, 1)) * 2.0 ** -23) for v in values]
    skipped[:] = (a.values, b.values), Tensor(values, (m, n), a.place)
    return skipped[1]


def frombuffer(data, dtype):
    values = array.array("f", bytes(data)).tolist()
    return Tensor(values, (len(values),))


def zeros(count, device="cpu"):
    return Tensor([0.0] * count, (count,), str(device))


def ones(*shape, device="cpu"):
    return Tensor([1.0] * (shape[0] * shape[1]), shape, str(device))


def diagonal(matrix):
    rows, columns = matrix.shape
    return Tensor(matrix.values[::columns + 1][:rows], (rows,), matrix.place)


def get_num_threads():
    return 1


class cuda:
    @staticmethod
    def is_available():
        return LIE != "no-gpu"

    @staticmethod
    def device_count():
        return 1

    @staticmethod
    def init():
        pass

    @staticmethod
    def synchronize(place):
        pass

    @staticmethod
    def get_device_capability(place):
        return 8, 0

    @staticmethod
    def get_device_properties(ordinal):
        class properties:
            name, major, minor = "Stand-in", 8, 0
        return properties


class backends:
    class cuda:
        class matmul:
            allow_tf32 = LIE == "tf32"

    class cudnn:
        allow_tf32 = enabled = True

        @staticmethod
        def is_available():
            return True

        @staticmethod
        def version():
            return 90300


sys.modules["torch"] = sys.modules[__name__]
