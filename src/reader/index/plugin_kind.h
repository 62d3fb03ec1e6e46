// The kind of data in the tensors of a plugin.
#pragma once

#include <string_view>

#include "cboard/reader/tag_kind.h"

namespace cboard::reader {

// By the name in the metadata; kTensor for plugins that are not TensorBoard's own.
TagKind KindOfPlugin(std::string_view plugin_name);

}  // namespace cboard::reader
