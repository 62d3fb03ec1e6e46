// Makes text summaries: markdown that TensorBoard's TEXT page shows.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer::summary {

// Returns a serialized Summary with one string tensor of shape [1] and the tag <tag>/text_summary.
// Name and shape are those of tensorboardX. Fails only if StoredTag rejects the tag.
Result<std::string> MakeTextSummary(std::string_view tag, std::string_view markdown);

}  // namespace cboard::writer::summary
