#include "cboard/tensor/what_if.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cboard/tensor/convert.h"

namespace cboard {
namespace {

using Granularity = Quantization::Granularity;

// Which scale belongs to which element: rows of runs, a scale per run, starting anew after the
// last.
struct Runs {
  std::size_t count = 0;       // Elements.
  std::size_t row_length = 1;  // Runs do not cross from one row to the next …
  std::size_t run_length = 1;  // … and have this length, except the last one of a row.
  std::size_t scales = 1;

  // Calls `visit(scale, first, count)` in the order of elements.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    std::size_t scale = 0;
    for (std::size_t row = 0; row < count; row += row_length) {
      for (std::size_t first = 0; first < row_length; first += run_length) {
        visit(scale, row + first, std::min(run_length, row_length - first));
        scale = scale + 1 == scales ? 0 : scale + 1;
      }
    }
  }
};

Result<Runs> RunsOf(const TensorView& weights, const Quantizer& quantizer) {
  const auto& shape = weights.shape;
  Runs runs{.count = weights.element_count()};
  switch (quantizer.granularity) {
    case Granularity::kPerTensor:
      runs.row_length = runs.run_length = runs.count;
      return runs;
    case Granularity::kPerChannel:
      if (quantizer.axis >= shape.size()) {
        return Fail(ErrorCode::kInvalidArgument, "axis " + std::to_string(quantizer.axis) +
                                                     " is not a dimension of a tensor of rank " +
                                                     std::to_string(shape.size()));
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
    return Fail(ErrorCode::kInvalidArgument, "groups of " + std::to_string(quantizer.group_size) +
                                                 " do not divide a tensor of rank " +
                                                 std::to_string(shape.size()));
  }
  runs.row_length = static_cast<std::size_t>(shape.back());
  runs.run_length = std::min(quantizer.group_size, runs.row_length);
  runs.scales =
      runs.count / runs.row_length * ((runs.row_length + runs.run_length - 1) / runs.run_length);
  return runs;
}

struct Range {
  float low = 0;  // Never above 0, so that 0 is in every range.
  float high = 0;
};

// The range of each scale, from the extremes.
std::vector<Range> Extremes(const std::vector<float>& values, const Runs& runs) {
  std::vector<Range> ranges(runs.scales);
  runs.ForEach([&](std::size_t scale, std::size_t first, std::size_t count) {
    Range range = ranges[scale];
    for (std::size_t i = first; i < first + count; ++i) {
      if (!std::isfinite(values[i])) continue;
      range.low = std::min(range.low, values[i]);
      range.high = std::max(range.high, values[i]);
    }
    ranges[scale] = range;
  });
  return ranges;
}

// The value below which `share` of them lie.
float Quantile(std::vector<float>& values, double share) {
  const auto last = static_cast<double>(values.size() - 1);
  const auto at = static_cast<std::ptrdiff_t>(std::lrint(std::clamp(share, 0.0, 1.0) * last));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<std::size_t>(at)];
}

// The range of each scale that covers `percentile` percent of its values.
std::vector<Range> Percentiles(const std::vector<float>& values, const Runs& runs,
                               const Quantizer& quantizer) {
  std::vector<std::vector<float>> members(runs.scales);
  runs.ForEach([&](std::size_t scale, std::size_t first, std::size_t count) {
    for (std::size_t i = first; i < first + count; ++i) {
      if (!std::isfinite(values[i])) continue;
      members[scale].push_back(quantizer.symmetric ? std::abs(values[i]) : values[i]);
    }
  });
  const double share = quantizer.percentile / 100;
  std::vector<Range> ranges(runs.scales);
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

struct Codes {
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;
  std::int32_t min = 0;
  std::int32_t max = 0;
};

Codes CodesFor(const std::vector<Range>& ranges, const Quantizer& quantizer) {
  Codes codes;
  const std::int32_t all = (1 << quantizer.bits) - 1;
  codes.max = quantizer.symmetric ? all / 2 : all;
  codes.min = quantizer.symmetric ? -codes.max : 0;
  for (const Range& range : ranges) {
    const float extent =
        quantizer.symmetric ? std::max(-range.low, range.high) : range.high - range.low;
    // Nothing but zeros needs some scale all the same; so does what is too small to divide.
    float scale = extent / static_cast<float>(codes.max);
    if (!(scale >= std::numeric_limits<float>::min()) || !std::isfinite(scale)) scale = 1;
    codes.scales.push_back(scale);
    if (!quantizer.symmetric) {
      codes.zero_points.push_back(std::clamp(
          static_cast<std::int32_t>(std::lrint(-range.low / scale)), codes.min, codes.max));
    }
  }
  return codes;
}

template <typename Code>
Result<Comparison> Try(const TensorView& weights, const std::vector<float>& values,
                       const Runs& runs, const Codes& codes, const Quantizer& quantizer,
                       std::optional<std::size_t> channel_axis) {
  std::vector<Code> quantized(values.size());
  const auto min = static_cast<float>(codes.min), max = static_cast<float>(codes.max);
  runs.ForEach([&](std::size_t scale, std::size_t first, std::size_t count) {
    const float step = codes.scales[scale];
    const float zero =
        codes.zero_points.empty() ? 0.0f : static_cast<float>(codes.zero_points[scale]);
    for (std::size_t i = first; i < first + count; ++i) {
      const float code = std::nearbyint(values[i] / step) + zero;
      // NaN becomes the first code; as a reference it does not count.
      quantized[i] = static_cast<Code>(code >= min ? std::min(code, max) : min);
    }
  });
  TensorView compressed(quantized, weights.shape);
  compressed.quantization = Quantization{quantizer.granularity, codes.scales, codes.zero_points,
                                         quantizer.axis, quantizer.group_size};
  const ComparisonOptions options{.channel_axis = channel_axis,
                                  .code_range = ComparisonOptions::CodeRange{codes.min, codes.max}};
  return Compare(TensorView(values, weights.shape), compressed, options);
}

}  // namespace

Result<WhatIf> TryQuantizer(const TensorView& weights, const Quantizer& quantizer,
                            std::optional<std::size_t> channel_axis) {
  if (quantizer.bits < 2 || quantizer.bits > 16) {
    return Fail(ErrorCode::kInvalidArgument, "a quantizer of " + std::to_string(quantizer.bits) +
                                                 " bits cannot be tried; 2 to 16 can");
  }
  if (!(quantizer.percentile > 0 && quantizer.percentile <= 100)) {
    return Fail(ErrorCode::kInvalidArgument, "a percentile of " +
                                                 std::to_string(quantizer.percentile) +
                                                 " covers nothing; it is above 0 and at most 100");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> values, ToFloats(weights));
  if (values.empty()) {
    return Fail(ErrorCode::kInvalidArgument, "a tensor without elements has nothing to quantize");
  }
  CBOARD_ASSIGN_OR_RETURN(const Runs runs, RunsOf(weights, quantizer));
  const Codes codes = CodesFor(
      quantizer.percentile == 100 ? Extremes(values, runs) : Percentiles(values, runs, quantizer),
      quantizer);
  const auto try_as = [&](auto code) {
    return Try<decltype(code)>(weights, values, runs, codes, quantizer, channel_axis);
  };
  auto comparison = quantizer.bits <= 8
                        ? (quantizer.symmetric ? try_as(std::int8_t{}) : try_as(std::uint8_t{}))
                        : (quantizer.symmetric ? try_as(std::int16_t{}) : try_as(std::uint16_t{}));
  if (!comparison) return Fail(std::move(comparison).error());
  const auto bits = static_cast<std::uint64_t>(quantizer.bits);
  return WhatIf{*std::move(comparison), (values.size() * bits + 7) / 8 +
                                            codes.scales.size() * sizeof(float) +
                                            (codes.zero_points.size() * bits + 7) / 8};
}

}  // namespace cboard
