#include "compare/blame/trial_values.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cboard::compare {

std::shared_ptr<const TrialGrid> TrialGridFor(CodeRange range, const CodeScheme& scheme) {
  const tensor::QuantizationGrid grid = GridFor(range, scheme);
  if (!(grid.scale > 0) || !std::isfinite(grid.scale)) return nullptr;
  TrialGrid trial;
  trial.scales = {static_cast<float>(grid.scale)};
  trial.low = static_cast<float>(grid.code_min - grid.zero_point);
  trial.high = static_cast<float>(grid.code_max - grid.zero_point);
  return std::make_shared<const TrialGrid>(std::move(trial));
}

Setting ByTrial(std::shared_ptr<const TrialGrid> grid) {
  return {.state = PartState::kTrial, .grid = std::move(grid), .values = nullptr};
}

CodeScheme InSixteenBits(const CodeScheme& scheme) {
  const bool is_signed = scheme.code_min < 0;
  return {.code_min = is_signed ? -32768 : 0,
          .code_max = is_signed ? 32767 : 65535,
          .is_symmetric = scheme.is_symmetric};
}

std::shared_ptr<const std::vector<float>> Requantized(const WeightRows& rows, int bits,
                                                      std::size_t block, bool is_symmetric) {
  auto values = std::make_shared<std::vector<float>>(rows.values);
  const double codes = std::pow(2, bits) - 1, half = std::floor(codes / 2);
  for (std::size_t first = 0; first < values->size(); first += rows.row) {
    for (std::size_t at = 0; at < rows.row; at += block) {
      const std::size_t end = first + std::min(rows.row, at + block);
      float low = 0, high = 0;
      for (std::size_t i = first + at; i < end; ++i) {
        low = std::min(low, (*values)[i]);
        high = std::max(high, (*values)[i]);
      }
      const double scale =
          is_symmetric ? std::max(-low, high) / half : (double{high} - double{low}) / codes;
      if (!(scale > 0)) continue;
      const double zero = is_symmetric ? 0 : std::nearbyint(-low / scale);
      for (std::size_t i = first + at; i < end; ++i) {
        const double code = std::nearbyint((*values)[i] / scale) + zero;
        const double kept =
            is_symmetric ? std::clamp(code, -half, half) : std::clamp(code, 0.0, codes);
        (*values)[i] = static_cast<float>((kept - zero) * scale);
      }
    }
  }
  return values;
}

}  // namespace cboard::compare
