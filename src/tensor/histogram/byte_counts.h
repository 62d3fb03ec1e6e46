// Counts each code of an 8-bit tensor. All statistics of the tensor can be computed from these
// counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "cboard/tensor/tensor_view.h"
#include "tensor/element_reader.h"
#include "tensor/kernels/moment_kernels.h"

namespace cboard::tensor {

// Counts of the int8 or uint8 codes of a tensor, or of part of a tensor.
class ByteCounts {
 public:
  // Counts the elements [first, first + count) of `tensor`. HoldsBytes(tensor) must be true.
  ByteCounts(const TensorView& tensor, std::size_t first, std::size_t count);

  // Calls `visit(code, count)` for each code with a count above 0, in any order.
  template <typename Visitor>
  void ForEach(Visitor&& visit) const {
    for (int byte = 0; byte < 256; ++byte) {
      const std::uint64_t count = counts_[static_cast<std::size_t>(byte)];
      if (count > 0) visit(is_signed_ && byte >= 128 ? byte - 256 : byte, count);
    }
  }

  CodeMoments Moments() const;

 private:
  bool is_signed_;
  std::array<std::uint64_t, 256> counts_{};
};

// Minimum number of codes with the same scale for which it is faster to count them and then to
// evaluate at most 256 values than to dequantize each code.
inline constexpr std::size_t kLongRun = 1024;

// If `tensor` has 8-bit codes, and enough consecutive codes have the same scale, calls
// `visit(ByteCounts, QuantizedRun)` for each run of equal scale and returns true. Without
// quantization the scale is 1.
template <typename Visitor>
bool ForEachByteRun(const TensorView& tensor, Visitor&& visit) {
  if (!HoldsBytes(tensor)) return false;
  const auto count_run = [&](const QuantizedRun& run) {
    visit(ByteCounts(tensor, run.first, run.count), run);
  };
  if (!tensor.quantization) {
    count_run({.first = 0, .count = tensor.element_count()});
    return true;
  }
  const ScaleLookup scales(tensor);
  if (scales.run_length() < kLongRun) return false;
  scales.ForEachRun(0, tensor.element_count(), count_run);
  return true;
}

}  // namespace cboard::tensor
