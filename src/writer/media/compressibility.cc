#include "writer/media/compressibility.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace cboard::writer::media {
namespace {

constexpr std::size_t kMinBytes = 16 << 10;
constexpr std::size_t kSlices = 64;
constexpr std::size_t kSliceBytes = 256;
static_assert(kSlices * kSliceBytes <= kMinBytes);

// Data with at least this entropy is treated as noise. The unit is bits per byte, and the maximum
// is 8. A sample of 16 KiB of random bytes has an entropy of 7.99.
constexpr double kNoiseBitsPerByte = 7.9;
// Data with less than this entropy, in bits per byte, consists mostly of long runs of one value. A
// compressor that searches for such runs is the fastest for this data.
constexpr double kFlatBitsPerByte = 0.3;

// Computes the entropy of slices that are evenly spread over the input, so that a constant region
// anywhere has an effect.
double BitsPerByte(std::span<const std::uint8_t> bytes) {
  std::array<std::uint32_t, 256> counts{};
  const std::size_t stride = (bytes.size() - kSliceBytes) / (kSlices - 1);
  for (std::size_t slice = 0; slice < kSlices; ++slice) {
    for (const std::uint8_t byte : bytes.subspan(slice * stride, kSliceBytes)) ++counts[byte];
  }
  double bits = 0;
  for (const std::uint32_t count : counts) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / (kSlices * kSliceBytes);
    bits -= share * std::log2(share);
  }
  return bits;
}

// True if sequences of eight bytes repeat, as in a grid of equal images. Compares only the
// sequences that start with one certain byte value. This choice depends only on the content, so it
// selects the same positions in every copy of an image.
bool Repeats(std::span<const std::uint8_t> bytes) {
  constexpr int kMark = 0x5a;
  constexpr std::size_t kDeflateReach = 32 << 10;
  struct Seen {
    std::uint64_t stretch = 0;
    std::size_t position = 0;
  };
  std::array<Seen, 1024> table{};
  std::size_t places = 0, repeats = 0;
  const std::uint8_t* const end = bytes.data() + bytes.size() - sizeof(std::uint64_t);
  for (const std::uint8_t* at = bytes.data(); at < end; ++at) {
    at = static_cast<const std::uint8_t*>(
        std::memchr(at, kMark, static_cast<std::size_t>(end - at)));
    if (at == nullptr) break;
    std::uint64_t stretch;
    std::memcpy(&stretch, at, sizeof(stretch));
    const auto position = static_cast<std::size_t>(at - bytes.data());
    Seen& seen = table[stretch * 0x9e3779b97f4a7c15 >> 54];
    ++places;
    repeats += seen.stretch == stretch && position - seen.position <= kDeflateReach;
    seen = {stretch, position};
  }
  return repeats * 64 > places;
}

}  // namespace

Compressibility EstimateCompressibility(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kMinBytes) return Compressibility::kSome;
  const double bits = BitsPerByte(bytes);
  if (bits < kFlatBitsPerByte) return Compressibility::kHigh;
  if (bits < kNoiseBitsPerByte || Repeats(bytes)) return Compressibility::kSome;
  return Compressibility::kNone;
}

}  // namespace cboard::writer::media
