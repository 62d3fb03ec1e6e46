// Compares the declared outputs of both models, sample by sample.
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
#include "cboard/runtime/capture.h"
#include "cboard/tensor/compare.h"
#include "cboard/tensor/tensor_view.h"
#include "compare/layers/channel_layout.h"
#include "compare/measure/box_overlap.h"
#include "compare/measure/end_pairs.h"
#include "compare/measure/head_counts.h"
#include "compare/measure/output_hints.h"

namespace cboard::compare {

// Statistics of one output of both models.
struct EndFindings {
  std::string name;
  std::vector<std::int64_t> shape;  // Shape for the first sample.
  std::optional<ChannelLayout> layout;
  tensor::Comparison comparison;  // By channel along the axis of `layout`.
  std::vector<HeadCounts> heads;  // At least one if values were compared.
  BoxOverlap boxes;  // Boxes in the first four channels, if other channels have scores.
  std::size_t samples = 0;
  std::size_t other_shapes = 0;               // Number of samples with different shapes.
  std::uint64_t labels = 0, same_labels = 0;  // Counts for integer outputs …
  LabelSequences sequences;                   // … and sequences of one-dimensional ones.
  std::size_t label_count = 0;                // Largest label plus one.
  std::string why_not;
  OutputHint hint = OutputHint::kNone;
  bool is_picture = false;  // The output is a picture like an input: a denoised or enlarged one.
  bool is_state = false;    // State of a recurrent node: input of the next run, not a result.
};

// Collects statistics of all outputs that both models declare. Borrows both models.
class EndGatherer {
 public:
  EndGatherer(const model::ModelGraph& baseline, const model::ModelGraph& variant);

  // Names of the tensors to capture, each once. The names for the baseline include the outputs, and
  // the tensors whose shapes show the channel dimension.
  std::vector<std::string> BaselineTensors() const;
  std::vector<std::string> VariantTensors() const;

  // `find(side, name)` returns a captured tensor or an input of the baseline (side 0) or of the
  // compressed model (side 1); null if there is none.
  using Find = std::function<const TensorView*(std::size_t side, const std::string& name)>;
  Result<void> Add(const Find& find);

  std::vector<EndFindings> Build() const;

 private:
  struct End {
    EndPair pair;
    std::vector<model::TensorId> on_the_way;
    EndFindings findings;
    std::unique_ptr<tensor::ComparisonBuilder> builder;
    // The values that both models computed for the current sample.
    std::vector<float> baseline_values, variant_values;
    ChannelSizes sizes;
  };

  Result<void> AddTo(End& end, const Find& find);
  // Adds statistics of boxes at the positions where another output (the scores) shows a detection.
  void AddDetectedByOthers();
  Result<void> AddFloats(End& end, const TensorView& reference, const TensorView& compressed,
                         const Find& find);
  void SetLayout(End& end, const TensorView& reference, std::span<const float> values,
                 const Find& find) const;

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  std::vector<End> ends_;
};

// Returns a function for Add() that finds the tensors of a captured sample (results of the baseline
// first) and its inputs. Borrows `sample`.
EndGatherer::Find FindIn(const runtime::CapturedSample& sample);

}  // namespace cboard::compare
