#include "reports/reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "evidence/json.h"
#include "evidence/lines.h"
#include "reports/text/show_rows.h"

namespace envdoctor {
namespace {

// Images of NVIDIA's list all drivers in NVIDIA_REQUIRE_CUDA; JSON holds the whole.
constexpr std::size_t longest_value = 160;

std::string name_of(const ProcessGpu& gpu) {
  return "GPU " + (gpu.index.get() ? std::to_string(*gpu.index.get()) : gpu.pci_address.value_or("?"));
}

// "9.3.0.75" -> "9.3".
std::string two_parts(const std::string& version) {
  const auto dot = version.find('.');
  return version.substr(0, dot == version.npos ? dot : version.find('.', dot + 1));
}

std::string cudnn_words(const ProcessUse& use) {
  const ProcessLibrary* cudnn = cudnn_of(use);
  if (!cudnn) return {};
  const std::string version = cudnn->version.get() ? " " + two_parts(*cudnn->version.get()) : "";
  const std::string origin = cudnn->origin.is("pip")       ? " from the wheel"
                             : cudnn->origin.is("conda")   ? " from conda"
                             : cudnn->origin.is("toolkit") ? " from the toolkit"
                                                           : " of the system";
  return "cuDNN" + version + origin;
}

const ProcessGpu* busiest(const std::vector<ProcessGpu>& gpus) {
  const auto found =
      std::ranges::max_element(gpus, {}, [](const ProcessGpu& g) { return g.busy_percent.value_or(-1); });
  return found == gpus.end() ? nullptr : &*found;
}

std::string gpu_words(const ProcessGpu& gpu) {
  const double* busy = gpu.busy_percent.get();
  const auto* peak = gpu.peak_memory_mib.get();
  return joined({busy ? fmt::format("{:.0f} % busy", *busy) : "", peak ? "peak " + size_text(*peak) : ""});
}

void rows(std::string& page, const char* title, const std::vector<std::string>& lines, const std::string& none) {
  page += fmt::format("{}\n", title);
  for (const std::string& line : lines) page += wrap("  ", line);
  if (lines.empty()) page += wrap("  ", none);
}

}  // namespace

std::string use_line(const Watched& watched, const ProcessVerdict& verdict) {
  const ProcessUse* use = watched.process.get();
  const auto* gpus = use ? use->gpus.get() : nullptr;
  switch (verdict.use) {
    case DeviceUse::ran: {
      std::string on;
      for (const ProcessGpu& gpu : *gpus)
        on += fmt::format("{}{} ({}", on.empty() ? "" : "), ", name_of(gpu), gpu_words(gpu));
      const std::string cudnn = cudnn_words(*use);
      return printable(fmt::format("ran on {}{}{})", on, cudnn.empty() ? "" : ", ", cudnn));
    }
    case DeviceUse::idle: {
      const ProcessGpu* gpu = gpus ? busiest(*gpus) : nullptr;
      if (!gpu) return printable("opened a GPU, and " + verdict.why);
      return printable(
          fmt::format("opened {}, idle {:.0f} % of the time{}", name_of(*gpu), 100 - *gpu->busy_percent.get(),
                      gpu->peak_memory_mib.get() ? " (peak " + size_text(*gpu->peak_memory_mib.get()) + ")" : ""));
    }
    case DeviceUse::never_opened:
      return printable("never opened a GPU: " + verdict.why);
    case DeviceUse::unknown:
      return printable("could not determine whether it used a GPU: " + verdict.why);
  }
  return {};
}

std::string process_json(const Watched& watched, const ProcessVerdict& verdict) {
  static constexpr const char* words[] = {"ran", "idle", "never-opened", "unknown"};
  auto json = nlohmann::json::parse(to_json(watched));
  json["verdict"] = {{"use", words[static_cast<std::size_t>(verdict.use)]},
                     {"worked", verdict.busy_at_all},
                     {"line", use_line(watched, verdict)}};
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string WatchedTime::line(const Watched& now) {
  const ProcessUse use = now.process.or_empty();
  const ProcessTime time = use.time.or_empty();
  const double end = use.seconds.or_empty(), span = end - seen_;
  if (span <= 0) return {};
  const auto share = [&](Real ProcessTime::*part) {
    return std::clamp(((time.*part).or_empty() - (before_.*part).or_empty()) / span, 0.0, 1.0);
  };
  const double busy = share(&ProcessTime::gpu_busy), storage = share(&ProcessTime::storage);
  const double copying = std::min(share(&ProcessTime::copying), 1 - busy);
  const double cores = std::max(0.0, (time.cpu.or_empty() - before_.cpu.or_empty()) / span);
  const double idle = 1 - busy - copying;
  const bool known = time.gpu_busy.get() != nullptr, opened = !use.gpus.or_empty().empty();
  copies_known_ = copies_known_ || time.copying.get();
  // The reason for a wait: a disk, or CPUs that work meanwhile; a main thread that busy-waits for the GPU doesn't
  // count.
  const bool for_storage = storage >= 0.3, for_cpu = cores >= 0.7 || share(&ProcessTime::runnable) >= 0.7;
  seen_ = end;
  before_ = time;
  if (known) {
    busy_ += busy * span;
    copying_ += copying * span;
    (for_storage ? for_storage_ : for_cpu ? for_cpu_ : other_) += idle * span;
  } else {
    unknown_ += span;
  }
  std::string text = fmt::format("{:.0f} s: ", end);
  if (!known)
    return text + printable("GPU unknown: " + time.gpu_busy.why()) + fmt::format("; {:.1f} CPU cores busy", cores);
  if (!opened) return text + fmt::format("no GPU in use; {:.1f} CPU cores busy", cores);
  text += fmt::format("GPU busy {:.0f} %", busy * 100);
  if (const auto* held = time.memory_mib.get(); held && *held > 0) text += ", " + size_text(*held);
  if (copying >= 0.01) text += fmt::format(", copying {:.0f} %", copying * 100);
  if (idle < 0.2) return text + "; not input-bound";
  const std::string waits = for_storage ? "input-bound: it waits for a disk"
                            : for_cpu   ? "input-bound: the GPU waits for the CPU"
                                        : "the GPU waits, and neither CPU nor disk is busy";
  return text + fmt::format("; {}, {:.1f} CPU cores busy", waits, cores);
}

std::string WatchedTime::where_it_went() const {
  if (seen_ <= 0) return {};
  const auto part = [this](const char* what, double seconds) {
    return seconds / seen_ < 0.005 ? "" : fmt::format("{} {:.0f} %", what, 100 * seconds / seen_);
  };
  return joined({fmt::format("GPU busy {:.0f} %", 100 * busy_ / seen_),
                 copies_known_ ? fmt::format("copying {:.0f} %", 100 * copying_ / seen_) : "",
                 part("waiting for the CPU's part (input)", for_cpu_), part("waiting for a disk (input)", for_storage_),
                 part("waiting with CPU and disk idle", other_), part("unknown", unknown_)});
}

std::string render_process(const Watched& watched, const ProcessVerdict& verdict) {
  const ProcessUse* use = watched.process.get();
  if (!use) return wrap("", "Could not inspect the process: " + verdict.why);
  std::string page = fmt::format("Process {} ({})", use->pid.or_empty(), printable(use->program.value_or("?")));
  if (use->processes.or_empty() > 1) page += fmt::format(", {} processes", *use->processes.get());
  page += fmt::format(", watched for {:.1f} s\n\n", use->seconds.or_empty());

  rows(page, "Open GPU device nodes", use->nodes.or_empty(),
       use->unreadable.get() ? "unknown: " + *use->unreadable.get()
       : use->nodes.get()    ? "none"
                             : "unknown");
  std::vector<std::string> lines;
  for (const ProcessLibrary& library : use->libraries.or_empty()) {
    lines.push_back(printable(fmt::format("{}{}, {}: {}", *library.library.get(), value(library.version, " "),
                                          *library.origin.get(), *library.path.get())));
  }
  rows(page, "Loaded GPU libraries and frameworks", lines,
       use->libraries.get() && !use->unreadable.get() ? "none" : "unknown");
  lines.clear();
  for (const auto& [name, value] : use->env.or_empty())
    lines.push_back(printable(
        name + (!value.get() ? ": " + value.why()
                             : "=" + (value.get()->empty() ? "''" : shortened(*value.get(), longest_value)))));
  rows(page, "Environment variables at its start", lines,
       use->env.get() ? "no relevant variables" : "unknown: " + use->env.why());
  lines.clear();
  for (const ProcessGpu& gpu : use->gpus.or_empty())
    lines.push_back(printable(name_of(gpu) + value(gpu.name, " (", ")") + ": " +
                              (gpu_words(gpu).empty() ? gpu.busy_percent.why() : gpu_words(gpu))));
  rows(page, "GPUs in use", lines, use->gpus.get() ? "none" : "unknown: " + use->gpus.why());
  page += "\n";
  std::string line = use_line(watched, verdict);
  line[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(line[0])));
  return page + wrap("", line + ".");
}

}  // namespace envdoctor
