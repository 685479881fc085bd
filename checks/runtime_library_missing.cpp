// runtime.cuda-library-missing, runtime.cudnn-missing: TensorFlow looks for libraries of its build's CUDA by name, and
// there is no copy. PyTorch and JAX bring theirs with them.
#include <algorithm>

#include "checks/library_rows.h"
#include "checks/presence.h"
#include "knowledge/frameworks.h"

namespace envdoctor {
namespace {

constexpr const char* cuda_id = "runtime.cuda-library-missing";
constexpr const char* cudnn_id = "runtime.cudnn-missing";

void both(Answers& answers, void (Answers::*state)(std::string_view, std::string), const std::string& why) {
  (answers.*state)(cuda_id, why);
  (answers.*state)(cudnn_id, why);
}

// A release with a pip extra for the libraries is given that; a system's own Python is left to its owner.
Fix fix(const Snapshot& snapshot, const std::string& version, const knowledge::TensorflowNeeds& needs) {
  if (version.empty())
    return {.text = "Install the CUDA libraries of the version that the framework asks for, in its own environment."};
  if (needs.cuda_extra.empty())
    return {.text = "Install CUDA " + needs.cuda + " and cuDNN " + needs.cudnn + ", for which TensorFlow " + version +
                    " was built, where the loader finds them."};
  const Text kind = of(snapshot.python, &Python::kind), python = of(snapshot.python, &Python::executable);
  const bool own = kind.is("venv") || kind.is("conda");
  return {.text = "Install the CUDA libraries that belong to this TensorFlow into its own environment.",
          .command = own && python.get()
                         ? "\"" + *python.get() + "\" -m pip install \"" + needs.cuda_extra + "==" + version + "\""
                         : ""};
}

struct Lacking {
  std::vector<std::string> names{};
  std::vector<Evidence> evidence{};
};

void note(const Snapshot& snapshot, const std::string& soname, Lacking& lacking) {
  lacking.names.push_back(soname);
  for (const LibraryRow& row : rows_of(snapshot, soname))
    if (row.library->found.is(false))
      lacking.evidence.push_back(seen(at("/libraries", row.index, "found"), soname + " not found"));
}

void tell(const char* id, const Lacking& lacking, const std::string& who, Confidence sure, const Fix& cure,
          Answers& answers) {
  Finding& finding = answers.found(id, "library:" + lacking.names.front());
  std::string list;
  for (const std::string& name : lacking.names) list += (list.empty() ? "" : ", ") + name;
  finding.confidence = sure;
  finding.explanation =
      who + list + (lacking.names.size() == 1 ? ", and no copy of it is found." : ", and no copies of them are found.");
  finding.evidence = lacking.evidence;
  finding.fix = {cure};
}

// What a report says was not found, where which build asked isn't known.
void judge_report(const Snapshot& snapshot, Answers& answers) {
  Lacking cuda, cudnn;
  for (const SharedLibrary& library : *snapshot.libraries.get()) {
    if (!library.soname.get() || !library.found.is(false)) continue;
    const std::string& name = *library.soname.get();
    if (is_cuda_library(name)) note(snapshot, name, cuda);
    if (is_cudnn_library(name)) note(snapshot, name, cudnn);
  }
  if (!cuda.names.empty())
    tell(cuda_id, cuda, "The program asks for ", Confidence::likely, fix(snapshot, "", {}), answers);
  else
    answers.unknown(cuda_id, "which libraries the framework needs is not known");
  if (!cudnn.names.empty())
    tell(cudnn_id, cudnn, "The program asks for ", Confidence::likely, fix(snapshot, "", {}), answers);
  else
    answers.unknown(cudnn_id, "which libraries the framework needs is not known");
}

void judge(const Snapshot& snapshot, const char* id, const std::vector<std::string>& sonames,
           const std::string& version, const knowledge::TensorflowNeeds& needs, Answers& answers) {
  Lacking lacking;
  std::string unseen;
  for (const std::string& soname : sonames) {
    const Flag found = library_found(snapshot, soname);
    if (found.is(false)) note(snapshot, soname, lacking);
    if (!found.get()) unseen = soname;
  }
  if (!lacking.names.empty()) {
    const bool none_listed = of(snapshot.tensorflow, &Tensorflow::physical_gpus).is(0);
    if (none_listed) lacking.evidence.push_back(seen("/tensorflow/physical_gpus", "0"));
    return tell(id, lacking, "TensorFlow " + version + " asks for ",
                none_listed ? Confidence::certain : Confidence::likely, fix(snapshot, version, needs), answers);
  }
  if (!unseen.empty()) return answers.unknown(id, "/libraries: nobody looked for " + unseen);
  answers.sound(id);
}

void run(const Snapshot& snapshot, Answers& answers) {
  const std::string version = framework_version(snapshot, "tensorflow");
  const Number physical = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return both(answers, &Answers::not_applicable, "no NVIDIA GPU");
  if (physical.get() && *physical.get() > 0) {
    answers.sound(cuda_id);
    return answers.sound(cudnn_id);
  }
  if (of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false) ||
      package_installed(snapshot, "tensorflow-rocm").is(true))
    return both(answers, &Answers::not_applicable, "this TensorFlow is no CUDA build");
  const bool linux =
      !of(snapshot.host, &HostFacts::platform).is("windows") && !of(snapshot.host, &HostFacts::platform).is("macos");
  const auto needs = version.empty() || !linux ? std::nullopt : knowledge::tensorflow_needs(version);
  if (!needs && version.empty() && of(snapshot.python, &Python::packages).get())
    return both(answers, &Answers::not_applicable, "no framework that looks for CUDA libraries outside its packages");
  if (!snapshot.libraries.get()) return both(answers, &Answers::unknown, why_unknown("/libraries", snapshot.libraries));
  if (!needs && told_by_a_report(snapshot)) return judge_report(snapshot, answers);
  if (!needs)
    return both(answers, &Answers::unknown,
                version.empty() ? "which framework is installed is not known"
                                : "what TensorFlow " + version + " needs is not recorded");
  judge(snapshot, cuda_id, needs->sonames, version, *needs, answers);
  judge(snapshot, cudnn_id, {needs->cudnn_soname}, version, *needs, answers);
}

}  // namespace

Check runtime_library_missing() { return {{cuda_id, cudnn_id}, run}; }

}  // namespace envdoctor
