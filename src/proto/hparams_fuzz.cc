// Parses any bytes as the data of a plugin. Parsed data must be equal after it is encoded and
// parsed again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/proto/plugins.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard::proto;  // NOLINT: a program of one file.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto parsed = ParseHParamsPluginData(bytes)) {
    if (const auto* experiment = std::get_if<HParamsExperiment>(&*parsed)) {
      const auto again = ParseHParamsPluginData(EncodeHParamsExperiment(*experiment));
      if (!again || !std::holds_alternative<HParamsExperiment>(*again)) __builtin_trap();
    } else if (const auto* start = std::get_if<HParamsSessionStart>(&*parsed)) {
      const auto again = ParseHParamsPluginData(EncodeHParamsSessionStart(*start));
      if (!again || !std::holds_alternative<HParamsSessionStart>(*again)) __builtin_trap();
    }
  }
  if (const auto layout = ParseLayout(bytes)) {
    const auto again = ParseLayout(EncodeLayout(*layout));
    if (!again || again->size() != layout->size()) __builtin_trap();
  }
  (void)ParseMeshPluginData(bytes);
  return 0;
}
