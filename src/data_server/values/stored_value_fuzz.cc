// Tensors, blobs and blob keys from any bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "data_server/values/blob_key.h"
#include "data_server/values/stored_value.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  using namespace cboard::data_server;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)TensorOfValue(bytes);
  if (const auto clean = CleanTensor(bytes)) {
    if (clean->size() > bytes.size()) std::abort();
    const auto again = CleanTensor(*clean);
    if (!again || *again != *clean) std::abort();
  }
  for (const char* plugin : {"images", "audio", "graph_keras_model"}) {
    const reader::TagInfo info{.name = "t", .kind = reader::TagKind::kImage, .plugin_name = plugin};
    if (const auto sequence = BlobsOfValue(info, bytes)) {
      if (sequence->blobs.size() > size + 3) std::abort();
    }
    const auto count = CountBlobs(info, bytes, size + 100);
    if (count && *count > size + 100) std::abort();
  }
  if (const auto key = DecodeBlobKey(bytes)) {
    const auto again = DecodeBlobKey(EncodeBlobKey(*key));
    if (!again || !(*again == *key)) std::abort();
  }
  return 0;
}
