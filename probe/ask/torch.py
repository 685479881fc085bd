# What PyTorch sees, and if it sees no GPU, why.
torch = bring("torch", "torch")


def devices():
    found = []
    for ordinal in range(torch.cuda.device_count()):
        one = torch.cuda.get_device_properties(ordinal)
        entry = {"ordinal": ordinal, "name": one.name, "capability": "%d.%d" % (one.major, one.minor)}
        if hasattr(one, "uuid"):
            entry["uuid"] = "GPU-" + str(one.uuid)
        found.append(entry)
    return found


def why_not():
    """torch's message why there is no CUDA."""
    try:
        torch.cuda.init()
    except BaseException as error:
        return words(error)
    return {"absent": "CUDA starts"}


def architectures():
    flags = getattr(torch._C, "_cuda_getArchFlags", None)
    return flags().split() if flags and flags() else None


def matmul(where):
    ones = torch.ones(64, 64, device=where)
    product = ones @ ones
    if float(product[0, 0]) != 64.0:
        raise ValueError("the product is wrong: %r" % float(product[0, 0]))
    return str(product.device)


def cudnn_version():
    """It raises where the copy that was loaded doesn't fit the one that torch was built with."""
    version = torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None
    return str(version) if version else {"absent": "torch loads none"}


def ask_torch():
    note("torch", "version", lambda: str(torch.__version__))
    note("torch", "cuda_version", lambda: torch.version.cuda or {"absent": "built without CUDA"})
    note("torch", "arch_list", architectures)
    step("listing devices with torch")
    note("torch", "cuda_available", lambda: bool(torch.cuda.is_available()))
    note("torch", "device_count", torch.cuda.device_count)
    note("torch", "cuda_error", why_not)
    available = answer["torch"]["cuda_available"] is True
    on_xpu = getattr(torch.version, "xpu", None) and not available
    if on_xpu:
        note("torch", "xpu_version", lambda: str(torch.version.xpu))
        note("torch", "xpu_available", lambda: bool(torch.xpu.is_available()))
        on_xpu = answer["torch"]["xpu_available"] is True
    if available:
        note("torch", "devices", devices)
    if available or on_xpu:
        step("a matmul with torch on the GPU")
    note("torch", "matmul", lambda: matmul("cuda" if available else "xpu" if on_xpu else "cpu"))
    step("asking torch for its switches")
    note("torch", "cudnn_version", cudnn_version)
    note("torch", "tf32_matmul", lambda: bool(torch.backends.cuda.matmul.allow_tf32))
    note("torch", "tf32_cudnn", lambda: bool(torch.backends.cudnn.allow_tf32))
    note("torch", "threads", torch.get_num_threads)


if torch:
    ask_torch()
