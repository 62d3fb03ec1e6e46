#include "compare/measure/output_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/parallel.h"
#include "cboard/runtime/capture.h"
#include "cboard/tensor/convert.h"
#include "compare/measure/channel_histograms.h"
#include "compare/measure/compared_samples.h"
#include "compare/pairing/channel_budget.h"
#include "compression/tuning/histogram_sum.h"

namespace cboard::compare {
namespace {

std::size_t ChannelAxisOf(const OutputPlan& plan, std::size_t rank) {
  if (plan.channel_axis && *plan.channel_axis < rank) return *plan.channel_axis;
  const bool is_second = plan.channels == ChannelPlace::kSecond ||
                         (plan.channels == ChannelPlace::kByRank && rank == 4);
  return rank > 1 && is_second ? 1 : rank - 1;
}

// Returns the values of a tensor: in place if they are floats, otherwise converted into `storage`.
Result<std::span<const float>> FloatsOf(const TensorView& tensor, std::vector<float>& storage) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(tensor.data) % alignof(float) == 0;
  if (tensor.dtype == DType::kFloat32 && !tensor.quantization && is_aligned) {
    return std::span(static_cast<const float*>(tensor.data), tensor.element_count());
  }
  CBOARD_ASSIGN_OR_RETURN(storage, tensor::ToFloats(tensor));
  return storage;
}

// Collects statistics of one layer output over all samples.
class OutputGatherer {
 public:
  OutputGatherer(const OutputPlan& plan, bool histograms, ChannelBudget& budget)
      : plan_(plan),
        grid_(plan.grid && std::isfinite(plan.grid->scale) && plan.grid->scale > 0 ? plan.grid
                                                                                   : std::nullopt),
        histograms_(histograms),
        budget_(budget) {}

  // Prepares the comparison of one output. The first call decides whether there is enough memory
  // for statistics by channel. Not thread-safe: all outputs share this memory, so the order of the
  // first calls must be fixed.
  void Prepare(const TensorView& reference) {
    if (is_prepared_ || reference.shape.empty() || reference.element_count() == 0) return;
    is_prepared_ = true;
    constexpr std::size_t kBuilders = 3;
    const std::size_t axis = ChannelAxisOf(plan_, reference.shape.size());
    if (budget_.Take(static_cast<std::size_t>(reference.shape[axis]), kBuilders)) {
      channel_axis_ = axis;
    }
  }

  // Adds the outputs of both models for one sample. Requires Prepare. Thread-safe for different
  // outputs.
  Result<void> Add(TensorView reference, TensorView compressed, const TensorView* before) {
    if (plan_.codes) {
      compressed.quantization =
          Quantization::PerTensor(plan_.codes->scales, plan_.codes->zero_points);
    }
    // Integer sums (of ConvInteger, MatMulInteger) cannot be compared, because a later node
    // multiplies them by their scale.
    const bool is_unscaled = IsFloat(reference.dtype) && !IsFloat(compressed.dtype) && !plan_.codes;
    if (is_given_up_ || is_unscaled || reference.shape != compressed.shape ||
        reference.element_count() == 0 || reference.shape.empty()) {
      is_given_up_ = true;  // The shapes or types of the two tensors differ.
      return {};
    }
    std::vector<float> equalized;
    CBOARD_RETURN_IF_ERROR(Equalize(reference, equalized));
    if (!accumulated_) {
      const std::optional<std::size_t> axis = channel_axis_;
      const auto grid = plan_.codes ? std::nullopt : grid_;
      accumulated_.emplace(tensor::ComparisonOptions{.channel_axis = axis});
      local_.emplace(tensor::ComparisonOptions{
          .channel_axis = axis, .grid = grid, .divergence = grid.has_value()});
      undisturbed_.emplace(tensor::ComparisonOptions{.channel_axis = axis, .grid = grid_});
    }
    CBOARD_RETURN_IF_ERROR(accumulated_->Add(reference, compressed));
    if (sample_cosines_.size() < kMaxSampleCosines) {
      CBOARD_ASSIGN_OR_RETURN(const tensor::Comparison sample, Compare(reference, compressed));
      sample_cosines_.push_back(sample.total.Cosine());
    }
    if (before != nullptr && before->shape == compressed.shape) {
      CBOARD_RETURN_IF_ERROR(AddLocal(*before, compressed));
      CBOARD_RETURN_IF_ERROR(AddQuantizerOnly(reference));
    }
    if (!histograms_) return {};
    CBOARD_RETURN_IF_ERROR(AddChannels(reference, compressed));
    CBOARD_RETURN_IF_ERROR(baseline_.Add(reference));
    return variant_.Add(compressed);
  }

  OutputFindings Build() const {
    OutputFindings findings;
    if (is_given_up_ || !accumulated_) return findings;
    findings.accumulated = accumulated_->Build();
    findings.sample_cosines = sample_cosines_;
    findings.channel_axis = channel_axis_;
    if (has_local_) findings.local = local_->Build();
    if (has_local_ && plan_.grid) findings.values = values_;
    if (has_local_ && grid_) {
      findings.undisturbed = undisturbed_->Build();
      findings.local_residual = local_residual_;
      findings.baseline_input_residual = baseline_input_residual_;
      findings.grid = grid_;
    }
    const auto baseline = baseline_.Total(), variant = variant_.Total();
    if (baseline && variant) findings.histograms = Histograms{*baseline, *variant};
    findings.channel_histograms = channels_.Build();
    return findings;
  }

 private:
  // Multiplies the baseline's output by the equalization factors; uses `storage`.
  Result<void> Equalize(TensorView& reference, std::vector<float>& storage) const {
    if (plan_.factors.empty()) return {};
    const std::size_t axis = ChannelAxisOf(plan_, reference.shape.size());
    const auto channels = static_cast<std::size_t>(reference.shape[axis]);
    if (channels % plan_.factors.size() != 0) return {};
    CBOARD_ASSIGN_OR_RETURN(storage, tensor::ToFloats(reference));
    // The number of elements per factor is larger than one behind a Flatten.
    std::size_t inner = channels / plan_.factors.size();
    for (std::size_t i = axis + 1; i < reference.shape.size(); ++i) {
      inner *= static_cast<std::size_t>(reference.shape[i]);
    }
    for (std::size_t i = 0; i < storage.size(); ++i) {
      const double factor = plan_.factors[i / inner % plan_.factors.size()];
      if (factor > 0) storage[i] = static_cast<float>(storage[i] * factor);
    }
    reference = TensorView(storage, reference.shape);
    return {};
  }

  Result<void> AddChannels(const TensorView& reference, const TensorView& compressed) {
    if (!channel_axis_) return {};
    std::vector<float> x, y;
    CBOARD_ASSIGN_OR_RETURN(const std::span<const float> before, FloatsOf(reference, x));
    CBOARD_ASSIGN_OR_RETURN(const std::span<const float> after, FloatsOf(compressed, y));
    return channels_.Add(before, after, reference.shape, *channel_axis_, *accumulated_);
  }

  Result<void> AddLocal(const TensorView& before, const TensorView& after) {
    has_local_ = true;
    if (!plan_.clamp) {
      CBOARD_RETURN_IF_ERROR(AddResidual(before, after, local_residual_));
      return local_->Add(before, after);
    }
    CBOARD_ASSIGN_OR_RETURN(std::vector<float> clamped, tensor::ToFloats(before));
    for (float& value : clamped) {
      value = std::min(std::max(value, plan_.clamp->low), plan_.clamp->high);
    }
    const TensorView reference(clamped, before.shape);
    CBOARD_RETURN_IF_ERROR(AddResidual(reference, after, local_residual_));
    return local_->Add(reference, after);
  }

  Result<void> AddResidual(const TensorView& reference, const TensorView& compressed,
                           ClippingResidual& left) const {
    if (!grid_) return {};
    const CodeRange range = RangeOf(*grid_);
    std::vector<float> x, y;
    CBOARD_ASSIGN_OR_RETURN(const std::span<const float> references, FloatsOf(reference, x));
    CBOARD_ASSIGN_OR_RETURN(const std::span<const float> rounded, FloatsOf(compressed, y));
    left.Add(references, rounded, static_cast<float>(range.low), static_cast<float>(range.high));
    return {};
  }

  Result<void> AddQuantizerOnly(const TensorView& reference) {
    if (!plan_.grid) return {};
    std::vector<float> storage;
    CBOARD_ASSIGN_OR_RETURN(const std::span<const float> values, FloatsOf(reference, storage));
    values_->Add(values);
    if (!grid_) return {};
    const auto& [scale, zero_point, code_min, code_max] = *grid_;
    std::vector<float> rounded(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double code = std::nearbyint(values[i] / scale) + zero_point;
      const double kept = std::min(std::max(code, double(code_min)), double(code_max));
      rounded[i] = static_cast<float>((kept - zero_point) * scale);
    }
    const TensorView compressed(rounded, reference.shape);
    CBOARD_RETURN_IF_ERROR(AddResidual(reference, compressed, baseline_input_residual_));
    return undisturbed_->Add(reference, compressed);
  }

  const OutputPlan& plan_;
  std::optional<tensor::QuantizationGrid> grid_;  // nullopt if its scale is not a finite number.
  bool histograms_;
  ChannelBudget& budget_;
  bool is_prepared_ = false;
  bool is_given_up_ = false;
  bool has_local_ = false;
  std::optional<std::size_t> channel_axis_;
  std::optional<tensor::ComparisonBuilder> accumulated_, local_, undisturbed_;
  ClippingResidual local_residual_, baseline_input_residual_;
  std::vector<double> sample_cosines_;
  std::shared_ptr<ValueBins> values_ = std::make_shared<ValueBins>();
  compression::HistogramSum baseline_, variant_;
  OutputChannels channels_;
};

// Returns the names of `names` whose tensors are computed by nodes. Inputs of the model are part of
// the sample.
std::vector<std::string> Computed(const model::ModelGraph& model,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> computed;
  std::unordered_set<std::string> seen;
  for (const std::string& name : names) {
    const model::TensorId id = model.FindTensor(name);
    if (id == model::kNoTensor || model.tensor(id).producer == model::kNoNode ||
        !seen.insert(name).second) {
      continue;
    }
    computed.push_back(name);
  }
  return computed;
}

Result<runtime::ModelCapture> OpenCapture(const model::ModelGraph& model,
                                          const std::vector<std::string>& names) {
  return runtime::ModelCapture::Open(model.path(), {.tensors = Computed(model, names)});
}

const TensorView* FindIn(const runtime::RunResult& result,
                         std::span<const runtime::NamedTensor> inputs, const std::string& name) {
  if (const TensorView* tensor = result.Find(name)) return tensor;
  const auto found = std::ranges::find(inputs, name, &runtime::NamedTensor::name);
  return found == inputs.end() ? nullptr : &found->tensor;
}

// Returns a tensor of the baseline (side 0) or of the compressed model (side 1); null if it was not
// captured.
using FindTensor = std::function<const TensorView*(std::size_t side, const std::string& name)>;

// Collects statistics of all outputs of both models over the samples.
class ModelOutputGatherer {
 public:
  ModelOutputGatherer(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                      const std::vector<OutputPlan>& plans, std::span<SaturationCheck> checks,
                      bool histograms)
      : plans_(plans), checks_(checks), budget_(baseline, variant), ends_(baseline, variant) {
    for (const OutputPlan& plan : plans) outputs_.emplace_back(plan, histograms, budget_);
  }

  std::vector<std::string> BaselineTensors() const {
    std::vector<std::string> names = ends_.BaselineTensors();
    for (const OutputPlan& plan : plans_) names.push_back(plan.baseline);
    return names;
  }

  std::vector<std::string> VariantTensors() const {
    std::vector<std::string> names = ends_.VariantTensors();
    for (const OutputPlan& plan : plans_) {
      names.push_back(plan.variant);
      if (!plan.before.empty()) names.push_back(plan.before);
    }
    for (const SaturationCheck& check : checks_) names.push_back(check.input());
    return names;
  }

  Result<void> Add(const FindTensor& find) {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      const TensorView* x = find(0, plans_[i].baseline);
      if (x != nullptr) outputs_[i].Prepare(*x);
    }
    CBOARD_RETURN_IF_ERROR(ForEachInParallel(
        plans_.size() + checks_.size(),
        [&](std::size_t, std::size_t i) -> Result<void> {
          if (i < plans_.size()) return AddOutput(i, find);
          SaturationCheck& check = checks_[i - plans_.size()];
          if (const TensorView* codes = find(1, check.input())) check.Add(*codes);
          return {};
        },
        nullptr, ParallelOptions::ForLargeItems()));
    return ends_.Add(find);
  }

  // Sets the outputs and ends of `summary`.
  void Build(OutputSummary& summary) const {
    summary.ends = ends_.Build();
    for (const OutputGatherer& output : outputs_) summary.outputs.push_back(output.Build());
  }

 private:
  Result<void> AddOutput(std::size_t i, const FindTensor& find) {
    const OutputPlan& plan = plans_[i];
    const TensorView* x = find(0, plan.baseline);
    const TensorView* y = find(1, plan.variant);
    if (x == nullptr || y == nullptr) return {};
    const TensorView* before = plan.before.empty() ? nullptr : find(1, plan.before);
    if (const auto added = outputs_[i].Add(*x, *y, before); !added) {
      return Fail(Annotate(added.error(), "output '" + plan.baseline + "'"));
    }
    return {};
  }

  const std::vector<OutputPlan>& plans_;
  std::span<SaturationCheck> checks_;
  ChannelBudget budget_;
  std::vector<OutputGatherer> outputs_;
  EndGatherer ends_;
};

Result<OutputSummary> GatherComputed(const model::ModelGraph& baseline,
                                     const ComputedOutputs& computed,
                                     ModelOutputGatherer& gatherer) {
  OutputSummary summary{.outputs = {},
                        .ends = {},
                        .samples = computed.samples.size(),
                        .source = computed.source,
                        .is_generated = false,
                        .input_shapes = {}};
  for (const ComputedSample& sample : computed.samples) {
    std::unordered_map<std::string_view, const TensorView*> sides[2];
    for (const auto& [name, tensor] : sample.baseline) sides[0].emplace(name, &tensor);
    for (const auto& [name, tensor] : sample.variant) sides[1].emplace(name, &tensor);
    const FindTensor find = [&](std::size_t side, const std::string& name) -> const TensorView* {
      const auto found = sides[side].find(name);
      return found == sides[side].end() ? nullptr : found->second;
    };
    for (const model::TensorId id : baseline.inputs()) {
      const std::string& name = baseline.tensor(id).name;
      if (const TensorView* input = find(0, name)) {
        summary.input_shapes.try_emplace(name, input->shape);
      }
    }
    CBOARD_RETURN_IF_ERROR(gatherer.Add(find));
  }
  gatherer.Build(summary);
  return summary;
}

}  // namespace

Result<OutputSummary> CompareOutputs(const model::ModelGraph& baseline,
                                     const model::ModelGraph& variant,
                                     const std::vector<OutputPlan>& plans,
                                     std::span<SaturationCheck> checks,
                                     const CompareOptions& options,
                                     const ComputedOutputs* computed) {
  ModelOutputGatherer gatherer(baseline, variant, plans, checks, options.histograms);
  if (computed != nullptr) return GatherComputed(baseline, *computed, gatherer);
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture first,
                          OpenCapture(baseline, gatherer.BaselineTensors()));
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture second,
                          OpenCapture(variant, gatherer.VariantTensors()));
  CBOARD_ASSIGN_OR_RETURN(const std::unique_ptr<runtime::SampleSource> samples,
                          OpenComparedSamples(baseline, variant, first.session().inputs(), options,
                                              options.samples.value_or(kDefaultSamples)));
  const runtime::ModelCapture* models[] = {&first, &second};
  model::InputShapes input_shapes;
  const Result<runtime::CaptureSummary> captured = runtime::CaptureSamples(
      *samples, models,
      [&](const runtime::CapturedSample& sample) -> Result<void> {
        for (const runtime::NamedTensor& input : sample.inputs) {
          input_shapes.try_emplace(input.name, input.tensor.shape);
        }
        return gatherer.Add([&](std::size_t side, const std::string& name) {
          return FindIn(sample.results[side], sample.inputs, name);
        });
      },
      options.progress);
  if (!captured) return Fail(WithAdvice(captured.error(), first.session().inputs(), *samples));
  OutputSummary summary{.outputs = {},
                        .ends = {},
                        .samples = captured->samples,
                        .source = captured->source,
                        .is_generated = captured->is_generated,
                        .input_shapes = std::move(input_shapes)};
  gatherer.Build(summary);
  return summary;
}

}  // namespace cboard::compare
