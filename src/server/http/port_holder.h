// Which process listens on a port, for the message that the port is taken.
#pragma once

#include <cstdint>
#include <string>

namespace cboard::server {

// "process 4242 (tensorboard --logdir runs)"; empty when it cannot be seen: it belongs to another
// user, or runs in another container.
std::string DescribePortOwner(std::uint16_t port);

}  // namespace cboard::server
