// File systems: the type of one, and the list of all.
#pragma once

#include <string>

namespace cboard::reader {

// True if a directory may change without a notification from the system, because it is on a network
// file system, or on a file system that a program provides (FUSE). False if the type is unknown.
bool IsRemote(const std::string& path);

// The mounted file systems as text, which differs after each mount; empty if unknown.
std::string MountTable();

}  // namespace cboard::reader
