// Quantizes a model: statistics, a plan, a file.
//
//   CBOARD_ASSIGN_OR_RETURN(auto model, ModelQuantizer::Open("resnet50.onnx", options));
//   CBOARD_RETURN_IF_ERROR(model->Calibrate());             // One run over the samples.
//   Plan plan = model->MakePlan();                          // From statistics alone.
//   CBOARD_ASSIGN_OR_RETURN(auto quality, model->Measure(plan));
//   plan.activations.at("logits").is_float = true;          // A plan is data.
//   CBOARD_RETURN_IF_ERROR(model->Save(plan, "resnet50_int8.onnx"));
//
// QuantizeFile does all of this, and keeps algorithms only where they help.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/compare/model_comparison.h"
#include "cboard/quantize/plan.h"
#include "cboard/quantize/quality.h"
#include "cboard/quantize/quantize_options.h"
#include "cboard/quantize/statistics.h"
#include "cboard/runtime/samples.h"

namespace cboard::quantize {

struct QuantizedFile {
  std::size_t baseline_bytes = 0;
  std::size_t bytes = 0;
  std::size_t data_bytes = 0;  // Size of the external data file of models above 2 GB.
  // Bytes of weights that stay float32, by the op type that takes them; bodies of If, Loop and Scan
  // count whole.
  std::map<std::string, std::size_t> float_bytes;
};

// Not thread-safe.
class ModelQuantizer {
 public:
  // Reads and prepares the model. Fails with kInvalidArgument when it is quantized already, and
  // with kNotFound when the file or ONNX Runtime is not there.
  static Result<std::unique_ptr<ModelQuantizer>> Open(const std::filesystem::path& model,
                                                      const QuantizeOptions& options);
  ~ModelQuantizer();

  // One run over options.data, or over `samples`. Fails when the model does not run on a sample.
  // Takes the statistics of options.statistics instead if that file exists, and else writes it.
  Result<void> Calibrate();
  Result<void> Calibrate(runtime::SampleSource& samples);
  const Statistics& statistics() const;
  void SetStatistics(Statistics statistics);

  // Ranges by options.ranges, or by `method`.
  Plan MakePlan() const;
  Plan MakePlan(RangeMethod method) const;

  // The ONNX model of a plan, without external data.
  Result<std::string> Write(const Plan& plan) const;
  // Writes beside `path` and renames, so that no partial file is left.
  Result<QuantizedFile> Save(const Plan& plan, const std::filesystem::path& path) const;

  // Runs the plan's model on the held-out samples and compares with the float model.
  Result<EndQuality> Measure(const Plan& plan) const;

  // Nodes with weights that run in float, and Q/DQ nodes beside them, in the graph that ONNX
  // Runtime runs. Empty if everything that the plan quantizes is fused.
  Result<std::vector<UnfusedNode>> FindUnfused(const Plan& plan) const;

  // Sentences about the preparation and the samples, for the report.
  const std::vector<std::string>& notes() const;
  const QuantizeOptions& options() const;

  // The prepared graph and the placement, for the module's own code.
  struct State;
  State& state() { return *state_; }
  const State& state() const { return *state_; }

 private:
  explicit ModelQuantizer(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

// A choice that was tried on held-out samples.
struct TriedChoice {
  std::string name;  // "ranges minmax", "bias correction", …
  double mean_sqnr_db = 0;
  bool is_kept = false;
  std::vector<LayerGain> layers;  // The layers that it changes, if it names them.
};

struct PlanChoice {
  Plan plan;
  EndQuality quality;  // On held-out samples.
  std::vector<TriedChoice> tried;
  std::vector<std::string> notes;
};

// The best plan of the calibrated model: ranges and algorithms of its options are tried, and those
// are kept that improve the outputs on held-out samples. Equalization, SmoothQuant and AWQ change
// constants and statistics of `model`; plans made before are then no longer valid.
Result<PlanChoice> ChoosePlan(ModelQuantizer& model);

struct QuantizeReport {
  std::filesystem::path model;
  std::filesystem::path output;
  Plan plan;
  QuantizedFile file;
  EndQuality quality;
  std::vector<TriedChoice> tried;
  std::vector<UnfusedNode> unfused;
  std::size_t samples = 0;
  std::string source;
  bool is_generated = false;
  std::vector<std::string> notes;
  // Both models, layer by layer, if QuantizeOptions::explain asks for it and both can be compared.
  std::optional<compare::ModelComparison> comparison;
};

// Quantizes `model` and writes `output`.
Result<QuantizeReport> QuantizeFile(const std::filesystem::path& model,
                                    const std::filesystem::path& output,
                                    const QuantizeOptions& options);

std::string ToJson(const QuantizeReport& report);

}  // namespace cboard::quantize
