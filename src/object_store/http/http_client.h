// Sends HTTP requests with libcurl. The library is loaded when it is first needed, because no other
// part of the program needs it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::object_store {

struct HttpRequest {
  std::string method = "GET";
  std::string url;
  std::map<std::string, std::string> headers;
  std::string_view body;  // Body of a PUT request.
  std::uint64_t max_response_bytes = std::uint64_t{1} << 20;
  int timeout_seconds = 0;  // 0: no limit while bytes arrive.
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;

  // Returns the value of a response header, or an empty text if there is none.
  std::string_view header(const std::string& name) const;
};

// Sends HTTP requests. Does not follow redirects and does not retry. Like curl, finds proxies in
// the environment. Thread-safe. Connections are reused; each concurrent request has its own.
class HttpClient {
 public:
  // Loads libcurl. Fails with kFailedPrecondition if it is not installed.
  static Result<std::unique_ptr<HttpClient>> Open(std::string ca_file);

  virtual ~HttpClient() = default;

  // Sends an HTTP request. Fails with kUnavailable if there is no response or it is truncated, and
  // with kResourceExhausted if the response is longer than the request allows.
  virtual Result<HttpResponse> Send(const HttpRequest& request) = 0;
};

}  // namespace cboard::object_store
