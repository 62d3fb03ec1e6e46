// One trial of the HPARAMS page: its hyperparameters, and the metrics that evaluate it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/writer/summaries.h"

namespace cboard::writer::summary {

// Serialized Summaries, to be written in this order, one event each.
struct HParamsSummaries {
  std::string experiment;
  std::string session_start;
  std::string session_end;
};

// The metric values themselves are scalars of the same run; only their tags are noted here.
//
// Fails with kInvalidArgument for a name that is empty or given twice, and for NaN and infinity:
// TensorBoard cannot put those into JSON, and a single one would take its whole page down.
Result<HParamsSummaries> MakeHParamsSummaries(
    const std::vector<std::pair<std::string, HParam>>& hparams,
    const std::vector<std::pair<std::string, double>>& metrics);

}  // namespace cboard::writer::summary
