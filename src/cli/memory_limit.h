// Limits the memory of commands that run other people's models.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace cboard::cli {

// Free memory in bytes, of the machine or, if less, of its container. nullopt if the kernel does
// not tell. `root` is "/" except in tests.
std::optional<std::uint64_t> FreeMemory(const std::filesystem::path& root = "/");

// Limits this process to the free memory. Otherwise the kernel promises more and kills a process
// when it is used; a model of 300 bytes can request any amount. Keeps a lower limit if one is set.
void LimitToFreeMemory();

}  // namespace cboard::cli
