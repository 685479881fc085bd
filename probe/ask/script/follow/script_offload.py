"""Models that a library places, offloads or quantizes, and what they then refuse."""

# Methods after which a pipeline of diffusers places its parts itself.
OFFLOADS = ("enable_sequential_cpu_offload", "enable_model_cpu_offload", "enable_group_offload")
NOT_OF_A_PIPELINE = re.compile(r"Scheduler$|Config$|Processor$|Output$|Mixin$")
# What from_pretrained of transformers 5 has no more, or never had: arguments that a model doesn't know raise.
NOT_OF_A_MODEL = {"load_in_8bit": "quantization_config=BitsAndBytesConfig(load_in_8bit=True)",
                  "load_in_4bit": "quantization_config=BitsAndBytesConfig(load_in_4bit=True)",
                  "device": "device_map='cuda'", "gpu": "device_map='cuda'", "cuda": "device_map='cuda'",
                  "use_gpu": "device_map='cuda'", "devices": "device_map='auto'", "fp16": "dtype=torch.float16",
                  "bf16": "dtype=torch.bfloat16", "precision": "dtype=torch.bfloat16", "gpus": "device_map='auto'",
                  "use_cuda": "device_map='cuda'", "half": "dtype=torch.float16", "map_location": "device_map='cpu'",
                  "mixed_precision": "dtype=torch.bfloat16", "load_in_16bit": "dtype=torch.float16",
                  "use_auth_token": "token=", "resume_download": "force_download=True, or nothing",
                  "use_flash_attention_2": "attn_implementation='flash_attention_2'"}


class Offload:
    def __init__(self, reader):
        self.reader = reader

    def pipeline_model(self, node, parts, values, words):
        """DiffusionPipeline.from_pretrained(…)"""
        if parts[0] != "diffusers" or parts[-1] not in ("from_pretrained", "from_single_file", "from_pipe") or \
                NOT_OF_A_PIPELINE.search(parts[-2]):
            return None
        pipeline = "Pipeline" in parts[-2]
        where = words.get("device_map")
        said = text_of(where) if isinstance(where, Text) and isinstance(where.value, str) else None
        if pipeline and said and said not in PIPELINE_MAPS and not self.reader.pinned_for("diffusers"):
            at = self.reader.keyword_of(node, "device_map")
            self.reader.mistake(at, "a value that its library doesn't know", said,
                                "%s.from_pretrained(device_map=…)" % parts[-2], "'balanced', 'cuda' and 'cpu'")
        if not pipeline:
            return None
        mapped = isinstance(where, Text) and where.value is not None
        return Thing("pipeline", mapped=node if mapped else None, line=node.lineno)

    def refused(self, node, words):
        """What a model of transformers is given and doesn't know."""
        if self.reader.pinned_for("transformers"):
            return
        for word, instead in NOT_OF_A_MODEL.items():
            if word in words:  # also load_in_8bit=False: the model's class has no such argument
                at = words.nodes.get(word, self.reader.keyword_of(node, word))
                self.reader.mistake(at, "an argument that is gone", word, "from_pretrained()", "Write %s." % instead)
                return

    @staticmethod
    def placed(node, words):
        """How a model of transformers was placed: None, "auto", or "offloaded" for a map that surely has the CPU in it."""
        where = words.get("device_map")
        limit = words.get("max_memory")
        quantized = words.get("quantization_config")
        given = isinstance(limit, Thing) and limit.kind == "mapping" and "cpu" in limit.attributes
        if given or "offload_folder" in words:
            return "offloaded"
        if isinstance(where, Thing) and where.kind == "mapping" and any(
                text_of(v) in ("cpu", "disk") for v in where.attributes.values()):
            return "offloaded"
        if isinstance(quantized, Thing) and quantized["bits"] in (4, 8):
            return "quantized" if quantized["bits"] == 8 else "in 4 bit"
        return "auto" if isinstance(where, Text) and where.value in ("auto", "balanced", "sequential", "balanced_low_0") \
            else None

    def method(self, node, thing, attribute, values, words):
        if not isinstance(thing, Thing):
            return None
        if thing["hf"] and thing["placed"] in ("offloaded", "quantized") and attribute in ("to", "cuda", "half", "float"):
            where = self.reader.torch.target(node, attribute, values, words) if attribute in ("to", "cuda") else "same"
            if thing["placed"] == "quantized" and where is not None or where and where.startswith("cuda"):
                self.reader.mistake(node, "a move of a model that its library placed", self.reader.written(node),
                                    "its parts were offloaded" if thing["placed"] == "offloaded" else "it is in 8 bit")
        if thing["hf"] and thing["placed"] == "auto" and attribute in ("to", "cuda"):
            if (self.reader.torch.target(node, attribute, values, words) or "").startswith("cuda"):
                self.reader.mistake(node, "a move of a model that its library placed", self.reader.written(node),
                                    "it was loaded with a device_map", doubted=True)
        kind = any(isinstance(one, Name) and NUMBER_NAMES.get(one.full.rsplit(".", 1)[-1]) for one in values + list(words.values()))
        if thing["hf"] and thing["placed"] == "in 4 bit" and (attribute in ("half", "float") or attribute == "to" and kind):
            self.reader.mistake(node, "a move of a model that its library placed", self.reader.written(node), "it is in 4 bit")
        if thing.kind != "pipeline":
            return None
        if attribute in OFFLOADS:
            if thing["mapped"]:
                self.reader.mistake(node, "a move of a model that its library placed", self.reader.written(node),
                                    "it was loaded with a device_map", other=thing["mapped"])
            self.reader.change(thing, "offloaded", (node, attribute) if "sequential" in attribute else None)
            return Thing("nothing")
        if attribute == "to":
            place = self.reader.torch.target(node, attribute, values, words)
            if place != "same" and thing["mapped"]:
                self.reader.mistake(node, "a move of a model that its library placed", self.reader.written(node),
                                    "it was loaded with a device_map", other=thing["mapped"])
            elif thing["offloaded"] and place and place.startswith("cuda"):
                self.reader.mistake(node, "a move of a model that its library placed", self.reader.written(node),
                                    "%s() was called" % thing["offloaded"][1], other=thing["offloaded"][0])
            return thing
        if attribute == "reset_device_map":
            self.reader.change(thing, "mapped", None)
        if attribute == "cuda" or attribute == "cpu":
            self.reader.mistake(node, "a move of what has no such method", self.reader.written(node), "a pipeline",
                                "Write .to('%s')." % attribute)
        return None

    def of_pipeline(self, node, words, values):
        """pipeline(model=a model that accelerate placed, device=0)"""
        model = words.get("model", values[1] if len(values) > 1 else None)
        device = words.get("device")
        if isinstance(model, Thing) and model["placed"] in ("auto", "offloaded") and device is not None and not (
                isinstance(device, Text) and device.value is None):
            at = words.nodes.get("device", self.reader.keyword_of(node, "device"))
            self.reader.mistake(at, "a move of a model that its library placed", "device=" + self.reader.written(at),
                                "it was loaded with a device_map")
