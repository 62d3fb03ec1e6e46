// How TensorBoard's plugins see a tag: whose it is, and by which calls it is read.
#pragma once

#include <string>
#include <string_view>

#include "cboard/proto/summary.h"
#include "cboard/reader/snapshot.h"

namespace cboard::data_server {

// Views point into the TagInfo, which outlives them.
struct TagClass {
  // kUnknown: no plugin asks for it, and it is not listed.
  proto::DataClass data_class = proto::DataClass::kUnknown;
  std::string_view plugin_name;
};

// A data class that was logged holds. Without it, the kind of value decides (an image belongs to
// "images", whatever its metadata says) and, for tensors, the name of a plugin that TensorBoard
// knows.
TagClass ClassOf(const reader::TagInfo& info);

// The SummaryMetadata that plugins get, serialized. Old values get what they would have as tensors.
// Display name and description are kept.
std::string SummaryMetadataOf(const reader::TagInfo& info);

}  // namespace cboard::data_server
