// The type of the file system that contains a directory.
#pragma once

#include <string>

namespace cboard::reader {

// Whether a directory may change without a notification by this system: it is on a network file
// system, or on one that a program provides (FUSE). False if the type is unknown.
bool IsRemote(const std::string& path);

}  // namespace cboard::reader
