// Any bytes as a profile or as the output of an evaluation give values or an error.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/benchmark/evaluation.h"
#include "cboard/benchmark/resources.h"
#include "cboard/benchmark/why_slower.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto nodes = cboard::benchmark::ParseProfile(text); nodes && nodes->empty()) {
    __builtin_trap();
  }
  if (const auto scores = cboard::benchmark::ParseEvaluationOutput(text)) {
    for (const auto& [name, value] : *scores) {
      if (!std::isfinite(value)) __builtin_trap();
    }
  }
  static_cast<void>(cboard::benchmark::ParseMemoryUse(std::string(text)));
  return 0;
}
