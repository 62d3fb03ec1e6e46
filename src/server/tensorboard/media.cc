#include "server/tensorboard/media.h"

#include <algorithm>

namespace cboard::server::tensorboard {
namespace {

// The samples of one value, and the bytes that they refer to.
struct Samples {
  std::shared_ptr<const std::string> bytes;
  std::vector<reader::MediaSample> samples;
};

Result<Samples> ReadSamples(const reader::Run& run, const reader::Tag& tag, std::size_t index) {
  if (tag.kind() == reader::TagKind::kAudio) {
    CBOARD_ASSIGN_OR_RETURN(auto audio, reader::ReadAudio(run, tag, index));
    return Samples{audio.bytes, std::move(audio.value.samples)};
  }
  CBOARD_ASSIGN_OR_RETURN(auto image, reader::ReadImage(run, tag, index));
  return Samples{image.bytes, std::move(image.value.samples)};
}

// Reads the samples of a value. Values of the old format hold one sample each; for tensors the file
// is read. A value that cannot be read has no samples.
std::size_t CountSamples(const reader::Run& run, const reader::Tag& tag, std::size_t index) {
  if (IsOldStyle(*tag.info)) return 1;
  const Result<Samples> samples = ReadSamples(run, tag, index);
  return samples ? samples->samples.size() : 0;
}

}  // namespace

Result<std::vector<MediaStep>> MediaSteps(const reader::Run& run, const reader::Tag& tag,
                                          std::size_t sample, std::size_t limit) {
  std::vector<MediaStep> steps;
  for (const std::size_t i : SampledIndices(tag.blobs.size(), limit)) {
    if (sample >= CountSamples(run, tag, i)) continue;
    const reader::BlobEntry entry = tag.blobs.at(i);
    steps.push_back({entry.step, entry.wall_time_seconds,
                     EncodeBlobKey({i, sample, entry.step, run.name, tag.name()})});
  }
  return steps;
}

std::size_t MaxSamples(const reader::Run& run, const reader::Tag& tag, std::size_t limit) {
  if (IsOldStyle(*tag.info)) return 1;
  std::size_t most = 0;
  for (const std::size_t i : SampledIndices(tag.blobs.size(), limit)) {
    most = std::max(most, CountSamples(run, tag, i));
  }
  return most;
}

Result<MediaBytes> ReadMedia(const reader::Snapshot& snapshot, std::string_view key,
                             reader::TagKind kind) {
  CBOARD_ASSIGN_OR_RETURN(const BlobKey blob, DecodeBlobKey(key));
  const reader::Run* const run = snapshot.FindRun(blob.run);
  const reader::Tag* const tag = run == nullptr ? nullptr : run->Find(blob.tag);
  const auto gone = [] {
    return Fail(ErrorCode::kNotFound,
                "no value has this blob key; request the list of values again");
  };
  if (tag == nullptr || tag->kind() != kind || blob.index >= tag->blobs.size() ||
      tag->blobs.at(blob.index).step != blob.step) {
    return gone();
  }
  CBOARD_ASSIGN_OR_RETURN(const Samples samples, ReadSamples(*run, *tag, blob.index));
  if (blob.sample >= samples.samples.size()) return gone();
  const reader::MediaSample& sample = samples.samples[blob.sample];
  return MediaBytes{std::string(sample.bytes), sample.type};
}

Result<HttpResponse> ImageResponse(const DataCall& call, const std::string& key) {
  CBOARD_ASSIGN_OR_RETURN(MediaBytes image,
                          ReadMedia(*call.snapshot, key, reader::TagKind::kImage));
  return BlobResponse(std::string(reader::MimeTypeOf(image.type)), std::move(image.bytes));
}

}  // namespace cboard::server::tensorboard
