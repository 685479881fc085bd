// The well-known framework queries and their results.
#include "probe/transcript/transcript_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "knowledge/codes/names.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

std::string_view unquoted(std::string_view value) {
  value = trimmed(value);
  if (value.size() >= 2 && (value.front() == '\'' || value.front() == '"') && value.back() == value.front())
    return value.substr(1, value.size() - 2);
  return value;
}

bool yes(std::string_view value) { return value == "True" || value == "true" || value == "Yes" || value == "yes"; }
bool no(std::string_view value) { return value == "False" || value == "false" || value == "No" || value == "no"; }

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
  return count;
}

// The digits of a number between brackets: "[(0)]" -> 0; no number: 0, the first device.
std::int64_t ordinal_in(std::string_view argument) {
  const std::size_t at = argument.find_first_of("0123456789");
  return at == argument.npos ? 0 : leading_number(argument.substr(at)).value_or(0);
}

void torch_available(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.torch.fill().cuda_available = yes(value);
  into.said = std::string("torch.cuda.is_available(): ") + (yes(value) ? "True" : "False");
}

void torch_xpu_available(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.torch.fill().xpu_available = yes(value);
  if (!yes(value)) into.said = "No XPU devices are available";
}

// torch.device("cuda" if torch.cuda.is_available() else "cpu")
void torch_choice(Answered& into, std::string_view value, std::string_view) {
  const bool gpu = contains(value, "cuda");
  if (gpu || contains(value, "cpu")) torch_available(into, gpu ? "True" : "False", {});
}

// next(model.parameters()).device
void torch_parameters(Answered& into, std::string_view value, std::string_view) {
  if (value == "cpu" || value == "device(type='cpu')") into.said = "The parameters of the model are on the CPU";
}

void torch_count(Answered& into, std::string_view value, std::string_view) {
  const auto count = leading_number(value).value_or(0);
  into.snapshot.torch.fill().device_count = count;
  into.said = "torch.cuda.device_count(): " + std::to_string(count);
}

// The same torch calls cover AMD's and Intel's GPUs.
bool of_nvidia(std::string_view name) {
  return !contains(name, "AMD") && !contains(name, "Radeon") && !contains(name, "Intel") && !contains(name, "gfx");
}

void torch_name(Answered& into, std::string_view value, std::string_view argument) {
  const std::string_view name = unquoted(value);
  if (name.empty() || !of_nvidia(name) || name.size() > 64) return;
  const std::int64_t ordinal = ordinal_in(argument);
  into.devices[ordinal].name = std::string(name);
  into.said = "CUDA:" + std::to_string(ordinal) + " (" + std::string(name) + ")";
}

void torch_capability(Answered& into, std::string_view value, std::string_view argument) {
  const auto major = leading_number(value.substr(std::min(value.find_first_not_of("( "), value.size())));
  const std::size_t comma = value.find(',');
  const auto minor = comma == value.npos ? std::nullopt : leading_number(value.substr(comma + 1));
  if (!major || !minor || *major > 20) return;
  into.devices[ordinal_in(argument)].compute_capability = std::to_string(*major) + '.' + std::to_string(*minor);
}

// _CudaDeviceProperties(name='Tesla T4', major=7, minor=5, total_memory=15102MB, …)
void torch_properties(Answered& into, std::string_view value, std::string_view argument) {
  const auto field = [&](std::string_view key) {
    const std::size_t at = value.find(key);
    return at == value.npos ? std::string_view() : value.substr(at + key.size());
  };
  if (const auto name = field("name='"); !name.empty()) torch_name(into, name.substr(0, name.find('\'')), argument);
  const auto major = leading_number(field("major=")), minor = leading_number(field("minor="));
  if (major && minor && into.devices.contains(ordinal_in(argument)))
    into.devices[ordinal_in(argument)].compute_capability = std::to_string(*major) + '.' + std::to_string(*minor);
}

void torch_archs(Answered& into, std::string_view value, std::string_view) {
  std::vector<std::string> archs;
  for (std::string_view one : pieces(value, ',')) {
    one = unquoted(one.substr(std::min(one.find_first_not_of("[ "), one.size())));
    one = unquoted(one.substr(0, one.find_last_not_of("] ") + 1));
    if (one.starts_with("sm_") || one.starts_with("compute_") || one.starts_with("gfx")) archs.emplace_back(one);
  }
  if (!archs.empty() || trimmed(value) == "[]") into.snapshot.torch.fill().arch_list = archs;
}

// "2.1.0+cu118" was built for CUDA 11.8.
void torch_version(Answered& into, std::string_view value, std::string_view) {
  const std::string_view version = unquoted(value);
  Torch& torch = into.snapshot.torch.fill();
  torch.version = std::string(version);
  const std::size_t tag = version.find("+cu");
  const auto cuda = tag == version.npos ? std::nullopt : leading_number(version.substr(tag + 3));
  if (cuda && *cuda >= 90 && *cuda < 1000) torch.cuda_version = fmt::format("{}.{}", *cuda / 10, *cuda % 10);
}

void torch_cuda_version(Answered& into, std::string_view value, std::string_view) {
  auto& field = into.snapshot.torch.fill().cuda_version;
  field = unquoted(value) == "None" ? Text(absent("torch.version.cuda is None")) : Text(std::string(unquoted(value)));
}

void torch_hip_version(Answered& into, std::string_view value, std::string_view) {
  auto& field = into.snapshot.torch.fill().hip_version;
  field = unquoted(value) == "None" ? Text(absent("torch.version.hip is None")) : Text(std::string(unquoted(value)));
}

void torch_cudnn(Answered& into, std::string_view value, std::string_view) {
  if (value != "None") into.snapshot.torch.fill().cudnn_version = std::string(value);
}

void not_kept(Answered&, std::string_view, std::string_view) {}

void tensorflow_gpus(Answered& into, std::string_view value, std::string_view argument) {
  if (argument == "None") argument = {};
  if (!argument.empty() && !contains(argument, "GPU")) return;
  const auto number = leading_number(value);
  // The list of all devices contains the CPU; an empty one says nothing.
  if (argument.empty() && !contains(value, "CPU") && !contains(value, "GPU")) return;
  const auto gpus = number ? *number
                           : static_cast<std::int64_t>(count_of(value, "device_type='GPU'") +
                                                       count_of(value, "LogicalDevice(name='/device:GPU:") +
                                                       count_of(value, "device_type: \"GPU\""));
  into.snapshot.tensorflow.fill().physical_gpus = gpus;
  into.said = "Num GPUs Available: " + std::to_string(gpus);
}

void tensorflow_available(Answered& into, std::string_view value, std::string_view) {
  if (yes(value)) return void(into.said = "Num GPUs Available: 1");
  into.snapshot.tensorflow.fill().physical_gpus = 0;
  into.said = "Num GPUs Available: 0";
}

void tensorflow_built(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.tensorflow.fill().built_with_cuda = yes(value);
  into.said = std::string("tf.test.is_built_with_cuda() ") + (yes(value) ? "True" : "False");
}

void llama_offload(Answered& into, std::string_view value, std::string_view) {
  if (no(value)) into.said = "llama_supports_gpu_offload() False";
}

void paddle_built(Answered& into, std::string_view value, std::string_view) {
  if (no(value)) into.said = "paddle.is_compiled_with_cuda() False";
}

void tensorflow_cuda_version(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.tensorflow.fill().cuda_version = leading_version(unquoted(value));
}

void tensorflow_device_name(Answered& into, std::string_view value, std::string_view) {
  tensorflow_available(into, contains(value, "GPU") ? "True" : "False", {});
}

void tensorflow_version(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.tensorflow.fill().version = std::string(unquoted(value));
}

void jax_devices(Answered& into, std::string_view value, std::string_view) {
  if (contains(value, "TFRT_CPU") || contains(value, "CpuDevice"))
    into.snapshot.jax.fill().backend = "cpu";
  else if (contains(value, "Cuda") || contains(value, "cuda") || contains(value, "Gpu") || contains(value, "gpu"))
    into.snapshot.jax.fill().backend = "gpu";
  else if (contains(value, "Rocm") || contains(value, "rocm"))
    into.snapshot.jax.fill().backend = "rocm";
}

void jax_backend(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.jax.fill().backend = std::string(unquoted(value));
}

void jax_version(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.jax.fill().version = std::string(unquoted(value));
}

void jaxlib_version(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.jax.fill().jaxlib_version = std::string(unquoted(value));
}

void keras_backend(Answered& into, std::string_view value, std::string_view) {
  const std::string_view name = unquoted(value);
  for (const std::string_view known : {"tensorflow", "torch", "jax", "theano", "cntk", "numpy", "openvino"})
    if (name == known) into.snapshot.keras.fill().backend = std::string(name);
}

void keras_version(Answered& into, std::string_view value, std::string_view) {
  into.snapshot.keras.fill().version = std::string(unquoted(value));
}

void package_version(Answered& into, std::string_view value, std::string_view package) {
  into.snapshot.python.fill().packages.fill().emplace(package, unquoted(value));
}

void cpu_count(Answered& into, std::string_view value, std::string_view) {
  if (const auto count = leading_number(value); count && *count > 0) into.snapshot.cpu.fill().threads = *count;
}

// The set itself, or its length.
void cpus_allowed(Answered& into, std::string_view value, std::string_view) {
  const auto length = leading_number(value);
  const auto count = length ? *length : std::ssize(pieces(value, ','));
  if (count > 0) into.snapshot.cpu.fill().allowed_cpus = count;
}

void environment(Answered& into, std::string_view value, std::string_view name) {
  if (value == "None") return;
  into.snapshot.env.fill().emplace(name, std::string(unquoted(value)));
}

void python_executable(Answered& into, std::string_view value, std::string_view) {
  if (contains(value, "/") || contains(value, "\\"))
    into.snapshot.python.fill().executable = std::string(unquoted(value));
}

void interpreter_version(Answered& into, std::string_view value, std::string_view) {
  if (const std::string version = leading_version(unquoted(value)); contains(version, "."))
    into.snapshot.python.fill().version = version;
}

void opencl_platforms(Answered& into, std::string_view value, std::string_view) {
  if (value == "[]") into.said = "Number of platforms: 0";
}

// The driver's own answer, which ctypes returns as a number.
void cuda_start(Answered& into, std::string_view value, std::string_view) {
  const auto code = number_of(value);
  if (!code) return;
  Nvidia& nvidia = into.snapshot.nvidia.fill();
  if (*code == 0) {
    nvidia.cuda_library = "libcuda.so.1";  // it answered, so it was found
    nvidia.cuinit_error = absent("CUDA_SUCCESS");
  } else if (const std::string name = knowledge::code_name("cuda_driver", *code); !name.empty()) {
    nvidia.cuinit_error = name;
  }
}

void hip_start(Answered& into, std::string_view value, std::string_view) {
  const auto code = number_of(value);
  const std::string name = code && *code > 0 ? knowledge::code_name("hip", *code) : "";
  if (!name.empty()) into.snapshot.rocm.fill().hip_error = name;
}

// Linux only: on Windows the driver's library has another name.
void library_found(Answered& into, std::string_view value, std::string_view name) {
  if (name != "cuda") return;
  const std::string_view found = unquoted(value);
  if (found == "None")
    into.snapshot.libraries.fill().push_back({.soname = "libcuda.so.1", .found = false});
  else if (found.starts_with("libcuda.so"))
    into.snapshot.libraries.fill().push_back({.soname = "libcuda.so.1", .found = true});
}

constexpr const char* package_call = "*.__version__";

using enum ValueForm;
constexpr KnownCall known_calls[] = {
    {"torch.cuda.is_available()", boolean, torch_available},
    {"torch.cuda.device_count()", number, torch_count},
    {"torch._C._cuda_getDeviceCount()", number, torch_count},
    {"torch.cuda.get_device_name(*)", words, torch_name},
    {"torch.cuda.get_device_capability(*)", tuple, torch_capability},
    {"torch.cuda.get_device_properties(*)", words, torch_properties},
    {"torch.cuda.get_arch_list()", list, torch_archs},
    {"torch.cuda.current_device()", number, not_kept},
    {"torch.cuda.is_initialized()", boolean, not_kept},
    {"torch.__version__", version, torch_version},
    {"torch.version.__version__", version, torch_version},
    {"torch.version.cuda", version, torch_cuda_version},
    {"torch.version.hip", version, torch_hip_version},
    {"torch.backends.cudnn.version()", number, torch_cudnn},
    {"torch.backends.cudnn.is_available()", boolean, not_kept},
    {"torch.backends.cudnn.enabled", boolean, not_kept},
    {"torch.backends.mps.is_available()", boolean, not_kept},
    {"torch.xpu.is_available()", boolean, torch_xpu_available},
    {"torch.xpu.get_device_name(*)", words, not_kept},
    {"torch.device(choice)", words, torch_choice},
    {"next(parameters()).device", words, torch_parameters},
    {"tf.config.list_physical_devices(*)", list, tensorflow_gpus},
    {"tf.config.experimental.list_physical_devices(*)", list, tensorflow_gpus},
    {"tf.config.list_logical_devices(*)", list, tensorflow_gpus},
    {"tf.config.get_visible_devices(*)", list, tensorflow_gpus},
    {"device_lib.list_local_devices()", list, tensorflow_gpus},
    {"tf.test.is_gpu_available(*)", boolean, tensorflow_available},
    {"tf.test.is_built_with_cuda()", boolean, tensorflow_built},
    {"tf.test.is_built_with_gpu_support()", boolean, not_kept},
    {"llama_cpp.llama_supports_gpu_offload()", boolean, llama_offload},
    {"llama_supports_gpu_offload()", boolean, llama_offload},
    {"paddle.is_compiled_with_cuda()", boolean, paddle_built},
    {"paddle.device.is_compiled_with_cuda()", boolean, paddle_built},
    {"tf.test.gpu_device_name()", words, tensorflow_device_name},
    {"tf.sysconfig.get_build_info(cuda_version)", version, tensorflow_cuda_version},
    {"tf.__version__", version, tensorflow_version},
    {"tf.version.VERSION", version, tensorflow_version},
    {"jax.devices()", list, jax_devices},
    {"jax.local_devices()", list, jax_devices},
    {"jax.default_backend()", words, jax_backend},
    {"jax.lib.xla_bridge.get_backend().platform", words, jax_backend},
    {"xla_bridge.get_backend().platform", words, jax_backend},
    {"jax.__version__", version, jax_version},
    {"jaxlib.__version__", version, jaxlib_version},
    {"keras.backend.backend()", words, keras_backend},
    {"keras.config.backend()", words, keras_backend},
    {"tf.keras.backend.backend()", words, keras_backend},
    {"K.backend()", words, keras_backend},
    {"keras.__version__", version, keras_version},
    {"os.cpu_count()", number, cpu_count},
    {"multiprocessing.cpu_count()", number, cpu_count},
    {"os.sched_getaffinity(0)", words, cpus_allowed},
    {"psutil.Process().cpu_affinity()", list, cpus_allowed},
    {"os.environ(*)", words, environment},
    {"sys.executable", words, python_executable},
    {"sys.version", words, interpreter_version},
    {"platform.python_version()", version, interpreter_version},
    {"pyopencl.get_platforms()", list, opencl_platforms},
    {"cl.get_platforms()", list, opencl_platforms},
    {"cuInit(0)", number, cuda_start},
    {"hipInit(0)", number, hip_start},
    {"find_library(*)", words, library_found},
    {package_call, version, package_version},
};

const KnownCall* call_named(std::string_view name) {
  static const auto& by_name = *[] {
    auto* made = new std::unordered_map<std::string_view, const KnownCall*>();
    for (const KnownCall& one : known_calls) made->emplace(one.name, &one);
    return made;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
  });
}

// The text between the brackets of NAME(…), if the closing one ends the text.
std::optional<std::string_view> inside(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || text.size() < name.size() + 2 || text[name.size()] != '(' || text.back() != ')')
    return std::nullopt;
  int depth = 0;
  for (std::size_t i = name.size(); i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (depth == 0 && i + 1 < text.size()) return std::nullopt;
  }
  return depth == 0 ? std::optional(text.substr(name.size() + 1, text.size() - name.size() - 2)) : std::nullopt;
}

// os.environ["X"], os.environ.get("X", …) and os.getenv("X") are the same query.
std::optional<Question> variable_of(std::string_view text) {
  for (const std::string_view start : {"os.environ[", "os.environ.get(", "os.getenv(", "environ["}) {
    if (!text.starts_with(start) || (text.back() != ']' && text.back() != ')')) continue;
    std::string_view name = text.substr(start.size(), text.size() - start.size() - 1);
    name = unquoted(name.substr(0, name.find(',')));
    if (is_name(name)) return Question{.call = call_named("os.environ(*)"), .argument = std::string(name)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Question> question_of(std::string_view expression) {
  std::string_view text = trimmed(expression);
  bool length = false;
  constexpr std::size_t longest = 200;
  if (text.find('.') == text.npos && text.find("find_library(") == text.npos) return std::nullopt;
  for (int wrapped = 0; wrapped < 4; ++wrapped) {
    if (text.size() > longest) return std::nullopt;
    std::optional<std::string_view> inner;
    for (const std::string_view name : {"len", "str", "repr", "bool", "int", "list", "sorted", "print"}) {
      if (inner) break;
      inner = inside(text, name);
      length = length || (inner && name == "len");
    }
    if (!inner) break;
    text = trimmed(*inner);
  }
  if (auto variable = variable_of(text)) return variable;
  if (text.starts_with("torch.device(") || text.starts_with("'cuda") || text.starts_with("\"cuda") ||
      text.starts_with("torch.cuda.device(")) {
    const bool chosen = contains(text, " if torch.cuda.is_available() else ") && contains(text, "cpu");
    return chosen ? std::optional(Question{.call = call_named("torch.device(choice)")}) : std::nullopt;
  }
  if (!length && text.starts_with("next(") && text.ends_with(".parameters()).device"))
    return Question{.call = call_named("next(parameters()).device")};
  // A function of a library that ctypes opened: ctypes.CDLL("libcuda.so.1").cuInit(0),
  // ctypes.util.find_library("cuda").
  for (const std::string_view function : {".cuInit(0)", ".hipInit(0)"})
    if (text.ends_with(function)) return Question{.call = call_named(function.substr(1))};
  if (const std::size_t at = text.find("find_library("); at != text.npos && (at == 0 || text[at - 1] == '.'))
    text.remove_prefix(at);
  if (text.find(".get_build_info()[") != text.npos && contains(text, "cuda_version"))
    return Question{.call = call_named("tf.sysconfig.get_build_info(cuda_version)")};
  std::string name(text);
  if (name.starts_with("tensorflow.")) name.replace(0, 10, "tf");
  if (name.starts_with("tf.compat.v1.")) name.replace(0, 13, "tf.");
  if (const KnownCall* call = call_named(name)) return Question{.call = call, .length = length};
  if (const std::size_t open = name.find('('); open != name.npos) {
    const std::string head = name.substr(0, open);
    const auto argument = inside(name, head);
    const KnownCall* call = argument && is_name(head) ? call_named(head + "(*)") : nullptr;
    if (!call) return std::nullopt;
    std::string_view last = *argument;
    if (const std::size_t equals = last.find('='); equals != last.npos) last.remove_prefix(equals + 1);
    return Question{.call = call, .argument = std::string(unquoted(last)), .length = length};
  }
  constexpr std::string_view version_of = ".__version__";
  if (!length && is_name(name) && name.ends_with(version_of) && name.size() > version_of.size()) {
    std::string package = name.substr(0, name.size() - version_of.size());
    if (package == "np") package = "numpy";
    if (package.find('.') == package.npos)
      return Question{.call = call_named(package_call), .argument = std::move(package)};
  }
  return std::nullopt;
}

bool may_answer(const Question& question, std::string_view value) {
  value = trimmed(value);
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.size() < 10 && text.find_first_not_of("0123456789") == text.npos;
  };
  if (question.length) return digits(value);
  const std::string_view bare = unquoted(value);
  switch (question.call->form) {
    case boolean:
      return yes(value) || no(value);
    case number:
      return digits(value) || value == "None";
    case version:
      return bare == "None" || (bare.size() < 48 && !bare.empty() && bare[0] >= '0' && bare[0] <= '9' &&
                                contains(bare, ".") && bare.find_first_of(" ,;:()[]=") == bare.npos);
    case list:
      return (value.starts_with("[") && value.ends_with("]"));
    case tuple:
      return value.starts_with("(") && value.ends_with(")") && value.size() < 12;
    case words:
      return value.size() < 2048 && !value.starts_with("Traceback") && !contains(value, "Error") &&
             !contains(value, "Warning");
  }
  return false;
}

void take_answer(const Question& question, std::string_view value, Answered& into) {
  question.call->take(into, trimmed(value), question.argument);
}

}  // namespace envdoctor
