#include "tensor/quantizer/quantizer_ranges.h"

#include <cmath>
#include <string>
#include <tuple>

#include "cboard/tensor/ranked_magnitude.h"

namespace cboard::tensor {
namespace {

// Returns the index of a quantile in `count` sorted values. `share` is the fraction of the values
// below it.
std::size_t RankOf(double share, std::size_t count) {
  return static_cast<std::size_t>(
      std::lrint(std::clamp(share, 0.0, 1.0) * static_cast<double>(count - 1)));
}

// Returns a quantile of `values`. `share` is the fraction of the values below it. Reorders the
// values.
float Quantile(std::vector<float>& values, double share) {
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(RankOf(share, values.size()));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

// Computes the range of each scale, which contains `percentile` percent of the values with this
// scale.
std::vector<FiniteRange> Percentiles(std::span<const float> values, const QuantizerRuns& runs,
                                     const Quantizer& quantizer,
                                     const std::vector<FiniteRange>& extremes) {
  std::vector<FiniteRange> ranges(runs.scales);
  const double share = quantizer.percentile / 100;
  if (quantizer.symmetric && runs.HasOneForEachScale()) {
    runs.ForEach([&](std::size_t scale, std::size_t first, std::size_t count) {
      // The number of finite values. Non-finite values sort last and do not affect the percentile.
      const std::size_t finite = extremes[scale].count;
      if (finite == 0) return;
      ranges[scale].high = RankedMagnitude(values.subspan(first, count), RankOf(share, finite));
    });
    return ranges;
  }
  std::vector<std::vector<float>> members(runs.scales);
  runs.ForEach([&](std::size_t scale, std::size_t first, std::size_t count) {
    for (const float value : values.subspan(first, count)) {
      if (!std::isfinite(value)) continue;
      members[scale].push_back(quantizer.symmetric ? std::abs(value) : value);
    }
  });
  for (std::size_t i = 0; i < runs.scales; ++i) {
    if (members[i].empty()) continue;
    if (quantizer.symmetric) {
      ranges[i].high = Quantile(members[i], share);
    } else {
      ranges[i].low = std::min(0.0f, Quantile(members[i], (1 - share) / 2));
      ranges[i].high = std::max(0.0f, Quantile(members[i], (1 + share) / 2));
    }
  }
  return ranges;
}

}  // namespace

Result<QuantizerRuns> RunsOf(const TensorView& weights, const Quantizer& quantizer) {
  const auto& shape = weights.shape;
  QuantizerRuns runs{.count = weights.element_count()};
  using Granularity = Quantization::Granularity;
  switch (quantizer.granularity) {
    case Granularity::kPerTensor:
      runs.row_length = runs.run_length = runs.count;
      return runs;
    case Granularity::kPerChannel:
      if (quantizer.axis >= shape.size()) {
        return Fail(ErrorCode::kInvalidArgument,
                    "quantization axis " + std::to_string(quantizer.axis) +
                        " is not a dimension of a tensor of rank " + std::to_string(shape.size()));
      }
      for (std::size_t i = quantizer.axis + 1; i < shape.size(); ++i) {
        runs.row_length *= static_cast<std::size_t>(shape[i]);
      }
      runs.run_length = runs.row_length;
      runs.scales = static_cast<std::size_t>(shape[quantizer.axis]);
      return runs;
    case Granularity::kPerGroup:
      break;
  }
  if (shape.empty() || quantizer.group_size == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "quantization groups of size " + std::to_string(quantizer.group_size) +
                    " are not possible for a tensor of rank " + std::to_string(shape.size()));
  }
  runs.row_length = static_cast<std::size_t>(shape.back());
  runs.run_length = std::min(quantizer.group_size, runs.row_length);
  runs.scales =
      runs.count / runs.row_length * ((runs.row_length + runs.run_length - 1) / runs.run_length);
  return runs;
}

std::vector<FiniteRange> ExtremesOf(std::span<const float> values, const QuantizerRuns& runs) {
  std::vector<FiniteRange> ranges(runs.scales);
  runs.ForEach([&](std::size_t scale, std::size_t first, std::size_t count) {
    const FiniteRange part = FiniteRangeOf(values.subspan(first, count));
    FiniteRange& range = ranges[scale];
    range.low = std::min(range.low, part.low);
    range.high = std::max(range.high, part.high);
    range.count += part.count;
  });
  return ranges;
}

std::vector<FiniteRange> RangesOf(std::span<const float> values, const QuantizerRuns& runs,
                                  const Quantizer& quantizer,
                                  const std::vector<FiniteRange>& extremes) {
  return quantizer.percentile == 100 ? extremes : Percentiles(values, runs, quantizer, extremes);
}

bool HaveSameRuns(const Quantizer& a, const Quantizer& b) {
  return std::tie(a.granularity, a.axis, a.group_size) ==
         std::tie(b.granularity, b.axis, b.group_size);
}

}  // namespace cboard::tensor
