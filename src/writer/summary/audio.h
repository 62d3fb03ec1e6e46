// Makes audio summaries, which TensorBoard's AUDIO page plays.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::writer::summary {

// Returns a serialized Summary that contains one sound as a WAV file. `tag` is stored unchanged.
// Fails like media::EncodeWav.
Result<std::string> MakeAudioSummary(std::string_view tag, const TensorView& sound,
                                     int sample_rate);

}  // namespace cboard::writer::summary
