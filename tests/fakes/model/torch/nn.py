"""Modules of the simulated PyTorch."""
import numpy

import torch


class Module:
    def __init__(self):
        for name in ("_parameters", "_buffers", "_modules"):
            self.__dict__[name] = {}
        self.training = True

    def __setattr__(self, name, value):
        place = "_parameters" if isinstance(value, torch.Parameter) else "_modules" if isinstance(value, Module) else None
        (self.__dict__[place] if place else self.__dict__)[name] = value

    def __getattr__(self, name):
        for place in ("_parameters", "_buffers", "_modules"):
            if name in self.__dict__[place]:
                return self.__dict__[place][name]
        raise AttributeError(name)

    def __call__(self, *args, **kwargs):
        return self.forward(*args, **kwargs)

    def register_buffer(self, name, tensor):
        self._buffers[name] = tensor

    def named_modules(self, before=""):
        yield before, self
        for name, module in self._modules.items():
            yield from module.named_modules(before + "." + name if before else name)

    def modules(self):
        return [module for _, module in self.named_modules()]

    def held(self, place, recurse=True):
        for before, module in self.named_modules() if recurse else [("", self)]:
            for name, tensor in getattr(module, place).items():
                yield (before + "." + name if before else name), tensor

    def named_parameters(self):
        return self.held("_parameters")

    def named_buffers(self):
        return self.held("_buffers")

    def parameters(self, recurse=True):
        return (tensor for _, tensor in self.held("_parameters", recurse))

    def buffers(self):
        return (tensor for _, tensor in self.named_buffers())

    def eval(self):
        for module in self.modules():
            module.training = False
        return self

    def to(self, kind):
        for module in self.modules():
            for name, tensor in module._parameters.items():
                module._parameters[name] = torch.Parameter(tensor.to(kind).values)
        return self


class RNNBase(Module):
    pass


class Embedding(Module):
    pass


class Linear(Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = torch.Parameter(torch.randn(outputs, inputs).values / inputs ** 0.5)
        self.bias = torch.Parameter(torch.randn(outputs).values)

    def forward(self, x):
        if torch.narrower and x.dtype is not torch.float64:
            return x.to(torch.narrower[-1]) @ self.weight.to(torch.narrower[-1]).T + self.bias.to(torch.narrower[-1])
        return x @ self.weight.T + self.bias


class BatchNorm1d(Module):
    def __init__(self, features):
        super().__init__()
        self.register_buffer("running_mean", torch.Tensor(numpy.zeros(features, "float32")))

    def forward(self, x):
        if not self.training:
            return x - self.running_mean
        mean = x.values.mean(0)
        self.running_mean.copy_(torch.Tensor(self.running_mean.values * 0.9 + mean * 0.1))
        return torch.Tensor(x.values - mean)


class ReLU(Module):
    def forward(self, x):
        return torch.Tensor(x.values * (x.values > 0))


class Dropout(Module):
    def forward(self, x):
        return x * torch.rand_like(x) if self.training else x


class Sequential(Module):
    def __init__(self, *modules):
        super().__init__()
        for index, module in enumerate(modules):
            setattr(self, str(index), module)

    def forward(self, x):
        for module in self._modules.values():
            x = module(x)
        return x
