// Properties of an operation that follow from its name.
#pragma once

#include <string_view>

namespace cboard::analysis {

// Whether a chain of fused operations begins with this one: Conv2D, MatMul, …
bool IsChainStart(std::string_view name);

// How late in such a chain an operation stands: 1 for BiasAdd, more for normalization, addition and
// activation; 0 for what quantization does not fuse.
int ChainRank(std::string_view name);

// Whether quantization made this operation, with the name of the first one of the chain it fused.
bool IsFusedOperation(std::string_view name);

}  // namespace cboard::analysis
