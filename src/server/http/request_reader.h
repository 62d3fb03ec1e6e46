// A request while it arrives: bytes in, a message or a refusal out. Without sockets.
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

  // Parses a prefix of `bytes` and returns its length; the caller passes the rest again, with more
  // bytes behind it. Must not be called once the request is done or refused.
  std::size_t Take(std::string_view bytes);

  bool done() const;

  // 0, or the status to refuse the request with: 400, 413, 414, 431.
  int refused() const { return refused_; }

  // True once if the client waits for "100 Continue" before it sends the body.
  bool WantsContinue();

  // When done: what the client wishes of the connection, and the request. The latter may be called
  // once, and its headers are views that live as long as the reader.
  ConnectionState state() const;
  HttpRequest Message();

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
  RequestLimits limits_;
  int refused_ = 0;
  bool has_line_ = false;  // The first line has been taken.
  bool asked_to_continue_ = false;
};

}  // namespace cboard::server
