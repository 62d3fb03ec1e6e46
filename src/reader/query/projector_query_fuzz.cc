// Configs and tensors of the projector from any bytes; rows are as long as they say.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "cboard/reader/projector_query.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)reader::ParseProjectorConfig(bytes);
  if (const auto tensor = reader::ParseTensorTsv(bytes)) {
    if (tensor->values.size() != tensor->rows * tensor->columns) std::abort();
  }
  if (const auto tensor = reader::ParseTensorTsv(bytes, 2)) {
    if (tensor->rows > 2) std::abort();
  }
  return 0;
}
