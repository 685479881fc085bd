#include "probe/ask.h"

namespace envdoctor {

const std::map<std::string_view, std::string_view>& ask_scripts() {
  static const auto all = [] {
    std::map<std::string_view, std::string_view> scripts;
    for (const ask::Embedded* row = ask::embedded_scripts; row->name != nullptr; ++row)
      scripts.emplace(row->name, std::string_view(row->begin, static_cast<std::size_t>(row->end - row->begin)));
    return scripts;
  }();
  return all;
}

}  // namespace envdoctor
