#include "compare/measure/end_pairs.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <unordered_map>

namespace cboard::compare {
namespace {

// Returns true if the shapes of two outputs allow that they correspond. An unknown size equals any
// size.
bool MayBeSame(const model::ModelTensor& ours, const model::ModelTensor& theirs) {
  if (!ours.has_shape || !theirs.has_shape) return true;
  return std::ranges::equal(ours.shape, theirs.shape, [](std::int64_t a, std::int64_t b) {
    return a == b || a < 0 || b < 0;
  });
}

// Pairs outputs that have different names by position. If the shapes at a position differ, a later
// output with a fitting shape is taken instead.
std::vector<EndPair> PairByShape(const model::ModelGraph& baseline,
                                 const model::ModelGraph& variant) {
  const auto ours = baseline.outputs();
  std::vector<model::TensorId> theirs(variant.outputs().begin(), variant.outputs().end());
  std::vector<EndPair> pairs;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto fits = [&](model::TensorId id) {
      return MayBeSame(baseline.tensor(ours[i]), variant.tensor(id));
    };
    auto chosen = theirs.begin() + static_cast<std::ptrdiff_t>(i);
    if (!fits(*chosen)) {
      const auto other = std::find_if(chosen, theirs.end(), fits);
      if (other != theirs.end()) std::iter_swap(chosen, other);
    }
    pairs.push_back({ours[i], *chosen});
  }
  return pairs;
}

}  // namespace

std::vector<EndPair> PairEnds(const model::ModelGraph& baseline, const model::ModelGraph& variant) {
  std::unordered_map<std::string_view, model::TensorId> theirs;
  for (const model::TensorId id : variant.outputs()) theirs.emplace(variant.tensor(id).name, id);
  std::vector<EndPair> pairs;
  for (const model::TensorId id : baseline.outputs()) {
    const auto found = theirs.find(baseline.tensor(id).name);
    if (found != theirs.end()) pairs.push_back({id, found->second});
  }
  if (pairs.empty() && baseline.outputs().size() == variant.outputs().size()) {
    pairs = PairByShape(baseline, variant);
  }
  // Removes outputs that no node computes, because such an output is only an input or a constant.
  std::erase_if(pairs, [&](const EndPair& pair) {
    return baseline.tensor(pair.baseline).producer == model::kNoNode ||
           variant.tensor(pair.variant).producer == model::kNoNode;
  });
  return pairs;
}

}  // namespace cboard::compare
