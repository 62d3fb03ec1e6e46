// Makes text summaries: markdown, which TensorBoard's TEXT page shows.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer::summary {

// Returns a serialized Summary of one string tensor of shape [1] under <tag>/text_summary; name and
// shape are those of tensorboardX. Fails only if StoredTag refuses the tag.
Result<std::string> MakeTextSummary(std::string_view tag, std::string_view markdown);

}  // namespace cboard::writer::summary
