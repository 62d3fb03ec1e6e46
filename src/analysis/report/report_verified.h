// The section of verified runs, below the layers that they restore.
#pragma once

#include "analysis/report/html_writer.h"
#include "cboard/analysis/verified_runs.h"

namespace cboard::analysis {

// A sentence, and a row for each run.
void WriteVerified(HtmlWriter& html, const VerifiedRuns& verified);

}  // namespace cboard::analysis
