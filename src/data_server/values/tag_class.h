// The view that TensorBoard's plugins have of a tag: the plugin that it belongs to, and the calls
// that read it.
#pragma once

#include <string>
#include <string_view>

#include "cboard/proto/summary.h"
#include "cboard/reader/snapshot.h"

namespace cboard::data_server {

// The string_views point into the TagInfo. The TagInfo must outlive this object.
struct TagClass {
  // kUnknown: no plugin requests the tag, so it is not listed.
  proto::DataClass data_class = proto::DataClass::kUnknown;
  std::string_view plugin_name;
};

// The plugin and data class of a tag. If a data class was logged, it is used. Otherwise, the kind
// of value decides: an image belongs to "images" even if its metadata names another plugin. For
// tensors, the metadata must name a plugin that TensorBoard knows.
TagClass ClassOf(const reader::TagInfo& info);

// The serialized SummaryMetadata that plugins get. Values of old writers get the metadata that they
// would have as tensors. Display name and description are kept.
std::string SummaryMetadataOf(const reader::TagInfo& info);

}  // namespace cboard::data_server
