// Any bytes as .npy or .npz: arrays whose elements are all there, or an error.
#include <cstddef>
#include <cstdint>
#include <span>

#include "cboard/runtime/npy.h"
#include "cboard/tensor/statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMaxBytes = 1 << 22;
  const auto file =
      cboard::NpyFile::FromBytes(std::as_bytes(std::span(data, size)), "x", kMaxBytes);
  if (!file) return 0;
  for (const auto& array : file->arrays()) {
    // Touches every element.
    if (!cboard::ComputeStatistics(array.tensor)) __builtin_trap();
  }
  return 0;
}
