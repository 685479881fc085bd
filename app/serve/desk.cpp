#include "app/serve/desk.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "app/output/output_files.h"
#include "app/serve/bounded_answer.h"
#include "app/serve/pasted_text.h"
#include "host/net/local_server.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

constexpr std::chrono::seconds longest_diagnosis{30};
constexpr std::int64_t most_memory_mib = 1024;

// Allows only the page's own script and its answers; the content of a report can run nothing, wherever it is shown.
constexpr const char* page_policy =
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
constexpr const char* report_policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'";

HttpResponse dressed(HttpResponse response, const char* policy) {
  response.headers.insert(response.headers.end(), {{"Content-Security-Policy", policy},
                                                   {"X-Content-Type-Options", "nosniff"},
                                                   {"X-Frame-Options", "DENY"},
                                                   {"Referrer-Policy", "no-referrer"},
                                                   {"Cross-Origin-Resource-Policy", "same-origin"},
                                                   {"Cross-Origin-Opener-Policy", "same-origin"},
                                                   {"Cache-Control", "no-store"}});
  return response;
}

HttpResponse text_page(const char* type, const char* text) {
  return {.type = fmt::format("{}; charset=utf-8", type), .body = text};
}

// Why a request may come from another site's page; empty: it doesn't. Browsers mark such requests.
std::string why_foreign(const HttpRequest& request) {
  const std::string host = request.header("host"), origin = request.header("origin");
  if (!is_number_or_localhost(host))
    return "the header Host names neither an address nor localhost: another site's name may lead here";
  if (request.headers.contains("origin") && origin != "http://" + host) return "the request comes from another site";
  const std::string site = request.header("sec-fetch-site");
  if (request.method == "POST" && !site.empty() && site != "same-origin" && site != "none")
    return "the request comes from another site";
  return {};
}

HttpResponse diagnosed(const HttpRequest& request, const Options& options) {
  const bool page = request.header("accept").find("text/html") != std::string::npos;
  const auto work = [&] {
    return format_named(page ? "html" : "json")->render(diagnose_text(request.body, options), {});
  };
  const BoundedAnswer answer = bounded_answer({.time = longest_diagnosis, .memory_mib = most_memory_mib}, work);
  switch (answer.how) {
    case BoundedAnswer::How::refused:
      return http_error(400, answer.text);
    case BoundedAnswer::How::broke:
      return http_error(503, answer.text);
    case BoundedAnswer::How::answered:
      break;
  }
  return {.type = page ? "text/html; charset=utf-8" : "application/json", .body = answer.text};
}

HttpResponse routed(const HttpRequest& request, const Options& options) {
  if (const std::string why = why_foreign(request); !why.empty()) return http_error(403, why);
  const std::string path = request.target.substr(0, request.target.find('?'));
  const bool reads = request.method == "GET" || request.method == "HEAD";
  const bool known = path == "/" || path == "/desk.js" || path == "/diagnose";
  if (!known) return http_error(404, "there are / and /diagnose");
  if (path == "/diagnose" ? request.method != "POST" : !reads) {
    HttpResponse refused = http_error(405, path == "/diagnose" ? "send a text by POST" : "only to be read");
    refused.headers.emplace_back("Allow", path == "/diagnose" ? "POST" : "GET, HEAD");
    return refused;
  }
  if (path == "/diagnose") return diagnosed(request, options);
  if (!request.body.empty()) return http_error(400, "a request to read has no body");
  return path == "/" ? text_page("text/html", desk_page) : text_page("text/javascript", desk_script);
}

}  // namespace

HttpResponse desk_answer(const HttpRequest& request, const Options& options) {
  HttpResponse response = routed(request, options);
  response.head_only = request.method == "HEAD";
  return dressed(std::move(response), request.method == "POST" ? report_policy : page_policy);
}

std::pair<std::string, std::uint16_t> serve_address(const std::string& text) {
  const auto colon = text.rfind(':');
  std::string address = colon == text.npos ? "127.0.0.1" : text.substr(0, colon);
  if (address.starts_with('[') && address.ends_with(']')) address = address.substr(1, address.size() - 2);
  const std::string digits = colon == text.npos ? text : text.substr(colon + 1);
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || address.empty())
    throw UsageError(
        fmt::format("--serve {}: a port is needed, such as 8080, or an address and a port, such as "
                    "127.0.0.1:8080 or [::1]:8080",
                    text));
  return {address, port};
}

void serve_desk(const Options& options) {
  const auto [address, port] = serve_address(*options.serve);
  const auto server = [&address = address, port = port] {
    try {
      return LocalServer(address, port);
    } catch (const std::runtime_error& error) {
      throw UsageError(fmt::format("--serve: {}", error.what()));
    }
  }();
  const std::string host = address.find(':') == address.npos ? address : "[" + address + "]";
  print_message(fmt::format("envdoctor: http://{}:{}/ (Ctrl-C ends it)\n", host, server.port()));
  const HttpLimits limits;
  server.run({}, [&](int socket) {
    auto [request, refused] = read_request(socket, limits);
    write_response(socket, refused ? dressed(*refused, report_policy) : desk_answer(request, options), limits);
  });
}

}  // namespace envdoctor
