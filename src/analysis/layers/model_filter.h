// Whether a LayerFilter takes what is of a model, asked once per tag.
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

  // "my net" of histograms is "my_net" of scalars, which may not have a space: one model.
  bool Contain(const std::string& model) {
    if (!filter_.model || *filter_.model == model) return true;
    if (model.empty() || filter_.model->empty()) return false;
    // Tags come in the order of their names, so that most are of the model of the one before.
    if (!last_ || last_->first != model) last_.emplace(model, ModelKeyOf(model) == key_);
    return last_->second;
  }

 private:
  const LayerFilter& filter_;
  std::string key_;
  std::optional<std::pair<std::string, bool>> last_;
};

}  // namespace cboard::analysis
