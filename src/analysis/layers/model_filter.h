// Tests whether a LayerFilter selects a model; called once per tag.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cboard/analysis/layers.h"
#include "cboard/analysis/parsed_tag.h"

namespace cboard::analysis {

class ModelFilter {
 public:
  // Borrows `filter`.
  explicit ModelFilter(const LayerFilter& filter)
      : filter_(filter), key_(filter.model ? ModelKeyOf(*filter.model) : std::string()) {}

  // "my net" in histograms and "my_net" in scalars are the same model: tags of scalars cannot
  // contain spaces.
  bool Contain(const std::string& model) {
    if (!filter_.model || *filter_.model == model) return true;
    if (model.empty() || filter_.model->empty()) return false;
    // Caches the last model. Tags are sorted by name, so most tags belong to the same model as the
    // previous tag.
    if (!last_ || last_->first != model) last_.emplace(model, ModelKeyOf(model) == key_);
    return last_->second;
  }

 private:
  const LayerFilter& filter_;
  std::string key_;
  std::optional<std::pair<std::string, bool>> last_;
};

}  // namespace cboard::analysis
