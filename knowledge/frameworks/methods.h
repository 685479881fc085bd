#pragma once
// The tested results of each way to choose the device (methods.json, written by fixtures/methods/run.py).
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct MethodResult {
  std::string environment{};  // "tensorflow 2.21.0, keras 3.15.1"
  std::string label{};        // works, no effect, raises, unknown
  std::string detail{};
  bool without_gpu = false;  // tested with a simulated GPU
};
struct Method {
  std::string title{};  // empty: no such method
  std::vector<MethodResult> results{};
};
Method method(std::string_view id);

}  // namespace envdoctor::knowledge
