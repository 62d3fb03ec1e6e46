// Estimates how well bytes can be compressed. Noise (such as the filters of an untrained network)
// takes longest to compress and does not get smaller. Charts consist almost completely of
// background and compress very well.
#pragma once

#include <cstdint>
#include <span>

namespace cboard::writer::media {

enum class Compressibility {
  // Deflate would save less than about two percent. In a sample, all 256 byte values are almost
  // equally frequent, and almost no sequence of eight bytes repeats within deflate's window.
  kNone,
  kSome,
  kHigh,  // Nearly all bytes are equal.
};

// Estimates how well `bytes` can be compressed. Takes a few percent of the time of compression.
// Returns kSome for short inputs, because the compression level makes little difference for them.
Compressibility EstimateCompressibility(std::span<const std::uint8_t> bytes);

}  // namespace cboard::writer::media
