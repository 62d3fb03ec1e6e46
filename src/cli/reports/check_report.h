// Results of a contract as text and JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cboard/analysis/gates.h"
#include "cboard/analysis/model_verdict.h"

namespace cboard::cli {

using Verdicts = std::span<const analysis::ContractVerdict>;

// A table, what did not pass first, the layers that break gates, the verdict, and what `verdicts`
// know of damage that no gate is about. `in_colour` for terminals.
std::string CheckText(const analysis::Contract& contract, const analysis::ContractResult& result,
                      bool in_colour, Verdicts verdicts = {});

// Everything; docs/check.md has the members. `file` is the contract's.
std::string CheckJson(std::string_view file, const analysis::Contract& contract,
                      const analysis::ContractResult& result, Verdicts verdicts = {});

}  // namespace cboard::cli
