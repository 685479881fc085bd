"""The statements of one file by kind, which all its rules ask for; for the reader of scripts."""


def parts_of(node):
    """The nodes directly below a node, which are kept with it: rules go through the same statements again and again."""
    try:
        return node.below
    except AttributeError:
        node.below = tuple(each for field in node._fields for one in (getattr(node, field, None), )
                           for each in (one if isinstance(one, list) else (one, )) if isinstance(each, ast.AST))
        return node.below


def walk(node):
    """A node and all below it, level by level."""
    waiting = [node]
    for one in waiting:
        waiting += one.below if "below" in one.__dict__ else parts_of(one)
        yield one


# They take the places of Python's own, which look each field of each node up anew. No tree is changed once it is read.
ast.walk, ast.iter_child_nodes = walk, parts_of


def timed_by_magics(nodes):
    """(how, what is told, the statements, the expression with which they end) of each %timeit, %time, %%timeit and %%time of a file."""
    for of in nodes:
        for body in (getattr(of, name, None) for name in ("body", "orelse", "finalbody")):
            for at, one in enumerate(body if isinstance(body, list) else ()):
                call = one.value if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) else getattr(one, "value", None)
                if not isinstance(call, ast.Call) or getattr(getattr(call.func, "value", None), "id", "") != OWN_OS:
                    continue
                how, _, reach = call.func.attr.partition("_")
                if how not in ("time", "timeit"):
                    continue
                if not reach and len(call.args) == 1:  # %timeit f(x)
                    yield how, call.args[0], [call.args[0]], call.args[0]
                    continue
                rest = body[at + 1:]
                if reach == "line":
                    rest = [each for each in rest if each.lineno == one.lineno]
                elif reach != "cell" or getattr(one, "cell", None) is None:
                    continue
                last = rest[-1] if rest else None
                while isinstance(last, (ast.For, ast.With)):
                    last = last.body[-1]
                if isinstance(last, (ast.Assign, ast.Expr)):
                    yield how, one if reach == "cell" else rest[-1], rest, last.value


class FileIndex:
    """What each node stands in, what each name is assigned (by how it is written), and the nodes of a kind in their order."""

    def __init__(self, nodes, written):
        self.parents, self.assigned = {}, {}
        self.calls, self.functions, self.classes, self.loops = [], [], [], []
        for node in nodes:
            for child in ast.iter_child_nodes(node):
                self.parents[id(child)] = node
            if isinstance(node, ast.Call):
                self.calls.append(node)
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.functions.append(node)
            elif isinstance(node, ast.ClassDef):
                self.classes.append(node)
            elif isinstance(node, (ast.For, ast.While)):
                self.loops.append(node)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    pairs = zip(target.elts, node.value.elts) if isinstance(target, ast.Tuple) and isinstance(
                        node.value, ast.Tuple) else [(target, node.value)]
                    for name, value in pairs:
                        self.assigned.setdefault(written(name), []).append(value)
