// Text summaries: markdown that TensorBoard's TEXT page renders.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"

namespace cboard::writer::summary {

// A serialized Summary of one string tensor of shape [1] under <tag>/text_summary, the name and
// shape that tensorboardX gives it. Fails only for a tag that StoredTag refuses.
Result<std::string> MakeTextSummary(std::string_view tag, std::string_view markdown);

}  // namespace cboard::writer::summary
