// The kind of data that the tensors of a plugin contain.
#pragma once

#include <string_view>

#include "cboard/reader/tag_kind.h"

namespace cboard::reader {

// Returns the kind for the plugin name in the metadata. Returns kTensor for plugins that are not
// part of TensorBoard.
TagKind KindOfPlugin(std::string_view plugin_name);

}  // namespace cboard::reader
