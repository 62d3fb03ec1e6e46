#include "cboard/reader/media_query.h"

#include <span>

#include "reader/query/indexed_blobs.h"

namespace cboard::reader {
namespace {

template <typename Value, typename Parse>
Result<std::vector<Loaded<Value>>> Load(const Run& run, const Tag& tag,
                                        std::span<const std::size_t> indices, const Parse& parse) {
  std::vector<Loaded<Value>> loaded;
  CBOARD_RETURN_IF_ERROR(ForEachBlob(run, tag, indices, [&](const Blob& blob) -> Result<void> {
    // Moves the bytes to memory that stays at its address, because the views in the value point
    // into them.
    auto bytes = std::make_shared<const std::string>(blob.bytes);
    CBOARD_ASSIGN_OR_RETURN(Value value, parse(*bytes));
    loaded.push_back(
        {blob.entry.step, blob.entry.wall_time_seconds, std::move(bytes), std::move(value)});
    return {};
  }));
  return loaded;
}

template <typename Value, typename Parse>
Result<Loaded<Value>> LoadOne(const Run& run, const Tag& tag, std::size_t index,
                              const Parse& parse) {
  CBOARD_ASSIGN_OR_RETURN(auto loaded, Load<Value>(run, tag, std::span(&index, 1), parse));
  return std::move(loaded.front());
}

}  // namespace

Result<Loaded<ImageValue>> ReadImage(const Run& run, const Tag& tag, std::size_t index) {
  return LoadOne<ImageValue>(run, tag, index, ParseImageValue);
}

Result<Loaded<AudioValue>> ReadAudio(const Run& run, const Tag& tag, std::size_t index) {
  return LoadOne<AudioValue>(run, tag, index, ParseAudioValue);
}

Result<Loaded<TextValue>> ReadText(const Run& run, const Tag& tag, std::size_t index) {
  return LoadOne<TextValue>(run, tag, index, ParseTextValue);
}

Result<Loaded<TensorValue>> ReadTensor(const Run& run, const Tag& tag, std::size_t index,
                                       std::size_t max_elements) {
  return LoadOne<TensorValue>(run, tag, index, [max_elements](std::string_view value) {
    return ParseTensorValue(value, max_elements);
  });
}

Result<std::vector<Loaded<TextValue>>> ReadTexts(const Run& run, const Tag& tag,
                                                 const std::vector<std::size_t>& indices) {
  return Load<TextValue>(run, tag, indices, ParseTextValue);
}

}  // namespace cboard::reader
