// Common parts of a comparison's logs: tags, labels and table cells.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/compression/metrics.h"
#include "cboard/writer/summary_writer.h"

namespace cboard::compare {

inline constexpr std::string_view kBaselineName = "fp32";

// Returns the metadata (plugin data) of a logged value: the original names of model, layer, variant
// and node. Empty names are left out. Tags cannot contain names such as "/layer1/Conv" or "conv:0",
// but quantizers need exactly the original name to keep a node in float. `node` is the name of the
// layer's node if it differs from the layer's name.
std::string LabelOf(std::string_view model, std::string_view layer, std::string_view variant,
                    std::string_view node = {});
writer::ScalarLabels LabelsOf(std::string label);

// The prefix and the metadata of a layer's tags, for one of the two models.
struct LayerTags {
  std::string prefix;  // <model>/layers/<layer>/
  std::string variant;
  std::string label;  // See LabelOf.

  std::string For(std::string_view what) const {
    return prefix + std::string(what) + "/" + variant;
  }
};
LayerTags TagsOf(const std::string& model, std::string_view layer, std::string_view variant,
                 std::string_view node = {});

// Returns the name without leading slashes; a name that has only slashes is not changed.
std::string_view WithoutSlash(std::string_view name);

// Returns the layer name as it is written in tags, without leading slashes.
std::string TagName(std::string_view layer);

// Returns the layers in the order of execution. They are logged in this order, because pages show
// them in the order of the log. In contrast, ModelComparison::layers is sorted by damage.
std::vector<const LayerComparison*> LayersAlongDepth(const ModelComparison& comparison);

// Logs a metric of a layer at step 0. Fails if SummaryWriter fails.
Result<void> AddFigure(SummaryWriter& writer, const LayerTags& tags, std::string_view what,
                       double value);

// Logs a histogram. Fails if SummaryWriter fails.
Result<void> AddHistogram(SummaryWriter& writer, std::string_view tag, std::string_view label,
                          std::int64_t step, const tensor::HistogramData& counted);

// Logs a JSON text at step 0. Only the web page and the command line read it. Fails if
// SummaryWriter fails.
Result<void> AddJson(SummaryWriter& writer, std::string_view tag, std::string_view json,
                     std::string_view label);

// Returns a text for a cell of a Markdown table, without vertical bars that would end the cell.
std::string MarkdownCell(std::string text);

}  // namespace cboard::compare
