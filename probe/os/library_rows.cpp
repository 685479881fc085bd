#include "knowledge/lazy_regex.h"
#include "probe/os/libraries.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <set>

#include "evidence/json.h"
#include "host/vendor/vendor_library.h"
#include "knowledge/codes/names.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/cuda_toolkits.h"
#include "knowledge/gpus/drivers.h"
#include "probe/probes.h"
#include "probe/python/python_interpreter.h"

namespace envdoctor {

namespace {

// The package's own search path: pip's libraries have RPATHs from one package to another, conda's to its lib folder.
bool leads_there(const std::string& origin) { return origin == "pip" || origin == "conda"; }

}  // namespace

LibraryRows::LibraryRows(const Host& host, const LibraryPlaces& places)
    : files_(host.files), places_(places), loader_(host.files, host.env), packages_(host.files) {}

SharedLibrary LibraryRows::row(const WantedLibrary& wanted, const std::string& path, const std::string& real,
                               const std::string& origin) {
  SharedLibrary row{.soname = wanted.soname, .found = true, .path = path, .origin = origin};
  row.version = version_of_file_name(real, wanted.soname);
  if (const Text packaged = row.version.get() ? Text() : packages_.of(real, wanted.library); packaged.get())
    row.version = packaged;
  row.stub = is_stub(files_, path, real, wanted.soname);
  return row;
}

std::vector<SharedLibrary> LibraryRows::of(const WantedLibrary& wanted) {
  std::vector<SharedLibrary> rows;
  std::set<std::string> listed;  // files, links followed
  const auto search = loader_.look_up(wanted.soname);
  const LibrarySearch* found = search.get();
  if (found != nullptr) {
    const auto add_row = [&](const FoundLibrary& copy) -> SharedLibrary* {
      const std::string real = files_.resolve(copy.path).value_or(copy.path);
      if (!listed.insert(real).second) return nullptr;
      rows.push_back(row(wanted, copy.path, real, copy.origin));
      if (!copy.problem.empty()) rows.back().found = failed(copy.path + ": " + copy.problem);
      return &rows.back();
    };
    add_row(found->chosen);
    for (const FoundLibrary& copy : found->shadowed) {
      if (SharedLibrary* shadowed = add_row(copy)) shadowed->shadowed_by = found->chosen.path;
    }
  } else if (search.outcome() == Outcome::failed) {
    rows.push_back({.soname = wanted.soname, .found = search.missing()});
  }

  std::vector<SharedLibrary> elsewhere;
  for (const LibraryCopy& copy : places_.copies_of(wanted.soname)) {
    if (!listed.insert(copy.real).second) continue;
    SharedLibrary further = row(wanted, copy.path, copy.real, copy.origin);
    further.found = leads_there(copy.origin);
    // Only LD_LIBRARY_PATH takes precedence over a package's own search path.
    const bool wins = found != nullptr && (!leads_there(copy.origin) || found->chosen.origin == "LD_LIBRARY_PATH" ||
                                           found->chosen.origin == "LD_PRELOAD");
    if (wins) further.shadowed_by = found->chosen.path;
    elsewhere.push_back(std::move(further));
  }
  if (rows.empty() && wanted.always &&
      std::ranges::none_of(elsewhere, [](const SharedLibrary& copy) { return copy.found.is(true); })) {
    rows.push_back({.soname = wanted.soname, .found = false});
  }
  std::ranges::move(elsewhere, std::back_inserter(rows));
  return rows;
}

// Which libraries to look for, and which of them to list even where they are missing.

namespace {

// The ones that frameworks load; a toolkit's others are listed only where they are found.
constexpr std::array usual = {"cudart", "cublas", "cublasLt", "cufft", "curand", "cusolver", "cusparse", "cudnn"};

void expect_toolkit(std::set<std::string>& expected, const std::string& cuda) {
  for (const knowledge::Soname& row : knowledge::sonames_of_cuda(knowledge::major_of(cuda))) {
    if (std::ranges::find(usual, row.library) != usual.end()) expected.insert(row.soname);
  }
}

void expect_tensorflow(std::set<std::string>& expected, const std::string& version) {
  const auto needs = knowledge::tensorflow_needs(version);
  if (!needs) return;
  expected.insert(needs->sonames.begin(), needs->sonames.end());
  expected.insert(needs->cudnn_soname);
}

}  // namespace

std::vector<WantedLibrary> wanted_libraries(const Files& files, const std::vector<Toolkit>& toolkits,
                                            const std::vector<std::string>& packages) {
  std::set<std::string> expected = {"libcuda.so.1", "libnvidia-ml.so.1", "libOpenCL.so.1"};
  for (const Toolkit& toolkit : toolkits) {
    if (toolkit.version.get() != nullptr) expect_toolkit(expected, *toolkit.version.get());
  }
  static const LazyRegex tensorflow(R"(tensorflow(?:_gpu)?-(.+)\.dist-info)", RE2::Latin1);
  std::string version;
  for (const std::string& folder : packages) {
    for (const std::string& name : files.list(folder).or_empty())
      if (RE2::FullMatch(name, tensorflow, &version)) expect_tensorflow(expected, version);
  }
  std::vector<WantedLibrary> wanted;
  const auto want = [&](const std::string& soname, const std::string& library) {
    const bool known = std::ranges::any_of(wanted, [&](const WantedLibrary& one) { return one.soname == soname; });
    if (!known) wanted.push_back({.soname = soname, .library = library, .always = expected.contains(soname)});
  };
  for (const knowledge::Soname& row : knowledge::sonames()) want(row.soname, row.library);
  want("libcuda.so", "driver: CUDA");  // what programs were linked with; a toolkit's stub has this name
  want("libamdhip64.so", "HIP runtime");
  want("librocm_smi64.so", "ROCm SMI");
  return wanted;
}

namespace {

constexpr Limits symbol_limits{.time = Milliseconds(10'000), .memory_mib = 4096};

// Rows that are not in the snapshot yet, shared by the children that complete them.
struct Pending {
  std::vector<SharedLibrary> rows{};
  std::size_t children = 0;
};

void hand_in(Session& session, Pending& pending) {
  // Copies of one soname keep their order: the loader's choice first.
  std::ranges::stable_sort(pending.rows, {}, [](const SharedLibrary& row) { return *row.soname.get(); });
  Snapshot part;
  part.libraries = std::move(pending.rows);
  session.add(part);
}

// The version that the library itself reports, set when its child has answered.
void ask_in_subprocess(Session& session, const std::shared_ptr<Pending>& pending, std::size_t index,
                       const std::string& library) {
  const std::string path = *pending->rows[index].path.get();
  ++pending->children;
  const auto work = [path, library](const Channel& channel) {
    channel.step("loading " + path);
    const Text version = ask_version(path, library);
    channel.answer(to_json(Snapshot{.libraries = std::vector<SharedLibrary>{{.version = version}}}));
  };
  session.collect(
      "libraries", symbol_limits, work, [&session, pending, index, path](const Ended& end, const Snapshot& part) {
        SharedLibrary& row = pending->rows[index];
        const auto* answer = part.libraries.get();
        row.version =
            answer != nullptr && answer->size() == 1 ? answer->front().version : Text(failed(path + ": " + end.why));
        if (--pending->children == 0) hand_in(session, *pending);
      });
}

}  // namespace

void probe_libraries(Session& session) {
  const Host& host = session.host;
  Snapshot part;
  part.toolkits = find_toolkits(host);
  session.add(part);

  const std::vector<std::string> packages = site_packages(host, session.options.python);
  const LibraryPlaces places(host, *part.toolkits.get(), packages);
  LibraryRows rows(host, places);
  const auto pending = std::make_shared<Pending>();
  const bool may_ask = host.live && !session.options.quick;
  std::vector<std::pair<std::size_t, std::string>> to_ask;
  for (const WantedLibrary& wanted : wanted_libraries(host.files, *part.toolkits.get(), packages)) {
    for (SharedLibrary& row : rows.of(wanted)) {
      const bool unknown = row.found.is(true) && row.version.get() == nullptr && !row.stub.is(true);
      if (may_ask && unknown && has_version_symbol(wanted.library)) {
        to_ask.emplace_back(pending->rows.size(), wanted.library);
      }
      pending->rows.push_back(std::move(row));
    }
  }
  for (const auto& [index, library] : to_ask) ask_in_subprocess(session, pending, index, library);
  if (to_ask.empty()) hand_in(session, *pending);
}

// Libraries that are asked for their version.

namespace {

using knowledge::VersionSymbol;

Text refused(const VersionSymbol& symbol, int status) {
  return failed(fmt::format("{} gave {}", symbol.symbol, status));
}

std::string triple(int number, int major) {
  return fmt::format("{}.{}.{}", number / major, number % major / 100, number % 100);
}

// Binds the function and lets `call` use it.
template <class Function, class Call>
Text ask(const Library& library, const VersionSymbol& symbol, Call call) {
  Function* get = nullptr;
  library.bind(get, {symbol.symbol.c_str()});
  return get == nullptr ? Text(absent("has no " + symbol.symbol)) : call(get);
}

// int f(int which, int* value), which = 0, 1, 2: major, minor, patch.
Text ask_properties(const Library& library, const VersionSymbol& symbol) {
  return ask<int(int, int*)>(library, symbol, [&](auto* get) -> Text {
    int parts[3] = {};
    for (int which = 0; which < 3; ++which) {
      if (const int status = get(which, &parts[which]); status != 0) return refused(symbol, status);
    }
    return fmt::format("{}.{}.{}", parts[0], parts[1], parts[2]);
  });
}

// int f(int* major, int* minor).
Text ask_pair(const Library& library, const VersionSymbol& symbol) {
  return ask<int(int*, int*)>(library, symbol, [&](auto* get) -> Text {
    int major = 0, minor = 0;
    if (const int status = get(&major, &minor); status != 0) return refused(symbol, status);
    return fmt::format("{}.{}", major, minor);
  });
}

// int f(int* number).
Text ask_number(const Library& library, const VersionSymbol& symbol, std::string (*decode)(int)) {
  return ask<int(int*)>(library, symbol, [&](auto* get) -> Text {
    int number = 0;
    if (const int status = get(&number); status != 0) return refused(symbol, status);
    return decode(number);
  });
}

// size_t f().
Text ask_size(const Library& library, const VersionSymbol& symbol, std::string (*decode)(std::size_t)) {
  return ask<std::size_t()>(library, symbol, [&](auto* get) -> Text { return decode(get()); });
}

struct Question {
  const char* symbol;
  Text (*ask)(const Library&, const VersionSymbol&);
};

constexpr Question questions[] = {
    {"cudaRuntimeGetVersion",
     [](const Library& l, const VersionSymbol& s) {
       return ask_number(l, s, [](int number) { return knowledge::cuda_version_text(number); });
     }},
    {"cublasGetProperty", ask_properties},
    {"cufftGetProperty", ask_properties},
    {"curandGetProperty", ask_properties},
    {"cusolverGetProperty", ask_properties},
    {"cusparseGetProperty", ask_properties},
    {"cublasLtGetVersion",
     [](const Library& l, const VersionSymbol& s) {
       return ask_size(l, s, [](std::size_t number) { return triple(static_cast<int>(number), 10'000); });
     }},
    {"cudnnGetVersion", [](const Library& l, const VersionSymbol& s) { return ask_size(l, s, cudnn_version_text); }},
    {"ncclGetVersion", [](const Library& l, const VersionSymbol& s) { return ask_number(l, s, nccl_version_text); }},
    {"nvrtcVersion", ask_pair},
    {"nvJitLinkVersion", ask_pair},
};

const VersionSymbol* symbol_of(const std::string& library, const Question& question) {
  for (const VersionSymbol& symbol : knowledge::version_symbols()) {
    if (symbol.library == library && symbol.symbol == question.symbol && symbol.without_gpu) return &symbol;
  }
  return nullptr;
}

}  // namespace

std::string nccl_version_text(int number) { return triple(number, number < 10'000 ? 1'000 : 10'000); }

std::string cudnn_version_text(std::size_t number) {
  return triple(static_cast<int>(number), number < 10'000 ? 1'000 : 10'000);
}

bool has_version_symbol(const std::string& library) {
  return std::ranges::any_of(questions,
                             [&](const Question& question) { return symbol_of(library, question) != nullptr; });
}

Text ask_version(const std::string& path, const std::string& library) {
  const auto loaded = Library::open(path);
  if (loaded.get() == nullptr) return loaded.missing();
  Text answer = absent("it exports no known version function");
  for (const Question& question : questions) {
    const VersionSymbol* symbol = symbol_of(library, question);
    if (symbol == nullptr) continue;
    answer = question.ask(*loaded.get(), *symbol);
    if (answer.get() != nullptr) break;
  }
  return answer;
}

}  // namespace envdoctor
