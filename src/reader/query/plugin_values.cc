// Reads PR curves, meshes and layouts of custom scalars in their stored form.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <unordered_map>

#include "cboard/reader/plugin_query.h"
#include "reader/query/value_view.h"

namespace cboard::reader {
namespace {

constexpr std::size_t kPrRows = 6;
constexpr std::size_t kMaxMeshNumbers = std::size_t{1} << 26;

// Converts numbers to integers like Python's `int()`. Fails for NaN, infinity and numbers that are
// too large.
Result<std::vector<std::int64_t>> Counts(std::span<const double> numbers, std::string_view what) {
  std::vector<std::int64_t> counts;
  counts.reserve(numbers.size());
  for (const double number : numbers) {
    if (!(std::abs(number) < 0x1p63)) {
      return Fail(ErrorCode::kDataLoss, "a logged precision-recall curve has a number of " +
                                            std::string(what) +
                                            " that is NaN, infinite or too large");
    }
    counts.push_back(static_cast<std::int64_t>(number));
  }
  return counts;
}

template <typename T>
void AppendRaw(double number, std::string& out) {
  T value{};
  if constexpr (std::is_floating_point_v<T>) {
    value = static_cast<T>(number);
  } else {
    // Integers that are too large for the type keep only their low bits, as in NumPy. NaN becomes
    // 0.
    value = std::abs(number) < 0x1p63 ? static_cast<T>(static_cast<std::int64_t>(number)) : T{0};
  }
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

}  // namespace

Result<PrCurve> ParsePrCurveValue(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, TensorOf(value, "a PR curve"));
  if (tensor.unknown_rank || tensor.shape.size() != 2 || tensor.shape[0] != kPrRows) {
    return Fail(ErrorCode::kDataLoss, "the logged tensor of a precision-recall curve has rank " +
                                          std::to_string(tensor.shape.size()) +
                                          ", but must have the shape [6, thresholds]");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> numbers,
                          proto::ReadNumbers(tensor, kPrRows * kMaxThresholds));
  const std::size_t thresholds = numbers.size() / kPrRows;
  const auto row = [&](std::size_t i) {
    return std::span(numbers).subspan(i * thresholds, thresholds);
  };
  PrCurve curve;
  CBOARD_ASSIGN_OR_RETURN(curve.true_positives, Counts(row(0), "true positives"));
  CBOARD_ASSIGN_OR_RETURN(curve.false_positives, Counts(row(1), "false positives"));
  CBOARD_ASSIGN_OR_RETURN(curve.true_negatives, Counts(row(2), "true negatives"));
  CBOARD_ASSIGN_OR_RETURN(curve.false_negatives, Counts(row(3), "false negatives"));
  std::size_t shown = thresholds;
  // Adds counts as unsigned integers: numbers of opposite signs cancel, as in TensorBoard, and
  // overflow is defined.
  const auto positives = [&](std::size_t i) {
    return static_cast<std::uint64_t>(curve.true_positives[i]) +
           static_cast<std::uint64_t>(curve.false_positives[i]);
  };
  while (shown > 1 && positives(shown - 1) == 0) --shown;
  curve.precision.assign(row(4).begin(), row(4).end());
  curve.recall.assign(row(5).begin(), row(5).end());
  curve.thresholds.resize(thresholds);
  const double width = thresholds > 1 ? 1.0 / static_cast<double>(thresholds - 1) : 0.0;
  for (std::size_t i = 0; i < thresholds; ++i) {
    curve.thresholds[i] = i > 0 && i + 1 == thresholds ? 1.0 : static_cast<double>(i) * width;
  }
  for (auto* column : {&curve.precision, &curve.recall, &curve.thresholds}) column->resize(shown);
  for (auto* column : {&curve.true_positives, &curve.false_positives, &curve.true_negatives,
                       &curve.false_negatives}) {
    column->resize(shown);
  }
  return curve;
}

Result<std::string> ParseMeshValue(std::string_view bytes, proto::MeshContent content_type,
                                   std::int64_t sample) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, TensorOf(value, "a mesh"));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> numbers,
                          proto::ReadNumbers(tensor, kMaxMeshNumbers));
  if (tensor.shape.empty() || sample < 0 || sample >= tensor.shape[0]) {
    return Fail(ErrorCode::kNotFound,
                "the mesh has no sample " + std::to_string(sample) +
                    "; the number of its samples is " +
                    std::to_string(tensor.shape.empty() ? 0 : tensor.shape[0]));
  }
  const std::size_t size = numbers.size() / static_cast<std::size_t>(tensor.shape[0]);
  std::string raw;
  for (const double number :
       std::span(numbers).subspan(static_cast<std::size_t>(sample) * size, size)) {
    switch (content_type) {
      case proto::MeshContent::kFace:
        AppendRaw<std::int32_t>(number, raw);
        break;
      case proto::MeshContent::kColor:
        AppendRaw<std::uint8_t>(number, raw);
        break;
      default:
        AppendRaw<float>(number, raw);
    }
  }
  return raw;
}

Result<std::vector<proto::LayoutCategory>> ParseLayoutValue(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, ParseValue(bytes));
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, TensorOf(value, "a layout"));
  CBOARD_ASSIGN_OR_RETURN(const auto strings, proto::ReadStrings(tensor));
  if (strings.size() != 1) {
    return Fail(ErrorCode::kDataLoss, "the logged layout of the custom scalars consists of " +
                                          std::to_string(strings.size()) +
                                          " strings, but must be one string");
  }
  return proto::ParseLayout(strings[0]);
}

std::vector<proto::LayoutCategory> MergeLayouts(
    std::span<const std::vector<proto::LayoutCategory>> layouts) {
  // Compares charts by their encoded bytes, so that merging takes linear time.
  const auto key = [](const proto::LayoutChart& chart) {
    const proto::LayoutCategory alone = {.charts = {chart}};
    return proto::EncodeLayout(std::span(&alone, 1));
  };
  std::vector<proto::LayoutCategory> merged;
  std::unordered_map<std::string, std::size_t> by_title;
  std::vector<std::set<std::string>> charts;
  for (const auto& layout : layouts) {
    const bool is_first = &layout == layouts.data();
    for (const proto::LayoutCategory& category : layout) {
      const auto found = is_first ? by_title.end() : by_title.find(category.title);
      if (found == by_title.end()) {
        // If the first layout has two categories with the same title, charts are added to the
        // second of them.
        by_title[category.title] = merged.size();
        merged.push_back(category);
        std::set<std::string>& keys = charts.emplace_back();
        for (const proto::LayoutChart& chart : category.charts) keys.insert(key(chart));
        continue;
      }
      std::set<std::string>& keys = charts[found->second];
      for (const proto::LayoutChart& chart : category.charts) {
        if (keys.insert(key(chart)).second) merged[found->second].charts.push_back(chart);
      }
    }
  }
  return merged;
}

}  // namespace cboard::reader
