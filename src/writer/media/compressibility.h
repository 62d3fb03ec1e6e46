// Estimates how well bytes can be compressed. Noise (and filters of an untrained network) takes the
// longest to compress and gets no smaller; charts are nearly all background.
#pragma once

#include <cstdint>
#include <span>

namespace cboard::writer::media {

enum class Compressibility {
  // Deflate would save less than about two percent: all 256 values are almost equally frequent in a
  // sample, and almost no stretch of eight bytes repeats within deflate's window.
  kNone,
  kSome,
  kHigh,  // Nearly all bytes are equal.
};

// Estimates how well `bytes` can be compressed. Takes a few percent of the time of compression.
// Returns kSome for short inputs, for which the level makes little difference.
Compressibility EstimateCompressibility(std::span<const std::uint8_t> bytes);

}  // namespace cboard::writer::media
