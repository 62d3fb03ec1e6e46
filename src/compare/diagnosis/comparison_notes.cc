#include "compare/diagnosis/comparison_notes.h"

#include <algorithm>
#include <optional>
#include <system_error>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/diagnosis/diagnosis.h"

namespace cboard::compare {
namespace {

// If the variant is this many times as large as the baseline, the files were probably swapped.
constexpr double kSwappedFactor = 1.5;
// Mean cosine between weights below which the two models are unrelated.
constexpr double kUnrelatedCosine = 0.3;
// Minimum number of samples for reliable results about outputs.
constexpr std::size_t kMinSamples = 8;

bool IsSameFile(const ModelComparison& comparison) {
  std::error_code error;
  return std::filesystem::equivalent(comparison.baseline, comparison.variant, error);
}

// Returns a note if the variant is pruned but not smaller: zeros take as much space as other
// weights, unless the file format leaves them out.
std::optional<std::string> PruningNote(const ModelComparison& comparison) {
  constexpr double kNoSmaller = 0.95;
  double weights = 0, pruned = 0, before = 0, after = 0;
  std::size_t layers = 0;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.diagnosis.cause != Cause::kPruned || !layer.pruned_share) continue;
    const auto count = static_cast<double>(layer.weight->total.finite_count());
    weights += count;
    pruned += count * *layer.pruned_share;
    before += static_cast<double>(layer.baseline_bytes);
    after += static_cast<double>(layer.variant_bytes);
    ++layers;
  }
  if (layers == 0) return std::nullopt;
  return (layers == 1 ? "One layer is" : HumanCount(layers) + " layers are") +
         " pruned: " + verdict::ShortNumber(100 * pruned / weights, 3) + " % of " +
         (layers == 1 ? "its" : "their") + " weights are 0 and were not." +
         (after >= kNoSmaller * before
              ? " Zeros are stored like other weights, so the file is no smaller for it."
              : "");
}

// Returns a note if nothing was compressed: a quantizer may skip all operators because it does not
// support them, and still write the file without a warning.
std::optional<std::string> NothingCompressedNote(const ModelComparison& comparison) {
  constexpr double kSameSize = 0.98;
  std::size_t layers = 0;
  for (const LayerComparison& layer : comparison.layers) {
    if (!layer.weight) continue;
    ++layers;
    const bool has_rounded_output =
        layer.accumulated && layer.accumulated->total.sum_squared_error > 0;
    if (has_rounded_output || layer.weight->total.sum_squared_error > 0) return std::nullopt;
  }
  const bool is_same_size = static_cast<double>(comparison.variant_bytes) >=
                            kSameSize * static_cast<double>(comparison.baseline_bytes);
  if (layers == 0 || !is_same_size) return std::nullopt;
  return "Nothing is compressed: all weights are equal, and the file is no smaller. Did the "
         "quantizer "
         "skip the operators of this model? MatMulNBits takes MatMul, for one, and no Gemm.";
}

bool IsWithoutChannels(const std::optional<tensor::Comparison>& comparison) {
  return comparison && comparison->total.count > 0 && comparison->channels.empty();
}

}  // namespace

std::vector<std::string> NotesOn(const ModelComparison& comparison) {
  std::vector<std::string> remarks;
  if (IsSameFile(comparison)) {
    remarks.push_back("Both are the same file.");
  } else if (auto nothing = NothingCompressedNote(comparison)) {
    remarks.push_back(*std::move(nothing));
  }
  double before = 0, after = 0;
  std::size_t layers = 0, unrelated = 0;
  for (const LayerComparison& layer : comparison.layers) {
    if (!layer.weight) continue;
    before += static_cast<double>(layer.baseline_bytes);
    after += static_cast<double>(layer.variant_bytes);
    ++layers;
    if (layer.weight->total.Cosine() < kUnrelatedCosine) ++unrelated;
  }
  if (after > kSwappedFactor * before) {
    remarks.push_back("The variant's weights take " + HumanBytes(after) + ", the baseline's " +
                      HumanBytes(before) +
                      ": the model before compression comes first; were the files swapped?");
  }
  if (layers > 1 && unrelated == layers) {
    remarks.push_back(
        "No layer's weights are alike, only names and shapes: these do not seem to be two files of "
        "one trained model.");
  }
  if (auto pruning = PruningNote(comparison)) remarks.push_back(*std::move(pruning));
  const bool has_outputs = std::ranges::any_of(
      comparison.layers, [](const LayerComparison& layer) { return layer.local.has_value(); });
  if (has_outputs && comparison.samples < kMinSamples) {
    remarks.push_back("Outputs were measured on only " + HumanCount(comparison.samples) +
                      " sample" + (comparison.samples == 1 ? "" : "s") +
                      ": levels and causes may differ with more (" + std::to_string(kMinSamples) +
                      " at least), and ranges given here are too narrow to calibrate by.");
  }
  const auto in_bodies = std::ranges::count_if(comparison.layers, &LayerComparison::is_in_body);
  if (in_bodies > 0) {
    remarks.push_back(
        "Only weights are compared for " +
        (in_bodies == 1 ? std::string("the layer")
                        : "the " + HumanCount(static_cast<std::size_t>(in_bodies)) + " layers") +
        " inside of If, Loop and Scan: outputs inside of these nodes cannot be captured.");
  }
  const auto without_channels =
      std::ranges::count_if(comparison.layers, [](const LayerComparison& layer) {
        return IsWithoutChannels(layer.weight) || IsWithoutChannels(layer.accumulated);
      });
  if (without_channels > 0) {
    remarks.push_back(
        (without_channels == 1
             ? "One layer has"
             : HumanCount(static_cast<std::size_t>(without_channels)) + " layers have") +
        " more channels than there is room for beside files of this size, and so few values in "
        "each that they are compared as a whole: a single bad channel may be hidden there.");
  }
  return remarks;
}

}  // namespace cboard::compare
