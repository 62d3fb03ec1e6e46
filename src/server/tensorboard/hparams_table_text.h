// Formats the table of hyperparameters and metrics as a file to download: JSON, CSV or LaTeX.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/hparams_query.h"
#include "cboard/server/http_message.h"

namespace cboard::server::tensorboard {

// Formats the columns that are true in `visible`, hyperparameters before metrics; columns beyond
// its end are left out. Fails with kInvalidArgument if `format` is not json, csv or latex.
Result<HttpResponse> HParamsTableResponse(const reader::HParamsColumns& columns,
                                          const std::vector<reader::SessionGroup>& groups,
                                          std::string_view format,
                                          const std::vector<bool>& visible);

}  // namespace cboard::server::tensorboard
