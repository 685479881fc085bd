#include "probe/os/libraries.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "host/vendor/vendor_library.h"
#include "knowledge/codes/names.h"
#include "knowledge/gpus/cuda_toolkits.h"

namespace envdoctor {
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
