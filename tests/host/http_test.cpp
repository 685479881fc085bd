// Requests as browsers, scripts and attackers write them.
#include "host/net/http.h"

#include <gmock/gmock.h>
#include <sys/socket.h>

#include "host/net/local_server.h"

namespace envdoctor::http_test {
namespace {

using testing::HasSubstr;

ParsedHead head(const std::string& text) { return parse_head(text, {}); }
int refused(const std::string& text) { return head(text).refused; }

TEST(HttpHead, OfABrowserIsTaken) {
  const ParsedHead parsed =
      head("POST /diagnose HTTP/1.1\r\nHost: localhost:8080\r\nCONTENT-LENGTH: 12\r\nAccept:  text/html \r\n\r\n");
  EXPECT_EQ(parsed.refused, 0) << parsed.why;
  EXPECT_EQ(parsed.request.method, "POST");
  EXPECT_EQ(parsed.request.target, "/diagnose");
  EXPECT_EQ(parsed.request.header("accept"), "text/html");
  EXPECT_EQ(parsed.body_bytes, 12U);
}

TEST(HttpHead, ThatCouldBeReadInTwoWaysIsRefused) {
  const std::string line = "POST / HTTP/1.1\r\nHost: a\r\n";
  EXPECT_EQ(refused(line + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n"), 400);
  EXPECT_EQ(refused(line + "Transfer-Encoding: chunked\r\n\r\n"), 501);
  EXPECT_EQ(refused(line + "Content-Length : 1\r\n\r\n"), 400);
  EXPECT_EQ(refused(line + "X: a\r\n b\r\nContent-Length: 1\r\n\r\n"), 400);
  EXPECT_EQ(refused(line + "Content-Length: +1\r\n\r\n"), 400);
  EXPECT_EQ(refused(line + "Content-Length: 0x1\r\n\r\n"), 400);
  EXPECT_EQ(refused(line + "Content-Length: \r\n\r\n"), 400);
  EXPECT_EQ(refused(line + "Host: b\r\nContent-Length: 1\r\n\r\n"), 400);
  EXPECT_EQ(refused(line + "X: a\nContent-Length: 1\r\n\r\n"), 400);
}

TEST(HttpHead, WithoutWhatIsNeededIsRefused) {
  EXPECT_EQ(refused("GET / HTTP/1.1\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET  HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/2\r\nHost: a\r\n\r\n"), 400);
  EXPECT_EQ(refused("\r\n\r\n"), 400);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\n\r\n"), 411);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\n"), 417);
  EXPECT_EQ(refused("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999999\r\n\r\n"), 413);
}

TEST(HttpRequest, ThatNeverEndsIsGivenUp) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string half = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhalf";
  ASSERT_EQ(::send(ends[0], half.data(), half.size(), 0), static_cast<ssize_t>(half.size()));
  const auto [request, answer] = read_request(ends[1], {.reading = std::chrono::milliseconds(100)});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->status, 408);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST(HttpError, QuotesWhatItTells) {
  EXPECT_EQ(http_error(400, "a \"b\" \\ \n").body, "{\"error\": \"a \\\"b\\\" \\\\ \\u000a\"}\n");
}

TEST(HostHeader, IsANumberOrLocalhost) {
  for (const char* good :
       {"localhost", "localhost:80", "127.0.0.1", "127.0.0.1:8080", "[::1]", "[::1]:80", "10.1.2.3:9"})
    EXPECT_TRUE(is_number_or_localhost(good)) << good;
  for (const char* bad :
       {"", "evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "::1", "[::1",
        "[evil]", "localhost:", "localhost:80:80", "127.0.0.1:x", "127.1", "LOCALHOST@evil"})
    EXPECT_FALSE(is_number_or_localhost(bad)) << bad;
}

}  // namespace
}  // namespace envdoctor::http_test
