#include "writer/summary/pr_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "cboard/base/strings.h"
#include "cboard/proto/plugins.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "cboard/tensor/convert.h"
#include "writer/summary/invalid_argument.h"
#include "writer/summary/plugin_metadata.h"
#include "writer/summary/tag_cleaning.h"

namespace cboard::writer::summary {
namespace {

// TensorBoard's constant that keeps precision and recall defined if the counts are zero.
constexpr double kMinimumCount = 1e-7;

// numpy.histogram adds up weights in blocks of this size. With the same blocks, sums equal those of
// numpy to the last bit.
constexpr std::size_t kNumpyBlock = 65536;

// Returns the elements of `tensor`. Fails if an element is below `minimum` or above `maximum`.
Result<std::vector<double>> NumbersWithin(const TensorView& tensor, std::string_view what,
                                          double minimum, double maximum) {
  CBOARD_ASSIGN_OR_RETURN(std::vector<double> numbers, tensor::ToDoubles(tensor));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    // The condition is negated, so that it also rejects NaN.
    if (!(numbers[i] >= minimum && numbers[i] <= maximum)) {
      return InvalidArgument("the value of " + std::string(what) + " " + std::to_string(i) +
                             " is " + ShortestDecimal(numbers[i]) + ", but must be between " +
                             ShortestDecimal(minimum) + " and " + ShortestDecimal(maximum));
    }
  }
  return numbers;
}

// Rounds `value`, which must not be negative, to a float format with `digits` significant bits and
// 2^min_exponent as the smallest normal number.
double RoundToBits(double value, int digits, int min_exponent) {
  if (value == 0) return 0;
  const int exponent = std::max(std::ilogb(value), min_exponent);
  const double unit = std::ldexp(1.0, exponent - digits + 1);
  // The division and the multiplication are exact; halves are rounded to even.
  return std::nearbyint(value / unit) * unit;
}

double Product(DType dtype, double prediction, int factor) {
  const double product = prediction * factor;
  switch (dtype) {
    case DType::kFloat32:
      // The product is exact in double precision, so it is rounded only once, in the conversion to
      // float.
      return static_cast<float>(product);
    case DType::kFloat16:
      return RoundToBits(product, 11, -14);
    case DType::kBfloat16:
      return RoundToBits(product, 8, -126);
    default:
      return product;
  }
}

struct Buckets {
  std::vector<double> true_positives, false_positives;
};

Buckets CountPerBucket(DType dtype, const std::vector<double>& labels,
                       const std::vector<double>& predictions, const std::vector<double>& weights,
                       int thresholds) {
  const auto size = static_cast<std::size_t>(thresholds);
  Buckets total{std::vector<double>(size), std::vector<double>(size)};
  for (std::size_t start = 0; start < predictions.size(); start += kNumpyBlock) {
    Buckets block{std::vector<double>(size), std::vector<double>(size)};
    const std::size_t end = std::min(start + kNumpyBlock, predictions.size());
    for (std::size_t i = start; i < end; ++i) {
      const double weight = weights.empty() ? 1 : weights[weights.size() == 1 ? 0 : i];
      const auto bucket =
          static_cast<std::size_t>(std::floor(Product(dtype, predictions[i], thresholds - 1)));
      block.true_positives[bucket] += labels[i] * weight;
      block.false_positives[bucket] += (1 - labels[i]) * weight;
    }
    for (std::size_t i = 0; i < size; ++i) {
      total.true_positives[i] += block.true_positives[i];
      total.false_positives[i] += block.false_positives[i];
    }
  }
  return total;
}

// Replaces the count of each bucket i by the count of buckets i and above.
void SumFromTheEnd(std::vector<double>& counts) {
  for (std::size_t i = counts.size(); i-- > 1;) counts[i - 1] += counts[i];
}

PrCurveRows RowsOf(Buckets counts) {
  SumFromTheEnd(counts.true_positives);
  SumFromTheEnd(counts.false_positives);
  const double positives = counts.true_positives[0];
  const double negatives = counts.false_positives[0];
  PrCurveRows rows;
  const auto append = [](std::vector<float>& row, double value) {
    row.push_back(static_cast<float>(value));
  };
  for (std::size_t i = 0; i < counts.true_positives.size(); ++i) {
    const double tp = counts.true_positives[i];
    const double fp = counts.false_positives[i];
    const double fn = positives - tp;
    append(rows.true_positives, tp);
    append(rows.false_positives, fp);
    append(rows.true_negatives, negatives - fp);
    append(rows.false_negatives, fn);
    append(rows.precision, tp / std::max(kMinimumCount, tp + fp));
    append(rows.recall, tp / std::max(kMinimumCount, tp + fn));
  }
  return rows;
}

Result<int> EffectiveThresholds(int num_thresholds) {
  if (num_thresholds < 1) {
    return InvalidArgument("num_thresholds is " + std::to_string(num_thresholds) +
                           ", but must be from 1 to " + std::to_string(kMaxPrThresholds));
  }
  return std::min(num_thresholds, kMaxPrThresholds);
}

std::array<const std::vector<float>*, 6> InFileOrder(const PrCurveRows& rows) {
  return {&rows.true_positives,  &rows.false_positives, &rows.true_negatives,
          &rows.false_negatives, &rows.precision,       &rows.recall};
}

Result<void> ValidateRows(const PrCurveRows& rows) {
  constexpr std::array<std::string_view, 6> kNames = {"true_positives", "false_positives",
                                                      "true_negatives", "false_negatives",
                                                      "precision",      "recall"};
  const auto all = InFileOrder(rows);
  const std::size_t columns = all[0]->size();
  if (columns == 0)
    return InvalidArgument("true_positives is empty; give one number per threshold");
  for (std::size_t r = 0; r < all.size(); ++r) {
    if (all[r]->size() != columns) {
      return InvalidArgument("the list " + std::string(kNames[r]) + " has " +
                             std::to_string(all[r]->size()) + " numbers, but true_positives has " +
                             std::to_string(columns) + "; all six lists must have the same length");
    }
    if (r >= 4) continue;  // Precision and recall are undefined if nothing was predicted.
    const auto bad = std::ranges::find_if_not(*all[r], [](float v) { return std::isfinite(v); });
    if (bad != all[r]->end()) {
      return InvalidArgument("the count " + std::string(kNames[r]) + "[" +
                             std::to_string(bad - all[r]->begin()) + "] is " +
                             ShortestDecimal(*bad) + ", but counts must be finite");
    }
  }
  return {};
}

}  // namespace

Result<PrCurveRows> ComputePrCurve(const TensorView& labels, const TensorView& predictions,
                                   int num_thresholds, const TensorView* weights) {
  CBOARD_ASSIGN_OR_RETURN(const int thresholds, EffectiveThresholds(num_thresholds));
  CBOARD_ASSIGN_OR_RETURN(const auto truth, NumbersWithin(labels, "label", 0, 1));
  CBOARD_ASSIGN_OR_RETURN(const auto guesses, NumbersWithin(predictions, "prediction", 0, 1));
  if (guesses.empty()) return InvalidArgument("there are no predictions; give at least one");
  if (truth.size() != guesses.size()) {
    return InvalidArgument("there are " + HumanCount(truth.size()) + " labels but " +
                           HumanCount(guesses.size()) +
                           " predictions; give one label per prediction");
  }
  std::vector<double> factors;
  if (weights != nullptr) {
    constexpr double kLargest = 1e30;  // Limits counts, so that their sum fits a float32.
    CBOARD_ASSIGN_OR_RETURN(factors, NumbersWithin(*weights, "weight", 0, kLargest));
    if (factors.size() != 1 && factors.size() != guesses.size()) {
      return InvalidArgument("there are " + HumanCount(factors.size()) + " weights but " +
                             HumanCount(guesses.size()) +
                             " predictions; give one weight per prediction, or one weight for all");
    }
  }
  return RowsOf(CountPerBucket(predictions.dtype, truth, guesses, factors, thresholds));
}

Result<std::string> MakePrCurveSummary(std::string_view tag, const TensorView& labels,
                                       const TensorView& predictions, int num_thresholds,
                                       const TensorView* weights) {
  auto rows = ComputePrCurve(labels, predictions, num_thresholds, weights);
  if (!rows) return Fail(Annotate(std::move(rows).error(), "PR curve " + Quoted(tag)));
  return MakePrCurveRawSummary(tag, *rows, num_thresholds);
}

Result<std::string> MakePrCurveRawSummary(std::string_view tag, const PrCurveRows& rows,
                                          int num_thresholds) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored_tag, StoredTag(tag));
  const auto where = "PR curve " + Quoted(tag);
  auto thresholds = EffectiveThresholds(num_thresholds);
  if (!thresholds) return Fail(Annotate(std::move(thresholds).error(), where));
  if (auto valid = ValidateRows(rows); !valid) {
    return Fail(Annotate(std::move(valid).error(), where));
  }

  std::vector<float> values;
  for (const std::vector<float>* row : InFileOrder(rows)) {
    values.insert(values.end(), row->begin(), row->end());
  }
  const std::array<std::int64_t, 2> shape = {6,
                                             static_cast<std::int64_t>(rows.true_positives.size())};
  const std::string content =
      proto::EncodePrCurvePluginData(static_cast<std::uint32_t>(*thresholds));
  std::string summary;
  proto::AppendTensorValue(stored_tag, proto::EncodeFloatTensor(shape, values),
                           ForPlugin("pr_curves", content), summary);
  return summary;
}

}  // namespace cboard::writer::summary
