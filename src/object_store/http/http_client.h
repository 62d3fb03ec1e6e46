// Sends HTTP requests with libcurl, which is loaded for the first request, because no other part
// needs it.
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

  // Returns the value of a response header; empty if it is missing.
  std::string_view header(const std::string& name) const;
};

// Sends HTTP requests. Follows no redirects and does not retry. Proxies come from the environment,
// as in curl. Thread-safe: connections are reused, one per concurrent request.
class HttpClient {
 public:
  // Loads libcurl. Fails with kFailedPrecondition if it is not installed.
  static Result<std::unique_ptr<HttpClient>> Open(std::string ca_file);

  virtual ~HttpClient() = default;

  // Sends an HTTP request. Fails with kUnavailable if there is no response or a truncated one, and
  // with kResourceExhausted if it is longer than allowed.
  virtual Result<HttpResponse> Send(const HttpRequest& request) = 0;
};

}  // namespace cboard::object_store
