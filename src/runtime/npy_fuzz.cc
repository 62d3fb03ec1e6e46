// Opens any bytes as .npy or .npz: all elements of the arrays can be read, or there is an error.
#include <cstddef>
#include <cstdint>
#include <span>

#include "cboard/runtime/npy.h"
#include "cboard/tensor/statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::uint64_t kMaxBytes = 1 << 22;
  auto file =
      cboard::runtime::NpyFile::FromBytes(std::as_bytes(std::span(data, size)), "x", kMaxBytes);
  if (!file) return 0;
  for (std::size_t i = 0; i < file->arrays().size(); ++i) {
    for (const std::size_t rows : {std::size_t{1}, cboard::runtime::NpyFile::kAllRows}) {
      const auto tensor = file->Read(i, rows);
      // Touches every element.
      if (tensor && !cboard::tensor::ComputeStatistics(*tensor)) __builtin_trap();
    }
  }
  return 0;
}
