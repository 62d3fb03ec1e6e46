// Properties of an operator that follow from its name.
#pragma once

#include <string_view>

namespace cboard::analysis {

// Returns true if a chain of fused operators can begin with this one: Conv2D, MatMul, …
bool IsChainStart(std::string_view name);

// Returns the position of an operator in a fused chain: 1 for BiasAdd, more for normalization,
// addition and activation; 0 for operators that quantization does not fuse.
int ChainRank(std::string_view name);

// Returns true for operators that quantization creates; they are named after the first operator of
// the fused chain.
bool IsFusedOperation(std::string_view name);

}  // namespace cboard::analysis
