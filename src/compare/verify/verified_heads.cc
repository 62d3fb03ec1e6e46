#include "compare/verify/verified_heads.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/strings.h"
#include "compare/measure/output_heads.h"

namespace cboard::compare {
namespace {

// Maximum number of outputs that are measured; the last ones are used.
constexpr std::size_t kMaxHeads = 16;
// The SQNR in dB that an exact output counts as in a mean.
constexpr double kExactDb = 80;

}  // namespace

std::vector<std::size_t> FindVerifiedHeads(const model::ModelGraph& baseline,
                                           const std::vector<RestorableLayer>& layers,
                                           const ModelComparison& comparison) {
  std::vector<std::size_t> compared;
  std::vector<model::TensorId> tensors;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].output || !comparison.layers[i].accumulated) continue;
    const model::TensorId tensor = baseline.FindTensor(layers[i].output->baseline);
    if (tensor == model::kNoTensor || baseline.tensor(tensor).producer == model::kNoNode) continue;
    compared.push_back(i);
    tensors.push_back(tensor);
  }
  std::vector<std::size_t> ends;
  for (const std::size_t k : FindHeads(baseline, tensors)) {
    const double db = comparison.layers[compared[k]].accumulated->total.SqnrDb();
    if (std::isfinite(db)) ends.push_back(compared[k]);
  }
  std::ranges::stable_sort(ends, {}, [&](std::size_t i) { return comparison.layers[i].depth; });
  if (ends.size() > kMaxHeads) {
    ends.erase(ends.begin(), ends.end() - static_cast<std::ptrdiff_t>(kMaxHeads));
  }
  return ends;
}

std::string NoHeadsReason(const ModelComparison& comparison) {
  const LayerComparison* last = LastLayer(comparison);
  if (last == nullptr) return "no output was compared";
  return "the last layer, " + Quoted(last->name) + ", gives " +
         (last->accumulated->total.SqnrDb() > 0 ? "exactly what the baseline gives"
                                                : "nothing that can be compared");
}

double MeanOverHeads(const std::vector<double>& dbs) {
  if (dbs.size() == 1) return dbs[0];
  if (std::ranges::all_of(dbs, [](double db) { return db == HUGE_VAL; })) return HUGE_VAL;
  double sum = 0;
  for (const double db : dbs) sum += std::clamp(db, -kExactDb, kExactDb);
  return sum / static_cast<double>(dbs.size());
}

}  // namespace cboard::compare
