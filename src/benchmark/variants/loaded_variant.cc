#include <algorithm>
#include <cmath>

#include "benchmark/latency/run_clock.h"
#include "cboard/base/strings.h"
#include "cboard/benchmark/variant.h"
#include "cboard/tensor/convert.h"

namespace cboard::benchmark {
namespace {

constexpr std::size_t kTimedSamples = 4;

// Returns a note such as "output 'logits' has 3 non-finite values of 1,000"; empty if all values
// are finite. Only the first such output is named.
std::vector<std::string> FindNonFinite(const runtime::RunResult& outputs) {
  std::string first;
  std::size_t output_count = 0;
  for (const runtime::NamedTensor& output : outputs.tensors()) {
    if (!IsFloat(output.tensor.dtype)) continue;
    const auto values = tensor::ToDoubles(output.tensor);
    if (!values) continue;
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(*values, [](double value) { return !std::isfinite(value); }));
    if (count == 0 || ++output_count > 1) continue;
    first = "output " + Quoted(output.name) + " has " + HumanCount(count) +
            " non-finite values (NaN or infinity) of " + HumanCount(values->size());
  }
  if (output_count == 0) return {};
  const std::string others =
      output_count == 1 ? "" : " (of " + std::to_string(output_count) + " outputs that have some)";
  return {first + others + "; accuracy and speed are not those of a working model"};
}

// Returns an argument for --shape with the names of the open sizes: "x=1,3,height,?".
std::string ShapeToFill(const runtime::ModelValue& input) {
  std::string text = input.name + "=";
  for (std::size_t i = 0; i < input.shape.size(); ++i) {
    const bool is_named = i < input.dimension_names.size() && !input.dimension_names[i].empty();
    text += i == 0 ? "" : ",";
    text += input.shape[i] >= 0 ? std::to_string(input.shape[i])
            : i == 0            ? "1"
            : is_named          ? ToValidUtf8(input.dimension_names[i])
                                : "?";
  }
  return text;
}

bool HasOpenSizes(const runtime::ModelValue& input) {
  return std::ranges::any_of(input.shape.begin() + (input.shape.empty() ? 0 : 1), input.shape.end(),
                             [](std::int64_t size) { return size < 0; });
}

// Assigns a shape without an input name to the only input, or to the only input with open sizes.
Result<model::InputShapes> NameShapes(const std::filesystem::path& model,
                                      std::span<const runtime::ModelValue> inputs,
                                      model::InputShapes shapes) {
  const auto unnamed = shapes.find("");
  if (unnamed == shapes.end()) return shapes;
  std::vector<const runtime::ModelValue*> open;
  for (const runtime::ModelValue& input : inputs) {
    if (HasOpenSizes(input) && !shapes.contains(input.name)) open.push_back(&input);
  }
  if (inputs.size() != 1 && open.size() != 1) {
    return Fail(ErrorCode::kInvalidArgument,
                "the model " + Quoted(model.string(), 1000) + " has " +
                    std::to_string(inputs.size()) +
                    " inputs; name the one that --shape is for: --shape INPUT=SIZES");
  }
  auto sizes = shapes.extract(unnamed);
  sizes.key() = inputs.size() == 1 ? inputs[0].name : open[0]->name;
  shapes.insert(std::move(sizes));
  return shapes;
}

// Replaces a first size of 1 in --shape by --batch if the model leaves the first size open.
Result<void> SetBatch(std::span<const runtime::ModelValue> inputs, std::int64_t batch,
                      model::InputShapes& shapes) {
  for (const runtime::ModelValue& input : inputs) {
    const auto shape = shapes.find(input.name);
    if (batch == 1 || shape == shapes.end() || shape->second.empty()) continue;
    if (input.shape.empty() || input.shape[0] >= 0) continue;
    std::int64_t& first = shape->second[0];
    if (first != 1 && first != batch) {
      return Fail(ErrorCode::kInvalidArgument,
                  "--shape gives input " + Quoted(input.name) + " " + std::to_string(first) +
                      " samples, but --batch is " + std::to_string(batch) +
                      "; give only one of these two flags");
    }
    first = batch;
  }
  return {};
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
                  "the model " + Quoted(model.string(), 1000) + " has a fixed batch size: input " +
                      Quoted(input.name) + " is " + runtime::Describe(input) + ", but --batch is " +
                      std::to_string(options.batch) +
                      "; export the model with an open batch size, or omit --batch");
    }
  }
  CBOARD_ASSIGN_OR_RETURN(model::InputShapes shapes, NameShapes(model, inputs, options.shapes));
  CBOARD_RETURN_IF_ERROR(SetBatch(inputs, options.batch, shapes));
  std::string open, flags;
  for (const runtime::ModelValue& input : inputs) {
    if (!options.data.empty() || shapes.contains(input.name) || !HasOpenSizes(input)) continue;
    open +=
        (open.empty() ? "input " : ", ") + Quoted(input.name) + " is " + runtime::Describe(input);
    flags += " --shape " + ShapeToFill(input);
  }
  if (!open.empty()) {
    return Fail(ErrorCode::kInvalidArgument,
                "the model " + Quoted(model.string(), 1000) +
                    " has inputs with open sizes: " + open + "; give" + flags +
                    " with a number for each open size, or give samples with --data");
  }
  runtime::SampleOptions samples;
  samples.max_samples = max_samples;
  samples.batch_size = options.batch;
  samples.shapes = std::move(shapes);
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
      if (auto first_run = run.Run(); !first_run) {
        Error error = std::move(first_run).error();
        if (samples->is_generated()) {
          error.message +=
              "; its inputs were random: if it does not take any values, give samples with --data";
        }
        return Fail(std::move(error));
      }
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
