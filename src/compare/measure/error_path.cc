#include "compare/measure/error_path.h"

#include <algorithm>
#include <cmath>

namespace cboard::compare {

ErrorPath::ErrorPath(const model::ModelGraph& model,
                     const std::unordered_map<model::TensorId, double>& measured)
    : model_(model), db_(model.tensors().size(), HUGE_VAL) {
  for (const auto& [tensor, db] : measured) db_[model::IndexOf(tensor)] = db;
  // Producers come before consumers.
  for (std::size_t i = 0; i < model.nodes().size(); ++i) {
    const double worst = WorstInputDb(static_cast<model::NodeId>(i));
    for (const model::TensorId output : model.nodes()[i].outputs) {
      if (output != model::kNoTensor && !measured.contains(output))
        db_[model::IndexOf(output)] = worst;
    }
  }
}

double ErrorPath::WorstInputDb(model::NodeId node) const {
  double worst = HUGE_VAL;
  for (const model::TensorId input : model_.node(node).inputs) {
    if (input != model::kNoTensor) worst = std::min(worst, db_[model::IndexOf(input)]);
  }
  return worst;
}

}  // namespace cboard::compare
