// Computes the SHA-256 digest of a file as hexadecimal text.
#pragma once

#include <filesystem>
#include <string>

#include "cboard/base/result.h"

namespace cboard::benchmark {

Result<std::string> HashFile(const std::filesystem::path& path);

}  // namespace cboard::benchmark
