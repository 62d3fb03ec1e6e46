#include "compare/blame/blame_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cboard::compare {
namespace {

// If more than this share of the error remains when all found groups are in float, many parts share
// the error.
constexpr double kHalfOfCost = 0.5;
// Minimum share of the largest error in a group: parts with a smaller error are not named.
constexpr double kSameAsCostliest = 0.25;
constexpr double kAsCostly = 0.8;
// A group is named only if it causes at least this share of the error alone. The second limit
// applies if many groups share the error.
constexpr double kMinShare = 0.1, kMinShareOfSpread = 0.02;
constexpr std::size_t kMaxGuilty = 6;
constexpr std::size_t kMaxSearchRuns = 72;
constexpr std::size_t kMaxMembers = 12;
constexpr std::size_t kMinSamples = 2;

class GuiltySearch {
 public:
  GuiltySearch(BlameRuns& runs, const std::vector<SwitchedPart>& parts,
               const std::vector<std::vector<std::size_t>>& groups)
      : runs_(runs), parts_(parts), groups_(groups) {}

  BlameFindings Run(const BlameFindings& ends) {
    found_ = ends;
    found_.without_guilty = found_.as_it_is;
    found_.weights_float = found_.outputs_float = found_.as_it_is;
    if (auto weights = runs_.Measure(WithFloat(Part::kWeight))) found_.weights_float = *weights;
    if (auto outputs = runs_.Measure(WithFloat(Part::kOutput))) found_.outputs_float = *outputs;
    runs_.SetNeeded(true);
    SearchAlone();
    runs_.SetNeeded(false);
    found_.is_spread = found_.guilty.empty() ? has_used_all_runs_ : IsSpread();
    return std::move(found_);
  }

 private:
  Settings WithFloat(Part part) const {
    Settings settings = runs_.board().AllOf(PartState::kAsIs);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].part == part) settings[i].state = PartState::kFloat;
    }
    return settings;
  }

  // Measures the error of the model with only the parts of groups [first, end) compressed, and all
  // other parts in float.
  std::optional<EndState> Alone(std::size_t first, std::size_t end) {
    Settings settings = runs_.board().AllOf(PartState::kFloat);
    for (std::size_t g = first; g < end; ++g) {
      for (const std::size_t part : groups_[g]) settings[part].state = PartState::kAsIs;
    }
    return runs_.Measure(settings);
  }

  // Searches by bisection: divides the set of groups with the largest error in two until one group
  // is left. Each found group stays in float for the rest of the search. The search ends when the
  // outputs are sound.
  void SearchAlone() {
    struct Range {
      std::size_t first, end;
      double cost;
      std::optional<EndState> state;
    };
    const auto is_less = [](const Range& a, const Range& b) { return a.cost < b.cost; };
    std::vector<Range> ranges = {{0, groups_.size(), found_.as_it_is.cost, std::nullopt}};
    Settings undone = runs_.board().AllOf(PartState::kAsIs);
    const std::size_t last_run = runs_.runs() + kMaxSearchRuns;
    while (!ranges.empty() && found_.guilty.size() < kMaxGuilty) {
      if (runs_.runs() >= last_run) {
        has_used_all_runs_ = true;
        break;
      }
      std::ranges::pop_heap(ranges, is_less);
      Range range = std::move(ranges.back());
      ranges.pop_back();
      const double share = IsSpread() ? kMinShareOfSpread : kMinShare;
      if (range.cost < share * found_.as_it_is.cost) break;
      if (range.end - range.first == 1) {
        if (!range.state) range.state = Alone(range.first, range.end);
        if (!range.state) return;
        runs_.SetNeeded(false);  // A guilty group is found; further groups are optional.
        AddGuilty({.group = range.first, .parts = {}, .alone = *range.state}, undone);
        if (found_.without_guilty.verdict.level <= VerdictLevel::kSound) break;
        continue;
      }
      found_.first_group = range.first;
      found_.end_group = range.end;
      found_.of_groups = range.state ? *range.state : found_.as_it_is;
      const std::size_t middle = range.first + (range.end - range.first) / 2;
      for (const auto& [first, end] :
           {std::pair(range.first, middle), std::pair(middle, range.end)}) {
        auto state = Alone(first, end);
        if (!state) return;
        const double cost = state->cost - found_.all_float.cost;
        ranges.push_back({first, end, cost, std::move(state)});
        std::ranges::push_heap(ranges, is_less);
      }
    }
  }

  bool IsSpread() const { return found_.without_guilty.cost > kHalfOfCost * found_.as_it_is.cost; }

  void AddGuilty(GuiltyGroup guilty, Settings& undone) {
    ChooseMembers(guilty);
    for (const std::size_t part : guilty.parts) undone[part].state = PartState::kFloat;
    if (auto state = runs_.Measure(undone)) {
      guilty.gain = found_.without_guilty.cost - state->cost;
      found_.without_guilty = *std::move(state);
    }
    found_.guilty.push_back(std::move(guilty));
  }

  // Chooses the parts of a group that damage the outputs when only these parts are compressed.
  void ChooseMembers(GuiltyGroup& guilty) {
    const std::vector<std::size_t>& members = groups_[guilty.group];
    guilty.parts = members;
    if (members.size() < 2 || members.size() > kMaxMembers) return;
    std::vector<std::pair<double, std::size_t>> costs;
    for (const std::size_t part : members) {
      Settings settings = runs_.board().AllOf(PartState::kFloat);
      settings[part].state = PartState::kAsIs;
      const auto state = runs_.Measure(settings);
      if (!state) return;
      costs.emplace_back(state->cost, part);
    }
    std::ranges::stable_sort(costs, [](const auto& a, const auto& b) { return a.first > b.first; });
    // Parts with about the same error quantize the same signal. Only the first of these parts is
    // named.
    const auto others = std::ranges::find_if(
        costs, [&](const auto& entry) { return entry.first < kAsCostly * costs[0].first; });
    std::sort(costs.begin(), others, [&](const auto& a, const auto& b) {
      return std::pair(parts_[a.second].depth, a.second) <
             std::pair(parts_[b.second].depth, b.second);
    });
    const double most = std::ranges::max(costs, {}, &std::pair<double, std::size_t>::first).first;
    guilty.parts.clear();
    for (const auto& [cost, part] : costs) {
      if (cost >= kSameAsCostliest * most) guilty.parts.push_back(part);
    }
  }

  BlameRuns& runs_;
  const std::vector<SwitchedPart>& parts_;
  const std::vector<std::vector<std::size_t>>& groups_;
  BlameFindings found_;
  bool has_used_all_runs_ = false;
};

}  // namespace

BlameRuns::BlameRuns(EndRunner& runner, const SwitchBoard& board, Budget budget,
                     std::function<bool(double seconds)> progress)
    : runner_(runner),
      board_(board),
      budget_(budget),
      progress_(std::move(progress)),
      samples_(runner.samples()) {}

Result<void> BlameRuns::ChooseSamples(std::size_t runs, double share) {
  const double before = runner_.cpu_seconds();
  const std::size_t tried = std::min(kMinSamples, samples_);
  CBOARD_RETURN_IF_ERROR(runner_.Measure(board_, board_.AllOf(PartState::kAsIs), tried));
  const double per_sample =
      (runner_.cpu_seconds() - before) / static_cast<double>(std::max<std::size_t>(tried, 1));
  const double left = (budget_.end - runner_.seconds()) * share;
  while (samples_ > kMinSamples && per_sample * static_cast<double>(runs * samples_) > left) {
    samples_ = std::max(kMinSamples, samples_ / 2);
  }
  return {};
}

std::unordered_map<std::string, CodeRange> BlameRuns::RangesOnZeros(
    const std::vector<std::string>& tensors) {
  auto ranges = runner_.RangesOnZeros(tensors);
  return ranges ? *std::move(ranges) : std::unordered_map<std::string, CodeRange>();
}

std::optional<EndState> BlameRuns::Measure(const Settings& settings) {
  const double now = runner_.seconds();
  if (is_stopped_ || (progress_ && !progress_(now))) {
    is_stopped_ = true;
    return std::nullopt;
  }
  if (now > (is_needed_ ? budget_.last : budget_.end)) return std::nullopt;
  ++runs_;
  auto state = runner_.Measure(board_, settings, samples_);
  if (!state) return std::nullopt;
  return *std::move(state);
}

BlameFindings SearchGuilty(BlameRuns& runs, const std::vector<SwitchedPart>& parts,
                           const std::vector<std::vector<std::size_t>>& groups,
                           const BlameFindings& ends) {
  return GuiltySearch(runs, parts, groups).Run(ends);
}

}  // namespace cboard::compare
