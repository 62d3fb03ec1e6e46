#include "server/http/port_holder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace cboard::server {
namespace {

using ::testing::StartsWith;

TEST(DescribePortOwner, FindsThisProcess) {
  for (const int family : {AF_INET, AF_INET6}) {
    const int socket = ::socket(family, SOCK_STREAM, 0);
    if (socket < 0) continue;           // A machine without IPv6.
    ASSERT_EQ(::listen(socket, 1), 0);  // Binds to a port of the system's choice.
    sockaddr_in6 address = {};
    socklen_t size = sizeof(address);
    ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
    const std::string holder = DescribePortOwner(ntohs(address.sin6_port));
    EXPECT_THAT(holder, StartsWith("process " + std::to_string(::getpid()) + " ("));
    ::close(socket);
    EXPECT_EQ(DescribePortOwner(ntohs(address.sin6_port)), "");
  }
}

}  // namespace
}  // namespace cboard::server
