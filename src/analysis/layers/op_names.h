// Properties of an operation that follow from its name.
#pragma once

#include <string_view>

namespace cboard::analysis {

// Whether a chain of fused operations begins with this one: Conv2D, MatMul, …
bool IsChainStart(std::string_view name);

// Position of an operation in such a chain: 1 for BiasAdd, more for normalization, addition and
// activation; 0 for operations that quantization does not fuse.
int ChainRank(std::string_view name);

// Returns true for operations made by quantization, which have the name of the first operation of
// the fused chain.
bool IsFusedOperation(std::string_view name);

}  // namespace cboard::analysis
