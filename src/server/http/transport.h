// Sends and receives the bytes of a connection, in plain text or through TLS. One read and one
// write may run at the same time. Errors, including the end of the stream, are stored in `error`.
// Closing the socket ends every wait.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/server/http_server.h"
#include "server/http/coroutine.h"

namespace cboard::server::net {

class Transport {
 public:
  virtual ~Transport() = default;

  virtual Socket& socket() = 0;
  virtual bool secure() const = 0;

  virtual Awaitable<void> Handshake(error_code& error) = 0;

  // Waits until bytes can be read, without a buffer. May return early.
  virtual Awaitable<void> WaitReadable(error_code& error) = 0;

  // Reads at least one byte. `buffer` is not used while the call waits for bytes, so connections of
  // one thread may share it.
  virtual Awaitable<std::size_t> Read(asio::mutable_buffer buffer, error_code& error) = 0;

  // Writes bytes of `first`, then of `second`. Returns how many bytes were written, which may be
  // fewer than given.
  virtual Awaitable<std::size_t> Write(std::string_view first, std::string_view second,
                                       error_code& error) = 0;

  // Sends a part of a file slice of non-zero length and returns the number of bytes sent.
  virtual Awaitable<std::size_t> Send(const FileSlice& slice, error_code& error) = 0;

  // Tells the peer that no more data will be sent.
  virtual Awaitable<void> Finish() = 0;
};

// The server's certificate and key, loaded and checked.
class TlsContext;
Result<std::shared_ptr<TlsContext>> LoadTls(const TlsFiles& files);

// Creates a transport; without TLS if `tls` is nullptr.
std::unique_ptr<Transport> MakeTransport(Socket socket, const std::shared_ptr<TlsContext>& tls);

}  // namespace cboard::server::net
