#include "compare/pairing/layer_pairing.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "compare/pairing/content_pairing.h"
#include "compare/pairing/pairing_side.h"

namespace cboard::compare {

namespace {

// Returns a pair of the layers i and j, transposed if necessary; nullopt if their sizes differ.
std::optional<LayerPair> Fit(const PairingSide& a, std::size_t i, const PairingSide& b,
                             std::size_t j, PairedBy how) {
  const WeightSize x = a.SizeAt(i), y = b.SizeAt(j);
  if (x.elements != y.elements) return std::nullopt;
  if (x.channels == y.channels) return LayerPair{i, j, how};
  if (y.elements / y.channels != x.channels) return std::nullopt;
  if (b.IsUnoriented(j)) return LayerPair{i, j, how, {}, {.is_transposed = true}};
  if (a.IsUnoriented(i)) return LayerPair{i, j, how, {.is_transposed = true}, {}};
  return std::nullopt;
}

using KeyOf = std::function<std::string(const PairingSide&, std::size_t)>;

// Pairs layers that have the same key. A key that is empty, or that several layers of the same kind
// have, is ignored.
void PairByKey(PairingSide& a, PairingSide& b, PairedBy how, const KeyOf& key_of,
               LayerPairing& pairing) {
  struct Count {
    std::size_t first = 0, count = 0;
  };
  using Keys = std::unordered_map<std::string, Count>;
  const auto collect = [&](const PairingSide& side) {
    Keys keys;
    for (std::size_t i = 0; i < side.layers.size(); ++i) {
      if (side.taken[i]) continue;
      std::string key = key_of(side, i);
      if (key.empty()) continue;
      key += side.kinds[i];
      Count& count = keys[std::move(key)];
      if (count.count++ == 0) count.first = i;
    }
    return keys;
  };
  const Keys ours = collect(a), theirs = collect(b);
  for (const auto& [key, count] : ours) {
    const auto found = theirs.find(key);
    if (count.count != 1 || found == theirs.end() || found->second.count != 1) continue;
    const std::size_t other = found->second.first;
    const std::optional<LayerPair> pair = Fit(a, count.first, b, other, how);
    if (!pair) continue;
    a.taken[count.first] = b.taken[other] = true;
    pairing.pairs.push_back(*pair);
  }
}

// Splits the name of a fused node into the joined names: "block/Relu;block/BiasAdd;block/Conv2D".
std::vector<std::string_view> PartsOf(std::string_view name) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find(';', begin), name.size());
    if (end > begin) parts.push_back(name.substr(begin, end - begin));
    begin = end + 1;
  }
  std::ranges::sort(parts);
  const auto repeated = std::ranges::unique(parts);
  parts.erase(repeated.begin(), repeated.end());
  return parts;
}

// Pairs layers of the same size and kind if they share a part of a name that no other layer of
// either model has.
void PairByPart(PairingSide& a, PairingSide& b, LayerPairing& pairing) {
  struct Users {
    std::vector<std::size_t> ours, theirs;
  };
  std::unordered_map<std::string, Users> users;
  const auto key_of = [](const PairingSide& side, std::size_t i, std::string_view part) {
    return std::string(part) + side.kinds[i];
  };
  const auto collect = [&](const PairingSide& side, std::vector<std::size_t> Users::*list) {
    for (std::size_t i = 0; i < side.layers.size(); ++i) {
      if (side.taken[i]) continue;
      for (const std::string_view part : PartsOf(side.NameAt(i))) {
        (users[key_of(side, i, part)].*list).push_back(i);
      }
    }
  };
  collect(a, &Users::ours);
  collect(b, &Users::theirs);
  for (std::size_t i = 0; i < a.layers.size(); ++i) {
    if (a.taken[i]) continue;
    for (const std::string_view part : PartsOf(a.NameAt(i))) {
      const Users& found = users[key_of(a, i, part)];
      if (found.ours.size() != 1 || found.theirs.size() != 1) continue;
      const std::size_t j = found.theirs[0];
      if (b.taken[j] || a.SizeAt(i) != b.SizeAt(j)) continue;
      a.taken[i] = b.taken[j] = true;
      pairing.pairs.push_back({i, j, PairedBy::kName});
      break;
    }
  }
}

}  // namespace

ModelLayer Read(ModelLayer layer, const Reading& reading) {
  if (reading.is_transposed) layer.layout.channel_axis = 1 - layer.layout.channel_axis;
  layer.paired_heads = reading.paired_heads;
  return layer;
}

Result<LayerPairing> PairLayers(const model::ModelGraph& baseline,
                                std::span<const ModelLayer> baseline_layers,
                                const model::ModelGraph& variant,
                                std::span<const ModelLayer> variant_layers) {
  LayerPairing pairing;
  PairingSide a(baseline, baseline_layers), b(variant, variant_layers);
  PairByKey(
      a, b, PairedBy::kName,
      [](const PairingSide& side, std::size_t i) { return std::string(side.NameAt(i)); }, pairing);
  PairByPart(a, b, pairing);
  PairByKey(
      a, b, PairedBy::kSuffix,
      [](const PairingSide& side, std::size_t i) {
        return std::string(WithoutQuantizationSuffix(side.NameAt(i)));
      },
      pairing);
  PairByKey(
      a, b, PairedBy::kWeights,
      [](const PairingSide& side, std::size_t i) {
        const model::ModelTensor& weight = side.model.tensor(side.layers[i].weight);
        const std::string& name = side.model.tensor(weight.source).name;
        return std::string(LayerOfWeight(WithoutQuantizationSuffix(name)));
      },
      pairing);
  PairByKey(
      a, b, PairedBy::kScope,
      [](const PairingSide& side, std::size_t i) {
        if (side.layers[i].node == model::kNoNode) return std::string();
        const std::string& scope = side.model.node(side.layers[i].node).scope;
        const auto [channels, elements] = side.SizeAt(i);
        return scope.empty()
                   ? std::string()
                   : scope + ":" + std::to_string(channels) + "/" + std::to_string(elements);
      },
      pairing);
  CBOARD_RETURN_IF_ERROR(PairByContent(a, b, pairing));
  std::ranges::sort(pairing.pairs, {}, &LayerPair::baseline);
  for (std::size_t i = 0; i < a.taken.size(); ++i) {
    if (!a.taken[i]) pairing.baseline_only.push_back(i);
  }
  for (std::size_t i = 0; i < b.taken.size(); ++i) {
    if (!b.taken[i]) pairing.variant_only.push_back(i);
  }
  return pairing;
}

}  // namespace cboard::compare
