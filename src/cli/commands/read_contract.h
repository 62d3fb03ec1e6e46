// The contract that a command is told to judge by.
#pragma once

#include <string>

#include "cboard/analysis/gates.h"
#include "cboard/base/result.h"

namespace cboard::cli {

// Also complains about what was ignored in it. Errors name the file.
Result<analysis::Contract> ReadContract(const std::string& path);

}  // namespace cboard::cli
