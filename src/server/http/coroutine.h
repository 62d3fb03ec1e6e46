// Asio as this server uses it. Only http_server.cc, connection.cc and transport.cc include this,
// for it takes longer to compile than everything else.
#pragma once

#include <utility>  // Before Asio, whose 1.74 forgets to include it.
// clang-format keeps the blocks apart.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

namespace cboard::server::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// One thread runs each context, so that a connection needs no locks and no strand. The type is
// named in full everywhere, because type-erased executors allocate.
using Executor = asio::io_context::executor_type;
template <typename T>
using Awaitable = asio::awaitable<T, Executor>;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using SteadyClock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Executor>;

// co_await socket.async_wait(…, To(error)): errors go there instead of being thrown.
inline auto To(error_code& error) {
  return asio::redirect_error(asio::use_awaitable_t<Executor>(), error);
}

}  // namespace cboard::server::net
