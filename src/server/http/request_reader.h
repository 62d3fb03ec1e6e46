// Parses an HTTP request while its bytes arrive, and gives a complete request or a refusal. Uses no
// sockets.
//
//   RequestReader reader(limits);
//   buffer.erase(0, reader.Take(buffer));
//   if (reader.refused() != 0) InvalidArgument(reader.refused());
//   if (reader.done()) Respond(reader.Message());
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cboard/server/http_message.h"
#include "server/http/response_builder.h"

namespace cboard::server {

struct RequestLimits {
  std::uint32_t max_target_bytes = 8 << 10;
  std::uint32_t max_header_bytes = 16 << 10;
  std::uint64_t max_body_bytes = 1 << 20;
};

class RequestReader {
 public:
  explicit RequestReader(const RequestLimits& limits);
  ~RequestReader();

  // Parses the beginning of `bytes` and returns how many bytes were parsed; the caller passes the
  // remaining bytes again, followed by new ones. Must not be called once the request is done or
  // refused.
  std::size_t Take(std::string_view bytes);

  bool done() const;

  // Returns 0, or the status with which the request is refused: 400, 413, 414 or 431.
  int refused() const { return refused_; }

  // Returns true once if the client waits for "100 Continue" before it sends the body.
  bool WantsContinue();

  // For a complete request: what the client wants to do with the connection, and the request
  // itself. Message() may be called once, and its headers are valid as long as the reader.
  ConnectionState state() const;
  HttpRequest Message();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  RequestLimits limits_;
  int refused_ = 0;
  bool has_line_ = false;  // The request line was read.
  bool asked_to_continue_ = false;
};

}  // namespace cboard::server
