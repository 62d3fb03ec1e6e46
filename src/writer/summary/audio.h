// Audio summaries: sounds that TensorBoard's AUDIO page plays.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::writer::summary {

// A serialized Summary of one sound, as a WAV file, under `tag` as it is. Fails as media::EncodeWav
// does.
Result<std::string> MakeAudioSummary(std::string_view tag, const TensorView& sound,
                                     int sample_rate);

}  // namespace cboard::writer::summary
