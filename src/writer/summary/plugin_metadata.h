// Makes the metadata that assigns a value to a plugin of TensorBoard.
#pragma once

#include <string_view>

#include "cboard/proto/summary.h"

namespace cboard::writer::summary {

// Returns metadata whose strings are views of the arguments. If a plugin has no settings, `content`
// is empty.
inline proto::SummaryMetadata ForPlugin(std::string_view name, std::string_view content = {}) {
  proto::SummaryMetadata metadata;
  metadata.plugin_name = name;
  metadata.plugin_content = content;
  return metadata;
}

}  // namespace cboard::writer::summary
