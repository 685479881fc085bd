#include "knowledge/lazy_regex.h"
#include "probe/python/distributions.h"

#include <re2/re2.h>

#include "evidence/json.h"
#include "host/text.h"
#include "probe/python/python_interpreter.h"

namespace envdoctor {
namespace {

const Distribution* first_of(const std::vector<Distribution>& all, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const Distribution& one : all) {
      if (normal_name(one.name) == name) return &one;
    }
  }
  return nullptr;
}

// The first copy of a file along the search path, as an import would find it.
std::string first_text(const Host& host, const std::vector<std::string>& folders, const std::string& file) {
  for (const std::string& folder : folders)
    if (const auto text = host.files.read(folder + file); text.get()) return *text.get();
  return {};
}

Text wheel_tag(const Host& host, const Distribution& one) {
  return host.files.read(one.metadata + "/WHEEL", 64 << 10).then([&](const std::string& text) {
    const std::string tag = header(text, "Tag");
    return tag.empty() ? Text(absent(one.metadata + "/WHEEL names no tag")) : Text(tag);
  });
}

template <class Framework>
void take_package(const Host& host, const Distribution& one, Framework& framework) {
  framework.version = one.version;
  framework.package = normal_name(one.name);
  framework.wheel_tag = wheel_tag(host, one);
}

// True and False, or nothing.
Flag flag(const std::string& value) {
  if (value == "True") return true;
  return value == "False" ? Flag(false) : Flag();
}

// A version; None is absent.
Text version(const std::string& value, const char* what) {
  if (value == "None") return absent(std::string("built without ") + what);
  return value.empty() ? Text() : Text(value);
}

std::vector<std::string> quoted_items(std::string_view list) {
  static const LazyRegex quoted(R"re('([^']*)'|"([^"]*)")re", RE2::Latin1);
  std::vector<std::string> items;
  re2::StringPiece rest = list;
  for (std::string single, twice; RE2::FindAndConsume(&rest, quoted, &single, &twice);) items.push_back(single + twice);
  return items;
}

void read_tensorflow(const Host& host, const std::vector<std::string>& folders, const std::vector<Distribution>& all,
                     Snapshot& part) {
  const Distribution* one = first_of(all, {"tensorflow", "tensorflow-gpu", "tensorflow-cpu", "tensorflow-rocm",
                                           "tensorflow-intel", "tensorflow-macos", "tf-nightly", "tf-nightly-cpu"});
  std::string build = first_text(host, folders, "/tensorflow/python/platform/build_info.py");
  if (build.empty()) build = first_text(host, folders, "/tensorflow_core/python/platform/build_info.py");  // 1.15, 2.0
  if (!one && build.empty()) return;
  Tensorflow& tensorflow = part.tensorflow.fill();
  if (one) take_package(host, *one, tensorflow);
  tensorflow.built_with_cuda = flag(python_value(build, "is_cuda_build"));
  tensorflow.built_with_rocm = flag(python_value(build, "is_rocm_build"));
  const auto set = [&](Text& field, const char* name, const char* older_name, const char* what) {
    field = version(python_value(build, name), what);
    if (!field.get()) field = version(python_value(build, older_name), what);
    if (!field.get() && tensorflow.built_with_cuda.is(false)) field = absent("built without CUDA");
  };
  set(tensorflow.cuda_version, "cuda_version", "cuda_version_number", "CUDA");
  set(tensorflow.cudnn_version, "cudnn_version", "cudnn_version_number", "cuDNN");
  if (const auto list = quoted_items(python_value(build, "cuda_compute_capabilities")); !list.empty())
    tensorflow.arch_list = list;
}

void read_torch(const Host& host, const std::vector<std::string>& folders, const std::vector<Distribution>& all,
                Snapshot& part) {
  const Distribution* one = first_of(all, {"torch"});
  const std::string source = first_text(host, folders, "/torch/version.py");
  if (!one && source.empty()) return;
  Torch& torch = part.torch.fill();
  if (one) take_package(host, *one, torch);
  if (const std::string stated = python_value(source, "__version__"); !stated.empty()) torch.version = stated;
  torch.cuda_version = version(python_value(source, "cuda"), "CUDA");
  torch.hip_version = version(python_value(source, "hip"), "HIP");
  torch.xpu_version = version(python_value(source, "xpu"), "XPU");
}

void read_jax(const Host& host, const std::vector<Distribution>& all, Snapshot& part) {
  const Distribution* one = first_of(all, {"jax"});
  const Distribution* library = first_of(all, {"jaxlib"});
  if (!one && !library) return;
  Jax& jax = part.jax.fill();
  if (one) jax.version = one->version;
  jax.jaxlib_version = library ? Text(library->version) : Text(absent("jaxlib is not installed"));
  if (library) jax.wheel_tag = wheel_tag(host, *library);
  auto& plugins = jax.plugins.fill();
  for (const Distribution& other : all) {
    const std::string name = normal_name(other.name);
    const bool plugin = name.starts_with("jax-") && (name.ends_with("-plugin") || name.ends_with("-pjrt"));
    if (plugin || name == "jax-metal" || name == "libtpu") plugins.emplace(name, other.version);
  }
}

void read_keras(const Host& host, const std::vector<Distribution>& all, Snapshot& part) {
  const Distribution* one = first_of(all, {"keras", "keras-nightly"});
  const Distribution* legacy = first_of(all, {"tf-keras"});
  if (!one && !legacy) return;
  Keras& keras = part.keras.fill();
  keras.version = one ? Text(one->version) : Text(absent("keras is not installed"));
  keras.tf_keras_version = legacy ? Text(legacy->version) : Text(absent("tf-keras is not installed"));
  const std::string file = keras_config_file(host);
  if (file.empty()) return;
  keras.config_file = file;
  const auto text = host.files.read(file);
  keras.config_backend = text.then([](const std::string& read) { return json_text(read, "/backend"); });
  keras.image_data_format = text.then([](const std::string& read) { return json_text(read, "/image_data_format"); });
}

}  // namespace

std::string python_value(std::string_view source, std::string_view name) {
  for (auto at = source.find(name); at != source.npos; at = source.find(name, at + 1)) {
    std::string_view rest = source.substr(at + name.size());
    const char before = at == 0 ? '\n' : source[at - 1];
    if (before == '\'' || before == '"') {
      if (!rest.starts_with(before)) continue;
      rest = trimmed(rest.substr(1));
      const bool pair = at > 1 && source[at - 2] == '(' && rest.starts_with(',');  // not a list of names
      if (!pair && !rest.starts_with(':')) continue;
    } else if (before == '\n') {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      const auto equals = line.find('=');
      const std::string_view between = trimmed(line.substr(0, equals));
      if (equals == line.npos || (!between.empty() && between[0] != ':')) continue;
      rest = rest.substr(equals);
    } else {
      continue;
    }
    rest = trimmed(rest.substr(1));
    if (rest.empty()) return {};
    if (rest[0] == '\'' || rest[0] == '"') return std::string(rest.substr(1, rest.find(rest[0], 1) - 1));
    if (rest[0] == '[') return std::string(rest.substr(0, rest.find(']')));
    return std::string(rest.substr(0, rest.find_first_of(",)}\r\n ")));
  }
  return {};
}

std::string keras_config_file(const Host& host) {
  if (const std::string home = variable(host, "KERAS_HOME"); !home.empty()) return home + "/keras.json";
  const std::string home = variable(host, "HOME");
  return home.size() > 1 ? home + "/.keras/keras.json" : "";
}

void read_framework_builds(const Host& host, const std::vector<std::string>& folders,
                           const std::vector<Distribution>& all, Snapshot& part) {
  read_tensorflow(host, folders, all, part);
  read_torch(host, folders, all, part);
  read_jax(host, all, part);
  read_keras(host, all, part);
}

}  // namespace envdoctor
