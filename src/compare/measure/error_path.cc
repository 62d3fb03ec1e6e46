#include "compare/measure/error_path.h"

#include <algorithm>
#include <cmath>

namespace cboard::compare {

ErrorPath::ErrorPath(const ModelGraph& model, const std::unordered_map<TensorId, double>& measured)
    : model_(model), db_(model.tensors().size(), HUGE_VAL) {
  for (const auto& [tensor, db] : measured) db_[IndexOf(tensor)] = db;
  // Producers come before consumers.
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const double worst = WorstInputDb(static_cast<NodeId>(i));
    for (const TensorId output : model.nodes()[i].outputs) {
      if (output != kNoTensor && !measured.contains(output)) db_[IndexOf(output)] = worst;
    }
  }
}

double ErrorPath::WorstInputDb(NodeId node) const {
  double worst = HUGE_VAL;
  for (const TensorId input : model_.node(node).inputs) {
    if (input != kNoTensor) worst = std::min(worst, db_[IndexOf(input)]);
  }
  return worst;
}

}  // namespace cboard::compare
