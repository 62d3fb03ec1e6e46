#include <algorithm>
#include <cmath>

#include "benchmark/latency/run_clock.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/variant.h"
#include "cboard/tensor/convert.h"

namespace cboard::benchmark {
namespace {

constexpr std::size_t kTimedSamples = 4;

// "output 'logits' has 3 non-finite values of 1,000"; nothing if all are finite.
std::vector<std::string> FindNonFinite(const runtime::RunResult& outputs) {
  std::vector<std::string> problems;
  for (const runtime::NamedTensor& output : outputs.tensors()) {
    if (!IsFloat(output.tensor.dtype)) continue;
    const auto values = tensor::ToDoubles(output.tensor);
    if (!values) continue;
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(*values, [](double value) { return !std::isfinite(value); }));
    if (count == 0) continue;
    problems.push_back("output " + Quoted(output.name) + " has " + HumanCount(count) +
                       " non-finite values (NaN or infinity) of " + HumanCount(values->size()) +
                       "; its accuracy and its speed are not those of a working model");
  }
  return problems;
}

}  // namespace

runtime::SessionOptions SessionOptionsOf(const RunOptions& options) {
  runtime::SessionOptions session;
  session.library = options.library;
  session.optimize = true;
  session.threads = options.threads;
  session.provider = options.provider;
  return session;
}

Result<std::unique_ptr<runtime::SampleSource>> OpenRunSamples(
    const std::filesystem::path& model, std::span<const runtime::ModelValue> inputs,
    const RunOptions& options, std::size_t max_samples) {
  for (const runtime::ModelValue& input : inputs) {
    if (!input.shape.empty() && input.shape[0] >= 0 && options.batch != 1 &&
        input.shape[0] != options.batch) {
      return Fail(ErrorCode::kInvalidArgument,
                  Quoted(model.string(), 1000) + " has a fixed batch: input " + Quoted(input.name) +
                      " is " + runtime::Describe(input) + ", but --batch is " +
                      std::to_string(options.batch) + "; export it with an open batch");
    }
    const bool has_shape =
        options.shapes.contains(input.name) || (inputs.size() == 1 && options.shapes.contains(""));
    const auto open = std::ranges::find_if(input.shape.begin() + (input.shape.empty() ? 0 : 1),
                                           input.shape.end(), [](auto size) { return size < 0; });
    if (options.data.empty() && !has_shape && open != input.shape.end()) {
      return Fail(ErrorCode::kInvalidArgument,
                  Quoted(model.string(), 1000) + " has open sizes: input " + Quoted(input.name) +
                      " is " + runtime::Describe(input) + "; give --shape " + input.name +
                      "=1,… with all sizes, or samples with --data");
    }
  }
  runtime::SampleOptions samples;
  samples.max_samples = max_samples;
  samples.batch_size = options.batch;
  samples.shapes = options.shapes;
  if (const auto only = samples.shapes.find(""); only != samples.shapes.end()) {
    if (inputs.size() != 1) {
      return Fail(ErrorCode::kInvalidArgument,
                  Quoted(model.string(), 1000) + " has " + std::to_string(inputs.size()) +
                      " inputs; name the input of --shape: INPUT=SIZES");
    }
    auto sizes = samples.shapes.extract(only);
    sizes.key() = inputs[0].name;
    samples.shapes.insert(std::move(sizes));
  }
  return runtime::OpenSamples(options.data, inputs, samples);
}

Result<LoadedVariant> LoadedVariant::Open(const std::filesystem::path& model,
                                          const RunOptions& options) {
  const double start = WallSeconds();
  CBOARD_ASSIGN_OR_RETURN(runtime::Session session,
                          runtime::Session::Open(model, SessionOptionsOf(options)));
  LoadedVariant variant(std::move(session));
  variant.load_ms_ = (WallSeconds() - start) * 1e3;
  const std::vector<runtime::ModelValue>& inputs = variant.session_.inputs();
  CBOARD_ASSIGN_OR_RETURN(const auto samples,
                          OpenRunSamples(model, inputs, options, kTimedSamples));
  variant.is_random_data_ = samples->is_generated();
  for (std::size_t i = 0; i < samples->size(); ++i) {
    CBOARD_ASSIGN_OR_RETURN(const auto tensors, samples->Read(i));
    CBOARD_ASSIGN_OR_RETURN(runtime::PreparedRun run, variant.session_.Prepare(tensors));
    if (i == 0) {
      for (const runtime::NamedTensor& tensor : tensors) {
        variant.input_shapes_.emplace_back(tensor.name, tensor.tensor.shape);
        variant.first_elements_.emplace_back(static_cast<const char*>(tensor.tensor.data),
                                             tensor.tensor.byte_count());
        variant.first_.push_back(tensor);
      }
      if (!tensors.empty() && !tensors[0].tensor.shape.empty()) {
        variant.batch_ =
            static_cast<std::size_t>(std::max<std::int64_t>(1, tensors[0].tensor.shape[0]));
      }
      const double run_start = WallSeconds();
      CBOARD_RETURN_IF_ERROR(run.Run());
      variant.first_inference_ms_ = (WallSeconds() - run_start) * 1e3;
      CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult outputs, variant.session_.Run(tensors));
      variant.output_problems_ = FindNonFinite(outputs);
    }
    variant.runs_.push_back(std::move(run));
  }
  return variant;
}

std::vector<runtime::NamedTensor> LoadedVariant::First() const {
  std::vector<runtime::NamedTensor> tensors = first_;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    tensors[i].tensor.data = first_elements_[i].data();
  }
  return tensors;
}

}  // namespace cboard::benchmark
