#include "probe/transcript/error_fields.h"

#include <re2/re2.h>

#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/text_piece.h"

namespace envdoctor {

std::string ErrorFields::line(std::string_view line) {
  constexpr std::size_t longest = 120;
  constexpr int most_lines = 12;  // programs leave lines between the fields empty
  static const LazyRegex heading(
      R"((?i)^(?:\[[^\]]{1,40}\] ?){0,3}\W{0,6}(?:\w+ ){0,3}?(cuda|hip|opencl)[ _]?(?:runtime |driver |api |gpu )*(?:error|failure|exception)(?: (?:occurred|detected|found|report|info(?:rmation)?|details))?\W{0,6}$)",
      RE2::Latin1);
  static const LazyRegex field(
      R"((?i)^(?:\[[^\]]{1,40}\] ?){0,3}\W{0,12}(?:(?:(?:cuda|hip|cl|return|error|err|status)[ _]?)?(?:code|err|error|status)|(?:error|err)[ _]?(?:number|no|num|value))\.?\s{0,8}[:=(]\s{0,8}(-?[0-9]{1,4})\b\W{0,3}(?:$|[^0-9.]))",
      RE2::Latin1);
  if (line.size() > longest) return {};
  const bool speaks =
      (contains(line, "rror") || contains(line, "RROR") || contains(line, "ailure") || contains(line, "xception")) &&
      last_letter_ends(line, {"error", "failure", "exception", "occurred", "detected", "found", "report", "info",
                              "information", "details"}) &&
      has_any(line, {"cuda", "hip", "opencl"});
  if (std::string api; speaks && RE2::PartialMatch(piece_of(line), heading, &api)) {
    api_ = api[0] == 'c' || api[0] == 'C' ? "CUDA" : api[0] == 'h' || api[0] == 'H' ? "HIP" : "OpenCL";
    patience_ = most_lines;
    return {};
  }
  if (patience_ == 0) return {};
  --patience_;
  std::string code;
  if (!RE2::PartialMatch(piece_of(line), field, &code) || code == "0") return {};
  patience_ = 0;
  return api_ + " error " + code;
}

}  // namespace envdoctor
