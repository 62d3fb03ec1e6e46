// The metadata that leads a value to its plugin.
#pragma once

#include <string_view>

#include "cboard/proto/summary.h"

namespace cboard::writer::summary {

// A view of its arguments. An empty `content` is what plugins without settings store.
inline proto::SummaryMetadata ForPlugin(std::string_view name, std::string_view content = {}) {
  proto::SummaryMetadata metadata;
  metadata.plugin_name = name;
  metadata.plugin_content = content;
  return metadata;
}

}  // namespace cboard::writer::summary
