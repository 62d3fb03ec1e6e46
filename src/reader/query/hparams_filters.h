// Filters and orders of the table of hyperparameters.
#pragma once

#include <functional>

#include "cboard/reader/hparams_query.h"

namespace cboard::reader {

// The groups that pass the filters of all columns, sorted by those that have an order, and by name
// among equals. Hyperparameters that are not to be included are taken out.
Result<void> FilterAndSort(const std::vector<ColumnParameters>& columns,
                           std::vector<SessionGroup>& groups);

}  // namespace cboard::reader
