// The bytes of a connection, plain or through TLS. One read and one write may run at the same time.
// Errors, including the end of the stream, are set in `error`. Closing the socket ends every wait.
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

  // Waits for bytes without a buffer to put them into. May return early.
  virtual Awaitable<void> WaitReadable(error_code& error) = 0;

  // Reads at least one byte. `buffer` is used only at the end, so connections of one thread may
  // share it.
  virtual Awaitable<std::size_t> Read(asio::mutable_buffer buffer, error_code& error) = 0;

  // Writes some of `first` and then of `second`; returns how many bytes.
  virtual Awaitable<std::size_t> Write(std::string_view first, std::string_view second,
                                       error_code& error) = 0;

  // Sends some of the slice; its length must not be 0.
  virtual Awaitable<std::size_t> Send(const FileSlice& slice, error_code& error) = 0;

  // Tells the peer that nothing more will be sent.
  virtual Awaitable<void> Finish() = 0;
};

// The server's certificate and key, ready for use.
class TlsContext;
Result<std::shared_ptr<TlsContext>> LoadTls(const TlsFiles& files);

// `tls` may be nullptr: in the clear.
std::unique_ptr<Transport> MakeTransport(Socket socket, const std::shared_ptr<TlsContext>& tls);

}  // namespace cboard::server::net
