// Makes the layout of the CUSTOM SCALARS page: the charts of a category, and the tags of a chart.
#pragma once

#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// Returns a serialized Summary with the whole layout. A later layout in the same run replaces it.
// Fails with kInvalidArgument if a chart has no tags, or if a margin chart does not have exactly
// three tags.
Result<std::string> MakeCustomScalarsSummary(const std::vector<CustomScalarCategory>& layout);

}  // namespace cboard::writer::summary
