// Parses one gate of a contract.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/gates/contract_document.h"
#include "cboard/analysis/gates.h"
#include "cboard/base/result.h"

namespace cboard::analysis {

// Parses a gate. Fails with kInvalidArgument and names the place, the gate's `number` and id, and
// what was expected. Adds a warning to `remarks` for each ignored member.
Result<Gate> ParseGate(const DocumentNode& node, std::size_t number,
                       std::vector<ContractWarning>& remarks);

}  // namespace cboard::analysis
