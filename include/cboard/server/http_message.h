// A request and a response, as routes see them: without sockets, and without the HTTP library.
//
//   HttpResponse Respond(const HttpRequest& request) {
//     if (request.target == "/healthz") return {.status = 200, .body = "ok\n"};
//     return ErrorResponse(404, "not_found", "there is nothing here");
//   }
//
// The server adds the common parts of a response: length, date, ETag and 304, gzip, ranges, and
// security headers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/result.h"

namespace cboard::server {

class EventStream;  // cboard/server/event_hub.h

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // As sent: "/api/v1/scalars?run=train&tag=loss".
  std::string host = {};     // The Host header; empty when there is none.

  // All headers, as sent. They live until the request has been answered.
  std::vector<std::pair<std::string_view, std::string_view>> headers = {};
  std::string body = {};
  std::string client = {};  // The address of the other side: "127.0.0.1".
  bool secure = false;      // Came over TLS.

  // The first header of this name, whatever its case; empty when there is none.
  std::string_view Header(std::string_view name) const;
};

// Part of a file, sent without being read into memory first. Must not reach past the file's end;
// a file that shrinks meanwhile ends the connection.
struct FileSlice {
  std::shared_ptr<const File> file;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  // Beside the usual ones.

  // Each of these, when set, is the body instead: bytes shared with other answers, part of a file,
  // a stream of events that stays open.
  std::shared_ptr<const std::string> shared_body = {};
  std::optional<FileSlice> file = {};
  std::shared_ptr<EventStream> events = {};

  // The body compressed with gzip, when somebody has done that already.
  std::shared_ptr<const std::string> gzip_body = {};

  // Identifies the content: equal text, equal bytes. Empty: the server hashes the bytes.
  std::string etag = {};

  // Bytes that came from a log. Browsers may show them, and never run them, whatever they are:
  // types that could hold a script become application/octet-stream. Ranges of them may be asked
  // for.
  bool untrusted = false;

  // Kind of the route that responded, for /metrics. One of a few literals.
  std::string_view route = "other";

  // When set, everything else is ignored and this is called, on a thread that may take its time,
  // for the real response (in which `later` is ignored). For answers that need the disk or
  // milliseconds of work, so that others do not wait for them. Must not throw.
  std::function<HttpResponse()> later = {};
};

// Answers a request. Called from several threads at once; must not throw.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

HttpResponse JsonResponse(std::string json);

// Images, audio and other bytes from a log.
HttpResponse BlobResponse(std::string content_type, std::string bytes);
HttpResponse BlobResponse(std::string content_type, FileSlice slice);

// {"error":{"code":"not_found","message":"…"}} with the status that belongs to the code.
HttpResponse ErrorResponse(const Error& error);
HttpResponse ErrorResponse(int status, std::string_view code, std::string_view message);

// The one place that decides which HTTP status an error is.
int StatusOf(ErrorCode code);

}  // namespace cboard::server
