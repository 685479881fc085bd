"""Transformers, PEFT, Accelerate and Lightning, read from the statements of a file as they stand; for the reader of scripts."""

# What works in place, and gives None.
GIVES_NOTHING = re.compile(r"torchao\.(quantization\.|sparsity\.|optim\.)?(\w+\.)*(quantize_|sparsify_|convert_to_float8_training_)$")
METHODS_WITHOUT_RESULT = ("gradient_checkpointing_enable", "gradient_checkpointing_disable", "enable_input_require_grads",
                          "print_trainable_parameters", "merge_adapter", "unmerge_adapter", "set_adapter", "init_weights")
GPU_BY_NUMBER = re.compile(r"cuda:\d+$")
LARGE = re.compile(r"(?<![\d.])(([3-9]|\d{2,3})(\.\d+)?)-?[bB](?![a-zA-Z])")
AT_ONCE = re.compile(r"(text|sentiment|image|token|audio|video|zero-shot)-?\w*-?(classification|analysis)|ner$|feature-extraction|fill-mask|"
                     r"summarization|translation\w*|question-answering|automatic-speech-recognition|image-to-text|object-detection")
FLOAT32 = ("torch.float32", "torch.float", "float32", "float", "jax.numpy.float32")
HALF_TYPES = ("torch.float16", "torch.half", "float16", "torch.bfloat16", "bfloat16")
MAKES_TRAINABLE = ("get_peft_model", "add_adapter", "PeftModel", "from_pretrained_with_adapter", "inject_adapter_in_model")


class Hub(Loading):
    def look_at_libraries(self):
        self.results_that_are_none()
        if {"accelerate", "lightning", "lightning_fabric"} & self.roots:
            self.loaders_left_out()
            self.one_gpu_for_all()
        if {"lightning", "pytorch_lightning"} & self.roots:
            self.trainers()
            self.number_for_a_count()
            for of in self.classes.values():
                self.outputs_of_each_epoch(of)
        if "transformers" in self.roots:
            self.on_the_cpu()
            self.loaded_wide()
            self.generated_without_a_cache()
            self.padded_twice()
            self.quantized_and_trained()
            self.quantized_and_cast()
            self.one_text_at_a_time()
            self.both_halves_of_settings()
            self.one_gpu_of_a_map()
            self.collated_on_the_gpu()
            self.mapping_of_a_chat()
            self.reported_to_none()
        if "diffusers" in self.roots:
            self.pipelines_on_the_cpu()
        if "peft" in self.roots:
            self.merged_for_nobody()
            self.checkpoints_behind_adapters()

    def named(self, node):
        """A kind of number or a device, as it is named: torch.float32, "float32", or a name for one of them."""
        if node is None:
            return ""
        made = self.origins.made(node)
        said = self.full(made)
        value = self.said(made)
        return said or (value if isinstance(value, str) else "")

    # ---- what works in place

    def results_that_are_none(self):
        """model = quantize_(model, Int8WeightOnlyConfig())"""
        for call in self.calls:
            by = self.parents.get(id(call))
            of = next((one for one in self.around(call) if isinstance(one, ast.FunctionDef)), None) if isinstance(by, ast.Return) else None
            taken = of is not None and next((one for one in self.calls if getattr(one.func, "id", "") == of.name and self.bound_to(one)), None)
            if taken and GIVES_NOTHING.match(self.full(call.func)):
                self.mistake(call, "a result that is None", self.bound_to(taken), other=taken, doubted=False)
            if not isinstance(by, ast.Assign) or not isinstance(by.targets[0], (ast.Name, ast.Attribute)):
                continue
            target = self.written(by.targets[0])
            of = call.func.value if isinstance(call.func, ast.Attribute) else None
            method = of is not None and call.func.attr in METHODS_WITHOUT_RESULT and self.written(of) == target and {
                "transformers", "peft"} & self.roots and not self.has_method(call.func.attr)
            if GIVES_NOTHING.match(self.full(call.func)) or method:
                self.mistake(call, "a result that is None", target, doubted=False)

    def number_for_a_count(self):
        """Trainer(devices=args.gpu_id): a number tells how many GPUs, and [args.gpu_id] would tell which."""
        for call in self.calls:
            if not re.match(r"(lightning|pytorch_lightning|lightning_fabric)\.(\w+\.)*(Trainer|Fabric)$", self.full(call.func)):
                continue
            given = self.word(call, "devices")
            inner = given.args[0] if isinstance(given, ast.Call) and getattr(given.func, "id", "") == "int" and len(given.args) == 1 else given
            name = inner.attr if isinstance(inner, ast.Attribute) else getattr(inner, "id", "")
            option = next(iter(self.origins.calls_of_option(name)), None) if isinstance(inner, ast.Attribute) else None
            words = {k.arg: k.value for k in option.keywords} if option is not None else {}
            number = getattr(words.get("type"), "id", "") == "int" or inner is not given or option is None and any(
                type(getattr(one, "value", None)) is int for one in self.origins.known(inner))
            tells = str(self.said(words.get("help"), "")) if "help" in words else ""
            by_name = re.match(r"(cuda_?)?(gpu|device|card|cuda)_?(id|idx|index|number|no|nr|ordinal)$|which_(gpu|card|device)$", name)
            by_help = re.match(r"(gpu|device|card|cuda)$", name) and re.search(
                r"\b(index|id|ordinal|which|card (number|to)|gpu (number|to))\b", tells, re.I)
            if number and (by_name or by_help) and not re.search(r"how many|number of|count", tells, re.I):
                self.mistake(given, "a GPU's number where their count is asked", "devices=%s" % self.written(given), self.written(given))

    def has_method(self, name):
        return any(of.name == name for of in self.functions)

    # ---- Accelerate and Fabric

    def prepared_in(self, scope):
        """What a scope prepares: the names of its accelerator, and all that prepare() and setup() were given."""
        own = self.own(scope)
        makers = {self.bound_to(one) for one in own if isinstance(one, ast.Call) and (
            self.full(one.func) in ("accelerate.Accelerator", "accelerate.accelerator.Accelerator") or FABRICS.match(self.full(one.func)))}
        calls = [one for one in own if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and re.match(
            r"prepare|setup", one.func.attr) and self.written(one.func.value) in makers - {""}]
        return calls, {self.written(a) for call in calls for a in call.args}

    def loaders_left_out(self):
        """model, optimizer = accelerator.prepare(model, optimizer); for x, y in loader: model(x)"""
        if self.says(r"prepare_data_loader|DataLoaderShard|split_batches|send_to_device|move_to_device|transfer_batch"):
            return
        for scope in self.functions:
            calls, given = self.prepared_in(scope)
            arguments = {one.arg for one in scope.args.args + scope.args.kwonlyargs}
            models = {self.written(one) for call in calls for one in call.args}
            for loop in (one for one in self.own(scope) if isinstance(one, ast.For) and calls):
                over = self.through(loop)
                name = getattr(over, "id", "")
                if name not in arguments - given or not re.search(r"load|batch|data", name) or not self.steps_in(loop):
                    continue
                text = self.reader.written_whole(loop)
                names = {one.id for one in ast.walk(loop.target) if isinstance(one, ast.Name)}
                takes = any(isinstance(one, ast.Call) and self.written(one.func) in models and any(
                    isinstance(n, ast.Name) and n.id in names for a in one.args + [k.value for k in one.keywords] for n in ast.walk(a))
                    for one in self.own(loop))
                stored = {one for statement in scope.body for one in self.tracing.stored(statement)}
                if takes and name not in stored and not re.search(r"\.(to|cuda)\(|device", text):
                    self.mistake(loop, "a loader that nobody prepared", name, self.written(calls[0].func.value) + (
                        ".prepare" if calls[0].func.attr == "prepare" else ".setup_dataloaders"), other=calls[0])

    def one_gpu_for_all(self):
        """torch.randn(64, 128, device="cuda:0") in a loop whose loss goes to accelerator.backward()"""
        if self.says(r"num_processes *= *1\b|devices *= *1\b|VISIBLE_DEVICES"):
            return
        prepared = [call for call in self.calls if getattr(call.func, "attr", "") in ("prepare", "setup") and re.match(
            r"(self\.)?(accelerator|fabric|acc)$", self.written(call.func.value))]
        for call in self.calls if prepared else ():
            said = self.word(call, "device") or (call.args[0] if getattr(call.func, "attr", "") in ("to", "cuda") and call.args else None)
            places = [one for one in self.origins.known(said) if self.said(one) != "cpu"] if said is not None else []
            said = places[0] if len(places) == 1 and isinstance(places[0], ast.Constant) else said
            number = getattr(call.func, "attr", "") == "cuda" and type(self.said(said)) is int
            if said is None or not (number or GPU_BY_NUMBER.match(str(self.said(said)))):
                continue
            if any(re.search(r"(accelerator|fabric|acc)\.backward\(", self.reader.written_whole(loop)) for loop in self.loops_around(call)):
                at = said if said.lineno == call.lineno else call  # DEVICE = "cuda:0" stands elsewhere
                self.mistake(at, "one GPU for all processes", self.written(said), self.written(prepared[0].func.value), other=call)

    def one_gpu_of_a_map(self):
        """from_pretrained(name, device_map={"": 0}), of a model that accelerator.prepare() takes."""
        if self.says(r"num_processes *= *1\b|VISIBLE_DEVICES"):
            return
        prepared = next((one for one in self.calls if getattr(one.func, "attr", "") == "prepare" and re.search(
            r"(^|[._])acc(elerator)?$", self.written(one.func.value)) and len(one.args) > 1), None)
        for call in self.calls if prepared is not None and self.says(r"\.backward\(") else ():
            given = self.word(call, "device_map") if getattr(call.func, "attr", "") == "from_pretrained" else None
            where = self.value_of(given) if given is not None else None
            if isinstance(where, ast.Dict) and len(where.keys) == 1 and self.said(where.keys[0]) == "" and re.match(
                    r"0$|cuda(:0)?$", str(self.said(where.values[0]))) and self.said(where.values[0]) is not False:
                self.mistake(given, "one GPU for all processes", self.written(given), self.written(prepared.func.value), other=prepared)

    # ---- Lightning

    def trainers(self):
        """Trainer(precision="16-true") or accelerator="cpu" beside a loader that pins its memory, and fit()"""
        pins = next((call for call, _ in getattr(self, "loaders", ()) if self.true(call, "pin_memory")), None)
        for call in (one for one in self.calls if TRAINERS.match(self.full(one.func)) or FABRICS.match(self.full(one.func))):
            name = self.full(call.func)
            bound, by = self.bound_to(call), self.parents.get(id(call))
            fits = getattr(by, "attr", "") == "fit" or bound and self.says(r"\b%s\.fit\(" % re.escape(bound)) and self.word(
                call, "fast_dev_run") is None
            fitted = TRAINERS.match(name) and fits or FABRICS.match(name) and self.trains
            precision, where = self.word(call, "precision"), self.word(call, "accelerator")
            profiler = self.word(call, "profiler")
            if TRAINERS.match(name) and fits and self.said(profiler) is True:
                self.mistake(profiler, "a truth value for a profiler", other=call, doubted=False)
            if fitted and self.said(precision) == "16-true" and not self.says(r"requires_grad_?\(?=? *\(?False|[pP]eft|LoRA|lora"):
                self.mistake(precision, "a training in pure half precision", self.written(precision), other=call)
            if fitted and self.said(where) == "cpu" and pins is not None and TRAINERS.match(name):
                self.mistake(where, "a processor beside memory that is pinned for a GPU", self.written(where), self.written(pins), other=pins)

    def outputs_of_each_epoch(self, of):
        """self.outputs.append(…) in validation_step, which nothing empties at the end of the epoch"""
        if not any(self.full(base).endswith("LightningModule") for base in of.bases):
            return
        text = self.reader.written_whole(of)
        for step in (one for one in of.body if isinstance(one, ast.FunctionDef) and one.name in ("training_step", "validation_step")):
            for call in calls_in(step.body):
                name = self.written(call.func.value) if getattr(call.func, "attr", "") in ("append", "extend") else ""
                if not re.match(r"self\.\w+$", name):
                    continue
                form = re.escape(name)
                emptied = re.search(r"%s\.clear\(|del %s\b|%s\[:\] *=|%s\.pop\(" % ((form,) * 4), text) or any(
                    name in self.tracing.stored(method) for method in of.body if isinstance(method, ast.FunctionDef) and
                    method.name not in ("__init__", "setup"))
                used = next((one for method in of.body if isinstance(method, ast.FunctionDef) and re.match(
                    r"on_(train|validation)_epoch_end$", method.name) for one in ast.walk(method) if isinstance(one, ast.Attribute) and
                             self.written(one) == name), None)
                if used is not None and not emptied and "deque" not in text:
                    self.mistake(call, "outputs that each epoch adds to", name, other=used)

    # ---- Transformers

    def collated_on_the_gpu(self):
        """Trainer(data_collator=collate), where collate moves the batch to the GPU: the Trainer's loader pins the host's memory."""
        if self.says(r"dataloader_pin_memory *= *False"):
            return
        of_name = {of.name: of for of in self.functions}
        for call in (one for one in self.calls if re.match(r"transformers\.(\w*Trainer)$", self.full(one.func))):
            collator = self.word(call, "data_collator")
            of = self.class_of(collator) or of_name.get(self.written(collator)) if collator is not None else None
            move = next((one for one in calls_in([of]) if getattr(one.func, "attr", "") in ("to", "cuda")), None) if of is not None else None
            if move is not None and self.says(r"['\"]cuda"):
                self.mistake(collator, "a collator that gives what can't be pinned", self.written(move), other=move)

    def pipelines_on_the_cpu(self):
        """pipe = DiffusionPipeline.from_pretrained(name, torch_dtype=torch.float16); pipe.to("cpu"); pipe(prompt)"""
        if self.says(r"\.cuda\(|['\"]cuda|device_map|enable_\w*offload|\.float\(\)|float32|bfloat16|is_available|['\"]mps"):
            return
        for call in self.calls:
            made = self.origins.made(call.func.value) if is_call(call, "to") and isinstance(call.func, ast.Attribute) and call.args else None
            if isinstance(made, ast.Call) and re.match(r"diffusers\.\w+\.from_pretrained$", self.full(made.func)) and self.said(
                    call.args[0]) == "cpu" and self.named(self.word(made, "torch_dtype", "dtype")) in ("torch.float16", "torch.half"):
                self.mistake(call, "half precision for the CPU", self.written(call.args[0]), other=made)

    def both_halves_of_settings(self):
        """TrainingArguments(**asdict(config)), whose fields ask for fp16 and bf16."""
        for call in self.calls:
            if re.match(r"transformers\.(\w*TrainingArguments)$", self.full(call.func)) and not any(
                    k.arg in ("fp16", "bf16") for k in call.keywords) and self.said(self.word(call, "fp16")) is True and self.said(
                        self.word(call, "bf16")) is True:
                self.reader.mistake(call, "two kinds of half precision", "fp16 with bf16")

    def on_the_cpu(self):
        """pipeline(…, device=-1, torch_dtype=torch.float16), or use_cpu=True beside model.to("cuda")."""
        for call in self.calls:
            name, where = self.full(call.func), self.word(call, "device")
            if name == "transformers.pipeline" and self.said(where) in (-1, "cpu") and self.named(
                    self.word(call, "torch_dtype", "dtype")) in ("torch.float16", "torch.half", "float16"):
                self.mistake(where, "half precision for the CPU", self.written(where), other=call)
            word = self.word(call, "use_cpu", "no_cuda")
            if name.endswith("TrainingArguments") and self.said(word) is True and (
                    self.true(call, "fp16") or self.true(call, "tf32") or self.says(r"\.cuda\(|\.to\(['\"]cuda|device_map *= *['\"]cuda")):
                name = next((k.arg for k in call.keywords if k.arg in ("use_cpu", "no_cuda")), "use_cpu")
                self.reader.mistake(word, "a trainer that is kept off the GPU", f"{name}=True", other=call, doubted=True)

    def loaded_wide(self):
        """from_pretrained(…, torch_dtype=torch.float32): for FlashAttention, or for a large model that only answers."""
        for call in self.calls:
            if getattr(call.func, "attr", "") == "from_pretrained" and self.full(call.func).startswith("transformers."):
                kind = self.word(call, "torch_dtype", "dtype")
                attention = self.word(call, "attn_implementation")
                flash = self.said(attention) in ("flash_attention_2", "flash_attention_3") or self.true(call, "use_flash_attention_2")
                wide = self.named(kind) in FLOAT32
                cast = self.says(r"autocast|\.half\(\)|\.bfloat16\(\)|mixed_precision|(fp16|bf16) *= *True|\.to\([^()]*float16")
                if wide and flash and not cast:
                    self.mistake(kind, "FlashAttention in float32", self.written(kind), other=call)
                path = self.said(call.args[0]) if call.args else None
                if wide and not flash and isinstance(path, str) and LARGE.search(path) and self.says(r"\.generate\(|inference_mode|no_grad") and \
                        self.says(r"['\"]cuda|\.cuda\(") and not self.trains and not cast and not self.says(
                            r"\bTrainer\(|float16|allclose|assert_close|reference|save_pretrained|merge"):
                    self.mistake(kind, "a large model in float32", path, other=call)
            elif self.full(call.func).endswith(".BitsAndBytesConfig") or self.full(call.func) == "transformers.BitsAndBytesConfig":
                kind = self.word(call, "bnb_4bit_compute_dtype")
                if self.named(kind) in FLOAT32 and self.true(call, "load_in_4bit") and not self.says(r"\.cc\b|capability|is_bf16_supported"):
                    self.mistake(kind, "four bits that compute in float32", self.written(kind), other=call)

    def generated_without_a_cache(self):
        """model.generate(…, max_new_tokens=512, use_cache=False)"""
        if self.trains or self.says(r"use_cache *= *True|(?<!_)Trainer\(|checkpointing|perf_counter|time\.time"):
            return
        for call in self.calls:
            word, count = self.word(call, "use_cache"), self.said(self.word(call, "max_new_tokens", "max_length"))
            if getattr(call.func, "attr", "") == "generate" and self.said(word) is False and type(count) is int and count >= 32:
                self.mistake(word, "a text that is computed again for each token", self.written(word), other=call)

    def mapping_of_a_chat(self):
        """ids = tokenizer.apply_chat_template(chat, return_tensors="pt"), and model.generate(ids): since transformers 5 it is a mapping."""
        pinned = self.reader.pinned_for("transformers.AutoTokenizer")
        if not self.says(r"apply_chat_template\(") or pinned and int(re.match(r"\d*", pinned).group() or 5) < 5 or self.says(
                r"\bvllm\b|BatchEncoding|Mapping\b|transformers\.__version__|isinstance\([^\n]*\bdict\b"):
            return
        for call in self.calls:
            if getattr(call.func, "attr", "") != "generate":
                continue
            given = self.given(call, 0, "inputs", "input_ids")
            made = self.origins.known(given) if isinstance(given, (ast.Name, ast.Attribute, ast.Call)) else []
            if made and all(self.is_mapping_of_chat(one) for one in made):
                self.reader.mistake(given, "a mapping where its ids are asked for", self.written(given), self.written(call.func), other=made[0],
                                    against="transformers 5.0.0")

    def reported_to_none(self):
        """TrainingArguments(report_to=None), or "wandb" if args.wandb else None: since transformers 5, None is looked up as a name."""
        pinned = self.reader.pinned_for("transformers.Trainer")
        if not self.says(r"report_to") or not self.says(r"Trainer\(") or pinned and int(re.match(r"\d*", pinned).group() or 5) < 5:
            return
        for call in self.calls:
            if re.match(r"transformers\.(\w+\.)*(Seq2Seq)?TrainingArguments$", self.full(call.func)):
                given = self.word(call, "report_to")
                parts = [given.body, given.orelse] if isinstance(given, ast.IfExp) else [given]
                if any(isinstance(one, ast.Constant) and one.value is None for one in parts):
                    self.reader.mistake(given, "a report to None", self.written(given), other=call, doubted=len(parts) > 1,
                                        against="transformers 5.24.0")

    def is_mapping_of_chat(self, call):
        while is_call(call, "to") or is_call(call, "cuda"):
            made = self.origins.known(call.func.value)
            call = made[0] if len(made) == 1 and made[0] is not call else None
        if not is_call(call, "apply_chat_template") or any(k.arg is None or k.arg == "return_dict" for k in call.keywords) or len(
                call.args) > 1 or self.said(self.word(call, "tokenize"), True) is not True or self.said(self.word(call, "return_tensors")) != "pt":
            return False
        by = self.origins.known(call.func.value)
        return bool(by) and all(isinstance(one, ast.Call) and re.match(r"transformers\.(\w+\.)*\w*Tokenizer(Fast)?\.from_pretrained$", self.full(
            one.func)) for one in by)

    def padded_twice(self):
        """tokenizer(…, padding="max_length") beside DataCollatorWithPadding, which then has nothing to pad"""
        collator = next((call for call in self.calls if re.match(r"transformers\.(\w+\.)*DataCollatorWithPadding$", self.full(call.func)) and
                         self.said(self.word(call, "padding")) in (None, True, "longest")), None)
        if collator is None or self.says(r"xla|tpu|TPU|static|torch\.compile|export\("):
            return
        found = [call for call in self.calls if self.said(self.word(call, "padding")) == "max_length" and re.search(
            r"tok", self.written(call.func))]
        if len(found) == 1:
            self.mistake(self.word(found[0], "padding"), "batches that are padded to the longest text of all", self.written(found[0].func),
                         other=collator)

    def quantized_and_trained(self):
        """Trainer(model=model).train(), of a model in four bits that has no adapters"""
        names = {getattr(call.func, "attr", getattr(call.func, "id", "")) for call in self.calls}
        if any(name in names for name in MAKES_TRAINABLE) or self.says(r"peft_config *=|PeftModel\.|FastLanguageModel|load_adapter"):
            return
        for call in self.calls:
            model = self.word(call, "model") or (call.args[0] if call.args else None)
            if not re.match(r"(transformers|trl)\.(\w+\.)*(Seq2Seq|SFT)?Trainer$", self.full(call.func)) or model is None or not self.says(
                    r"\.train\(") or any(k.arg is None for k in call.keywords):
                continue
            made = next((one for one in self.assigned.get(self.written(model), ()) if isinstance(one, ast.Call) and getattr(
                one.func, "attr", "") == "from_pretrained"), None)
            kind = self.origins.made(self.word(made, "quantization_config")) if made is not None and self.word(made, "quantization_config") else made
            if isinstance(kind, ast.Call) and (self.true(kind, "load_in_4bit") or self.true(kind, "load_in_8bit")):
                self.mistake(call, "a quantized model that is trained whole", self.written(model), other=made)

    def quantized_and_cast(self):
        """model.half(), of a model that each way quantizes: BitsAndBytesConfig in four bits here, in eight there."""
        for call in self.calls:
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("half", "float") or call.args or call.keywords or self.is_reported(
                    call):
                continue
            made = self.origins.of(call.func.value)
            if made and all(isinstance(one, ast.Call) and re.match(r"transformers\.\w+\.from_pretrained$", self.full(one.func)) for one in made) and all(
                    map(self.bits_of, made)):
                bits = sorted({each for one in made for each in self.bits_of(one)})
                self.mistake(call, "a move of a model that its library placed", "it is in %s bit" % " or ".join(bits), other=made[0])

    def bits_of(self, made):
        """The bits that a load quantizes to, each way; empty where one of them may not."""
        given = self.word(made, "quantization_config")
        kinds = self.origins.of(given) if given is not None else []
        bits = [next((bits for bits in "48" if isinstance(one, ast.Call) and self.full(one.func).endswith("BitsAndBytesConfig") and
                      self.true(one, "load_in_%sbit" % bits)), None) for one in kinds]
        return bits if all(bits) else []

    def one_text_at_a_time(self):
        """for text in texts: labels.append(classifier(text)), with a pipeline on the GPU"""
        for made in self.calls:
            name = self.bound_to(made)
            where = self.word(made, "device", "device_map")
            task = self.said(made.args[0] if made.args else self.word(made, "task"))
            if self.full(made.func) not in ("transformers.pipeline", "transformers.pipelines.pipeline") or not name or where is None or \
                    self.said(where) in (-1, "cpu", "mps", None) and isinstance(where, ast.Constant) or not AT_ONCE.match(str(task)):
                continue
            for loop in (one for one in self.nodes if isinstance(one, (ast.For, ast.ListComp))):
                head = loop if isinstance(loop, ast.For) else loop.generators[0]
                over = self.through(head)
                each = head.target.elts[-1] if isinstance(head.target, ast.Tuple) and over is not head.iter else head.target
                values = self.origins.made(over)
                few = isinstance(values, (ast.List, ast.Tuple)) and len(values.elts) < 16
                if not isinstance(each, ast.Name) or few or re.search(r"batch|chunk|split|stream|queue|range\(|stdin|KeyDataset|sizes", self.written(
                        head.iter) + each.id) or isinstance(over, ast.Call) and self.written(over.func) == name:
                    continue
                inside = loop.body if isinstance(loop, ast.For) else [loop.elt]
                call = next((one for one in calls_in(inside) if self.written(one.func) == name and one.args and getattr(
                    one.args[0], "id", "") == each.id), None)
                stops = any(isinstance(one, (ast.Break, ast.Return, ast.Yield)) for part in inside for one in ast.walk(part))
                if call is not None and not stops and not self.says(r"perf_counter|time\.time\("):
                    return self.mistake(call, "a pipeline that is given one text at a time", name, other=made)
        return None

    # ---- PEFT

    def merged_for_nobody(self):
        """model.merge_and_unload(), as a statement: the merged model is what it gives back"""
        for call in self.calls:
            if getattr(call.func, "attr", "") not in ("merge_and_unload", "unload") or not isinstance(self.parents.get(id(call)), ast.Expr):
                continue
            name = self.written(call.func.value)
            later = next((one for one in self.calls if one.lineno > call.lineno and (
                self.written(one.func) == name or isinstance(one.func, ast.Attribute) and self.written(one.func.value) == name and
                one.func.attr in ("save_pretrained", "generate", "push_to_hub", "to", "eval", "state_dict"))), None)
            if later is not None:
                self.mistake(call, "a merged model that nobody takes", name, self.written(later), other=later)

    def checkpoints_behind_adapters(self):
        """model = get_peft_model(model, config); model.gradient_checkpointing_enable({"use_reentrant": True})"""
        if not self.trains or self.says(r"enable_input_require_grads|prepare_model_for_kbit_training|Trainer\(|requires_grad_\(True|"
                                        r"register_(full_)?forward_(pre_)?hook|modules_to_save"):
            return
        made = next((call for call in self.calls if self.full(call.func) == "peft.get_peft_model"), None)
        for call in self.calls if made is not None else ():
            if getattr(call.func, "attr", "") == "gradient_checkpointing_enable" and call.lineno > made.lineno and re.search(
                    r"use_reentrant['\"]: True", self.written(call)) and not self.apart(self.nodes, made, call):
                self.mistake(call, "checkpoints that no adapter learns through", other=made)
