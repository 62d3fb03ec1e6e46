#include "server/http/transport.h"

#include <sys/sendfile.h>

#include <algorithm>
#include <boost/asio/ssl.hpp>
#include <vector>

#include "cboard/base/strings.h"

namespace cboard::server::net {
namespace {

// Number of bytes of a file that are sent at a time, so that one download does not block other
// connections.
constexpr std::uint64_t kFilePieceBytes = 256 << 10;

error_code FileShrank() { return asio::error::make_error_code(asio::error::eof); }

// The socket is non-blocking: operations that can complete immediately do not go through the
// reactor.
class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(Socket socket) : socket_(std::move(socket)) {
    error_code ignored;
    socket_.non_blocking(true, ignored);
  }

  Socket& socket() override { return socket_; }
  bool secure() const override { return false; }

  Awaitable<void> Handshake(error_code&) override { co_return; }

  Awaitable<void> WaitReadable(error_code& error) override {
    co_await socket_.async_wait(tcp::socket::wait_read, To(error));
  }

  Awaitable<std::size_t> Read(asio::mutable_buffer buffer, error_code& error) override {
    for (;;) {
      const std::size_t size = socket_.read_some(buffer, error);
      if (error != asio::error::would_block) co_return size;
      co_await socket_.async_wait(tcp::socket::wait_read, To(error));
      if (error) co_return 0;
    }
  }

  Awaitable<std::size_t> Write(std::string_view first, std::string_view second,
                               error_code& error) override {
    const std::array<asio::const_buffer, 2> buffers = {
        asio::const_buffer(first.data(), first.size()),
        asio::const_buffer(second.data(), second.size())};
    for (;;) {
      const std::size_t size = socket_.write_some(buffers, error);
      if (error != asio::error::would_block) co_return size;
      co_await socket_.async_wait(tcp::socket::wait_write, To(error));
      if (error) co_return 0;
    }
  }

  Awaitable<std::size_t> Send(const FileSlice& slice, error_code& error) override {
    for (;;) {
      auto offset = static_cast<off_t>(slice.offset);
      const ssize_t sent =
          ::sendfile(socket_.native_handle(), slice.file->descriptor(), &offset,
                     static_cast<std::size_t>(std::min(slice.length, kFilePieceBytes)));
      if (sent > 0) co_return static_cast<std::size_t>(sent);
      error = sent == 0 ? FileShrank() : error_code(errno, boost::system::system_category());
      if (error == boost::system::errc::interrupted) continue;
      if (error != asio::error::would_block) co_return 0;
      co_await socket_.async_wait(tcp::socket::wait_write, To(error));
      if (error) co_return 0;
    }
  }

  Awaitable<void> Finish() override {
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    co_return;
  }

 private:
  Socket socket_;
};

}  // namespace

class TlsContext {
 public:
  asio::ssl::context context{asio::ssl::context::tls_server};
};

namespace {

class TlsTransport final : public Transport {
 public:
  TlsTransport(Socket socket, std::shared_ptr<TlsContext> tls)
      : tls_(std::move(tls)), stream_(std::move(socket), tls_->context) {}

  Socket& socket() override { return stream_.next_layer(); }
  bool secure() const override { return true; }

  Awaitable<void> Handshake(error_code& error) override {
    co_await stream_.async_handshake(asio::ssl::stream_base::server, To(error));
  }

  // Does not wait if decrypted bytes are buffered: they are not visible to the socket.
  Awaitable<void> WaitReadable(error_code&) override { co_return; }

  // Reads into the transport's own buffer: other connections may use the caller's buffer while this
  // one waits.
  Awaitable<std::size_t> Read(asio::mutable_buffer buffer, error_code& error) override {
    std::array<char, 4096> bytes;
    const std::size_t size = co_await stream_.async_read_some(
        asio::buffer(bytes.data(), std::min(bytes.size(), buffer.size())), To(error));
    std::copy_n(bytes.data(), size, static_cast<char*>(buffer.data()));
    co_return size;
  }

  Awaitable<std::size_t> Write(std::string_view first, std::string_view second,
                               error_code& error) override {
    // Sends head and body in one TLS record, because a separate record for a short head would be
    // wasteful.
    if (!first.empty() && first.size() + second.size() <= kRecordBytes) {
      std::string both(first);
      both += second;
      co_return co_await stream_.async_write_some(asio::buffer(both), To(error));
    }
    const std::string_view next = first.empty() ? second : first;
    co_return co_await stream_.async_write_some(asio::buffer(next.data(), next.size()), To(error));
  }

  Awaitable<std::size_t> Send(const FileSlice& slice, error_code& error) override {
    std::vector<std::byte> piece(
        static_cast<std::size_t>(std::min<std::uint64_t>(slice.length, kRecordBytes)));
    const Result<std::size_t> read = slice.file->ReadAt(slice.offset, piece);
    if (!read || *read == 0) {
      error = FileShrank();
      co_return 0;
    }
    co_return co_await stream_.async_write_some(asio::buffer(piece.data(), *read), To(error));
  }

  Awaitable<void> Finish() override {
    error_code ignored;
    co_await stream_.async_shutdown(To(ignored));
  }

 private:
  static constexpr std::size_t kRecordBytes = 16 << 10;  // The maximum that TLS allows.

  const std::shared_ptr<TlsContext> tls_;
  asio::ssl::stream<Socket> stream_;
};

}  // namespace

Result<std::shared_ptr<TlsContext>> LoadTls(const TlsFiles& files) {
  const auto tls = std::make_shared<TlsContext>();
  asio::ssl::context& context = tls->context;
  SSL_CTX* const native = context.native_handle();
  ::SSL_CTX_set_min_proto_version(native, TLS1_2_VERSION);
  // For TLS 1.2, allows only cipher suites with forward secrecy and authenticated encryption. TLS
  // 1.3 has only such suites.
  if (::SSL_CTX_set_cipher_list(native, "ECDHE+AESGCM:ECDHE+CHACHA20") != 1) {
    return Fail(ErrorCode::kInternal,
                "HTTPS is not possible, because the installed OpenSSL supports none of the "
                "required cipher suites; update OpenSSL");
  }
  ::SSL_CTX_set_mode(native, SSL_MODE_RELEASE_BUFFERS);
  ::SSL_CTX_set_options(native, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // Refuses a key with a passphrase: OpenSSL would ask for it on the terminal.
  ::SSL_CTX_set_default_passwd_cb(native, [](char*, int, int, void*) { return 0; });
  for (const std::filesystem::path& path : {files.certificate, files.key}) {
    // Checks for a missing file first, because OpenSSL's error does not say so.
    if (const Result<File> file = File::OpenForReading(path); !file) {
      return Fail(ErrorCode::kInvalidArgument, "TLS: " + file.error().message);
    }
  }
  error_code error;
  context.use_certificate_chain_file(files.certificate.native(), error);
  if (error) {
    return Fail(ErrorCode::kInvalidArgument, "cannot use the certificate " +
                                                 Quoted(files.certificate.native()) + ": " +
                                                 error.message() + "; give a readable PEM file");
  }
  context.use_private_key_file(files.key.native(), asio::ssl::context::pem, error);
  if (error) {
    return Fail(ErrorCode::kInvalidArgument,
                "cannot use the key " + Quoted(files.key.native()) + ": " + error.message() +
                    "; give the certificate's key as a readable PEM file without a passphrase");
  }
  return tls;
}

std::unique_ptr<Transport> MakeTransport(Socket socket, const std::shared_ptr<TlsContext>& tls) {
  if (tls) return std::make_unique<TlsTransport>(std::move(socket), tls);
  return std::make_unique<PlainTransport>(std::move(socket));
}

}  // namespace cboard::server::net
