#include "knowledge/codes/names.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Libraries {
  std::vector<Soname> sonames{};
  std::vector<VersionSymbol> symbols{};
  std::vector<PipPackage> packages{};
};

const Libraries& libraries() {
  static const Libraries all = [] {
    Libraries l;
    read_table("libraries", {{"sonames",
                              [&l](const Row& row) {
                                l.sonames.push_back({.soname = row.text("soname"),
                                                     .library = row.text("library"),
                                                     .cuda = row.text_if("cuda"),
                                                     .debian_package = row.text_if("debian_package")});
                              }},
                             {"version_symbols",
                              [&l](const Row& row) {
                                l.symbols.push_back({.library = row.text("library"),
                                                     .symbol = row.text("symbol"),
                                                     .signature = row.text("signature"),
                                                     .without_gpu = row.has("needs_gpu") && !row.flag_if("needs_gpu")});
                              }},
                             {"pip_packages", [&l](const Row& row) {
                                l.packages.push_back({.library = row.text("library"),
                                                      .package = row.text("pip_package"),
                                                      .directory = row.text_if("directory")});
                              }}});
    return l;
  }();
  return all;
}

}  // namespace

const std::vector<Soname>& sonames() { return libraries().sonames; }
const std::vector<VersionSymbol>& version_symbols() { return libraries().symbols; }
const std::vector<PipPackage>& pip_packages() { return libraries().packages; }

}  // namespace envdoctor::knowledge
