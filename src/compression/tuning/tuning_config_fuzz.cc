// Any bytes give a configuration or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/compression/tuning_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config = cboard::compression::ParseTuningConfig(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (!config && config.error().message.empty()) __builtin_trap();
  return 0;
}
