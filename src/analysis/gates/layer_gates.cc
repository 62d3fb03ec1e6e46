#include "analysis/gates/layer_gates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "analysis/gates/limits.h"
#include "analysis/gates/name_pattern.h"
#include "cboard/base/strings.h"
#include "cboard/compression/metrics.h"
#include "cboard/verdict/number_text.h"

namespace cboard::analysis {
namespace {

struct HistogramFigure {
  std::string_view name;
  double HistogramComparison::*member;
};
constexpr auto kHistogramFigures = std::to_array<HistogramFigure>(
    {{"sqnr_at_most_db", &HistogramComparison::sqnr_at_most_db},
     {"w1_by_sigma", &HistogramComparison::w1_by_sigma},
     {"range_ratio", &HistogramComparison::range_ratio},
     {"deviation_ratio", &HistogramComparison::deviation_ratio},
     {"mean_shift_by_sigma", &HistogramComparison::mean_shift_by_sigma},
     {"kl", &HistogramComparison::kl},
     {"clipped_share", &HistogramComparison::clipped_share},
     {"codes_used", &HistogramComparison::codes_used}});

// Returns the logged name of a layer metric: `local_sqnr_db` means `sqnr_db`, for users who also
// log the accumulated error.
std::string_view FigureNamed(std::string_view metric) {
  return metric == "local_sqnr_db" ? "sqnr_db" : metric;
}

class LayerCheck {
 public:
  explicit LayerCheck(const Gate& gate) : gate_(gate), found_(gate.layers.size()) {}

  GateResult Check(const LayerRanking& ranking) {
    for (const RankedLayer& layer : ranking.layers) Add(layer);
    std::ranges::stable_sort(broken_, std::greater<>(), &Broken::by);
    GateResult result{.value = worst_value_, .layers_checked = checked_.size()};
    for (Broken& each : broken_) result.broken.push_back(std::move(each.layer));
    const auto lost = std::ranges::find(found_, false);
    if (!result.broken.empty()) {
      result.outcome = GateOutcome::kFail;
      result.beyond = broken_.front().by;
      result.explanation = FailureText(result.broken.front());
    } else if (!ranking.errors.empty()) {
      result.outcome = GateOutcome::kMissing;
      result.explanation = "not all layers can be checked: " + ranking.errors.front().message;
    } else if (lost != found_.end()) {
      result.outcome = GateOutcome::kMissing;
      result.explanation = LostText(static_cast<std::size_t>(lost - found_.begin()), ranking);
    } else if (gate_.worst_level && !WithoutValue().empty()) {
      result.outcome = GateOutcome::kMissing;
      result.explanation = UnmeasuredText();
    } else {
      result.explanation = PassText();
    }
    return result;
  }

 private:
  struct Broken {
    FailingLayer layer;
    double by;
  };

  bool IsExcepted(const RankedLayer& layer) const {
    return std::ranges::any_of(
        gate_.except, [&](const std::string& pattern) { return MatchesLayer(pattern, layer); });
  }

  // Returns the value that is compared with the limits; the value of a level is its severity.
  std::optional<double> ValueOf(const RankedLayer& layer) const {
    if (gate_.worst_level) {
      const bool was_checked = layer.diagnosis.level != Level::kUnmeasured;
      return was_checked ? std::optional(static_cast<double>(layer.diagnosis.level)) : std::nullopt;
    }
    if (const auto logged = layer.logged.find(FigureNamed(gate_.metric));
        logged != layer.logged.end()) {
      return logged->second;
    }
    const auto known = std::ranges::find(kHistogramFigures, gate_.metric, &HistogramFigure::name);
    if (known == kHistogramFigures.end() || !layer.histogram) return std::nullopt;
    return (*layer.histogram).*(known->member);
  }

  // Returns the distance between the value and the limit that it exceeds; negative if the value is
  // within the limits.
  double Beyond(double value) const {
    if (gate_.worst_level) return value - static_cast<double>(*gate_.worst_level);
    double beyond = -std::numeric_limits<double>::infinity();
    if (gate_.min) beyond = std::max(beyond, InLimits(*gate_.min - value, *gate_.min));
    if (gate_.max) beyond = std::max(beyond, InLimits(value - *gate_.max, *gate_.max));
    return beyond;
  }

  bool Breaks(double value) const {
    if (gate_.worst_level) return Beyond(value) > 0;
    return (gate_.min && IsBelow(value, *gate_.min)) || (gate_.max && IsAbove(value, *gate_.max));
  }

  void Add(const RankedLayer& layer) {
    std::vector<std::size_t> patterns;
    for (std::size_t i = 0; i < gate_.layers.size(); ++i) {
      if (MatchesLayer(gate_.layers[i], layer)) patterns.push_back(i);
    }
    if (patterns.empty() || IsExcepted(layer)) return;
    const std::optional<double> value = ValueOf(layer);
    if (!value) {
      if (unmeasured_.empty()) why_unmeasured_ = layer.diagnosis.explanation;
      unmeasured_.insert(layer.baseline.layer);
      return;
    }
    for (const std::size_t i : patterns) found_[i] = true;
    // The level of damage and logged metrics belong to a whole layer; a metric from histograms
    // belongs to one tensor of the layer.
    const bool is_of_layer = gate_.worst_level || layer.logged.contains(FigureNamed(gate_.metric));
    const std::string title = is_of_layer ? layer.baseline.layer : TitleOf(layer.baseline);
    checked_.insert(title);
    checked_layers_.insert(layer.baseline.layer);
    const double by = Beyond(*value);
    if (worst_title_.empty() || by > worst_by_) {
      worst_by_ = by;
      if (!gate_.worst_level) worst_value_ = value;
      worst_title_ = title;
    }
    if (!Breaks(*value)) return;
    Broken broken{.layer = {.layer = title,
                            .value = gate_.worst_level ? std::nullopt : value,
                            .level = layer.diagnosis.level,
                            .explanation = FailureReason(layer, *value)},
                  .by = by};
    // The value of a layer is that of its worst tensor.
    const auto [place, is_new] = place_of_.try_emplace(title, broken_.size());
    if (is_new) {
      broken_.push_back(std::move(broken));
    } else if (by > broken_[place->second].by) {
      broken_[place->second] = std::move(broken);
    }
  }

  std::string FailureReason(const RankedLayer& layer, double value) const {
    if (gate_.worst_level) {
      std::string text = "is " + std::string(NameOf(layer.diagnosis.level));
      if (!layer.from_logged && layer.baseline.role != TensorRole::kOutput) {
        text += " in its" + TitleOf(layer.baseline).substr(layer.baseline.layer.size());
      }
      const std::string& why = layer.diagnosis.explanation;
      return why.empty() ? text : text + ": " + why;
    }
    const std::string said = gate_.metric + " is " + FigureText(value);
    if (std::isnan(value)) return said;
    if (gate_.min && IsBelow(value, *gate_.min)) {
      return said + ", below the least, " + verdict::ShortNumber(*gate_.min, 6);
    }
    return said + ", above the most, " + verdict::ShortNumber(*gate_.max, 6);
  }

  std::string FigureText(double value) const {
    const bool is_end =
        gate_.metric.ends_with("sqnr_db") && std::abs(value) >= verdict::kLoggedExactDb;
    return is_end ? verdict::DbText(value) : verdict::ShortNumber(value, 6);
  }

  std::string CountText(std::size_t count) const {
    return HumanCount(count) + (count == 1 ? " layer" : " layers");
  }

  std::string FailureText(const FailingLayer& worst) const {
    const std::string named = Quoted(worst.layer) + (gate_.worst_level ? " " : ": ");
    if (checked_.size() == 1) return named + worst.explanation;
    return HumanCount(broken_.size()) + " of " + CountText(checked_.size()) +
           (broken_.size() == 1 ? " breaks it, " : " break it, the worst ") + named +
           worst.explanation;
  }

  // Returns the layers that have no tensor with the value of the gate.
  std::vector<std::string_view> WithoutValue() const {
    std::vector<std::string_view> names;
    for (const std::string& layer : unmeasured_) {
      if (!checked_layers_.contains(layer)) names.push_back(layer);
    }
    return names;
  }

  std::string UnmeasuredText() const {
    const std::vector<std::string_view> names = WithoutValue();
    return "the level of " + CountText(names.size()) + " is not known (" + FirstNames(names) +
           "): " + why_unmeasured_;
  }

  std::string PassText() const {
    if (gate_.worst_level) {
      return "none of " + CountText(checked_.size()) + " is worse than " +
             std::string(NameOf(*gate_.worst_level));
    }
    const std::size_t without = WithoutValue().size();
    return "of " + CountText(checked_.size()) + ", " + Quoted(worst_title_) +
           " is nearest: " + gate_.metric + " is " + FigureText(*worst_value_) +
           (without == 0 ? ""
                         : "; " + CountText(without) + " without this figure " +
                               (without == 1 ? "is" : "are") + " left out");
  }

  // Explains why a pattern matched no layer, and lists names that it could match.
  std::string LostText(std::size_t pattern, const LayerRanking& ranking) const {
    std::set<std::string_view> layers, figures;
    bool any = false, all_excepted = true;
    for (const RankedLayer& layer : ranking.layers) {
      layers.insert(layer.baseline.layer);
      if (!MatchesLayer(gate_.layers[pattern], layer)) continue;
      any = true;
      all_excepted = all_excepted && IsExcepted(layer);
      for (const auto& [figure, value] : layer.logged) figures.insert(figure);
    }
    const std::string quoted = Quoted(gate_.layers[pattern]);
    if (!any) {
      return "no layer matches " + quoted +
             (layers.empty() ? "; none were logged" : "; there are " + FirstNames(layers));
    }
    if (all_excepted) return "'except' leaves out all layers that match " + quoted;
    if (gate_.worst_level) {
      return "nothing was logged by which layers that match " + quoted +
             " can be checked, such as sqnr_db" +
             (why_unmeasured_.empty() ? "" : ": " + why_unmeasured_);
    }
    return "no layer that matches " + quoted + " has a figure " + Quoted(gate_.metric) +
           (figures.empty() ? "" : "; there are " + FirstNames(figures));
  }

  const Gate& gate_;
  std::vector<bool> found_;  // By pattern.
  std::set<std::string> checked_;
  std::set<std::string> checked_layers_;
  std::set<std::string> unmeasured_;  // Layers with a tensor that lacks this value.
  std::string why_unmeasured_;
  std::vector<Broken> broken_;
  std::map<std::string, std::size_t> place_of_;  // Index into broken_, valid until it is sorted.
  std::optional<double> worst_value_;
  double worst_by_ = -std::numeric_limits<double>::infinity();
  std::string worst_title_;
};

}  // namespace

bool MatchesLayer(std::string_view pattern, const RankedLayer& layer) {
  return MatchesLayer(pattern, layer.baseline.layer) || MatchesLayer(pattern, layer.variant.layer);
}

GateResult CheckLayers(const Gate& gate, const LayerRanking& ranking) {
  return LayerCheck(gate).Check(ranking);
}

}  // namespace cboard::analysis
