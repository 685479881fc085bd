#!/usr/bin/env python3
"""Rewrites the scripts of fixtures/scripts without changing what they do: what was found must be found again.

    bench/vary_scripts.py ENVDOCTOR [--of FORM] [--every N] [--most COUNT] [--seed S] [--show FOLDER] [--least SHARE]

FORM is one of FORMS below, or "two" for two of them one after the other. Every Nth case is taken, and of all rewritten
ones COUNT at most. What is no longer found, and what is found in addition, goes to standard output; the rewritten scripts
of it to FOLDER. With --least the exit status is 1 where less than SHARE percent of the rewritten mistakes are found, or
where something is found in a rewritten sound script. Lines are not compared: they change.

A form gives None where it doesn't apply, or where it could change what the script does.
"""
import argparse
import ast
import concurrent.futures
import copy
import os
import pathlib
import random
import re
import sys
import tempfile

import scripts

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
IMPORTS = (ast.Import, ast.ImportFrom)
# What tells names apart at run time, or reads the script's own text.
LOOKS_AT_NAMES = re.compile(r"\b(globals|locals|vars|exec|eval|inspect|__file__|__dict__|pickle|dill)\b|\bglobal |\bnonlocal |import \*")
STARTS_ITSELF = re.compile(r"multiproc|spawn|Process\(|Pool\(|forkserver|Launcher|launch|num_workers|workers=")
COMPILED = re.compile(r"triton|numba|cuda\.jit|njit|jit\.script|jit\.kernel|jit\.rawkernel|pallas|fuse\(|warp|guvectorize")
KEPT = ("super", "enumerate", "zip", "range", "len", "print", "isinstance", "tqdm", "trange")


# ---- what forms ask

def bound_in(node):
    """The names that a node binds in its own scope."""
    found, waiting = set(), [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load):
            found.add(one.id)
        elif isinstance(one, ast.alias):
            found.add((one.asname or one.name).split(".")[0])
        elif isinstance(one, DEFINITIONS):
            found.add(one.name)
            continue
        elif isinstance(one, ast.ExceptHandler) and one.name:
            found.add(one.name)
        elif isinstance(one, (ast.MatchAs, ast.MatchStar)) and one.name:
            found.add(one.name)
        if not isinstance(one, (ast.Lambda, *COMPREHENSIONS)):
            waiting.extend(ast.iter_child_nodes(one))
    return found


def read_in(node):
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def all_names(tree):
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)} | {
        one.arg for one in ast.walk(tree) if isinstance(one, (ast.arg, ast.keyword)) and one.arg} | {
        name for one in ast.walk(tree) for name in ([one.name] if isinstance(one, DEFINITIONS) else
                                                    [one.asname or one.name] if isinstance(one, ast.alias) else ())}


def fresh(tree, name):
    """A name like this one that the script does not use."""
    taken = all_names(tree)
    while name in taken:
        name += "_of"
    return name


def fixed_names(tree):
    """Names that something else than an assignment binds: they can't become an attribute or another name."""
    found = {one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)}
    for one in ast.walk(tree):
        if isinstance(one, DEFINITIONS):
            found.add(one.name)
        elif isinstance(one, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and one.name:
            found.add(one.name)
        elif isinstance(one, ast.alias):
            found.add((one.asname or one.name).split(".")[0])
        elif isinstance(one, (ast.Global, ast.Nonlocal)):
            found.update(one.names)
        elif isinstance(one, ast.NamedExpr):
            found.add(one.target.id)
        if isinstance(one, ast.ClassDef):
            found.update(name for part in one.body for name in bound_in(part))
    return found


def head_of(tree):
    """How many statements at the beginning are the docstring and imports."""
    for number, one in enumerate(tree.body):
        if not isinstance(one, IMPORTS) and not (isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant)):
            return number
    return len(tree.body)


def put_first(tree, statements):
    """Puts statements behind the docstring and the imports from __future__."""
    at = 0
    while at < len(tree.body) and (isinstance(tree.body[at], ast.ImportFrom) and tree.body[at].module == "__future__" or
                                   isinstance(tree.body[at], ast.Expr) and isinstance(tree.body[at].value, ast.Constant)):
        at += 1
    tree.body[at:at] = ast.parse(statements).body if isinstance(statements, str) else statements
    return tree


def compiled(node):
    """A function that another compiler reads, which takes only some of Python."""
    return isinstance(node, DEFINITIONS) and any(COMPILED.search(ast.unparse(one)) for one in node.decorator_list)


def blocks(tree):
    """The lists of statements of a script, but of functions that another compiler reads."""
    waiting = [tree]
    while waiting:
        one = waiting.pop()
        if compiled(one):
            continue
        for field in ("body", "orelse", "finalbody"):
            block = getattr(one, field, None)
            if isinstance(block, list):
                yield one, block
        waiting.extend(ast.iter_child_nodes(one))


def heads(statement):
    """The (owner, field or place) of expressions that a statement reads before anything else of it, once."""
    if isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)):
        return [(statement, "value")] if statement.value is not None else []
    if isinstance(statement, ast.If):
        return [(statement, "test")]
    if isinstance(statement, ast.For):
        return [(statement, "iter")]
    if isinstance(statement, ast.With):
        return [(statement.items[0], "context_expr")]
    return []


def pure(node):
    return not any(isinstance(one, (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom, ast.Lambda)) for one in ast.walk(node))


class Renamed(ast.NodeTransformer):
    """Puts other expressions in the places of names, where no inner scope binds them."""

    def __init__(self, other):
        self.other = other

    def visit_Name(self, node):
        made = self.other.get(node.id)
        if made is None:
            return node
        made = ast.parse(made, mode="eval").body
        made.ctx = node.ctx
        return made

    def inner(self, node, own):
        outer, self.other = self.other, {name: to for name, to in self.other.items() if name not in own}
        node = self.generic_visit(node)
        self.other = outer
        return node

    def visit_FunctionDef(self, node):
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        own = {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        shared = {name for one in ast.walk(node) if isinstance(one, (ast.Global, ast.Nonlocal)) for name in one.names}
        return self.inner(node, (own | {name for one in node.body for name in bound_in(one)}) - shared)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node):
        return self.inner(node, {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)})

    def comprehension(self, node):
        return self.inner(node, {name for part in node.generators for name in bound_in(part.target)})

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = comprehension


# ---- forms: (tree, random) -> tree, or None

def plain(tree, rng):
    return tree


def other_imports(tree, rng):
    """import torch as torch_lib; nn for torch.nn; from x import y as y_other."""
    text = ast.unparse(tree)
    if LOOKS_AT_NAMES.search(text):
        return None
    bound, done, waiting = {}, False, list(ast.walk(tree))
    for one in waiting:
        for name in bound_in(one) if isinstance(one, (ast.Name, *IMPORTS, *DEFINITIONS)) else [one.arg] if isinstance(one, ast.arg) else ():
            bound[name] = bound.get(name, 0) + 1
    for one in [one for one in tree.body if isinstance(one, IMPORTS) and getattr(one, "module", "") != "__future__"]:
        for alias in one.names:
            name = alias.asname or alias.name
            if "." in name or bound.get(name) != 1:
                continue
            if alias.name == "tensorflow" and rng.random() < 0.3:
                alias.name, alias.asname, done = "tensorflow.compat.v2", name, True
                continue
            if alias.name == "torch" and rng.random() < 0.5:
                uses = [part for part in waiting if isinstance(part, ast.Attribute) and getattr(part.value, "id", "") == name and
                        part.attr in ("nn", "cuda", "optim", "distributed", "utils", "amp", "backends") and isinstance(part.ctx, ast.Load)]
                members = sorted({part.attr for part in uses if part.attr not in bound})
                if members:
                    for part in uses:
                        if part.attr in members:
                            part.value, part.attr = ast.Name("!", ast.Load()), part.attr
                    at = tree.body.index(one)
                    tree.body.insert(at + 1, ast.ImportFrom("torch", [ast.alias(member) for member in members], 0))
                    done = True
                    continue
            alias.asname, done = fresh(tree, name + "_lib"), True
            tree = Renamed({name: alias.asname}).visit(tree)
    text = re.sub(r"(?<!\w)!\.", "", ast.unparse(ast.fix_missing_locations(tree)))
    return ast.parse(text) if done else None


def moved(tree, begin):
    """(what stays at the top of the file, what can go into a function); None: it can't be parted."""
    text = ast.unparse(tree)
    if LOOKS_AT_NAMES.search(text) or STARTS_ITSELF.search(text) and "__main__" not in text or COMPILED.search(text):
        return None
    top, rest = tree.body[:begin], []
    for one in tree.body[begin:]:
        rest += one.body if isinstance(one, ast.If) and "__name__" in ast.unparse(one.test) and not one.orelse else [one]
    local = {name for one in rest if not isinstance(one, DEFINITIONS) for name in bound_in(one)}
    runs = [one for one in rest if isinstance(one, DEFINITIONS) and (
        one.decorator_list or isinstance(one, ast.ClassDef) and any(not isinstance(part, DEFINITIONS) and not pure(part) for part in one.body) or
        not isinstance(one, ast.ClassDef) and not all(map(pure, one.args.defaults)))]
    while True:
        more = {one.name for one in rest if isinstance(one, DEFINITIONS) and one.name not in local and (one in runs and read_in(one) & local or read_in(one) & local)}
        if not more:
            break
        local |= more
    top += [one for one in rest if isinstance(one, DEFINITIONS) and one.name not in local]
    rest = [one for one in rest if not isinstance(one, DEFINITIONS) or one.name in local]
    if not any(not isinstance(one, (ast.Import, ast.ImportFrom, *DEFINITIONS)) for one in rest):
        return None
    if local - {name for one in tree.body for name in read_in(one)}:
        return None  # a variable that nothing reads is one of the file's, and is lost in a function
    outside = {name for one in tree.body[:begin] for name in bound_in(one)}
    return None if outside & {name for one in rest for name in bound_in(one)} else (top, rest)


def begin_of_main(name, call):
    return ast.parse('if __name__ == "__main__":\n    %s' % call).body if name else ast.parse(call).body


def in_main(tree, rng):
    parts = moved(tree, head_of(tree))
    if parts is None:
        return None
    name = fresh(tree, "main")
    made = ast.parse("def %s():\n    pass" % name).body[0]
    made.body = parts[1]
    return ast.Module(parts[0] + [made] + begin_of_main(name, name + "()"), [])


def in_class(tree, rng):
    """class Trainer, whose __init__ does the first part and run the rest."""
    last = max((number + 1 for number, one in enumerate(tree.body) if isinstance(one, IMPORTS)), default=0)
    parts = moved(tree, last)
    if parts is None or any(isinstance(one, IMPORTS) for part in parts[1] for one in ast.walk(part)):
        return None
    top, rest = parts
    methods = [one for one in rest if isinstance(one, DEFINITIONS)]
    rest = [one for one in rest if not isinstance(one, DEFINITIONS)]
    if any(not isinstance(one, ast.FunctionDef) or one.args.posonlyargs or one.decorator_list and not all(re.match(
            r"(tf|tensorflow)\.function|torch\.(no_grad|inference_mode)", ast.unparse(d)) for d in one.decorator_list) for one in methods):
        return None
    at = next((number for number, one in enumerate(rest) if isinstance(one, (ast.For, ast.While))), max(len(rest) // 2, 1))
    first, second = rest[:at], rest[at:]
    bound = {name for one in first for name in bound_in(one)}
    names = {name for one in second + methods for name in read_in(one) | bound_in(one)} & bound
    names |= {name for one in methods for name in read_in(one)} & {name for one in second for name in bound_in(one)}
    if not first or not second or names & fixed_names(tree) or any("super" in ast.unparse(one) for one in methods):
        return None
    made = ast.parse("class %s:\n    def __init__(self): pass\n    def run(self): pass" % fresh(tree, "Trainer")).body[0]
    made.body[0].body, made.body[1].body = first, second
    made.body[1:1] = methods
    renamed = Renamed({name: "self." + name for name in names | {one.name for one in methods}})
    for one in made.body:
        one.body = [renamed.visit(part) for part in one.body] if one not in methods else one.body
    for one in methods:
        renamed.visit(one)
        one.args.args.insert(0, ast.arg("self"))
        one.args.defaults = one.args.defaults
    return ast.Module(top + [made] + begin_of_main(True, made.name + "().run()"), [])


def constants(tree):
    """(call, list or keyword, place, constant, a name for it) of each argument that is a plain constant."""
    found, waiting = [], [tree]
    while waiting:
        one = waiting.pop()
        if compiled(one):
            continue
        if isinstance(one, ast.Call) and getattr(one.func, "id", getattr(one.func, "attr", "")) not in (
                "print", "getattr", "hasattr", "setattr", "import_module", "add_argument", "join", "format", "write", "range", "enumerate",
                "get", "getenv", "split", "replace", "startswith", "endswith", "info", "warning", "CDLL", "system", "ElementwiseKernel", "RawKernel"):
            found += [(one.args, number, part, "value") for number, part in enumerate(one.args)]
            found += [(part, "value", part.value, part.arg) for part in one.keywords if part.arg]
        waiting.extend(child for child in ast.iter_child_nodes(one) if not (isinstance(child, ast.JoinedStr)))
    found = [each for each in found if isinstance(each[2], ast.Constant) and isinstance(each[2].value, (int, float, str, bool)) and not (
        isinstance(each[2].value, str) and ("\n" in each[2].value or not each[2].value))]
    taken, named = all_names(tree), []
    for place, at, constant, name in found:
        while name in taken:
            name += str(len(named))
        taken.add(name)
        named.append((place, at, constant, name))
    return named


def through(tree, write, take):
    named = constants(tree)
    if not named or COMPILED.search(ast.unparse(tree)):
        return None
    for place, at, constant, name in named:
        made = ast.parse(take(name), mode="eval").body
        if isinstance(place, list):
            place[at] = made
        else:
            place.value = made
    return put_first(tree, write([(name, constant.value) for _, _, constant, name in named]))


def module_constants(tree, rng):
    return through(tree, lambda named: "\n".join("%s = %r" % (name.upper(), value) for name, value in named), str.upper)


def in_a_dict(tree, rng):
    config = fresh(tree, "CONFIG")
    return through(tree, lambda named: "%s = %r" % (config, dict(named)), lambda name: "%s[%r]" % (config, name))


def in_a_dataclass(tree, rng):
    made, config = fresh(tree, "Settings"), fresh(tree, "config")
    return through(tree, lambda named: "from dataclasses import dataclass\n@dataclass\nclass %s:\n%s\n%s = %s()" % (made, "\n".join(
        "    %s: %s = %r" % (name, type(value).__name__, value) for name, value in named), config, made), lambda name: config + "." + name)


def by_argparse(tree, rng):
    text = ast.unparse(tree)
    if "argparse" in text or "parse_args" in text or "sys.argv" in text:
        return None
    if "enabled=False" in text:
        return None  # an option could turn on what the script is sound without, and it would be another script
    args, parser = fresh(tree, "args"), fresh(tree, "parser")

    def write(named):
        lines = ["import argparse", parser + " = argparse.ArgumentParser()"]
        for name, value in named:
            kind = "action=argparse.BooleanOptionalAction" if isinstance(value, bool) else "type=" + type(value).__name__
            lines.append("%s.add_argument('--%s', %s, default=%r)" % (parser, name, kind, value))
        return "\n".join(lines + ["%s = %s.parse_args()" % (args, parser)])
    return through(tree, write, lambda name: args + "." + name)


def calls_of(statement):
    """The calls that a statement surely makes once and before anything else, in their order: [(call, its place)]."""
    found = []

    def look(owner, field, at, node):
        if isinstance(node, (*FUNCTIONS, *COMPREHENSIONS, ast.IfExp, ast.BoolOp, ast.Compare, ast.JoinedStr, ast.Await, ast.Yield, ast.YieldFrom)):
            return
        for name, value in ast.iter_fields(node):
            for number, one in enumerate(value) if isinstance(value, list) else [(None, value)]:
                if isinstance(one, ast.AST):
                    look(node, name, number, one)
        if isinstance(node, ast.Call):
            found.append((node, owner, field, at))

    for owner, field in heads(statement):
        look(owner, field, None, getattr(owner, field))
    return found


def keywords_in_a_dict(tree, rng):
    done = False
    for of, block in list(blocks(tree)):
        if isinstance(of, ast.ClassDef):
            continue
        for statement in list(block):
            for call, *_ in calls_of(statement):
                if call.keywords and all(one.arg and pure(one.value) for one in call.keywords) and all(map(pure, call.args)):
                    name = fresh(tree, "options")
                    given = ast.Dict([ast.Constant(one.arg) for one in call.keywords], [one.value for one in call.keywords])
                    block.insert(block.index(statement), ast.Assign([ast.Name(name, ast.Store())], given, lineno=0))
                    call.keywords, done = [ast.keyword(None, ast.Name(name, ast.Load()))], True
    return tree if done else None


def with_a_name(tree, rng):
    """loss = criterion(model(x), y), as result = model(x) and loss = criterion(result, y)."""
    if re.search(r"\bdel |empty_cache|gc\.collect|memory_|weakref", ast.unparse(tree)):
        return None  # a name holds what it names
    done = False
    for of, block in list(blocks(tree)):
        if isinstance(of, ast.ClassDef):
            continue
        for statement in list(block):
            for call, owner, field, at in calls_of(statement):
                whole = owner is statement and not isinstance(statement, (ast.Return, ast.For, ast.If))
                func = getattr(call.func, "id", getattr(call.func, "attr", ""))
                if whole or func in KEPT or isinstance(owner, ast.Starred):
                    continue
                name = fresh(tree, "result")
                block.insert(block.index(statement), ast.Assign([ast.Name(name, ast.Store())], call, lineno=0))
                made, done = ast.Name(name, ast.Load()), True
                if at is None:
                    setattr(owner, field, made)
                else:
                    getattr(owner, field)[at] = made
    return tree if done else None


def given_names(tree, node):
    """The variables of the script that a node reads, in their order."""
    imported = {name for one in ast.walk(tree) if isinstance(one, IMPORTS) for name in bound_in(one)}
    defined = {one.name for one in tree.body if isinstance(one, DEFINITIONS)}
    own = {name for one in ast.walk(node) if isinstance(one, COMPREHENSIONS) for part in one.generators for name in bound_in(part.target)}
    own |= {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)}
    bound = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)} | {
        one.arg for one in ast.walk(tree) if isinstance(one, ast.arg)} | {
        one.name for part in tree.body for one in ast.walk(part) if isinstance(one, DEFINITIONS) and one not in tree.body}
    return [name for name in sorted(read_in(node)) if name in bound and name not in imported | defined | own]


def local_imports(tree):
    return any(isinstance(one, IMPORTS) and one not in tree.body for one in ast.walk(tree))


def by_a_helper(tree, rng):
    """x = make(a, b), as def get_x(a, b): return make(a, b) and x = get_x(a, b)."""
    text = ast.unparse(tree)
    if LOOKS_AT_NAMES.search(text) or local_imports(tree) or COMPILED.search(text):
        return None
    places = [(block, one) for of, block in blocks(tree) for one in block if isinstance(one, ast.Assign) and isinstance(
        one.value, ast.Call) and not isinstance(of, ast.ClassDef) and not re.search(r"\bsuper\b|\bself\b|await |yield |:=|\bglobal|lambda", ast.unparse(one))]
    if not places:
        return None
    for block, one in rng.sample(places, min(len(places), 3)):
        outer = next(top for top in tree.body if any(part is one for part in ast.walk(top)))
        target = one.targets[0]
        name = fresh(tree, "get_" + (target.id if isinstance(target, ast.Name) else "value"))
        names = given_names(tree, one.value)
        made = ast.parse("def %s(%s): pass" % (name, ", ".join(names))).body[0]
        made.body = [ast.Return(one.value)]
        one.value = ast.parse("%s(%s)" % (name, ", ".join(names)), mode="eval").body
        tree.body.insert(tree.body.index(outer), made)
    return tree


def part_by_a_helper(tree, rng):
    """Two to four statements of the file in a function, which returns what they bind."""
    text = ast.unparse(tree)
    if LOOKS_AT_NAMES.search(text) or local_imports(tree) or COMPILED.search(text) or STARTS_ITSELF.search(text):
        return None
    used = {name for one in tree.body for part in ast.walk(one) if isinstance(part, FUNCTIONS) for name in read_in(part)}
    plain_one = [isinstance(one, (ast.Assign, ast.Expr, ast.For, ast.With, ast.AugAssign)) and not any(isinstance(part, (
        ast.Return, ast.Yield, ast.Delete, ast.NamedExpr, ast.Lambda, *DEFINITIONS)) for part in ast.walk(one)) for one in tree.body]
    choices, every = [], {name for one in tree.body for name in read_in(one)}
    for begin in range(head_of(tree), len(tree.body)):
        for end in range(begin + 2, min(begin + 5, len(tree.body) + 1)):
            part = tree.body[begin:end]
            binds = {name for one in part for name in bound_in(one)}
            later = {name for one in tree.body[end:] for name in read_in(one)}
            surely = {name for one in part if isinstance(one, ast.Assign) for target in one.targets for name in bound_in(target)}
            if all(plain_one[begin:end]) and not binds & used and binds & later <= surely and binds <= every:
                choices.append((begin, end, sorted(binds & later)))
    if not choices:
        return None
    begin, end, gives = rng.choice(choices)
    part = tree.body[begin:end]
    before = {name for one in tree.body[:begin] for name in bound_in(one)}
    needs = [name for name in given_names(tree, ast.Module(part, [])) if name in before]
    perhaps = {name for one in tree.body[:begin] if isinstance(one, (ast.If, ast.Try)) for name in bound_in(one)}
    if perhaps.intersection(needs):
        return None  # a name that isn't bound is read where it is given, too
    name = fresh(tree, "prepare")
    made = ast.parse("def %s(%s): pass" % (name, ", ".join(needs))).body[0]
    made.body = part + (ast.parse("return " + ", ".join(gives)).body if gives else [])
    call = "%s(%s)" % (name, ", ".join(needs))
    tree.body[begin:end] = [made] + ast.parse(", ".join(gives) + " = " + call if gives else call).body
    return tree


def other_names(tree, rng):
    if LOOKS_AT_NAMES.search(ast.unparse(tree)):
        return None
    names = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)} - fixed_names(tree)
    other = {name: "item_%d" % number for number, name in enumerate(sorted(names)) if not name.startswith("__")}
    for one in ast.walk(tree):
        if isinstance(one, ast.Name):
            one.id = other.get(one.id, one.id)
    return tree if other else None


def other_loops(tree, rng):
    """for i, x in enumerate(y), as i = -1 and for x in y with i += 1; and the other way round."""
    done = False
    for of, block in list(blocks(tree)):
        for one in list(block):
            if not isinstance(one, ast.For) or getattr(getattr(one.iter, "func", None), "id", "") in ("range", "zip"):
                continue
            counted = isinstance(one.iter, ast.Call) and getattr(one.iter.func, "id", "") == "enumerate" and len(one.iter.args) == 1 and \
                not one.iter.keywords and isinstance(one.target, ast.Tuple) and isinstance(one.target.elts[0], ast.Name)
            if counted:
                number, one.target, one.iter = one.target.elts[0].id, one.target.elts[1], one.iter.args[0]
                if any(isinstance(part, ast.Name) and part.id == number for part in ast.walk(tree)):
                    block.insert(block.index(one), ast.parse(number + " = -1").body[0])
                    one.body.insert(0, ast.parse(number + " += 1").body[0])
            else:
                one.target = ast.Tuple([ast.Name(fresh(tree, "number"), ast.Store()), one.target], ast.Store())
                one.iter = ast.Call(ast.Name("enumerate", ast.Load()), [one.iter], [])
            done = True
    return tree if done else None


def other_with(tree, rng):
    """with a, b: as with a: with b:, and the other way round."""
    done = False
    for one in list(ast.walk(tree)):
        if not isinstance(one, ast.With):
            continue
        if len(one.items) > 1:
            one.items, one.body, done = one.items[:1], [ast.With(one.items[1:], one.body, lineno=0)], True
        elif len(one.body) == 1 and isinstance(one.body[0], ast.With):
            one.items, one.body, done = one.items + one.body[0].items, one.body[0].body, True
    return tree if done else None


def other_environ(tree, rng):
    """os.environ[x] = y, as os.environ.update({x: y})."""
    done = False
    for of, block in list(blocks(tree)):
        for one in list(block):
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Subscript) and re.search(
                    r"\benviron$", ast.unparse(one.targets[0].value)):
                given = [ast.Dict([one.targets[0].slice], [one.value])]
                words = []
                if rng.random() < 0.5 and isinstance(one.targets[0].slice, ast.Constant) and str(one.targets[0].slice.value).isidentifier():
                    given, words = [], [ast.keyword(one.targets[0].slice.value, one.value)]
                block[block.index(one)] = ast.Expr(ast.Call(ast.Attribute(one.targets[0].value, "update", ast.Load()), given, words))
                done = True
    return tree if done else None


def other_texts(tree, rng):
    """"cuda:0" as f"cuda:{0}", and f"cuda:{rank}" as "cuda:{}".format(rank)."""
    done = False

    class Other(ast.NodeTransformer):
        def visit_Call(self, node):
            nonlocal done
            if getattr(node.func, "id", getattr(node.func, "attr", "")) in ("print", "info", "format", "RawKernel"):
                return node
            self.generic_visit(node)
            for number, one in enumerate(node.args):
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and re.fullmatch(r"[\w/:]*[:/]\d", one.value):
                    node.args[number] = ast.JoinedStr([ast.Constant(one.value[:-1]), ast.FormattedValue(ast.Constant(int(one.value[-1])), -1, None)])
                    done = True
                elif isinstance(one, ast.JoinedStr) and all(isinstance(part, ast.Constant) and "{" not in part.value or isinstance(
                        part, ast.FormattedValue) and part.conversion == -1 and part.format_spec is None for part in one.values):
                    text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in one.values)
                    node.args[number] = ast.Call(ast.Attribute(ast.Constant(text), "format", ast.Load()), [
                        part.value for part in one.values if isinstance(part, ast.FormattedValue)], [])
                    done = True
            return node

        def visit_FunctionDef(self, node):
            return node if compiled(node) else self.generic_visit(node)

    tree = Other().visit(tree)
    return tree if done else None


def with_types(tree, rng):
    """x = y, as x: Any = y."""
    if LOOKS_AT_NAMES.search(ast.unparse(tree)):
        return None
    done = False
    for of, block in list(blocks(tree)):
        if isinstance(of, ast.ClassDef):
            continue  # there it could make a field
        for number, one in enumerate(block):
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], (ast.Name, ast.Attribute)):
                block[number] = ast.AnnAssign(one.targets[0], ast.Name("Any", ast.Load()), one.value, int(isinstance(one.targets[0], ast.Name)))
                done = True
    return put_first(tree, "from typing import Any") if done else None


FORMS = {form.__name__: form for form in (
    plain, other_imports, in_main, in_class, module_constants, in_a_dict, in_a_dataclass, by_argparse, keywords_in_a_dict, with_a_name,
    by_a_helper, part_by_a_helper, other_names, other_loops, other_with, other_environ, other_texts, with_types)}


def rewritten(script, names, rng):
    """The script in other forms; None: one of them doesn't apply."""
    text = script
    for name in names:
        tree = FORMS[name](ast.parse(text), rng)
        if tree is None:
            return None
        text = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
        compile(text, "rewritten", "exec")
    return text


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--of", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--most", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="")
    parser.add_argument("--least", type=float, default=-1)
    args = parser.parse_args()
    program, made = os.path.abspath(args.program), []
    for number, (title, expected, beside, script) in enumerate(scripts.cases()):
        try:
            ast.parse(script)
        except SyntaxError:
            continue
        if (number + args.seed) % args.every or re.search(r"(?m)^ *#.*\d", script):  # a comment may name a release, and is lost
            continue
        for form in [args.of] if args.of else [*FORMS, "two"]:
            rng = random.Random("%d %s %s" % (args.seed, title, form))
            names = rng.sample([*FORMS][1:], 2) if form == "two" else form.split("+")
            text = rewritten(script, names, rng)
            if text is not None:
                made.append((form, "+".join(names), title, {one.partition(":")[0] for one in expected}, beside, text))
    if args.most:
        made = random.Random(args.seed).sample(made, min(args.most, len(made)))
    kept, lost, quiet, loud = {}, {}, {}, {}
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number, (_, _, _, _, beside, text) in enumerate(made):
            case = pathlib.Path(folder, "part%04d" % (number // 40), "case%05d" % number)
            case.mkdir(parents=True)
            for file, content in dict(beside, **{"train.py": text}).items():
                (case / file).write_text(content)
        parts = sorted(str(one) for one in pathlib.Path(folder).iterdir())
        seen = {case: ids for found in pool.map(lambda part: scripts.found(program, part), parts) for case, ids in found.items()}
    for number, (form, names, title, expected, beside, text) in enumerate(made):
        got = {one.partition(":")[0] for one in seen.get("case%05d" % number, ())}
        missed, more = expected - got, got - expected
        if expected:
            (lost if missed else kept).setdefault(form, []).append(title)
        else:
            (loud if more else quiet).setdefault(form, []).append(title)
        if missed or more:
            print("%s: %s: %s" % (names, title, ", ".join(["missed " + one for one in sorted(missed)] + ["wrong " + one for one in sorted(more)])))
            if args.show:
                os.makedirs(args.show, exist_ok=True)
                pathlib.Path(args.show, re.sub(r"\W+", "_", names + " " + title)[:120] + ".py").write_text(text)
    count = {form: [len(of.get(form, ())) for of in (kept, lost, quiet, loud)] for form in [*FORMS, "two"]}
    for form, (found, missed, silent, wrong) in count.items():
        if found + missed + silent + wrong:
            print("%-20s %5.1f %% of %4d mistakes found, %4d of %4d sound ones quiet" % (
                form, 100 * found / max(found + missed, 1), found + missed, silent, silent + wrong))
    found, missed, silent, wrong = (sum(each) for each in zip(*count.values()))
    print("%-20s %5.1f %% of %4d mistakes found, %4d of %4d sound ones quiet" % (
        "all", 100 * found / max(found + missed, 1), found + missed, silent, silent + wrong))
    return int(100 * found < args.least * (found + missed) or args.least >= 0 and wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
