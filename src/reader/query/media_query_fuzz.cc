// Images, sounds, texts, tensors and meshes from any bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cboard/reader/media_query.h"
#include "cboard/reader/plugin_query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)reader::SniffPixelSize(bytes);
  if (const auto image = reader::ParseImageValue(bytes)) {
    for (const reader::MediaSample& sample : image->samples) {
      if (reader::MimeTypeOf(sample.type).empty()) std::abort();
      (void)reader::SniffPixelSize(sample.bytes);
    }
  }
  if (const auto audio = reader::ParseAudioValue(bytes)) {
    if (!audio->labels.empty() && audio->labels.size() != audio->samples.size()) std::abort();
  }
  if (const auto text = reader::ParseTextValue(bytes)) {
    std::size_t count = 1;
    for (const std::int64_t dimension : text->shape) count *= static_cast<std::size_t>(dimension);
    if (count != text->texts.size()) std::abort();
  }
  (void)reader::ParseTensorValue(bytes, 1 << 16);
  (void)reader::ParseMeshValue(bytes, proto::MeshContent::kFace, 0);
  (void)reader::ParseMeshValue(bytes, proto::MeshContent::kColor, 1);
  (void)reader::ParseLayoutValue(bytes);
  return 0;
}
