# Runs a user's model, layer by layer, on two sides with the same weights and inputs, and reports how far the two
# differ. It follows common.py and agree_load.py, agree_keras.py, agree_torch.py, which give a `framework`:
#   model, library, device          the model, what runs it, and where
#   watch(call)                     from now on every call of a layer goes through call(layer, original, args, kwargs)
#   run(inputs)                     the model's outputs for a list of arrays
#   kept_inputs(args, kwargs)       what as_given() needs to give them back as they were, where a layer changes them
#                                   in place
#   state(layer)                    the layer's untrained state, as arrays
#   concrete(args, kwargs)          whether these hold numbers, not symbols of a graph that is being built
#   arrays(result)                  its tensors as numpy arrays
#   exact(layer, call, args, kwargs, change, noise)  the layer in float64 on the CPU; change(array, name) is applied to
#                                   inputs (name None) and weights, noise(array) to the results of layers inside it
#   again(...), other(...)          the layer once more, unchanged; the layer on the other side
#   weights(layer)                  (name, array) of each; without a layer: of the model
# It only measures: other code decides what a difference means.
import hashlib
import time

UNITS = {"float64": 2.0**-53, "float32": 2.0**-24, "tf32": 2.0**-11, "float16": 2.0**-11, "bfloat16": 2.0**-8,
         "int8": 2.0**-8}
SMALLEST = {"float64": 2.0**-1022, "float32": 2.0**-126, "tf32": 2.0**-126, "float16": 2.0**-14,
            "bfloat16": 2.0**-126, "int8": 2.0**-126}
MOST_CALLS = 4    # of one layer: shared layers and cells are called often, with similar results
MOST_ROWS = 5000


def is_floating(array):
    return array.dtype.kind == "f" or array.dtype.name in ("bfloat16",)


def narrowed(array, bits):
    mantissa, exponent = numpy.frexp(array)
    return numpy.ldexp(numpy.rint(numpy.ldexp(mantissa, bits)), exponent - bits)


def in_integers(array):
    """As weights are quantised to eight bits: whole numbers times one factor, or one factor per column or row."""
    for axis in (None, tuple(range(array.ndim - 1)), tuple(range(1, array.ndim))):
        largest = numpy.max(numpy.abs(array), axis=axis, keepdims=True)
        step = numpy.where(largest > 0, largest / 127, 1)
        yield numpy.rint(array / step) * step


def is_matrix(array, name):
    return name is not None and array.ndim >= 2


REPLAYS = {
    "tf32": lambda array, name: narrowed(array, 11) if name is None or array.ndim > 1 else array,
    "bfloat16": lambda array, name: narrowed(array, 8) if name is None or array.ndim > 1 else array,
    "no-bias": lambda array, name: array * 0 if name and ("bias" in name or "beta" in name) else array,
    "transposed": lambda array, name: array.T
    if name and array.ndim == 2 and array.shape[0] == array.shape[1] else array,
    "int8": lambda array, name: list(in_integers(array))[0] if is_matrix(array, name) else array,
    "int8-columns": lambda array, name: list(in_integers(array))[1] if is_matrix(array, name) else array,
    "int8-rows": lambda array, name: list(in_integers(array))[2] if is_matrix(array, name) else array,
}


def unchanged(array, name):
    return array


def perturbed(unit, random):
    return lambda array, name=None: array * (1 + unit * random.uniform(-1, 1, array.shape))


def flat(arrays):
    parts = [numpy.asarray(a, "float64").ravel() for a in arrays if is_floating(a)]
    return numpy.concatenate(parts) if parts else numpy.zeros(0)


def rms(array):
    """Without overflow, for any numbers."""
    largest = float(numpy.max(numpy.abs(array))) if array.size else 0.0
    if largest == 0 or not numpy.isfinite(largest):
        return largest
    return largest * float(numpy.sqrt(numpy.mean(numpy.square(array / largest))))


def bits_kept(array):
    """How many bits of these numbers' significands are used."""
    some = array[(array != 0) & numpy.isfinite(array)]
    some = some[:: max(1, some.size // 4096)]
    if not some.size:
        return None
    whole = numpy.ldexp(numpy.abs(numpy.frexp(some)[0]), 53).astype("int64")
    lowest = whole & -whole
    return 53 - int(numpy.log2(numpy.min(lowest).astype("float64")))


def same_bits(ones, others):
    return len(ones) == len(others) and all(
        a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in zip(ones, others))


def pattern(got, wanted, difference):
    """What the first array's difference looks like: a word, and the columns (of the last axis) where it is."""
    if got.ndim < 2 or got.shape[-1] < 2:
        return None, None
    columns = got.shape[-1]
    got, wanted = got.reshape(-1, columns), wanted.reshape(-1, columns)
    off = got - wanted
    share = numpy.sqrt(numpy.mean(off * off, axis=0))
    with numpy.errstate(all="ignore"):
        lines = numpy.flatnonzero(share > 0.05 * share.max())
        where = None
        if lines.size * 2 <= columns:
            where = "column%s %s of %d" % ("" if lines.size == 1 else "s", ", ".join(map(str, lines[:5])) +
                                           (", ..." if lines.size > 5 else ""), columns)
        shown = got[:, lines]
        if where and not shown.any() and wanted[:, lines].any():
            return "zeros", where
        if not got.any() and wanted.any():
            return "zeros", None
        factor = float((got * wanted).sum() / (wanted * wanted).sum()) if wanted.any() else 1.0
        if rms(got - factor * wanted) * 8 < difference:
            return "factor", where
        if got.shape[0] >= 4:
            if rms(off - off.mean(axis=0)) * 8 < difference:
                return "offset", where
            centre, middle = wanted - wanted.mean(axis=0), got - got.mean(axis=0)
            slope = (centre * middle).sum(axis=0) / numpy.maximum((centre * centre).sum(axis=0), 1e-300)
            if rms(middle - slope * centre) * 8 < difference:
                return "factors", where
        centre, middle = wanted - wanted.mean(axis=1, keepdims=True), got - got.mean(axis=1, keepdims=True)
        slope = (centre * middle).sum(axis=1, keepdims=True) / numpy.maximum(
            (centre * centre).sum(axis=1, keepdims=True), 1e-300)
        if columns >= 8 and rms(middle - slope * centre) * 8 < difference:
            return "factors", where
    return None, where


class Comparison:
    """All layers of one run of the model."""

    def __init__(self, framework, wishes, precision):
        self.framework, self.wishes = framework, wishes
        self.judged_by = wishes["against"] if wishes["against"] in ("tf32", "bf16") else precision
        self.judged_by = {"bf16": "bfloat16"}.get(self.judged_by, self.judged_by)
        if UNITS[precision] > UNITS[self.judged_by]:
            self.judged_by = precision
        self.random = numpy.random.default_rng(1)
        self.rows, self.calls, self.noise, self.quiet, self.narrow = [], {}, None, False, False
        self.around = []  # the layers in whose calls this one is
        self.outputs = {}

    def __call__(self, layer, original, args, kwargs):
        if self.quiet:
            if self.narrow and self.framework.multiplies(layer):
                args = self.framework.mapped(args, lambda array: narrowed(array, 11))
            result = original(layer, *args, **kwargs)
            return self.framework.mapped(result, self.noise) if self.noise else result
        count = self.calls.get(id(layer), 0)
        if count >= MOST_CALLS or len(self.rows) >= MOST_ROWS or not self.framework.concrete(args, kwargs):
            return original(layer, *args, **kwargs)
        self.calls[id(layer)] = count + 1
        first = len(self.rows)
        given, state = self.framework.kept_inputs(args, kwargs), self.framework.state(layer)
        self.around.append(layer)
        try:
            result = original(layer, *args, **kwargs)
        finally:
            self.around.pop()
        args, kwargs = self.framework.as_given(given, args, kwargs)
        self.quiet = True
        try:
            row = self.look_at(layer, original, args, kwargs, result)
        except Exception as error:
            row = dict(self.framework.about(layer, args, result), not_compared=words(error))
        finally:
            self.quiet = False
        if not same_bits(state, self.framework.state(layer)):
            row["writes"] = True
        row["name"] = self.framework.full_name(row["name"], self.around)
        row["inside"] = len(self.rows) - first
        self.rows.append(row)
        return result

    def exact(self, call, change, noise=None):
        self.noise = noise
        try:
            return self.framework.arrays(self.framework.exact(*call, change, noise))
        finally:
            self.noise = None

    def look_at(self, layer, original, args, kwargs, result):
        call = (layer, original, args, kwargs)
        row = self.framework.about(layer, args, result)
        progress("layer %d, %s" % (len(self.rows) + 1, row["name"]))
        got = self.framework.arrays(result)
        again = self.framework.arrays(self.framework.again(*call))
        row["repeats"] = same_bits(got, again)
        whole = flat(got)
        row["elements"] = int(whole.size)
        if not row["repeats"] and len(got) == len(again) and all(a.shape == b.shape for a, b in zip(got, again)):
            with numpy.errstate(all="ignore"):
                row["repeat_difference"] = finite(rms(numpy.nan_to_num(whole - flat(again))))
        if not whole.size:
            return row
        try:
            plain = self.exact(call, unchanged)
        except Exception as error:
            row["not_compared"] = words(error)
            if row["repeats"]:
                self.compare_with_itself(row, call, whole)
            return row
        try:
            if row["repeats"] or same_bits(plain, self.exact(call, unchanged)):
                self.compare(row, call, got, whole, plain)
        except Exception as error:
            row["not_compared"] = words(error)
        return row  # otherwise the effect of one rounding can't be separated from randomness

    def compare_with_itself(self, row, call, whole):
        """Of a layer that does not run in float64: a smooth function moves evenly with its input, unless it
        rounds on the way. Inputs are moved to both sides by a part in 4096; the mean of the results is off by what it
        rounds."""
        layer, original, args, kwargs = call
        far = 2.0 ** -12
        moved = []
        for side in (far, -far):
            drawn = numpy.random.default_rng(2)
            change = lambda array: array * (1 + side * drawn.choice([-1.0, 1.0], array.shape))
            moved.append(
                flat(
                    self.framework.arrays(
                        original(layer, *self.framework.moved(args, change), **self.framework.moved(kwargs, change)))))
        if any(one.size != whole.size for one in moved):
            return
        unit = UNITS[self.judged_by]
        off = (moved[0] + moved[1] - 2 * whole) / 6 ** 0.5
        slope = (moved[0] - moved[1]) / 2 / far
        rounding = numpy.sqrt(numpy.square(unit * slope) + numpy.square(unit * whole)) + SMALLEST[self.judged_by]
        if numpy.isfinite(off).all():
            row["size"], row["difference"], row["rounding"] = finite(rms(whole)), finite(rms(off)), finite(
                rms(rounding))

    def compare(self, row, call, got, whole, plain):
        exact = flat(plain)
        against = self.wishes["against"]
        other = exact
        if against not in ("fp64",):
            other = flat(self.framework.arrays(self.other(call)))
        if exact.size != whole.size or other.size != whole.size:
            row["not_compared"] = "its result has another shape on the other side"
            return self.compare_with_itself(row, call, whole)
        usable = numpy.isfinite(whole) & numpy.isfinite(other) & numpy.isfinite(exact)
        row["not_a_number"] = int(numpy.count_nonzero(numpy.isfinite(whole) != numpy.isfinite(other)))
        whole, other, exact = whole[usable], other[usable], exact[usable]
        unit = UNITS[self.judged_by]
        # How far one rounding of every input, weight and result changes the result, element by element.
        squares = numpy.square(unit * exact) + SMALLEST[self.judged_by] ** 2
        for _ in range(2):
            noise = perturbed(unit, self.random)
            moved = flat(self.exact(call, noise, lambda array: noise(array)))[usable] - exact
            squares = squares + numpy.where(numpy.isfinite(moved), moved, 0) ** 2 / 2
        rounding = numpy.sqrt(squares)
        off = numpy.abs(whole - other)
        row["size"], row["difference"], row["rounding"] = finite(rms(other)), finite(rms(off)), finite(rms(rounding))
        row["largest"] = finite(float(numpy.max(off))) if off.size else 0.0
        row["furthest"] = finite(float(numpy.max(
            off / (rounding + rms(rounding))))) if off.size and rms(rounding) > 0 else 0.0
        bits = bits_kept(whole)
        if bits is not None:
            row["bits"] = bits
        if off.size and row["difference"] > 6 * row["rounding"] and row["repeats"]:
            self.replay(row, call, got, usable, whole, other)
        self.outputs = {"layer": call[0], "got": got, "other": other, "usable": usable}

    def other(self, call):
        if self.wishes["against"] != "tf32":
            return self.framework.other(self.wishes["against"], *call)
        # Only inputs and weights of products are narrowed, not values that are only passed on.
        inputs = self.framework.multiplies(call[0])
        self.narrow = True
        try:
            return self.framework.exact(*call, lambda array, name: narrowed(array, 11) if (
                inputs if name is None else array.ndim > 1) else array, None)
        finally:
            self.narrow = False

    def replay(self, row, call, got, usable, whole, other):
        """Which change of inputs and weights gives this result: what is left of the difference then."""
        left = {}
        for name, change in REPLAYS.items():
            if row["inside"] if "inside" in row else False:
                break
            try:
                guess = flat(self.exact(call, change))[usable]
            except Exception:
                continue
            left[name] = rms(whole - guess)
            if name in ("tf32", "bfloat16"):
                left[name] = min(left[name], rms(whole - narrowed(guess, 11 if name == "tf32" else 8)))
        row["replays"] = {name: finite(value) for name, value in left.items() if numpy.isfinite(value)}
        first = next(a for a in got if is_floating(a))
        if usable.all() and first.size <= whole.size:
            looks, where = pattern(numpy.asarray(first, "float64"), other[:first.size].reshape(first.shape),
                                   row["difference"])
            if looks:
                row["looks"] = looks
            if where:
                row["where"] = where

    def output(self):
        """Of the model as a whole, which is the last row."""
        found = {}
        row = self.rows[-1] if self.rows else {}
        if row.get("size") and "not_compared" not in row:
            found["relative_difference"] = row["difference"] / row["size"]
        last = self.outputs
        got = next((a for a in last.get("got", []) if is_floating(a)), None)
        if got is not None and last["layer"] is self.framework.model and got.ndim == 2 and got.shape[1] > 1 and last[
                "usable"].all():
            other = last["other"][:got.size].reshape(got.shape)
            found["rows"] = int(got.shape[0])
            # Classes whose values are nearer than their own rounding, as in models without training, are a tie.
            chosen = numpy.take_along_axis(other, numpy.argmax(numpy.asarray(got, "float64"), 1)[:, None], 1)[:, 0]
            tie = 8 * UNITS[self.judged_by] * numpy.abs(other).max(1)
            found["same_class"] = int(numpy.count_nonzero(other.max(1) - chosen <= tie))
        return found


handed_over_at = [0.0]


def progress(what):
    """Like step(), but sends the partial result only every few seconds: there may be thousands of layers."""
    if time.monotonic() < handed_over_at[0] + 3:
        return frame(b"s", what)
    handed_over_at[0] = time.monotonic()
    step(what)


def gradients(framework, inputs, unit):
    """Of each weight: the gradient of a sum of the results with fixed signs, in the model's precision and in
    float64."""
    signs = lambda shape: numpy.where(numpy.random.default_rng(5).random(shape) < 0.5, -1.0, 1.0)
    own = framework.gradients(inputs, signs, None)
    exact = framework.gradients(inputs, signs, unchanged)
    noise = perturbed(unit, numpy.random.default_rng(6))
    moved = framework.gradients(inputs, signs, noise)
    rows = []
    most = max([rms(wanted) for wanted in exact.values()] or
               [0.0])  # a gradient that is zero but for rounding is judged by the size of the others
    for name, wanted in exact.items():
        got = own.get(name)
        if got is None or got.shape != wanted.shape or name not in moved:
            continue
        rounding = numpy.sqrt(numpy.square(moved[name] - wanted) +
                              numpy.square(unit * wanted)) + unit * most + SMALLEST["float32"]
        rows.append({
            "name": name,
            "size": finite(rms(wanted)),
            "difference": finite(rms(got - wanted)),
            "rounding": finite(rms(rounding))
        })
    return rows


def words(error):
    """Keras appends the details to the name of the layer that failed."""
    lines = [
        line.strip() for line in str(error).replace("\033[1m", "").replace("\033[0m", "").splitlines() if line.strip()
    ]
    causes = [line for line in lines if not line.startswith(("Exception encountered", "Arguments received"))]
    return ("%s: %s" % (type(error).__name__, (causes or lines or [""])[0]))[:400]


def finite(value):
    value = float(value)
    return value if value == value and abs(value) != float("inf") else 1.7e308


def digest(framework):
    whole = hashlib.sha256()
    for name, array in framework.weights():
        whole.update(str(name).encode() + array.tobytes())
    return whole.hexdigest()


def memory_needed(framework, inputs):
    """In MiB: the weights as they are and twice in float64, and the layers' results, on both sides."""
    weights = sum(array.nbytes for _, array in framework.weights())
    elements = sum(array.size for _, array in framework.weights())
    return int((weights * 2 + elements * 16 + framework.activations(inputs) * 48) / 2 ** 20) + 1


def declared(framework, inputs):
    """The precision that most layers with weights compute in."""
    found = framework.precisions(inputs)
    known = [one for one in found if one in UNITS]
    return max(sorted(set(known)), key=known.count) if known else "float32"


def agree(wishes):
    report = answer["agree"] = {
        "model": wishes["shown"],
        "seed": wishes["seed"],
        "memory_limit_mib": wishes["memory_mib"]
    }
    step("loading the model")
    framework, inputs = load(wishes)
    report["library"], report["device"] = framework.library, framework.device
    if not wishes["against"]:
        wishes["against"] = "fp64" if framework.device.lower().startswith("cpu") else "cpu"
    report["against"] = wishes["against"]
    if inputs is None:
        inputs = framework.make_inputs(wishes["seed"])
    report["inputs"] = ", ".join("%s %s" % (" x ".join(map(str, a.shape)), a.dtype.name) for a in inputs)
    report["inputs_random"] = not wishes.get("input") and not wishes.get("given")
    framework.build(inputs)
    report["memory_mib"] = memory_needed(framework, inputs)
    if report["memory_mib"] > wishes["memory_mib"]:
        report["refused"] = "it needs about %d MiB, and the limit is %d MiB: allow more by --memory" % (
            report["memory_mib"], wishes["memory_mib"])
        return
    step("needs about %d MiB" % report["memory_mib"])
    precision = report["precision"] = declared(framework, inputs)
    why = framework.why_not(wishes["against"])
    if why:
        report["refused"] = why
        return
    before = digest(framework)
    kept = framework.kept()
    comparison = Comparison(framework, wishes, precision)
    report["judged_by"] = comparison.judged_by
    report["layers"] = comparison.rows
    with framework.watch(comparison):
        framework.run(inputs)
    report["output"] = comparison.output()
    if wishes["gradients"]:
        step("gradients")
        comparison.quiet = True
        report["gradients"] = gradients(framework, inputs, UNITS[comparison.judged_by])
    framework.put_back(kept)
    report["weights_unchanged"] = digest(framework) == before


def main():
    global numpy
    wishes = json.loads(sys.argv[1])
    try:
        step("import numpy")
        import numpy
        agree(wishes)
    except NotLoaded as error:
        answer.setdefault("agree", {})["refused"] = str(error)
    except BaseException as error:
        import traceback
        traceback.print_exc()
        answer.setdefault("agree", {})["refused"] = words(error)
    end()
