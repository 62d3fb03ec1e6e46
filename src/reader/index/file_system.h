// Finds the type of the file system that contains a directory.
#pragma once

#include <string>

namespace cboard::reader {

// True if a directory may change without a notification from the system, because it is on a network
// file system, or on a file system that a program provides (FUSE). False if the type is unknown.
bool IsRemote(const std::string& path);

}  // namespace cboard::reader
