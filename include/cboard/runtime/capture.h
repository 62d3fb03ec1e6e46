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
// One sample is in memory at a time, however many there are.
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
  // The tensors to capture, by name; all that nodes compute, when none are chosen.
  std::optional<std::vector<std::string>> tensors;

  // Made to the model in memory, before anything is captured.
  GraphEdits edits;

  // Weights that nodes of the model dequantize are kept as floats, four times as large as 8-bit
  // codes, so that they need not be computed again for every sample. This is what they may take;
  // beyond that, they are computed again. A quarter of the machine's memory when it is not given.
  std::optional<std::size_t> max_constant_bytes;

  // With optimizations, nodes are still fused where nothing is captured between them.
  SessionOptions session;
};

// A model that gives out what its nodes compute. Run may be called from many threads at once.
class ModelCapture {
 public:
  // Fails as Session::Open, EditGraph and AddGraphOutputs do. The model's file is read, not
  // changed, and nothing is written beside it; weights in files of their own are read from there.
  static Result<ModelCapture> Open(const std::filesystem::path& model,
                                   const CaptureOptions& options = {});

  const std::filesystem::path& path() const { return path_; }
  const Session& session() const { return session_; }

  // Captured tensors, in the order in which nodes compute them.
  const std::vector<std::string>& tensors() const { return tensors_; }

  // The captured tensors for these inputs; fails as Session::Run does.
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
  std::shared_ptr<const void> guards_;  // Guards the files that the session maps.
  Session session_;
  std::vector<std::string> tensors_;
};

struct CapturedSample {
  std::size_t index = 0;
  std::span<const NamedTensor> inputs;
  std::span<const RunResult> results;  // One per model, in the order given.
};

struct CaptureSummary {
  std::size_t samples = 0;
  std::string source;         // SampleSource::Description().
  bool is_generated = false;  // Nobody gave data: numbers describe the model, not its use.
  bool is_stopped = false;    // `progress` has said so.
};

// Runs every sample through every model and hands what they computed to `visit`, which may look at
// it until it returns; its error ends the capture. `progress`, if there is one, hears how many
// samples of how many are done, and stops the capture by returning false.
Result<CaptureSummary> CaptureSamples(
    SampleSource& samples, std::span<const ModelCapture* const> models,
    const std::function<Result<void>(const CapturedSample&)>& visit,
    const std::function<bool(std::size_t done, std::size_t total)>& progress = nullptr);

}  // namespace cboard::runtime
