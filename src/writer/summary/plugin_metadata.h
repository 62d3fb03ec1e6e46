// The metadata that assigns a value to a plugin.
#pragma once

#include <string_view>

#include "cboard/proto/summary.h"

namespace cboard::writer::summary {

// Returns metadata that views its arguments. Plugins without settings have an empty `content`.
inline proto::SummaryMetadata ForPlugin(std::string_view name, std::string_view content = {}) {
  proto::SummaryMetadata metadata;
  metadata.plugin_name = name;
  metadata.plugin_content = content;
  return metadata;
}

}  // namespace cboard::writer::summary
