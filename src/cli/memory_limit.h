// Limits the memory of commands that run models from other people.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace cboard::cli {

// Returns the free memory in bytes, of the machine or, if less, of its container; nullopt if it is
// unknown. `root` is "/" except in tests.
std::optional<std::uint64_t> FreeMemory(const std::filesystem::path& root = "/");

// Limits this process to the free memory. Without the limit, the kernel grants more memory than
// exists and kills a process when the memory is used, and a model of 300 bytes can request any
// amount. A lower limit that is already set stays.
void LimitToFreeMemory();

}  // namespace cboard::cli
