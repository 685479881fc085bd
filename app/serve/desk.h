#pragma once
// The page of `diagnose --serve`: the user pastes a log or drops a file, and sees the report.
#include "app/options/options.h"
#include "host/net/http.h"

namespace envdoctor {

// The answer to one request. Runs nothing that was sent, keeps nothing of it, and reads nothing of this host.
HttpResponse desk_answer(const HttpRequest& request, const Options& options);

// "[ADDRESS:]PORT" of --serve: the numeric address (by default 127.0.0.1) and the port. Throws UsageError.
std::pair<std::string, std::uint16_t> serve_address(const std::string& text);

// Serves until a signal ends this process. Throws UsageError where it cannot listen.
[[noreturn]] void serve_desk(const Options& options);

extern const char* const desk_page;    // HTML
extern const char* const desk_script;  // JavaScript

}  // namespace envdoctor
