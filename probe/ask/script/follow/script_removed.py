"""Names and arguments that the newest releases of libraries no longer have, for the reader of scripts."""

# Lightning goes by several names.
SAME_NAMES = re.compile(r"^(lightning\.(pytorch\.)?(?!fabric)|pytorch_lightning\.trainer\.(trainer\.)?(?=Trainer))")
# What trl derives from the arguments of transformers' Trainer.
DERIVED_ARGUMENTS = re.compile(r"trl\.(\w+\.)*(SFT|DPO|GRPO|RLOO|KTO|Reward|Distillation)Config$")

MOST_LINES_AGAIN = 16  # nobody reads a list of a hundred


class Removed:
    """The rows of removed_names.json, "-LIBRARY RELEASE=NAMES": a name, or CALL(ARGUMENT), with what to write instead.
    A script that binds such a name itself, as Image.ANTIALIAS = Image.LANCZOS, has it."""

    def __init__(self, reader, rows):
        self.reader, self.names, self.arguments, self.reported = reader, {}, {}, {}
        for row in rows:
            library, _, rest = row[1:].partition(" ")
            release, _, names = rest.partition("=")
            for word in names.split(" "):
                name, _, instead = word.replace("\u00a0", " ").partition("=")
                call, _, argument = name.partition("(")
                about = (library + " " + release, instead)
                if library == "python":  # modules of its own: time.clock
                    self.names[name] = ("Python " + release, instead)
                elif argument:
                    self.arguments.setdefault(library + "." + call, {})[argument.rstrip(")")] = about
                else:
                    self.names[library + "." + name] = about
        self.of_python = {name.split(".")[0] for name, (since, _) in self.names.items() if since.startswith("Python ")}
        self.libraries = {name.split(".")[0] for name in [*self.names, *self.arguments]}

    @staticmethod
    def full(name):
        return SAME_NAMES.sub("pytorch_lightning.", name)

    def name(self, node, written):
        """A name that its library no longer has, or one below it; it is reported once."""
        name = self.full(written)
        parts = name.split(".")
        if parts[0] not in self.libraries or self.reader.pinned_for(name):
            return
        ends = [".".join(each[:end]) for each in (parts, written.split(".")) for end in range(2, len(each) + 1)]
        # A class that a library's own name no longer gives is not in its modules either; Python's moved there.
        ends += [parts[0] + "." + parts[-1]] if parts[-1][:1].isupper() and parts[0] not in self.of_python else []
        gone = next((one for one in ends if one in self.names), None)
        if gone in self.reader.own_names:
            return
        if gone in self.reported:
            self.again(node, gone)
        elif gone:
            self.reported[gone] = None
            if self.reader.guarded:  # what the script expects to be missing is no mistake where it is called, either
                return
            since, instead = self.names[gone]
            self.reader.mistake(node, "a name of a library's older releases", gone, self.say(instead, name=True), since=since,
                                doubted=parts[0] == "apex")  # it has no releases, and may have been built long ago
            last = self.reader.events[-1] if self.reader.events else {}
            if last.get("name") == "a name of a library's older releases" and last.get("value") == gone:
                self.reported[gone] = last

    def has(self, name):
        """Whether a name, or one that it stands below, was once there."""
        parts = self.full(name).split(".")
        return any(".".join(parts[:end]) in self.names for end in range(2, len(parts) + 1)) or parts[0] + "." + parts[-1] in self.names

    def again(self, node, gone):
        """Further lines with a name that was reported, or with one below it, are shown with the first."""
        event, cell = self.reported[gone], getattr(node, "cell", self.reader.cell)
        if event is None or event.get("source") != self.reader.source or self.reader.guarded:
            return
        place = "%s:%d" % (cell or 0, line_of(node))
        told = event.get("again", "").split()
        if place != "%s:%d" % (event.get("cell", 0), event["line"]) and place not in told and len(told) < MOST_LINES_AGAIN:
            event["again"] = " ".join(told + [place])

    def taken(self, name):
        """The arguments that a call no longer takes."""
        name = self.full(name)
        parts = name.split(".")
        if parts[-1].endswith("TrainingArguments"):
            parts[-1] = "TrainingArguments"
        if DERIVED_ARGUMENTS.match(name) and not self.reader.pinned_for("transformers"):
            return {**self.arguments.get("transformers.TrainingArguments", {}), **self.arguments.get("trl." + parts[-1], {})}
        return self.arguments.get(name) or (
            self.arguments.get(parts[0] + "." + parts[-1]) if parts[0] not in ("torch", "torchvision") else None) or {}

    def call(self, node, name, words):
        known = self.taken(name)
        if not known or self.reader.guarded or self.reader.pinned_for(name):
            return
        for at, gone in self.reader.by_line(node, words, [word for word in words if word in known]):
            writes = ["%s for %s" % (known[word][1], word) for word in gone if known[word][1]]
            leaves = [word for word in gone if not known[word][1]]
            instead = self.say(known[gone[0]][1]) if len(gone) == 1 else " ".join(
                ["Write %s." % ", ".join(writes)] * bool(writes) + ["Leave out %s." % ", ".join(leaves)] * bool(leaves))
            self.reader.mistake(at, "an argument that is gone", ", ".join(gone), name.rpartition(".")[2], instead,
                                since=known[gone[0]][0])

    def method(self, node, thing, attribute, words):
        """Methods of a trainer of Lightning's, of accelerate's Accelerator and of tokenizers."""
        of = "pytorch_lightning.Trainer" if thing.kind == "trainer" and thing["lightning"] and thing["prepares"] != "setup" else \
            "accelerate.Accelerator" if thing.kind == "accelerator" else "transformers.PreTrainedTokenizerBase" if thing.kind == "tokenizer" else None
        if of and not thing["class"]:
            self.name(node, of + "." + attribute)
            self.call(node, of + "." + attribute, words)

    @staticmethod
    def say(instead, name=False):
        if instead:
            return "Write %s." % instead
        return "Install a release that has it, or write what its release notes name." if name else "Leave it out."
