#include "compare/verdict/verdict_sentence.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "cboard/base/strings.h"

namespace cboard::compare {
namespace {

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

// Returns true if at least one output is sound, and all others are sound or not measured.
bool IsRestSound(const EndVerdict& verdict) {
  return std::ranges::find(verdict.outputs, VerdictLevel::kSound, &OutputVerdict::level) !=
         verdict.outputs.end();
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

void AddSentence(const std::string& source, EndVerdict& verdict) {
  // Finds the head that decides the verdict: the first one with the worst level. If all heads are
  // sound, it is the one with the lowest SQNR; states of recurrent layers come last.
  const OutputVerdict* output = nullptr;
  const HeadVerdict* head = nullptr;
  std::size_t count = 0;
  for (const OutputVerdict& each : verdict.outputs) {
    for (const HeadVerdict& other : each.heads) {
      if (other.level != verdict.level) continue;
      ++count;
      const bool is_lower = head != nullptr && verdict.level == VerdictLevel::kSound &&
                            std::pair(each.is_state, other.varying_sqnr_db) <
                                std::pair(output->is_state, head->varying_sqnr_db);
      if (head != nullptr && !is_lower) continue;
      output = &each;
      head = &other;
    }
  }
  if (verdict.level == VerdictLevel::kNotMeasured) {
    verdict.sentence = "Not measured at the end: ";
    if (head != nullptr) {
      verdict.sentence += Quoted(HeadName(*output, *head)) + ", " + head->reason + "; " +
                          (IsRestSound(verdict) ? "everything else is sound; " : "") +
                          OnSamples(verdict, source);
    } else if (!verdict.outputs.empty()) {
      verdict.sentence +=
          "output " + Quoted(verdict.outputs[0].name) + ": " + verdict.outputs[0].why_not;
    } else {
      verdict.sentence += "the models have no output in common";
    }
    verdict.sentence += ".";
    return;
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
  for (const OutputVerdict& other : verdict.outputs) {
    if (!other.heads.empty() || verdict.level != VerdictLevel::kSound) continue;
    verdict.sentence += "; output " + Quoted(other.name) + " is not measured: " + other.why_not;
  }
  verdict.sentence += "; " + OnSamples(verdict, source) + ".";
}

}  // namespace cboard::compare
