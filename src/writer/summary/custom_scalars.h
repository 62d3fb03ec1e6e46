// The layout of the CUSTOM SCALARS page: which tags share a chart, which charts a category.
#pragma once

#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// A serialized Summary that holds the whole layout; a later one of the same run replaces it.
// Fails with kInvalidArgument for a chart without tags, and for a margin chart that has not
// exactly three.
Result<std::string> MakeCustomScalarsSummary(const std::vector<CustomScalarCategory>& layout);

}  // namespace cboard::writer::summary
