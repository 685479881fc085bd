// opencl.no-icd and opencl.icd-missing-in-container: nothing is registered; in a container perhaps although NVIDIA's
// driver library was passed in.
#include <algorithm>

#include "checks/opencl_facts.h"

namespace envdoctor {
namespace {

constexpr const char* none = "opencl.no-icd";
constexpr const char* in_container_id = "opencl.icd-missing-in-container";
constexpr std::string_view nvidia_library = "libnvidia-opencl.so.1";

// Where in /libraries the driver library stands; -1: not there, or not known.
int passed_in(const Snapshot& snapshot) {
  const auto* libraries = snapshot.libraries.get();
  if (!libraries) return -1;
  const auto found = std::ranges::find_if(*libraries, [](const SharedLibrary& l) {
    return l.soname.get() && *l.soname.get() == nvidia_library && l.found.is(true);
  });
  return found == libraries->end() ? -1 : static_cast<int>(found - libraries->begin());
}

bool registers_nvidia(const std::vector<OpenclIcd>& icds) {
  return std::ranges::any_of(icds, [](const OpenclIcd& icd) {
    return opencl::maker_of(text_of(icd.library)) == opencl::Maker::nvidia ||
           text_of(icd.file).find("nvidia") != std::string::npos;
  });
}

void judge_container(const Snapshot& snapshot, const std::vector<OpenclIcd>& icds, Answers& answers) {
  const Flag container = in_container(snapshot);
  if (container.is(false)) return answers.not_applicable(in_container_id, "this is no container");
  if (!container.get()) return answers.unknown(in_container_id, why_unknown("/host/container", container));
  if (registers_nvidia(icds)) return answers.sound(in_container_id);
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable(in_container_id, "no NVIDIA GPU");
  const int library = passed_in(snapshot);
  if (library < 0 && !snapshot.libraries.get())
    return answers.unknown(in_container_id, why_unknown("/libraries", snapshot.libraries));
  if (library < 0) return answers.not_applicable(in_container_id, "NVIDIA's OpenCL library isn't in this container");

  Finding& finding = answers.found(in_container_id);
  finding.severity =
      gpu_works_without_opencl(snapshot) || opencl_lists_gpu(snapshot) ? Severity::warning : Severity::error;
  finding.explanation =
      "NVIDIA's container runtime passed libnvidia-opencl.so.1 in, and not the one-line file that tells OpenCL's "
      "loader of it.";
  finding.evidence = {seen(at("/libraries", static_cast<std::size_t>(library), "soname"), std::string(nvidia_library)),
                      seen("/opencl/icds", icds.empty() ? "none" : "none for NVIDIA"),
                      seen("/host/container", *snapshot.host.get()->container.get())};
  finding.fix = {
      {.text = "Register the driver in the image.",
       .command = "mkdir -p /etc/OpenCL/vendors && echo libnvidia-opencl.so.1 > /etc/OpenCL/vendors/nvidia.icd"}};
}

Fix driver_for(const Snapshot& snapshot) {
  if (has_gpu(snapshot, Vendor::nvidia).is(true)) {
    const bool debian = text_of(of(snapshot.host, &HostFacts::os)).starts_with("Debian");
    return {.text = "Install the OpenCL part of NVIDIA's driver, of the driver's own version.",
            .command = debian && !in_container(snapshot).is(true)
                           ? opencl::install(snapshot, "nvidia-opencl-icd", "", "")
                           : ""};
  }
  if (has_gpu(snapshot, Vendor::intel).is(true))
    return {.text = "Install Intel's OpenCL driver.",
            .command = opencl::install(snapshot, "intel-opencl-icd", "intel-compute-runtime", "intel-compute-runtime")};
  if (has_gpu(snapshot, Vendor::amd).is(true))
    return {.text = "Install AMD's OpenCL driver (rocm-opencl-runtime) or Mesa's (mesa-opencl-icd)."};
  return {.text = "Install the OpenCL driver of the GPU's vendor."};
}

void judge_none(const Snapshot& snapshot, const std::vector<OpenclIcd>& icds, Answers& answers) {
  if (!icds.empty() || (opencl::platforms(snapshot) && !opencl::platforms(snapshot)->empty()))
    return answers.sound(none);
  if (has_any_gpu(snapshot).is(false)) return answers.not_applicable(none, "no GPU that a driver could be for");
  const auto loader = opencl::loader(snapshot);
  if (loader.outcome() == Outcome::absent)
    return answers.not_applicable(none, "there is no OpenCL loader that would read the folder");
  const OpenclLoader* known = loader.get();
  if (known && (known->variable.get() || known->kind.is("vendor")))
    return answers.not_applicable(none, "the loader was sent elsewhere");
  if (in_container(snapshot).is(true) && passed_in(snapshot) >= 0)
    return answers.not_applicable(none, "the driver is here, only its registration is missing");

  Finding& finding = answers.found(none);
  finding.severity = opencl::weigh(snapshot);
  const std::string folder = known && known->vendors_dir.get() ? *known->vendors_dir.get() : "/etc/OpenCL/vendors";
  finding.explanation = "No driver is registered in " + folder + ", so OpenCL has no platform to offer.";
  finding.evidence = {seen("/opencl/icds", "none")};
  if (known && known->path.get()) finding.evidence.push_back(seen("/opencl/loader/path", *known->path.get()));
  finding.fix = {driver_for(snapshot)};
}

void run(const Snapshot& snapshot, Answers& answers) {
  const auto icds = of(snapshot.opencl, &Opencl::icds);
  if (!icds.get() && icds.outcome() != Outcome::absent) {
    const std::string why = why_unknown("/opencl/icds", icds);
    answers.unknown(none, why);
    return answers.unknown(in_container_id, why);
  }
  const std::vector<OpenclIcd> list = icds.get() ? *icds.get() : std::vector<OpenclIcd>{};
  judge_container(snapshot, list, answers);
  judge_none(snapshot, list, answers);
}

}  // namespace

Check opencl_no_icd() { return {{none, in_container_id}, run}; }

}  // namespace envdoctor
