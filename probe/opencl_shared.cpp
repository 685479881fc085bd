// Drivers share large libraries, LLVM above all: loaded once, before the drivers' children part, they cost once.
#include <map>
#include <set>

#include "probe/opencl.h"

namespace envdoctor::opencl {
namespace {

// What the loader would open for a name, however it is asked; empty unless all would get the same.
std::string system_path(const Loader& loader, const std::string& soname, const std::string& requester) {
  const auto search = loader.look_up(soname, requester);
  if (!search.get()) return {};
  const FoundLibrary& chosen = search.get()->chosen;
  const bool system = chosen.origin == "ldcache" || chosen.origin == "default";
  return system && chosen.trouble.empty() ? chosen.path : "";
}

}  // namespace

std::vector<std::string> shared_libraries(const Host& host, const Loader& loader, const std::vector<OpenclIcd>& icds) {
  std::map<std::string, int> wanted;
  for (const OpenclIcd& icd : icds) {
    if (icd.loads.is(false) || !icd.library.get()) continue;
    const std::string driver = system_path(loader, *icd.library.get(), "");
    const auto facts = driver.empty() ? Reading<ElfFacts>() : elf_facts(host.files, driver);
    if (!facts.get() || !facts.get()->rpath.empty()) continue;  // an RPATH holds for what is needed in turn, too
    std::set<std::string> needed;
    for (const std::string& soname : facts.get()->needed) needed.insert(system_path(loader, soname, driver));
    for (const std::string& path : needed) ++wanted[path];
  }
  wanted.erase("");
  std::vector<std::string> shared;
  for (const auto& [path, drivers] : wanted) {
    if (drivers > 1) shared.push_back(path);
  }
  return shared;
}

}  // namespace envdoctor::opencl
