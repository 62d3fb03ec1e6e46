// A variant of a model, loaded by ONNX Runtime with samples to run.
//
//   CBOARD_ASSIGN_OR_RETURN(LoadedVariant int8, LoadedVariant::Open("int8.onnx", {}));
//   int8.RunOnce(0);
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/model/input_shapes.h"
#include "cboard/runtime/samples.h"
#include "cboard/runtime/session.h"

namespace cboard::benchmark {

struct RunOptions {
  std::filesystem::path data;  // .npz, .npy or a folder of PNG files; empty: random samples.
  model::InputShapes shapes;   // Sizes of dynamic dimensions, for random samples.
  std::int64_t batch = 1;      // For models whose first dimension is dynamic.
  int threads = 1;             // Threads of one inference.
  std::string provider = "cpu";
  std::filesystem::path library;  // ONNX Runtime library; empty: search.
};

// Returns the settings of ONNX Runtime for a benchmark: all optimizations are on.
runtime::SessionOptions SessionOptionsOf(const RunOptions& options);

// Opens the samples of `options` for a model with the given inputs. Fails with kInvalidArgument if
// dynamic sizes are not given, or if the batch size or the data does not match the inputs; the
// error names the flag to use.
Result<std::unique_ptr<runtime::SampleSource>> OpenRunSamples(
    const std::filesystem::path& model, std::span<const runtime::ModelValue> inputs,
    const RunOptions& options, std::size_t max_samples);

class LoadedVariant {
 public:
  // Loads the model and computes the first inference. Fails like Session::Open and OpenRunSamples.
  static Result<LoadedVariant> Open(const std::filesystem::path& model, const RunOptions& options);

  // Runs one of the sample_count() samples. ONNX Runtime does all work of this call, so the call
  // can be timed.
  Result<void> RunOnce(std::size_t sample) { return runs_[sample].Run(); }
  std::size_t sample_count() const { return runs_.size(); }

  // Prepares a second set of inputs, for another thread.
  Result<runtime::PreparedRun> PrepareAgain() const { return session_.Prepare(First()); }

  runtime::Session& session() { return session_; }
  const runtime::Session& session() const { return session_; }

  double load_ms() const { return load_ms_; }
  double first_inference_ms() const { return first_inference_ms_; }

  // Size of the first input's first dimension: the number of samples that one inference computes.
  std::size_t batch() const { return batch_; }
  // Shapes of the first sample, in the order of inputs.
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>>& input_shapes() const {
    return input_shapes_;
  }
  bool is_random_data() const { return is_random_data_; }

  // Sentences about outputs that make the variant useless: they contain NaN or infinity.
  const std::vector<std::string>& output_problems() const { return output_problems_; }

 private:
  explicit LoadedVariant(runtime::Session session) : session_(std::move(session)) {}
  std::vector<runtime::NamedTensor> First() const;

  runtime::Session session_;
  std::vector<runtime::PreparedRun> runs_;
  std::vector<std::string> first_elements_;
  std::vector<runtime::NamedTensor> first_;
  double load_ms_ = 0;
  double first_inference_ms_ = 0;
  std::size_t batch_ = 1;
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> input_shapes_;
  bool is_random_data_ = false;
  std::vector<std::string> output_problems_;
};

}  // namespace cboard::benchmark
