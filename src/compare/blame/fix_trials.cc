#include "compare/blame/fix_trials.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "cboard/base/strings.h"
#include "cboard/compare/keep_float.h"
#include "cboard/verdict/number_text.h"
#include "compare/fixes/float_nodes.h"
#include "compare/layers/node_bodies.h"

namespace cboard::compare {
namespace {

// Fixes whose error is at most this factor above the best one count as equally good.
constexpr double kAsGood = 2;
// A fix has to take a fifth of the error away to be worth naming.
constexpr double kHelps = 0.8, kHelpsALittle = 0.95;

std::shared_ptr<const TrialGrid> TrialGridFor(CodeRange range, const CodeScheme& scheme) {
  const tensor::QuantizationGrid grid = GridFor(range, scheme);
  if (!(grid.scale > 0) || !std::isfinite(grid.scale)) return nullptr;
  TrialGrid trial;
  trial.scales = {static_cast<float>(grid.scale)};
  trial.low = static_cast<float>(grid.code_min - grid.zero_point);
  trial.high = static_cast<float>(grid.code_max - grid.zero_point);
  return std::make_shared<const TrialGrid>(std::move(trial));
}

Setting ByTrial(std::shared_ptr<const TrialGrid> grid) {
  return {.state = PartState::kTrial, .grid = std::move(grid), .values = nullptr};
}

CodeScheme InSixteenBits(const CodeScheme& scheme) {
  const bool is_signed = scheme.code_min < 0;
  return {.code_min = is_signed ? -32768 : 0,
          .code_max = is_signed ? 32767 : 65535,
          .is_symmetric = scheme.is_symmetric};
}

// Rounds weights again, with a scale for each `block` elements of a channel.
std::shared_ptr<const std::vector<float>> Requantized(const WeightRows& rows, int bits,
                                                      std::size_t block, bool is_symmetric) {
  auto values = std::make_shared<std::vector<float>>(rows.values);
  const double codes = std::pow(2, bits) - 1, half = std::floor(codes / 2);
  for (std::size_t first = 0; first < values->size(); first += rows.row) {
    for (std::size_t at = 0; at < rows.row; at += block) {
      const std::size_t end = first + std::min(rows.row, at + block);
      float low = 0, high = 0;
      for (std::size_t i = first + at; i < end; ++i) {
        low = std::min(low, (*values)[i]);
        high = std::max(high, (*values)[i]);
      }
      const double scale =
          is_symmetric ? std::max(-low, high) / half : (double{high} - double{low}) / codes;
      if (!(scale > 0)) continue;
      const double zero = is_symmetric ? 0 : std::nearbyint(-low / scale);
      for (std::size_t i = first + at; i < end; ++i) {
        const double code = std::nearbyint((*values)[i] / scale) + zero;
        const double kept =
            is_symmetric ? std::clamp(code, -half, half) : std::clamp(code, 0.0, codes);
        (*values)[i] = static_cast<float>((kept - zero) * scale);
      }
    }
  }
  return values;
}

class FixFinder {
 public:
  FixFinder(const BlameCase& found, const SwitchBoard& board, const RootCause& cause)
      : found_(found), board_(board), cause_(cause) {}

  std::vector<TriedFix> Run() {
    AddRanges();
    AddPerChannel();
    AddBlocks();
    AddEqualization();
    AddMoreBits();
    AddFloat();
    return std::move(fixes_);
  }

 private:
  const SwitchedPart& PartAt(std::size_t i) const { return found_.parts[i]; }

  template <typename Choose>
  void AddOutputs(TriedFix fix, const Choose& choose) {
    std::vector<ActivationOverride> overrides;
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
        overrides.push_back({.tensor = found_.baseline.tensor(tensor).name,
                             .bits = bits,
                             .is_signed = chosen->second.code_min < 0,
                             .is_symmetric = chosen->second.is_symmetric,
                             .range = std::pair(chosen->first.low, chosen->first.high)});
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
                         ? "use a mask of " + verdict::ShortNumber(cause_.why.range->low, 3) +
                               " in the model, or clip the range there"
                         : "calibrate the range again, to ",
           .price = "no cost"},
          [&](const SwitchedPart& part, const ValueBins&) -> Chosen {
            return std::pair(*cause_.why.range, CodeScheme::Of(*part.grid));
          });
      return;
    }
    AddOutputs({.action = "", .price = "no cost"},
               [&](const SwitchedPart& part, const ValueBins& values) -> Chosen {
                 const auto ratio = StepRatio(found_, part);
                 if (!ratio || (*ratio < 1.1 && *ratio > 0.9)) return std::nullopt;
                 return std::pair(values.Range(), CodeScheme::Of(*part.grid));
               });
    NameRangeFix("calibrate the range again");
    AddOutputs({.action = "", .price = "no cost"},
               [&](const SwitchedPart& part, const ValueBins& values) -> Chosen {
                 const CodeScheme scheme = CodeScheme::Of(*part.grid);
                 return std::pair(BestRange(values, scheme), scheme);
               });
    NameRangeFix("clip the range at the smallest error");
    if (cause_.why.cause != Cause::kOneSided) return;
    AddOutputs({.action = "codes with a zero point",
                .price = "no cost",
                .setting = "quantize_static(model_input, model_output, calibration_data_reader,\n"
                           "                activation_type=QuantType.QUInt8,\n"
                           "                extra_options={'ActivationSymmetric': False})\n"},
               [&](const SwitchedPart& part, const ValueBins& values) -> Chosen {
                 CodeScheme scheme = CodeScheme::Of(*part.grid);
                 scheme.is_symmetric = false;
                 return std::pair(values.Range(), scheme);
               });
  }

  // Describes the range; says "widen" only if the range becomes wider.
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

  bool IsIntegerConv(const SwitchedPart& part) const {
    return found_.variant.node(part.node).op_type == "ConvInteger";
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

  // A setting of the whole file: every weight with one scale gets one scale per channel.
  void AddPerChannel() {
    std::vector<std::size_t> parts;
    const bool is_about_weights = std::ranges::any_of(
        cause_.parts, [&](std::size_t i) { return PartAt(i).part == Part::kWeight; });
    if (!is_about_weights) return;
    bool has_cause = false;
    for (std::size_t i = 0; i < found_.parts.size(); ++i) {
      const SwitchedPart& part = found_.parts[i];
      if (part.part != Part::kWeight || !part.layer || IsIntegerConv(part)) continue;
      if (!found_.layers[*part.layer].has_one_scale) continue;
      parts.push_back(i);
      has_cause = has_cause || std::ranges::find(cause_.parts, i) != cause_.parts.end();
    }
    if (has_cause) {
      const bool is_dynamic = found_.comparison.scheme == QuantizationScheme::kDynamic;
      AddWeights(
          {.action = "one scale per output channel (per_channel=True)",
           .price = "no cost in time",
           .setting = is_dynamic ? "quantize_dynamic(model_input, model_output, per_channel=True)\n"
                                 : "quantize_static(model_input, model_output, "
                                   "calibration_data_reader, per_channel=True)\n"},
          parts, 0, 0);
    }
    if (cause_.why.part == Part::kBias && cause_.why.cause != Cause::kBiasOverflow) {
      TriedFix fix{.action = "quantize the bias again from the baseline", .price = "no cost"};
      for (const std::size_t i : cause_.parts) {
        if (board_.HasBias(i)) {
          fix.changes.emplace_back(i, Setting{PartState::kFloatBias, nullptr, nullptr});
        }
      }
      if (!fix.changes.empty()) fixes_.push_back(std::move(fix));
    }
    // Weights that differ from the baseline's weights rounded with the same scale.
    const Cause why = cause_.why.cause;
    if (why == Cause::kWrongScale || why == Cause::kDeadChannel || why == Cause::kChanged ||
        why == Cause::kPermutedChannels || why == Cause::kNotFinite) {
      AddWeights({.action = "quantize these weights again from the baseline", .price = "no cost"},
                 cause_.parts, 0, 0);
    }
  }

  // Also a setting of the whole file: all weights of fewer than 8 bits.
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

  // SmoothQuant with equal shares: each channel of an activation gets the range that it needs, and
  // the weights behind it take the inverse factors.
  void AddEqualization() {
    if (cause_.why.channels.empty()) return;
    for (const std::size_t i : cause_.parts) {
      const SwitchedPart& part = PartAt(i);
      const LayerComparison* row = found_.RowOf(part);
      if (part.part != Part::kOutput || row == nullptr || !row->accumulated) continue;
      const auto& channels = row->accumulated->channels;
      std::vector<std::size_t> readers;
      if (!FindReaders(part, readers) || readers.empty()) continue;
      const double usual = MedianSize(channels);
      if (!(usual > 0)) continue;
      std::vector<double> factors;
      double largest = 0;
      for (const tensor::PairStatistics& channel : channels) {
        const double size = SizeOfChannel(channel);
        factors.push_back(std::sqrt(std::max(size, 0.01 * usual) / usual));
        largest = std::max(largest, size / factors.back());
      }
      TrialGrid grid{.scales = {}, .shape = {}, .low = -127, .high = 127};
      for (const double factor : factors) {
        grid.scales.push_back(static_cast<float>(largest / 127 * factor));
      }
      grid.shape = {static_cast<std::int64_t>(channels.size())};
      TriedFix fix{.action =
                       "move the size of the outlier channels into the weights behind them "
                       "(SmoothQuant)",
                   .price = "no cost in time; the model is rewritten before quantization",
                   .setting =
                       "quantize_static(model_input, model_output, "
                       "calibration_data_reader,\n"
                       "                extra_options={'SmoothQuant': True})  # needs "
                       "neural-compressor\n",
                   .price_rank = 5};
      fix.changes.emplace_back(i, ByTrial(std::make_shared<const TrialGrid>(std::move(grid))));
      bool fits = true;
      for (const std::size_t reader : readers) {
        const WeightRows* rows = board_.RowsOf(reader);
        if (rows == nullptr || rows->row != factors.size()) {
          fits = false;
          break;
        }
        WeightRows scaled = *rows;
        for (std::size_t k = 0; k < scaled.values.size(); ++k) {
          scaled.values[k] = static_cast<float>(scaled.values[k] * factors[k % rows->row]);
        }
        auto rounded = *Requantized(scaled, 8, rows->row, true);
        for (std::size_t k = 0; k < rounded.size(); ++k) {
          rounded[k] = static_cast<float>(rounded[k] / factors[k % rows->row]);
        }
        fix.changes.emplace_back(
            reader,
            Setting{.state = PartState::kTrial,
                    .grid = nullptr,
                    .values = std::make_shared<const std::vector<float>>(std::move(rounded))});
      }
      if (fits) fixes_.push_back(std::move(fix));
      return;  // One trial is enough to tell.
    }
  }

  static double SizeOfChannel(const tensor::PairStatistics& channel) {
    return channel.finite_count() == 0 ? 0
                                       : std::max(-channel.reference.min, channel.reference.max);
  }

  static double MedianSize(const std::vector<tensor::PairStatistics>& channels) {
    std::vector<double> sizes;
    for (const tensor::PairStatistics& channel : channels) sizes.push_back(SizeOfChannel(channel));
    std::ranges::sort(sizes);
    return sizes.empty() ? 0 : sizes[sizes.size() / 2];
  }

  // Finds the weights that the output is multiplied with; false if another node reads it.
  bool FindReaders(const SwitchedPart& part, std::vector<std::size_t>& readers) const {
    for (const model::NodeId id : found_.variant.consumers(part.tensor)) {
      const model::ModelNode& quantize = found_.variant.node(id);
      if (quantize.op_type != "QuantizeLinear") continue;
      for (const model::NodeId other : found_.variant.consumers(quantize.outputs[0])) {
        const model::ModelNode& dequantize = found_.variant.node(other);
        if (dequantize.outputs.empty()) return false;
        for (const model::NodeId reader : found_.variant.consumers(dequantize.outputs[0])) {
          const auto place = std::ranges::find_if(found_.parts, [&](const SwitchedPart& each) {
            return each.part == Part::kWeight && each.node == reader && each.weights != nullptr;
          });
          if (place == found_.parts.end()) return false;
          readers.push_back(static_cast<std::size_t>(place - found_.parts.begin()));
        }
      }
    }
    return true;
  }

  // Quantized activations that are not among the parts of the cause.
  std::size_t CountOtherOutputs() const {
    return static_cast<std::size_t>(std::ranges::count_if(found_.parts, [&](const auto& part) {
      const auto i = static_cast<std::size_t>(&part - found_.parts.data());
      return part.part == Part::kOutput && std::ranges::find(cause_.parts, i) == cause_.parts.end();
    }));
  }

  void AddMoreBits() {
    // One setting for the whole file is shorter than one for each tensor.
    constexpr std::size_t kManyOutputs = 4;
    const bool is_whole_file =
        cause_.parts.size() >= kManyOutputs && CountOtherOutputs() * 4 < cause_.parts.size();
    const auto& grid = PartAt(cause_.parts[0]).grid;
    const bool is_signed = grid && grid->code_min < 0;
    AddOutputs(
        {.action = cause_.parts.size() == 1
                       ? "16 bits for this output"
                       : "16 bits for these " + std::to_string(cause_.parts.size()) + " outputs",
         .price = "16-bit activations, which fewer kernels take",
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
    if (count <= kFewNodes && bytes == 0) fix.price_rank = 2;  // Less than 16 bits.
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
               .price = "no cost",
               .setting =
                   "quantize_static(model_input, model_output, reader_of_such_data,\n"
                   "                calibrate_method=CalibrationMethod.MinMax)\n",
               .price_rank = -1};  // The fix of the cause.
  for (std::size_t i = 0; i < found.parts.size(); ++i) {
    const SwitchedPart& part = found.parts[i];
    if (part.part == Part::kWeight && board.HasBias(i)) {
      fix.changes.emplace_back(i, Setting{PartState::kFloatBias, nullptr, nullptr});
      continue;
    }
    const ValueBins* values = found.ValuesOf(part);
    if (part.part != Part::kOutput || part.dynamic != model::kNoNode) continue;
    if (values == nullptr || !part.grid) {  // Nobody knows which range it would get.
      fix.changes.emplace_back(i, Setting{PartState::kFloat, nullptr, nullptr});
      continue;
    }
    const auto ratio = StepRatio(found, part);
    if (ratio && *ratio > 0.95 && *ratio < 1.05) continue;  // It fits.
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
    if (!state) continue;
    fix.after = *std::move(state);
    // Another level at the same error is luck: one answer more.
    const bool is_level_better = fix.after.verdict.level < before.verdict.level;
    if (fix.after.cost > (is_level_better ? kHelpsALittle : kHelps) * before.cost) continue;
    const bool is_known =
        std::ranges::find(measured, fix.action, &TriedFix::action) != measured.end();
    if (!is_known) measured.push_back(std::move(fix));
  }
  double best = kMaxCost;
  VerdictLevel level = VerdictLevel::kBroken;
  for (const TriedFix& fix : measured) {
    best = std::min(best, fix.after.cost);
    level = std::min(level, fix.after.verdict.level);
  }
  std::ranges::stable_sort(measured, {}, [&](const TriedFix& fix) {
    // The cause requires calibration, even if other problems remain.
    const bool is_asked_for = fix.price_rank < 0 && fix.after.cost <= 0.5 * before.cost;
    const bool is_good =
        is_asked_for || (fix.after.verdict.level <= level &&
                         (level <= VerdictLevel::kSound || fix.after.cost <= kAsGood * best));
    return std::tuple(!is_good, is_good ? fix.price_rank : 0, is_good ? 0 : fix.after.cost);
  });
  fixes = std::move(measured);
}

}  // namespace cboard::compare
