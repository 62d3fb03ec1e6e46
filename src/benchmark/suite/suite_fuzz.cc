// Any bytes as a list of models give options or an error.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/benchmark/suite.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto suite = cboard::benchmark::ParseSuite(text, "models.yaml", {});
  if (suite && suite->empty()) __builtin_trap();
  return 0;
}
