// A complete Python traceback: the files that the import passed through, and its error.
#include <re2/re2.h>

#include <algorithm>
#include <array>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

struct Frame {
  std::size_t row = 0;
  std::string_view line{}, file{}, code{};
};

// Names of standard modules and packages that users often give to their own files.
constexpr std::array easily_shadowed = {
    "abc",       "ast",        "asyncio",    "base64",      "calendar", "code",         "codecs",      "collections",
    "copy",      "csv",        "datetime",   "decimal",     "dis",      "email",        "enum",        "functools",
    "glob",      "hashlib",    "html",       "http",        "inspect",  "io",           "json",        "keyword",
    "linecache", "logging",    "math",       "numbers",     "operator", "os",           "parser",      "pathlib",
    "pickle",    "platform",   "profile",    "queue",       "random",   "re",           "secrets",     "select",
    "shutil",    "signal",     "site",       "socket",      "ssl",      "stat",         "string",      "struct",
    "symbol",    "tempfile",   "test",       "threading",   "time",     "timeit",       "token",       "tokenize",
    "traceback", "types",      "typing",     "unittest",    "uuid",     "warnings",     "weakref",     "zipfile",
    "torch",     "tensorflow", "keras",      "jax",         "numpy",    "transformers", "datasets",    "tokenizers",
    "triton",    "queue",      "statistics", "resource",    "gzip",     "contextlib",   "dataclasses", "heapq",
    "bisect",    "argparse",   "textwrap",   "configparser"};

bool in_library(std::string_view file) {
  for (const std::string_view part :
       {"site-packages", "dist-packages", "/lib/python", "/lib64/python", "\\lib\\", "\\Lib\\", "<frozen", "<string>"})
    if (contains(file, part)) return true;
  return false;
}

// "/home/me/random.py" -> "random".
std::string_view module_of(std::string_view file) {
  std::string_view name = file.substr(file.find_last_of("/\\") + 1);
  if (name == "__init__.py") {
    file = file.substr(0, file.size() - name.size() - 1);
    return file.substr(file.find_last_of("/\\") + 1);
  }
  return name.ends_with(".py") ? name.substr(0, name.size() - 3) : std::string_view();
}

// "from random import Random": whether this line of code imports the module.
bool imports(std::string_view code, std::string_view module) {
  for (const std::string_view start : {"import ", "from "}) {
    if (!code.starts_with(start)) continue;
    const std::string_view rest = code.substr(start.size());
    if (rest.starts_with(module) && (rest.size() == module.size() || rest.find_first_of(" .,") == module.size()))
      return true;
  }
  return false;
}

// An installed file imports a common module, and Python loaded a file beside the program instead.
const Frame* shadowing_file(const std::vector<Frame>& frames) {
  for (std::size_t i = 1; i < frames.size(); ++i) {
    const std::string_view module = module_of(frames[i].file);
    if (in_library(frames[i].file) || !in_library(frames[i - 1].file) || module.empty()) continue;
    if (std::ranges::find(easily_shadowed, module) != easily_shadowed.end() && imports(frames[i - 1].code, module))
      return &frames[i];
  }
  return nullptr;
}

bool in_package(std::string_view file, const std::string& name) {
  return contains(file, "packages/" + name + "/") || contains(file, "packages\\" + name + "\\");
}

// The framework that a file belongs to; empty: none.
std::string framework_of(std::string_view file) {
  for (const char* name : {"torch", "tensorflow", "keras", "jaxlib", "jax", "paddle", "mxnet", "onnxruntime", "cupy"})
    if (in_package(file, name)) return name;
  return {};
}

// The framework whose files the traceback ends in.
std::string framework_of(const std::vector<Frame>& frames) {
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    if (std::string name = framework_of(frame->file); !name.empty()) return name;
  return {};
}

// The framework whose own code asked NumPy for a name; empty: the person's code did, or another package's.
std::string framework_asking_numpy(const std::vector<Frame>& frames) {
  const auto asks =
      std::find_if(frames.rbegin(), frames.rend(), [](const Frame& frame) { return !in_package(frame.file, "numpy"); });
  return asks == frames.rend() ? "" : framework_of(asks->file);
}

// Libraries of CUDA, ROCm and the like have diagnoses of their own.
bool of_gpu_stack(std::string_view library) {
  return std::ranges::any_of(std::array{"libcu", "libnv", "libnccl", "libhip", "libroc", "libhsa", "libMIOpen", "libze",
                                        "libamd", "libOpenCL", "libsycl", "librccl", "libmkl", "libtorch", "libc10",
                                        "libpython", "libtensorflow", "libdrm", "libur_"},
                             [&](const char* start) { return library.starts_with(start); });
}

// "xformers": the installed package with compiled code for PyTorch that a file belongs to.
std::string torch_extension_of(std::string_view file) {
  static const LazyRegex place(
      R"([\\/](?:site|dist)-packages[\\/](xformers|torchvision|torchaudio|torchtext|torchao|functorch|flash_attn|apex|)"
      R"(mmcv|deepspeed|bitsandbytes|detectron2|fairscale|torch_\w+|intel_extension_for_pytorch|vllm|auto_gptq)[\\/])",
      RE2::Latin1);
  std::string package;
  RE2::PartialMatch(piece_of(file), place, &package);
  return package;
}

// Whether Keras was building a model anew from what a file says of it.
bool restores_model(const std::vector<Frame>& frames) {
  static const LazyRegex function(
      R"(, in (?:\w*deserialize\w*|\w*serialized_\w*|from_config|load_model\w*|_?load_weights\w*|model_from_\w+))",
      RE2::Latin1);
  return contains(frames.back().file, "keras") && std::ranges::any_of(frames, [&](const Frame& frame) {
           return contains(frame.file, "keras") && RE2::PartialMatch(piece_of(frame.line), function);
         });
}

// Frames of Keras 3 and of tf_keras (Keras 2) in one traceback: a layer of one was given a tensor of the other.
bool in_two_kerases(const std::vector<Frame>& frames) {
  const auto in = [&](std::string_view folder) {
    return std::ranges::any_of(frames, [&](const Frame& frame) { return contains(frame.file, folder); });
  };
  return in("/tf_keras/src/") && in("/site-packages/keras/src/");
}

// Whether the code that failed takes the version of CUDA that PyTorch was built with for a text: a build without has
// none.
bool takes_cuda_version(const std::vector<Frame>& frames) {
  return std::ranges::any_of(frames, [](const Frame& frame) { return contains(frame.code, "torch.version.cuda"); });
}

class Traceback {
 public:
  void line(std::size_t row, std::string_view line) {
    constexpr std::size_t longest_file = 300;
    if (line.size() > 1000) return;
    const std::string_view words = trimmed(line);
    re2::StringPiece file, other;
    if ((words.starts_with("File ") || words.starts_with("/") || words.starts_with("~")) &&
        is_place(line, file, other) && file.size() <= longest_file && other.size() <= longest_file + 4) {
      if (file.empty()) file = other;
      if (frames_.size() < 200) frames_.push_back({row, line, {file.data(), file.size()}, {}});
      expects_code_ = true;
    } else if (expects_code_ && !frames_.empty()) {
      frames_.back().code = words;
      expects_code_ = false;
    } else if (!frames_.empty()) {
      end(row, line, words);
    }
  }

  Snapshot take() {
    finish();
    return std::move(snapshot_);
  }

 private:
  // Without upper bounds, which would be written out when the pattern is compiled: either group matches in one way.
  static bool is_place(std::string_view line, re2::StringPiece& file, re2::StringPiece& other) {
    static const LazyRegex place(R"re(\s*File "?([^"\n]+?)"?(?:, line |:)\d+.*|\s*([~/][^\s:]+\.py) in .*)re",
                                 RE2::Latin1);
    return RE2::FullMatch(piece_of(line), place, &file, &other);
  }

  // "ImportError: …" ends a traceback; its cause comes before it and the next one after it.
  void end(std::size_t row, std::string_view line, std::string_view words) {
    static const LazyRegex library(
        R"((?:\w+\.)*(?:ImportError|OSError|RuntimeError): (lib[\w.+-]+\.so[.\d]*): cannot open shared.*)",
        RE2::Latin1);
    static const LazyRegex torch_name(R"(^ImportError: cannot import name '?\w+'? from '?torch\b)", RE2::Latin1);
    static const LazyRegex bare_name(R"(ImportError: cannot import name '?(\w+)'?)", RE2::Latin1);
    static const LazyRegex from_framework(R"(from ((?:torch|tensorflow|keras|jax)(?:\.\w+)*) import .*)", RE2::Latin1);
    static const LazyRegex numpy_name(R"(^AttributeError: module 'numpy' has no attribute)", RE2::Latin1);
    static const LazyRegex other_form(R"(^(?:TypeError|AttributeError|KeyError): )", RE2::Latin1);
    static const LazyRegex no_text(
        "^(?:TypeError|AttributeError): (?:expected string or bytes-like object|.*NoneType|float\\(\\) argument must "
        "be)",
        RE2::Latin1);
    static const LazyRegex name(R"((?:\w+\.)*\w*(?:Error|Exception): .*)", RE2::Latin1);
    if (line.empty() || line[0] == ' ' || !contains(words, "Error: ")) return;
    const re2::StringPiece text = piece_of(words);
    std::string soname;
    if (RE2::FullMatch(text, library, &soname) && !of_gpu_stack(soname)) {
      if (const std::string framework = framework_of(frames_); !framework.empty())
        add_symptom(snapshot_, {missing, "system-library"}, row, line).details = {{"library", soname},
                                                                                  {"framework", framework}};
    }
    if (RE2::PartialMatch(text, torch_name)) {
      if (const std::string package = torch_extension_of(frames_.back().file); !package.empty())
        add_symptom(snapshot_, {mismatch, "torch-extension-version"}, row, line).details = {{"package", package}};
    }
    // Python before 3.7 doesn't say from which module; the line of code does.
    std::string attribute, module;
    if (RE2::FullMatch(text, bare_name, &attribute) &&
        RE2::FullMatch(piece_of(frames_.back().code), from_framework, &module))
      add_symptom(snapshot_, {missing, "framework-name"}, row, line).details = {{"attribute", attribute},
                                                                                {"module", module}};
    if (RE2::PartialMatch(text, numpy_name)) {
      if (const std::string framework = framework_asking_numpy(frames_); !framework.empty())
        add_symptom(snapshot_, {mismatch, "numpy-of-framework"}, row, line).details = {{"framework", framework}};
    }
    if (RE2::PartialMatch(text, no_text) && takes_cuda_version(frames_))
      add_symptom(snapshot_, {noted, "cpu-build"}, row, line).details = {{"built", "torch"}};
    if (in_two_kerases(frames_)) add_symptom(snapshot_, {mismatch, "keras-layer-class"}, row, line);
    if (RE2::PartialMatch(text, other_form) && restores_model(frames_))
      add_symptom(snapshot_, {mismatch, "saved-model"}, row, line);
    if (RE2::FullMatch(text, name)) finish();
  }

  void finish() {
    if (const Frame* own = shadowing_file(frames_)) {
      add_symptom(snapshot_, {hidden, "python-package"}, own->row, own->line).details = {
          {"file", std::string(own->file)}, {"module", std::string(module_of(own->file))}};
    }
    frames_.clear();
    expects_code_ = false;
  }

  std::vector<Frame> frames_{};
  bool expects_code_ = false;
  Snapshot snapshot_{};
};

}  // namespace

bool starts_traceback(std::string_view line) {
  return contains(line, "Traceback (most recent call last)") || trimmed(line).starts_with("File \"");
}

Snapshot parse_traceback(const std::string& text) {
  Traceback traceback;
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) traceback.line(row++, line);
  return traceback.take();
}

}  // namespace envdoctor
