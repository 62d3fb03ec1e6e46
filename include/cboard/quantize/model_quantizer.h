// Quantizes a model: collects statistics, makes a plan, and writes the quantized file.
//
//   CBOARD_ASSIGN_OR_RETURN(auto model, ModelQuantizer::Open("resnet50.onnx", options));
//   CBOARD_RETURN_IF_ERROR(model->Calibrate());             // One run over the samples.
//   Plan plan = model->MakePlan();                          // From statistics alone.
//   CBOARD_ASSIGN_OR_RETURN(auto quality, model->Measure(plan));
//   plan.activations.at("logits").is_float = true;          // A plan is data.
//   CBOARD_RETURN_IF_ERROR(model->Save(plan, "resnet50_int8.onnx"));
//
// QuantizeFile does all of this, and uses an algorithm only if it improves the result.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/quantize/plan.h"
#include "cboard/quantize/quality.h"
#include "cboard/quantize/quantize_options.h"
#include "cboard/quantize/statistics.h"
#include "cboard/runtime/samples.h"

namespace cboard::quantize {

// A note for models without any weight to quantize.
inline constexpr std::string_view kNothingQuantized =
    "nothing is quantized: no Conv, Gemm, MatMul or Gather has a constant weight of float32; the "
    "file is the float model";

struct QuantizedFile {
  std::size_t baseline_bytes = 0;
  std::size_t bytes = 0;
  std::size_t data_bytes = 0;  // Size of the external data file of models above 2 GB.
  // Bytes of weights that stay float32, by the op type of the node that uses them; the weights in a
  // subgraph count for the If, Loop or Scan that contains it.
  std::map<std::string, std::size_t> float_bytes;
};

// Quantizes one model. This class is not thread-safe.
class ModelQuantizer {
 public:
  // Reads and prepares a model. Fails with kInvalidArgument if it is already quantized, and with
  // kNotFound if the file or ONNX Runtime does not exist.
  static Result<std::unique_ptr<ModelQuantizer>> Open(const std::filesystem::path& model,
                                                      const QuantizeOptions& options);
  ~ModelQuantizer();

  // Collects statistics in one run over options.data, or over `samples`. If the file
  // options.statistics exists, reads the statistics from it instead; otherwise writes them to it.
  // Fails if the model cannot run a sample.
  Result<void> Calibrate();
  Result<void> Calibrate(runtime::SampleSource& samples);
  const Statistics& statistics() const;
  void SetStatistics(Statistics statistics);

  // Makes a plan from the statistics. Ranges are chosen by options.ranges, or by `method` if it is
  // given.
  Plan MakePlan() const;
  Plan MakePlan(RangeMethod method) const;

  // Returns the quantized ONNX model of a plan, without external data.
  Result<std::string> Write(const Plan& plan) const;
  // Writes the quantized model to a temporary file and renames it to `path`, so that no partial
  // file remains.
  Result<QuantizedFile> Save(const Plan& plan, const std::filesystem::path& path) const;

  // Runs the quantized model of a plan on the held-out samples and compares it with the float
  // model.
  Result<EndQuality> Measure(const Plan& plan) const;

  // Computes the verdict of `compare` on a written file, with the held-out samples. Fails with
  // kFailedPrecondition if there are no held-out samples, and like compare::MeasureEnds.
  Result<compare::EndVerdict> MeasureFile(const std::filesystem::path& quantized) const;

  // Finds nodes with weights that ONNX Runtime runs in float, and the quantize and dequantize nodes
  // next to them, in its optimized graph. Empty if everything that the plan quantizes is fused.
  Result<std::vector<UnfusedNode>> FindUnfused(const Plan& plan) const;

  // Sentences for the report about the preparation of the model and about the samples.
  const std::vector<std::string>& notes() const;
  const QuantizeOptions& options() const;

  // Internal state: the prepared graph and the placement of quantizers.
  struct State;
  State& state() { return *state_; }
  const State& state() const { return *state_; }

 private:
  explicit ModelQuantizer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// A choice of settings that was tested on held-out samples.
struct TriedChoice {
  std::string name;  // "ranges minmax", "bias correction", …
  double mean_sqnr_db = 0;
  bool is_kept = false;
  std::vector<LayerGain> layers;  // The layers that the choice changes, if it names them.
};

struct PlanChoice {
  Plan plan;
  EndQuality quality;  // On held-out samples.
  std::vector<TriedChoice> tried;
  std::vector<std::string> notes;
};

// Finds the best plan of the calibrated model: tries the ranges and algorithms of its options, and
// uses only the ranges and algorithms that improve the outputs on held-out samples. Equalization,
// SmoothQuant and AWQ change constants and statistics of `model`, so earlier plans are no longer
// valid.
Result<PlanChoice> ChoosePlan(ModelQuantizer& model);

struct QuantizeReport {
  std::filesystem::path model;
  std::filesystem::path output;
  Plan plan;
  QuantizedFile file;
  EndQuality quality;
  // Verdict on the written file; kNotMeasured if it could not be measured.
  compare::EndVerdict verdict;
  std::vector<TriedChoice> tried;
  std::vector<UnfusedNode> unfused;
  std::size_t samples = 0;
  std::string source;
  bool is_generated = false;
  std::vector<std::string> notes;
  // Comparison of both models by layer, if QuantizeOptions::explain is set and the models can be
  // compared.
  std::optional<compare::ModelComparison> comparison;
};

// Quantizes the model in the file `model` and writes the result to `output`.
Result<QuantizeReport> QuantizeFile(const std::filesystem::path& model,
                                    const std::filesystem::path& output,
                                    const QuantizeOptions& options);

std::string ToJson(const QuantizeReport& report);

}  // namespace cboard::quantize
