#include "compare/blame/part_causes.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/blame/log_front_end.h"
#include "compare/blame/split_operators.h"
#include "compare/layers/layer_operators.h"
#include "compare/layers/quantizers.h"

namespace cboard::compare {
namespace {

// A quantization range this many times wider than the values wastes two bits. It was calibrated for
// other values.
constexpr double kTooWide = 4;
// Minimum ratio between the largest value and smaller values at which the smaller values get fewer
// than five bits, if all share a range of eight bits.
constexpr double kMuchLarger = 8;
// Softmax gives 0 for values this far below the largest one: exp(-30) is below the precision of
// float32.
constexpr double kNothingInSoftmax = 30;

std::string SpanText(double low, double high) {
  return verdict::ShortNumber(low, 3) + " to " + verdict::ShortNumber(high, 3);
}

// A node that reads a tensor, directly or behind nodes that only move or shift values.
struct Reader {
  model::NodeId node = model::kNoNode;
  std::string_view op_type;
};

class ReaderFinder {
 public:
  explicit ReaderFinder(const model::ModelGraph& model) : model_(model) {}

  // Returns the first reader of a tensor for which `wants` is true.
  template <typename Wants>
  Reader Find(model::TensorId tensor, const Wants& wants, std::size_t depth = 0) const {
    constexpr std::size_t kMaxSteps = 8;
    if (tensor == model::kNoTensor || depth > kMaxSteps) return {};
    for (const model::NodeId id : model_.consumers(tensor)) {
      const model::ModelNode& node = model_.node(id);
      if (wants(node, tensor)) return {id, node.op_type};
      if (!IsPassing(node)) continue;
      for (const model::TensorId output : node.outputs) {
        if (const Reader found = Find(output, wants, depth + 1); found.node != model::kNoNode) {
          return found;
        }
      }
    }
    return {};
  }

 private:
  // Returns true for nodes that keep values comparable. Adding a constant, such as an epsilon or a
  // mask, shifts values; a square or a product with a constant only scales values.
  bool IsPassing(const model::ModelNode& node) const {
    if (node.op_type == "Mul" || node.op_type == "Div") {
      return node.inputs.size() == 2 &&
             (node.inputs[0] == node.inputs[1] || model_.IsWeight(node.inputs[0]) ||
              model_.IsWeight(node.inputs[1]));
    }
    return node.op_type == "Pow" || node.op_type == "Abs" || node.op_type == "Add" ||
           node.op_type == "Where" || node.op_type == "Clip" || node.op_type == "Max" ||
           node.op_type == "Cast" || node.op_type == "ReduceMean" || node.op_type == "ReduceSum" ||
           node.op_type == "Concat" || IsQuantizer(node) || IsDequantizer(node) ||
           PassesValues(node.op_type);
  }

  const model::ModelGraph& model_;
};

bool ReadsSmallValues(const model::ModelNode& node, model::TensorId tensor) {
  if (node.op_type == "Log" || node.op_type == "Sqrt" || node.op_type == "Reciprocal") return true;
  return node.op_type == "Div" && node.inputs.size() == 2 && node.inputs[1] == tensor &&
         node.inputs[0] != tensor;
}

class OutputCauses {
 public:
  OutputCauses(const BlameCase& found, const SwitchedPart& part)
      : found_(found),
        part_(part),
        row_(found.RowOf(part)),
        values_(found.ValuesOf(part)),
        tensor_(found.BaselineTensorOf(part)) {}

  PartCause Find() {
    cause_.part = Part::kOutput;
    if (NotFinite() || Mask() || InsideOperator() || Unfit() || SmallValues() || SharedScale() ||
        OneSided() || LargeChannels() || Local()) {
      return std::move(cause_);
    }
    cause_.cause = Cause::kTooFewBits;
    cause_.sentence =
        "rounding" + StepText() + " is too coarse for what the network makes of it" +
        (row_ != nullptr && row_->local
             ? ": its own SQNR is " + verdict::ShortNumber(row_->local->total.SqnrDb(), 3) +
                   " dB, and the layers behind it amplify the error"
             : "");
    return std::move(cause_);
  }

 private:
  std::string StepText() const {
    return part_.grid ? " in steps of " + verdict::ShortNumber(part_.grid->scale, 3) : "";
  }

  // Says how many codes hold values that span `width`.
  std::string CodesText(double width) const {
    if (!part_.grid || !std::isfinite(part_.grid->scale)) return "have no code";
    const double codes = 1 + std::floor(width / part_.grid->scale);
    return codes < 2 ? "all fall into one code"
                     : "share " + verdict::ShortNumber(codes, 3) + " codes";
  }

  Reader SoftmaxBehind() const {
    return ReaderFinder(found_.baseline)
        .Find(tensor_, [](const model::ModelNode& node, model::TensorId) {
          return node.op_type == "Softmax";
        });
  }

  void SetMask(const Reader& softmax, double low, double above, double high) {
    cause_.cause = Cause::kMask;
    cause_.sentence =
        "mask values down to " + verdict::ShortNumber(low, 3) + " before the Softmax " +
        Quoted(found_.baseline.node(softmax.node).name) + " stretch the range" +
        (part_.grid ? " to steps of " + verdict::ShortNumber(part_.grid->scale, 3) : "") +
        ", and the scores beside them (" + SpanText(above, high) + ") " + CodesText(high - above) +
        "; for Softmax, a mask " + verdict::ShortNumber(kNothingInSoftmax) +
        " below the scores has the same effect";
    cause_.range = CodeRange{above - kNothingInSoftmax, high};
  }

  bool NotFinite() {
    if (!part_.grid || (std::isfinite(part_.grid->scale) && part_.grid->scale > 0)) return false;
    const Reader softmax = SoftmaxBehind();
    const CodeRange range = values_ == nullptr ? CodeRange{} : values_->Range();
    if (softmax.node != model::kNoNode) {
      SetMask(softmax, -HUGE_VAL, range.low, range.high);
      return true;
    }
    cause_.cause = Cause::kNotFinite;
    cause_.sentence = "its scale is " + verdict::ShortNumber(part_.grid->scale, 3) +
                      ": calibration has seen infinite values, and all others are lost";
    if (values_ != nullptr) cause_.range = range;
    return true;
  }

  bool Mask() {
    if (values_ == nullptr || !part_.grid) return false;
    const Reader softmax = SoftmaxBehind();
    if (softmax.node == model::kNoNode) return false;
    const auto gap = values_->WidestGap();
    if (!gap || gap->above - gap->below < kNothingInSoftmax) return false;
    const CodeRange range = values_->Range();
    SetMask(softmax, range.low, gap->above, range.high);
    return true;
  }

  bool InsideOperator() {
    const SplitOperators split(found_.variant);
    const auto inside = split.Around(part_.tensor);
    if (!inside) return false;
    const SplitOperator& whole = split.all()[*inside];
    cause_.cause = Cause::kSplitOperator;
    cause_.nodes = whole.nodes;
    cause_.sentence = std::string(whole.name) + " is quantized between its pieces: the output of " +
                      Quoted(found_.variant.node(part_.node).name) + " (" +
                      found_.variant.node(part_.node).op_type + ")" + ValuesText() + " is rounded" +
                      StepText() + ", which the rest of the " + std::string(whole.name) +
                      " amplifies";
    return true;
  }

  std::string ValuesText() const {
    if (row_ == nullptr || !row_->accumulated) return {};
    const tensor::TensorStatistics& values = row_->accumulated->total.reference;
    return ", " + SpanText(values.min, values.max) + ",";
  }

  bool Unfit() {
    const auto ratio = StepRatio(found_, part_);
    if (!ratio || values_ == nullptr || found_.comparison.is_generated) return false;
    const CodeRange file = RangeOf(*part_.grid), data = values_->Range();
    if (*ratio >= kTooWide) {
      cause_.cause = Cause::kCalibration;
      cause_.sentence = "its range in the file is " + SpanText(file.low, file.high) +
                        ", and the values are " + SpanText(data.low, data.high) + ": steps are " +
                        verdict::ShortNumber(*ratio, 3) + " times too large";
      return true;
    }
    const double clipped = values_->ClippedShare(*part_.grid);
    if (*ratio <= 1 / kTooWide || (*ratio < 0.8 && clipped > 0.001)) {
      cause_.cause = Cause::kOverClipped;
      cause_.sentence = "its range in the file is " + SpanText(file.low, file.high) +
                        ", and the values are " + SpanText(data.low, data.high) + ": " +
                        verdict::ShortNumber(100 * clipped, 2) + " % are cut off";
      return true;
    }
    return false;
  }

  bool SmallValues() {
    const Reader reader = ReaderFinder(found_.baseline).Find(tensor_, ReadsSmallValues);
    if (reader.node == model::kNoNode || values_ == nullptr || !part_.grid) return BeforeLog();
    const double share = values_->ShareRoundedToZero(part_.grid->scale);
    cause_.cause = Cause::kSmallValues;
    cause_.sentence = "small values matter to the " + std::string(reader.op_type) + " " +
                      Quoted(found_.baseline.node(reader.node).name) + " that reads it, and" +
                      StepText() + " " + verdict::ShortNumber(100 * share, 3) +
                      " % of them are rounded to 0";
    cause_.nodes = {part_.node};
    return true;
  }

  bool BeforeLog() {
    if (tensor_ == model::kNoTensor) return false;
    const auto log = LogFrontEnd(found_.baseline).LogBehind(tensor_);
    if (!log) return false;
    cause_.cause = Cause::kSmallValues;
    cause_.sentence = "a part of the front end before the Log " +
                      Quoted(found_.baseline.node(*log).name) +
                      ", to which small values matter as much as large ones; rounding" +
                      StepText() + " has the same error for both";
    cause_.nodes = {part_.node};
    return true;
  }

  // Returns the Concat that computes the tensor, also behind nodes that only move values; otherwise
  // null.
  const model::ModelNode* ConcatBefore() const {
    model::TensorId tensor = tensor_;
    while (tensor != model::kNoTensor) {
      const model::NodeId producer = found_.baseline.tensor(tensor).producer;
      if (producer == model::kNoNode) return nullptr;
      const model::ModelNode& node = found_.baseline.node(producer);
      if (node.op_type == "Concat") return &node;
      if (!PassesValues(node.op_type) || node.inputs.empty()) return nullptr;
      tensor = node.inputs[0];
    }
    return nullptr;
  }

  bool SharedScale() {
    const model::ModelNode* concat = ConcatBefore();
    if (concat == nullptr || row_ == nullptr || !row_->accumulated || !part_.grid) return false;
    // Compares the sizes of channels: branches with small values get few codes.
    double smallest = HUGE_VAL, largest = 0;
    const tensor::PairStatistics *small = nullptr, *large = nullptr;
    for (const tensor::PairStatistics& channel : row_->accumulated->channels) {
      if (channel.finite_count() == 0) continue;
      const double size = std::max(-channel.reference.min, channel.reference.max);
      if (size > 0 && size < smallest) smallest = size, small = &channel;
      if (size > largest) largest = size, large = &channel;
    }
    if (small == nullptr || largest < kMuchLarger * smallest) return false;
    const auto index = [&](const tensor::PairStatistics* channel) {
      return std::to_string(channel - row_->accumulated->channels.data());
    };
    cause_.cause = Cause::kSharedScale;
    cause_.sentence =
        "one scale for branches of very different size, joined by " + Quoted(concat->name) +
        ": channel " + index(large) + " is " +
        SpanText(large->reference.min, large->reference.max) + " and needs steps of " +
        verdict::ShortNumber(part_.grid->scale, 3) + "; channel " + index(small) + " is " +
        SpanText(small->reference.min, small->reference.max) + " and keeps at most " +
        verdict::ShortNumber(
            2 + std::floor((small->reference.max - small->reference.min) / part_.grid->scale), 3) +
        " codes";
    return true;
  }

  bool OneSided() {
    if (values_ == nullptr || !part_.grid || !CodeScheme::Of(*part_.grid).is_symmetric) {
      return false;
    }
    const CodeRange range = values_->Range();
    const double small = std::min(-range.low, range.high), large = std::max(-range.low, range.high);
    if (small > large / kMuchLarger) return false;
    cause_.cause = Cause::kOneSided;
    cause_.sentence = "symmetric codes for values of one sign (" + SpanText(range.low, range.high) +
                      "): half of the codes are never used";
    return true;
  }

  bool IsResidualOrNorm() const {
    if (tensor_ == model::kNoTensor) return false;
    const model::NodeId producer = found_.baseline.tensor(tensor_).producer;
    if (producer == model::kNoNode) return false;
    const std::string_view op_type = found_.baseline.node(producer).op_type;
    if (op_type.find("LayerNormalization") != std::string_view::npos || op_type == "Add") {
      return true;
    }
    return std::ranges::any_of(SplitOperators(found_.baseline).all(),
                               [&](const SplitOperator& each) { return each.last == producer; });
  }

  bool LargeChannels() {
    const auto& comparison = row_ == nullptr ? std::nullopt : row_->accumulated;
    if (!comparison || comparison->channels.size() < 4) return false;
    std::vector<std::pair<double, std::size_t>> sizes;
    for (std::size_t c = 0; c < comparison->channels.size(); ++c) {
      const tensor::TensorStatistics& values = comparison->channels[c].reference;
      if (values.finite_count() > 0) sizes.emplace_back(std::max(-values.min, values.max), c);
    }
    if (sizes.size() < 4) return false;
    std::ranges::sort(sizes, std::greater<>());
    const double usual = sizes[sizes.size() / 2].first;
    if (!(sizes[0].first >= kMuchLarger * usual)) return false;
    std::string names;
    for (const auto& [size, channel] : sizes) {
      if (size < kMuchLarger * usual || cause_.channels.size() == 8) break;
      cause_.channels.push_back(channel);
      if (cause_.channels.size() <= 4) {
        names += (names.empty() ? "" : ", ") + std::to_string(channel) + " (" +
                 verdict::ShortNumber(size, 3) + ")";
      }
    }
    if (cause_.channels.size() > 4) names += ", …";
    const bool is_one = cause_.channels.size() == 1;
    cause_.cause = IsResidualOrNorm() ? Cause::kOutlierChannels : Cause::kChannelSpread;
    cause_.sentence =
        "outlier channels stretch the range: channel" + std::string(is_one ? " " : "s ") + names +
        (is_one ? " is" : " are") + " up to " + verdict::ShortNumber(sizes[0].first / usual, 3) +
        " times as large as the usual channel (" + verdict::ShortNumber(usual, 3) + ")" +
        (part_.grid
             ? ", which has " + verdict::ShortNumber(2 * usual / part_.grid->scale, 2) + " codes"
             : "");
    return true;
  }

  // Takes the cause from the diagnosis of the layer itself.
  bool Local() {
    if (row_ == nullptr || row_->diagnosis.cause == Cause::kNone ||
        row_->diagnosis.part != Part::kOutput) {
      return false;
    }
    cause_.cause = row_->diagnosis.cause;
    cause_.sentence = row_->diagnosis.explanation;
    return true;
  }

  const BlameCase& found_;
  const SwitchedPart& part_;
  const LayerComparison* row_;
  const ValueBins* values_;
  model::TensorId tensor_;
  PartCause cause_;
};

PartCause FindWeightCause(const BlameCase& found, const SwitchedPart& part) {
  const LayerComparison* row = found.RowOf(part);
  PartCause cause{.cause = Cause::kTooFewBits, .part = Part::kWeight};
  if (row != nullptr && row->diagnosis.cause != Cause::kNone &&
      row->diagnosis.part != Part::kOutput) {
    cause.cause = row->diagnosis.cause;
    cause.part = row->diagnosis.part;
    cause.sentence = row->diagnosis.explanation;
  }
  if (part.weights == nullptr && cause.cause == Cause::kNotFinite) {
    const Reader softmax =
        ReaderFinder(found.variant)
            .Find(part.tensor, [](const model::ModelNode& node, model::TensorId) {
              return node.op_type == "Softmax";
            });
    if (softmax.node != model::kNoNode) {
      cause.cause = Cause::kMask;
      cause.part = Part::kOutput;  // Rounded like the sum it is added to.
      cause.sentence = "the mask of the Softmax " + Quoted(found.variant.node(softmax.node).name) +
                       " is infinite, so its scale is not finite, and the scores that it is added "
                       "to are lost; use a finite mask, 30 below the scores";
      return cause;
    }
  }
  if (cause.part == Part::kBias) {
    const auto overflow =
        std::ranges::find_if(found.comparison.lint, [&](const LintFinding& finding) {
          return finding.rule == LintRule::kBiasOverflow && finding.node == VariantNodeOf(*row);
        });
    if (overflow != found.comparison.lint.end()) {
      cause.cause = Cause::kBiasOverflow;
      cause.sentence = overflow->explanation;
    }
    return cause;
  }
  const bool has_one_scale = part.layer && found.layers[*part.layer].has_one_scale;
  const model::ModelQuantization* how = QuantizationOf(found.variant, part.tensor);
  const bool is_rounding = cause.cause == Cause::kTooFewBits || cause.cause == Cause::kOutliers ||
                           cause.cause == Cause::kChannelSpread;
  if (row != nullptr && row->bits < 8 && is_rounding && !has_one_scale) {
    const std::size_t block = how == nullptr ? 0 : how->group_size;
    constexpr std::size_t kUsualBlock = 32;
    const bool has_blocks = HasWeightBlocks(found, part);
    cause.cause = has_blocks && (block == 0 || block > kUsualBlock) ? Cause::kLargeBlocks
                                                                    : Cause::kTooFewBits;
    cause.sentence = std::to_string(row->bits) + "-bit weights with one scale for " +
                     (block > 0 ? "each " + std::to_string(block) + " of them"
                                : std::string("a whole channel")) +
                     ": their SQNR is " + verdict::ShortNumber(row->weight->total.SqnrDb(), 3) +
                     " dB";
    return cause;
  }
  if (!cause.sentence.empty()) return cause;
  const std::string sqnr =
      row != nullptr && row->weight
          ? ": their SQNR is " + verdict::ShortNumber(row->weight->total.SqnrDb(), 3) + " dB" +
                (row->weight->worst_channel
                     ? ", that of channel " + std::to_string(*row->weight->worst_channel) + " " +
                           verdict::ShortNumber(
                               row->weight->channels[*row->weight->worst_channel].SqnrDb(), 3) +
                           " dB"
                     : "")
          : "";
  if (has_one_scale) {
    cause.cause = Cause::kChannelSpread;
    cause.sentence = "one scale for all channels of the weights" + sqnr;
  } else if (row != nullptr && row->bits < 8) {
    cause.sentence = std::to_string(row->bits) + " bits are too few for these weights" + sqnr;
  } else {
    cause.sentence = "rounding its weights is too coarse for what the network makes of them" + sqnr;
  }
  return cause;
}

}  // namespace

bool HasWeightBlocks(const BlameCase& found, const SwitchedPart& part) {
  if (part.node == model::kNoNode) return false;
  const model::ModelQuantization* how = QuantizationOf(found.variant, part.tensor);
  return (how != nullptr && how->group_size > 0) ||
         found.variant.node(part.node).op_type == "MatMulNBits";
}

const LayerComparison* BlameCase::RowOf(const SwitchedPart& part) const {
  return part.layer ? &comparison.layers[*part.layer] : nullptr;
}

const ValueBins* BlameCase::ValuesOf(const SwitchedPart& part) const {
  return part.layer && part.part == Part::kOutput ? layers[*part.layer].values.get() : nullptr;
}

model::TensorId BlameCase::BaselineTensorOf(const SwitchedPart& part) const {
  if (part.layer && layers[*part.layer].output) {
    return baseline.FindTensor(layers[*part.layer].output->baseline);
  }
  return baseline.FindTensor(variant.tensor(part.tensor).name);
}

std::optional<double> StepRatio(const BlameCase& found, const SwitchedPart& part) {
  const ValueBins* values = found.ValuesOf(part);
  if (values == nullptr || !part.grid) return std::nullopt;
  if (!(part.grid->scale > 0) || !std::isfinite(part.grid->scale)) return std::nullopt;
  const CodeRange range = values->Range();
  if (!(range.high > range.low)) return std::nullopt;
  // If all values have one sign, a signed type may leave half of its codes unused.
  const tensor::QuantizationGrid ideal = GridFor(range, CodeScheme::Of(*part.grid));
  return ideal.scale > 0 ? std::optional(part.grid->scale / ideal.scale) : std::nullopt;
}

PartCause FindCause(const BlameCase& found, const SwitchedPart& part) {
  if (part.part == Part::kOutput) return OutputCauses(found, part).Find();
  return FindWeightCause(found, part);
}

}  // namespace cboard::compare
