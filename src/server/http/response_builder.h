// Turns the response of a route into the bytes that are sent: status, headers, conditions,
// compression, ranges. Without sockets, so that tests can call it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cboard/server/http_message.h"

namespace cboard::server {

struct PreparedResponse {
  int status = 200;
  std::string head;  // The status line and all headers, up to and with the empty line.

  // The bytes after the head; empty for HEAD requests, 304 and event streams.
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
  bool keep_alive = true;                 // Whether the connection stays open after the answer.
  std::string_view frame_ancestors = {};  // HttpServerOptions::frame_ancestors.
};

// `response.later` must have been called by now. The answer owns or shares what it needs of the
// response, except `response.events`.
PreparedResponse PrepareResponse(const HttpRequest& request, HttpResponse&& response,
                                 const ConnectionState& connection);

// Whether preparing takes long enough (compressing much text) to do it on another thread.
bool IsSlowToPrepare(const HttpRequest& request, const HttpResponse& response);

// "Sun, 06 Nov 1994 08:49:37 GMT"; cached per thread while it is current.
std::string_view HttpDate(std::chrono::system_clock::time_point now);

}  // namespace cboard::server
