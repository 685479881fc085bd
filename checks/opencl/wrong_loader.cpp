// opencl.wrong-loader: the libOpenCL in use looks for drivers somewhere else than where they are registered.
#include "checks/opencl/opencl_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::opencl_wrong_loader {

using enum SymptomClass;
namespace {

constexpr const char* id = "opencl.wrong-loader";

bool ends_in_a_file(const std::string& value) {
  return value.ends_with(".icd") || value.find(".so") != std::string::npos;
}

struct Fault {
  std::string explanation{};
  std::vector<Evidence> evidence{};
  Fix fix{};
  Confidence confidence = Confidence::likely;
};

// Khronos' loader takes a folder in OCL_ICD_VENDORS; the form with a file works with ocl-icd only.
bool file_for_khronos(const Snapshot& snapshot, const std::string& kind, Fault& fault) {
  const Text vendors = env_of(snapshot, "OCL_ICD_VENDORS");
  if (kind != "khronos" || !vendors.get() || !ends_in_a_file(*vendors.get())) return false;
  fault = {
      .explanation = "OCL_ICD_VENDORS names a file. The loader in use is Khronos', which accepts only a folder there.",
      .evidence = {evidence("/env/OCL_ICD_VENDORS", *vendors.get())},
      .fix = {.text = "Unset the variable, or give it the folder.", .command = "unset OCL_ICD_VENDORS"},
      .confidence = Confidence::certain};
  return true;
}

// A variable or an environment's own loader reads a folder that holds nothing.
bool reads_another_folder(const Snapshot& snapshot, const OpenclLoader& loader, Fault& fault) {
  const auto* icds = opencl::icds(snapshot);
  if (!icds || !icds->empty()) return false;
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const Text value = env_of(snapshot, name);
    if (!value.get() || (loader.variable.get() && *loader.variable.get() != name)) continue;
    if (!loader.variable.get() && *value.get() == "/etc/OpenCL/vendors") continue;
    fault = {.explanation = std::string(name) + " makes the loader read \"" + *value.get() +
                            "\", where no driver is registered, instead of the default folder.",
             .evidence = {evidence(std::string("/env/") + name, *value.get()), evidence("/opencl/icds", "none")},
             .fix = {.text = "Unset the variable.", .command = std::string("unset ") + name}};
    return true;
  }
  const std::string folder = text_of(loader.vendors_dir), path = text_of(loader.path);
  if (folder.empty() || folder == "/etc/OpenCL/vendors") return false;
  fault = {.explanation = "The loader " + path + " reads " + folder +
                          ", where no driver is registered; the system's drivers are in /etc/OpenCL/vendors.",
           .evidence = {evidence("/opencl/loader/path", path), evidence("/opencl/loader/vendors_dir", folder)},
           .fix = {.text = "Use the system's loader (conda: the package ocl-icd-system), or set "
                           "OCL_ICD_VENDORS=/etc/OpenCL/vendors.",
                   .command = "export OCL_ICD_VENDORS=/etc/OpenCL/vendors"}};
  return true;
}

// A driver's own libOpenCL offers that driver's devices and no others.
bool is_a_driver(const Snapshot& snapshot, const OpenclLoader& loader, Fault& fault) {
  if (!loader.kind.is("vendor") || opencl_lists_gpu(snapshot)) return false;
  fault = {
      .explanation =
          text_of(loader.path) + " is one vendor's driver under the loader's name; it loads no other drivers.",
      .evidence = {evidence("/opencl/loader/kind", "vendor"), evidence("/opencl/loader/path", text_of(loader.path))},
      .fix = {.text = "Put the system's libOpenCL.so.1 before this one in the search path."}};
  return true;
}

void judge_loader(const Snapshot& snapshot, Answers& answers) {
  const auto reading = opencl::loader(snapshot);
  if (reading.outcome() == Outcome::absent) return answers.not_applicable(id, "there is no OpenCL loader");
  const OpenclLoader* loader = reading.get();
  if (!loader) return answers.unknown(id, why_unknown("/opencl/loader", reading));
  if (has_any_gpu(snapshot).is(false)) return answers.not_applicable(id, "no GPU that a loader could miss");
  const Flag none = opencl::no_platform(snapshot);
  Fault fault;
  const bool blind = none.is(true) || (opencl::icds(snapshot) && opencl::icds(snapshot)->empty());
  const bool found = (blind && (file_for_khronos(snapshot, opencl::loader_kind(*loader), fault) ||
                                reads_another_folder(snapshot, *loader, fault))) ||
                     is_a_driver(snapshot, *loader, fault);
  if (!found && !blind && !none.get()) return answers.unknown(id, why_unknown("/opencl/application_platforms", none));
  if (!found) return answers.passed(id);
  Finding& finding = answers.found(id, "library:libOpenCL.so.1");
  finding.severity = opencl::weigh(snapshot);
  finding.confidence = fault.confidence;
  finding.explanation = fault.explanation;
  finding.evidence = fault.evidence;
  finding.fix = {fault.fix};
}

void judge(const Facts& facts, Answers& answers) {
  judge_loader(facts.snapshot(), answers);
  const auto lacking = missing_symbol(facts, id);
  if (!lacking) return;
  Finding& finding = add_finding(answers, *lacking->symptom, id, lacking->confidence);
  finding.explanation = "The libOpenCL that this program loads has no " + lacking->symptom->detail("symbol") +
                        ": it is older than the program.";
  finding.fix = {{.text =
                      "Use a newer loader (ocl-icd, or Khronos' own), and keep older copies, such as a CUDA toolkit's "
                      "or an environment's, out of LD_LIBRARY_PATH.",
                  .command = "ldconfig -p | grep libOpenCL"}};
}

// A loader of another installation reads another folder of drivers; one that lacks a symbol version is an older one.
bool wrong_loader(const Facts& facts) {
  return facts.saw({{missing, "opencl-platform"}, {missing, "opencl-device"}}) ||
         facts.with({mismatch, "opencl-loader"}, "kind", "version");
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.wrong-loader",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The OpenCL loader in use reads another folder",
      .claim = "The libOpenCL that this program loads looks for drivers somewhere else than where they are registered.",
      .proof =
          "The libOpenCL that is loaded belongs to another installation, whose registration folder is another one.",
      .disproof = "The loader in use reads the folder that holds the .icd files.",
      .remedy = "Use the system's loader (conda: ocl-icd-system), or point OCL_ICD_VENDORS at /etc/OpenCL/vendors.",
      .explains = {"opencl.no-icd", "opencl.no-platform", "opencl.cpu-only"},
      .symptoms =
          {
              {{mismatch, "opencl-loader"}, likely, wrong_loader},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::opencl_wrong_loader
