// A request and a response, as routes see them: without sockets, and without the HTTP library.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cboard/base/result.h"

namespace cboard {

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // As sent: "/api/v1/scalars?run=train&tag=loss".
  std::string host = {};     // The Host header; empty when there is none.
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  // Beside the usual ones.
};

// Answers a request. Called from several threads at once; must not throw.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

HttpResponse JsonResponse(std::string json);

// {"error":{"code":"not_found","message":"…"}} with the status that belongs to the code.
HttpResponse ErrorResponse(const Error& error);
HttpResponse ErrorResponse(int status, std::string_view code, std::string_view message);

// The one place that decides which HTTP status an error is.
int StatusOf(ErrorCode code);

}  // namespace cboard
