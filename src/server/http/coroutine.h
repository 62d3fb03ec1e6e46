// The parts of Asio that this server uses. Only http_server.cc, connection.cc and transport.cc
// include this header, because compiling it takes longer than all other code.
#pragma once

#include <utility>  // Must precede Asio 1.74, which does not include it.
// This comment separates two blocks, so that clang-format does not sort them together.
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

// The executor type. One thread runs each context, so a connection needs no locks and no strand.
// The type is named in full everywhere, because type-erased executors allocate memory.
using Executor = asio::io_context::executor_type;
template <typename T>
using Awaitable = asio::awaitable<T, Executor>;
using Socket = asio::basic_stream_socket<tcp, Executor>;
using SteadyClock = std::chrono::steady_clock;
using Timer = asio::basic_waitable_timer<SteadyClock, asio::wait_traits<SteadyClock>, Executor>;

// Stores the error of an asynchronous operation instead of throwing it: co_await
// socket.async_wait(…, To(error)).
inline auto To(error_code& error) {
  return asio::redirect_error(asio::use_awaitable_t<Executor>(), error);
}

}  // namespace cboard::server::net
