// A compressed ONNX model whose parts can be switched from run to run: each is as it is, the
// baseline's floats, or another quantizer that is tried. One session serves all runs: weights are
// inputs of the model, and quantizers are passed by where a flag says so.
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
  kAsIs,       // As the compressed model has it.
  kFloat,      // As the baseline has it.
  kTrial,      // By another quantizer.
  kFloatBias,  // Weights as they are, with the baseline's bias.
};

// Codes that are tried in place of those of an output: real = code * scale.
struct TrialGrid {
  std::vector<float> scales;        // One, or one per channel …
  std::vector<std::int64_t> shape;  // … in a shape that broadcasts to the tensor; empty for one.
  float low = 0, high = 255;        // The first and the last code; zero is one of them.
};

struct Setting {
  PartState state = PartState::kAsIs;
  std::shared_ptr<const TrialGrid> grid;  // Quantization grid that is tried for an output.
  std::shared_ptr<const std::vector<float>> values;  // Weights that are tried, as rows.
};
using Settings = std::vector<Setting>;  // One for each part.

class SwitchBoard {
 public:
  // Borrows both models and the parts. `captured` are names of tensors of the compressed model.
  // Without `has_trials`, outputs cannot be tried, and runs are faster. Fails when weights cannot
  // be read or take more than `max_bytes`, and as ModelCapture does.
  static Result<SwitchBoard> Open(const model::ModelGraph& baseline,
                                  const model::ModelGraph& variant,
                                  std::span<const SwitchedPart> parts,
                                  std::vector<std::string> captured, bool has_trials,
                                  std::size_t max_bytes);

  Settings AllOf(PartState state) const { return Settings(parts_.size(), Setting{state, {}, {}}); }

  // The baseline's weights of a part as [channels, elements]; null for parts without rows.
  const WeightRows* RowsOf(std::size_t part) const;

  bool HasBias(std::size_t part) const;

  Result<runtime::RunResult> Run(std::span<const runtime::NamedTensor> inputs,
                                 const Settings& settings) const;

 private:
  // A tensor of weights that the model takes as an input.
  struct WeightKnob {
    std::string input;
    std::vector<std::int64_t> shape;
    std::vector<float> as_is, baseline;
    bool is_bias = false;
    bool is_transposed = false;  // [elements, channels], as MatMul takes it.
  };
  struct Knobs {
    std::vector<WeightKnob> weights;
    std::string flag;                // For outputs: input that selects float values.
    std::string trial;               // True for codes that are tried …
    std::string scale, low, high;    // … and what these are.
    std::optional<WeightRows> rows;  // See RowsOf.
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
