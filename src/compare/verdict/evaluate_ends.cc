#include "compare/verdict/evaluate_ends.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {
namespace {

// Values whose deviation is a smaller share of their size count as constant: 8 bits cannot show it.
constexpr double kVaryingShare = 0.05;
// A detector whose scores stay below this sees nothing in these samples.
constexpr double kMinScore = 0.05;
constexpr std::uint64_t kMinDetections = 10;
// Channels are evaluated one by one if each has at least this many values.
constexpr std::uint64_t kMinChannelValues = 8;
// In heads with at most this many channels, each channel has its own meaning: x, y, width, height.
constexpr std::size_t kMaxNamedChannels = 16;
constexpr double kLostChannelDb = 3;
constexpr std::uint64_t kMinValuesForCodes = 64;
// A class is the background if all others together have at most this share.
constexpr double kMaxOtherShare = 0.2;

std::string Db(double value) {
  if (std::isinf(value)) return value > 0 ? "exact" : "nothing left";
  const double tenths = std::round(10 * value) / 10;
  return verdict::ShortNumber(tenths == 0 ? 0 : tenths, 4) + " dB";
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

// Agreement on clear decisions. If one class dominates, such as the blank of a text recognizer or
// the background of a segmentation, the other classes count separately if they agree less.
struct Agreement {
  double share = 1;
  double changed = 0;  // Answers that differ.
  std::size_t decisions = 0;
  bool is_of_others = false;  // Without the most frequent answer.
};

Agreement AgreementOf(const HeadCounts& counts) {
  Agreement found{.share = 0, .changed = 0, .decisions = counts.clear_positions};
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
  // `is_beside_scores`: another output of the model has scores or probabilities.
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
      head_.judged_sqnr_db = -HUGE_VAL;  // The others are no measure of what is left.
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
    if (counts_.channel_count > 1 && counts_.IsBetweenZeroAndOne() &&
        (has_sums_of_one || is_softmax)) {
      return text_ ? HeadUse::kText : HeadUse::kArgMax;
    }
    if (counts_.IsBetweenZeroAndOne()) return HeadUse::kScores;
    if (text_) return HeadUse::kText;
    // Boxes and points that belong to them.
    if (is_beside_scores_ && end_.hint == OutputHint::kNone) return HeadUse::kValues;
    if (HasFeatures()) return HeadUse::kFeatures;
    return counts_.channel_count > 1 && end_.heads.size() == 1 ? HeadUse::kLogits
                                                               : HeadUse::kValues;
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

  // Signal for the SQNR: around the mean, unless the values hardly vary.
  void EvaluateChannels() {
    const std::vector<tensor::PairStatistics>& channels = end_.comparison.channels;
    if (counts_.first_channel + counts_.channel_count > channels.size()) return;
    const double mean_variance = counts_.Variance() / static_cast<double>(counts_.channel_count);
    for (std::size_t c = counts_.first_channel; c < counts_.first_channel + counts_.channel_count;
         ++c) {
      const tensor::PairStatistics& channel = channels[c];
      if (channel.finite_count() == 0 || channel.reference.sum_squares == 0) continue;
      const double db = channel.SqnrDb();
      if (!head_.worst_channel || db < head_.worst_channel_sqnr_db) {
        head_.worst_channel = c;
        head_.worst_channel_sqnr_db = db;
      }
      const double variance = VarianceOfSide(channel.reference);
      const bool varies =
          variance > kVaryingShare * kVaryingShare * channel.reference.sum_squares &&
          variance > 1e-3 * mean_variance;
      const bool is_lost = variance < channel.sum_squared_error * std::pow(10, kLostChannelDb / 10);
      const bool is_seen = head_.use != HeadUse::kScores || channel.reference.max >= kMinScore;
      if (channel.finite_count() >= kMinChannelValues && varies && is_seen && is_lost) {
        ++head_.lost_channels;
      }
    }
  }

  // Returns true if no other check is needed.
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
    // Only two or three codes are left, and they differ from the original values: scores of 0 and
    // 1.27.
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
    if (counts_.clear_positions > 0) {
      const Agreement found = AgreementOf(counts_);
      share = found.share;
      changed = found.changed;
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
    // Features have no answers, and noise hardly has: there, both measures have to say it.
    const bool is_broken_by_answers = changed > 1 && share < limits_.broken_agreement &&
                                      ((is_sure && !is_generated_) || db < limits_.unsure_db);
    const bool is_enough = head_.decisions >= limits_.min_decisions && !is_generated_;
    const double broken_db = is_sure && is_enough ? -HUGE_VAL : limits_.broken_db;
    if (is_broken_by_answers || db < broken_db) {
      const bool has_baseline_outputs =
          is_sure && head_.agreement && !(changed > 1 && share < limits_.broken_agreement);
      // Probabilities differ, but the decisions stay: the output is not lost.
      Raise(has_baseline_outputs ? VerdictLevel::kDegraded : VerdictLevel::kBroken, measured,
            head_);
      return;
    }
    const double sound_db =
        is_sure ? limits_.degraded_probabilities_db : limits_.degraded_logits_db;
    const bool has_changed = changed > 1 && share < limits_.degraded_agreement;
    const bool is_sound = !has_changed && (is_enough || db >= sound_db);
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
    // Noise gives all samples much the same features.
    const bool counts = found.vectors >= limits_.min_vectors && changed > 1 && !is_generated_;
    VerdictLevel level = VerdictLevel::kSound;
    if ((counts && share < limits_.degraded_vectors) || cosine < limits_.degraded_cosine) {
      level = VerdictLevel::kDegraded;
    }
    if ((counts && share < limits_.broken_vectors) || cosine < limits_.broken_cosine) {
      level = VerdictLevel::kBroken;
    }
    // A cosine says little where all vectors have much in common, and too few tell it.
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
    // Detectors are deployed with 0.25; other thresholds are used if too few scores reach it.
    constexpr std::array<std::size_t, 4> kOrder = {1, 0, 2, 3};
    for (const std::size_t i : kOrder) {
      const HeadCounts::Detections& found = counts_.detections[i];
      if (found.baseline + found.variant < kMinDetections) continue;
      head_.agreement = static_cast<double>(found.kept + found.right) /
                        static_cast<double>(found.baseline + found.variant);
      head_.decisions = found.baseline;
      head_.threshold = kScoreThresholds[i];
      detected_by_variant_ = found.variant;
      return;
    }
  }

  void EvaluateScores() {
    if (counts_.baseline_max < kMinScore && counts_.variant_max < kMinScore) {
      head_.reason = "no score reaches " + verdict::ShortNumber(kMinScore) +
                     " in either model: these samples show no detection";
      return;
    }
    const double db = head_.judged_sqnr_db;
    std::string measured = "SQNR " + Db(db);
    const double share = head_.agreement.value_or(1);
    if (head_.agreement) {
      measured = "scores above " + verdict::ShortNumber(*head_.threshold) + " agree in " +
                 verdict::Percent(share) + " (baseline: " + HumanCount(head_.decisions) +
                 ", compressed: " + HumanCount(detected_by_variant_) + "), " + measured;
    }
    VerdictLevel level = VerdictLevel::kSound;
    if (share < limits_.degraded_scores || db < limits_.broken_db) level = VerdictLevel::kDegraded;
    if (share < limits_.broken_scores || db < limits_.broken_scores_db) {
      level = VerdictLevel::kBroken;
    }
    Raise(level, measured, head_);
  }

  void EvaluateValues() {
    // Boxes count only at positions with a detection. Random data show nothing to detect.
    const double detected_db = counts_.DetectedSqnrDb();
    const std::size_t values_each = counts_.has_element_scores ? 1 : counts_.channel_count;
    const bool has_detected = !is_generated_ && !std::isnan(detected_db) &&
                              counts_.detected_count >= kMinDetections * values_each;
    const double db = has_detected ? detected_db : head_.judged_sqnr_db;
    const std::string measured = "SQNR " + Db(db) + (has_detected ? " at detections" : "");
    VerdictLevel level = VerdictLevel::kSound;
    if (db < limits_.degraded_values_db) level = VerdictLevel::kDegraded;
    if (db < limits_.broken_db) level = VerdictLevel::kBroken;
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

  const EndFindings& end_;
  const HeadCounts& counts_;
  bool is_beside_scores_;
  bool is_generated_;
  const EndLimits& limits_;
  HeadVerdict head_;
  std::optional<LabelSequences::Text> text_;
  std::uint64_t detected_by_variant_ = 0;
};

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

bool HasScores(const EndFindings& end) {
  return !end.heads.empty() && std::ranges::all_of(end.heads, &HeadCounts::IsBetweenZeroAndOne);
}

OutputVerdict EvaluateOutput(const EndFindings& end, bool is_beside_scores, bool is_generated,
                             const EndLimits& limits) {
  OutputVerdict output{.name = end.name, .shape = end.shape};
  output.sqnr_db = std::numeric_limits<double>::quiet_NaN();
  if (end.layout && end.layout->axis < end.shape.size()) {
    output.axis = end.layout->axis;
    output.channel_count = static_cast<std::size_t>(end.shape[end.layout->axis]);
  }
  output.why_not = end.why_not;
  if (end.labels > 0 || end.sequences.ReadAsText(end.label_count)) {
    output.heads.push_back(EvaluateLabels(end, limits));
  } else if (end.comparison.total.count > 0) {
    output.sqnr_db = end.comparison.total.SqnrDb();
    for (const HeadCounts& counts : end.heads) {
      output.heads.push_back(
          HeadEvaluator(end, counts, is_beside_scores, is_generated, limits).Evaluate());
    }
  } else if (output.why_not.empty()) {
    output.why_not = end.other_shapes > 0
                         ? "its shapes differ between the two models, as after NonMaxSuppression"
                         : "it has no values";
  }
  // A state affects later runs, which are not measured, so only a lost state counts.
  if (end.is_state) {
    for (HeadVerdict& head : output.heads) {
      const bool is_kept = head.level > VerdictLevel::kSound && !head.is_collapsed &&
                           head.judged_sqnr_db >= limits.broken_db;
      if (is_kept) head.level = VerdictLevel::kSound;
    }
  }
  for (const HeadVerdict& head : output.heads) output.level = std::max(output.level, head.level);
  return output;
}

std::string_view UseText(HeadUse use) {
  constexpr std::array<std::string_view, 7> kTexts = {
      "probabilities", "logits", "scores", "values", "labels", "features", "text"};
  return kTexts[static_cast<std::size_t>(use)];
}

std::string MeasureOf(const HeadVerdict& head) {
  if (head.is_collapsed) return "collapsed";
  if (head.use == HeadUse::kLabels) return "label_agreement";
  if (head.use == HeadUse::kScores && head.agreement) return "score_agreement";
  if (head.use == HeadUse::kArgMax && head.agreement) return "arg_max_agreement";
  if (head.use == HeadUse::kFeatures && head.agreement) return "nearest_agreement";
  if (head.use == HeadUse::kText) return "text_agreement";
  return "sqnr_db";
}

std::string OnSamples(const EndVerdict& verdict, const std::string& source) {
  std::string text =
      "on " + HumanCount(verdict.samples) + (verdict.samples == 1 ? " sample" : " samples");
  if (verdict.is_generated) {
    return text + " of random data, which is weak evidence: pass real samples with --data";
  }
  return text + (source.empty() ? "" : " (" + source + ")");
}

}  // namespace

std::string_view NameOf(VerdictLevel level) {
  constexpr std::array<std::string_view, 4> kNames = {"not_measured", "sound", "degraded",
                                                      "broken"};
  return kNames[static_cast<std::size_t>(level)];
}

std::string_view NameOf(HeadUse use) {
  constexpr std::array<std::string_view, 7> kNames = {"arg_max", "logits",   "scores", "values",
                                                      "labels",  "features", "text"};
  return kNames[static_cast<std::size_t>(use)];
}

std::string HeadName(const OutputVerdict& output, const HeadVerdict& head) {
  if (output.heads.size() < 2) return output.name;
  return output.name + "[" + std::to_string(head.first_channel) + ":" +
         std::to_string(head.first_channel + head.channel_count) + "]";
}

EndVerdict EvaluateEnds(const std::vector<EndFindings>& ends, std::size_t samples,
                        bool is_generated, const std::string& source, const EndLimits& limits) {
  EndVerdict verdict{.samples = samples, .is_generated = is_generated};
  for (const EndFindings& end : ends) {
    const bool is_beside_scores = std::ranges::any_of(
        ends, [&](const EndFindings& other) { return &other != &end && HasScores(other); });
    verdict.outputs.push_back(EvaluateOutput(end, is_beside_scores, is_generated, limits));
    verdict.level = std::max(verdict.level, verdict.outputs.back().level);
  }
  // The head that decides: the first of the worst ones; of sound ones, the lowest SQNR.
  const OutputVerdict* output = nullptr;
  const HeadVerdict* head = nullptr;
  std::size_t count = 0;
  for (const OutputVerdict& each : verdict.outputs) {
    for (const HeadVerdict& other : each.heads) {
      if (other.level != verdict.level) continue;
      ++count;
      const bool is_lower = head != nullptr && verdict.level == VerdictLevel::kSound &&
                            other.varying_sqnr_db < head->varying_sqnr_db;
      if (head != nullptr && !is_lower) continue;
      output = &each;
      head = &other;
    }
  }
  if (verdict.level == VerdictLevel::kNotMeasured) {
    verdict.sentence = "Not measured at the end: ";
    if (head != nullptr) {
      verdict.sentence += Quoted(HeadName(*output, *head)) + ", " + head->reason + "; " +
                          OnSamples(verdict, source);
    } else if (!verdict.outputs.empty()) {
      verdict.sentence +=
          "output " + Quoted(verdict.outputs[0].name) + ": " + verdict.outputs[0].why_not;
    } else {
      verdict.sentence += "the models have no output in common";
    }
    verdict.sentence += ".";
    return verdict;
  }
  verdict.measure = MeasureOf(*head);
  std::string name(NameOf(verdict.level));
  name[0] = static_cast<char>(name[0] - 'a' + 'A');
  verdict.sentence = name + ": output " + Quoted(HeadName(*output, *head)) + " (" +
                     std::string(UseText(head->use)) + "): " + head->reason;
  if (count > 1 && verdict.level != VerdictLevel::kSound) {
    verdict.sentence += "; " + HumanCount(count - 1) +
                        (count == 2 ? " other head is " : " other heads are ") +
                        std::string(NameOf(verdict.level));
  }
  verdict.sentence += "; " + OnSamples(verdict, source) + ".";
  return verdict;
}

}  // namespace cboard::compare
