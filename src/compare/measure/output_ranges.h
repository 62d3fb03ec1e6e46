// Error of other ranges for a quantized tensor: the values of all samples in narrow
// bins, and the error that a grid of codes has on them.
//
//   ValueBins bins;
//   bins.Add(output);                                        // For each sample.
//   const CodeRange range = BestRange(bins, scheme);
//   10 * log10(energy / bins.SquaredError(GridFor(range, scheme)))
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cboard/tensor/compare.h"

namespace cboard::compare {

struct CodeRange {
  double low = 0;
  double high = 0;
};

// Values in bins of a 32nd of their power of two, with the smallest and largest of each: narrow
// where steps are, wide where many steps fit. 4 KiB, and as much for what spans 2^8, however much
// is added. Not thread-safe.
class ValueBins {
 public:
  void Add(std::span<const float> values);

  // All of these skip NaN and infinities.

  // From the smallest to the largest value, and zero, which every grid of codes has.
  CodeRange Range() const;

  // The widest gap between neighbouring values, where it is more than half of the range from the
  // smallest to the largest: values come in two clusters, such as scores and the mask beside them.
  struct Gap {
    double below = 0;        // The largest value below it …
    double above = 0;        // … and the smallest above.
    double share_below = 0;  // Share of the values.
  };
  std::optional<Gap> WidestGap() const;

  // The share of values other than zero that a step of this size rounds to zero.
  double ShareRoundedToZero(double step) const;

  // Σ(x - y)² over all values x, with y the nearest of the grid's. Values of a bin count as spread
  // evenly between its smallest and largest, and where these are one, as that.
  double SquaredError(const tensor::QuantizationGrid& grid) const;

  // The share of the values that are more than half a step beyond the last code.
  double ClippedShare(const tensor::QuantizationGrid& grid) const;

 private:
  static constexpr std::size_t kPages = 1 << 9;
  static constexpr std::uint32_t kMantissaBits = 5;
  struct Bin {
    std::uint64_t count = 0;
    // The values next to zero and farthest from it, as bits, whose order is that of magnitudes.
    std::uint32_t first = 0xFFFFFFFF;
    std::uint32_t last = 0;
  };
  using Page = std::array<Bin, 1 << kMantissaBits>;  // Bins of one sign and exponent.

  template <typename Visit>
  void ForEachBin(const Visit& visit) const;

  std::vector<std::unique_ptr<Page>> pages_;  // By sign and exponent; null for those unseen.
};

// Choices of a quantizer: the number of codes, and whether zero must be in the middle.
struct CodeScheme {
  std::int32_t code_min = 0;
  std::int32_t code_max = 255;
  bool is_symmetric = false;

  // The scheme of a quantizer in use: symmetric if its codes are signed and its zero point is 0.
  static CodeScheme Of(const tensor::QuantizationGrid& grid);
};

// The codes of a range as quantizers lay them out: zero is one of them, so that both ends move by
// up to half a step. The range is widened to hold zero, and to its larger side if symmetric.
tensor::QuantizationGrid GridFor(CodeRange range, const CodeScheme& scheme);

// From the first to the last code.
CodeRange RangeOf(const tensor::QuantizationGrid& grid);

// The range with the least SquaredError that was found, as its codes have it: from the smallest to
// the largest value, or less of it. Each side is searched in turn, in ever smaller steps.
CodeRange BestRange(const ValueBins& values, const CodeScheme& scheme);

}  // namespace cboard::compare
