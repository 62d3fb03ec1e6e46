#include "compare/verdict/end_blame.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_set>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/diagnosis/diagnosis.h"
#include "compare/fixes/float_nodes.h"
#include "compare/fixes/ranked_fixes.h"
#include "compare/layers/layer_operators.h"

namespace cboard::compare {
namespace {

// A head is lost if its values span fewer quantization steps than this.
constexpr double kMinSteps = 4;
constexpr std::size_t kMaxSuspects = 2;

std::string ChannelsText(const HeadVerdict& head) {
  if (head.channel_count == 1) return "channel " + std::to_string(head.first_channel);
  return "channels " + std::to_string(head.first_channel) + " to " +
         std::to_string(head.first_channel + head.channel_count - 1);
}

// Returns `tensor`, and the earlier tensors that contain the same values in another shape or order.
std::unordered_set<model::TensorId> SameValues(const model::ModelGraph& model,
                                               model::TensorId tensor) {
  std::unordered_set<model::TensorId> same;
  while (tensor != model::kNoTensor && same.insert(tensor).second) {
    const model::NodeId producer = model.tensor(tensor).producer;
    if (producer == model::kNoNode || model.node(producer).inputs.empty()) break;
    const std::string_view op_type = model.node(producer).op_type;
    if (op_type == "Slice" || op_type == "Split" || op_type == "Gather") break;
    if (!PassesValues(op_type) || op_type == "MaxPool") break;
    tensor = model.node(producer).inputs[0];
  }
  return same;
}

void MakeRed(const model::ModelGraph& baseline, model::TensorId output, double severity_db,
             Cause cause, std::string explanation, LayerComparison& layer) {
  if (layer.diagnosis.level == Level::kGreen) {
    layer.diagnosis.explanation.clear();
    layer.diagnosis.severity_db = severity_db;
  }
  layer.diagnosis.level = Level::kRed;
  layer.diagnosis.cause = cause;
  layer.diagnosis.part = Part::kOutput;
  layer.diagnosis.severity_db = std::min(layer.diagnosis.severity_db, severity_db);
  layer.diagnosis.explanation = std::move(explanation);
  AddFloatNodes(baseline, output, true, layer);
  std::vector<Fix> known = std::move(layer.fixes);
  layer.fixes = RankFixes(layer, {}, {}, Thresholds());
  for (Fix& fix : known) {
    if (std::ranges::find(layer.fixes, fix.action, &Fix::action) == layer.fixes.end()) {
      layer.fixes.push_back(std::move(fix));
    }
  }
}

// Returns the text of the fix "16 bits", with the predicted SQNR in dB of a head if it has 16 bits
// and the same range.
Fix SixteenBits(const tensor::QuantizationGrid& grid, double head_sqnr_db,
                double head_mean_square) {
  const double span = static_cast<double>(grid.code_max - grid.code_min);
  const double low = (grid.code_min - grid.zero_point) * grid.scale;
  const double step = grid.scale * span / 65535;
  Fix fix{.action = "16 bits for this output"};
  fix.sqnr_db = std::max(head_sqnr_db, 10 * std::log10(head_mean_square * 12 / (step * step)));
  fix.output = Fix::OutputQuantizer{
      .bits = 16, .low = low, .high = low + span * grid.scale, .is_signed = false};
  return fix;
}

}  // namespace

void BlameSharedScales(const model::ModelGraph& baseline, const EndVerdict& verdict,
                       std::vector<EvaluatedLayer>& layers) {
  bool is_changed = false;
  for (const OutputVerdict& output : verdict.outputs) {
    if (output.heads.size() < 2 || output.level != VerdictLevel::kBroken) continue;
    const auto same = SameValues(baseline, baseline.FindTensor(output.name));
    for (EvaluatedLayer& layer : layers) {
      const auto& plan = layer.restorable.output;
      if (!plan || !plan->grid || !same.contains(layer.output)) continue;
      const HeadVerdict* largest = nullptr;
      const HeadVerdict* lost = nullptr;
      for (const HeadVerdict& head : output.heads) {
        if (largest == nullptr ||
            head.baseline_max - head.baseline_min > largest->baseline_max - largest->baseline_min) {
          largest = &head;
        }
        const double steps = (head.baseline_max - head.baseline_min) / plan->grid->scale;
        if (head.level == VerdictLevel::kBroken && steps < kMinSteps && lost == nullptr) {
          lost = &head;
        }
      }
      if (lost == nullptr || lost == largest) continue;
      const auto reach = [](const HeadVerdict& head) {
        return verdict::ShortNumber(head.baseline_min, 3) + " to " +
               verdict::ShortNumber(head.baseline_max, 3);
      };
      MakeRed(baseline, layer.output, lost->sqnr_db, Cause::kChannelSpread,
              "one scale for heads of very different size: " + ChannelsText(*largest) + " are " +
                  reach(*largest) + " and need steps of " +
                  verdict::ShortNumber(plan->grid->scale, 3) + "; " + ChannelsText(*lost) +
                  " are " + reach(*lost) + " and keep at most " +
                  verdict::ShortNumber(
                      2 + std::floor((lost->baseline_max - lost->baseline_min) / plan->grid->scale),
                      3) +
                  " codes; give the heads outputs of their own, or keep what joins them in float32",
              layer.comparison);
      layer.comparison.fixes.push_back(
          SixteenBits(*plan->grid, lost->sqnr_db, lost->baseline_mean_square));
      layer.restorable.has_damaged_output = true;
      is_changed = true;
    }
  }
  if (is_changed) SortWorstFirst(layers);
}

void ForgiveWhereSound(const EndVerdict& verdict, std::vector<EvaluatedLayer>& layers) {
  if (verdict.level != VerdictLevel::kSound) return;
  for (EvaluatedLayer& layer : layers) {
    Diagnosis& diagnosis = layer.comparison.diagnosis;
    if (diagnosis.level != Level::kRed) continue;
    diagnosis.level = Level::kAmber;
    diagnosis.explanation +=
        "; not red, because the outputs of the model are sound on these samples";
  }
}

namespace {

LayerComparison* FindLayer(std::string_view name, ModelComparison& comparison) {
  const auto found = std::ranges::find(comparison.layers, name, &LayerComparison::name);
  return found == comparison.layers.end() ? nullptr : &*found;
}

std::string DbText(double db) {
  return std::isinf(db) ? (db > 0 ? "exact" : "nothing") : verdict::ShortNumber(db, 3) + " dB";
}

// Names the layer with the largest loss of SQNR as a suspect, or the last layer if the outputs of
// layers were not compared.
void BlameLosses(ModelComparison& comparison) {
  const std::vector<const LayerComparison*> lost = LargestLosses(comparison);
  const LayerComparison* named = lost.empty() ? LastLayer(comparison) : lost[0];
  if (named == nullptr && !comparison.layers.empty()) named = &comparison.layers[0];
  if (named == nullptr) return;
  LayerComparison& layer = *FindLayer(named->name, comparison);
  layer.diagnosis.level = Level::kRed;
  if (layer.diagnosis.cause == Cause::kNone) layer.diagnosis.cause = Cause::kChanged;
  const double db = layer.accumulated ? layer.accumulated->total.SqnrDb() : 0;
  if (std::isfinite(db)) {
    layer.diagnosis.severity_db = std::min(layer.diagnosis.severity_db, db);
  }
  layer.diagnosis.explanation =
      "a suspect, not proven: " + (layer.input_sqnr_db
                                       ? "most is lost on the way to its output, from " +
                                             DbText(*layer.input_sqnr_db) + " to " + DbText(db)
                                       : "the errors before it arrive here, SQNR " + DbText(db));
}

}  // namespace

void NameSuspects(ModelComparison& comparison) {
  if (comparison.verdict.level != VerdictLevel::kBroken) return;
  if (!comparison.verdict.suspects.empty()) return;
  if (CountOf(comparison, Level::kRed) == 0) {
    BlameLosses(comparison);
    std::ranges::stable_sort(comparison.layers, IsWorse, &LayerComparison::diagnosis);
  }
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.diagnosis.level != Level::kRed) break;
    if (comparison.verdict.suspects.size() == kMaxSuspects) break;
    Suspect suspect;
    suspect.layer = layer.name;
    suspect.layers = {layer.name};
    suspect.sentence = ExplanationOf(layer);
    suspect.cause = NameOf(layer.diagnosis.cause);
    suspect.part = NameOf(layer.diagnosis.part);
    if (!layer.fixes.empty()) suspect.fix = layer.fixes[0].action;
    comparison.verdict.suspects.push_back(std::move(suspect));
  }
}

}  // namespace cboard::compare
