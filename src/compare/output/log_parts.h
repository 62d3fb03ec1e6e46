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

// The plugin data of a value: names as users spelled them, without empty ones. Exporters name nodes
// "/layer1/Conv" or "conv:0", and quantizers need exactly this name to keep a node in float; a tag
// cannot hold it. `node` has the layer if it has another name.
std::string LabelOf(std::string_view model, std::string_view layer, std::string_view variant,
                    std::string_view node = {});
writer::ScalarLabels LabelsOf(std::string label);

// Log entry of one layer of one of the two models: the prefix of its tags, and
// metadata.
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

// The name without slashes in front; a name of slashes only stays as it is.
std::string_view WithoutSlash(std::string_view name);

// In tags, a name has no slash in front.
std::string TagName(std::string_view layer);

// In the order of execution, which is the order to log in: pages draw layers as they were logged,
// while `layers` has the worst first.
std::vector<const LayerComparison*> LayersAlongDepth(const ModelComparison& comparison);

// A number of a layer, at step 0. Fails as SummaryWriter does.
Result<void> AddFigure(SummaryWriter& writer, const LayerTags& tags, std::string_view what,
                       double value);

// JSON as one text that only our own programs read, at step 0. Fails as SummaryWriter does.
Result<void> AddJson(SummaryWriter& writer, std::string_view tag, std::string_view json,
                     std::string_view label);

// A text in the cell of a Markdown table: without bars that would end it.
std::string MarkdownCell(std::string text);

}  // namespace cboard::compare
