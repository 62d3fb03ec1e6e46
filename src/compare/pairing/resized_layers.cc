#include "compare/pairing/resized_layers.h"

#include <unordered_map>

#include "cboard/base/strings.h"

namespace cboard::compare {

std::optional<std::string> ResizedLayersNote(const PairedModels& models) {
  constexpr std::size_t kMaxNames = 3;
  std::unordered_map<std::string, const ModelLayer*> theirs;
  for (const std::size_t i : models.pairing.variant_only) {
    const std::string name = NameOf(models.variant, models.theirs[i]);
    theirs.try_emplace(std::string(WithoutQuantizationSuffix(name)), &models.theirs[i]);
  }
  std::string named;
  std::size_t count = 0;
  for (const std::size_t i : models.pairing.baseline_only) {
    const std::string name = NameOf(models.baseline, models.ours[i]);
    const auto other = theirs.find(std::string(WithoutQuantizationSuffix(name)));
    if (other == theirs.end()) continue;
    const auto& before = models.baseline.tensor(models.ours[i].weight).shape;
    const auto& after = models.variant.tensor(other->second->weight).shape;
    if (before == after || ++count > kMaxNames) continue;
    named += (named.empty() ? "" : ", ") + Quoted(name) + " from " + ShapeText(before) + " to " +
             ShapeText(after);
  }
  if (count == 0) return std::nullopt;
  return (count == 1 ? "One layer has" : HumanCount(count) + " layers have") +
         " another size and " + (count == 1 ? "is" : "are") +
         " not compared, as where channels were removed: " + named +
         (count > kMaxNames ? ", …" : "") + ".";
}

}  // namespace cboard::compare
