#include "compare/blame/fix_trials.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "cboard/compare/keep_float.h"
#include "cboard/verdict/number_text.h"
#include "compare/blame/equalization_trial.h"
#include "compare/blame/trial_values.h"
#include "compare/fixes/float_nodes.h"
#include "compare/layers/node_bodies.h"
#include "compare/layers/quantizers.h"

namespace cboard::compare {
namespace {

// A fix counts as good as the best one if its remaining error is at most this many times the lowest
// remaining error.
constexpr double kAsGood = 2;
// Maximum share of the error that may remain after a useful fix. The second limit applies if the
// fix improves the level.
constexpr double kHelps = 0.8, kHelpsALittle = 0.95;

class FixFinder {
 public:
  FixFinder(const BlameCase& found, const SwitchBoard& board, const RootCause& cause)
      : found_(found), board_(board), cause_(cause) {}

  std::vector<TriedFix> Run() {
    if (!found_.comparison.is_generated) AddRanges();  // Ranges of random data are no advice.
    AddPerChannel();
    AddBlocks();
    AddEqualization();
    AddMoreBits();
    AddProductsOnly();
    AddFloat();
    return std::move(fixes_);
  }

 private:
  const SwitchedPart& PartAt(std::size_t i) const { return found_.parts[i]; }

  template <typename Choose>
  void AddOutputs(TriedFix fix, const Choose& choose) {
    std::vector<ActivationOverride> overrides;
    const bool is_random = found_.comparison.is_generated;
    for (const std::size_t i : cause_.parts) {
      const SwitchedPart& part = PartAt(i);
      const ValueBins* values = found_.ValuesOf(part);
      if (part.part != Part::kOutput || values == nullptr || !part.grid) continue;
      const std::optional<std::pair<CodeRange, CodeScheme>> chosen = choose(part, *values);
      if (!chosen) continue;
      auto grid = TrialGridFor(chosen->first, chosen->second);
      if (grid == nullptr) continue;
      fix.changes.emplace_back(i, ByTrial(std::move(grid)));
      const model::TensorId tensor = found_.BaselineTensorOf(part);
      const int bits = chosen->second.code_max - chosen->second.code_min > 255 ? 16 : 8;
      if (tensor != model::kNoTensor) {
        overrides.push_back(
            {.tensor = found_.baseline.tensor(tensor).name,
             .bits = bits,
             .is_signed = chosen->second.code_min < 0,
             .is_symmetric = chosen->second.is_symmetric,
             .range = is_random ? std::nullopt
                                : std::optional(std::pair(chosen->first.low, chosen->first.high))});
      }
      if (fix.action.ends_with(" to ")) {
        fix.action += verdict::ShortNumber(chosen->first.low, 4) + " … " +
                      verdict::ShortNumber(chosen->first.high, 4);
      }
    }
    if (fix.changes.empty()) return;
    if (fix.setting.empty()) fix.setting = OverridesSnippet(overrides);
    fixes_.push_back(std::move(fix));
  }

  void AddRanges() {
    using Chosen = std::optional<std::pair<CodeRange, CodeScheme>>;
    if (cause_.why.range) {
      AddOutputs(
          {.action = cause_.why.cause == Cause::kMask
                         ? "clip the range at " + verdict::ShortNumber(cause_.why.range->low, 3) +
                               ", or use this mask in the float model"
                         : "calibrate the range again, to ",
           .price = "none at run time"},
          [&](const SwitchedPart& part, const ValueBins&) -> Chosen {
            return std::pair(*cause_.why.range, CodeScheme::Of(*part.grid));
          });
      return;
    }
    AddOutputs({.action = "", .price = "none at run time"},
               [&](const SwitchedPart& part, const ValueBins& values) -> Chosen {
                 const auto ratio = StepRatio(found_, part);
                 if (!ratio || (*ratio < 1.1 && *ratio > 0.9)) return std::nullopt;
                 return std::pair(values.Range(), CodeScheme::Of(*part.grid));
               });
    NameRangeFix("calibrate the range again");
    AddOutputs({.action = "", .price = "none at run time"},
               [&](const SwitchedPart& part, const ValueBins& values) -> Chosen {
                 const CodeScheme scheme = CodeScheme::Of(*part.grid);
                 return std::pair(BestRange(values, scheme), scheme);
               });
    NameRangeFix("clip the range at the smallest error");
    if (cause_.why.cause != Cause::kOneSided) return;
    AddOutputs({.action = "codes with a zero point",
                .price = "none at run time",
                .setting = "quantize_static(model_input, model_output, calibration_data_reader,\n"
                           "                activation_type=QuantType.QUInt8,\n"
                           "                extra_options={'ActivationSymmetric': False})\n"},
               [&](const SwitchedPart& part, const ValueBins& values) -> Chosen {
                 CodeScheme scheme = CodeScheme::Of(*part.grid);
                 scheme.is_symmetric = false;
                 return std::pair(values.Range(), scheme);
               });
  }

  // Names the last fix by its range; says "widen" only if the new range is wider.
  void NameRangeFix(const std::string& fallback) {
    if (fixes_.empty() || !fixes_.back().action.empty()) return;
    TriedFix& fix = fixes_.back();
    const auto& [part, setting] = fix.changes[0];
    const double scale = setting.grid->scales[0];
    const double now = PartAt(part).grid->scale;
    const std::string verb = scale > 1.05 * now ? "widen" : scale < now / 1.05 ? "narrow" : "";
    const std::string range = verdict::ShortNumber(setting.grid->low * scale, 3) + " … " +
                              verdict::ShortNumber(setting.grid->high * scale, 3);
    if (verb.empty()) {
      fix.action = fallback;
    } else if (fix.changes.size() == 1) {
      fix.action = verb + " the range to " + range;
    } else {
      fix.action = verb + " the ranges of " + std::to_string(fix.changes.size()) + " outputs, " +
                   Quoted(PartAt(part).name, 60) + " to " + range;
    }
  }

  // Returns true for weights that always have one scale (per direction of an LSTM): ONNX Runtime's
  // dynamic quantization ignores per_channel for their operators.
  bool HasAlwaysOneScale(const SwitchedPart& part) const {
    const std::string_view op_type = found_.variant.node(part.node).op_type;
    return op_type == "ConvInteger" || op_type == "DynamicQuantizeLSTM";
  }

  void AddWeights(TriedFix fix, const std::vector<std::size_t>& parts, int bits,
                  std::size_t block) {
    for (const std::size_t i : parts) {
      const WeightRows* rows = board_.RowsOf(i);
      const LayerComparison* row = found_.RowOf(PartAt(i));
      if (rows == nullptr || row == nullptr || rows->row == 0) continue;
      const int own = bits == 0 ? row->bits : bits;
      if (own > 16) continue;
      const bool is_symmetric = own >= 8;
      fix.changes.emplace_back(
          i,
          Setting{.state = PartState::kTrial,
                  .grid = nullptr,
                  .values = Requantized(*rows, own, block == 0 ? rows->row : block, is_symmetric)});
    }
    if (!fix.changes.empty()) fixes_.push_back(std::move(fix));
  }

  // Adds a fix for the whole file: per-channel scales for all weights that now have one scale.
  void AddPerChannel() {
    std::vector<std::size_t> parts;
    const bool is_about_weights = std::ranges::any_of(
        cause_.parts, [&](std::size_t i) { return PartAt(i).part == Part::kWeight; });
    if (!is_about_weights) return;
    bool has_cause = false;
    for (std::size_t i = 0; i < found_.parts.size(); ++i) {
      const SwitchedPart& part = found_.parts[i];
      if (part.part != Part::kWeight || !part.layer || HasAlwaysOneScale(part)) continue;
      if (!found_.layers[*part.layer].has_one_scale) continue;
      parts.push_back(i);
      has_cause = has_cause || std::ranges::find(cause_.parts, i) != cause_.parts.end();
    }
    if (has_cause) {
      const bool is_dynamic = found_.comparison.scheme == QuantizationScheme::kDynamic;
      AddWeights(
          {.action = "one scale per output channel (per_channel=True)",
           .price = "none at run time",
           .setting = is_dynamic ? "quantize_dynamic(model_input, model_output, per_channel=True)\n"
                                 : "quantize_static(model_input, model_output, "
                                   "calibration_data_reader, per_channel=True)\n"},
          parts, 0, 0);
    }
    if (cause_.why.part == Part::kBias && cause_.why.cause != Cause::kBiasOverflow) {
      TriedFix fix{.action = "quantize the bias again from the baseline",
                   .price = "none at run time"};
      for (const std::size_t i : cause_.parts) {
        if (board_.HasBias(i)) {
          fix.changes.emplace_back(i, Setting{PartState::kFloatBias, nullptr, nullptr});
        }
      }
      if (!fix.changes.empty()) fixes_.push_back(std::move(fix));
    }
    // A fix for weights with a wrong scale, with dead, changed or permuted channels, or with
    // non-finite values: quantizes the baseline's weights again with the scale of the file.
    const Cause why = cause_.why.cause;
    if (why == Cause::kWrongScale || why == Cause::kDeadChannel || why == Cause::kChanged ||
        why == Cause::kPermutedChannels || why == Cause::kNotFinite) {
      AddWeights(
          {.action = "quantize these weights again from the baseline", .price = "none at run time"},
          cause_.parts, 0, 0);
    }
  }

  // Adds a fix for the whole file: one scale per block of 32 weights, for all weights with fewer
  // than 8 bits.
  void AddBlocks() {
    const auto is_low = [&](std::size_t i) {
      const LayerComparison* row = found_.RowOf(PartAt(i));
      return PartAt(i).part == Part::kWeight && row != nullptr && row->bits < 8;
    };
    if (std::ranges::none_of(cause_.parts, is_low)) return;
    std::vector<std::size_t> parts;
    for (std::size_t i = 0; i < found_.parts.size(); ++i) {
      if (is_low(i)) parts.push_back(i);
    }
    const int bits = found_.RowOf(PartAt(parts[0]))->bits;
    if (std::ranges::none_of(cause_.parts, [&](std::size_t i) {
          return is_low(i) && HasWeightBlocks(found_, PartAt(i));
        })) {
      AddEightBits(parts);
      return;
    }
    const auto setting = [](int with_bits) {
      return "MatMulNBitsQuantizer(model_input, bits=" + std::to_string(with_bits) +
             ", block_size=32)\n";
    };
    AddWeights({.action = "blocks of 32 weights",
                .price = "a scale for each 32 weights",
                .setting = setting(bits),
                .price_rank = 1},
               parts, 0, 32);
    if (bits < 4) {
      AddWeights({.action = "4 bits in blocks of 32 weights",
                  .price = "4 bits for all weights",
                  .setting = setting(4),
                  .price_rank = 2},
                 parts, 4, 32);
    }
    AddWeights({.action = "8 bits in blocks of 32 weights",
                .price = "8 bits for all weights",
                .setting = setting(8),
                .price_rank = 3},
               parts, 8, 32);
  }

  // Adds a fix for files whose weights have one scale per channel or tensor: 8 bits for all weights
  // with fewer bits.
  void AddEightBits(const std::vector<std::size_t>& parts) {
    if (found_.comparison.scheme == QuantizationScheme::kDynamic) return;
    AddWeights({.action = "8 bits for the weights, one scale per output channel",
                .price = "8 bits for all weights",
                .setting = "quantize_static(model_input, model_output, calibration_data_reader, "
                           "per_channel=True,\n                weight_type=QuantType.QInt8)\n",
                .price_rank = 3},
               parts, 8, 0);
  }

  void AddEqualization() {
    if (auto fix = EqualizationTrial(found_, board_, cause_)) fixes_.push_back(*std::move(fix));
  }

  // Counts quantized activations that do not have this cause.
  std::size_t CountOtherOutputs() const {
    return static_cast<std::size_t>(std::ranges::count_if(found_.parts, [&](const auto& part) {
      const auto i = static_cast<std::size_t>(&part - found_.parts.data());
      return part.part == Part::kOutput && std::ranges::find(cause_.parts, i) == cause_.parts.end();
    }));
  }

  void AddMoreBits() {
    // If nearly all activations have the cause, one setting for the whole file is shorter than a
    // list of tensors.
    constexpr std::size_t kManyOutputs = 4;
    const bool is_whole_file =
        cause_.parts.size() >= kManyOutputs && CountOtherOutputs() * 4 < cause_.parts.size();
    const auto& grid = PartAt(cause_.parts[0]).grid;
    const bool is_signed = grid && grid->code_min < 0;
    AddOutputs(
        {.action = cause_.parts.size() == 1
                       ? "16 bits for this output"
                       : "16 bits for these " + std::to_string(cause_.parts.size()) + " outputs",
         .price = "16-bit activations, which not every kernel supports",
         .setting = is_whole_file
                        ? "quantize_static(model_input, model_output, calibration_data_reader,\n"
                          "                activation_type=QuantType.Q" +
                              std::string(is_signed ? "Int16)\n" : "UInt16)\n")
                        : std::string(),
         .price_rank = 3},
        [&](const SwitchedPart& part,
            const ValueBins& values) -> std::optional<std::pair<CodeRange, CodeScheme>> {
          const CodeRange range = cause_.why.range ? *cause_.why.range : values.Range();
          return std::pair(range, InSixteenBits(CodeScheme::Of(*part.grid)));
        });
  }

  static bool IsProduct(std::string_view op_type) {
    return op_type == "Conv" || op_type == "ConvTranspose" || op_type == "Gemm" ||
           op_type == "MatMul";
  }

  // Returns true if a tensor is an input or the output of a product with weights; quantizers in
  // between are skipped.
  bool IsAtProduct(const SwitchedPart& part) const {
    if (part.node != model::kNoNode && IsProduct(found_.variant.node(part.node).op_type)) {
      return true;
    }
    std::vector<model::TensorId> rest = {part.tensor};
    while (!rest.empty()) {
      const model::TensorId tensor = rest.back();
      rest.pop_back();
      if (tensor == model::kNoTensor) continue;
      for (const model::NodeId id : found_.variant.consumers(tensor)) {
        const model::ModelNode& node = found_.variant.node(id);
        if (IsProduct(node.op_type)) return true;
        if (IsQuantizer(node) || IsDequantizer(node)) {
          rest.insert(rest.end(), node.outputs.begin(), node.outputs.end());
        }
      }
    }
    return false;
  }

  // Adds a fix for the whole file: if the errors of many operators add up, only convolutions and
  // matrix products stay quantized. They take most of the time.
  void AddProductsOnly() {
    if (!cause_.is_everywhere || cause_.why.cause != Cause::kManySmallErrors) return;
    if (found_.comparison.scheme == QuantizationScheme::kDynamic) return;
    TriedFix fix{.action = {}, .price = {}, .setting = {}, .price_rank = 2};
    for (std::size_t i = 0; i < found_.parts.size(); ++i) {
      if (IsAtProduct(PartAt(i))) continue;
      fix.changes.emplace_back(i, Setting{.state = PartState::kFloat, .grid = {}, .values = {}});
    }
    std::set<std::string_view> operators;
    for (const model::ModelNode& node : found_.baseline.nodes()) {
      if (IsProduct(node.op_type)) operators.insert(node.op_type);
    }
    if (fix.changes.empty() || operators.empty()) return;
    std::string names, list;
    for (const std::string_view name : operators) {
      names += (names.empty() ? "" : ", ") + std::string(name);
      list += (list.empty() ? "'" : ", '") + std::string(name) + "'";
    }
    fix.action = "quantize only " + names;
    fix.price = "other operators in float32";
    fix.setting =
        "quantize_static(model_input, model_output, calibration_data_reader,\n"
        "                op_types_to_quantize=[" +
        list + "])\n";
    fixes_.push_back(std::move(fix));
  }

  // Sorts nodes of the baseline, so that a long list starts with the first one to be run.
  void SortByExecution(std::vector<std::string>& names) const {
    std::unordered_map<std::string_view, std::size_t> order;
    for (std::size_t i = 0; i < found_.baseline.nodes().size(); ++i) {
      order.try_emplace(NameInFile(found_.baseline, found_.baseline.nodes()[i]), i);
    }
    std::ranges::stable_sort(names, {}, [&](const std::string& name) {
      const auto found = order.find(name);
      return found == order.end() ? order.size() : found->second;
    });
  }

  void AddFloat() {
    TriedFix fix{.action = {}, .price = {}, .setting = {}, .price_rank = 4};
    std::set<std::string> seen;
    const auto add = [&](std::string name) {
      if (seen.insert(name).second) fix.float_nodes.push_back(std::move(name));
    };
    std::uint64_t bytes = 0;
    for (const std::size_t i : cause_.parts) {
      const SwitchedPart& part = PartAt(i);
      fix.changes.emplace_back(i, Setting{.state = PartState::kFloat, .grid = {}, .values = {}});
      const LayerComparison* row = found_.RowOf(part);
      if (part.part == Part::kWeight) {
        if (part.node != model::kNoNode) {
          add(row != nullptr && !row->node.empty()
                  ? row->node
                  : std::string(NameInFile(found_.variant, found_.variant.node(part.node))));
        }
        if (row != nullptr && row->weight) bytes += 3 * row->weight->total.count;
        continue;
      }
      LayerComparison layer;
      layer.name = part.name;
      layer.op_type = row != nullptr ? row->op_type : "";
      layer.weights_name = row != nullptr ? row->weights_name : "";
      if (part.node == model::kNoNode) layer.op_type = "Input";
      layer.diagnosis.level = Level::kRed;
      AddFloatNodes(found_.baseline, found_.BaselineTensorOf(part), true, layer);
      for (std::string& name : layer.float_nodes) add(std::move(name));
    }
    for (const model::NodeId node : cause_.why.nodes) {
      if (node != model::kNoNode)
        add(std::string(NameInFile(found_.variant, found_.variant.node(node))));
    }
    const std::size_t count = fix.float_nodes.size();
    constexpr std::size_t kFewNodes = 3;
    if (count > kFewNodes) SortByExecution(fix.float_nodes);
    if (count <= kFewNodes && bytes == 0) fix.price_rank = 2;  // Less than 16 bits.
    const bool is_float = std::ranges::all_of(cause_.parts, [&](std::size_t i) {
      const LayerComparison* row = found_.RowOf(PartAt(i));
      return PartAt(i).part == Part::kWeight && row != nullptr && row->bits >= 32;
    });
    if (is_float) {  // Pruned or damaged, but not quantized: no setting of a quantizer helps.
      fix.action =
          (cause_.why.cause == Cause::kPruned ? "leave the weights of " : "take the weights of ") +
          (count == 1 ? Quoted(fix.float_nodes[0], 60)
                      : std::to_string(count) + " nodes, from " +
                            Quoted(count == 0 ? "" : fix.float_nodes[0], 60) + " on,") +
          (cause_.why.cause == Cause::kPruned ? " unpruned" : " from the baseline");
      fix.price = cause_.why.cause == Cause::kPruned ? "fewer zeros" : "none at run time";
      fixes_.push_back(std::move(fix));
      return;
    }
    if (cause_.why.cause == Cause::kSplitOperator) {
      fix.action = "keep the pieces in float32, or export them as one operator (opset 17 or later)";
    } else {
      fix.action = "keep " +
                   (count == 1 ? Quoted(fix.float_nodes[0], 60)
                               : std::to_string(count) + " nodes from " +
                                     Quoted(count == 0 ? "" : fix.float_nodes[0], 60)) +
                   (count == 1 ? " in float32" : " on in float32");
    }
    fix.price = std::to_string(count) + (count == 1 ? " node" : " nodes") + " in float32" +
                (bytes > 0 ? ", " + HumanBytes(static_cast<double>(bytes)) + " more" : "");
    fix.setting =
        KeepFloatSnippet(fix.float_nodes, Toolchain::kOnnxRuntime, found_.comparison.scheme);
    fixes_.push_back(std::move(fix));
  }

  const BlameCase& found_;
  const SwitchBoard& board_;
  const RootCause& cause_;
  std::vector<TriedFix> fixes_;
};

}  // namespace

std::vector<TriedFix> FixesFor(const BlameCase& found, const SwitchBoard& board,
                               const RootCause& cause) {
  return FixFinder(found, board, cause).Run();
}

TriedFix Recalibration(const BlameCase& found, const SwitchBoard& board) {
  TriedFix fix{.action = "calibrate again, with data like these (MinMax)",
               .price = "none at run time",
               .setting =
                   "quantize_static(model_input, model_output, reader_of_such_data,\n"
                   "                calibrate_method=CalibrationMethod.MinMax)\n",
               .price_rank = -1};  // Calibration is the direct fix of this cause.
  for (std::size_t i = 0; i < found.parts.size(); ++i) {
    const SwitchedPart& part = found.parts[i];
    if (part.part == Part::kWeight && board.HasBias(i)) {
      fix.changes.emplace_back(i, Setting{PartState::kFloatBias, nullptr, nullptr});
      continue;
    }
    const ValueBins* values = found.ValuesOf(part);
    if (part.part != Part::kOutput || part.dynamic != model::kNoNode) continue;
    if (values == nullptr || !part.grid) {  // The range after calibration is unknown.
      fix.changes.emplace_back(i, Setting{PartState::kFloat, nullptr, nullptr});
      continue;
    }
    const auto ratio = StepRatio(found, part);
    if (ratio && *ratio > 0.95 && *ratio < 1.05) continue;  // The range fits already.
    if (auto grid = TrialGridFor(values->Range(), CodeScheme::Of(*part.grid))) {
      fix.changes.emplace_back(i, ByTrial(std::move(grid)));
    }
  }
  return fix;
}

void MeasureFixes(BlameRuns& runs, const Settings& base, const EndState& before,
                  std::vector<TriedFix>& fixes) {
  std::vector<TriedFix> measured;
  for (TriedFix& fix : fixes) {
    Settings settings = base;
    for (const auto& [part, setting] : fix.changes) settings[part] = setting;
    auto state = runs.Measure(settings);
    if (!state) {
      fix.is_tried = false;
      continue;
    }
    fix.after = *std::move(state);
    // If only the level is better and the error is not lower, the improvement is chance, for
    // example one more equal decision. Therefore the error must also decrease.
    const bool is_level_better = fix.after.verdict.level < before.verdict.level;
    // Calibration is kept as the fix of a calibration error, even if other causes hide its gain.
    const bool is_asked_for = fix.price_rank < 0;
    const double most = is_asked_for ? 1 : is_level_better ? kHelpsALittle : kHelps;
    if (fix.after.cost > most * before.cost) continue;
    const bool is_known =
        std::ranges::find(measured, fix.action, &TriedFix::action) != measured.end();
    if (!is_known) measured.push_back(std::move(fix));
  }
  if (measured.empty() && !fixes.empty()) {
    // The time limit was reached before any fix was measured. Names calibration if it is a possible
    // fix, otherwise float32: keeping the parts in float32 always works if the cause is right.
    TriedFix& certain = fixes[0].price_rank < 0 ? fixes.front() : fixes.back();
    if (!certain.is_tried) {
      certain.after = before;
      measured.push_back(std::move(certain));
    }
  }
  double best = kMaxCost;
  VerdictLevel level = VerdictLevel::kBroken;
  for (const TriedFix& fix : measured) {
    best = std::min(best, fix.after.cost);
    level = std::min(level, fix.after.verdict.level);
  }
  std::ranges::stable_sort(measured, {}, [&](const TriedFix& fix) {
    // Calibration is recommended for a calibration error, even if other problems remain.
    const bool is_asked_for = fix.price_rank < 0;
    const bool is_good =
        is_asked_for || (fix.after.verdict.level <= level &&
                         (level <= VerdictLevel::kSound || fix.after.cost <= kAsGood * best));
    return std::tuple(!is_good, is_good ? fix.price_rank : 0, is_good ? 0 : fix.after.cost);
  });
  fixes = std::move(measured);
}

}  // namespace cboard::compare
