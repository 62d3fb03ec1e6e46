#include "compare/blame/cause_families.h"

#include <algorithm>
#include <set>
#include <utility>

namespace cboard::compare {
namespace {

// Maximum share of the error that may remain after the parts of a cause are restored.
constexpr double kMaxErrorLeft = 0.5;

bool IsOfOperators(Cause cause) {
  return cause == Cause::kMask || cause == Cause::kSplitOperator || cause == Cause::kSmallValues ||
         cause == Cause::kOutlierChannels || cause == Cause::kSharedScale;
}

class FamilyFinder {
 public:
  FamilyFinder(const BlameCase& found, BlameRuns& runs, BlameFindings& findings)
      : found_(found), runs_(runs), findings_(findings) {
    for (const GuiltyGroup& guilty : findings.guilty) {
      blamed_.insert(guilty.parts.begin(), guilty.parts.end());
    }
  }

  void Run() {
    std::set<Cause> seen;
    for (std::size_t i = 0; i < findings_.guilty.size(); ++i) {
      const PartCause why = FindCause(found_, found_.parts[findings_.guilty[i].parts[0]]);
      if (why.part != Part::kOutput || !IsOfOperators(why.cause)) continue;
      if (!seen.insert(why.cause).second) continue;
      const bool is_mask = why.cause == Cause::kMask;
      if (!is_mask && !IsMoreToFind()) continue;
      const std::vector<std::size_t> others = OthersWith(why.cause);
      if (!others.empty()) Add(i, others, is_mask);
    }
  }

 private:
  // True if undoing the groups that were found is not enough: most of the error remains, or the
  // outputs are as bad as before.
  bool IsMoreToFind() const {
    return findings_.is_spread ||
           findings_.without_guilty.verdict.level >= findings_.as_it_is.verdict.level;
  }

  std::vector<std::size_t> OthersWith(Cause cause) const {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < found_.parts.size(); ++i) {
      if (found_.parts[i].part != Part::kOutput || blamed_.contains(i)) continue;
      if (FindCause(found_, found_.parts[i]).cause == cause) others.push_back(i);
    }
    return others;
  }

  void Add(std::size_t index, const std::vector<std::size_t>& others, bool is_mask) {
    Settings undone = runs_.board().AllOf(PartState::kAsIs);
    for (const std::size_t part : blamed_) undone[part].state = PartState::kFloat;
    for (const std::size_t part : others) undone[part].state = PartState::kFloat;
    auto state = runs_.Measure(undone);
    if (!state) return;
    const bool is_half = state->cost <= kMaxErrorLeft * findings_.as_it_is.cost;
    // If errors exceed the signal, half of them may be gone without any effect on the outputs. So
    // the other parts must remove half of the rest.
    const bool is_enough = findings_.is_spread
                               ? is_half
                               : state->cost <= kMaxErrorLeft * findings_.without_guilty.cost;
    const bool is_better = state->cost <= findings_.without_guilty.cost;
    if (!is_better || (!is_mask && !is_enough)) return;
    GuiltyGroup& guilty = findings_.guilty[index];
    guilty.parts.insert(guilty.parts.end(), others.begin(), others.end());
    blamed_.insert(others.begin(), others.end());
    findings_.without_guilty = *std::move(state);
    if (is_half) {
      findings_.is_spread = false;
      if (!ExplainsMoreThanFirst(index)) return;
      // Moves this group to the front: it now explains most of the damage.
      std::rotate(findings_.guilty.begin(),
                  findings_.guilty.begin() + static_cast<std::ptrdiff_t>(index),
                  findings_.guilty.begin() + static_cast<std::ptrdiff_t>(index) + 1);
    }
  }

  // Returns the result with only the parts of one guilty group in float.
  std::optional<EndState> Without(const GuiltyGroup& guilty) {
    Settings settings = runs_.board().AllOf(PartState::kAsIs);
    for (const std::size_t part : guilty.parts) settings[part].state = PartState::kFloat;
    return runs_.Measure(settings);
  }

  // True if undoing this group alone helps more than undoing the first group alone. If time is up,
  // the larger group is preferred.
  bool ExplainsMoreThanFirst(std::size_t index) {
    if (index == 0) return true;
    const auto own = Without(findings_.guilty[index]);
    const auto first = Without(findings_.guilty[0]);
    return !own || !first || own->cost <= first->cost;
  }

  const BlameCase& found_;
  BlameRuns& runs_;
  BlameFindings& findings_;
  std::set<std::size_t> blamed_;
};

}  // namespace

void CompleteFamilies(const BlameCase& found, BlameRuns& runs, BlameFindings& findings) {
  FamilyFinder(found, runs, findings).Run();
}

}  // namespace cboard::compare
