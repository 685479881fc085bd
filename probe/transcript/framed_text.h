#pragma once
// What a service, a launcher, an editor or a test runner puts before every line of what a program printed.
#include <optional>
#include <string>
#include <string_view>

namespace envdoctor {

// The text without the outermost frame that all its lines have: "0: " of srun --label, "Dec 01 10:00:00 host job[42]: " of
// journalctl, rising numbers of lines, "2026-12-01 10:00:00,123 - root - INFO - " of Python's logging, "E   " of pytest,
// bullets and back quotes, the JSON objects of a container engine. As many lines as before. Null: there is none.
std::optional<std::string> without_frame(std::string_view text);

}  // namespace envdoctor
