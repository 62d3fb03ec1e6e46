// Makes the summaries of one trial for the HPARAMS page: its hyperparameters and metrics.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// The serialized Summaries of a trial. Write them in the order of the members, one event each.
struct HParamsSummaries {
  std::string experiment;
  std::string session_start;
  std::string session_end;
};

// Makes the summaries of a trial. They contain only the tags of the metrics; the caller logs the
// values as scalars of the same run.
//
// Fails with kInvalidArgument for an empty or duplicate name, and for NaN and infinity: TensorBoard
// cannot write these values as JSON, and one of them would break its whole page.
Result<HParamsSummaries> MakeHParamsSummaries(
    const std::vector<std::pair<std::string, HParam>>& hparams,
    const std::vector<std::pair<std::string, double>>& metrics);

}  // namespace cboard::writer::summary
