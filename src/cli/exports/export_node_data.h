// Figures of layers as node data for Model Explorer.
#pragma once

#include <string>
#include <string_view>

#include "cboard/base/result.h"
#include "cli/exports/export_logs.h"

namespace cboard::cli {

// The figure `metric` of the layers of `variant`, a graph per model: what is logged as
// <model>/layers/<layer>/<metric>/<variant>. An empty metric is the most telling one that is there,
// an empty variant the only one. Fails with kNotFound when there is no such figure, and with
// kInvalidArgument when there are several variants; the message names what there is.
Result<std::string> NodeDataJson(const reader::Snapshot& snapshot, const ExportOptions& options,
                                 std::string_view metric, std::string_view variant);

}  // namespace cboard::cli
