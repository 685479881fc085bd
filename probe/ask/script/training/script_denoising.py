"""Diffusion models of Diffusers, and modules of Lightning; for the reader of scripts."""

SCHEDULES_OF_NOISE = re.compile(r"diffusers\.(\w+\.)*(DDPM|DDIM|PNDM)Scheduler$")
SCHEDULES_LOADED = re.compile(r"diffusers\.(\w+\.)*(DDPM|DDIM|PNDM)Scheduler\.from_pretrained$")
SCALES_ITS_INPUT = re.compile(r"diffusers\.(\w+\.)*(Euler|EulerAncestral|Heun|LMS|KDPM2|KDPM2Ancestral)DiscreteScheduler(\.from_(pretrained|config))?$")
PIPELINES_LOADED = re.compile(r"diffusers\.(\w+\.)*\w*Pipeline\w*\.from_(pretrained|single_file)$")
DISTANCES = re.compile(r"torch\.nn\.functional\.(mse_loss|l1_loss|smooth_l1_loss|huber_loss)$")
DISTANCES_OF_CLASSES = re.compile(r"torch\.nn\.(MSELoss|L1Loss|SmoothL1Loss|HuberLoss)$")
MEASURES_OF_LIGHTNING = re.compile(r"torchmetrics\.(\w+\.)*[A-Z]\w+$")
WATCHES_OF_LIGHTNING = re.compile(r"(lightning|pytorch_lightning)\.(\w+\.)*(ModelCheckpoint|EarlyStopping)$")

NEEDS_TIMESTEPS = re.compile(r"diffusers\.(schedulers\.(\w+\.)?)?(DDIM|EulerDiscrete|EulerAncestralDiscrete|DPMSolverMultistep|DPMSolverSinglestep|PNDM|LMSDiscrete|HeunDiscrete|"
                             r"UniPCMultistep|KDPM2Discrete)Scheduler(\.from_(pretrained|config))?$")


class Denoising(Learning):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if "diffusers" in roots:
            self.steps_that_nobody_set()
        if {"lightning", "pytorch_lightning"} & roots:
            self.optimizer_kept_back()
        if "diffusers" in roots:
            self.images_for_noise()
            self.latents_of_another_scale()
            self.inputs_that_are_not_scaled()
            self.pipelines_left_behind()
        if {"lightning", "pytorch_lightning"} & roots:
            self.modules = [one for one in nodes if isinstance(one, ast.ClassDef) and any(self.full(base).endswith(".LightningModule") for base in one.bases)]
            for of in self.modules:
                self.losses_without_a_graph(of)
                self.measures_left_behind(of)
            self.watched_and_not_logged()

    # ---- Diffusers

    def images_for_noise(self):
        """noisy = scheduler.add_noise(images, noise, t); F.mse_loss(unet(noisy, t).sample, images), of a model that is to tell the noise"""
        if self.says(r"prediction_type *= *(?!['\"]epsilon)|get_velocity|['\"]sample['\"]|v_prediction"):
            return
        for call in self.calls:
            if not is_call(call, "add_noise") or len(call.args) < 2 or not isinstance(call.args[0], ast.Name) or not isinstance(call.args[1], ast.Name):
                continue
            schedule = self.made_by(call.func.value, SCHEDULES_OF_NOISE, SCHEDULES_LOADED, surely=True)
            statement = self.parents.get(id(call))
            if schedule is None or not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
                continue
            noisy, scope = statement.targets[0].id, self.origins.scope(call)
            for loss in self.calls:
                if self.origins.scope(loss) is not scope or len(loss.args) < 2 or not DISTANCES.match(self.full(loss.func)) and self.made_by(
                        loss.func, DISTANCES_OF_CLASSES, surely=True) is None:
                    continue
                for one, other in (loss.args[:2], loss.args[1::-1]):
                    target = other.func.value if is_call(other, "float") else other
                    if isinstance(target, ast.Name) and target.id == call.args[0].id and self.is_told_of(one, noisy):
                        self.mistake(loss, "a loss of images where noise is told", target.id, call.args[1].id, other=call)

    def is_told_of(self, node, noisy):
        """Whether a value is what a model gives for the noisy images: model(noisy, t).sample or model(noisy, t)[0]"""
        node = node.func.value if is_call(node, "float") else node
        for one in self.assigned(node):
            while isinstance(one, (ast.Subscript, ast.Attribute)) and (not isinstance(one, ast.Attribute) or one.attr == "sample"):
                one = one.value
            if isinstance(one, ast.Call) and one.args and self.written(one.args[0]) == noisy and not (isinstance(one.func, ast.Attribute) and one.func.attr in ("step", "add_noise")):
                return True
        return False

    def assigned(self, node):
        """What a name is given where it is read; the node itself where it is no name."""
        return [one.value for one in self.origins.statements_of(node) if isinstance(one, ast.Assign)] if isinstance(node, ast.Name) else [node]

    def latents_of_another_scale(self):
        """latents = vae.encode(images).latent_dist.sample(); scheduler.add_noise(latents, …), of a UNet that has learned other latents"""
        if self.says(r"scaling_factor|scale_factor|0\.18215|0\.13025|latents?_(mean|std|scale)|vae_scale|shift_factor") or not any(re.match(
                r"diffusers\.(\w+\.)*\w*(UNet2DConditionModel|Transformer2DModel)\.from_pretrained$", self.full(one.func)) for one in self.calls):
            return
        for call in self.calls:
            given = call.args[0] if is_call(call, "add_noise") and call.args else None
            for one in self.assigned(given) if isinstance(given, ast.Name) else ():
                base = one.func.value if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in ("sample", "mode") else None
                coded = base.value if isinstance(base, ast.Attribute) and base.attr == "latent_dist" else None
                if is_call(coded, "encode") and self.made_by(coded.func.value, re.compile(r"diffusers\.(\w+\.)*AutoencoderKL\.from_pretrained$")) is not None:
                    self.mistake(one, "latents that are not scaled", self.written(coded.func.value), other=call)

    def inputs_that_are_not_scaled(self):
        """for t in euler.timesteps: unet(latents, t); euler.step(…), and no scale_model_input()"""
        if self.says(r"scale_model_input|(?<!init_noise_)sigmas?\b|add_noise"):
            return
        for loop in self.tracing.index.loops:
            over = loop.iter if isinstance(loop, ast.For) else None
            while isinstance(over, ast.Call) and over.args:
                over = over.args[0]  # enumerate() and tqdm()
            if not isinstance(over, ast.Attribute) or over.attr != "timesteps":
                continue
            made = self.made_by(over.value, SCALES_ITS_INPUT, surely=True)
            step = next((one for one in calls_in(loop.body) if is_call(one, "step") and self.written(one.func.value) == self.written(over.value)), None)
            names = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
            model = next((one for one in calls_in(loop.body) if one is not step and len(one.args) > 1 and self.written(one.args[1]) in names and not is_call(one, "step")), None)
            if made is not None and step is not None and model is not None:
                self.mistake(model, "an input that the schedule has not scaled", self.full(made.func).split(".from_")[0].rsplit(".", 1)[-1], other=loop)

    def pipelines_left_behind(self):
        """pipe = DiffusionPipeline.from_pretrained(name), pipe(prompt), and nothing that moves it to the GPU that the file asks for"""
        if self.says(r"\.to\(|\.cuda\(|device_map|offload|accelerat|default_device|['\"]cpu['\"]\)(?!\.manual)|onnx|openvino|parallel") or not self.says(
                r"torch\.cuda\.|['\"]cuda|float16"):
            return
        for call in self.calls:
            made = self.value_of(call.func) if isinstance(call.func, (ast.Name, ast.Attribute)) else None
            name = self.written(call.func)
            if not isinstance(made, ast.Call) or not PIPELINES_LOADED.match(self.full(made.func)) or any(k.arg is None for k in made.keywords):
                continue
            handed = any(self.written(given) == name for one in self.calls for given in one.args + [k.value for k in one.keywords])
            if not handed and any(isinstance(one, (ast.For, ast.While)) for one in self.origins.around(call)):
                self.mistake(made, "a pipeline that stays on the CPU", self.written(call), other=call)

    # ---- Lightning

    def losses_without_a_graph(self, of):
        """def training_step(self, batch, i): …; return loss.item()"""
        step = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "training_step"), None)
        if step is None or self.says(r"automatic_optimization *= *False|def automatic_optimization"):
            return
        for one in (each for each in ast.walk(step) if isinstance(each, ast.Return) and self.origins.scope(each) is step):
            value = one.value
            if isinstance(value, ast.Dict):
                value = next((each for key, each in zip(value.keys, value.values) if key is not None and self.said(key) == "loss"), None)
            given = self.assigned(value) if isinstance(value, ast.Name) else [value]
            made = given[0] if len(given) == 1 else None
            number = isinstance(made, ast.Call) and (isinstance(made.func, ast.Attribute) and made.func.attr in ("item", "detach", "numpy", "tolist") and not made.args or
                                                     getattr(made.func, "id", "") == "float" and len(made.args) == 1)
            if number:
                self.mistake(one, "a step that gives no graph", self.written(made), doubted=False)

    def measures_left_behind(self, of):
        """self.metrics = {"f1": F1Score(…)}: Lightning moves the attributes of a module, and nothing within a dictionary."""
        text = self.reader.written_whole(of)
        if re.search(r"\.to\(|\.cuda\(|\.cpu\(|add_module", text) or self.says(r"accelerator *= *['\"]cpu"):
            return
        start = next((one for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
        for one in ast.walk(start) if start is not None else ():
            value = one.value if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Attribute) and self.written(one.targets[0].value) == "self" else None
            # Lists, and dictionaries that a loop makes, are told of by the rule for lists of modules.
            parts = value.values if isinstance(value, ast.Dict) else []
            if not parts or not all(isinstance(part, ast.Call) and MEASURES_OF_LIGHTNING.match(self.full(part.func)) for part in parts):
                continue
            name = self.written(one.targets[0])
            others = [each for method in of.body if method is not start for each in ast.walk(method) if isinstance(each, ast.Attribute) and self.written(each) == name]
            handed = re.search(r"(ModuleDict|ModuleList|MetricCollection)\(\s*%s" % re.escape(name), text)
            if others and not handed:
                self.mistake(one, "measures that stay on the CPU", name, other=others[0], doubted=False)

    def names_logged(self):
        """The forms of all names that the file's modules log; None: some are not known."""
        forms = []
        for of in self.modules:
            for call in calls_in(of.body):
                attribute = getattr(call.func, "attr", "")
                if attribute == "log" and self.written(call.func.value) == "self":
                    keys = [self.given(call, 0, "name")]
                elif attribute == "log_dict" and self.written(call.func.value) == "self":
                    given = self.value_of(self.given(call, 0, "dictionary"))
                    if not isinstance(given, ast.Dict) or None in given.keys:
                        return None
                    keys = given.keys
                else:
                    # What is handed to others may be logged there.
                    if any(isinstance(one, ast.Name) and one.id == "self" for one in call.args):
                        return None
                    continue
                for key in keys:
                    said = self.said(key)
                    if isinstance(said, str):
                        forms.append((re.escape(said), said))
                    elif isinstance(key, ast.JoinedStr):
                        forms.append(("".join(re.escape(str(part.value)) if isinstance(part, ast.Constant) else ".*" for part in key.values), self.written(key)))
                    else:
                        return None
        return forms

    def watched_and_not_logged(self):
        """ModelCheckpoint(monitor="val_loss"), where the one module logs "val/loss" """
        if len(self.modules) != 1 or self.says(r"LightningCLI|callback_metrics|logged_metrics|\.log_metrics|MetricTracker") or len(self.modules[0].bases) != 1:
            return
        forms = self.names_logged()
        for call in self.calls if forms else ():
            watched = self.word(call, "monitor") if WATCHES_OF_LIGHTNING.match(self.full(call.func)) else None
            if watched is None and WATCHES_OF_LIGHTNING.match(self.full(call.func)) and self.full(call.func).endswith("EarlyStopping") and call.args:
                watched = call.args[0]
            name = self.said(watched)
            if isinstance(name, str) and name not in ("epoch", "step") and not any(re.match(form + r"(_step|_epoch)?(/dataloader_idx_\d+)?$", name) for form, _ in forms):
                self.mistake(watched if line_of(watched) >= line_of(call) else call, "a name that no module logs", name, ", ".join(sorted({"'%s'" % text for _, text in forms})[:5]), other=call,
                             doubted=self.full(call.func).endswith("EarlyStopping"))

    def steps_that_nobody_set(self):
        """scheduler = DDIMScheduler.from_pretrained(…); scheduler.step(noise, t, x), and no set_timesteps()"""
        if self.says(r"set_timesteps|Pipeline"):
            return
        for call in self.calls:
            made = self.made_by(call.func.value, NEEDS_TIMESTEPS, surely=True) if is_call(call, "step") and len(call.args) >= 3 else None
            if made is not None:
                self.mistake(call, "a sampler whose steps nobody set", self.full(made.func).split(".")[-2 if self.full(made.func).endswith(("from_pretrained", "from_config")) else -1],
                             other=made, doubted=False)
                return

    def optimizer_kept_back(self):
        """def configure_optimizers(self): optimizer = Adam(self.parameters()), which gives nothing back"""
        for of in self.tracing.index.classes:
            for one in of.body:
                if isinstance(one, ast.FunctionDef) and one.name == "configure_optimizers" and any(OPTIMIZERS_AT_ALL.match(self.full(call.func)) for call in calls_in(
                        one.body)) and not any(isinstance(each, (ast.Return, ast.Yield, ast.Raise)) for each in ast.walk(one)) and not self.says(r"self\.manual_optimization|automatic_optimization *= *False"):
                    self.mistake(next(call for call in calls_in(one.body) if OPTIMIZERS_AT_ALL.match(self.full(call.func))), "an optimizer that is kept back", of.name, other=one, doubted=False)
