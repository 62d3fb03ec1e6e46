// Encodes audio as WAV files: 16-bit PCM after the plain 44-byte header.
#pragma once

#include <cstddef>
#include <string>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::writer::media {

struct Wav {
  std::string file;
  std::size_t frames = 0;
  std::size_t channels = 0;
  bool clipped = false;  // True if a sample was beyond ±1 and was clipped.
};

// Encodes a tensor as a WAV file. `sound` has the shape L or L x channels (1 or 2), with samples in
// -1…1. The bytes equal those of libsndfile with clipping, which tensorboardX uses: round(x * 2^31)
// >> 16, so fractions are rounded towards minus infinity. NaN becomes silence.
//
// Fails with kInvalidArgument for an invalid or empty tensor, another shape or a sample rate below
// 1, and with kResourceExhausted if the samples take more than 1 GiB.
Result<Wav> EncodeWav(const TensorView& sound, int sample_rate);

}  // namespace cboard::writer::media
