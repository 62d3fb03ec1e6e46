#include "compare/verdict/answer_agreement.h"

#include <algorithm>

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
  if (others_ours < 1 || others_ours > kMaxOtherShare * all) return found;
  const double others = 2 * others_both / (others_ours + others_theirs);
  if (others >= found.share) return found;
  return {.share = others,
          .changed = found.changed,
          .decisions = static_cast<std::size_t>(others_ours),
          .is_of_others = true};
}

}  // namespace cboard::compare
