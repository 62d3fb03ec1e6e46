// Requests by libcurl, which is loaded when the first one is made: nobody else needs it.
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
  std::string_view body;  // Sent with PUT.
  std::uint64_t max_response_bytes = std::uint64_t{1} << 20;
  int timeout_seconds = 0;  // 0: as long as bytes keep coming.
};

struct HttpResponse {
  int status = 0;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;

  // Empty if there is none.
  std::string_view header(const std::string& name) const;
};

// Follows no redirects and sends nothing again. Proxies come from the environment, as curl has them.
// Thread-safe: connections are kept and reused, one per request under way.
class HttpClient {
 public:
  // Fails with kFailedPrecondition when libcurl is not installed.
  static Result<std::unique_ptr<HttpClient>> Open(std::string ca_file);

  virtual ~HttpClient() = default;

  // Fails with kUnavailable when there is no answer, or one that ends early, and with
  // kResourceExhausted when it is longer than allowed.
  virtual Result<HttpResponse> Send(const HttpRequest& request) = 0;
};

}  // namespace cboard::object_store
