"""Models of Transformers, PEFT and TRL that are trained further, and their tokenizers; for the reader of scripts."""

TRAINERS_OF_TEXT = re.compile(r"transformers\.(Seq2Seq)?Trainer$")
SETTINGS_OF_TRAINERS = re.compile(r"(transformers\.(Seq2Seq)?TrainingArguments|trl\.\w+Config)$")
TOKENIZERS_LOADED = re.compile(r"transformers\.(\w+\.)*\w+Tokenizer(Fast)?\.from_pretrained$")
MODELS_LOADED = re.compile(r"transformers\.(\w+\.)*\w+\.from_pretrained$")
CLASSIFIERS_LOADED = re.compile(r"transformers\.(\w+\.)*\w+For(Sequence|Token)Classification\.from_pretrained$")
WRITERS_LOADED = re.compile(r"transformers\.(\w+\.)*(AutoModelForCausalLM|\w+LMHeadModel|\w+ForCausalLM)\.from_pretrained$")
SEQ2SEQ_LOADED = re.compile(r"transformers\.(\w+\.)*(AutoModelForSeq2SeqLM|M?T5ForConditionalGeneration|M?BartForConditionalGeneration|PegasusForConditionalGeneration|"
                            r"MarianMTModel|M2M100ForConditionalGeneration|LEDForConditionalGeneration)\.from_pretrained$")
OF_DATASETS = re.compile(r"datasets\.(load_dataset|load_from_disk|Dataset\.from_\w+|concatenate_datasets|interleave_datasets)$")
GIVES_A_NEW_DATASET = ("map filter shuffle select rename_column rename_columns remove_columns cast_column with_format with_transform train_test_split "
                       "sort select_columns add_column class_encode_column flatten").split()
ASKS_FOR_CLASSES = ("accuracy", "f1", "precision", "recall", "matthews_correlation", "confusion_matrix")
WITHOUT_PADDING = re.compile(r"(openai-community/)?gpt2(-medium|-large|-xl)?$|(distilbert/)?distilgpt2$|EleutherAI/gpt-(neo-\w+|j-6[bB])$|meta-llama/Llama-2-\d+b(-chat)?-hf$|"
                             r"microsoft/DialoGPT-\w+$|mistralai/Mistral-7B-v0\.1$")
PADS_ON_THE_RIGHT = re.compile(r"(openai-community/)?gpt2(-medium|-large|-xl)?$|(distilbert/)?distilgpt2$|EleutherAI/gpt-(neo-\w+|j-6[bB])$|facebook/opt-\w+\.?\w*$|microsoft/DialoGPT-\w+$")
NO_ID_TO_SPARE = re.compile(r"(google-bert/)?bert-(base|large)-(un)?cased$|(FacebookAI/)?roberta-(base|large)$|(distilbert/)?distilbert-base-(un)?cased$|(openai-community/)?gpt2(-medium|"
                            r"-large|-xl)?$|(distilbert/)?distilgpt2$|(FacebookAI/)?xlm-roberta-(base|large)$|meta-llama/(Meta-)?Llama-\S+$")
WITH_DROPOUT = re.compile(r"(openai-community/)?gpt2(-medium|-large|-xl)?$|(distilbert/)?distilgpt2$|EleutherAI/gpt-neo-\w+$|(google(-t5)?/)?(flan-|m)?t5-\w+$|facebook/(opt|bart)-\w+$|"
                          r"microsoft/DialoGPT-\w+$")
BEGINS_ITSELF = re.compile(r"(?i)llama-?[23]|mistral|gemma")
UNTAUGHT = re.compile(r"(?:[\w-]+/)?(?:bert-(?:base|large|tiny|mini|small|medium)[\w-]*|(?:distil|xlm-)?roberta-(?:base|large)|distilbert-base-(?:un)?cased|"
                      r"distilbert-base-multilingual-cased|deberta(?:-v3)?-(?:xsmall|small|base|large)|albert-\w+-v[12]|electra-(?:small|base|large)-discriminator|MiniLM-L\d+-H\d+-uncased)$")
COUNTS_OF_CLASSES = {"emotion": 6, "dair-ai/emotion": 6, "ag_news": 4, "fancyzhx/ag_news": 4, "yelp_review_full": 5, "Yelp/yelp_review_full": 5, "dbpedia_14": 14,
                     "fancyzhx/dbpedia_14": 14, "banking77": 77, "PolyAI/banking77": 77, "SetFit/20_newsgroups": 20, "SetFit/sst5": 5, "snli": 3, "stanfordnlp/snli": 3}
# Columns that no model's forward() names.
COLUMNS_OF_NO_MODEL = frozenset("text sentence sentence1 sentence2 image img audio question answer prompt caption content document summary premise hypothesis "
                                "title body review file path messages image_path file_name translation transcript response instruction".split())
OF_ATTENTION = (
    (re.compile(r"(?i)(\w|-)*/?(distil|dialo)?gpt-?2?(-medium|-large|-xl|-small)?$"), "c_attn c_proj c_fc"),
    (re.compile(r"(?i)([\w-]+/)?((xlm-)?roberta|bert|electra)-(base|large|small)[\w-]*$"), "query key value dense"),
    (re.compile(r"(?i)([\w-]+/)?distilbert-[\w-]+$"), "q_lin k_lin v_lin out_lin lin1 lin2"),
    (re.compile(r"(?i)([\w-]+/)?(flan-|m|google/)*t5-(v1_1-)?(small|base|large|xl|xxl|3b|11b)$"), "q k v o wi wo wi_0 wi_1"),
    (re.compile(r"(?i)(meta-llama|mistralai|qwen|huggingfacetb|tinyllama)/[\w.-]+$"), "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj"),
    (re.compile(r"(?i)facebook/opt-[\w.]+$"), "q_proj k_proj v_proj out_proj fc1 fc2"),
    (re.compile(r"(?i)(bigscience/bloomz?-\w+|eleutherai/pythia-[\w.-]+|eleutherai/gpt-neox-20b|tiiuae/falcon-\w+)$"),
     "query_key_value dense dense_h_to_4h dense_4h_to_h"))
ALL_OF_ATTENTION = frozenset(" ".join(names for _, names in OF_ATTENTION).split())


class Finetuning(Learning):
    def look(self, nodes):
        if self.reader.other_form:
            return
        self.nodes, self.parents, self.calls = nodes, self.tracing.index.parents, self.tracing.index.calls
        roots = {name.split(".")[0] for name in self.tracing.names.values()}
        if "transformers" in roots:
            self.masked_for_causal()
        if "datasets" in roots:
            self.datasets_dropped()
        if "trl" in roots:
            self.columns_of_preferences()
        if "peft" in roots:
            self.targets_of_another_model()
            self.adapters_for_use_alone()
            self.heads_that_stay_frozen()
        if "transformers" in roots:
            if self.says(r"compute_loss"):
                self.losses_that_take_too_little()
            if self.says(r"\.generate\("):
                self.written_as_it_trains()
            if self.says(r"encode_plus\("):
                self.encoders_of_before()
            self.settings_of_the_best()
            self.scores_for_classes()
            self.columns_that_are_removed()
            self.tokens_without_a_row()
            self.two_classes_of_more()
            if self.says(r"padding|pad_token|Collator"):
                self.padding_without_a_token()
                self.padded_on_the_right()
                self.padding_that_is_learned()
            if self.says(r"apply_chat_template"):
                self.begun_twice()

    def encoders_of_before(self):
        """self.tokenizer.encode_plus(text), of a dataset that is given its tokenizer: what runs it doesn't stand in the file."""
        for call in self.calls:
            tried = any(isinstance(one, ast.Try) or isinstance(one, ast.If) and "hasattr" in self.written(one.test) for one in self.origins.around(call))
            if (is_call(call, "encode_plus") or is_call(call, "batch_encode_plus")) and not tried and self.made_by(call.func.value, TOKENIZERS_LOADED):
                self.reader.removed.name(call, "transformers.PreTrainedTokenizerBase." + call.func.attr)

    def losses_that_take_too_little(self):
        """def compute_loss(self, model, inputs, return_outputs=False), of a Trainer, which gives it the number of the tokens as well"""
        if self.says(r"def (training_step|prediction_step)\b|model_accepts_loss_kwargs"):
            return
        found = []
        for of in self.tracing.index.classes:
            if any(TRAINERS_OF_TEXT.match(self.full(base)) for base in of.bases):
                found += [(one, one) for one in of.body if isinstance(one, ast.FunctionDef) and one.name == "compute_loss" and not one.decorator_list]
        for one in self.nodes:  # trainer.compute_loss = compute_loss
            target = one.targets[0] if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Attribute) else None
            if target is not None and target.attr == "compute_loss" and self.of_form(target.value, TRAINERS_OF_TEXT) is not None:
                own = self.origins.functions_of(one.value)
                found += [(one, of) for of in own if len(own) == 1 and isinstance(of, (ast.FunctionDef, ast.Lambda)) and not getattr(of, "decorator_list", ())]
        for at, of in found:
            names = [each.arg for each in of.args.args + of.args.kwonlyargs]
            if of.args.kwarg is None and "num_items_in_batch" not in names:
                self.mistake(at, "a loss of a trainer that takes too little", "compute_loss(%s)" % self.written(of.args), other=of if at is not of else None)

    def written_as_it_trains(self):
        """trainer.train(); model.generate(**inputs), and nothing calls eval(): the trainer leaves the model as it trains."""
        if self.says(r"eval\b(?!_)|evaluate|\.predict\(|\.train\((False|mode)|dropout|pdrop|load_best_model|eval_on_start|do_eval|callbacks"
                     r"|eval(uation)?_strategy *= *(?![\"']no[\"'])"):
            return
        for call in self.calls:
            statement = self.parents.get(id(call))
            made = self.of_form(call.func.value, TRAINERS_OF_TEXT) if is_call(call, "train") and isinstance(statement, ast.Expr) else None
            model = self.given(made, 0, "model") if made is not None else None
            loaded = self.of_form(model, MODELS_LOADED) if isinstance(model, ast.Name) else None
            if loaded is None or not WITH_DROPOUT.match(self.name_loaded(loaded)) or not self.all_known(loaded):
                continue
            block = self.origins.block_of(statement)
            behind = block[next((i for i, one in enumerate(block) if one is statement), len(block)) + 1:]
            used = self.generated_in(behind, model.id)
            if used is not None:
                self.mistake(used, "a model that is asked as it trains", model.id, self.written(call), other=call)
                return

    def generated_in(self, block, model):
        """The first call that lets a model write, in these statements or in a function of the file that is given it; None where the name is bound anew."""
        if any(isinstance(one, ast.Name) and one.id == model and not isinstance(one.ctx, ast.Load) for part in block for one in ast.walk(part)):
            return None
        for call in calls_in(block):
            if self.written(call.func) == model + ".generate":
                return call
            of = next((one for one in self.nodes if isinstance(one, ast.FunctionDef) and one.name == self.written(call.func)), None)
            given = [one.arg for one, value in zip(self.origins.parameters(of), call.args) if getattr(value, "id", "") == model] if of is not None else []
            if given and any(self.written(one.func) == given[0] + ".generate" for one in calls_in(of.body)):
                return call
        return None

    def of_form(self, node, form):
        """The call of this form that a value surely comes from, also through wrappers; None: another, or not known."""
        made = self.made_by(node, form, surely=True) if node is not None else None
        return made if isinstance(made, ast.Call) and form.match(self.full(made.func)) else None

    def name_loaded(self, call):
        """The name of what from_pretrained() loads, as the file writes it."""
        name = self.said(self.given(call, 0, "pretrained_model_name_or_path")) if call is not None else None
        return name if isinstance(name, str) else ""

    def all_known(self, call):
        """Whether no **settings of a call are hidden."""
        given = [self.value_of(k.value) for k in call.keywords if k.arg is None]
        return all(isinstance(one, ast.Dict) and None not in one.keys or getattr(getattr(one, "func", None), "id", "") == "dict" and not one.args for one in given)

    # ---- datasets

    def datasets_dropped(self):
        """data.map(tokenize, batched=True), as a statement: a new dataset comes of it."""
        for call in self.calls:
            statement = self.parents.get(id(call))
            if not isinstance(statement, ast.Expr) or not isinstance(call.func, ast.Attribute) or call.func.attr not in GIVES_A_NEW_DATASET:
                continue
            if not self.is_dataset(call.func.value, 4) or self.is_reported(call):
                continue
            # A function that gives nothing back is there for what it does with each row.
            of = next(iter(self.origins.functions_of(call.args[0])), None) if call.args and call.func.attr in ("map", "filter") else None
            gives = isinstance(of, ast.Lambda) and not re.search(r"print|append|write|update|add\(", self.written(of.body)) or isinstance(of, ast.FunctionDef) and any(
                isinstance(one, ast.Return) and one.value is not None for one in ast.walk(of)) and not re.search(r"append|write|save|print|update\(", self.reader.written_whole(of))
            if gives or call.func.attr not in ("map", "filter"):
                self.mistake(call, "a dataset that is dropped", self.written(call.func))

    def is_dataset(self, node, deepest):
        values = self.origins.of(node)
        return deepest > 0 and bool(values) and all(isinstance(one, ast.Call) and (OF_DATASETS.match(self.full(one.func)) or isinstance(
            one.func, ast.Attribute) and not self.full(one.func) and one.func.attr in GIVES_A_NEW_DATASET and self.is_dataset(one.func.value, deepest - 1)) for one in values)

    def columns_of_preferences(self):
        """DPOTrainer(train_dataset=Dataset.from_list([{"prompt": …, "good": …, "bad": …}])): it reads "chosen" and "rejected"."""
        trainer = next((one for one in self.calls if re.match(r"trl\.(\w+\.)*(DPO|ORPO|CPO)Trainer$", self.full(one.func))), None)
        if trainer is None or self.says(r"chosen|rejected") or not self.says(r"Dataset\.from_(list|dict|generator)\("):
            return
        for one in self.nodes:
            keys = [self.said(key) for key in one.keys if key is not None] if isinstance(one, ast.Dict) else []
            if "prompt" in keys and len(keys) >= 3 and all(isinstance(key, str) for key in keys):
                self.mistake(one, "columns that preferences lack", ", ".join(keys), self.written(trainer.func), other=trainer)

    # ---- adapters

    def targets_of_another_model(self):
        """LoraConfig(target_modules=["q_proj", "v_proj"]) for GPT-2, whose layers have other names"""
        for call in (one for one in self.calls if self.full(one.func) in ("peft.get_peft_model", "peft.mapping.get_peft_model")):
            loaded = self.of_form(self.given(call, 0, "model"), MODELS_LOADED)
            config = self.of_form(self.given(call, 1, "peft_config"), re.compile(r"peft\.(\w+\.)*(LoraConfig|AdaLoraConfig)$"))
            targets = self.word(config, "target_modules") if loaded is not None and config is not None else None
            targets = self.value_of(targets) if targets is not None else None
            words = [self.said(one) for one in targets.elts] if isinstance(targets, (ast.List, ast.Tuple, ast.Set)) else []
            own = next((names for form, names in OF_ATTENTION if form.match(self.name_loaded(loaded))), "").split() if words else []
            if own and all(isinstance(word, str) and word.rsplit(".", 1)[-1] in ALL_OF_ATTENTION.difference(own) for word in words):
                at = targets if hasattr(targets, "lineno") else config
                self.mistake(at, "adapters for layers of another model", self.name_loaded(loaded), ", ".join(own), other=call, doubted=False)

    def adapters_for_use_alone(self):
        """model = PeftModel.from_pretrained(base, path), which freezes the adapters, and an optimizer or trainer of its parameters"""
        if self.says(r"is_trainable|requires_grad|merge_and_unload|unload\(|add_adapter|set_adapter|enable_adapter|load_adapter"):
            return
        form = re.compile(r"peft\.(\w+\.)*(PeftModel\w*|AutoPeftModel\w*)\.from_pretrained$")
        for call in self.calls:
            if TRAINERS_OF_TEXT.match(self.full(call.func)) and self.says(r"\.train\("):
                model = self.given(call, 0, "model")
            elif OPTIMIZERS_AT_ALL.match(self.full(call.func)) and self.says(r"backward\("):
                given = self.given(call, 0, "params")
                model = given.func.value if is_call(given, "parameters") else None
            else:
                continue
            made = self.of_form(model, form)
            if made is not None and self.all_known(made) and len(made.args) < 4:
                self.mistake(made, "adapters that are loaded for use alone", self.written(model), self.written(call.func), other=call)

    def heads_that_stay_frozen(self):
        """get_peft_model(AutoModelForSequenceClassification…, LoraConfig(target_modules=…)) with no task_type: the new head is frozen"""
        if self.says(r"modules_to_save|requires_grad|\.classifier\b|\.score\b"):
            return
        for call in (one for one in self.calls if self.full(one.func) in ("peft.get_peft_model", "peft.mapping.get_peft_model")):
            loaded = self.of_form(self.given(call, 0, "model"), CLASSIFIERS_LOADED)
            config = self.of_form(self.given(call, 1, "peft_config"), re.compile(r"peft\.(\w+\.)*(LoraConfig|AdaLoraConfig|IA3Config)$"))
            if loaded is None or config is None or config.args or not self.all_known(config) or not UNTAUGHT.match(self.name_loaded(loaded)) and self.word(
                    loaded, "num_labels") is None:
                continue
            task, targets = self.word(config, "task_type"), self.word(config, "target_modules")
            kind = task.attr if isinstance(task, ast.Attribute) else self.said(task)
            if (task is None or kind in ("CAUSAL_LM", "FEATURE_EXTRACTION", "SEQ_2_SEQ_LM")) and "linear" not in self.written(targets or call) and "classif" not in self.written(
                    targets or call):
                self.mistake(config, "a new head that stays frozen", self.written(loaded.func), other=loaded)

    # ---- settings of trainers

    def word_of(self, call, *names):
        """A text among settings, also as a member of an enumeration, in small letters; "?": not known."""
        given = self.word(call, *names)
        if given is None:
            return ""
        value = self.said(given)
        return str(value).lower() if value is not None else given.attr.lower() if isinstance(given, ast.Attribute) and given.attr.isupper() else "?"

    def settings_of_the_best(self):
        """TrainingArguments(load_best_model_at_end=True, eval_strategy="epoch", save_strategy="steps"), and the best by the wrong end"""
        for call in (one for one in self.calls if SETTINGS_OF_TRAINERS.match(self.full(one.func)) and self.all_known(one)):
            best = self.word(call, "load_best_model_at_end")
            metric, greater = self.said(self.word(call, "metric_for_best_model")), self.word(call, "greater_is_better")
            said = self.said(greater)
            if isinstance(metric, str) and said is not None:
                wrong = said is True and re.search(r"(?i)(^|_)(loss|perplexity|ppl|wer|cer|rmse|mse|mae)$", metric) or said is False and re.search(
                    r"(?i)(^|_)(acc|accuracy|f1|auc|roc_auc|bleu|rouge\w*|precision|recall|map|iou|dice)$", metric)
                if wrong:
                    self.mistake(greater, "a best model by the wrong end", metric, "greatest" if said is True else "smallest")
            if self.said(best) is not True or self.says(r"\.(eval_strategy|evaluation_strategy|save_strategy|load_best_model_at_end) *="):
                continue
            judges = self.word_of(call, "eval_strategy", "evaluation_strategy") or "no"
            saves = self.word_of(call, "save_strategy") or "steps"
            if "?" in (judges, saves) or saves == "best" or len(call.args) > 3:
                continue
            if judges != saves:
                self.mistake(best, "a best model of what is not judged", judges, saves, doubted=False)
                continue
            every = [self.said(self.word(call, name)) for name in ("save_steps", "eval_steps")]
            if judges == "steps" and all(type(one) is int and one > 0 for one in every) and every[0] % every[1]:
                self.mistake(best, "a best model of other steps", str(every[0]), str(every[1]), doubted=False)

    def trainers_given(self):
        return [one for one in self.calls if TRAINERS_OF_TEXT.match(self.full(one.func))]

    def scores_for_classes(self):
        """compute_metrics(p): logits, labels = p; return accuracy.compute(predictions=logits, references=labels)"""
        if self.says(r"preprocess_logits_for_metrics|predict_with_generate"):
            return
        for trainer in self.trainers_given():
            given = self.word(trainer, "compute_metrics")
            of = next(iter(self.origins.functions_of(given)), None) if given is not None else None
            if not isinstance(of, (ast.FunctionDef, ast.Lambda)) or len(of.args.args) != 1:
                continue
            name = of.args.args[0].arg
            stores = [one for one in ast.walk(of) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)]
            raw = {name + ".predictions", name + "[0]"} if all(one.id != name for one in stores) else set()
            for one in ast.walk(of):
                if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Tuple) and one.targets[0].elts and self.written(one.value) in (
                        name, "%s.predictions, %s.label_ids" % (name, name), "(%s.predictions, %s.label_ids)" % (name, name)):
                    raw.add(self.written(one.targets[0].elts[0]))
                elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name) and self.written(one.value) in (name + ".predictions", name + "[0]"):
                    raw.add(one.targets[0].id)
            raw = {one for one in raw if sum(each.id == one for each in stores) <= 1}
            for call in (one for one in ast.walk(of) if isinstance(one, ast.Call)):
                scores = None
                if is_call(call, "compute") and self.asks_for_classes(call.func.value):
                    scores = self.given(call, 0, "predictions")
                elif CLASSES_ARE_JUDGED.match(self.full(call.func)):
                    scores = self.given(call, 1, "y_pred")
                if scores is not None and self.written(scores) in raw:
                    self.mistake(call, "scores where classes are asked", self.written(scores), other=trainer)

    def asks_for_classes(self, node):
        made = self.made_by(node, "evaluate.load", "datasets.load_metric", surely=True)
        return made is not None and self.said(self.given(made, 0, "path")) in ASKS_FOR_CLASSES

    def columns_that_are_removed(self):
        """Trainer(data_collator=collate), where collate reads item["text"], which the Trainer has removed by then"""
        if self.says(r"remove_unused_columns|def get_train_dataloader|_signature_columns|set_signature"):
            return
        for trainer in self.trainers_given():
            collator, model = self.word(trainer, "data_collator"), self.given(trainer, 0, "model")
            settings = self.of_form(self.given(trainer, 1, "args"), SETTINGS_OF_TRAINERS)
            if collator is None or settings is None or not self.all_known(settings) or self.of_form(model, MODELS_LOADED) is None:
                continue
            of = next(iter(self.origins.functions_of(collator)), None)
            if isinstance(of, ast.ClassDef) or of is None:
                made = self.value_of(collator)
                of = next((one for one in self.origins.functions_of(made.func) if isinstance(one, ast.ClassDef)), None) if isinstance(made, ast.Call) else of
                of = next((one for one in of.body if getattr(one, "name", "") == "__call__"), None) if isinstance(of, ast.ClassDef) else None
            batch = of.args.args[-1].arg if isinstance(of, (ast.FunctionDef, ast.Lambda)) and of.args.args else None
            for one in ast.walk(of) if batch else ():
                if isinstance(one, ast.comprehension) and self.written(one.iter) == batch and isinstance(one.target, ast.Name) or isinstance(
                        one, ast.For) and self.written(one.iter) == batch and isinstance(one.target, ast.Name):
                    read = next((each for each in ast.walk(of) if isinstance(each, ast.Subscript) and self.written(each.value) == one.target.id and isinstance(
                        each.ctx, ast.Load) and self.said(each.slice) in COLUMNS_OF_NO_MODEL), None)
                    if read is not None:
                        self.mistake(trainer, "a column that the Trainer removes", self.written(read), other=read)
                        break

    # ---- tokenizers

    def tokenizer_of(self, node):
        """The call that loads what a node names; a parameter is followed where one call gives it."""
        return self.of_form(node, TOKENIZERS_LOADED) if isinstance(node, (ast.Name, ast.Attribute)) else None

    def pads(self, call):
        given = self.word(call, "padding")
        return self.said(given) in (True, "longest", "max_length") and given is not None

    def padding_without_a_token(self):
        """GPT2Tokenizer.from_pretrained("gpt2")(texts, padding=True): it has no token to pad with"""
        if self.says(r"(?<!\w)pad_token(?!_id)|pad_token_id *=(?!=) *(?!\w+\.eos|tok)|\.pad_token_id *=(?!=)|setup_chat_format|add_special_tokens\(|unsloth|get_chat_template"):
            return
        for call in self.calls:
            name = self.full(call.func)
            if name in ("transformers.DataCollatorWithPadding", "transformers.DataCollatorForLanguageModeling") and (
                    name.endswith("Padding") or not self.says(r"group_texts|block_size|return_overflowing")):
                tokenizer = self.given(call, 0, "tokenizer")
            elif self.pads(call):
                tokenizer = call.func.value if isinstance(call.func, ast.Attribute) and call.func.attr in ("pad", "batch_encode_plus", "encode_plus", "encode") else call.func
            else:
                continue
            loaded = self.tokenizer_of(tokenizer)
            if loaded is not None and WITHOUT_PADDING.match(self.name_loaded(loaded)) and self.word(loaded, "pad_token") is None:
                self.mistake(call, "padding without its token", self.name_loaded(loaded), other=loaded)

    def padded_on_the_right(self):
        """tokenizer(prompts, padding=True) and model.generate(), of a model that goes on behind the last token"""
        if self.says(r"['\"]left['\"]"):
            return
        for call in self.calls:
            if not is_call(call, "generate") or self.of_form(call.func.value, WRITERS_LOADED) is None:
                continue
            made = next((one for given in [*call.args[:1], *[k.value for k in call.keywords if k.arg in (None, "input_ids", "inputs")]] for one in self.sources_behind(given, 4)), None)
            if made is None or self.said(self.word(made, "padding")) not in (True, "longest", "max_length") or not made.args or not self.are_many(made.args[0]):
                continue
            loaded = self.tokenizer_of(made.func)
            side = self.said(self.word(loaded, "padding_side")) if loaded is not None else None
            if loaded is not None and (side == "right" or side is None and (PADS_ON_THE_RIGHT.match(self.name_loaded(loaded)) or self.says(
                    r"padding_side *= *['\"]right"))):
                self.mistake(made, "prompts that are padded on the right", self.written(call.func), other=call)

    def sources_behind(self, node, deepest):
        """The tokenizer's calls that a value comes from, also as encoded["input_ids"] and encoded.to("cuda")."""
        while isinstance(node, (ast.Subscript, ast.Attribute)) or is_call(node, "to") or is_call(node, "cuda"):
            if isinstance(node, ast.Attribute) and node.attr not in ("input_ids", "data"):
                break
            node = node.func.value if isinstance(node, ast.Call) else node.value
        for one in self.origins.of(node, True) if deepest and node is not None else ():
            if isinstance(one, ast.Call) and self.tokenizer_of(one.func) is not None:
                yield one
            elif one is not node and isinstance(one, (ast.Subscript, ast.Attribute)) or is_call(one, "to"):
                yield from self.sources_behind(one, deepest - 1)

    def are_many(self, node):
        """Whether what a tokenizer is given is surely a list of texts."""
        values = self.origins.known(node)
        plain = re.search(r"(?i)(prompts|texts|batch|sentences|questions|chunk|queries)$", self.written(node)) is not None
        return plain and all(not isinstance(one, (ast.Constant, ast.JoinedStr)) for one in values) or any(isinstance(
            one, (ast.ListComp, ast.List)) and len(getattr(one, "elts", (1, 2))) > 1 or isinstance(one, ast.Subscript) and isinstance(one.slice, ast.Slice) for one in values)

    def padding_that_is_learned(self):
        """inputs["labels"] = tokenizer(targets, padding="max_length")["input_ids"]: only -100 is left out of the loss"""
        if self.says(r"-100|ignore_index|label_pad_token|pad_token_id|predict_only") or not any(SEQ2SEQ_LOADED.match(self.full(one.func)) for one in self.calls):
            return
        for one in self.nodes:
            if isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Subscript) and self.said(one.targets[0].slice) == "labels":
                value, at = one.value, one
            elif isinstance(one, ast.Dict):
                place = next((i for i, key in enumerate(one.keys) if key is not None and self.said(key) == "labels"), None)
                value = at = one.values[place] if place is not None else None
            else:
                continue
            while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("squeeze", "flatten", "clone", "copy") or isinstance(
                    value, ast.Subscript) and self.said(value.slice) == 0:
                value = value.func.value if isinstance(value, ast.Call) else value.value
            ids = isinstance(value, ast.Subscript) and self.said(value.slice) == "input_ids" or isinstance(value, ast.Attribute) and value.attr == "input_ids"
            made = self.value_of(value.value) if ids else None
            if isinstance(made, ast.Call) and self.said(self.word(made, "padding")) == "max_length" and self.tokenizer_of(made.func) is not None:
                self.mistake(at, "labels that hold padding", self.written(made), other=made)

    def begun_twice(self):
        """text = tokenizer.apply_chat_template(messages, tokenize=False); tokenizer(text): both begin with the first token"""
        if self.says(r"add_special_tokens|add_bos_token|bos_token|removeprefix"):
            return
        for call in self.calls:
            loaded = self.tokenizer_of(call.func) if call.args else None
            if loaded is None or not BEGINS_ITSELF.search(self.name_loaded(loaded)):
                continue
            given = self.value_of(call.args[0])
            given = self.value_of(given.elts[0]) if isinstance(given, (ast.List, ast.Tuple)) and given.elts else given
            if is_call(given, "apply_chat_template") and self.said(self.word(given, "tokenize")) is False:
                self.mistake(call, "a first token that comes twice", self.written(given.func), other=given)

    def tokens_without_a_row(self):
        """tokenizer.add_tokens(["[NEW]"]) and no model.resize_token_embeddings(len(tokenizer))"""
        if self.says(r"resize_|setup_chat_format|vocab_size|embeddings\b.*weight|set_input_embeddings|len\(\w*tok\w*\)|config *=|unsloth"):
            return
        trains = next((one for one in self.calls if TRAINERS_OF_TEXT.match(self.full(one.func)) or is_call(one, "backward")), None)
        model = next((one for one in self.calls if MODELS_LOADED.match(self.full(one.func)) and not TOKENIZERS_LOADED.match(self.full(one.func)) and NO_ID_TO_SPARE.match(
            self.name_loaded(one))), None)
        for call in self.calls if trains is not None and model is not None else ():
            if not isinstance(call.func, ast.Attribute) or call.func.attr not in ("add_tokens", "add_special_tokens") or not call.args:
                continue
            loaded = self.tokenizer_of(call.func.value)
            given = self.value_of(call.args[0])
            if isinstance(given, ast.Dict):
                given = next((self.value_of(value) for key, value in zip(given.keys, given.values) if self.said(key) == "additional_special_tokens"), None)
            texts = [self.said(one) for one in given.elts] if isinstance(given, (ast.List, ast.Tuple)) else [self.said(given)]
            if loaded is not None and texts and all(isinstance(one, str) and one not in ("[PAD]", "[MASK]", "[CLS]", "[SEP]", "[UNK]", "<pad>", "<s>", "</s>", "<unk>", "<mask>")
                                                    for one in texts):
                self.mistake(call, "tokens without a row of their own", self.written(model.func), other=model)

    def two_classes_of_more(self):
        """AutoModelForSequenceClassification.from_pretrained("bert-base-uncased"), which has two classes, and load_dataset("ag_news")"""
        if self.says(r"num_labels|id2label|label2id|problem_type|config *=|filter\(|regression"):
            return
        names = [(one, self.said(self.given(one, 0, "path"))) for one in self.calls if self.full(one.func) == "datasets.load_dataset"]
        if len(names) != 1 or names[0][1] not in COUNTS_OF_CLASSES:
            return
        for call in self.calls:
            if re.match(r"transformers\.(\w+\.)*\w+ForSequenceClassification\.from_pretrained$", self.full(call.func)) and UNTAUGHT.match(self.name_loaded(call)) and len(
                    call.args) == 1 and self.all_known(call):
                self.mistake(call, "two classes where there are more", names[0][1], str(COUNTS_OF_CLASSES[names[0][1]]), other=names[0][0])

    def masked_for_causal(self):
        """DataCollatorForLanguageModeling(tokenizer), which masks words, beside AutoModelForCausalLM"""
        causal = next((call for call in self.calls if re.search(r"(AutoModelForCausalLM|GPT2LMHeadModel|GPTNeoXForCausalLM|OPTForCausalLM|LlamaForCausalLM)\.from_(pretrained|config)$",
                                                                self.full(call.func))), None)
        for call in self.calls if causal is not None and not self.says(r"MaskedLM") else ():
            if self.full(call.func).endswith(".DataCollatorForLanguageModeling") and len(call.args) < 2 and not any(k.arg in ("mlm", None) for k in call.keywords):
                self.mistake(call, "a collator that masks for a causal model", self.written(causal.func), other=causal, doubted=False)
