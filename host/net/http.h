#pragma once
// One request of HTTP/1.1 and its answer, for a server with untrusted clients: strict, bounded in size and time.
// Keep-alive, chunks and ranges are left out: a client that sends one text and reads one page doesn't need them.
// A library would start threads, and this program forks.
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace envdoctor {

struct HttpLimits {
  std::size_t head_bytes = 16 << 10;
  std::size_t body_bytes = 16 << 20;
  std::chrono::milliseconds reading{20'000};  // all of a request
  std::chrono::milliseconds writing{20'000};  // all of an answer
};

struct HttpRequest {
  std::string method{};
  std::string target{};                          // begins with a slash
  std::map<std::string, std::string> headers{};  // names in lower case
  std::string body{};
  [[nodiscard]] std::string header(const std::string& name) const;  // empty: not given
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body{};
  std::vector<std::pair<std::string, std::string>> headers{};
  bool head_only = false;  // sends the body's length without the body
};

// The line and the headers of a request, up to and including the empty line. Otherwise the status and the reason of a
// refusal.
struct ParsedHead {
  HttpRequest request{};
  std::size_t body_bytes = 0;
  int refused = 0;  // a status; 0: accepted
  std::string why{};
};
ParsedHead parse_head(const std::string& head, const HttpLimits& limits);

// Reads one request. If it is malformed, the second holds the response to send.
std::pair<HttpRequest, std::optional<HttpResponse>> read_request(int socket, const HttpLimits& limits);

// Writes the answer and closes our side; waits briefly for the peer, because unread data from it would reset the
// connection and lose the answer.
void write_response(int socket, const HttpResponse& response, const HttpLimits& limits);

// {"error": why} with this status.
HttpResponse http_error(int status, const std::string& why);

}  // namespace envdoctor
