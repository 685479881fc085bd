# The parts of compute.py for PyTorch.
KINDS = {}


def start(device):
    global torch, place
    frame(b"s", "import torch")
    import torch
    place = torch.device(device)
    KINDS.update(fp16=torch.float16, bf16=torch.bfloat16, tf32=torch.float32, fp32=torch.float32, fp64=torch.float64)
    frame(b"s", "starting " + device)
    torch.zeros(1, device=place)
    offered = ["fp16", "bf16", "fp32", "fp64"]
    library = "torch " + str(torch.__version__)
    libraries = ["onednn"] if place.type == "cpu" else []
    if place.type == "cuda":
        if torch.cuda.get_device_capability(place)[0] >= 8:
            offered.append("tf32")
        libraries.append("tf32")
        if torch.backends.cudnn.is_available():
            libraries.append("cudnn")
            library += ", cuDNN %s" % torch.backends.cudnn.version()
    return {"precisions": ",".join(offered), "library": library, "switches": ",".join(libraries)}


started_with = {}


def switch(off, kind):
    backends = torch.backends
    if not started_with:
        started_with.update(matmul=backends.cuda.matmul.allow_tf32, cudnn=backends.cudnn.allow_tf32)
    allow = None if kind != "tf32" and "tf32" not in off else kind == "tf32"
    backends.cuda.matmul.allow_tf32 = started_with["matmul"] if allow is None else allow
    backends.cudnn.allow_tf32 = started_with["cudnn"] if allow is None else allow
    backends.cudnn.enabled = "cudnn" not in off
    if hasattr(torch._C, "_set_mkldnn_enabled"):
        torch._C._set_mkldnn_enabled("onednn" not in off)


layers = {}


def take(data, kind):
    layers.clear()
    return torch.frombuffer(bytearray(data), dtype=KINDS[kind]).to(place)


def give(array):
    import ctypes
    array = array.detach().contiguous().cpu()
    return ctypes.string_at(array.data_ptr(), array.numel() * array.element_size())


def wait():
    if place.type == "cuda":
        torch.cuda.synchronize(place)


def gemm(a, b, m, n, k):
    return [a.view(m, k) @ b.view(k, n)]


def dot(a, b, rows, k):
    return [torch.diagonal(a.view(rows, k) @ b.view(rows, k).t())]


def conv2d(x, w, channels, groups, filters, height, width, out_height, out_width, stride, pad):
    image, weights = x.view(-1, channels, height, width), w.view(filters, channels // groups, 3, 3)
    return [torch.nn.functional.conv2d(image, weights, stride=stride, padding=pad, groups=groups)]


def softmax(x, rows, n):
    return [torch.softmax(x.view(rows, n), 1), torch.logsumexp(x.view(rows, n), 1)]


def layernorm(x, gain, shift, rows, n, epsilon):
    return [torch.nn.functional.layer_norm(x.view(rows, n), (n,), gain, shift, epsilon)]


def lstm(weights, bias, x, h, c, inputs, hidden, count):
    steps, matrix = count // hidden, weights.view(4 * hidden, inputs + hidden)
    with torch.no_grad():
        if "lstm" not in layers:
            layer = layers["lstm"] = torch.nn.LSTM(inputs, hidden, device=place, dtype=x.dtype)
            layer.weight_ih_l0.copy_(matrix[:, :inputs])
            layer.weight_hh_l0.copy_(matrix[:, inputs:])
            layer.bias_ih_l0.copy_(bias)
            layer.bias_hh_l0.zero_()
        state = h.view(1, steps, hidden), c.view(1, steps, hidden)
        _, (h_out, c_out) = layers["lstm"](x.view(1, steps, inputs), state)
    return [h_out, c_out]


answer_all()
