// Creates quantized weights and quantization grids that are tried as fixes, instead of those in the
// file.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "compare/blame/switch_board.h"
#include "compare/layers/weight_rows.h"
#include "compare/measure/output_ranges.h"

namespace cboard::compare {

// Returns a grid for the range; null if the range is empty.
std::shared_ptr<const TrialGrid> TrialGridFor(CodeRange range, const CodeScheme& scheme);

Setting ByTrial(std::shared_ptr<const TrialGrid> grid);

// Returns a scheme with 16 bits, and with the signedness and symmetry of the given scheme.
CodeScheme InSixteenBits(const CodeScheme& scheme);

// Returns the weights rounded again, with one scale for each `block` elements of a channel.
std::shared_ptr<const std::vector<float>> Requantized(const WeightRows& rows, int bits,
                                                      std::size_t block, bool is_symmetric);

}  // namespace cboard::compare
