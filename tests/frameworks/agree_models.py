"""Models for `envdoctor agree`: correct MODELS of a framework, and those with one faulty layer.

A spoilt layer does in float32 what it should not, and is right in float64: as a device or a library may be.
SPOILT: name -> (function, the layer that must be named, words that must be in the finding)."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import agree_more  # noqa: E402


def keras():
    import keras as module
    return module


def seeded():
    module = keras()
    module.utils.set_random_seed(7)
    return module, module.layers


def application(name, **more):
    def build():
        module, _ = seeded()
        return getattr(module.applications, name)(weights=None, classes=10, **dict(input_shape=(64, 64, 3), **more))
    return build


def sequence(*wanted):
    """A model of sequences of eight numbers, of these layers."""
    def build():
        module, L = seeded()
        made = [module.Input((12, 8))] + [maker(L) for maker in wanted]
        return module.Sequential(made + [L.Flatten(), L.Dense(5)])
    return build


def image(*wanted):
    def build():
        module, L = seeded()
        made = [module.Input((16, 16, 3))] + [maker(L) for maker in wanted]
        return module.Sequential(made + [L.Flatten(), L.Dense(5, activation="softmax")])
    return build


def words():
    module, L = seeded()
    i = module.Input((12,), dtype="int32")
    x = L.Embedding(50, 16, mask_zero=True)(i)
    x = L.LSTM(8, return_sequences=True)(x)
    return module.Model(i, L.Dense(3, activation="softmax")(L.GlobalAveragePooling1D()(x)))


def attention():
    module, L = seeded()
    i = module.Input((12, 16))
    x = L.MultiHeadAttention(4, 8)(i, i)
    x = L.LayerNormalization()(L.Add()([x, i]))
    x = L.LayerNormalization()(L.Add()([x, L.Dense(16)(L.Dense(32, activation="gelu")(x))]))
    return module.Model(i, L.Dense(4)(L.GlobalMaxPooling1D()(x)))


def several_inputs():
    module, L = seeded()
    a, b = module.Input((8,), name="a"), module.Input((6, 6, 2), name="b")
    x = L.Concatenate()([L.Dense(16, activation="tanh")(a), L.Flatten()(L.Conv2D(4, 3)(b))])
    return module.Model([a, b], [L.Dense(3, activation="sigmoid")(x), L.Dense(2)(x)])


def residual():
    module, L = seeded()
    i = module.Input((16, 16, 8))
    x = L.BatchNormalization()(L.Conv2D(8, 3, padding="same")(i))
    x = L.Add()([L.ReLU()(x), i])
    x = L.Conv2DTranspose(4, 3, strides=2)(x)
    return module.Model(i, L.GlobalAveragePooling2D()(x))


def shared_layers():
    module, L = seeded()
    a, b = module.Input((8,)), module.Input((8,))
    dense = L.Dense(8, activation="elu")
    return module.Model([a, b], L.Dot(1)([dense(a), dense(dense(b))]))


def dot_attention():
    module, L = seeded()
    i = module.Input((12, 16))
    x = L.Attention(use_scale=True)([L.Dense(16)(i), i, L.Dense(16)(i)])
    x = L.AdditiveAttention()([x, i])
    return module.Model(i, L.Dense(4, activation="tanh")(L.GlobalAveragePooling1D()(x)))


def small_unet():
    module, L = seeded()
    i = module.Input((16, 8))
    down = L.Conv1D(8, 3, padding="same", activation="relu")(i)
    x = L.Conv1D(16, 3, strides=2, padding="same", activation="relu")(down)
    x = L.Conv1DTranspose(8, 3, strides=2, padding="same")(x)
    return module.Model(i, L.Conv1D(2, 1, activation="sigmoid")(L.Concatenate()([x, down])))


def subclassed():
    module, L = seeded()

    class Mine(module.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = L.Dense(16, activation="swish"), L.Dense(4)

        def call(self, x):
            return self.second(self.first(x) * 2 + 1)
    import numpy
    return Mine(), numpy.random.default_rng(3).standard_normal((8, 10)).astype("float32")


def custom(call, weighted=True):
    """A model with one layer of one's own: call(layer, x)."""
    def build():
        module, L = seeded()

        class Own(L.Layer):
            def build(self, shape):
                if weighted:
                    self.kernel = self.add_weight(shape=(shape[-1], shape[-1]), initializer="glorot_uniform", name="kernel")
                    self.bias = self.add_weight(shape=(shape[-1],), initializer="random_normal", name="bias")
                self.built = True

            def call(self, x):
                return call(self, x)

            def compute_output_shape(self, shape):
                return shape
        i = module.Input((32,))
        x = L.Dense(32, activation="relu", name="before")(i)
        x = Own(name="own")(x)
        return module.Model(i, L.Dense(4, name="behind")(x))
    return build


def operations():
    module = keras()
    if not hasattr(module, "ops"):
        import tensorflow as tf

        class Ops:
            matmul, cast, transpose, round, exp, log, sqrt, abs, where, mean, square, tanh = (
                tf.matmul, tf.cast, tf.transpose, tf.round, tf.exp, tf.math.log, tf.sqrt, tf.abs, tf.where, tf.reduce_mean,
                tf.square, tf.tanh)
        return Ops
    return module.ops


def name_of(x):
    return str(getattr(x.dtype, "name", x.dtype)).replace("torch.", "")


def wide(x):
    return name_of(x) == "float64"


def plain(layer, x):
    return operations().matmul(x, layer.kernel) + layer.bias


def narrowed(x, bits):
    """Rounded to so many bits, by adding and taking away a multiple of it."""
    big = x * (2.0 ** (24 - bits) + 1)
    return big - (big - x)


def custom_softplus(layer, x):
    o = operations()
    return o.log(1 + o.exp(-o.abs(x))) + x * 0.5


KERAS_SOUND = {
    "MobileNetV2": application("MobileNetV2"), "DenseNet121": application("DenseNet121"),
    "EfficientNetB0": application("EfficientNetB0"), "ResNet50": application("ResNet50"),
    "NASNetMobile": application("NASNetMobile"), "MobileNet": application("MobileNet"),
    "LSTM": sequence(lambda L: L.LSTM(16, return_sequences=True), lambda L: L.LSTM(8)),
    "GRU": sequence(lambda L: L.GRU(16, return_sequences=True)),
    "SimpleRNN": sequence(lambda L: L.SimpleRNN(16)),
    "Bidirectional": sequence(lambda L: L.Bidirectional(L.LSTM(8, return_sequences=True))),
    "masked": sequence(lambda L: L.Masking(), lambda L: L.LSTM(8, return_sequences=True), lambda L: L.SeparableConv1D(4, 3)),
    "Conv1D": sequence(lambda L: L.Conv1D(16, 3, dilation_rate=2), lambda L: L.AveragePooling1D(2)),
    "TimeDistributed": sequence(lambda L: L.TimeDistributed(L.Dense(4, activation="softmax"))),
    "words": words, "attention": attention, "several inputs": several_inputs, "residual": residual,
    "shared layers": shared_layers, "dot attention": dot_attention, "small U-Net": small_unet,
    "stacked cells": sequence(lambda L: L.RNN([L.LSTMCell(8), L.GRUCell(8)], return_sequences=True)),
    "group normalisation": image(lambda L: L.Conv2D(8, 3), lambda L: L.GroupNormalization(4), lambda L: L.Activation("relu")),
    "subclassed": subclassed,
    "own layer": custom(plain), "own layer without weights": custom(custom_softplus, False),
    "dropout, noise": image(lambda L: L.Dropout(0.5), lambda L: L.GaussianNoise(1.0), lambda L: L.SpatialDropout2D(0.3)),
    "normalisations": image(lambda L: L.Conv2D(8, 3), lambda L: L.LayerNormalization(), lambda L: L.BatchNormalization(),
                            lambda L: L.UnitNormalization()),
    "activations": image(lambda L: L.Dense(8, activation="gelu"), lambda L: L.Dense(8, activation="selu"), lambda L: L.Dense(8, activation="softplus"),
                         lambda L: L.PReLU(), lambda L: L.Dense(8, activation="exponential")),
    "separable": image(lambda L: L.SeparableConv2D(8, 3), lambda L: L.DepthwiseConv2D(3), lambda L: L.UpSampling2D(interpolation="bilinear")),
    "pooling": image(lambda L: L.MaxPooling2D(2), lambda L: L.AveragePooling2D(2), lambda L: L.ZeroPadding2D()),
    "three dimensions": image(lambda L: L.Reshape((8, 8, 4, 3)), lambda L: L.Conv3D(4, 2), lambda L: L.MaxPooling3D((2, 3, 2), (2, 1, 1), padding="same")),
    "recurrent convolution": image(lambda L: L.Reshape((4, 8, 8, 3)), lambda L: L.ConvLSTM2D(4, 3, return_sequences=True)),
    "rescaling": image(lambda L: L.Rescaling(1 / 255.0), lambda L: L.Conv2D(4, 5, strides=2)),
}


if os.environ.get("KERAS_BACKEND") in ("jax", "torch"):
    # Operation by operation, JAX compiles the hundreds of shapes of each of these for minutes; PyTorch, too, takes minutes.
    for one in ("DenseNet121", "EfficientNetB0", "ResNet50", "NASNetMobile", "MobileNet"):
        del KERAS_SOUND[one]


def mixed():
    """A model whose policy is mixed as a whole is judged by its own precision."""
    module, L = seeded()
    policy = module.mixed_precision.set_global_policy if module.__version__.startswith("2") else module.config.set_dtype_policy
    policy("mixed_bfloat16")
    i = module.Input((32,))
    x = L.Dense(64, activation="relu")(i)
    return module.Model(i, L.Dense(4, activation="softmax", dtype="float32")(L.Dense(64)(L.LayerNormalization()(x))))


KERAS_SOUND["mixed_bfloat16"] = mixed


def one_in_bfloat16():
    module, L = seeded()
    i = module.Input((32,))
    x = L.Dense(32, activation="relu", name="before")(i)
    x = L.Dense(32, name="own", dtype="bfloat16")(x)
    return module.Model(i, L.Dense(4, name="behind")(L.Dense(16, name="next")(x)))


def dropout_at_inference():
    module, L = seeded()
    i = module.Input((32,))
    x = L.Dropout(0.5, name="own")(L.Dense(32, name="before")(i), training=True)
    return module.Model(i, L.Dense(4, name="behind")(x))


def counter():
    module, L = seeded()

    class Own(L.Layer):
        def build(self, shape):
            self.calls = self.add_weight(shape=(), initializer="zeros", trainable=False, name="calls")
            self.built = True

        def call(self, x):
            self.calls.assign(self.calls + 1)
            return x * (1 + self.calls)
    i = module.Input((32,))
    return module.Model(i, L.Dense(4, name="behind")(Own(name="own")(L.Dense(32, name="before")(i))))


def norm(layer, x, epsilon):
    o = operations()
    return x / o.sqrt(o.mean(o.square(x)) + epsilon)


def not_a_number(layer, x):
    y = plain(layer, x)
    return y if wide(x) else operations().log(y - y - 1)


def zeroed(layer, x):
    import numpy
    kept = numpy.ones(32, name_of(x))
    kept[5] = 0
    return plain(layer, x) if wide(x) else plain(layer, x) * kept


def in_eight_bits(layer, x):
    o = operations()
    kernel = layer.kernel * 1.0
    return plain(layer, x) if wide(x) else o.matmul(x, o.round(kernel * 200.0) / 200.0) + layer.bias


KERAS_SPOILT = {
    "TF32 in one Dense": (custom(lambda l, x: plain(l, x) if wide(x) else operations().matmul(narrowed(x, 11), narrowed(l.kernel * 1.0, 11)) + l.bias), "own", "TF32"),
    "one layer in bfloat16": (one_in_bfloat16, "own", "bfloat16"),
    "bias left out": (custom(lambda l, x: plain(l, x) if wide(x) else operations().matmul(x, l.kernel)), "own", "bias"),
    "another epsilon": (custom(lambda l, x: norm(l, x, 1e-5 if wide(x) else 1e-3)), "own", "factor"),
    "dropout at inference": (dropout_at_inference, "own", "random"),
    "a counter": (counter, "own", "called again"),
    "weight transposed": (custom(lambda l, x: plain(l, x) if wide(x) else operations().matmul(x, operations().transpose(l.kernel * 1.0)) + l.bias), "own", "transposed"),
    "NaN": (custom(not_a_number), "own", "NaN"),
    "a column of zeros": (custom(zeroed), "own", "column 5 of 32"),
    "weights in eight bits": (custom(in_eight_bits), "own", "keeps only"),
    "casts to bfloat16 inside": (custom(lambda l, x: operations().cast(operations().cast(plain(l, x), "bfloat16"), "float32")), "own", "bfloat16"),
    "another activation": (custom(lambda l, x: operations().tanh(plain(l, x)) if wide(x) else plain(l, x)), "own", "wrong results"),
}


def sums_in_another_order(layer, x):
    """Rounding explains it: no fault."""
    o = operations()
    if wide(x):
        return plain(layer, x)
    kernel = layer.kernel * 1.0
    return o.matmul(x[:, 20:], kernel[20:]) + (o.matmul(x[:, :20], kernel[:20]) + layer.bias)


KERAS_SOUND["sums in another order"] = custom(sums_in_another_order)


def torch_models():
    import torch
    from torch import nn
    torch.manual_seed(7)

    class Own(nn.Module):
        def __init__(self, call):
            super().__init__()
            self.weight = nn.Parameter(torch.randn(32, 32) / 6)
            self.bias = nn.Parameter(torch.randn(32))
            self.calls = 0
            self.does = call

        def forward(self, x):
            return self.does(self, x)

    class Residual(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b, self.n = nn.Conv2d(8, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1), nn.GroupNorm(4, 8)

        def forward(self, x):
            return torch.nn.functional.gelu(self.n(self.b(torch.relu(self.a(x))))) + x

    class Recurrent(nn.Module):
        def __init__(self, kind, **more):
            super().__init__()
            self.rnn = kind(8, 16, batch_first=True, **more)
            self.head = nn.Linear(16 * (2 if more.get("bidirectional") else 1), 3)

        def forward(self, x):
            return self.head(self.rnn(x)[0][:, -1])

    class TwoInputs(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.numbers, self.head = nn.Embedding(20, 8), nn.Linear(8, 8), nn.Bilinear(8, 8, 3)

        def forward(self, words_, x):
            return torch.log_softmax(self.head(self.words(words_).mean(1), self.numbers(x)), -1)

    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention, self.norm = nn.MultiheadAttention(8, 2, batch_first=True), nn.LayerNorm(8)

        def forward(self, x):
            return self.norm(x + self.attention(x, x, x, need_weights=False)[0])

    class Tied(nn.Module):
        """One weight in two layers, as language models have it."""

        def __init__(self):
            super().__init__()
            self.words, self.inner, self.out = nn.Embedding(20, 8), nn.Linear(8, 8), nn.Linear(8, 20, bias=False)
            self.out.weight = self.words.weight

        def forward(self, words_):
            return self.out(torch.tanh(self.inner(self.words(words_))))

    class Rotary(nn.Module):
        """A buffer, and attention written out."""

        def __init__(self):
            super().__init__()
            self.to_all = nn.Linear(8, 24)
            angle = torch.arange(12.0)[:, None] * torch.tensor([1.0, 0.1, 0.01, 0.001])
            self.register_buffer("turn", torch.cat([angle, angle], 1))

        def forward(self, x):
            q, k, v = self.to_all(x).chunk(3, -1)
            turned = [t * self.turn.cos() + torch.cat([-t[..., 4:], t[..., :4]], -1) * self.turn.sin() for t in (q, k)]
            return torch.softmax(turned[0] @ turned[1].transpose(1, 2) / 8 ** 0.5, -1) @ v

    class Dictionary(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.two = nn.Linear(32, 4), nn.Linear(32, 2)

        def forward(self, x):
            return {"classes": torch.softmax(self.one(x), -1), "place": self.two(x)}

    class Sharing(nn.Module):
        """One layer that is called three times, and a parameter of its own."""

        def __init__(self):
            super().__init__()
            self.cell, self.scale = nn.GRUCell(8, 8), nn.Parameter(torch.ones(8))

        def forward(self, x):
            state = torch.zeros_like(x[:, 0])
            for step in range(3):
                state = self.cell(x[:, step], state)
            return state * self.scale

    def plain(*layers):
        return lambda: nn.Sequential(*[layer() for layer in layers])

    def with_input(made, x):
        return lambda: (made(), x)

    def spoilt(call):
        return lambda: (nn.Sequential(nn.Linear(32, 32), nn.ReLU(), Own(call), nn.Linear(32, 4)), torch.randn(16, 32))

    def linear(layer, x):
        return torch.nn.functional.linear(x, layer.weight, layer.bias)

    def count(layer, x):
        layer.calls += 1
        return linear(layer, x) * layer.calls
    vector, series, picture = torch.randn(16, 32), torch.randn(4, 12, 8), torch.randn(2, 8, 16, 16)
    F = torch.nn.functional
    sound = {
        "perceptron": lambda: (nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Dropout(0.5), nn.LayerNorm(64), nn.Linear(64, 4), nn.Softmax(-1)), vector),
        "convolutions": lambda: (nn.Sequential(nn.Conv2d(8, 16, 3, groups=4), nn.BatchNorm2d(16), nn.SiLU(), nn.MaxPool2d(2), nn.ConvTranspose2d(16, 4, 3), nn.AdaptiveAvgPool2d(1), nn.Flatten()), picture),
        "residual": lambda: (nn.Sequential(Residual(), Residual(), nn.Flatten(), nn.Linear(2048, 5)), picture),
        "LSTM": lambda: (Recurrent(nn.LSTM, num_layers=2, bidirectional=True), series),
        "GRU": lambda: (Recurrent(nn.GRU), series),
        "RNN": lambda: (Recurrent(nn.RNN), series),
        "transformer": lambda: (nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 32, batch_first=True), 2), series),
        "decoder": lambda: (nn.Transformer(8, 2, 1, 1, 16, batch_first=True), (series, series)),
        "two inputs": lambda: (TwoInputs(), (torch.randint(0, 20, (4, 6)), torch.randn(4, 8))),
        "own layer": spoilt(linear),
        "half the model": lambda: (nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 4)).to(torch.bfloat16), vector),
        "double": lambda: (nn.Sequential(nn.Linear(32, 64), nn.Tanh(), nn.Linear(64, 4)).double(), vector),
    }
    N, volume = nn, torch.randn(2, 2, 8, 8, 8)
    for name, made, x in (
            ("attention", Attention, series), ("one weight in two layers", Tied, torch.randint(0, 20, (4, 6))), ("rotary attention", Rotary, series),
            ("a dictionary of results", Dictionary, vector), ("one layer three times", Sharing, series),
            ("three dimensions", plain(lambda: N.Conv3d(2, 4, 3), lambda: N.BatchNorm3d(4), N.Hardswish, lambda: N.AvgPool3d(2)), volume),
            ("one dimension", plain(lambda: N.Conv1d(12, 8, 3, dilation=2), N.Mish, lambda: N.MaxPool1d(2)), series),
            ("normalisations", plain(lambda: N.InstanceNorm2d(8, affine=True), lambda: N.GroupNorm(2, 8), lambda: N.LocalResponseNorm(3)), picture),
            ("activations", plain(lambda: N.Linear(32, 32), N.PReLU, N.Softplus, N.ELU, N.Hardtanh, N.LogSigmoid, N.Softsign), vector),
            ("gates", plain(lambda: N.Linear(32, 64), lambda: N.GLU(-1), N.SELU, lambda: N.Linear(32, 8), lambda: N.LogSoftmax(-1)), vector),
            ("upsampling", plain(lambda: N.Conv2d(8, 16, 1), lambda: N.PixelShuffle(2), lambda: N.Upsample(scale_factor=2, mode="bilinear")), picture),
            ("a bag of words", plain(lambda: N.EmbeddingBag(20, 8), lambda: N.Linear(8, 3)), torch.randint(0, 20, (4, 6))),
            ("depthwise", plain(lambda: N.Conv2d(8, 8, 3, groups=8, padding=1, bias=False), lambda: N.BatchNorm2d(8), N.ReLU6, lambda: N.Conv2d(8, 4, 1)), picture),
            ("dropouts", plain(lambda: N.Dropout2d(0.5), lambda: N.Conv2d(8, 4, 3), lambda: N.AlphaDropout(0.5), N.Flatten, lambda: N.Linear(784, 3)), picture),
            ("padding and folding", plain(lambda: N.ReflectionPad2d(1), lambda: N.Unfold(3), lambda: N.Linear(256, 4)), picture),
            ("projected LSTM", lambda: Recurrent(lambda a, b, **more: N.LSTM(a, 32, proj_size=b, **more)), series),
            ("wide sums", plain(lambda: N.Linear(32, 4096), N.ReLU, lambda: N.Linear(4096, 4)), vector),
            ("adaptive pooling", plain(lambda: N.Conv2d(8, 8, 3), lambda: N.AdaptiveMaxPool2d(3), lambda: N.LPPool2d(2, 2)), picture)):
        sound[name] = with_input(made, x)

    def zero_column(layer, x):
        y = linear(layer, x)
        return y if x.dtype == torch.float64 else y * (torch.arange(32) != 5).to(y.dtype)

    def norm_with(layer, x, epsilon):
        return x / torch.sqrt((x * x).mean() + epsilon)
    return sound, {
        "zeros": (spoilt(zero_column), "2", "zeros in column 5 of 32"),
        "another epsilon": (spoilt(lambda l, x: norm_with(l, x, 1e-5 if x.dtype == torch.float64 else 1e-3)), "2", "factor"),
        "TF32": (spoilt(lambda l, x: linear(l, x) if x.dtype == torch.float64 else F.linear(narrowed(x, 11), narrowed(l.weight, 11), l.bias)), "2", "TF32"),
        "bfloat16": (spoilt(lambda l, x: F.linear(x.to(torch.bfloat16), l.weight.to(torch.bfloat16), l.bias.to(torch.bfloat16)).float()), "2", "bfloat16"),
        "bias left out": (spoilt(lambda l, x: linear(l, x) if x.dtype == torch.float64 else F.linear(x, l.weight)), "2", "bias"),
        "transposed": (spoilt(lambda l, x: linear(l, x) if x.dtype == torch.float64 else F.linear(x, l.weight.T, l.bias)), "2", "transposed"),
        "dropout": (spoilt(lambda l, x: F.dropout(linear(l, x))), "2", "called again"),
        "counter": (spoilt(count), "2", "called again"),
        "NaN": (spoilt(lambda l, x: linear(l, x) if x.dtype == torch.float64 else linear(l, x) * float("nan")), "2", "NaN"),
        "autocast of one layer": (spoilt(lambda l, x: autocast(linear, l, x)), "2", "bfloat16"),
        "factor": (spoilt(lambda l, x: linear(l, x) * (1 if x.dtype == torch.float64 else 1.001)), "2", "factor"),
        "int8": (spoilt(lambda l, x: linear(l, x) if x.dtype == torch.float64 else F.linear(x, torch.round(l.weight / (l.weight.abs().max() / 127)) * (l.weight.abs().max() / 127), l.bias)), "2", "eight bits"),
    }


def autocast(call, layer, x):
    import torch
    if x.dtype == torch.float64:
        return call(layer, x)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        return call(layer, x)


def models(framework):
    """(sound, spoilt), by name."""
    more = agree_more.torch_models() if framework == "torch" else agree_more.keras_models(globals())
    those = torch_models() if framework == "torch" else (KERAS_SOUND, KERAS_SPOILT)
    return tuple(dict(one, **other) for one, other in zip(those, more))


def model():
    """The model that AGREE_MODEL names, as "keras sound LSTM"."""
    framework, group, name = os.environ["AGREE_MODEL"].split(" ", 2)
    sound, spoilt = models(framework)
    if group == "sound":
        return sound[name]()
    return spoilt[name][0]()


if __name__ == "__main__":
    import json
    sound, spoilt = models(sys.argv[1])
    print(json.dumps([list(sound), {name: row[1:] for name, row in spoilt.items()}]))
