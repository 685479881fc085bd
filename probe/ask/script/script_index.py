"""The statements of one file by kind, which all its rules ask for; for the reader of scripts."""


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
