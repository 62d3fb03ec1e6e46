// Any bytes, as stored label or as tag, give a label with its parts or nothing.
#include "cboard/base/check.h"
#include "server/compression_labels.h"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& label : {cboard::ParseLabel(text), cboard::LabelOfTag(text)}) {
    if (!label) continue;
    CBOARD_CHECK(!label->model.empty() && !label->variant.empty() && !label->metric.empty());
  }
  return 0;
}
