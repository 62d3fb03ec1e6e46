#include "writer/media/wav_encoder.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/strings.h"
#include "cboard/tensor/convert.h"
#include "writer/media/dimension_order.h"

namespace cboard::writer::media {
namespace {

constexpr std::size_t kHeaderBytes = 44;
constexpr std::size_t kMaxDataBytes = std::size_t{1} << 30;
constexpr std::size_t kBytesPerSample = 2;

// Converts a sample to 16 bits. The product with a power of two is exact in float and in double, so
// one function is sufficient for both types.
std::int16_t ToPcm16(double sample) {
  const double scaled = sample * 2147483648.0;
  if (scaled >= 2147483647.0) return std::numeric_limits<std::int16_t>::max();
  if (scaled <= -2147483648.0) return std::numeric_limits<std::int16_t>::min();
  if (std::isnan(scaled)) return 0;
  return static_cast<std::int16_t>(static_cast<std::int32_t>(std::nearbyint(scaled)) >> 16);
}

template <typename Real>
bool PutSamples(std::span<const Real> samples, MutableByteSpan target) {
  bool clipped = false;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    clipped |= std::abs(samples[i]) > Real{1};
    StoreLittleEndian(ToPcm16(static_cast<double>(samples[i])),
                      target.subspan(i * kBytesPerSample));
  }
  return clipped;
}

void PutHeader(std::size_t data_bytes, std::size_t channels, int sample_rate,
               MutableByteSpan target) {
  const auto put = [&target](auto value) {
    StoreLittleEndian(value, target);
    target = target.subspan(sizeof(value));
  };
  const auto put_name = [&target](const char* name) {
    std::memcpy(target.data(), name, 4);
    target = target.subspan(4);
  };
  const std::size_t frame_bytes = channels * kBytesPerSample;
  put_name("RIFF");
  put(static_cast<std::uint32_t>(kHeaderBytes - 8 + data_bytes));
  put_name("WAVE");
  put_name("fmt ");
  put(std::uint32_t{16});
  put(std::uint16_t{1});  // PCM.
  put(static_cast<std::uint16_t>(channels));
  put(static_cast<std::uint32_t>(sample_rate));
  put(static_cast<std::uint32_t>(static_cast<std::size_t>(sample_rate) * frame_bytes));
  put(static_cast<std::uint16_t>(frame_bytes));
  put(static_cast<std::uint16_t>(8 * kBytesPerSample));
  put_name("data");
  put(static_cast<std::uint32_t>(data_bytes));
}

}  // namespace

Result<Wav> EncodeWav(const TensorView& given, int sample_rate) {
  CBOARD_ASSIGN_OR_RETURN(const tensor::PlainTensor plain, tensor::PlainTensor::Of(given));
  const TensorView& sound = plain.view();
  if (sample_rate < 1 || sample_rate > std::numeric_limits<std::int32_t>::max() / 4) {
    return Fail(ErrorCode::kInvalidArgument,
                "the sample rate is " + std::to_string(sample_rate) +
                    ", but must be a positive number of samples per second, such as 44100");
  }
  const std::size_t rank = sound.shape.size();
  const bool channels_fit = rank == 1 || (rank == 2 && sound.shape[1] >= 1 && sound.shape[1] <= 2);
  if (!channels_fit || sound.shape[0] == 0) {
    return Fail(ErrorCode::kInvalidArgument, "the sound has shape " + ShapeText(sound.shape) +
                                                 ", but must have shape [samples] or [samples, 1 "
                                                 "or 2 channels] with at least one sample");
  }
  const std::size_t count = sound.element_count();
  if (count > kMaxDataBytes / kBytesPerSample) {
    return Fail(ErrorCode::kResourceExhausted, "the sound of " + std::to_string(count) +
                                                   " samples is longer than the limit of 1 GiB");
  }

  Wav wav;
  wav.frames = static_cast<std::size_t>(sound.shape[0]);
  wav.channels = count / wav.frames;
  wav.file.resize(kHeaderBytes + count * kBytesPerSample);
  const MutableByteSpan bytes = std::as_writable_bytes(std::span(wav.file));
  PutHeader(count * kBytesPerSample, wav.channels, sample_rate, bytes);
  const MutableByteSpan data = bytes.subspan(kHeaderBytes);
  if (sound.dtype == DType::kFloat32 && !sound.quantization) {
    wav.clipped = PutSamples(std::span(static_cast<const float*>(sound.data), count), data);
  } else {
    CBOARD_ASSIGN_OR_RETURN(const std::vector<double> samples, tensor::ToDoubles(sound));
    wav.clipped = PutSamples(std::span<const double>(samples), data);
  }
  return wav;
}

}  // namespace cboard::writer::media
