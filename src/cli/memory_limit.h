// Memory for commands that run what is in other people's files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace cboard::cli {

// Bytes that a program can still take: of the machine or, where that is less, of the container that
// it is in. Nothing where the kernel does not say. `root` is "/" but for tests.
std::optional<std::uint64_t> FreeMemory(const std::filesystem::path& root = "/");

// From now on this process cannot get more memory than there is to spare. Without that, the kernel
// promises it and kills some process when it is used; a model of 300 bytes can ask for all there
// is. Keeps a lower limit that is set already.
void LimitToFreeMemory();

}  // namespace cboard::cli
