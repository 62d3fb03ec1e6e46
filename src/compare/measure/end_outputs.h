// The declared outputs of both models, compared sample by sample.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/end_verdict.h"
#include "cboard/model/model_graph.h"
#include "cboard/tensor/compare.h"
#include "cboard/tensor/tensor_view.h"
#include "compare/layers/channel_layout.h"
#include "compare/measure/head_counts.h"

namespace cboard::compare {

// An output that both models declare.
struct EndPair {
  model::TensorId baseline = model::kNoTensor;
  model::TensorId variant = model::kNoTensor;
};

// Pairs outputs by name; by position if no name matches and both models have the same number.
std::vector<EndPair> PairEnds(const model::ModelGraph& baseline, const model::ModelGraph& variant);

// The use of an output, as its name or its operator tells it.
enum class OutputHint { kNone, kFeatures, kAnswers };

// Statistics of an output.
struct EndFindings {
  std::string name;
  std::vector<std::int64_t> shape;  // For the first sample.
  std::optional<ChannelLayout> layout;
  tensor::Comparison comparison;  // By channel along the layout's axis.
  std::vector<HeadCounts> heads;  // One at least, where anything was compared.
  std::size_t samples = 0;
  std::size_t other_shapes = 0;               // Samples for which the two shapes differ.
  std::uint64_t labels = 0, same_labels = 0;  // For integer outputs …
  LabelSequences sequences;                   // … and those of one dimension, of any lengths.
  std::size_t label_count = 0;                // One more than the largest label.
  std::string why_not;
  OutputHint hint = OutputHint::kNone;
  bool is_state = false;  // State of a recurrent node: input of the next run, not shown to users.
};

// Borrows both models.
class EndGatherer {
 public:
  EndGatherer(const model::ModelGraph& baseline, const model::ModelGraph& variant);

  // The tensors to capture in the baseline (outputs, and those whose shapes say where channels are)
  // and in the compressed model.
  std::vector<std::string> BaselineTensors() const;
  std::vector<std::string> VariantTensors() const;

  // `find(side, name)` gives the captured tensor of the baseline (0) or the compressed model (1),
  // or null.
  using Find = std::function<const TensorView*(std::size_t side, const std::string& name)>;
  Result<void> Add(const Find& find);

  std::vector<EndFindings> Build() const;

 private:
  struct End {
    EndPair pair;
    std::vector<model::TensorId> on_the_way;
    EndFindings findings;
    std::unique_ptr<tensor::ComparisonBuilder> builder;
    // For this sample.
    std::vector<float> baseline_values, variant_values;
    ChannelSizes sizes;
  };

  Result<void> AddTo(End& end, const Find& find);
  // Counts boxes where the scores of another output call a detection.
  void AddDetectedByOthers();
  Result<void> AddFloats(End& end, const TensorView& reference, const TensorView& compressed,
                         const Find& find);
  void SetLayout(End& end, const TensorView& reference, std::span<const float> values,
                 const Find& find) const;

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  std::vector<End> ends_;
};

}  // namespace cboard::compare
