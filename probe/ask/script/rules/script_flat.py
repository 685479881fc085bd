"""The same script with less around it: for the rules that read its statements as they stand; for the reader of scripts.

What a function of the file does stands where it is called, if it is called in few places; the methods of a class of which
there is one object are functions, and its attributes variables; a constant stands in the place of its name. Rules read this
form of a script after its own (see Tracing.end). Its nodes are copies: `at` is the line of the script, `lineno` grows in the
order in which the statements run.
"""

# Mistakes that only the script's own form shows: a function that is called may wait for the GPU in ways that its statements don't tell.
# What a function gives back and its caller drops stands in the flat form as a statement of its own.
OF_OWN_FORM_ALONE = ('a time without an end', "a time of TensorFlow's without an end", "a copy to the host that is dropped",
                     "a clock around a kernel of Numba's", "a time that holds Numba's compilation", "a compiled function that is not called")
MOST_PLACES = 3  # where a function may be called
MOST_OF_A_FORM = 6000  # nodes
STARTS_OTHERS = re.compile(r"multiproc|spawn|Process\(|Pool\(|forkserver|launch|num_workers|workers=")
WITH_OTHER_NAMES = re.compile(r"\b(globals|locals|exec|eval)\(|\b(global|nonlocal) |import \*")
USUAL_NAMES = {"tensorflow": "tf", "numpy": "np", "jax.numpy": "jnp", "torch.nn": "nn", "torch.nn.functional": "F", "torch.distributed": "dist",
               "torch.multiprocessing": "mp", "pandas": "pd", "cupy": "cp", "horovod.torch": "hvd", "lightning": "L", "pytorch_lightning": "pl",
               "lightning.pytorch": "pl"}
MOST_NAMES = 6  # of a loop that calls attributes by their names
NO_PLAIN_BODY = (ast.Yield, ast.YieldFrom, ast.Await, ast.Global, ast.Nonlocal)


def line_of(node, default=1):
    """The line of the script that a node stands on, also of a copy."""
    return getattr(node, "at", None) or getattr(node, "lineno", default)


def names_bound_by(node):
    """What a node by itself binds: an import, a parameter, a target, a function, a class, an exception, a pattern."""
    if isinstance(node, ast.alias):
        return ((node.asname or node.name).split(".")[0],)
    if isinstance(node, ast.arg):
        return (node.arg,)
    if isinstance(node, ast.Name):
        return () if isinstance(node.ctx, ast.Load) else (node.id,)
    name = getattr(node, "name", None)
    return (name,) if isinstance(name, str) else ()


def without_annotations(tree):
    """x: Any = y, as x = y; a field of a class keeps its own."""
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        for field in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(one, field, None)
            for number, part in enumerate(block if isinstance(block, list) else ()):
                if isinstance(part, ast.AnnAssign) and part.value is not None and not isinstance(one, ast.ClassDef):
                    block[number] = ast.copy_location(ast.Assign(targets=[part.target], value=part.value), part)
                elif isinstance(part, (ast.stmt, ast.ExceptHandler)):
                    waiting.append(part)
    return tree


def with_keywords(tree):
    """f(**options), where a dictionary that is written down is used for nothing else, as f(x=y)."""
    nodes = under(tree)
    calls = [(call, word) for call in nodes if isinstance(call, ast.Call) for word in call.keywords if word.arg is None and isinstance(
        word.value, ast.Name)]
    for call, word in calls:
        name = word.value.id
        if sum(getattr(one, "id", getattr(one, "arg", "")) == name for one in nodes if isinstance(one, (ast.Name, ast.arg))) != 2:
            continue
        by = next((one for one in nodes if isinstance(one, ast.Assign) and len(one.targets) == 1 and getattr(
            one.targets[0], "id", "") == name), None)
        if by is None or not isinstance(by.value, ast.Dict) or not all(isinstance(getattr(key, "value", None), str) for key in by.value.keys):
            continue
        at = call.keywords.index(word)
        given = [ast.keyword(arg=key.value, value=one) for key, one in zip(by.value.keys, by.value.values)]
        for one in given:
            ast.copy_location(one, one.value)
        call.keywords[at:at + 1] = given
        by.value = ast.copy_location(ast.Dict(keys=[], values=[]), by.value)
        for block in (getattr(one, field, None) for one in nodes for field in ("body", "orelse", "finalbody")):
            if isinstance(block, list) and len(block) > 1 and by in block:
                block.remove(by)
    return tree


def is_call_of(node, name, count):
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == name and len(node.args) == count and not node.keywords


def names_attribute(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier()


def with_plain_attributes(tree):
    """getattr(x, "y") as x.y, and setattr(x, "y", z) as x.y = z."""
    if not any(is_call_of(one, "getattr", 2) or is_call_of(one, "setattr", 3) for one in ast.walk(tree)):
        return tree

    class Plain(ast.NodeTransformer):
        def visit_Expr(self, node):
            self.generic_visit(node)
            call = node.value
            if not is_call_of(call, "setattr", 3) or not names_attribute(call.args[1]):
                return node
            target = ast.Attribute(value=call.args[0], attr=call.args[1].value, ctx=ast.Store())
            return ast.copy_location(ast.Assign(targets=[ast.copy_location(target, call)], value=call.args[2]), node)

        def visit_Call(self, node):
            self.generic_visit(node)
            if not is_call_of(node, "getattr", 2) or not names_attribute(node.args[1]):
                return node
            return ast.copy_location(ast.Attribute(value=node.args[0], attr=node.args[1].value, ctx=ast.Load()), node)

    return Plain().visit(tree)


def with_written_loops(tree):
    """for name in ("build", "train"): getattr(x, name)() as its two statements; the names may be those of a constant."""
    constants = {one.targets[0].id: one.value for one in tree.body if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(
        one.targets[0], ast.Name)}
    for one in under(tree):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(one, field, None)
            for loop in [part for part in block if isinstance(part, ast.For)] if isinstance(block, list) else ():
                names = constants.get(getattr(loop.iter, "id", ""), loop.iter)
                name = getattr(loop.target, "id", "")
                if not isinstance(names, (ast.Tuple, ast.List)) or not all(map(names_attribute, names.elts)) or len(
                        names.elts) > MOST_NAMES or loop.orelse or not any(
                            is_call_of(call, "getattr", 2) and getattr(call.args[1], "id", "") == name for call in under(loop)) or any(
                                isinstance(part, (ast.Break, ast.Continue)) for part in under(loop)):
                    continue
                block[block.index(loop):block.index(loop) + 1] = [
                    with_value(statement, name, value) for value in names.elts for statement in loop.body]
    return tree


def with_value(statement, name, value):
    """A copy of a statement, at its own place, in which a constant stands for a name."""

    class Put(ast.NodeTransformer):
        def visit_Name(self, node):
            return ast.copy_location(ast.Constant(value.value), node) if node.id == name else node

    return Put().visit(copy.deepcopy(statement))


# Whose forward() is what a call of it runs, and what a class that has such a method inherits.
NAMES_OF_MODELS = re.compile(r"(\w+_)?(model|net|network|module|encoder|decoder|backbone|generator|discriminator|critic|actor|classifier|layer|lstm|gru|cnn)\w*$")
BASES_OF_MODELS = re.compile(r"(\w+\.)*\w*(Module|Model|Net|Function|Mixin|ABC)$")


def with_models_called(tree):
    """model.forward(x) as model(x), for all rules; where forward is a method of something else, it stays."""
    found = [one for one in under(tree) if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "forward"]
    classes = [one for one in under(tree) if isinstance(one, ast.ClassDef) and any(getattr(part, "name", "") == "forward" for part in one.body)
               ] if found else ()
    if any(not one.bases or not all(BASES_OF_MODELS.match(Reader.unparsed(base) or "") for base in one.bases) for one in classes):
        return tree
    for call in found:
        of = call.func.value
        name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) and getattr(of.value, "id", "") == "self" else ""
        if NAMES_OF_MODELS.match(name) and not any(getattr(one, "id", "") in ("self", "ctx", "cls") for one in call.args[:1]):
            call.text, call.func = Reader.unparsed(call), of
    return tree


def in_plain_form(tree):
    return with_models_called(with_keywords(with_plain_attributes(with_written_loops(without_annotations(tree)))))


def cloned(node, names=None):
    """A copy, in which names stand for other expressions."""
    if isinstance(node, list):
        return [cloned(one, names) for one in node]
    if not isinstance(node, ast.AST):
        return node
    if names and isinstance(node, ast.Name) and node.id in names:
        other = names[node.id]
        if isinstance(other, str):
            made = ast.Name(other, node.ctx)
        elif isinstance(node.ctx, ast.Load):
            made = cloned(other)
        else:
            made = ast.Name(node.id, node.ctx)
    else:
        made = type(node)(**{field: cloned(getattr(node, field), names) for field in node._fields if hasattr(node, field)})
    made.at = line_of(node)
    return made


def under(node):
    """A node and all below it, without the tables that ast.walk keeps here: the tree still changes."""
    waiting = [node]
    for one in waiting:
        for field in one._fields:
            value = getattr(one, field, None)
            waiting += [part for part in value if isinstance(part, ast.AST)] if isinstance(value, list) else [value] if isinstance(
                value, ast.AST) else []
    return waiting


def parents_in(nodes):
    found = {}
    for one in nodes:
        for field in one._fields:
            value = getattr(one, field, None)
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    found[id(part)] = one
    return found


def stored_in(node):
    """The names that a statement or function binds, in inner functions as well."""
    found = set()
    for one in under(node):
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            found.add(one.id)
        elif isinstance(one, ast.arg):
            found.add(one.arg)
        elif isinstance(one, ast.alias):
            found.add((one.asname or one.name).split(".")[0])
        elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and one is not node or isinstance(
                one, ast.ExceptHandler) and one.name:
            found.add(one.name)
    return found


def is_constant(node):
    return isinstance(node, ast.Constant) or isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


class Flat:
    def __init__(self, tree, written):
        self.written, self.changed, self.by_options = written, False, False
        self.attributes = set()  # of objects, which are variables of the file now
        self.tree = ast.Module(body=cloned(tree.body), type_ignores=[])

    def forms(self):
        """The other forms of the script, each with less around it than the one before: (tree, whether options count as their defaults)."""
        self.imports()
        whole, changed = self.tree, self.changed
        self.tree, self.changed = ast.Module(body=cloned(whole.body), type_ignores=[]), False
        self.constants()
        if self.changed:
            yield self.form()
        self.tree, self.changed, self.by_options = whole, changed, False
        for step in (self.functions_at_their_calls, self.constants, self.values_used_at_once):
            step()
            if self.changed:
                self.changed = False
                yield self.form()

    def form(self):
        tree = ast.Module(body=cloned(self.tree.body), type_ignores=[])
        self.number(tree)
        return tree, self.by_options

    def imports(self):
        """import torch as t, as import torch: rules know some names by how they are usually written."""
        nodes = self.nodes()
        bound = {}
        for one in nodes:
            for name in [one.id] if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load) else [one.arg] if isinstance(one, ast.arg) else [
                    one.name] if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else [
                    (one.asname or one.name).split(".")[0]] if isinstance(one, ast.alias) else ():
                bound[name] = bound.get(name, 0) + 1
        other = {}
        for one in nodes:
            for alias in one.names if isinstance(one, (ast.Import, ast.ImportFrom)) else ():
                usual = USUAL_NAMES.get((getattr(one, "module", None) or "") + "." + alias.name if isinstance(one, ast.ImportFrom) else alias.name,
                                        alias.name)
                if alias.asname and alias.asname != usual and "." not in usual and usual not in bound and bound[alias.asname] == 1:
                    other[alias.asname], alias.asname = usual, usual if usual != alias.name else None
                    bound[usual] = 1
        for one in nodes if other else ():
            if isinstance(one, ast.Name) and one.id in other:
                one.id = other[one.id]
        self.changed |= bool(other)
        self.loops(nodes)

    def loops(self, nodes):
        """for number, batch in enumerate(loader), as for batch in loader, where nothing reads the number."""
        read = {one.id for one in nodes if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}
        for one in nodes:
            if isinstance(one, ast.For) and isinstance(one.iter, ast.Call) and getattr(one.iter.func, "id", "") == "enumerate" and len(
                    one.iter.args) == 1 and isinstance(one.target, ast.Tuple) and len(one.target.elts) == 2 and getattr(
                        one.target.elts[0], "id", None) not in read | {None}:
                one.target, one.iter, self.changed = one.target.elts[1], one.iter.args[0], True

    def functions_at_their_calls(self):
        self.classes()
        for _ in range(12):
            if not self.functions():
                break

    def values_used_at_once(self):
        """made = f(x) and g(made) in the next statement, as g(f(x))."""
        nodes = self.nodes()
        uses = {}
        for one in nodes:
            if isinstance(one, ast.Name):
                uses.setdefault(one.id, []).append(one)
        for block in [block for one in nodes for block in (getattr(one, field, None) for field in ("body", "orelse", "finalbody")) if isinstance(
                block, list)]:
            for at in range(len(block) - 2, -1, -1):
                one = block[at]
                if not isinstance(one, ast.Assign) or len(one.targets) != 1 or not isinstance(one.targets[0], ast.Name) or not isinstance(
                        one.value, ast.Call) or len(uses[one.targets[0].id]) != 2:
                    continue
                following = block[at + 1]
                heads = [following.test] if isinstance(following, ast.If) else [following.iter] if isinstance(following, ast.For) else [
                    item.context_expr for item in following.items] if isinstance(following, ast.With) else [following] if isinstance(
                    following, (ast.Expr, ast.Assign, ast.Return, ast.AugAssign)) else []
                use = next((part for head in heads for part in under(head) if isinstance(part, ast.Name) and part.id == one.targets[0].id), None)
                if use is not None and use is not one.targets[0]:
                    self.become(use, one.value)
                    use.at = line_of(one.value)
                    del block[at]
                    self.changed = True

    def nodes(self):
        return under(self.tree)

    @staticmethod
    def number(tree):
        """Lines in the order of the statements."""
        line = 0

        def place(node):
            nonlocal line
            if isinstance(node, (ast.stmt, ast.ExceptHandler)):
                line += 1
                place.column = 0
            place.column += 1
            if hasattr(node, "at"):
                node.lineno = node.end_lineno = line
                node.col_offset = node.end_col_offset = place.column
            for one in ast.iter_child_nodes(node):
                place(one)

        place.column = 0
        place(tree)

    # ---- an object that there is one of

    def classes(self):
        for of in [one for one in self.tree.body if isinstance(one, ast.ClassDef)]:
            self.one_object(of)

    def one_object(self, of):
        methods = {one.name: one for one in of.body if isinstance(one, ast.FunctionDef)}
        plain = all(isinstance(one, ast.FunctionDef) and not one.decorator_list and one.args.args and one.args.args[0].arg == "self" or isinstance(
            one, ast.Pass) or isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in of.body)
        if not plain or of.decorator_list or any(getattr(base, "id", "") != "object" for base in of.bases) or of.keywords or any(
                name.startswith("__") and name != "__init__" for name in methods):
            return
        nodes = self.nodes()
        names = [one for one in nodes if isinstance(one, ast.Name) and one.id == of.name]
        parents = parents_in(nodes)
        call = parents.get(id(names[0])) if len(names) == 1 else None
        if not isinstance(call, ast.Call) or call.func is not names[0]:
            return
        block, at = next(((block, at) for one in nodes for block in (getattr(one, "body", None), getattr(one, "orelse", None)) if isinstance(
            block, list) for at, part in enumerate(block) if isinstance(part, (ast.Expr, ast.Assign)) and self.begins(part) is call), (None, None))
        if block is None:
            return
        statement = block[at]
        inside = {id(one) for part in of.body for one in under(part)}
        selves = [one for one in nodes if isinstance(one, ast.Name) and one.id == "self" and id(one) in inside]
        if statement.value is call and isinstance(statement, ast.Assign):
            if len(statement.targets) != 1 or not isinstance(statement.targets[0], ast.Name):
                return
            held = statement.targets[0].id
            uses = [one for one in nodes if isinstance(one, ast.Name) and one.id == held and one is not statement.targets[0]]
            if any(not isinstance(one.ctx, ast.Load) for one in uses) or any(isinstance(one, ast.arg) and one.arg == held for one in nodes):
                return
            selves += uses
        elif statement.value is call:
            return
        members = [parents.get(id(one)) for one in selves]
        if not all(isinstance(one, ast.Attribute) and one.value is by for one, by in zip(members, selves)):
            return
        if any(isinstance(one, ast.Name) and one.id == "super" and id(one) in inside for one in nodes):
            return
        if not all(isinstance(parents.get(id(one)), ast.Call) and parents[id(one)].func is one for one in members if one.attr in methods):
            return
        others = stored_in(self.tree)  # an attribute is a variable of its name, where there is none
        attributes = {one.attr for one in members if one.attr not in methods}
        other = {name: self.free(name, others) for name in sorted(attributes | set(methods))}
        self.attributes |= {other[name] for name in attributes}
        for one in members:
            self.become(one, ast.Name(other[one.attr], one.ctx))
        for one in methods.values():
            one.name = other[one.name]
            one.args.args.pop(0)
        begin = [ast.Expr(ast.Call(ast.Name(other["__init__"], ast.Load()), call.args, call.keywords))] if "__init__" in methods else []
        if statement.value is call:
            block[at:at + 1] = begin or [ast.Pass()]
        else:
            first = statement.value
            while isinstance(first, (ast.Attribute, ast.Call)) and getattr(first, "value", getattr(first, "func", None)) is not call:
                first = first.func if isinstance(first, ast.Call) else first.value
            name = first.attr
            if name not in methods:
                return
            self.become(first, ast.Name(other[name], ast.Load()))
            block[at:at] = begin
        for one in begin:
            for part in under(one):
                part.at = line_of(part, 0) or line_of(statement)
        where = self.tree.body.index(of)
        self.tree.body[where:where + 1] = list(methods.values())
        self.changed = True

    @staticmethod
    def begins(statement):
        """The call that a chain of calls and attributes begins with."""
        found, one = None, statement.value
        while isinstance(one, (ast.Call, ast.Attribute)):
            found = one if isinstance(one, ast.Call) else found
            one = one.func if isinstance(one, ast.Call) else one.value
        return found

    @staticmethod
    def free(name, others):
        name = "begin" if name == "__init__" else name
        while name in others:
            name = "_" + name
        others.add(name)
        return name

    @staticmethod
    def become(node, other):
        """A node turns into another one, wherever it stands."""
        at = line_of(node)
        node.__dict__.clear()
        node.__class__ = type(other)
        node.__dict__.update(other.__dict__)
        node.at = at

    # ---- functions

    def functions(self):
        """Puts the bodies of functions where they are called; whether there were any."""
        nodes = self.nodes()
        if len(nodes) > MOST_OF_A_FORM:
            return False
        called, named = {}, {}
        for one in nodes:
            if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
                called.setdefault(one.func.id, []).append(one)
            if isinstance(one, ast.Name):
                named[one.id] = named.get(one.id, 0) + 1
            elif isinstance(one, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
                named[one.name] = named.get(one.name, 0) + 1
            elif isinstance(one, ast.arg):
                named[one.arg] = named.get(one.arg, 0) + 1
        for of in [one for one in self.tree.body if isinstance(one, ast.FunctionDef)]:
            calls = called.get(of.name, ())
            if 0 < len(calls) <= MOST_PLACES and named[of.name] == len(calls) + 1 and self.is_plain(of) and not any(
                    any(call is one for one in under(of)) for call in calls) and self.put(of, calls, nodes):
                self.changed = True
                return True
        return False

    def is_plain(self, of):
        """Whether nothing but its last statement gives something back, and its parameters are plain ones."""
        if of.decorator_list or of.args.vararg or of.args.kwarg or of.args.kwonlyargs or getattr(of.args, "posonlyargs", None):
            return False
        last = of.body[-1]
        return not any(isinstance(one, NO_PLAIN_BODY) or isinstance(one, ast.Return) and one is not last for part in of.body for one in under(part))

    def put(self, of, calls, nodes):
        """All calls of a function give way to its body; False: not all of them can."""
        places = []
        for call in calls:
            block, at = next(((block, at) for one in nodes for block in (getattr(one, field, None) for field in ("body", "orelse", "finalbody"))
                              if isinstance(block, list) for at, part in enumerate(block) if isinstance(
                                  part, (ast.Expr, ast.Assign, ast.Return)) and part.value is call), (None, None))
            given = self.arguments(of, call)
            if given is None or any(one is None for one in given.values()):
                return False
            places.append((block, at and block[at] if at else block[0] if block else None, call, given))
        expression = of.body[-1].value if isinstance(of.body[-1], ast.Return) and of.body[-1].value is not None and all(
            isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant) for one in of.body[:-1]) else None
        if expression is None and any(block is None for block, *_ in places):
            return False
        stored = {name for part in of.body for name in stored_in(part)} | {arg.arg for arg in of.args.args}
        self.tree.body.remove(of)
        outside = stored_in(self.tree) | {one.id for one in self.nodes() if isinstance(one, ast.Name)}
        for block, statement, call, given in places:
            rebound = {name for part in of.body for name in stored_in(part)} - self.attributes
            names, begin = {}, []
            gives = of.body[-1].value if isinstance(of.body[-1], ast.Return) else None
            if block is not None and isinstance(statement, ast.Assign) and len(statement.targets) == 1 and gives is not None:
                one, other = statement.targets[0], gives
                pairs = list(zip(one.elts, other.elts)) if isinstance(one, ast.Tuple) and isinstance(other, ast.Tuple) and len(
                    one.elts) == len(other.elts) else [(one, other)]
                names.update({b.id: a.id for a, b in pairs if isinstance(a, ast.Name) and isinstance(b, ast.Name) and b.id in rebound and
                              b.id not in given and not (a.id in stored and a.id != b.id)})
            for name, value in given.items():
                small = isinstance(value, (ast.Name, ast.Constant)) or expression is not None and isinstance(value, (ast.Attribute, ast.Subscript))
                if name not in rebound and (small or expression is not None and sum(
                        isinstance(one, ast.Name) and one.id == name for one in under(expression)) <= 1):
                    names[name] = value
                else:
                    names[name] = name if name not in outside else self.free("_" + name, outside)
                    begin.append(ast.Assign([ast.Name(names[name], ast.Store())], value))
            for name in sorted(rebound - set(names)):
                if name in outside:
                    names[name] = self.free("_" + name, outside)
            if expression is not None and not begin:
                self.become(call, cloned(expression, names))
                call.at = line_of(expression)
                continue
            if block is None:
                self.become(call, cloned(expression, names))
                continue
            body = begin + [cloned(one, names) for one in of.body]
            if isinstance(of.body[-1], ast.Return):
                value = body.pop().value or ast.Constant(None)
            else:
                value = ast.Constant(None)
            same = isinstance(statement, ast.Assign) and len(statement.targets) == 1 and ast.dump(statement.targets[0]).replace("Store", "Load") == ast.dump(value)
            if not isinstance(statement, ast.Expr) and not same:
                statement.value = value
                body.append(statement)
            elif isinstance(statement, ast.Expr) and isinstance(value, ast.Call):
                statement.value = value
                body.append(statement)
            for one in body:
                for part in under(one):
                    if not hasattr(part, "at"):
                        part.at = line_of(call)
            number = next(number for number, one in enumerate(block) if one is statement)
            block[number:number + 1] = body or [ast.Pass()]
        return True

    @staticmethod
    def arguments(of, call):
        """What each parameter gets; None: it can't be told."""
        names = [one.arg for one in of.args.args]
        if any(isinstance(one, ast.Starred) for one in call.args) or any(one.arg not in names for one in call.keywords) or len(call.args) > len(names):
            return None
        given = dict(zip(names[len(names) - len(of.args.defaults):], of.args.defaults)) if of.args.defaults else {}
        given.update(zip(names, call.args))
        given.update((one.arg, one.value) for one in call.keywords)
        return {name: given.get(name) for name in names}

    # ---- constants

    def constants(self):
        nodes = self.nodes()
        stores, loads, parents = {}, {}, parents_in(nodes)
        for one in nodes:
            if isinstance(one, ast.Name):
                (loads if isinstance(one.ctx, ast.Load) else stores).setdefault(one.id, []).append(one)
            elif isinstance(one, ast.arg):
                stores.setdefault(one.arg, []).append(one)
        options = self.options(nodes)
        for one in nodes:
            if not isinstance(one, ast.Assign) or len(one.targets) != 1 or not isinstance(one.targets[0], ast.Name):
                continue
            name, value = one.targets[0].id, one.value
            if len(stores.get(name, ())) != 1 or not self.surely(one, parents):
                continue
            uses = loads.get(name, ())
            if is_constant(value):
                for use in uses:
                    self.stand(use, value, parents)
                continue
            table = self.table(value, nodes, options, one)
            members = [parents.get(id(use)) for use in uses]
            if table is None or not all(isinstance(member, (ast.Attribute, ast.Subscript)) and member.value is use and isinstance(
                    member.ctx, ast.Load) for member, use in zip(members, uses)):
                continue
            for member in members:
                key = member.attr if isinstance(member, ast.Attribute) else Origins.key(member)
                if isinstance(member, ast.Attribute) == isinstance(value, ast.Call) and is_constant(table.get(key)):
                    self.by_options |= getattr(getattr(value, "func", None), "attr", "") == "parse_args" and self.taken(member, parents)
                    self.stand(member, table[key], parents)

    @staticmethod
    def surely(statement, parents):
        """Whether a statement stands in no branch or loop."""
        of = parents.get(id(statement))
        return isinstance(of, (ast.Module, ast.FunctionDef, ast.With)) or isinstance(of, ast.If) and "__name__" in ast.dump(of.test)

    @staticmethod
    def options(nodes):
        """The default of each option of argparse that has a plain one."""
        found = {}
        for one in nodes:
            if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "add_argument" and one.args:
                words = {k.arg: k.value for k in one.keywords}
                name = name_of_option(one)
                found[name] = words.get("default") if name not in found and "nargs" not in words else None
        return found

    def table(self, value, nodes, options, statement):
        """The members of a dictionary or object that is written down."""
        if isinstance(value, ast.Dict):
            return {key.value: one for key, one in zip(value.keys, value.values) if isinstance(key, ast.Constant)}
        if not isinstance(value, ast.Call):
            return None
        last = getattr(value.func, "attr", getattr(value.func, "id", ""))
        words = {k.arg: k.value for k in value.keywords if k.arg}
        if last == "parse_args" and not value.args:
            return options
        if last == "SimpleNamespace":
            return words
        of = next((one for one in self.tree.body if isinstance(one, ast.ClassDef) and one.name == last), None)
        if of is None or value.args or not any("dataclass" in ast.dump(one) for one in of.decorator_list):
            return None
        fields = {one.target.id: one.value for one in of.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
        return dict(fields, **words)

    @staticmethod
    def taken(node, parents):
        """Whether a value is given to a call, or a member of what is; what is asked for in a condition keeps its name."""
        of = parents.get(id(node))
        while isinstance(of, (ast.Tuple, ast.List, ast.Dict, ast.BinOp, ast.keyword)):
            of = parents.get(id(of))
        return isinstance(of, (ast.Call, ast.Subscript, ast.Assign, ast.Return, ast.FormattedValue))

    def stand(self, node, value, parents):
        if self.taken(node, parents):
            self.become(node, cloned(value))
            self.changed = True


def flat_forms(trees, text, written):
    """[(the tree, whether options are taken for their defaults)]"""
    if sys.version_info < (3, 8) or len(trees) != 1 or WITH_OTHER_NAMES.search(text):
        return []
    flat = Flat(trees[0], written)
    if not STARTS_OTHERS.search(text):
        body = flat.tree.body
        for number, one in enumerate(body):
            if isinstance(one, ast.If) and "__name__" in ast.dump(one.test) and not one.orelse:
                body[number:number + 1] = one.body
                flat.changed = True
                break
    return flat.forms()
