#include "host/net/http.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace envdoctor {
namespace {

using Clock = std::chrono::steady_clock;

bool is_token(std::string_view text) {
  constexpr std::string_view others = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || others.find(c) != others.npos;
  });
}

bool is_plain(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '\t' || (c >= ' ' && c != '\x7f'); });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  return first == text.npos ? std::string_view() : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

ParsedHead refusal(int status, const std::string& why) { return {.refused = status, .why = why}; }

// "POST /diagnose HTTP/1.1". Empty: accepted; else why not.
std::string take_line(std::string_view line, HttpRequest& request) {
  const auto first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || first == last) return "the request line has three words";
  const std::string_view target = line.substr(first + 1, last - first - 1), version = line.substr(last + 1);
  request.method = line.substr(0, first);
  request.target = target;
  if (!is_token(request.method)) return "the method is none";
  if (!target.starts_with('/') || !std::ranges::all_of(target, [](char c) { return c > ' ' && c < '\x7f'; }))
    return "the target is no path";
  return version == "HTTP/1.1" || version == "HTTP/1.0" ? "" : "HTTP/1.1 is needed";
}

// One "Name: value". Empty: accepted; else why not.
std::string take_header(std::string_view line, HttpRequest& request) {
  const auto colon = line.find(':');
  if (colon == line.npos || !is_token(line.substr(0, colon))) return "a header has no name";
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (!is_plain(value)) return "a header holds control characters";
  std::string name = lower(line.substr(0, colon));
  static constexpr std::string_view once[] = {"host",   "content-length", "transfer-encoding",
                                              "origin", "expect",         "sec-fetch-site"};
  const bool fresh = request.headers.emplace(name, value).second;
  return fresh || std::ranges::find(once, name) == std::end(once) ? "" : "two headers " + name;
}

// Waits until something can be read or written; false: the time is up, or the peer is gone.
bool ready(int socket, short what, Clock::time_point until) {
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd polled{.fd = socket, .events = what, .revents = 0};
    const int some = left <= 0 ? 0 : ::poll(&polled, 1, static_cast<int>(left));
    if (some > 0) return true;
    if (some == 0 || errno != EINTR) return false;
  }
}

// Appends what has arrived, at most `most` bytes. False: end of input, or a timeout.
bool read_some(int socket, std::string& into, std::size_t most, Clock::time_point until) {
  char bytes[64 << 10];
  while (ready(socket, POLLIN, until)) {
    const ssize_t got = ::recv(socket, bytes, std::min(most, sizeof(bytes)), MSG_DONTWAIT);
    if (got > 0) into.append(bytes, static_cast<std::size_t>(got));
    if (got >= 0) return got > 0;
    if (errno != EINTR && errno != EAGAIN) return false;
  }
  return false;
}

bool send_all(int socket, std::string_view bytes, Clock::time_point until) {
  while (!bytes.empty()) {
    if (!ready(socket, POLLOUT, until)) return false;
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) bytes.remove_prefix(static_cast<std::size_t>(sent));
    if (sent < 0 && errno != EINTR && errno != EAGAIN) return false;
  }
  return true;
}

const char* reason(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 417:
      return "Expectation Failed";
    case 431:
      return "Request Header Fields Too Large";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

// As a JSON text: everything that isn't plain ASCII is escaped.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += std::string("\\") + c;
    } else {
      out += byte < 0x20 || byte == 0x7f ? fmt::format("\\u{:04x}", byte) : std::string(1, c);
    }
  }
  return out + "\"";
}

}  // namespace

std::string HttpRequest::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? std::string() : found->second;
}

HttpResponse http_error(int status, const std::string& why) {
  return {.status = status, .body = "{\"error\": " + quoted(why) + "}\n"};
}

ParsedHead parse_head(const std::string& head, const HttpLimits& limits) {
  ParsedHead parsed;
  std::string_view rest = head;
  for (bool first = true; !rest.empty(); first = false) {
    const auto end = rest.find("\r\n");
    if (end == rest.npos) return refusal(400, "a line has no end");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    if (line.empty()) break;
    const std::string why = first ? take_line(line, parsed.request) : take_header(line, parsed.request);
    if (!why.empty()) return refusal(400, why);
  }
  const HttpRequest& request = parsed.request;
  if (request.method.empty()) return refusal(400, "the request line is missing");
  if (request.header("host").empty()) return refusal(400, "the header Host is missing");
  if (request.headers.contains("transfer-encoding")) return refusal(501, "send the body whole, with Content-Length");
  const std::string expected = lower(request.header("expect"));
  if (!expected.empty() && expected != "100-continue") return refusal(417, "nothing but 100-continue is expected");
  if (!request.headers.contains("content-length"))
    return request.method == "POST" ? refusal(411, "the header Content-Length is missing") : parsed;
  const std::string length = request.header("content-length");
  const auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), parsed.body_bytes);
  const bool digits = !length.empty() && std::ranges::all_of(length, [](char c) { return c >= '0' && c <= '9'; });
  if (!digits) return refusal(400, "Content-Length is no number");
  if (error != std::errc() || parsed.body_bytes > limits.body_bytes)
    return refusal(413, fmt::format("the body is longer than {} MiB", limits.body_bytes >> 20));
  return parsed;
}

std::pair<HttpRequest, std::optional<HttpResponse>> read_request(int socket, const HttpLimits& limits) {
  const auto until = Clock::now() + limits.reading;
  const auto refused = [](int status, const std::string& why) {
    return std::pair(HttpRequest(), std::optional(http_error(status, why)));
  };
  std::string bytes;
  std::size_t end = bytes.npos;
  for (std::size_t from = 0; end == bytes.npos; from = bytes.size() < 3 ? 0 : bytes.size() - 3) {
    if (bytes.size() > limits.head_bytes) return refused(431, "the headers are too long");
    if (!read_some(socket, bytes, limits.head_bytes + 4, until)) return refused(408, "the request has no end");
    end = bytes.find("\r\n\r\n", from);
  }
  if (end > limits.head_bytes) return refused(431, "the headers are too long");
  ParsedHead parsed = parse_head(bytes.substr(0, end + 4), limits);
  if (parsed.refused != 0) return refused(parsed.refused, parsed.why);
  std::string& body = parsed.request.body;
  body = bytes.substr(end + 4);
  if (body.size() > parsed.body_bytes) return refused(400, "more was sent than Content-Length says");
  const bool waits = !parsed.request.header("expect").empty() && body.size() < parsed.body_bytes;
  if (waits && !send_all(socket, "HTTP/1.1 100 Continue\r\n\r\n", until)) return refused(408, "the request has no end");
  while (body.size() < parsed.body_bytes) {
    if (!read_some(socket, body, parsed.body_bytes - body.size(), until)) return refused(408, "the body has no end");
  }
  return {std::move(parsed.request), std::nullopt};
}

void write_response(int socket, const HttpResponse& response, const HttpLimits& limits) {
  std::string head = fmt::format("HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n",
                                 response.status, reason(response.status), response.type, response.body.size());
  for (const auto& [name, value] : response.headers) head += fmt::format("{}: {}\r\n", name, value);
  const auto until = Clock::now() + limits.writing;
  const std::string body = response.head_only ? std::string() : response.body;
  if (!send_all(socket, head + "\r\n" + body, until)) return;
  ::shutdown(socket, SHUT_WR);
  const auto rest = Clock::now() + std::chrono::seconds(2);
  std::string unread;
  for (std::size_t passed = 0; passed < (limits.body_bytes << 1) && read_some(socket, unread, 1 << 16, rest);) {
    passed += unread.size();
    unread.clear();
  }
}

}  // namespace envdoctor
