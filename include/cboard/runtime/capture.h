// Captures the output of every layer of a model, sample by sample.
//
//   CBOARD_ASSIGN_OR_RETURN(const ModelCapture fp32, ModelCapture::Open("fp32.onnx"));
//   CBOARD_ASSIGN_OR_RETURN(const ModelCapture int8, ModelCapture::Open("int8.onnx"));
//   CBOARD_ASSIGN_OR_RETURN(const auto samples, OpenSamples(data, fp32.session().inputs(), {}));
//   const ModelCapture* models[] = {&fp32, &int8};
//   CaptureSamples(*samples, models, [&](const CapturedSample& sample) {
//     return builder.Add(*sample.results[0].Find("conv1"), *sample.results[1].Find("conv1"));
//   });
//
// Memory holds the outputs of one sample at a time.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/runtime/graph_edits.h"
#include "cboard/runtime/samples.h"
#include "cboard/runtime/session.h"

namespace cboard::runtime {

struct CaptureOptions {
  // Names of the tensors to capture. If it is nullopt, the outputs of all nodes are captured.
  std::optional<std::vector<std::string>> tensors;

  // Edits of the model. They are applied to the copy in memory before capturing.
  GraphEdits edits;

  // Maximum memory in bytes for dequantized weights. Nodes that dequantize weights then run once
  // instead of once per sample. The floats take four times as much memory as 8-bit codes. If the
  // weights need more than this limit, the rest of them is dequantized for each sample. The default
  // is a quarter of the machine's memory.
  std::optional<std::size_t> max_constant_bytes;

  // Settings of the session. If optimizations are on, nodes are still fused when no tensor between
  // them is captured.
  SessionOptions session;
};

// A model that returns the outputs of its nodes. Run may be called from many threads at once.
class ModelCapture {
 public:
  // Opens a model. Fails like Session::Open, EditGraph and AddGraphOutputs. The model's file is
  // read but not changed, and no file is written. External weights are read from their own files.
  static Result<ModelCapture> Open(const std::filesystem::path& model,
                                   const CaptureOptions& options = {});

  const std::filesystem::path& path() const { return path_; }
  const Session& session() const { return session_; }

  // Returns the names of the captured tensors, in the order of execution.
  const std::vector<std::string>& tensors() const { return tensors_; }

  // Runs the model and returns the captured tensors. Fails like Session::Run.
  Result<RunResult> Run(std::span<const NamedTensor> inputs) const {
    return session_.Run(inputs, tensors_);
  }

 private:
  ModelCapture(std::filesystem::path path, Session session, std::vector<std::string> tensors,
               std::shared_ptr<const void> guards)
      : path_(std::move(path)),
        guards_(std::move(guards)),
        session_(std::move(session)),
        tensors_(std::move(tensors)) {}

  std::filesystem::path path_;
  std::shared_ptr<const void> guards_;  // Keeps the memory-mapped files of the session alive.
  Session session_;
  std::vector<std::string> tensors_;
};

struct CapturedSample {
  std::size_t index = 0;
  std::span<const NamedTensor> inputs;
  std::span<const RunResult> results;  // One result per model, in the given order.
};

struct CaptureSummary {
  std::size_t samples = 0;
  std::string source;         // SampleSource::Description().
  bool is_generated = false;  // Random samples were used: results describe the model, not its use.
  bool is_stopped = false;    // `progress` stopped the capture.
};

// Runs every sample through every model and calls `visit` with the results, which are valid during
// the call. If `visit` fails, the capture ends with its error. `progress` is optional: it gets the
// number of finished samples and the number of all samples, and stops the capture if it returns
// false.
Result<CaptureSummary> CaptureSamples(
    SampleSource& samples, std::span<const ModelCapture* const> models,
    const std::function<Result<void>(const CapturedSample&)>& visit,
    const std::function<bool(std::size_t done, std::size_t total)>& progress = nullptr);

}  // namespace cboard::runtime
