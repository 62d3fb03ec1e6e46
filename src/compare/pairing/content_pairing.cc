#include "compare/pairing/content_pairing.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compare/layers/attention_heads.h"
#include "compare/pairing/weight_sketch.h"

namespace cboard::compare {
namespace {

// Two layers are a pair if the mean cosine between their rows is at least this value.
constexpr double kSameContent = 0.9;

// Two layers may be a pair only if they have the same size and, if required, the same kind (see
// PairingSide).
struct Group {
  WeightSize size;
  std::string kind;
  friend auto operator<=>(const Group&, const Group&) = default;
};

// The layers of a group, each with a sample of its weights (WeightSketch) for every possible
// layout.
struct Candidates {
  struct Place {
    std::size_t layer = 0;
    Reading reading;
  };
  std::vector<Place> places;
  std::vector<WeightSketch> sketches;
};
using Groups = std::map<Group, Candidates>;

Result<void> AddCandidate(const PairingSide& side, std::size_t i, const Reading& reading,
                          bool is_any_kind, Groups& groups) {
  const ModelLayer layer = Read(side.layers[i], reading);
  CBOARD_ASSIGN_OR_RETURN(WeightSketch sketch, WeightSketch::Of(side.model, layer));
  Candidates& group = groups[{SizeOf(side.model, layer), is_any_kind ? "" : side.kinds[i]}];
  group.places.push_back({i, reading});
  group.sketches.push_back(std::move(sketch));
  return {};
}

// Groups all layers without a partner, in every possible layout. If `may_turn` is true and the
// channel dimension is unknown, this includes the transposed layout.
Result<Groups> CandidatesOf(const PairingSide& side, bool may_turn, bool is_any_kind) {
  Groups groups;
  for (std::size_t i = 0; i < side.layers.size(); ++i) {
    if (side.taken[i]) continue;
    std::vector<Reading> readings = {{}};
    if (may_turn && side.IsUnoriented(i)) readings.push_back({.is_transposed = true});
    if (const std::size_t heads = PairedHeadsOf(side.model, side.layers[i]); heads > 0) {
      readings.push_back({.paired_heads = heads});
    }
    for (const Reading& reading : readings) {
      CBOARD_RETURN_IF_ERROR(AddCandidate(side, i, reading, is_any_kind, groups));
    }
  }
  return groups;
}

// Pairs each layer of a group with the most similar layer of the other model.
void PairGroup(PairingSide& a, const Candidates& ours, PairingSide& b, const Candidates& theirs,
               LayerPairing& pairing) {
  std::vector<SimHash> signs;
  signs.reserve(theirs.sketches.size());
  for (const WeightSketch& sketch : theirs.sketches) signs.push_back(sketch.Signs());
  const SimHashIndex index(signs);
  for (std::size_t i = 0; i < ours.places.size(); ++i) {
    const Candidates::Place& mine = ours.places[i];
    if (a.taken[mine.layer]) continue;
    double best = kSameContent;
    const Candidates::Place* partner = nullptr;
    for (const std::size_t k : index.Near(ours.sketches[i].Signs())) {
      if (b.taken[theirs.places[k].layer]) continue;
      const double alike = ours.sketches[i].MeanCosine(theirs.sketches[k]);
      if (alike <= best) continue;
      best = alike;
      partner = &theirs.places[k];
    }
    if (partner == nullptr) continue;
    a.taken[mine.layer] = b.taken[partner->layer] = true;
    pairing.pairs.push_back(
        {mine.layer, partner->layer, PairedBy::kContent, mine.reading, partner->reading});
  }
}

// Pairs layers of the same size by the similarity of their weights. If `is_any_kind` is true,
// layers may be in different bodies (subgraphs) of If, Loop and Scan, or in a body in only one
// model.
Result<void> PairBySimilarity(PairingSide& a, PairingSide& b, bool is_any_kind,
                              LayerPairing& pairing) {
  // If the channel dimension is unknown in both models, it is enough to transpose the layers of one
  // model.
  CBOARD_ASSIGN_OR_RETURN(const Groups ours,
                          CandidatesOf(a, !b.model.nodes().empty(), is_any_kind));
  CBOARD_ASSIGN_OR_RETURN(const Groups theirs, CandidatesOf(b, true, is_any_kind));
  for (const auto& [key, candidates] : ours) {
    const auto group = theirs.find(key);
    if (group != theirs.end()) PairGroup(a, candidates, b, group->second, pairing);
  }
  return {};
}

bool HasKinds(const PairingSide& side) {
  return std::ranges::any_of(side.kinds, [](const std::string& kind) { return !kind.empty(); });
}

}  // namespace

Result<void> PairByContent(PairingSide& a, PairingSide& b, LayerPairing& pairing) {
  CBOARD_RETURN_IF_ERROR(PairBySimilarity(a, b, false, pairing));
  if (!HasKinds(a) && !HasKinds(b)) return {};
  return PairBySimilarity(a, b, true, pairing);
}

}  // namespace cboard::compare
