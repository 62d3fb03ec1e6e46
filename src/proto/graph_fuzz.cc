// Parses any bytes as a graph and as run metadata.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cboard/proto/graph.h"
#include "cboard/proto/run_metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cboard::proto;  // NOLINT: a program of one file.
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)ForEachNode(bytes, [](const NodeView& node) {
    std::size_t count = 0;
    const auto read =
        ForEachAttribute(node.bytes, [&](std::string_view, std::string_view) { ++count; });
    if (read && count != node.attribute_count) __builtin_trap();
  });
  (void)ForEachNodeStats(bytes, [](std::string_view, const NodeStats&) {});
  return 0;
}
