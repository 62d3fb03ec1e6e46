#include "compare/fixes/ranked_fixes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>

#include "cboard/base/strings.h"
#include "cboard/verdict/bit_limits.h"
#include "cboard/verdict/number_text.h"
#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {
namespace {

// A fix is listed only if it improves the SQNR by at least this many dB.
constexpr double kMinGainDb = 1;
constexpr const char* kKeepFloat = "keep the layer in float32";
constexpr std::size_t kMaxNames = 3;

// Returns the text of the fix "keep in float" with the names of all its nodes. The readers of the
// output are named, too, because their quantizers would otherwise round the output.
std::string KeepFloatText(const LayerComparison& layer) {
  const bool is_input = layer.op_type == "Input";
  std::string others;
  std::size_t count = 0;
  // The first of `float_nodes` is the layer's own node. It is not named.
  for (std::size_t i = is_input ? 0 : 1; i < layer.float_nodes.size(); ++i) {
    if (++count > kMaxNames) continue;
    others += (others.empty() ? "" : ", ") + Quoted(layer.float_nodes[i]);
  }
  if (count > kMaxNames) others += " and " + std::to_string(count - kMaxNames) + " more";
  const std::string action = is_input ? "keep the input in float32" : kKeepFloat;
  return others.empty() ? action : action + ", with " + others;
}

// Number of bits of the codes in use. The range [-127, 127] also counts as eight bits.
int BitsOf(const CodeScheme& scheme) {
  return static_cast<int>(
      std::bit_width(static_cast<std::uint32_t>(scheme.code_max - scheme.code_min)));
}

// Orders fixes; fixes that reach the required SQNR come first.
std::vector<Fix> Ordered(std::vector<Fix> for_output, const Thresholds& thresholds) {
  std::ranges::stable_sort(for_output, {}, [&](const Fix& fix) {
    const bool is_enough = fix.sqnr_db >= thresholds.sqnr_amber_db;
    return std::tuple(!is_enough, is_enough ? 0 : -fix.sqnr_db);
  });
  return for_output;
}

std::vector<Fix> ForWeights(const LayerComparison& layer, std::vector<Fix> tried,
                            const std::vector<Fix>& for_output, const Thresholds& thresholds) {
  const tensor::Comparison& now = *layer.weight;
  const double worst_now =
      now.worst_channel ? now.channels[*now.worst_channel].SqnrDb() : now.total.SqnrDb();
  const double channel_allowance =
      verdict::LimitDb(thresholds.sqnr_red_db - thresholds.worst_channel_red_db, layer.bits);
  const auto severity = [&](const Fix& fix) {
    return std::min(fix.sqnr_db, fix.worst_channel_sqnr_db.value_or(HUGE_VAL) + channel_allowance);
  };
  // Sums skip non-finite values, so the measured SQNR is not used if there are such values.
  const bool is_finite = layer.diagnosis.cause != Cause::kNotFinite;
  const double severity_now =
      is_finite ? severity({.sqnr_db = now.total.SqnrDb(), .worst_channel_sqnr_db = worst_now})
                : -HUGE_VAL;
  std::erase_if(tried, [&](const Fix& fix) { return severity(fix) < severity_now + kMinGainDb; });
  std::ranges::stable_sort(tried, {}, [&](const Fix& fix) {
    const bool is_enough = severity(fix) >= verdict::LimitDb(thresholds.sqnr_amber_db, layer.bits);
    return std::tuple(!is_enough, is_enough ? fix.size_bytes.value_or(0) : 0, -severity(fix));
  });
  for (Fix& fix : Ordered(for_output, thresholds)) tried.push_back(std::move(fix));
  const bool is_float = layer.precision == "fp32";
  tried.push_back({.action = is_float ? "take the weights from the baseline" : KeepFloatText(layer),
                   .sqnr_db = HUGE_VAL,
                   .size_bytes = now.total.count * sizeof(float)});
  return tried;
}

Fix::OutputQuantizer QuantizerOf(CodeRange range, const CodeScheme& scheme) {
  return {.bits = BitsOf(scheme),
          .low = range.low,
          .high = range.high,
          .is_signed = scheme.code_min < 0,
          .is_symmetric = scheme.is_symmetric};
}

std::string RangeText(CodeRange range, const CodeScheme& scheme, const ValueBins& values) {
  std::string text =
      "[" + verdict::ShortNumber(range.low) + ", " + verdict::ShortNumber(range.high) + "]";
  const double beyond = values.ClippedShare(GridFor(range, scheme));
  if (beyond > 0)
    text += ", which cuts off " + verdict::ShortNumber(100 * beyond, 2) + " % of the values";
  return text;
}

// SQNR of the output after equalization: each channel uses the whole range, because the next layers
// undo its factor.
std::optional<double> SqnrOfEqualized(const tensor::Comparison& local,
                                      const std::vector<double>& importance) {
  if (importance.empty()) return std::nullopt;
  double signal = 0, noise = 0;
  for (std::size_t c = 0; c < importance.size(); ++c) {
    const tensor::TensorStatistics& values = local.channels[c].reference;
    if (values.finite_count() == 0) continue;
    const double step = (std::max(0.0, values.max) - std::min(0.0, values.min)) / 255;
    signal += importance[c] * values.sum_squares;
    noise += importance[c] * static_cast<double>(values.finite_count()) * step * step / 12;
  }
  if (!(noise > 0)) return std::nullopt;
  return 10 * std::log10(signal / noise);
}

}  // namespace

std::vector<Fix> FixOutput(const LayerComparison& layer, const std::vector<double>& importance,
                           const ValueBins& values, const tensor::QuantizationGrid& grid) {
  const double energy = layer.accumulated->total.reference.sum_squares;
  const double measured_db = layer.useful_output_db.value_or(layer.local->total.SqnrDb());
  // With any range that channels share, rounding damages channels with small values more than the
  // whole tensor.
  const double small_channels_db = std::max(0.0, layer.local->total.SqnrDb() - measured_db);
  std::vector<Fix> fixes;
  const auto add = [&](std::string action, double predicted_db, double better_than_db,
                       std::optional<Fix::OutputQuantizer> quantizer) {
    if (!(predicted_db > better_than_db + kMinGainDb)) return;
    fixes.push_back({.action = std::move(action), .sqnr_db = predicted_db, .output = quantizer});
  };
  const auto predicted_by = [&](const tensor::QuantizationGrid& codes) {
    return 10 * std::log10(energy / values.SquaredError(codes)) - small_channels_db;
  };
  const auto predicted = [&](CodeRange range, const CodeScheme& scheme) {
    return predicted_by(GridFor(range, scheme));
  };
  // Errors of earlier layers may have made the quantizer's input smaller than in the baseline. This
  // difference is not counted as a gain of the fix.
  const double now = std::max(measured_db, predicted_by(grid));
  // A different range costs no time, so a range is listed only if its SQNR is better than that of
  // the ranges listed before.
  double best_db = now;
  const auto add_range = [&](const char* action, CodeRange range, const CodeScheme& scheme) {
    const double predicted_db = predicted(range, scheme);
    add(action + RangeText(range, scheme, values), predicted_db, best_db,
        QuantizerOf(range, scheme));
    best_db = std::max(best_db, predicted_db);
  };
  const CodeScheme scheme = CodeScheme::Of(grid);
  const CodeRange whole = values.Range();
  add_range("calibrate the output's range again, to ", whole, scheme);
  add_range("narrow the output's range to ", BestRange(values, scheme), scheme);
  if (scheme.is_symmetric) {
    CodeScheme shifted = scheme;
    shifted.is_symmetric = false;
    add_range("give the output's codes a zero point, and the range ", BestRange(values, shifted),
              shifted);
  }
  if (small_channels_db > kMinGainDb) {
    add("equalize the output's channels with the layers that follow",
        SqnrOfEqualized(*layer.local, importance).value_or(0), now, std::nullopt);
  }
  for (const int bits : {8, 16}) {
    if (BitsOf(scheme) >= bits) continue;
    CodeScheme finer = scheme;
    const bool is_signed = scheme.code_min < 0;
    finer.code_min = is_signed ? -(1 << (bits - 1)) : 0;
    finer.code_max = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    add(std::to_string(bits) + " bits for this output", predicted(whole, finer), now,
        QuantizerOf(whole, finer));
  }
  return fixes;
}

std::vector<Fix> RankFixes(const LayerComparison& layer, std::vector<Fix> tried,
                           const std::vector<Fix>& for_output, const Thresholds& thresholds) {
  if (layer.diagnosis.level == Level::kGreen) return {};
  switch (layer.diagnosis.part) {
    case Part::kWeight:
      return ForWeights(layer, std::move(tried), for_output, thresholds);
    case Part::kOutput: {
      std::vector<Fix> fixes = Ordered(for_output, thresholds);
      fixes.push_back({.action = KeepFloatText(layer), .sqnr_db = HUGE_VAL});
      return fixes;
    }
    case Part::kBias:
      break;
  }
  return {{.action = "take the bias from the baseline, or correct it", .sqnr_db = HUGE_VAL},
          {.action = kKeepFloat, .sqnr_db = HUGE_VAL}};
}

}  // namespace cboard::compare
