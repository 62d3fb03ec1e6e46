#include "compare/measure/error_path.h"

#include <algorithm>
#include <cmath>

namespace cboard::compare {

ErrorPath::ErrorPath(const model::ModelGraph& model,
                     const std::unordered_map<model::TensorId, double>& measured)
    : model_(model), db_(model.tensors().size(), HUGE_VAL) {
  for (const auto& [tensor, db] : measured) db_[model::IndexOf(tensor)] = db;
  // Nodes are visited in the order of execution, so inputs are known before outputs.
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

void EraseRegained(const model::ModelGraph& model,
                   std::unordered_map<model::TensorId, double>& measured) {
  constexpr double kRegainedDb = 3;
  // For each tensor: lowest SQNR among the outputs of the nodes that read it.
  std::unordered_map<model::TensorId, double> worst_read;
  for (const model::ModelNode& node : model.nodes()) {
    double worst = HUGE_VAL;
    for (const model::TensorId output : node.outputs) {
      const auto found = measured.find(output);
      if (found != measured.end()) worst = std::min(worst, found->second);
    }
    if (!std::isfinite(worst)) worst = -HUGE_VAL;  // The SQNR was not measured and may be low.
    for (const model::TensorId input : node.inputs) {
      const auto [known, is_new] = worst_read.try_emplace(input, worst);
      if (!is_new) known->second = std::min(known->second, worst);
    }
  }
  for (const model::TensorId output : model.outputs()) worst_read.erase(output);
  std::erase_if(measured, [&](const auto& entry) {
    const auto read = worst_read.find(entry.first);
    return read != worst_read.end() && read->second > entry.second + kRegainedDb;
  });
}

}  // namespace cboard::compare
