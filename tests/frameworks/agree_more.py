"""More models for `envdoctor agree`, of kinds that it was not written for: changes in place, random layers,
batch normalisation in training, packed and masked sequences, tied and quantised weights, autocast. As in agree_models.py."""
# Passed in by agree_models.py.
keras = seeded = operations = wide = plain = name_of = None


def own_layer(call, input_shape=(32,), build=None, tail=True, **more):
    """A model with the layer 'own' between two Dense."""
    def make():
        module, L = seeded()

        class Own(L.Layer):
            def build(self, shape):
                d = shape[-1]
                self.kernel = self.add_weight(shape=(d, d), initializer="glorot_uniform", name="kernel")
                self.bias = self.add_weight(shape=(d,), initializer="random_normal", name="bias")
                self.mean = self.add_weight(shape=(d,), initializer="random_normal", name="mean", trainable=False)
                self.variance = self.add_weight(shape=(d,), initializer="ones", name="variance", trainable=False)
                self.built = True

            def call(self, x):
                return call(self, x)

            def compute_output_shape(self, shape):
                return shape
        i = module.Input(input_shape)
        x = L.Dense(32, activation="relu", name="before")(i)
        x = Own(name="own")(x)
        return module.Model(i, L.Dense(4, name="behind")(x))
    return make


def o_softmax(x):
    o = operations()
    e = o.exp(x)
    return e / (o.mean(e, -1, True) * x.shape[-1])


def normalised(layer, x):
    """Batch statistics in float32, moving ones in float64."""
    o = operations()
    if wide(x):
        return (x - layer.mean) / o.sqrt(layer.variance + 1e-3) * layer.kernel[0] + layer.bias
    mean = o.mean(x, 0)
    return (x - mean) / o.sqrt(o.mean(o.square(x - mean), 0) + 1e-3) * layer.kernel[0] + layer.bias


def scores(layer, x, scale):
    o = operations()
    q = o.matmul(x, layer.kernel)
    return o.matmul(o_softmax(o.matmul(q, o.transpose(x, (0, 2, 1)) if not hasattr(o, "swapaxes") else o.swapaxes(x, 1, 2)) * scale), x)


def unmasked(layer, x):
    o = operations()
    import numpy
    mask = numpy.ones((1, 12, 1), name_of(x)); mask[0, 8:] = 0
    y = o.tanh(plain(layer, x))
    return y * mask if wide(x) else y


def skipless(layer, x):
    o = operations()
    y = o.tanh(plain(layer, x))
    return y + x if wide(x) else y


def running_mean(layer, x):
    layer.mean.assign(layer.mean * 0.9 + 0.1 * operations().mean(x, 0))
    return x - layer.mean


def noisy(layer, x):
    module = keras()
    if hasattr(module, "random"):
        return x + module.random.normal((32,), dtype="float32") * 0.01 if not wide(x) else x
    import tensorflow as tf
    return x + tf.cast(tf.random.normal((32,)), x.dtype) * 0.01


def attention_dropout_on():
    module, L = seeded()
    i = module.Input((12, 16))
    x = L.MultiHeadAttention(4, 8, dropout=0.3, name="own")(i, i, training=True)
    return module.Model(i, L.Dense(4, name="behind")(x))


def half_lstm():
    module, L = seeded()
    i = module.Input((12, 16))
    x = L.Dense(16, name="before")(i)
    x = L.LSTM(16, dtype="mixed_float16", name="own")(x)
    return module.Model(i, L.Dense(4, name="behind")(L.Dense(16, name="next")(x)))


def stateful():
    module, L = seeded()
    i = module.Input(batch_shape=(4, 12, 8))
    x = L.LSTM(8, stateful=True, name="own")(i)
    return module.Model(i, L.Dense(4, name="behind")(x))


def norm_training():
    module, L = seeded()
    i = module.Input((32,))
    x = L.Dense(32, name="before")(i)
    x = L.BatchNormalization(name="own")(x, training=True)
    return module.Model(i, L.Dense(4, name="behind")(x))


def eight_bit_embedding():
    module, L = seeded()

    class Own(L.Layer):
        def build(self, shape):
            self.table = self.add_weight(shape=(50, 16), initializer="random_normal", name="table")
            self.built = True

        def call(self, words):
            o = operations()
            t = self.table * 1.0
            t = t if wide(t) else o.round(t * 256.0) / 256.0
            if hasattr(o, "take"):
                return o.take(t, words, axis=0)
            import tensorflow as tf
            return tf.gather(t, words)

        def compute_output_shape(self, shape):
            return tuple(shape) + (16,)
    i = module.Input((12,), dtype="int32")
    return module.Model(i, L.Dense(3, name="behind")(L.GlobalAveragePooling1D()(Own(name="own")(i))))


def tied():
    module, L = seeded()
    words_ = L.Embedding(50, 16, name="words")

    class Out(L.Layer):
        def __init__(self, **k):
            super().__init__(**k)
            self.words = words_

        def call(self, x):
            o = operations()
            return o.matmul(x, o.transpose(self.words.embeddings * 1.0))

        def compute_output_shape(self, shape):
            return tuple(shape[:-1]) + (50,)
    i = module.Input((12,), dtype="int32")
    return module.Model(i, Out(name="out")(L.LayerNormalization()(words_(i))))


def causal():
    module, L = seeded()
    i = module.Input((12, 16))
    x = L.LayerNormalization()(i)
    x = L.Add()([i, L.MultiHeadAttention(4, 8, dropout=0.4)(x, x, use_causal_mask=True)])
    y = L.Dropout(0.2)(L.Dense(16)(L.Dense(64, activation="gelu")(L.LayerNormalization()(x))))
    return module.Model(i, L.Add()([x, y]))


def preact():
    module, L = seeded()
    i = module.Input((16, 16, 8))
    x = i
    for n, s in ((8, 1), (16, 2), (16, 1)):
        y = L.ReLU()(L.BatchNormalization(moving_mean_initializer="random_normal", gamma_initializer="random_normal")(x))
        short = L.Conv2D(n, 1, strides=s)(y) if s > 1 else x
        y = L.Conv2D(n, 3, s, padding="same", use_bias=False)(y)
        y = L.Conv2D(n, 3, padding="same", kernel_initializer="he_normal")(L.ReLU()(L.BatchNormalization()(y)))
        x = L.Add()([short, y])
    return module.Model(i, L.Dense(10, activation="softmax")(L.GlobalAveragePooling2D()(x)))


def masked_states():
    module, L = seeded()
    i = module.Input((12,), dtype="int32")
    x = L.Embedding(9, 16, mask_zero=True)(i)
    x = L.Bidirectional(L.GRU(8, return_sequences=True, dropout=0.2, recurrent_dropout=0.2))(x)
    seq, h, c = L.LSTM(8, return_sequences=True, return_state=True)(x)
    return module.Model(i, [L.Dense(3, activation="softmax")(L.Concatenate()([h, c])), seq])


def mixed_half():
    module, L = seeded()
    policy = module.mixed_precision.set_global_policy if module.__version__.startswith("2") else module.config.set_dtype_policy
    policy("mixed_float16")
    i = module.Input((16, 16, 3))
    x = L.ReLU()(L.BatchNormalization()(L.Conv2D(8, 3)(i)))
    x = L.GlobalAveragePooling2D()(L.Conv2D(16, 3)(x))
    return module.Model(i, L.Activation("softmax", dtype="float32")(L.Dense(4)(x)))


def own_dropout():
    module, L = seeded()

    class Block(L.Layer):
        def __init__(self, **k):
            super().__init__(**k)
            self.one, self.drop, self.norm = L.Dense(32, activation="relu"), L.Dropout(0.5), L.LayerNormalization()

        def build(self, shape):
            self.one.build(shape); self.norm.build(shape); self.built = True

        def call(self, x, training=None):
            return self.norm(x + self.drop(self.one(x), training=training))

        def compute_output_shape(self, shape):
            return shape
    i = module.Input((32,))
    return module.Model(i, L.Dense(4)(Block(name="b2")(Block(name="b1")(i))))


def siamese():
    module, L = seeded()
    i = module.Input((8, 8, 3))
    inner = module.Model(i, L.Dense(8)(L.Flatten()(L.Conv2D(4, 3, activation="relu")(i))), name="tower")
    a, b = module.Input((8, 8, 3)), module.Input((8, 8, 3))
    return module.Model([a, b], L.Dot(-1, normalize=True)([inner(a), inner(b)]))


def adapted():
    module, L = seeded()
    import numpy
    n = L.Normalization()
    n.adapt(numpy.random.default_rng(1).normal(5, 3, (100, 8)).astype("float32"))
    i = module.Input((8,))
    x = n(i)
    x = L.Concatenate()([x, L.Rescaling(0.5)(x)])
    return module.Model(i, L.Dense(3, activation="softmax")(x))


def spectral():
    module, L = seeded()
    i = module.Input((16, 16, 8))
    wrap = getattr(L, "SpectralNormalization", lambda l: l)
    x = wrap(L.Conv2D(8, 3, groups=1))(i)
    return module.Model(i, L.Dense(2)(L.Flatten()(wrap(L.Conv2D(4, 3))(x))))


def far_from_zero():
    module, L = seeded()
    i = module.Input((32,))
    x = L.Rescaling(1.0, offset=1000.0)(i)
    return module.Model(i, L.Dense(4)(L.LayerNormalization()(x)))


def chosen():
    """Of the results the largest: whole numbers beside the floats."""
    module, L = seeded()

    class Pick(L.Layer):
        def call(self, x):
            o = operations()
            return o.cast(x > 0, "int32"), x

        def compute_output_shape(self, shape):
            return shape, shape
    i = module.Input((16,))
    a, b = Pick(name="pick")(L.Dense(8)(i))
    return module.Model(i, [a, b])


def own_cell():
    module, L = seeded()

    class Cell(L.Layer):
        state_size = 8
        output_size = 8

        def build(self, shape):
            self.k = self.add_weight(shape=(8, 8), initializer="orthogonal", name="k")
            self.r = self.add_weight(shape=(8, 8), initializer="orthogonal", name="r")
            self.built = True

        def call(self, x, states):
            o = operations()
            h = o.tanh(o.matmul(x, self.k) + o.matmul(states[0], self.r))
            return h, [h]
    i = module.Input((12, 8))
    x = L.Masking()(i)
    return module.Model(i, L.Dense(3)(L.RNN(Cell())(x)))


def gated():
    module, L = seeded()
    i = module.Input((12, 16))
    if hasattr(L, "GroupQueryAttention"):
        x = L.GroupQueryAttention(8, 4, 2)(i, i)
    else:
        x = L.MultiHeadAttention(4, 8)(i, i)
    x = L.Multiply()([L.Dense(16, activation="sigmoid")(x), L.Dense(16, activation="tanh")(x)])
    x = L.Lambda(lambda t: t * 2.0 - 1.0)(x)
    return module.Model(i, L.GlobalAveragePooling1D()(x))


def in_eight_bits_whole():
    """Keras's own quantised layers."""
    module, L = seeded()
    i = module.Input((32,))
    model = module.Model(i, L.Dense(4)(L.Dense(64, activation="relu")(i)))
    if hasattr(model, "quantize"):
        model.quantize("int8")
    return model

def keras_models(of_others):
    """(sound, spoilt) of Keras; `of_others`: what agree_models.py defines."""
    for name in ("keras", "seeded", "operations", "wide", "plain", "name_of"):
        globals()[name] = of_others[name]
    sound = {"tied": tied, "causal attention": causal, "pre-activation residual": preact, "masked states": masked_states,
                   "mixed_float16": mixed_half, "block with dropout": own_dropout, "siamese": siamese, "adapted normalisation": adapted,
                   "spectral normalisation": spectral, "far from zero": far_from_zero, "whole numbers beside": chosen, "own cell": own_cell,
                   "gated attention": gated}
    if hasattr(keras().Model, "quantize"):
        sound["quantised"] = in_eight_bits_whole
    spoilt = {
        "normalised with batch statistics": (own_layer(normalised), "own", ""),
        "attention dropout on": (attention_dropout_on, "own", "random"),
        "mask ignored": (own_layer(unmasked, (12, 8)), "own", "wrong results"),
        "LSTM in float16": (half_lstm, "own", "float16"),
        "noise without seed": (own_layer(noisy), "own", ""),
        "embedding in eight bits": (eight_bit_embedding, "own", ""),
        "skip left out": (own_layer(skipless), "own", "wrong results"),
        "running mean at inference": (own_layer(running_mean), "own", "called again"),
        "attention not scaled": (own_layer(lambda l, x: scores(l, x, 32 ** -0.5 if wide(x) else 1.0), (12, 8)), "own", "wrong results"),
        "stateful LSTM": (stateful, "own", "called again"),
        "batch norm in training": (norm_training, "own", "normalises by the batch"),
    }
    return sound, spoilt


def torch_models():
    import torch
    from torch import nn
    F = torch.nn.functional
    torch.manual_seed(7)

    def module(init, forward):
        class Own(nn.Module):
            def __init__(self):
                super().__init__()
                init(self)

            def forward(self, *a):
                return forward(self, *a)
        return Own()

    def base(self):
        self.weight = nn.Parameter(torch.randn(32, 32) / 6)
        self.bias = nn.Parameter(torch.randn(32))
        self.register_buffer("mean", torch.randn(32) / 5)
        self.register_buffer("var", torch.ones(32))
    vector, series, picture = torch.randn(16, 32), torch.randn(4, 12, 32), torch.randn(2, 8, 16, 16)

    def spoilt(forward, x=vector):
        return lambda: (nn.Sequential(nn.Linear(32, 32), nn.ReLU(), module(base, forward), nn.Linear(32, 4)), x)

    def is64(x):
        return x.dtype == torch.float64

    def lin(s, x):
        return F.linear(x, s.weight, s.bias)

    def sdpa(s, x, **k):
        q = lin(s, x)
        return F.scaled_dot_product_attention(q, x, x, **k)

    def mean_in_place(s, x):
        s.mean.mul_(0.9).add_(0.1 * x.mean(0))
        return x - s.mean

    def weight_in_place(s, x):
        with torch.no_grad():
            s.weight.mul_(0.99)
        return lin(s, x)

    def attention_in_half(s, x):
        q = lin(s, x)
        y = torch.softmax(q @ x.transpose(1, 2) / 6, -1) @ x
        return y if is64(x) else y.half().float()

    def fake(s, x):
        w = s.weight
        if not is64(x):
            step = w.abs().amax(1, keepdim=True) / 127
            w = torch.round(w / step) * step
        return F.linear(x, w, s.bias)

    def mask(s, x):
        m = torch.zeros(1, 12, 12, dtype=x.dtype); m[:, :, 9:] = float("-inf")
        return sdpa(s, x, attn_mask=m if is64(x) else None)
    spoilt_models = {
        "batch statistics": (spoilt(lambda s, x: F.batch_norm(x, s.mean.clone(), s.var.clone(), s.weight[0], s.bias, training=not is64(x))), "2", ""),
        "attention dropout": (spoilt(lambda s, x: sdpa(s, x, dropout_p=0.3), series), "2", "called again"),
        "mask ignored": (spoilt(mask, series), "2", "wrong results"),
        "running mean": (spoilt(mean_in_place), "2", "called again"),
        "weight changed in place": (spoilt(weight_in_place), "2", "called again"),
        "noise": (spoilt(lambda s, x: x + 0.01 * torch.randn_like(x)), "2", "called again"),
        "eight bits by row": (spoilt(fake), "2", "eight bits"),
        "skip left out": (spoilt(lambda s, x: torch.tanh(lin(s, x)) + (x if is64(x) else 0)), "2", "wrong results"),
        "attention in half": (spoilt(attention_in_half, series), "2", "float16"),
        "input changed in place and lost": (spoilt(lambda s, x: lin(s, x.mul_(1 if is64(x) else 1.01))), "2", "factor"),
        "another epsilon in place": (spoilt(lambda s, x: F.layer_norm(x, (32,), s.bias, s.mean, 1e-5 if is64(x) else 1e-3)), "2", ""),
        "batch norm in training": (lambda: (nn.Sequential(nn.Linear(32, 32), module(lambda s: setattr(s, "n", nn.BatchNorm1d(32)), lambda s, x: s.n.train()(x)), nn.Linear(32, 4)), vector), "1.n", ""),
        "dropout left on": (lambda: (nn.Sequential(nn.Linear(32, 32), module(lambda s: setattr(s, "d", nn.Dropout(0.5)), lambda s, x: s.d.train()(x)), nn.Linear(32, 4)), vector), "1.d", "random"),
    }

    def in_place():
        return nn.Sequential(nn.Conv2d(8, 8, 3), nn.SiLU(inplace=True), nn.Conv2d(8, 8, 3), nn.Hardswish(inplace=True), nn.ELU(inplace=True), nn.Dropout(0.5, inplace=True), nn.Conv2d(8, 4, 3), nn.LeakyReLU(0.1, inplace=True)), picture

    def residual_in_place():
        def init(s):
            s.a, s.b = nn.Conv2d(8, 8, 3, padding=1), nn.BatchNorm2d(8)

        def forward(s, x):
            y = s.b(s.a(x))
            y += x
            return y.relu_()
        return nn.Sequential(module(init, forward), module(init, forward)), picture

    def input_in_place():
        return nn.Sequential(nn.Linear(32, 32), module(base, lambda s, x: x.mul_(2).add_(1)), module(base, lambda s, x: lin(s, x.clamp_(min=0))), nn.Linear(32, 4)), vector

    def weight_norms():
        from torch.nn.utils import parametrizations as p
        wn = getattr(p, "weight_norm", None) or nn.utils.weight_norm
        return nn.Sequential(wn(nn.Linear(32, 32)), nn.ReLU(), p.spectral_norm(nn.Linear(32, 32)), p.orthogonal(nn.Linear(32, 32)), nn.Linear(32, 3)), vector

    def packed():
        def init(s):
            s.e, s.r, s.h = nn.Embedding(20, 8, padding_idx=0), nn.LSTM(8, 16, batch_first=True, bidirectional=True), nn.Linear(32, 3)

        def forward(s, words_):
            lengths = (words_ != 0).sum(1).clamp(min=1).cpu()
            seq = nn.utils.rnn.pack_padded_sequence(s.e(words_), lengths, batch_first=True, enforce_sorted=False)
            out, _ = s.r(seq)
            out, _ = nn.utils.rnn.pad_packed_sequence(out, batch_first=True)
            return s.h(out[:, 0])
        words_ = torch.randint(1, 20, (4, 9)); words_[1, 5:] = 0; words_[3, 3:] = 0
        return module(init, forward), words_

    def padded_attention():
        def init(s):
            s.t = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.3, batch_first=True, norm_first=True)
            s.a = nn.MultiheadAttention(32, 4, dropout=0.2, batch_first=True)

        def forward(s, x):
            pad = torch.zeros(x.shape[:2], dtype=torch.bool); pad[:, 9:] = True
            x = s.t(x, src_key_padding_mask=pad)
            m = torch.triu(torch.full((12, 12), float("-inf"), dtype=x.dtype), 1)
            return s.a(x, x, x, attn_mask=m, need_weights=True)
        return module(init, forward), series

    def autocast_whole():
        class Whole(nn.Module):
            def __init__(self):
                super().__init__()
                self.l = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))

            def forward(self, x):
                with torch.autocast("cpu", dtype=torch.bfloat16):
                    return self.l(x)
        return Whole(), vector

    def tied():
        def init(s):
            s.a, s.b = nn.Linear(32, 16), nn.Linear(16, 32)
            s.b.weight = nn.Parameter(s.a.weight.detach().T.clone())

        def forward(s, x):
            return F.linear(torch.tanh(s.a(x)), s.a.weight.T, s.b.bias)
        return module(init, forward), vector

    def fourier():
        return nn.Sequential(nn.Linear(32, 32), module(lambda s: None, lambda s, x: torch.fft.irfft(torch.fft.rfft(x) * 0.5, n=32)), nn.Linear(32, 4)), vector

    def ternary():
        def init(s):
            s.items = nn.ModuleDict({"a": nn.Linear(32, 32), "b": nn.LSTMCell(32, 32)})

        def forward(s, x):
            h = None
            for _ in range(3):
                h = s.items["b"](s.items["a"](x), h)
            from types import SimpleNamespace
            return {"h": h[0], "c": [h[1], None], "top": h[0].argmax(1)}
        return module(init, forward), vector

    def trained_norm():
        m = nn.Sequential(nn.Conv2d(8, 8, 3), nn.BatchNorm2d(8), nn.ReLU(inplace=True), nn.Flatten(), nn.Linear(8 * 14 * 14, 3))
        m.train()
        for _ in range(3):
            m(picture * 3 + 1)
        return m, picture

    def far():
        return nn.Sequential(module(lambda s: None, lambda s, x: x + 1000), nn.LayerNorm(32), nn.Linear(32, 4)), vector

    def cache():
        """It keeps what it saw in a list; the answer is the same."""
        def init(s):
            base(s)
            s.seen = []

        def forward(s, x):
            s.seen.append(x.detach())
            return lin(s, x)
        return nn.Sequential(nn.Linear(32, 32), module(init, forward), nn.Linear(32, 4)), vector

    def views():
        """A layer that hands on a view, which the next one changes in place."""
        return nn.Sequential(nn.Linear(32, 32), nn.Identity(), nn.Unflatten(1, (4, 8)), module(lambda s: None, lambda s, x: x.mul_(3)), nn.Flatten(), nn.Linear(32, 4)), vector
    return {"in place activations": in_place, "residual in place": residual_in_place, "input in place": input_in_place,
            "weight norms": weight_norms, "packed sequence": packed, "padded attention": padded_attention,
            "autocast of the whole": autocast_whole, "tied transposed": tied, "Fourier": fourier, 
            "dictionary of cells": ternary, "trained normalisation": trained_norm, "far from zero": far,
            "keeps what it saw": cache, "views in place": views}, spoilt_models
