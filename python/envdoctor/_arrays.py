"""Writes arrays for the program, mostly as .npy files, without NumPy, so that nothing has to be installed."""
from __future__ import annotations

import json
import os
import struct
import sys
from typing import Any, List, Sequence, Tuple, Union

from ._errors import UsageError

Bytes = Union[bytes, memoryview]


def _npy(descr: str, shape: Tuple[int, ...], data: Bytes, path: str) -> None:
    header = "{'descr': %r, 'fortran_order': False, 'shape': %s, }" % (descr, repr(tuple(int(n) for n in shape)))
    padded = header + " " * (-(10 + len(header) + 1) % 64) + "\n"
    if len(padded) > 65535:
        raise UsageError("an array of more axes than a file can hold")
    with open(path, "xb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(padded)) + padded.encode("latin-1"))
        file.write(data)


def _safetensors(kind: str, shape: Tuple[int, ...], data: Bytes, path: str) -> None:
    """One array in the format that names types of 8 bits; the program recognises files by content, not by name."""
    header = json.dumps({"": {"dtype": kind, "shape": [int(n) for n in shape], "data_offsets": [0, len(data)]}}).encode()
    with open(path, "xb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        file.write(data)


# Types that .npy has no name for, as .safetensors calls them.
EIGHT_BITS = {"float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2"}


def _of_torch(tensor: Any) -> Tuple[str, Any]:
    """A torch tensor as something NumPy-like, and the type's name where NumPy has none. torch is imported: the caller uses it."""
    torch = sys.modules["torch"]
    tensor = tensor.detach()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    tensor = tensor.cpu().resolve_conj().resolve_neg().contiguous()
    if tensor.dtype is torch.bfloat16:
        return "<V2", tensor.view(torch.int16).numpy()
    name = str(tensor.dtype).rpartition(".")[2]
    if name in EIGHT_BITS:
        return name, tensor.view(torch.uint8).numpy()
    return "", tensor.numpy()


def _numpy_like(array: Any) -> Tuple[str, Any]:
    """Something with dtype, shape and tobytes, and the type's name where it must be stated."""
    kind = type(array)
    if kind.__module__.partition(".")[0] == "torch" or any(base.__module__ == "torch" for base in kind.__mro__):
        return _of_torch(array)
    if hasattr(array, "__cuda_array_interface__") and callable(getattr(array, "get", None)):
        return "", array.get()  # CuPy
    if hasattr(array, "dtype") and hasattr(array, "tobytes") and hasattr(array, "flags"):
        return "", array  # NumPy's own
    if callable(getattr(array, "numpy", None)):
        return "", array.numpy()  # TensorFlow
    if callable(getattr(array, "__array__", None)):
        return "", array.__array__()  # JAX and others
    if callable(getattr(array, "__dlpack__", None)):
        numpy = sys.modules.get("numpy")
        if numpy is None:
            raise UsageError(f"{kind.__name__} can be taken by DLPack only, and NumPy is not loaded: pass a NumPy array")
        return "", numpy.from_dlpack(array)
    return "", None


def _flat(nested: Any, out: List[float], inside: str = "") -> Tuple[int, ...]:
    """The shape of nested lists of numbers, whose numbers are appended to `out`. inside: the type of the container of `nested`."""
    if isinstance(nested, (int, float)):
        out.append(float(nested))
        return ()
    name = type(nested).__name__
    if not isinstance(nested, (list, tuple)):
        raise UsageError(f"a {inside} of {name} is no array: stack what it holds, or compare one after the other" if inside else
                         f"{name} is no array: it has neither __array__ nor numpy() nor a buffer")
    shapes = [_flat(item, out, name) for item in nested]
    if len(set(shapes)) > 1:
        raise UsageError("lists of different lengths are no array")
    return (len(nested), *(shapes[0] if shapes else ()))


def write(array: Any, path: str) -> None:
    """Writes an array as a file that `envdoctor compare` reads: values of NumPy, PyTorch, TensorFlow, JAX and CuPy, buffers, nested lists of numbers
    (as float64). Raises UsageError for anything else, and for tensors without values, such as symbolic ones."""
    try:
        descr, like = _numpy_like(array)
    except UsageError:
        raise
    except Exception as error:  # an error of a framework
        raise UsageError(f"{type(array).__name__} holds no numbers that can be read: {error}") from error
    if like is not None:
        kind = str(getattr(like.dtype, "str", ""))
        eight_bits = EIGHT_BITS.get(descr or str(like.dtype))
        if eight_bits:
            return _safetensors(eight_bits, like.shape, like.tobytes(), path)
        if not descr and (like.dtype.hasobject or not kind):
            raise UsageError(f"an array of type {like.dtype} holds no numbers")
        return _npy(descr or kind, like.shape, like.tobytes(), path)
    try:
        view = memoryview(array)
    except TypeError:
        numbers: List[float] = []
        shape = _flat(array, numbers)
        return _npy("<f8", shape, struct.pack(f"<{len(numbers)}d", *numbers), path)
    order = "<" if sys.byteorder == "little" else ">"
    letters = {"b": "|i1", "B": "|u1", "h": "i2", "H": "u2", "i": "i4", "I": "u4", "l": "i8", "L": "u8", "q": "i8", "Q": "u8",
               "e": "f2", "f": "f4", "d": "f8", "?": "|b1"}
    name = letters.get(view.format.lstrip("@="))
    if name is None:
        raise UsageError(f"a buffer of format {view.format!r} holds no numbers")
    _npy(name if name.startswith("|") else order + name[0] + str(view.itemsize), tuple(view.shape or ()), view.tobytes(), path)


def is_path(value: Any) -> bool:
    return isinstance(value, (str, os.PathLike))


def shape_text(place: Sequence[int]) -> str:
    return "[" + ", ".join(str(n) for n in place) + "]"
