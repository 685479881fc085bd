#include "checks/runtime/library_facts.h"

namespace envdoctor::driver_libcuda_linker_name {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.libcuda-linker-name";

void judge(const Facts& facts, Answers& answers) {
  report_missing_libraries(facts, id, answers);
  answers.not_applicable(id, "no program was seen to ask for libcuda.so");
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = id,
      .layer = Layer::runtime,
      .severity = Severity::warning,
      .title = "Only libcuda.so.1 is there, and a compiler asks for libcuda.so",
      .claim = "The driver's library is installed and works; the name that linkers ask for is not.",
      .proof = "A program asks for libcuda.so, and only libcuda.so.1 is there.",
      .disproof = "libcuda.so is found by the linker.",
      .remedy =
          "Add the link libcuda.so -> libcuda.so.1 to a folder of the library path, or link with the toolkit's stubs "
          "folder.",
      .symptoms =
          {
              {{missing, "libcuda-for-linker"}, likely},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_libcuda_linker_name
