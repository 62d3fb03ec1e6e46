// Parses any bytes as compression-board.json: gives an error, or annotations that are unchanged
// after writing and reading them, and after merging them with themselves.
#include "cboard/base/check.h"
#include "server/annotations/annotation_file.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Also tries the bytes inside a valid document, so that random changes probably reach the fields.
  for (const std::string& input :
       {std::string(text), R"({"format":"compression-board annotations","version":1,"runs":)" +
                               std::string(text) + "}"}) {
    auto parsed = cboard::server::ParseAnnotations(input);
    if (!parsed) continue;
    const auto again = cboard::server::ParseAnnotations(cboard::server::FormatAnnotations(*parsed));
    CBOARD_CHECK(again.has_value() && *again == *parsed);
    cboard::server::Annotations merged = *parsed;
    cboard::server::Merge(merged, *again);
    CBOARD_CHECK(merged == *parsed);
  }
  return 0;
}
