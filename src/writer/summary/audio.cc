#include "writer/summary/audio.h"

#include "cboard/proto/summary.h"
#include "writer/media/wav_encoder.h"

namespace cboard::writer::summary {

Result<std::string> MakeAudioSummary(std::string_view tag, const TensorView& sound,
                                     int sample_rate) {
  CBOARD_ASSIGN_OR_RETURN(const media::Wav wav, media::EncodeWav(sound, sample_rate));
  std::string summary;
  proto::AppendAudioValue(tag,
                          {.sample_rate = static_cast<float>(sample_rate),
                           .num_channels = static_cast<std::int64_t>(wav.channels),
                           .length_frames = static_cast<std::int64_t>(wav.frames),
                           .encoded = wav.file,
                           .content_type = "audio/wav"},
                          {}, summary);
  return summary;
}

}  // namespace cboard::writer::summary
