#include <algorithm>
#include <array>
#include <utility>

#include "cboard/analysis/layer_ranking.h"
#include "cboard/base/strings.h"
#include "cboard/reader/histogram_query.h"

namespace cboard::analysis {
namespace {

// Returns the index of the last value at or before `step`.
std::optional<std::size_t> IndexAt(const reader::Tag& tag, std::optional<std::int64_t> step) {
  if (tag.blobs.empty()) return std::nullopt;
  if (!step) return tag.blobs.size() - 1;
  std::optional<std::size_t> found;
  std::size_t index = 0;
  tag.blobs.ForEach([&](const reader::BlobEntry& entry) {
    if (entry.step <= *step) found = index;
    ++index;
  });
  return found;
}

// Limits the outermost bins to min and max if these are known. Otherwise the bins extend beyond min
// and max; those of TensorBoard by up to a tenth of the value.
Result<ValueDistribution> FromLogged(const auto& histogram) {
  std::vector<ValueBin> bins;
  bins.reserve(histogram.bins.size());
  for (const reader::HistogramBin& bin : histogram.bins) {
    if (bin.count > 0) bins.push_back({bin.left, bin.right, bin.count});
  }
  if (!bins.empty() && histogram.moments) {
    ValueBin& first = bins.front();
    ValueBin& last = bins.back();
    if (histogram.moments->min <= first.high)
      first.low = std::max(first.low, histogram.moments->min);
    if (histogram.moments->max >= last.low) last.high = std::min(last.high, histogram.moments->max);
  }
  return ValueDistribution::FromBins(bins);
}

class SnapshotHistograms final : public HistogramSource {
 public:
  explicit SnapshotHistograms(std::shared_ptr<const reader::Snapshot> snapshot)
      : snapshot_(std::move(snapshot)) {}

  Result<ValueDistribution> Read(std::string_view run_name, std::string_view tag_name,
                                 std::optional<std::int64_t> step) const override {
    const reader::Run* run = snapshot_->FindRun(run_name);
    const reader::Tag* tag = run == nullptr ? nullptr : run->Find(tag_name);
    if (tag == nullptr || tag->kind() != reader::TagKind::kHistogram) {
      return Fail(ErrorCode::kNotFound,
                  "run " + Quoted(run_name) + " has no histogram " + Quoted(tag_name));
    }
    const std::optional<std::size_t> index = IndexAt(*tag, step);
    if (!index) {
      return Fail(ErrorCode::kNotFound, "histogram " + Quoted(tag_name) + " of run " +
                                            Quoted(run_name) + " has no value at or before step " +
                                            std::to_string(step.value_or(0)));
    }
    const std::array<std::size_t, 1> indices = {*index};
    CBOARD_ASSIGN_OR_RETURN(const auto steps, reader::ReadHistograms(*run, *tag, indices));
    return FromLogged(steps.front().histogram);
  }

 private:
  std::shared_ptr<const reader::Snapshot> snapshot_;
};

}  // namespace

std::unique_ptr<HistogramSource> HistogramsOf(std::shared_ptr<const reader::Snapshot> snapshot) {
  return std::make_unique<SnapshotHistograms>(std::move(snapshot));
}

}  // namespace cboard::analysis
