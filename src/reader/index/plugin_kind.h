// The kind of data that the tensors of a plugin hold.
#pragma once

#include <string_view>

#include "cboard/reader/tag_kind.h"

namespace cboard::reader {

// The kind for the plugin name in the metadata; kTensor for plugins that are not part of
// TensorBoard.
TagKind KindOfPlugin(std::string_view plugin_name);

}  // namespace cboard::reader
