// The request and response types of routes. They depend on neither sockets nor the HTTP library.
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

  // All headers of the request, unchanged. They are valid until the response is sent.
  std::vector<std::pair<std::string_view, std::string_view>> headers = {};
  std::string body = {};
  std::string client = {};  // IP address of the client: "127.0.0.1".
  bool secure = false;      // The request came over TLS.

  // Returns the request's first header with this name, ignoring case; empty if there is none.
  std::string_view Header(std::string_view name) const;
};

// Part of a file. It is sent without reading it into memory first. It must be inside the file. If
// the file shrinks before it is sent completely, the connection is closed.
struct FileSlice {
  std::shared_ptr<const File> file;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  // Headers of the response in addition to the common headers.
  std::vector<std::pair<std::string, std::string>> headers = {};

  // Alternatives to `body`: shared bytes, part of a file, or an event stream that stays open. At
  // most one of them may be set.
  std::shared_ptr<const std::string> shared_body = {};
  std::optional<FileSlice> file = {};
  std::shared_ptr<EventStream> events = {};

  // The body compressed with gzip, if it is already available.
  std::shared_ptr<const std::string> gzip_body = {};

  // The ETag of the response: equal ETags mean equal bytes. If it is empty, the server hashes the
  // bytes.
  std::string etag = {};

  // True for bytes that came from a log. Browsers may show them but never execute them:
  // content types that can contain scripts become application/octet-stream. Range requests are
  // allowed.
  bool untrusted = false;

  // The kind of route that created the response, for /metrics. It is a string literal from a small
  // set.
  std::string_view route = "other";

  // A function that computes the response later. If it is set, all other members are ignored. The
  // function is called on a worker thread and returns the real response; `later` of the real
  // response is ignored. Use it for responses that read the disk or take milliseconds of CPU time,
  // so that other responses are not delayed. Must not throw.
  std::function<HttpResponse()> later = {};
};

// A function that responds to a request. It is called from several threads at once and must not
// throw.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

HttpResponse JsonResponse(std::string json);

// Returns a response with an image, audio or other bytes from a log.
HttpResponse BlobResponse(std::string content_type, std::string bytes);
HttpResponse BlobResponse(std::string content_type, FileSlice slice);

// Returns {"error":{"code":"not_found","message":"…"}} with the HTTP status of the error code.
HttpResponse ErrorResponse(const Error& error);
HttpResponse ErrorResponse(int status, std::string_view code, std::string_view message);

// Returns the HTTP status of an error code. All routes use this mapping.
int StatusOf(ErrorCode code);

}  // namespace cboard::server
