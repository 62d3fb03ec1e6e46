#include "cboard/analysis/layer_pairing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/layers/op_names.h"
#include "analysis/runs/run_path.h"
#include "cboard/base/strings.h"

namespace cboard::analysis {
namespace {

// The role and the parameter of a tensor. They must be equal in a pair, in addition to the layer's
// name.
struct Slot {
  TensorRole role;
  std::string_view parameter;

  friend auto operator<=>(const Slot&, const Slot&) = default;
};
using Key = std::pair<std::string, Slot>;

Slot SlotOf(const LayerTensor& tensor) {
  // Ignores the parameter name "weight": for the same tensor, one program may log
  // "conv1/weight/int8", and another one "conv1/int8".
  return {tensor.role, tensor.role == TensorRole::kWeight && tensor.parameter == "weight"
                           ? std::string_view()
                           : std::string_view(tensor.parameter)};
}

// The outputs of the baseline by scope, to find the end of a chain of operators that quantization
// has fused into one.
class Scopes {
 public:
  // Adds operators that can begin a chain, from the baseline and from the variant: a log may
  // contain the activation but not the convolution.
  void AddChainStart(std::string_view operation) {
    if (!IsChainStart(operation) || !starts_.emplace(operation).second) return;
    ForEachScope(operation, [&](std::string_view scope) { ++scopes_[std::string(scope)].starts; });
  }

  void AddCandidate(std::string_view operation, std::size_t tensor) {
    const int rank = ChainRank(operation);
    if (rank == 0) return;
    ForEachScope(operation, [&](std::string_view name) {
      Scope& scope = scopes_[std::string(name)];
      if (rank < scope.rank) return;
      scope.ambiguous = rank == scope.rank;
      scope.rank = rank;
      scope.tensor = tensor;
    });
  }

  // Finds the last operator of the chain that begins with `start`: goes up through its scopes until
  // one contains another chain.
  std::optional<std::size_t> ChainEnd(std::string_view start) const {
    std::optional<std::size_t> end;
    int rank = 0;
    bool alone = true;
    ForEachScope(start, [&](std::string_view name) {
      const auto scope = scopes_.find(name);
      if (!alone || scope == scopes_.end()) return;
      alone = scope->second.starts <= 1;
      if (!alone || scope->second.ambiguous || scope->second.rank <= rank) return;
      rank = scope->second.rank;
      end = scope->second.tensor;
    });
    return end;
  }

 private:
  struct Scope {
    int starts = 0;
    int rank = 0;
    bool ambiguous = false;
    std::size_t tensor = 0;
  };

  // Visits the scopes of a/b/Relu: a/b, then a, then the root.
  template <typename Visit>
  static void ForEachScope(std::string_view operation, Visit&& visit) {
    std::size_t slash = operation.rfind('/');
    while (slash != std::string_view::npos) {
      visit(operation.substr(0, slash));
      slash = slash == 0 ? std::string_view::npos : operation.rfind('/', slash - 1);
    }
    visit(std::string_view());
  }

  std::map<std::string, Scope, std::less<>> scopes_;
  std::set<std::string, std::less<>> starts_;
};

class Pairer {
 public:
  Pairer(std::span<const LayerTensor> baseline, std::span<const LayerTensor> variant)
      : baseline_(baseline), variant_(variant), taken_(baseline.size()), paired_(variant.size()) {}

  LoggedPairing Pair() {
    ByKey(PairedBy::kName, Unchanged, Unchanged);
    ByScope();
    ByKey(PairedBy::kSuffix, Unchanged, Original);
    ByKey(PairedBy::kFusedChild, Unchanged, Parent);
    ByKey(PairedBy::kStrippedCharacters, Unchanged, StripObserverCharacters);
    ByKey(PairedBy::kStrippedCharacters, StripObserverCharacters, Unchanged);
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      if (!taken_[i]) result_.baseline_only.push_back(i);
    }
    for (std::size_t i = 0; i < paired_.size(); ++i) {
      if (!paired_[i]) result_.variant_only.push_back(i);
    }
    std::ranges::sort(result_.pairs, {}, &LoggedPair::baseline);
    return std::move(result_);
  }

 private:
  static std::string Unchanged(std::string_view name) { return std::string(name); }
  static std::string Original(std::string_view name) { return std::string(OriginalName(name)); }

  // Returns the name of the unfused layer: conv1 for conv1.0; the name itself if nothing was fused.
  static std::string Parent(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    const bool numbered = dot != std::string_view::npos && dot + 1 < name.size() &&
                          name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
    return std::string(numbered ? name.substr(0, dot) : name);
  }

  void Add(std::size_t baseline, std::size_t variant, PairedBy how) {
    taken_[baseline] = true;
    paired_[variant] = true;
    result_.pairs.push_back({baseline, variant, how});
  }

  // Pairs a tensor of the variant with a tensor of the baseline if `from` and `to` give the same
  // name for them. A name that belongs to two tensors of the baseline is not paired.
  template <typename From, typename To>
  void ByKey(PairedBy how, From from, To to) {
    std::map<Key, std::optional<std::size_t>> names;
    for (std::size_t i = 0; i < baseline_.size(); ++i) {
      if (taken_[i]) continue;
      const auto [entry, added] =
          names.try_emplace({from(baseline_[i].layer), SlotOf(baseline_[i])}, i);
      if (!added) entry->second.reset();
    }
    for (std::size_t i = 0; i < variant_.size(); ++i) {
      if (paired_[i]) continue;
      std::string name = to(variant_[i].layer);
      if (name.empty()) continue;
      const auto found = names.find({std::move(name), SlotOf(variant_[i])});
      if (found == names.end() || !found->second) continue;
      Add(*found->second, i, how);
      found->second.reset();
    }
  }

  void ByScope() {
    Scopes scopes;
    for (std::size_t i = 0; i < baseline_.size(); ++i) {
      if (baseline_[i].role != TensorRole::kOutput) continue;
      scopes.AddChainStart(baseline_[i].layer);
      if (!taken_[i]) scopes.AddCandidate(baseline_[i].layer, i);
    }
    for (const LayerTensor& tensor : variant_) {
      if (tensor.role == TensorRole::kOutput) scopes.AddChainStart(OriginalName(tensor.layer));
    }
    for (std::size_t i = 0; i < variant_.size(); ++i) {
      const LayerTensor& tensor = variant_[i];
      if (paired_[i] || tensor.role != TensorRole::kOutput) continue;
      if (!IsFusedOperation(tensor.layer)) continue;
      const auto end = scopes.ChainEnd(OriginalName(tensor.layer));
      if (end && !taken_[*end]) Add(*end, i, PairedBy::kScope);
    }
  }

  std::span<const LayerTensor> baseline_;
  std::span<const LayerTensor> variant_;
  std::vector<bool> taken_;
  std::vector<bool> paired_;
  LoggedPairing result_;
};

// Returns the deepest scope that contains `a` and `b`.
std::string CommonScope(std::string_view a, std::string_view b) {
  const auto difference = std::ranges::mismatch(a, b);
  const std::string_view common(a.begin(), difference.in1);
  const std::size_t slash = common.rfind('/');
  return std::string(common.substr(0, slash == std::string_view::npos ? 0 : slash));
}

}  // namespace

LoggedPairing PairLoggedLayers(std::span<const LayerTensor> baseline,
                               std::span<const LayerTensor> variant) {
  return Pairer(baseline, variant).Pair();
}

std::string Explain(const LoggedPair& pair, std::span<const LayerTensor> baseline,
                    std::span<const LayerTensor> variant) {
  const std::string& from = baseline[pair.baseline].layer;
  const std::string& to = variant[pair.variant].layer;
  switch (pair.how) {
    case PairedBy::kName:
      return "same name";
    case PairedBy::kScope:
      return "last operation of the chain fused in " + Quoted(CommonScope(from, to));
    case PairedBy::kSuffix:
      return "same name without " + Quoted(to.substr(OriginalName(to).size()));
    case PairedBy::kFusedChild:
      return Quoted(to) + " is part of the fused " + Quoted(from);
    default:
      break;
  }
  return "same name without the characters of '.activation_post_process' at its ends";
}

std::string FallbackOperation(const LayerTensor& variant) {
  return variant.node.empty() ? std::string(OriginalName(variant.layer)) : variant.node;
}

}  // namespace cboard::analysis
