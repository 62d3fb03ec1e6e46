#include "compare/verdict/answer_agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cboard::compare {
namespace {

// The most frequent class is the background if all other classes together have at most this share.
constexpr double kMaxOtherShare = 0.2;

}  // namespace

AnswerAgreement AgreementOnAnswers(const HeadCounts& counts) {
  AnswerAgreement found{.share = 0, .changed = 0, .decisions = counts.clear_positions};
  double both = 0, others_ours = 0, others_theirs = 0, others_both = 0;
  const auto most = std::ranges::max_element(
      counts.answers, {}, [](const auto& entry) { return entry.second.baseline; });
  for (auto entry = counts.answers.begin(); entry != counts.answers.end(); ++entry) {
    both += entry->second.both;
    if (entry == most) continue;
    others_ours += entry->second.baseline;
    others_theirs += entry->second.variant;
    others_both += entry->second.both;
  }
  const auto all = static_cast<double>(counts.clear_positions);
  found.share = both / all;
  found.changed = all - both;
  if (most != counts.answers.end()) found.max_share = most->second.baseline / all;
  if (others_ours < 1 || others_ours > kMaxOtherShare * all) return found;
  const double others = 2 * others_both / (others_ours + others_theirs);
  if (others >= found.share) return found;
  return {.share = others,
          .changed = found.changed,
          .decisions = static_cast<std::size_t>(others_ours),
          .is_of_others = true,
          .max_share = found.max_share};
}

double ExpectedAgreement(const HeadCounts& counts, bool ignores_scale) {
  if (counts.margins.empty()) return 1;
  // The margins that are left are the margins times `factor`, plus an error.
  double factor = 1;
  if (ignores_scale) {
    double squares = 0, products = 0;
    for (const auto& [margin, loss] : counts.margins) {
      squares += double{margin} * double{margin};
      products += double{margin} * (double{margin} - double{loss});
    }
    const double fitted = products / squares;
    if (std::isfinite(fitted) && fitted > 0) factor = fitted;
  }
  std::vector<double> losses;
  losses.reserve(counts.margins.size());
  for (const auto& [margin, loss] : counts.margins) {
    losses.push_back(double{margin} - (double{margin} - double{loss}) / factor);
  }
  std::ranges::sort(losses);
  double changed = 0;
  for (const auto& [margin, loss] : counts.margins) {
    changed += static_cast<double>(losses.end() - std::ranges::upper_bound(losses, double{margin}));
  }
  const auto count = static_cast<double>(losses.size());
  return 1 - changed / (count * count);
}

}  // namespace cboard::compare
