#include "compare/verdict/evaluate_head.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/verdict/answer_agreement.h"

namespace cboard::compare {
namespace {

// Values count as constant if their standard deviation is below this share of their root mean
// square, because 8 bits cannot represent such a small variation.
constexpr double kVaryingShare = 0.05;
// If all scores of a detector are below this value, the samples contain no objects.
constexpr double kMinScore = 0.05;
constexpr std::uint64_t kMinDetections = 10;
constexpr std::size_t kBoxChannels = 4;
// If one model has less than a third of the other's detections, the ratio of the two numbers of
// detections limits the agreement.
constexpr double kMaxCountShare = 0.5;
// Minimum number of values per channel at which channels are evaluated one by one.
constexpr std::uint64_t kMinChannelValues = 8;
// In heads with at most this many channels, each channel has its own meaning, for example x, y,
// width, height.
constexpr std::size_t kMaxNamedChannels = 16;
constexpr double kLostChannelDb = 3;
constexpr std::uint64_t kMinValuesForCodes = 64;

std::string Db(double value) {
  if (std::isinf(value)) return value > 0 ? "exact" : "nothing left";
  const double tenths = std::round(10 * value) / 10;
  return verdict::ShortNumber(tenths == 0 ? 0 : tenths, 4) + " dB";
}

// Returns the end of a sentence with the limit that an SQNR misses; empty if it reaches the limit.
std::string BelowText(double db, double limit) {
  return db < limit ? ", below the limit of " + Db(limit) : std::string();
}

void Raise(VerdictLevel level, std::string reason, HeadVerdict& head) {
  if (level < head.level) return;
  if (level == head.level && level != VerdictLevel::kSound) {
    head.reason += "; " + reason;
    return;
  }
  head.level = level;
  head.reason = std::move(reason);
}

double VarianceOfSide(const tensor::TensorStatistics& side) {
  const auto count = static_cast<double>(side.finite_count());
  return count == 0 ? 0 : std::max(0.0, side.sum_squares - side.sum * side.sum / count);
}

VerdictLevel LevelOfText(const LabelSequences::Text& text, const EndLimits& limits) {
  if (text.errors < 2) return VerdictLevel::kSound;
  if (text.Agreement() < limits.broken_vectors) return VerdictLevel::kBroken;
  return text.Agreement() < limits.degraded_vectors ? VerdictLevel::kDegraded
                                                    : VerdictLevel::kSound;
}

std::string TextOf(const LabelSequences::Text& text) {
  return "the text agrees in " + verdict::Percent(text.Agreement()) + " of " +
         HumanCount(text.characters) + " characters";
}

class HeadEvaluator {
 public:
  // `is_beside_scores` is true if another output of the model has scores or probabilities.
  HeadEvaluator(const EndFindings& end, const HeadCounts& counts, bool is_beside_scores,
                bool is_generated, const EndLimits& limits)
      : end_(end),
        counts_(counts),
        is_beside_scores_(is_beside_scores),
        is_generated_(is_generated),
        limits_(limits) {}

  HeadVerdict Evaluate() {
    if (end_.heads.size() == 1) text_ = counts_.labels.ReadAsText(counts_.channel_count);
    head_ = {.first_channel = counts_.first_channel,
             .channel_count = counts_.channel_count,
             .made_by = counts_.made_by,
             .use = UseOf()};
    head_.sqnr_db = counts_.SqnrDb();
    head_.varying_sqnr_db = counts_.VaryingSqnrDb();
    head_.judged_sqnr_db = Varies() ? head_.varying_sqnr_db : head_.sqnr_db;
    head_.baseline_min = counts_.baseline_min;
    head_.baseline_max = counts_.baseline_max;
    head_.variant_min = counts_.variant_min;
    head_.variant_max = counts_.variant_max;
    if (counts_.count > 0) {
      head_.baseline_mean_square = counts_.sum_energy / static_cast<double>(counts_.count);
    }
    if (counts_.became_not_finite > 0) {
      Raise(VerdictLevel::kBroken,
            HumanCount(counts_.became_not_finite) + " values became NaN or infinite", head_);
      head_.judged_sqnr_db = -HUGE_VAL;  // The SQNR of the finite values would be misleading.
      return head_;
    }
    if (counts_.count == 0) {
      head_.reason = "there are no finite values";
      return head_;
    }
    EvaluateChannels();
    if (head_.use == HeadUse::kScores) SetScoreAgreement();
    if (EvaluateCollapse()) return head_;
    switch (head_.use) {
      case HeadUse::kArgMax:
      case HeadUse::kLogits:
        EvaluateClasses();
        break;
      case HeadUse::kFeatures:
        EvaluateFeatures();
        break;
      case HeadUse::kText:
        EvaluateText();
        break;
      case HeadUse::kScores:
        EvaluateScores();
        break;
      default:
        EvaluateValues();
    }
    return head_;
  }

 private:
  HeadUse UseOf() const {
    const bool has_sums_of_one =
        counts_.positions > 0 && counts_.sums_of_one * 100 >= counts_.positions * 99;
    const bool is_softmax = end_.layout && end_.layout->is_softmax && end_.heads.size() == 1;
    if (counts_.channel_count > 1 && counts_.MayBeScores() && (has_sums_of_one || is_softmax)) {
      return text_ ? HeadUse::kText : HeadUse::kArgMax;
    }
    const bool may_be_mask = counts_.MayBeScores() && counts_.channel_count == 1;
    if (end_.is_picture && end_.hint != OutputHint::kAnswers && !may_be_mask) {
      return HeadUse::kValues;
    }
    if (counts_.MayBeScores()) return HeadUse::kScores;
    if (text_) return HeadUse::kText;
    // Boxes or points that belong to the scores of another output.
    if (is_beside_scores_ && end_.hint == OutputHint::kNone) return HeadUse::kValues;
    if (HasFeatures()) return HeadUse::kFeatures;
    if (AreRatings()) return HeadUse::kValues;
    return counts_.channel_count > 1 && end_.heads.size() == 1 ? HeadUse::kLogits
                                                               : HeadUse::kValues;
  }

  // Returns true for a few positive numbers per sample, such as ratings from 1 to 5 or sizes: the
  // largest of them is no class. Logits of a classifier are negative for some class or sample.
  bool AreRatings() const {
    constexpr std::size_t kMinSamples = 5, kMaxNumbers = 16;
    return counts_.samples >= kMinSamples && counts_.positions == counts_.samples &&
           counts_.channel_count <= kMaxNumbers && counts_.baseline_min > 0 &&
           end_.hint != OutputHint::kAnswers;
  }

  bool HasFeatures() const {
    if (end_.heads.size() != 1 || end_.hint == OutputHint::kAnswers) return false;
    if (counts_.channel_count < FeatureVectors::kMinChannels) return false;
    return end_.hint == OutputHint::kFeatures || LooksLikeWidth(counts_.channel_count) ||
           counts_.vectors.HaveOneLength();
  }

  bool Varies() const {
    return counts_.Variance() > kVaryingShare * kVaryingShare * counts_.sum_energy;
  }

  // Finds the worst channel and counts lost channels. The signal of a channel is its deviation from
  // its mean, and channels that hardly vary are skipped, so the worst channel is never better than
  // the head. If the whole head hardly varies, the signal is the value, as for the head.
  void EvaluateChannels() {
    const std::vector<tensor::PairStatistics>& channels = end_.comparison.channels;
    if (counts_.first_channel + counts_.channel_count > channels.size()) return;
    const double mean_variance = counts_.Variance() / static_cast<double>(counts_.channel_count);
    for (std::size_t c = counts_.first_channel; c < counts_.first_channel + counts_.channel_count;
         ++c) {
      const tensor::PairStatistics& channel = channels[c];
      if (channel.finite_count() == 0 || channel.reference.sum_squares == 0) continue;
      const double variance = VarianceOfSide(channel.reference);
      const bool varies =
          variance > kVaryingShare * kVaryingShare * channel.reference.sum_squares &&
          variance > 1e-3 * mean_variance;
      const double error = channel.sum_squared_error;
      const double signal = Varies() ? variance : channel.reference.sum_squares;
      const double db = error > 0 ? 10 * std::log10(signal / error) : HUGE_VAL;
      const bool is_compared = varies || !Varies();
      if (is_compared && (!head_.worst_channel || db < head_.worst_channel_sqnr_db)) {
        head_.worst_channel = c;
        head_.worst_channel_sqnr_db = db;
      }
      const bool is_lost = variance < error * std::pow(10, kLostChannelDb / 10);
      const bool is_seen = head_.use != HeadUse::kScores || channel.reference.max >= kMinScore;
      if (channel.finite_count() >= kMinChannelValues && varies && is_seen && is_lost) {
        ++head_.lost_channels;
      }
    }
  }

  // Evaluates heads whose values became nearly constant. Returns true if no other check is needed.
  bool EvaluateCollapse() {
    const bool is_constant = counts_.variant_min == counts_.variant_max;
    const bool is_seen = head_.use != HeadUse::kScores || counts_.baseline_max >= kMinScore;
    if (is_constant && is_seen && Varies() && counts_.count > 1) {
      head_.is_collapsed = true;
      Raise(VerdictLevel::kBroken,
            "all values became " + verdict::ShortNumber(counts_.variant_min, 3) +
                ", where the baseline has " + verdict::ShortNumber(counts_.baseline_min, 3) +
                " to " + verdict::ShortNumber(counts_.baseline_max, 3),
            head_);
      return true;
    }
    if (counts_.IgnoresInput() && is_seen && head_.judged_sqnr_db < limits_.broken_db) {
      head_.is_collapsed = true;
      Raise(VerdictLevel::kBroken,
            "the values are the same for all " + HumanCount(counts_.samples) +
                " samples, where the baseline's differ; SQNR " + Db(head_.judged_sqnr_db),
            head_);
      return true;
    }
    // Only two or three distinct values are left, and they differ from the baseline's values, for
    // example scores of 0 and 1.27.
    const std::size_t left = counts_.variant_values.size();
    if (left < HeadCounts::kMaxDistinct && counts_.count >= kMinValuesForCodes && is_seen &&
        Varies() && head_.varying_sqnr_db < limits_.broken_db) {
      head_.is_collapsed = true;
      Raise(VerdictLevel::kBroken,
            "only " + std::to_string(left) + " different values are left, " +
                verdict::ShortNumber(counts_.variant_min, 3) + " to " +
                verdict::ShortNumber(counts_.variant_max, 3) + ", where the baseline has " +
                verdict::ShortNumber(counts_.baseline_min, 3) + " to " +
                verdict::ShortNumber(counts_.baseline_max, 3) + "; SQNR " +
                Db(head_.judged_sqnr_db),
            head_);
      return true;
    }
    return false;
  }

  void EvaluateClasses() {
    const double db = head_.judged_sqnr_db;
    const bool is_sure = head_.use == HeadUse::kArgMax;
    std::string measured = "SQNR " + Db(db);
    double share = 1, changed = 0;
    // The agreement that the margins of all decisions predict; 0 if the decisions are too few or
    // too similar for a prediction.
    double expected = 0;
    if (counts_.clear_positions > 0) {
      const AnswerAgreement found = AgreementOnAnswers(counts_);
      share = found.share;
      changed = found.changed;
      const bool is_varied = found.decisions >= limits_.min_varied_decisions &&
                             found.max_share <= limits_.max_most_frequent;
      if (is_varied && !is_generated_) expected = ExpectedAgreement(counts_, true);
      head_.agreement = share;
      head_.decisions = found.decisions;
      const std::string of =
          found.is_of_others
              ? verdict::Percent(share) + " of the answers other than the most frequent"
              : HumanCount(static_cast<std::size_t>(
                    std::lround(share * static_cast<double>(found.decisions)))) +
                    " of " + HumanCount(found.decisions) + (is_sure ? " answers" : " positions");
      measured = "arg max agrees in " + of + ", " + measured;
    }
    // Different decisions alone do not mean that an output is broken: features have no classes, and
    // decisions on random data are unclear. For features and random data, the output is broken only
    // if the SQNR is low, too.
    const bool is_broken_by_answers = changed > 1 && share < limits_.broken_agreement &&
                                      ((is_sure && !is_generated_) || db < limits_.unsure_db);
    const bool is_enough = (head_.decisions >= limits_.min_decisions && !is_generated_) ||
                           expected >= limits_.sound_expected;
    const double broken_db = is_sure && is_enough ? -HUGE_VAL : limits_.broken_db;
    if (is_broken_by_answers || db < broken_db) {
      const bool has_baseline_outputs = (is_sure || expected >= limits_.broken_expected) &&
                                        head_.agreement &&
                                        !(changed > 1 && share < limits_.broken_agreement);
      if (!is_broken_by_answers) measured += BelowText(db, broken_db);
      // The probabilities differ but the decisions are the same, so the output is only degraded.
      Raise(has_baseline_outputs ? VerdictLevel::kDegraded : VerdictLevel::kBroken, measured,
            head_);
      return;
    }
    const double sound_db =
        is_sure ? limits_.degraded_probabilities_db : limits_.degraded_logits_db;
    const bool has_changed = changed > 1 && share < limits_.degraded_agreement;
    const bool is_sound = !has_changed && (is_enough || db >= sound_db);
    if (!is_sound && !has_changed) measured += BelowText(db, sound_db);
    Raise(is_sound ? VerdictLevel::kSound : VerdictLevel::kDegraded, measured, head_);
  }

  void EvaluateFeatures() {
    const FeatureVectors::Agreement found = counts_.vectors.Compare();
    const double db = head_.judged_sqnr_db;
    if (std::isnan(found.mean_cosine)) {
      EvaluateValues();
      return;
    }
    head_.mean_cosine = found.mean_cosine;
    std::string measured =
        "mean cosine " + verdict::ShortNumber(found.mean_cosine, 3) + ", SQNR " + Db(db);
    const std::size_t changed = found.vectors - found.same;
    double share = 1;
    if (found.vectors > 0) {
      share = static_cast<double>(found.same) / static_cast<double>(found.vectors);
      head_.agreement = share;
      head_.decisions = found.vectors;
      measured = "the nearest vector is the same for " + HumanCount(found.same) + " of " +
                 HumanCount(found.vectors) + ", " + measured;
    }
    const double cosine = found.mean_cosine;
    // Random data give all samples similar features, so nearest vectors do not count.
    const bool counts = found.vectors >= limits_.min_vectors && changed > 1 && !is_generated_;
    VerdictLevel level = VerdictLevel::kSound;
    if ((counts && share < limits_.degraded_vectors) || cosine < limits_.degraded_cosine) {
      level = VerdictLevel::kDegraded;
    }
    if ((counts && share < limits_.broken_vectors) || cosine < limits_.broken_cosine) {
      level = VerdictLevel::kBroken;
    }
    // With few samples or random samples, the cosine is not reliable: it is high for all vectors if
    // the vectors have a large common part. So the SQNR counts, too.
    if (found.vectors < limits_.min_vectors || is_generated_) {
      if (db < limits_.broken_db) level = std::max(level, VerdictLevel::kDegraded);
      if (db < limits_.broken_features_db) level = VerdictLevel::kBroken;
    }
    Raise(level, measured, head_);
  }

  void EvaluateText() {
    head_.agreement = text_->Agreement();
    head_.decisions = text_->characters;
    const double db = head_.judged_sqnr_db;
    VerdictLevel level = LevelOfText(*text_, limits_);
    if (text_->characters < limits_.min_characters && db < limits_.degraded_probabilities_db) {
      level = std::max(level, VerdictLevel::kDegraded);
    }
    Raise(level, TextOf(*text_) + ", SQNR " + Db(db), head_);
  }

  void SetScoreAgreement() {
    // The agreement of scores is measured at the threshold 0.25, because many detectors use it. If
    // too few scores reach 0.25, another threshold is used.
    constexpr std::array<std::size_t, 4> kOrder = {1, 0, 2, 3};
    for (const std::size_t i : kOrder) {
      const HeadCounts::Detections& found = counts_.detections[i];
      if (found.baseline + found.variant < kMinDetections) continue;
      const auto all = static_cast<double>(found.baseline + found.variant);
      const auto fewer = static_cast<double>(std::min(found.baseline, found.variant));
      head_.agreement = static_cast<double>(found.kept + found.right) / all;
      // If one model has far fewer detections than the other, its scores are not only slightly
      // below the threshold.
      if (2 * fewer < kMaxCountShare * all)
        head_.agreement = std::min(*head_.agreement, 2 * fewer / all);
      head_.decisions = found.baseline;
      head_.threshold = kScoreThresholds[i];
      detected_by_variant_ = found.variant;
      return;
    }
  }

  // True if there are so many detections that their agreement needs no SQNR beside it. Scores that
  // all became lower agree up to a factor of two, but fewer of them reach the threshold.
  bool HasEnoughDetections() const {
    if (!head_.agreement || head_.decisions < limits_.min_decisions || is_generated_) return false;
    const auto ours = static_cast<double>(head_.decisions);
    const auto theirs = static_cast<double>(detected_by_variant_);
    return 2 * std::min(ours, theirs) >= limits_.same_detections * (ours + theirs);
  }

  void EvaluateScores() {
    if (counts_.baseline_max < kMinScore && counts_.variant_max < kMinScore) {
      head_.reason = "no score reaches " + verdict::ShortNumber(kMinScore) +
                     " in either model: these samples show no detection; pass samples that do "
                     "with --data";
      return;
    }
    const double db = head_.judged_sqnr_db;
    std::string measured = "SQNR " + Db(db);
    const double share = head_.agreement.value_or(1);
    if (head_.agreement) {
      measured = "scores above " + verdict::ShortNumber(*head_.threshold) +
                 " agree with an F1 of " + verdict::Percent(share) +
                 " (baseline: " + HumanCount(head_.decisions) +
                 ", compressed: " + HumanCount(detected_by_variant_) + "), " + measured;
    } else {
      measured += ", with too few detections to compare them";
    }
    VerdictLevel level = VerdictLevel::kSound;
    const bool is_enough = HasEnoughDetections();
    const double degraded_db = is_enough ? -HUGE_VAL : limits_.broken_db;
    const double broken_db = is_enough ? -HUGE_VAL : limits_.broken_scores_db;
    if (share < limits_.degraded_scores || db < degraded_db) level = VerdictLevel::kDegraded;
    if (share < limits_.broken_scores || db < broken_db) level = VerdictLevel::kBroken;
    Raise(level, measured, head_);
  }

  void EvaluateValues() {
    // For boxes, only positions with a detection count. With random samples, there is nothing to
    // detect.
    const double detected_db = counts_.DetectedSqnrDb();
    const std::size_t values_each = counts_.has_element_scores ? 1 : counts_.channel_count;
    const bool has_detected = !is_generated_ && !std::isnan(detected_db) &&
                              counts_.detected_count >= kMinDetections * values_each;
    const double db = has_detected ? detected_db : head_.judged_sqnr_db;
    if (has_detected && EvaluateBoxes(db)) return;
    const double broken_db = has_detected ? limits_.broken_detected_db : limits_.broken_db;
    const double degraded_db =
        has_detected ? limits_.degraded_detected_db : limits_.degraded_values_db;
    VerdictLevel level = VerdictLevel::kSound;
    if (db < degraded_db) level = VerdictLevel::kDegraded;
    if (db < broken_db) level = VerdictLevel::kBroken;
    const std::string measured =
        "SQNR " + Db(db) + (has_detected ? " at detections" : "") +
        BelowText(db, level == VerdictLevel::kBroken ? broken_db : degraded_db);
    Raise(level, measured, head_);
    if (head_.lost_channels == 0 || has_detected) return;
    const bool is_much = counts_.channel_count <= kMaxNamedChannels ||
                         4 * head_.lost_channels >= counts_.channel_count;
    if (!is_much) return;
    Raise(VerdictLevel::kBroken,
          HumanCount(head_.lost_channels) + " of " + HumanCount(counts_.channel_count) +
              " channels are lost, channel " + std::to_string(*head_.worst_channel) +
              " most: SQNR " + Db(head_.worst_channel_sqnr_db),
          head_);
  }

  // Evaluates boxes at detections. Returns false if the values are not boxes.
  bool EvaluateBoxes(double db) {
    if (counts_.first_channel + counts_.channel_count > kBoxChannels) return false;
    const auto found = end_.boxes.Compare();
    if (!found || found->boxes < kMinDetections) return false;
    const double share = static_cast<double>(found->same) / static_cast<double>(found->boxes);
    head_.agreement = share;
    head_.decisions = found->boxes;
    VerdictLevel level = VerdictLevel::kSound;
    if (db < limits_.sound_boxes_db) {
      if (share < limits_.degraded_boxes) level = VerdictLevel::kDegraded;
      if (share < limits_.broken_boxes) level = VerdictLevel::kBroken;
    }
    Raise(level,
          HumanCount(found->same) + " of " + HumanCount(found->boxes) +
              " boxes overlap by half or more, SQNR " + Db(db) + " at detections",
          head_);
    return true;
  }

  const EndFindings& end_;
  const HeadCounts& counts_;
  bool is_beside_scores_;
  bool is_generated_;
  const EndLimits& limits_;
  HeadVerdict head_;
  std::optional<LabelSequences::Text> text_;
  std::uint64_t detected_by_variant_ = 0;
};

}  // namespace

HeadVerdict EvaluateHead(const EndFindings& end, const HeadCounts& counts, bool is_beside_scores,
                         bool is_generated, const EndLimits& limits) {
  return HeadEvaluator(end, counts, is_beside_scores, is_generated, limits).Evaluate();
}

HeadVerdict EvaluateLabels(const EndFindings& end, const EndLimits& limits) {
  HeadVerdict head{.use = HeadUse::kLabels};
  head.sqnr_db = std::numeric_limits<double>::quiet_NaN();
  head.varying_sqnr_db = head.judged_sqnr_db = head.sqnr_db;
  if (const auto text = end.sequences.ReadAsText(end.label_count)) {
    head.use = HeadUse::kText;
    head.agreement = text->Agreement();
    head.decisions = text->characters;
    Raise(LevelOfText(*text, limits), TextOf(*text), head);
    return head;
  }
  const double share = static_cast<double>(end.same_labels) / static_cast<double>(end.labels);
  const std::uint64_t changed = end.labels - end.same_labels;
  head.agreement = share;
  head.decisions = end.labels;
  VerdictLevel level = VerdictLevel::kSound;
  if (changed > 1 && share < limits.degraded_agreement) level = VerdictLevel::kDegraded;
  if (changed > 1 && share < limits.broken_agreement) level = VerdictLevel::kBroken;
  Raise(level, HumanCount(end.same_labels) + " of " + HumanCount(end.labels) + " labels agree",
        head);
  return head;
}

}  // namespace cboard::compare
