// Turns the response of a route into the bytes that are sent: status, headers, conditions,
// compression, ranges. Uses no sockets, so tests can call it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/server/http_message.h"

namespace cboard::server {

struct PreparedResponse {
  int status = 200;
  std::string head;  // Status line and headers, including the empty line.

  // The bytes after the headers; empty for HEAD requests, 304 and event streams.
  std::string_view body() const {
    return std::string_view(shared_ ? *shared_ : own_).substr(begin_, size_);
  }
  std::optional<FileSlice> file;

 private:
  friend class ResponseBuilder;
  std::string own_;
  std::shared_ptr<const std::string> shared_;
  std::size_t begin_ = 0, size_ = 0;
};

struct ConnectionState {
  bool http_1_0 = false;
  bool keep_alive = true;                 // Keep the connection open after the response.
  std::string_view frame_ancestors = {};  // HttpServerOptions::frame_ancestors.
};

// Prepares a response. `response.later` must have been called before. The result owns or shares all
// parts of the response that it needs, except `response.events`.
PreparedResponse PrepareResponse(const HttpRequest& request, HttpResponse&& response,
                                 const ConnectionState& connection);

// Returns true if preparing takes long enough to use another thread, because much text is
// compressed.
bool IsSlowToPrepare(const HttpRequest& request, const HttpResponse& response);

// Returns a date such as "Sun, 06 Nov 1994 08:49:37 GMT"; cached per thread within the same second.
std::string_view HttpDate(std::chrono::system_clock::time_point now);

}  // namespace cboard::server
