// Finds the process that listens on a port, for the error that the port is in use.
#pragma once

#include <cstdint>
#include <string>

namespace cboard::server {

// Returns "process 4242 (tensorboard --logdir runs)"; empty if the process is not visible, because
// it belongs to another user or runs in another container.
std::string DescribePortOwner(std::uint16_t port);

}  // namespace cboard::server
