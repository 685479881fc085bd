#include "checks/engine/rule.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::driver_libcuda_linker_name {

using enum SymptomClass;

void judge(const Facts& facts, Answers& answers) {
  // Programs that support several vendors try CUDA first.
  const bool amd_alone = has_gpu(facts, Vendor::amd).is(true) && !has_gpu(facts, Vendor::nvidia).is(true);
  // A program that opens it and then computes on the GPU has tried libcuda.so.1 as well.
  if (!amd_alone && !facts.used()) report_missing_libraries(facts, answers);
  answers.not_applicable("no program was seen to ask for libcuda.so");
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.libcuda-linker-name",
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
