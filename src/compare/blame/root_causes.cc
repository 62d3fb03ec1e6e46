#include "compare/blame/root_causes.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/layers/layer_operators.h"

namespace cboard::compare {
namespace {

// The cause is "calibration" if new ranges, calibrated on the samples of this comparison, leave at
// most this share of the error.
constexpr double kHalfOfError = 0.5;
// If at least half of the ranges are far off, a larger share of the error may remain: other causes
// may explain the rest of the error.
constexpr double kSomeOfError = 0.8;
constexpr double kOtherInput = 4;
// The file was calibrated on blank samples (zeros) if most of its ranges equal the ranges of blank
// samples, except for rounding.
constexpr double kSameRange = 0.03;
constexpr double kMinSameRanges = 0.6;
// A range fits the data if its width, divided by the width that the data needs, is between these
// limits. Ranges from calibration on other samples of the same data are within these limits.
constexpr double kWide = 2, kNarrow = 0.8;
// Minimum share of unsuitable ranges for the cause "calibration".
constexpr double kManyRanges = 0.25;
constexpr double kHardlyAnything = 0.05;

std::string FileRangeText(CodeRange range) {
  return verdict::ShortNumber(range.low, 3) + " to " + verdict::ShortNumber(range.high, 3);
}

// Returns the model input that a tensor is computed from by only changing layout or type and by
// adding or multiplying constants (input normalization). Returns kNoTensor for all other tensors,
// and for tensors behind a quantizer.
model::TensorId InputBefore(const model::ModelGraph& model, model::TensorId tensor) {
  constexpr std::size_t kMaxSteps = 16;
  for (std::size_t step = 0; step < kMaxSteps && tensor != model::kNoTensor; ++step) {
    const model::NodeId producer = model.tensor(tensor).producer;
    if (producer == model::kNoNode) return model.IsWeight(tensor) ? model::kNoTensor : tensor;
    const model::ModelNode& node = model.node(producer);
    if (node.inputs.empty()) return model::kNoTensor;
    const std::string_view op_type = node.op_type;
    if (op_type == "Add" || op_type == "Sub" || op_type == "Mul" || op_type == "Div") {
      const bool is_first = node.inputs.size() == 2 && model.IsWeight(node.inputs[1]);
      const bool is_second = node.inputs.size() == 2 && model.IsWeight(node.inputs[0]);
      if (!is_first && !is_second) return model::kNoTensor;
      tensor = node.inputs[is_first ? 0 : 1];
    } else if (PassesValues(op_type) || op_type == "Cast" || op_type == "Pad" ||
               op_type == "Clip") {
      tensor = node.inputs[0];
    } else {
      return model::kNoTensor;
    }
  }
  return model::kNoTensor;
}

struct Misfit {
  std::size_t part = 0;
  double ratio = 1;  // Result of StepRatio.
  double Size() const { return std::abs(std::log(ratio)); }
};

class CalibrationCheck {
 public:
  CalibrationCheck(const BlameCase& found, const EndState& as_it_is, BlameRuns& trials)
      : found_(found), as_it_is_(as_it_is), trials_(trials) {}

  // Tests the model's input first: if its range does not fit, later ranges cannot fit.
  std::optional<RootCause> Run() {
    std::size_t count = 0;
    const std::vector<Misfit> misfits = Misfits(count);
    if (misfits.empty()) return std::nullopt;
    const auto input = std::ranges::find_if(misfits, [&](const Misfit& misfit) {
      return InputBefore(found_.variant, found_.parts[misfit.part].tensor) != model::kNoTensor;
    });
    const bool has_input = input != misfits.end();
    const bool is_many = misfits.size() >= 2 && static_cast<double>(misfits.size()) >=
                                                    kManyRanges * static_cast<double>(count);
    if (!has_input && !is_many) return std::nullopt;
    const TriedFix fix = Recalibration(found_, trials_.board());
    Settings settings = trials_.board().AllOf(PartState::kAsIs);
    for (const auto& [part, setting] : fix.changes) settings[part] = setting;
    const auto state = trials_.Measure(settings);
    if (!state) return std::nullopt;
    is_blank_ = AreRangesOfBlankSamples();
    const bool is_other_input =
        has_input && (input->ratio >= kOtherInput || input->ratio <= 1 / kOtherInput);
    // Ranges of blank samples, or a very different range of the model's input, prove the cause even
    // if other causes hide the gain of calibration.
    const bool is_certain = is_blank_ || is_other_input;
    const auto far =
        static_cast<std::size_t>(std::ranges::count_if(misfits, [](const Misfit& misfit) {
          return misfit.ratio >= kWide || misfit.ratio <= 1 / kWide;
        }));
    const double most = is_certain ? 1 : 2 * far >= count ? kSomeOfError : kHalfOfError;
    if (state->cost > most * as_it_is_.cost) return std::nullopt;
    const Misfit& worst = has_input ? *input : WorstOfMost(misfits);
    RootCause cause{.why = {.part = Part::kOutput}, .parts = {}, .alone = {}};
    cause.is_everywhere = true;
    cause.parts.push_back(worst.part);
    for (const Misfit& misfit : misfits) {
      if (misfit.part != worst.part) cause.parts.push_back(misfit.part);
    }
    SetCalibration(worst, has_input, misfits, count, cause);
    return cause;
  }

 private:
  static bool IsNarrow(const Misfit& misfit) { return misfit.ratio < 1; }

  // Returns true if clipping by a calibration method may explain the ranges. Percentile or entropy
  // calibration and too few samples make ranges slightly narrower. Silence and other blank samples
  // make them almost zero.
  static bool AreOnlyCut(const std::vector<Misfit>& misfits) {
    const auto narrow = std::ranges::count_if(misfits, IsNarrow);
    const auto tiny = std::ranges::count_if(
        misfits, [](const Misfit& misfit) { return misfit.ratio < kHardlyAnything; });
    return narrow * 5 > std::ssize(misfits) * 4 && tiny * 2 < std::ssize(misfits);
  }

  // If most of the unsuitable ranges are too narrow, returns the worst range that is too narrow,
  // otherwise the worst range that is too wide.
  static const Misfit& WorstOfMost(const std::vector<Misfit>& misfits) {
    const bool is_narrow = std::ranges::count_if(misfits, IsNarrow) * 2 > std::ssize(misfits);
    return *std::ranges::find_if(
        misfits, [&](const Misfit& misfit) { return IsNarrow(misfit) == is_narrow; });
  }

  // Returns true if a tensor has the values of an input of the model, perhaps in another layout.
  bool IsMovedInput(model::TensorId tensor) const {
    while (tensor != model::kNoTensor) {
      const model::NodeId producer = found_.baseline.tensor(tensor).producer;
      if (producer == model::kNoNode) return !found_.baseline.IsWeight(tensor);
      const model::ModelNode& node = found_.baseline.node(producer);
      if (!PassesValues(node.op_type) || node.inputs.empty()) return false;
      tensor = node.inputs[0];
    }
    return false;
  }

  // Returns true if calibration saw values in an input of the model: its scale is neither that of
  // zeros (1) nor tiny.
  bool HasRangeOfInput() const {
    constexpr double kTinyScale = 1e-6;
    return std::ranges::any_of(found_.parts, [&](const SwitchedPart& part) {
      if (part.part != Part::kOutput || !part.grid) return false;
      return IsMovedInput(found_.BaselineTensorOf(part)) && part.grid->scale > kTinyScale &&
             std::abs(part.grid->scale - 1) > kSameRange;
    });
  }

  // Returns true if most quantization ranges equal the ranges that the baseline's tensors have on
  // inputs of zeros. A tensor of zeros gets a scale of 1.
  bool AreRangesOfBlankSamples() const {
    if (HasRangeOfInput()) return false;
    std::vector<std::string> names;
    std::vector<std::pair<const SwitchedPart*, std::string>> compared;
    std::unordered_set<std::string> seen;
    for (const SwitchedPart& part : found_.parts) {
      if (part.part != Part::kOutput || !part.grid) continue;
      const model::TensorId tensor = found_.BaselineTensorOf(part);
      if (tensor == model::kNoTensor) continue;
      const model::ModelTensor& known = found_.baseline.tensor(tensor);
      if (known.producer == model::kNoNode || !seen.insert(known.name).second) continue;
      names.push_back(known.name);
      compared.emplace_back(&part, known.name);
    }
    if (names.empty()) return false;
    const auto ranges = trials_.RangesOnZeros(names);
    std::size_t count = 0, same = 0;
    for (const auto& [part, name] : compared) {
      const auto found = ranges.find(name);
      if (found == ranges.end()) continue;
      ++count;
      tensor::QuantizationGrid expected = GridFor(found->second, CodeScheme::Of(*part->grid));
      if (!(expected.scale > 0)) {
        expected.scale = 1;
        expected.zero_point = 0;
      }
      const bool is_same = std::abs(part->grid->scale / expected.scale - 1) < kSameRange &&
                           std::abs(part->grid->zero_point - expected.zero_point) <= 2;
      if (is_same) ++same;
    }
    return count > 0 && static_cast<double>(same) >= kMinSameRanges * static_cast<double>(count);
  }

  std::vector<Misfit> Misfits(std::size_t& count) const {
    std::vector<Misfit> misfits;
    for (std::size_t i = 0; i < found_.parts.size(); ++i) {
      const SwitchedPart& part = found_.parts[i];
      if (part.part != Part::kOutput) continue;
      const auto ratio = StepRatio(found_, part);
      if (!ratio) continue;
      ++count;
      if (*ratio >= kWide || *ratio <= kNarrow) misfits.push_back({i, *ratio});
    }
    std::ranges::stable_sort(misfits, std::greater<>(), &Misfit::Size);
    return misfits;
  }

  void SetCalibration(const Misfit& worst, bool has_input, const std::vector<Misfit>& misfits,
                      std::size_t count, RootCause& cause) const {
    const SwitchedPart& part = found_.parts[worst.part];
    const CodeRange file = RangeOf(*part.grid), data = found_.ValuesOf(part)->Range();
    const auto narrow = static_cast<std::size_t>(
        std::ranges::count_if(misfits, [](const Misfit& misfit) { return misfit.ratio < 1; }));
    const std::string many =
        HumanCount(misfits.size()) + " of " + HumanCount(count) + " ranges do not fit these data";
    const std::string ranges =
        "the file expects " + FileRangeText(file) + ", the data are " + FileRangeText(data);
    cause.why.cause = Cause::kCalibration;
    if (is_blank_) {
      cause.why.sentence =
          "calibrated with blank samples: the ranges in the file are those of inputs of zeros; " +
          many + ", here the data are " + FileRangeText(data);
    } else if (has_input) {
      cause.why.sentence = "calibrated with other inputs: " + ranges + ", a factor of " +
                           verdict::ShortNumber(std::max(worst.ratio, 1 / worst.ratio), 3) + " (" +
                           (worst.ratio > 1 ? "too wide" : "too narrow") +
                           "); their preprocessing (scale, mean, order of channels) or the samples "
                           "differ, and the fix "
                           "assumes that these data are right; " +
                           many;
    } else if (narrow * 2 > misfits.size() && !AreOnlyCut(misfits)) {
      cause.why.sentence = "calibrated with other samples: " + many + ", most at " +
                           Quoted(part.name) + ", where " + ranges +
                           "; the samples were silent, blank or otherwise unlike these";
    } else if (narrow * 2 > misfits.size()) {
      cause.why.cause = Cause::kOverClipped;
      cause.why.sentence =
          "ranges are too narrow and cut values off: " + many + ", most at " + Quoted(part.name) +
          ", where " + ranges +
          "; too few or other samples were used, or percentile or entropy calibration";
    } else {
      cause.why.sentence = "ranges are too wide: " + many + ", most at " + Quoted(part.name) +
                           ", where " + ranges + ", a factor of " +
                           verdict::ShortNumber(worst.ratio, 3) +
                           "; other samples were used for calibration";
    }
  }

  const BlameCase& found_;
  const EndState& as_it_is_;
  BlameRuns& trials_;
  bool is_blank_ = false;
};

class RootCauseFinder {
 public:
  RootCauseFinder(const BlameCase& found, const BlameFindings& findings)
      : found_(found), findings_(findings) {}

  std::vector<RootCause> Run() {
    for (const GuiltyGroup& guilty : findings_.guilty) Add(guilty);
    if (findings_.is_spread) Spread();
    return std::move(causes_);
  }

 private:
  // Finds the cause of a group of parts that damages the outputs. Groups are joined if they have
  // the same cause and contain the same kind of parts (weights or activations).
  void Add(const GuiltyGroup& guilty) {
    PartCause why = FindCause(found_, found_.parts[guilty.parts[0]]);
    for (RootCause& cause : causes_) {
      const bool is_scheme =
          HasOneScale(guilty.parts[0], why) && HasOneScale(cause.parts[0], cause.why);
      const bool is_same = is_scheme || (cause.why.cause == why.cause &&
                                         cause.why.part == why.part && !cause.is_everywhere);
      if (!is_same) continue;
      if (is_scheme && cause.why.cause == Cause::kOutliers) {
        cause.why.cause = Cause::kChannelSpread;
        cause.why.sentence =
            "the weights of several layers have one scale for all channels; here, " +
            cause.why.sentence;
      }
      cause.parts.insert(cause.parts.end(), guilty.parts.begin(), guilty.parts.end());
      cause.why.nodes.insert(cause.why.nodes.end(), why.nodes.begin(), why.nodes.end());
      if (!cause.why.range) cause.why.range = why.range;
      if (cause.why.range && why.range) {
        cause.why.range->low = std::min(cause.why.range->low, why.range->low);
        cause.why.range->high = std::max(cause.why.range->high, why.range->high);
      }
      return;
    }
    causes_.push_back({.why = std::move(why), .parts = guilty.parts, .alone = guilty.alone});
  }

  // Returns true for weights that one scale for all channels does not suit. In several layers, this
  // scheme is the cause, whether the range of a layer is that of large channels or of outliers.
  bool HasOneScale(std::size_t part, const PartCause& why) const {
    const auto& layer = found_.parts[part].layer;
    return why.part == Part::kWeight && layer && found_.layers[*layer].has_one_scale &&
           (why.cause == Cause::kOutliers || why.cause == Cause::kChannelSpread);
  }

  // No single part has a large share, so the kind of parts with the larger total error is named:
  // all weights or all outputs.
  void Spread() {
    const double weights = findings_.outputs_float.cost, outputs = findings_.weights_float.cost;
    const Part kind = weights > outputs ? Part::kWeight : Part::kOutput;
    RootCause cause{
        .why = {.cause = Cause::kManySmallErrors, .part = kind},
        .parts = {},
        .alone = kind == Part::kWeight ? findings_.outputs_float : findings_.weights_float,
        .is_everywhere = true};
    std::size_t with_one_scale = 0, count = 0;
    for (const GuiltyGroup& guilty : findings_.guilty) {
      for (const std::size_t part : guilty.parts) {
        if (found_.parts[part].part == kind) cause.parts.push_back(part);
      }
    }
    for (std::size_t i = 0; i < found_.parts.size(); ++i) {
      const SwitchedPart& part = found_.parts[i];
      if (part.part != kind) continue;
      ++count;
      if (part.layer && found_.layers[*part.layer].has_one_scale) ++with_one_scale;
      if (std::ranges::find(cause.parts, i) == cause.parts.end()) cause.parts.push_back(i);
    }
    if (kind == Part::kWeight && with_one_scale * 2 > count) {
      cause.why.cause = Cause::kChannelSpread;
      cause.why.sentence = "the weights of " + HumanCount(with_one_scale) +
                           " layers have one scale for all channels, and their errors add up; this "
                           "layer costs most";
    } else if (kind == Part::kWeight && !cause.parts.empty() &&
               FindCause(found_, found_.parts[cause.parts[0]]).cause == Cause::kLargeBlocks) {
      cause.why = FindCause(found_, found_.parts[cause.parts[0]]);
      cause.why.sentence += "; " + HumanCount(count) + " layers share the loss";
    } else {
      cause.why.sentence = "many small errors add up: no layer alone explains the loss, " +
                           HumanCount(count) + " quantized " +
                           (kind == Part::kWeight ? "weights" : "activations") + " share it" +
                           (findings_.is_guess ? "" : ", and this one costs most");
    }
    causes_ = {std::move(cause)};
  }

  const BlameCase& found_;
  const BlameFindings& findings_;
  std::vector<RootCause> causes_;
};

}  // namespace

std::optional<RootCause> FindCalibrationCause(const BlameCase& found, const EndState& as_it_is,
                                              BlameRuns& trials) {
  return CalibrationCheck(found, as_it_is, trials).Run();
}

std::vector<RootCause> FindRootCauses(const BlameCase& found, const BlameFindings& findings) {
  return RootCauseFinder(found, findings).Run();
}

}  // namespace cboard::compare
