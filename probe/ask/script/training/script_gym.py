"""Environments of Gym's and Gymnasium's, whose reset() and step() give more than they once did; for the reader of scripts."""

MAKES_AN_ENVIRONMENT = re.compile(r"(gym|gymnasium)\.(make|make_vec|vector\.(make|SyncVectorEnv|AsyncVectorEnv))$")
WRAPS_AN_ENVIRONMENT = re.compile(r"(gym|gymnasium)\.wrappers\.(\w+\.)*[A-Z]\w+$")
CHANGES_A_PART = re.compile(r"(gym|gymnasium)\.(core\.)?(Observation|Action|Reward)Wrapper$")
# Words of scripts that know of both forms, or choose the old one; and older releases that they ask for.
KNOWS_BOTH_FORMS = re.compile(r"gym(nasium)?\.__version__|apply_api_compatibility|new_step_api|return_info|shimmy|GymV\d|StepAPICompat|EnvCompat|"
                              r"step_api_compat|isinstance\([\w.]+, *\(?(tuple|list)|type\([\w.]+\) *(==|is) *tuple|len\([\w.]+\) *[=!<>]=? *\d|\bregister\(")
OLDER_GYM = re.compile(r"\bgym(\[[^\]]*\])?[\"']?\s*(===?|<=?|~=)\s*[\"']?v?0\.(\d|1\d|2[0-5])\b|\bgym(\[[^\]]*\])?[\"']?\s*<\s*[\"']?0\.26\b")
# Environments of other packages, which come with an older release of Gym.
OTHER_ENVIRONMENTS = re.compile(r"gym_|_gym|pybullet|retro|nes_py|procgen|d4rl|minigrid|highway|super_mario|mujoco_py|vizdoom|_envs?$|^envs?$|roboschool")
COMPUTES_WITH_ARRAYS = re.compile(r"(numpy|torch|tensorflow|jax)\.(?!save$|dump$)")
ASKED_OF_ARRAYS = frozenset("shape reshape astype flatten ravel ndim size dtype copy T mean max min sum tolist transpose squeeze to float items keys".split())


class Gym(WholeFile):
    def look(self, nodes):
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if self.reader.other_form or not {"gym", "gymnasium"} & roots or KNOWS_BOTH_FORMS.search(self.reader.text):
            return
        others = any(OTHER_ENVIRONMENTS.search(root) for root in roots) or OLDER_GYM.search(self.reader.text)
        self.parents = self.tracing.index.parents
        for call in self.tracing.index.calls:
            name = getattr(call.func, "attr", "")
            root = self.environment(call.func.value) if name in ("reset", "step") else ""
            if not root or root == "gym" and others or any(isinstance(one, ast.Try) and one.handlers for one in self.origins.around(call)):
                continue
            if name == "step":
                self.step(call, root)
            else:
                self.reset(call, root)

    def environment(self, node, deepest=6):
        """"gym" or "gymnasium", of what surely is an environment that one of them made, in their own wrappers or none; "" otherwise."""
        while isinstance(node, ast.Attribute) and node.attr == "unwrapped":
            node = node.value
        values = self.origins.of(node) if isinstance(node, (ast.Name, ast.Attribute, ast.Call)) else []
        found = {self.root_of(one, deepest) for one in values}
        return found.pop() if len(found) == 1 else ""

    def root_of(self, one, deepest):
        full = self.full(one.func) if isinstance(one, ast.Call) else ""
        if MAKES_AN_ENVIRONMENT.match(full):
            return full.split(".")[0]
        wraps = WRAPS_AN_ENVIRONMENT.match(full) or not full and isinstance(one, ast.Call) and self.is_plain_wrapper(one)
        return self.environment(one.args[0], deepest - 1) if deepest and wraps and one.args else ""

    def is_plain_wrapper(self, call):
        """Whether a call makes an object of a class of the file that changes observations, actions or rewards alone."""
        made = self.origins.functions_of(call.func)
        return len(made) == 1 and isinstance(made[0], ast.ClassDef) and any(CHANGES_A_PART.match(self.full(base)) for base in made[0].bases) and not any(
            getattr(one, "name", "") in ("reset", "step") for one in made[0].body)

    def told(self, node, name, root, *more):
        self.reader.mistake(node, "%s of %s" % (name, root), self.written(node), *more, against="gym 0.26" if root == "gym" else None,
                            doubted=root == "gym")

    def step(self, call, root):
        """obs, reward, done, info = env.step(action)"""
        statement = self.parents.get(id(call))
        target = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is call else None
        if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) in (2, 3, 4) and not any(isinstance(one, ast.Starred) for one in target.elts):
            self.told(statement, "a step that is taken apart as before", root)

    def reset(self, call, root):
        """state = env.reset(), and then policy(state), where each step gives the next state alone."""
        above = self.parents.get(id(call))
        if isinstance(above, ast.keyword):
            above = self.parents.get(id(above))
        if self.is_for_arrays(above, call):
            self.told(call, "a reset that is taken for an array", root, self.written(above.func if isinstance(above, ast.Call) else above))
        elif isinstance(above, ast.Assign) and above.value is call and len(above.targets) == 1 and isinstance(above.targets[0], (ast.Name, ast.Attribute)):
            use = self.use_of(above, self.written(above.targets[0]))
            if use is not None:
                self.told(above, "a reset that is taken for an array", root, self.written(use))

    def is_for_arrays(self, above, node, deepest=2):
        """Whether a node stands where only arrays can: np.reshape(x, …), x.shape, x[None, :], or where a function of the file takes it so."""
        if isinstance(above, ast.Attribute):
            return above.attr in ASKED_OF_ARRAYS
        if isinstance(above, ast.Subscript):
            return above.value is node and (isinstance(above.slice, ast.Tuple) or self.written(above.slice) in ("None", "np.newaxis"))
        if isinstance(above, (ast.List, ast.Tuple)):
            above, node = self.parents.get(id(above)), above
        if not isinstance(above, ast.Call) or above.func is node:
            return False
        full = self.full(above.func)
        if full or not deepest:
            return COMPUTES_WITH_ARRAYS.match(full) is not None
        of = self.origins.functions_of(above.func)
        if len(of) != 1 or not isinstance(of[0], ast.FunctionDef) or node not in above.args:
            return False
        names = [one.arg for one in of[0].args.args]
        at = above.args.index(node) + (names[:1] == ["self"])
        uses = [one for one in ast.walk(of[0]) if isinstance(one, ast.Name) and one.id in names[at:at + 1]]
        uses.sort(key=self.origins.position)
        return bool(uses) and isinstance(uses[0].ctx, ast.Load) and self.is_for_arrays(self.parents.get(id(uses[0])), uses[0], deepest - 1)

    def use_of(self, made, name):
        """What takes the pair for the observation alone; None: nothing surely does, or something takes it apart."""
        holder = self.origins.scope(made)
        within = list(ast.walk(holder)) if holder is not None else self.origins.nodes
        uses = [one for one in within if isinstance(one, (ast.Name, ast.Attribute)) and isinstance(one.ctx, ast.Load) and self.written(one) == name]
        found, here = None, self.origins.position(made)
        for one in uses:
            above = self.parents.get(id(one))
            if isinstance(above, ast.Subscript) and above.value is one and not self.is_for_arrays(above, one) or isinstance(above, ast.Starred) or isinstance(
                    above, ast.Assign) and isinstance(above.targets[0], (ast.Tuple, ast.List)) and above.value is one:
                return None
            if self.origins.position(one) > here and self.is_for_arrays(above, one) and self.only_binding(one, made):
                found = found or above
        stepped = self.takes_the_next(within, name)
        handed = next((one for one in uses if self.origins.position(one) > here and isinstance(self.parents.get(id(one)), ast.Call)), None)
        return found or (self.parents[id(handed)] if stepped is not None and handed is not None else None)

    def only_binding(self, one, made):
        """Whether what is read can be what reset() gave: it's bound by it, or by it among others."""
        return made in self.origins.statements_of(one)

    def takes_the_next(self, within, name):
        """The statement that gives the same name the observation of a step: the name stands for an observation alone."""
        for one in within:
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], (ast.Tuple, ast.List)) and isinstance(one.value, ast.Call) and getattr(
                    one.value.func, "attr", "") == "step" and one.targets[0].elts:
                first = self.written(one.targets[0].elts[0])
                if first == name or any(isinstance(other, ast.Assign) and self.written(other.targets[0]) == name and first in (
                        self.written(part) for part in ast.walk(other.value) if isinstance(part, (ast.Name, ast.Attribute))) for other in within):
                    return one
        return None
