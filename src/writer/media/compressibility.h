// How much compressing is worth, at a glance. Noise (and an untrained network's filters look like
// it) takes the longest to compress and gains nothing; charts are nearly all background.
#pragma once

#include <cstdint>
#include <span>

namespace cboard::writer::media {

enum class Compressibility {
  kNone,  // Deflate would save less than about two percent: a sample uses all 256 values almost
          // equally often, and hardly any stretch of eight bytes comes twice within its reach.
  kSome,
  kHigh,  // Nearly all bytes are the same.
};

// Takes a few percent of the time that compressing would. Short inputs are kSome, as it hardly
// matters there.
Compressibility EstimateCompressibility(std::span<const std::uint8_t> bytes);

}  // namespace cboard::writer::media
