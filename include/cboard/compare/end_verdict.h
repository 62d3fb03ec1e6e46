// The verdict on a compressed model, measured at the end of the network: at its declared outputs,
// by head and by channel, and by what people do with them.
//
//   comparison.verdict.level     // kBroken
//   comparison.verdict.sentence  // "Broken: all 14 channels of 'output0[4:18]' (scores) became 0 …"
//
// docs/compare.md has the limits and the reasons for them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cboard::compare {

enum class VerdictLevel { kNotMeasured, kSound, kDegraded, kBroken };
std::string_view NameOf(VerdictLevel level);  // "not_measured", "sound", "degraded", "broken"

// Use of an output's values.
enum class HeadUse {
  kArgMax,    // Probabilities that sum to one: the largest channel is the answer.
  kLogits,    // Unbounded values of two channels or more: the largest one is the answer.
  kScores,    // Each between 0 and 1: those above a threshold are detections.
  kValues,    // Other numbers: boxes, regression.
  kLabels,    // Integers: equal, or not.
  kFeatures,  // Embeddings: the nearest vector is the answer.
  kText,      // Labels along a sequence that are read with CTC: characters count, not positions.
};
// "arg_max", "logits", "scores", "values", "labels", "features", "text"
std::string_view NameOf(HeadUse use);

// Channels of an output that belong together.
struct HeadVerdict {
  std::size_t first_channel = 0, channel_count = 0;
  std::string made_by;  // The node whose values these are; empty where they are the whole output.
  HeadUse use = HeadUse::kValues;
  VerdictLevel level = VerdictLevel::kNotMeasured;
  std::string reason;  // Reason for the level, with numbers: "arg max agrees in 20 of 20".
  double sqnr_db = 0;  // NaN where there is nothing to measure.
  // The same with the signal taken as what varies around its mean: a common offset carries no
  // information.
  double varying_sqnr_db = 0;
  // The SQNR that decides the level and is printed: the plain one if the values hardly vary.
  double judged_sqnr_db = 0;
  // The share of the float model's answers that the compressed one gives, too; nothing where there
  // were none, such as detections above the threshold.
  std::optional<double> agreement;
  std::size_t decisions = 0;                 // How many answers `agreement` is about.
  std::optional<double> threshold;           // Threshold for scores.
  std::optional<double> mean_cosine;         // For features: with the baseline's vectors.
  bool is_collapsed = false;                 // All values became the same, and did vary.
  std::size_t lost_channels = 0;             // Channels that vary in the baseline and are lost.
  std::optional<std::size_t> worst_channel;  // Its index in the output.
  double worst_channel_sqnr_db = 0;
  double baseline_min = 0, baseline_max = 0;  // Over all values …
  double baseline_mean_square = 0;
  double variant_min = 0, variant_max = 0;
};

struct OutputVerdict {
  std::string name;
  std::vector<std::int64_t> shape;  // For the first sample.
  std::optional<std::size_t> axis;  // That of the channels; nothing for a scalar.
  std::size_t channel_count = 0;
  VerdictLevel level = VerdictLevel::kNotMeasured;
  double sqnr_db = 0;
  std::vector<HeadVerdict> heads;
  std::string why_not;  // Why it was not measured.
};

// A way to mend a root cause, tried in the compressed model and measured at its end.
struct MeasuredFix {
  std::string action;   // "one scale per output channel"
  std::string price;    // "no cost", "3 nodes in float32"
  std::string setting;  // How to apply it with ONNX Runtime, to be copied and pasted.
  VerdictLevel level = VerdictLevel::kNotMeasured;  // Level of the outputs with it …
  double sqnr_db = 0;                               // … and what is left there.
  std::optional<double> agreement;
};

// Cause of a broken or degraded output: one root cause, with all layers that have it.
struct Suspect {
  std::string layer;
  std::string sentence;             // Why.
  std::string fix;                  // First fix to try; empty if none is known.
  std::string cause;                // "mask", "calibration", …
  std::string part;                 // "weight", "bias", "output"
  std::vector<std::string> layers;  // All that have it, the costliest first.
  bool is_measured = false;         // Undoing it was seen to help; otherwise this is a guess.
  // The end as it is, with only this applied, and with only this undone, in dB.
  std::optional<double> sqnr_db, alone_sqnr_db, undone_sqnr_db;
  std::optional<double> agreement, undone_agreement;
  std::vector<MeasuredFix> fixes;  // The first one to try first.
};

struct EndVerdict {
  VerdictLevel level = VerdictLevel::kNotMeasured;
  std::string sentence;  // Level, measure, samples; one line.
  std::string measure;   // "arg_max_agreement", "nearest_agreement", "sqnr_db", …
  std::size_t samples = 0;
  bool is_generated = false;  // Random data: weak evidence.
  std::vector<OutputVerdict> outputs;
  std::vector<Suspect> suspects;  // At least one where `level` is kBroken.
  // How blame was measured: how many runs on how many samples in which time; or why it was not.
  std::string blame_note;
};

// "output0", or with its channels where the output has several heads: "output0[4:18]".
std::string HeadName(const OutputVerdict& output, const HeadVerdict& head);

}  // namespace cboard::compare
