#include "tensor/histogram/byte_counts.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

namespace cboard::tensor {

ByteCounts::ByteCounts(const TensorView& tensor, std::size_t first, std::size_t count)
    : is_signed_(tensor.dtype == DType::kInt8) {
  std::span<const std::uint8_t> bytes = ElementsOf<std::uint8_t>(tensor, first, count);
  // Number of lanes. Neighbouring codes are often equal, and increments of the same counter would
  // wait for each other. Each counter therefore exists several times, once per lane.
  constexpr std::size_t kLanes = 8;
  constexpr std::size_t kMaxPart = std::size_t{1} << 31;
  while (!bytes.empty()) {
    const auto part = bytes.first(std::min(bytes.size(), kMaxPart));
    bytes = bytes.subspan(part.size());
    std::array<std::array<std::uint32_t, 256>, kLanes> lanes{};
    std::size_t i = 0;
    for (; i + kLanes <= part.size(); i += kLanes) {
      std::uint64_t word;
      std::memcpy(&word, part.data() + i, kLanes);
      for (std::size_t lane = 0; lane < kLanes; ++lane) ++lanes[lane][word >> (8 * lane) & 0xFF];
    }
    for (; i < part.size(); ++i) ++lanes[0][part[i]];
    for (const auto& lane : lanes) {
      for (std::size_t byte = 0; byte < 256; ++byte) counts_[byte] += lane[byte];
    }
  }
}

CodeMoments ByteCounts::Moments() const {
  CodeMoments moments;
  moments.min = std::numeric_limits<std::int64_t>::max();
  moments.max = std::numeric_limits<std::int64_t>::min();
  ForEach([&](std::int64_t code, std::uint64_t occurrences) {
    const auto count = static_cast<std::int64_t>(occurrences);
    moments.count += count;
    moments.min = std::min(moments.min, code);
    moments.max = std::max(moments.max, code);
    moments.sum += count * code;
    moments.sum_squares += count * code * code;
  });
  return moments;
}

}  // namespace cboard::tensor
