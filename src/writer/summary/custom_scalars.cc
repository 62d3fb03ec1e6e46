#include "writer/summary/custom_scalars.h"

#include <array>

#include "cboard/base/strings.h"
#include "cboard/proto/plugins.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "writer/summary/plugin_metadata.h"

namespace cboard::writer::summary {
namespace {

Result<proto::LayoutChart> ToProto(const CustomScalarChart& chart) {
  proto::LayoutChart result;
  result.title = ToValidUtf8(chart.title);
  if (chart.tags.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "custom scalar chart " + Quoted(chart.title) + " has no tags; give at least one");
  }
  if (chart.margin && chart.tags.size() != 3) {
    return Fail(ErrorCode::kInvalidArgument, "margin chart " + Quoted(chart.title) + " has " +
                                                 std::to_string(chart.tags.size()) +
                                                 " tags; give exactly three: the tags of the "
                                                 "value, of its lower and of its upper bound");
  }
  std::vector<std::string> tags;
  for (const std::string& tag : chart.tags) tags.push_back(ToValidUtf8(tag));
  if (chart.margin) {
    result.margins.push_back({.value = tags[0], .lower = tags[1], .upper = tags[2]});
  } else {
    result.multiline_tags = std::move(tags);
  }
  return result;
}

}  // namespace

Result<std::string> MakeCustomScalarsSummary(const std::vector<CustomScalarCategory>& layout) {
  std::vector<proto::LayoutCategory> categories;
  for (const CustomScalarCategory& category : layout) {
    proto::LayoutCategory& target = categories.emplace_back();
    target.title = ToValidUtf8(category.title);
    for (const CustomScalarChart& chart : category.charts) {
      CBOARD_ASSIGN_OR_RETURN(proto::LayoutChart converted, ToProto(chart));
      target.charts.push_back(std::move(converted));
    }
  }
  const std::string encoded = proto::EncodeLayout(categories);
  const std::array<std::string_view, 1> strings = {encoded};
  std::string summary;
  proto::AppendTensorValue("custom_scalars__config__", proto::EncodeStringTensor({}, strings),
                           ForPlugin("custom_scalars"), summary);
  return summary;
}

}  // namespace cboard::writer::summary
