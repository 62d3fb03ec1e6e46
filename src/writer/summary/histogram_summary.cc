#include "writer/summary/histogram_summary.h"

#include <cmath>

#include "cboard/base/strings.h"
#include "cboard/proto/summary.h"
#include "writer/summary/tag_cleaning.h"

namespace cboard::writer::summary {
namespace {

Result<void> Validate(const tensor::HistogramData& histogram) {
  const auto refuse = [](std::string reason) {
    return Fail(ErrorCode::kInvalidArgument, std::move(reason));
  };
  const std::vector<double>& limits = histogram.bucket_limits;
  const std::vector<double>& counts = histogram.bucket_counts;
  if (limits.size() != counts.size()) {
    return refuse("there are " + HumanCount(limits.size()) + " bucket limits but " +
                  HumanCount(counts.size()) + " bucket counts; give one right limit per bucket");
  }
  for (std::size_t i = 0; i < limits.size(); ++i) {
    if (std::isnan(limits[i]))
      return refuse("bucket limit " + std::to_string(i) + " is NaN; give a number");
    if (i > 0 && limits[i] < limits[i - 1]) {
      return refuse("bucket limit " + std::to_string(i) + " is " + ShortestDecimal(limits[i]) +
                    ", less than the one before, " + ShortestDecimal(limits[i - 1]) +
                    "; sort the limits in ascending order");
    }
    if (!std::isfinite(counts[i]) || counts[i] < 0) {
      return refuse("bucket count " + std::to_string(i) + " is " + ShortestDecimal(counts[i]) +
                    "; give a finite number of 0 or more");
    }
  }
  return {};
}

}  // namespace

Result<std::string> MakeHistogramSummary(std::string_view tag,
                                         const tensor::HistogramData& histogram) {
  if (auto valid = Validate(histogram); !valid) {
    return Fail(Annotate(std::move(valid).error(), "histogram " + Quoted(tag)));
  }
  return MakeCountedHistogramSummary(tag, histogram);
}

Result<std::string> MakeCountedHistogramSummary(std::string_view tag,
                                                const tensor::HistogramData& histogram) {
  CBOARD_ASSIGN_OR_RETURN(const std::string stored_tag, StoredTag(tag));
  std::string summary;
  proto::AppendHistogramValue(stored_tag,
                              {.min = histogram.min,
                               .max = histogram.max,
                               .num = histogram.num,
                               .sum = histogram.sum,
                               .sum_squares = histogram.sum_squares,
                               .bucket_limits = histogram.bucket_limits,
                               .bucket_counts = histogram.bucket_counts},
                              {}, summary);
  return summary;
}

}  // namespace cboard::writer::summary
