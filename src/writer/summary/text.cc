#include "writer/summary/text.h"

#include <array>

#include "cboard/base/strings.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "writer/summary/plugin_metadata.h"
#include "writer/summary/tag_cleaning.h"

namespace cboard::writer::summary {

Result<std::string> MakeTextSummary(std::string_view tag, std::string_view markdown) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored_tag, StoredTag(tag));
  const std::string text = ToValidUtf8(markdown);
  constexpr std::array<std::int64_t, 1> kShape = {1};
  const std::array<std::string_view, 1> strings = {text};
  std::string summary;
  proto::AppendTensorValue(stored_tag + "/text_summary", proto::EncodeStringTensor(kShape, strings),
                           ForPlugin("text"), summary);
  return summary;
}

}  // namespace cboard::writer::summary
