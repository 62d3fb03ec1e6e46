// Reads the contract that a command checks.
#pragma once

#include <string>

#include "cboard/analysis/gates.h"
#include "cboard/base/result.h"

namespace cboard::cli {

// Reads the contract, and prints warnings about parts that were ignored. Errors name the file.
Result<analysis::Contract> ReadContract(const std::string& path);

}  // namespace cboard::cli
