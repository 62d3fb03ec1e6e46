// The type of the file system that contains a directory.
#pragma once

#include <string>

namespace cboard::reader {

// Whether other machines may change it without this system noticing: network file systems, and
// those that a program provides (FUSE). False if the system does not tell.
bool IsRemote(const std::string& path);

}  // namespace cboard::reader
