// A compressed ONNX model whose parts (weights and quantizers) can be changed for each run: a part
// is compressed, has the baseline's float values, or has another quantizer that is tried. One
// session serves all runs: weights are inputs of the model, and a boolean input bypasses each
// quantizer.
//
//   CBOARD_ASSIGN_OR_RETURN(const SwitchBoard board, SwitchBoard::Open(…));
//   Settings settings = board.AllOf(PartState::kFloat);
//   settings[7].state = PartState::kAsIs;                 // Only this part is compressed.
//   board.Run(sample, settings);
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/model_graph.h"
#include "cboard/runtime/capture.h"
#include "compare/blame/switched_parts.h"

namespace cboard::compare {

enum class PartState {
  kAsIs,       // Compressed, as in the file.
  kFloat,      // The baseline's float values.
  kTrial,      // Another quantizer.
  kFloatBias,  // Compressed weights with the baseline's bias.
};

// A quantization grid that is tried for an output instead of the grid in the file: real value =
// code * scale.
struct TrialGrid {
  std::vector<float> scales;        // One scale, or one per channel …
  std::vector<std::int64_t> shape;  // … in a shape that broadcasts to the tensor; empty for one.
  float low = 0, high = 255;        // Smallest and largest code; zero is between them.
};

struct Setting {
  PartState state = PartState::kAsIs;
  std::shared_ptr<const TrialGrid> grid;  // Quantization grid that is tried for an output.
  // Quantized weights that are tried instead of the weights in the file, as [channels, elements].
  std::shared_ptr<const std::vector<float>> values;
};
using Settings = std::vector<Setting>;  // One setting per part.

class SwitchBoard {
 public:
  // Opens the model. Borrows both models and the parts. `captured` are names of tensors of the
  // compressed model. Fails if weights cannot be read or take more than `max_bytes`, and if
  // ModelCapture fails.
  static Result<SwitchBoard> Open(const model::ModelGraph& baseline,
                                  const model::ModelGraph& variant,
                                  std::span<const SwitchedPart> parts,
                                  std::vector<std::string> captured, std::size_t max_bytes);

  // Opens the model once more, without the trials of other quantizers for outputs: runs are faster.
  // Both boards share their weights. Fails if ModelCapture fails.
  Result<SwitchBoard> OpenWithoutTrials(const model::ModelGraph& baseline,
                                        std::vector<std::string> captured) const;

  Settings AllOf(PartState state) const { return Settings(parts_.size(), Setting{state, {}, {}}); }

  // The baseline's weights of a part as [channels, elements]; null for parts without weights.
  const WeightRows* RowsOf(std::size_t part) const;

  bool HasBias(std::size_t part) const;

  Result<runtime::RunResult> Run(std::span<const runtime::NamedTensor> inputs,
                                 const Settings& settings) const;

 private:
  using SharedFloats = std::shared_ptr<const std::vector<float>>;

  // Weights that are no longer a constant but an input of the edited model.
  struct WeightKnob {
    std::string input;
    std::vector<std::int64_t> shape;
    SharedFloats as_is, baseline;
    bool is_bias = false;
    bool is_transposed = false;  // Stored as [elements, channels], for MatMul.
  };
  struct Knobs {
    std::vector<WeightKnob> weights;
    std::string flag;              // For outputs: boolean input that selects float values.
    std::string trial;             // Boolean input that selects the grid that is tried …
    std::string scale, low, high;  // … and inputs with this grid.
    std::shared_ptr<const WeightRows> rows;  // Result of RowsOf.
  };
  class Builder;

  SwitchBoard(const model::ModelGraph& variant, std::span<const SwitchedPart> parts,
              std::vector<Knobs> knobs, runtime::ModelCapture capture, bool has_trials)
      : variant_(&variant),
        parts_(parts),
        knobs_(std::move(knobs)),
        capture_(std::move(capture)),
        has_trials_(has_trials) {}

  const model::ModelGraph* variant_;
  std::span<const SwitchedPart> parts_;
  std::vector<Knobs> knobs_;
  runtime::ModelCapture capture_;
  bool has_trials_;
};

}  // namespace cboard::compare
