#include "tune/end_meter.h"

#include <algorithm>
#include <cmath>

namespace cboard::tune {

double NoiseOf(const quantize::EndQuality& quality) {
  if (quality.heads.empty()) return 0;
  double sum = 0;
  for (const quantize::HeadQuality& head : quality.heads) {
    sum += std::min(100.0, std::pow(10.0, -head.sqnr_db / 10));
  }
  return sum / static_cast<double>(quality.heads.size());
}

double DbOf(double noise) { return noise <= 1e-20 ? 200 : -10 * std::log10(noise); }

EndMeter::EndMeter(const quantize::ModelQuantizer& model, const quantize::Plan& plan,
                   std::map<std::string, double> known,
                   std::function<Result<void>(const std::string&, double)> on_measured)
    : model_(model),
      plan_(plan),
      wide_(model.MakePlan(quantize::RangeMethod::kMinMax)),
      known_(std::move(known)),
      on_measured_(std::move(on_measured)) {}

Result<double> EndMeter::Noise(const PlanChanges& changes) {
  const std::string key = changes.Key();
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (stop_ && stop_()) return Fail(ErrorCode::kUnavailable, "the tuning was stopped by the user");
  CBOARD_ASSIGN_OR_RETURN(const quantize::EndQuality quality, model_.Measure(PlanWith(changes)));
  const double noise = NoiseOf(quality);
  if (on_measured_) CBOARD_RETURN_IF_ERROR(on_measured_(key, noise));
  known_[key] = noise;
  return noise;
}

void EndMeter::ForEach(const std::function<void(const PlanChanges&, double)>& visit) const {
  for (const auto& [key, noise] : known_) visit(PlanChanges::Parse(key), noise);
}

namespace {

class Ranking {
 public:
  Ranking(EndMeter& meter, const std::vector<ErrorSource>& sources)
      : meter_(meter), sources_(sources) {}

  Result<void> Begin() {
    CBOARD_ASSIGN_OR_RETURN(noise_, meter_.Noise({}));
    return {};
  }

  Result<RankedItem> Measure(std::size_t first, std::size_t end) {
    RankedItem item;
    PlanChanges changes;
    for (std::size_t i = first; i < end; ++i) {
      item.sources.push_back(i);
      Restore(sources_[i], changes);
    }
    CBOARD_ASSIGN_OR_RETURN(const double noise, meter_.Noise(changes));
    ++count_;
    item.gain = noise_ - noise;
    return item;
  }

  // Divides the item with the largest gain in two, until no measurements are left.
  Result<RankedSources> Bisect(std::size_t max_measurements) {
    std::vector<RankedItem> halves;
    RankedItem all{.sources = {}, .gain = noise_};
    for (std::size_t i = 0; i < sources_.size(); ++i) all.sources.push_back(i);
    std::vector<RankedItem> items = {std::move(all)};
    while (count_ + 2 <= max_measurements) {
      const auto largest = std::ranges::max_element(items, [](const auto& a, const auto& b) {
        return (a.sources.size() > 1 ? a.gain : -1e300) < (b.sources.size() > 1 ? b.gain : -1e300);
      });
      if (largest->sources.size() < 2) break;
      const std::size_t first = largest->sources.front(), end = largest->sources.back() + 1;
      const std::size_t middle = first + (end - first) / 2;
      CBOARD_ASSIGN_OR_RETURN(RankedItem left, Measure(first, middle));
      CBOARD_ASSIGN_OR_RETURN(RankedItem right, Measure(middle, end));
      if (count_ > 2) halves.push_back(std::move(*largest));  // All sources are no half.
      const auto place = items.erase(largest);
      items.insert(items.insert(place, std::move(right)), std::move(left));
    }
    std::ranges::stable_sort(halves, std::greater<>(),
                             [](const RankedItem& item) { return item.sources.size(); });
    return RankedSources{std::move(items), std::move(halves)};
  }

 private:
  EndMeter& meter_;
  const std::vector<ErrorSource>& sources_;
  double noise_ = 0;
  std::size_t count_ = 0;
};

}  // namespace

Result<RankedSources> RankSources(EndMeter& meter, const std::vector<ErrorSource>& sources,
                                  const RankingOptions& options) {
  RankedSources ranked;
  if (sources.empty()) return ranked;
  Ranking ranking(meter, sources);
  CBOARD_RETURN_IF_ERROR(ranking.Begin());
  if (sources.size() > options.max_single_sources) return ranking.Bisect(options.max_measurements);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    CBOARD_ASSIGN_OR_RETURN(RankedItem item, ranking.Measure(i, i + 1));
    ranked.items.push_back(std::move(item));
  }
  return ranked;
}

Result<std::vector<RankedItem>> RankNarrowWeights(EndMeter& meter,
                                                  const std::vector<ErrorSource>& sources,
                                                  std::size_t max_items) {
  std::vector<std::size_t> weights;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (CanBeNarrow(meter.plan(), sources[i])) weights.push_back(i);
  }
  std::vector<RankedItem> items;
  if (weights.empty()) return items;
  CBOARD_ASSIGN_OR_RETURN(const double noise, meter.Noise({}));
  // If there are too many weights, neighbours are measured together.
  const std::size_t together = (weights.size() + max_items - 1) / max_items;
  for (std::size_t first = 0; first < weights.size(); first += together) {
    RankedItem item;
    PlanChanges changes;
    for (std::size_t i = first; i < std::min(first + together, weights.size()); ++i) {
      item.sources.push_back(weights[i]);
      changes.narrow_nodes.insert(sources[weights[i]].key);
    }
    CBOARD_ASSIGN_OR_RETURN(const double narrow, meter.Noise(changes));
    item.gain = noise - narrow;
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace cboard::tune
