// Which kind of data a value is, by TensorBoard's rules.
#pragma once

#include <optional>

#include "cboard/proto/summary.h"
#include "cboard/reader/logdir_scan.h"

namespace cboard::reader {

// The member of the oneof decides; tensors, and values that are metadata only, belong to the plugin
// they name. Nothing for a value without either.
std::optional<TagKind> KindOf(proto::ValueKind value, std::string_view plugin_name);

}  // namespace cboard::reader
