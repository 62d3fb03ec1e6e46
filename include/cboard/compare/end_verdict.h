// The verdict on a compressed model. It is measured at the declared outputs of the model, by head
// and by channel, in terms of how the outputs are used.
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

// The way in which an application uses an output's values.
enum class HeadUse {
  kArgMax,    // Probabilities that sum to 1: the largest channel is the predicted class.
  kLogits,    // Unbounded values of at least two channels: the largest is the predicted class.
  kScores,    // Values between 0 and 1: a value above a threshold is a detection.
  kValues,    // Other numbers: boxes, regression.
  kLabels,    // Integers, which are equal or not.
  kFeatures,  // Embeddings: the nearest vector is the result.
  kText,      // Labels along a sequence that CTC decodes: characters are compared, not positions.
};
// The name of an output's use: "arg_max", "logits", "scores", "values", "labels", "features",
// "text".
std::string_view NameOf(HeadUse use);

// The verdict on one head: channels of an output that belong together.
struct HeadVerdict {
  std::size_t first_channel = 0, channel_count = 0;
  std::string made_by;  // The node that computes these values; empty if they are the whole output.
  HeadUse use = HeadUse::kValues;
  VerdictLevel level = VerdictLevel::kNotMeasured;
  std::string reason;  // Reason for the level, with numbers: "arg max agrees in 20 of 20".
  double sqnr_db = 0;  // NaN if it was not measured.
  // SQNR of which the signal is only the variation around the mean, because an offset that all
  // values share carries no information.
  double varying_sqnr_db = 0;
  // The SQNR that decides the level and is printed. It is `varying_sqnr_db`, or `sqnr_db` if the
  // baseline's values hardly vary.
  double judged_sqnr_db = 0;
  // Share of predictions that are equal in float model and compressed model; nullopt if there was
  // no prediction, for example no detection above the threshold.
  std::optional<double> agreement;
  std::size_t decisions = 0;        // Number of predictions in `agreement`.
  std::optional<double> threshold;  // Threshold for scores.
  // For features (embeddings): mean cosine similarity between the vectors of baseline and variant.
  std::optional<double> mean_cosine;
  // True if all values became equal although the baseline's values vary.
  bool is_collapsed = false;
  // Number of channels that vary in the baseline and whose signal is lost in the variant.
  std::size_t lost_channels = 0;
  std::optional<std::size_t> worst_channel;  // Index of the worst channel in the output.
  double worst_channel_sqnr_db = 0;
  double baseline_min = 0, baseline_max = 0;  // Range over all values.
  double baseline_mean_square = 0;
  double variant_min = 0, variant_max = 0;
};

struct OutputVerdict {
  std::string name;
  std::vector<std::int64_t> shape;  // Shape for the first sample.
  std::optional<std::size_t> axis;  // Dimension of the channels; nullopt for a scalar.
  std::size_t channel_count = 0;
  VerdictLevel level = VerdictLevel::kNotMeasured;
  double sqnr_db = 0;
  std::vector<HeadVerdict> heads;
  std::string why_not;  // Why it was not measured.
  // True for the state of a recurrent layer, which is an input of the next run.
  bool is_state = false;
};

// A fix of a root cause that was applied to the compressed model and measured at its outputs.
struct MeasuredFix {
  std::string action;   // "one scale per output channel"
  std::string price;    // "no cost", "3 nodes in float32"
  std::string setting;  // Code that applies it with ONNX Runtime, to be copied and pasted.
  // Level of the outputs with the fix; kNotMeasured if the time limit was reached before it was
  // measured.
  VerdictLevel level = VerdictLevel::kNotMeasured;
  double sqnr_db = 0;  // Output SQNR with the fix.
  std::optional<double> agreement;
};

// A root cause of a broken or degraded output, with all layers that have it.
struct Suspect {
  std::string layer;
  std::string sentence;             // The explanation.
  std::string fix;                  // First fix to try; empty if none is known.
  std::string cause;                // "mask", "calibration", …
  std::string part;                 // "weight", "bias", "output"
  std::vector<std::string> layers;  // All affected layers, the costliest first.
  // True if undoing the cause improved the output in a run of the model; otherwise the cause is a
  // guess.
  bool is_measured = false;
  // Output SQNR in dB of three models: the compressed model (for a second cause, with the fix of
  // the first one), the float model with only this cause applied, and the compressed model without
  // the guilty parts.
  std::optional<double> sqnr_db, alone_sqnr_db, undone_sqnr_db;
  std::optional<double> agreement, undone_agreement;
  std::vector<MeasuredFix> fixes;  // The recommended fix first.
};

struct EndVerdict {
  VerdictLevel level = VerdictLevel::kNotMeasured;
  std::string sentence;  // Level, measure, samples; one line.
  // Key of the measure that decides the level: "arg_max_agreement", "nearest_agreement", "sqnr_db",
  // …
  std::string measure;
  std::size_t samples = 0;
  bool is_generated = false;  // Random samples: weak evidence.
  std::vector<OutputVerdict> outputs;
  std::vector<Suspect> suspects;  // At least one if `level` is kBroken.
  // Explains how root causes were measured (number of runs and samples, time), or why they were
  // not.
  std::string blame_note;
};

// The name of a head: "output0"; if the output has several heads, the name includes the channels:
// "output0[4:18]".
std::string HeadName(const OutputVerdict& output, const HeadVerdict& head);

}  // namespace cboard::compare
