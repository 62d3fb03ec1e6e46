#include "server/http/response_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cboard/server/event_hub.h"
#include "server/http/etag.h"

namespace cboard::server {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using Headers = std::vector<std::pair<std::string_view, std::string_view>>;

PreparedResponse Prepare(HttpResponse response, const Headers& headers = {},
                         const char* method = "GET") {
  HttpRequest request{.method = method};
  request.headers = headers;
  return PrepareResponse(request, std::move(response), {});
}

HttpResponse Blob(std::string type, std::string bytes) {
  return BlobResponse(std::move(type), std::move(bytes));
}

// Returns the value of a header.
std::string Value(const PreparedResponse& prepared, const std::string& name) {
  const std::size_t at = prepared.head.find("\r\n" + name + ": ");
  if (at == std::string::npos) return "none";
  const std::size_t begin = at + name.size() + 4;
  return prepared.head.substr(begin, prepared.head.find("\r\n", begin) - begin);
}

TEST(PreparedResponse, HasAHeadAndABody) {
  const PreparedResponse prepared = Prepare({.body = "hello"});
  EXPECT_THAT(prepared.head, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
  EXPECT_THAT(prepared.head, EndsWith("\r\n\r\n"));
  EXPECT_EQ(Value(prepared, "Content-Length"), "5");
  EXPECT_EQ(Value(prepared, "Content-Type"), "text/plain; charset=utf-8");
  EXPECT_EQ(Value(prepared, "Cache-Control"), "no-cache");
  EXPECT_EQ(prepared.body(), "hello");
}

TEST(PreparedResponse, TellsBrowsersToStayWithTls) {
  const auto policy = [](bool secure, const char* host) {
    const HttpRequest request{.host = host, .secure = secure};
    return Value(PrepareResponse(request, {}, {}), "Strict-Transport-Security");
  };
  EXPECT_EQ(policy(true, "board.example:6006"), "max-age=15552000");
  EXPECT_EQ(policy(false, "board.example:6006"), "none");
  // It would apply to all other servers on this host.
  EXPECT_EQ(policy(true, "localhost:6006"), "none");
  EXPECT_EQ(policy(true, "127.0.0.1:6006"), "none");
  EXPECT_EQ(policy(true, "[::1]:6006"), "none");
}

TEST(PreparedResponse, CarriesTheSafeHeadersWhateverItIs) {
  HttpResponse moved{.status = 308, .headers = {{"Location", "/"}}};
  HttpResponse events;
  events.events = EventHub().Subscribe();
  for (const PreparedResponse& prepared :
       {Prepare({}), Prepare(ErrorResponse(404, "not_found", "no")), Prepare(std::move(moved)),
        Prepare(std::move(events)), Prepare(Blob("image/png", "x")), Prepare({}, {}, "HEAD"),
        Prepare({.body = "x"}, {{"If-None-Match", "*"}}),
        Prepare(Blob("image/png", "x"), {{"Range", "bytes=9-"}})}) {
    EXPECT_EQ(Value(prepared, "X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(Value(prepared, "Referrer-Policy"), "no-referrer");
    EXPECT_EQ(Value(prepared, "Cross-Origin-Resource-Policy"), "same-origin");
    EXPECT_EQ(Value(prepared, "Cross-Origin-Opener-Policy"), "same-origin");
    EXPECT_THAT(Value(prepared, "Content-Security-Policy"), StartsWith("default-src 'none'; "));
    EXPECT_THAT(Value(prepared, "Content-Security-Policy"), HasSubstr("frame-ancestors 'none'"));
    EXPECT_THAT(prepared.head, Not(HasSubstr("unsafe")));
  }
}

TEST(PreparedResponse, NamesTheOriginsThatMayFrameIt) {
  const ConnectionState connection{.frame_ancestors = "http://localhost:*"};
  const PreparedResponse page = PrepareResponse({}, {.body = "x"}, connection);
  EXPECT_THAT(Value(page, "Content-Security-Policy"),
              EndsWith("frame-ancestors http://localhost:*"));
  EXPECT_EQ(Value(page, "X-Frame-Options"), "none");
  const PreparedResponse blob = PrepareResponse({}, Blob("image/png", "x"), connection);
  EXPECT_THAT(Value(blob, "Content-Security-Policy"), EndsWith("frame-ancestors 'none'"));
  EXPECT_EQ(Value(Prepare({}), "X-Frame-Options"), "DENY");
}

TEST(PreparedResponse, NeverLetsBlobsRun) {
  for (const char* type : {"image/svg+xml", "text/html", "text/html; charset=utf-8", "text/xml",
                           "application/xhtml+xml", "application/javascript", "IMAGE/SVG+XML",
                           "application/pdf", "image/x-unknown", ""}) {
    const PreparedResponse prepared = Prepare(Blob(type, "<script>"));
    EXPECT_EQ(Value(prepared, "Content-Type"), "application/octet-stream") << type;
    EXPECT_EQ(Value(prepared, "Content-Disposition"), "attachment") << type;
    EXPECT_THAT(Value(prepared, "Content-Security-Policy"), HasSubstr("; sandbox;")) << type;
  }
  const PreparedResponse image = Prepare(Blob("image/png", "x"));
  EXPECT_EQ(Value(image, "Content-Type"), "image/png");
  EXPECT_EQ(Value(image, "Content-Disposition"), "inline");
  EXPECT_THAT(Value(image, "Content-Security-Policy"), HasSubstr("; sandbox;"));
}

TEST(PreparedResponse, KeepsHeadersOnTheirLines) {
  const PreparedResponse prepared =
      Prepare({.content_type = "a\r\nX-Evil: 1", .headers = {{"X-Run", "b\r\n\r\n<script>\0"}}});
  EXPECT_THAT(prepared.head, Not(HasSubstr("\r\nX-Evil")));
  EXPECT_EQ(prepared.head.find("\r\n\r\n"), prepared.head.size() - 4);
}

TEST(PreparedResponse, SaysNotModifiedToThoseWhoKnowTheContent) {
  const std::string tag = Value(Prepare({.body = "hello"}), "ETag");
  EXPECT_EQ(tag, "\"" + EtagOf("hello") + "\"");
  const PreparedResponse known = Prepare({.body = "hello"}, {{"If-None-Match", tag}});
  EXPECT_EQ(known.status, 304);
  EXPECT_EQ(known.body(), "");
  EXPECT_EQ(Value(known, "ETag"), tag);
  EXPECT_EQ(Value(known, "Content-Length"), "none");
  EXPECT_EQ(Prepare({.body = "other"}, {{"If-None-Match", tag}}).status, 200);
  EXPECT_EQ(Prepare({.status = 404, .body = "hello"}, {{"If-None-Match", tag}}).status, 404);
  EXPECT_EQ(Prepare({.body = "hello"}, {{"If-None-Match", tag}}, "POST").status, 200);
}

TEST(PreparedResponse, TakesTheNameThatARouteGives) {
  HttpResponse response{.body = "hello"};
  response.etag = "v17\r\n\"x\"";
  EXPECT_EQ(Value(Prepare(response), "ETag"), "\"v17x\"");
  EXPECT_EQ(Prepare(response, {{"If-None-Match", "\"v17x\""}}).status, 304);
}

TEST(PreparedResponse, HasNoNameWhenItMustNotBeKept) {
  EXPECT_EQ(Value(Prepare({.body = "x", .headers = {{"Cache-Control", "no-store"}}}), "ETag"),
            "none");
  EXPECT_EQ(Value(Prepare(ErrorResponse(404, "not_found", "no")), "ETag"), "none");
}

TEST(PreparedResponse, IsCompressedWhenThatHelps) {
  const std::string text(5000, 'x');
  const PreparedResponse packed = Prepare({.body = text}, {{"Accept-Encoding", "gzip"}});
  EXPECT_EQ(Value(packed, "Content-Encoding"), "gzip");
  EXPECT_EQ(Value(packed, "Vary"), "Accept-Encoding");
  EXPECT_EQ(Value(packed, "Content-Length"), std::to_string(packed.body().size()));
  EXPECT_LT(packed.body().size(), 200u);
  const PreparedResponse plain = Prepare({.body = text});
  EXPECT_EQ(plain.body(), text);
  EXPECT_EQ(Value(plain, "Vary"), "Accept-Encoding");
  EXPECT_NE(Value(plain, "ETag"), Value(packed, "ETag"));

  const Headers two_lines = {{"Accept-Encoding", "identity"}, {"accept-encoding", "gzip"}};
  EXPECT_EQ(Value(Prepare({.body = text}, two_lines), "Content-Encoding"), "gzip");

  const Headers gzip = {{"Accept-Encoding", "gzip"}};
  EXPECT_EQ(Value(Prepare({.body = "short"}, gzip), "Content-Encoding"), "none");
  EXPECT_EQ(Value(Prepare(Blob("image/png", text), gzip), "Content-Encoding"), "none");
}

TEST(PreparedResponse, KnowsBothFormsOfWhatItCompresses) {
  const std::string text(5000, 'x');
  const Headers gzip = {{"Accept-Encoding", "gzip"}};
  const std::string plain_tag = Value(Prepare({.body = text}), "ETag");
  const std::string packed_tag = Value(Prepare({.body = text}, gzip), "ETag");
  for (const std::string& tag : {plain_tag, packed_tag}) {
    EXPECT_EQ(Prepare({.body = text}, {{"If-None-Match", tag}}).status, 304);
    const PreparedResponse known =
        Prepare({.body = text}, {{"If-None-Match", tag}, {"Accept-Encoding", "gzip"}});
    EXPECT_EQ(known.status, 304);
    EXPECT_EQ(Value(known, "ETag"), packed_tag);
  }
}

TEST(PreparedResponse, UsesWhatIsCompressedAlready) {
  HttpResponse response;
  response.shared_body = std::make_shared<const std::string>(5000, 'x');
  response.gzip_body = std::make_shared<const std::string>("packed");
  EXPECT_EQ(Prepare(response, {{"Accept-Encoding", "gzip"}}).body(), "packed");
  EXPECT_EQ(Prepare(response).body(), *response.shared_body);
  EXPECT_EQ(Prepare(response).body().data(), response.shared_body->data());  // Not a copy.
}

TEST(PreparedResponse, GivesRangesOfBlobs) {
  const PreparedResponse part = Prepare(Blob("audio/wav", "0123456789"), {{"Range", "bytes=2-4"}});
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body(), "234");
  EXPECT_EQ(Value(part, "Content-Range"), "bytes 2-4/10");
  EXPECT_EQ(Value(part, "Content-Length"), "3");
  const PreparedResponse beyond =
      Prepare(Blob("audio/wav", "0123456789"), {{"Range", "bytes=10-"}});
  EXPECT_EQ(beyond.status, 416);
  EXPECT_EQ(Value(beyond, "Content-Range"), "bytes */10");
  EXPECT_EQ(beyond.body(), "");
  const PreparedResponse whole = Prepare(Blob("audio/wav", "0123456789"));
  EXPECT_EQ(Value(whole, "Accept-Ranges"), "bytes");
  const PreparedResponse several =
      Prepare(Blob("audio/wav", "0123456789"), {{"Range", "bytes=0-1,3-4"}});
  EXPECT_EQ(several.status, 200);
  EXPECT_EQ(several.body(), "0123456789");
}

TEST(PreparedResponse, GivesARangeOnlyOfTheContentThatWasMeant) {
  const std::string tag = Value(Prepare(Blob("audio/wav", "0123456789")), "ETag");
  const auto status = [&](std::string_view if_range) {
    return Prepare(Blob("audio/wav", "0123456789"),
                   {{"Range", "bytes=2-4"}, {"If-Range", if_range}})
        .status;
  };
  EXPECT_EQ(status(tag), 206);
  EXPECT_EQ(status("\"other\""), 200);
  EXPECT_EQ(status("W/" + tag), 200);
}

TEST(PreparedResponse, ToHeadIsTheSameWithoutTheBody) {
  for (const Headers& headers : {Headers{}, Headers{{"Accept-Encoding", "gzip"}}}) {
    const PreparedResponse get = Prepare({.body = std::string(5000, 'x')}, headers);
    const PreparedResponse head = Prepare({.body = std::string(5000, 'x')}, headers, "HEAD");
    EXPECT_EQ(Value(head, "Content-Length"), Value(get, "Content-Length"));
    EXPECT_EQ(Value(head, "ETag"), Value(get, "ETag"));
    EXPECT_EQ(head.body(), "");
  }
}

TEST(PreparedResponse, SpeaksToOldClientsInTheirWords) {
  const PreparedResponse kept = PrepareResponse({}, {}, {.http_1_0 = true, .keep_alive = true});
  EXPECT_THAT(kept.head, StartsWith("HTTP/1.0 200 OK\r\n"));
  EXPECT_EQ(Value(kept, "Connection"), "keep-alive");
  EXPECT_EQ(Value(PrepareResponse({}, {}, {.keep_alive = false}), "Connection"), "close");
}

TEST(HttpDate, IsInTheFormatOfTheStandard) {
  const auto at = [](long seconds) {
    return HttpDate(std::chrono::system_clock::from_time_t(seconds));
  };
  EXPECT_EQ(at(784111777), "Sun, 06 Nov 1994 08:49:37 GMT");
  EXPECT_EQ(at(0), "Thu, 01 Jan 1970 00:00:00 GMT");
}

}  // namespace
}  // namespace cboard::server
