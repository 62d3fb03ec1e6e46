// Parses one gate of a contract.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/gates/contract_document.h"
#include "cboard/analysis/gates.h"
#include "cboard/base/result.h"

namespace cboard::analysis {

// Fails with kInvalidArgument, naming the place, the gate by its `number` and id, and what was
// expected. Adds to `remarks` what was ignored.
Result<Gate> ParseGate(const DocumentNode& node, std::size_t number,
                       std::vector<ContractWarning>& remarks);

}  // namespace cboard::analysis
