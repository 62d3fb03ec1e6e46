// What a contract says of a log, as text and JSON.
#pragma once

#include <string>
#include <string_view>

#include "cboard/analysis/gates.h"

namespace cboard::cli {

// A table, what did not pass first, the layers that break gates, and the verdict. `in_colour` for
// terminals.
std::string CheckText(const analysis::Contract& contract, const analysis::ContractResult& result,
                      bool in_colour);

// Everything; docs/check.md has the members. `file` is the contract's.
std::string CheckJson(std::string_view file, const analysis::Contract& contract,
                      const analysis::ContractResult& result);

}  // namespace cboard::cli
