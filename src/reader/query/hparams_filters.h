// Filters and sorts the rows of the hyperparameter table.
#pragma once

#include <functional>

#include "cboard/reader/hparams_query.h"

namespace cboard::reader {

// Removes the groups that do not pass the filters of all columns. Sorts the others by the columns
// that have an order, and then by name. Also removes hyperparameters that should not be included.
Result<void> FilterAndSort(const std::vector<ColumnParameters>& columns,
                           std::vector<SessionGroup>& groups);

}  // namespace cboard::reader
