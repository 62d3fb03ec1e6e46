#include "compare/measure/output_comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <unordered_set>
#include <utility>

#include "cboard/runtime/capture.h"
#include "cboard/tensor/convert.h"
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

// The values of a tensor: where they lie, if they are floats, and otherwise converted into
// `storage`.
Result<std::span<const float>> FloatsOf(const TensorView& tensor, std::vector<float>& storage) {
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(tensor.data) % alignof(float) == 0;
  if (tensor.dtype == DType::kFloat32 && !tensor.quantization && is_aligned) {
    return std::span(static_cast<const float*>(tensor.data), tensor.element_count());
  }
  CBOARD_ASSIGN_OR_RETURN(storage, tensor::ToFloats(tensor));
  return storage;
}

// One output, gathered over samples.
class OutputGatherer {
 public:
  OutputGatherer(const OutputPlan& plan, bool histograms, ChannelBudget& budget)
      : plan_(plan),
        grid_(plan.grid && std::isfinite(plan.grid->scale) && plan.grid->scale > 0 ? plan.grid
                                                                                   : std::nullopt),
        histograms_(histograms),
        budget_(budget) {}

  Result<void> Add(TensorView reference, TensorView compressed, const TensorView* before) {
    if (plan_.codes) {
      compressed.quantization =
          Quantization::PerTensor(plan_.codes->scales, plan_.codes->zero_points);
    }
    // Sums of codes (ConvInteger, MatMulInteger) are multiplied by their scale in a later node.
    const bool is_unscaled = IsFloat(reference.dtype) && !IsFloat(compressed.dtype) && !plan_.codes;
    if (is_given_up_ || is_unscaled || reference.shape != compressed.shape ||
        reference.element_count() == 0 || reference.shape.empty()) {
      is_given_up_ = true;  // A layout of its own, or nothing to compare.
      return {};
    }
    std::vector<float> equalized;
    CBOARD_RETURN_IF_ERROR(Equalize(reference, equalized));
    if (!accumulated_) {
      constexpr std::size_t kBuilders = 3;
      std::optional axis = ChannelAxisOf(plan_, reference.shape.size());
      if (!budget_.Take(static_cast<std::size_t>(reference.shape[*axis]), kBuilders)) axis.reset();
      channel_axis_ = axis;
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
    return findings;
  }

 private:
  // Multiplies the baseline's output by the factors of equalization, in `storage`.
  Result<void> Equalize(TensorView& reference, std::vector<float>& storage) const {
    if (plan_.factors.empty()) return {};
    const std::size_t axis = ChannelAxisOf(plan_, reference.shape.size());
    const auto channels = static_cast<std::size_t>(reference.shape[axis]);
    if (channels % plan_.factors.size() != 0) return {};
    CBOARD_ASSIGN_OR_RETURN(storage, tensor::ToFloats(reference));
    std::size_t inner = channels / plan_.factors.size();  // More than one behind a Flatten.
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
  std::optional<tensor::QuantizationGrid>
      grid_;  // Nothing where its scale is no number to round by.
  bool histograms_;
  ChannelBudget& budget_;
  bool is_given_up_ = false;
  bool has_local_ = false;
  std::optional<std::size_t> channel_axis_;
  std::optional<tensor::ComparisonBuilder> accumulated_, local_, undisturbed_;
  ClippingResidual local_residual_, baseline_input_residual_;
  std::vector<double> sample_cosines_;
  std::shared_ptr<ValueBins> values_ = std::make_shared<ValueBins>();
  compression::HistogramSum baseline_, variant_;
};

// Names of tensors that nodes compute; inputs come with the sample.
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

}  // namespace

Result<OutputSummary> CompareOutputs(const model::ModelGraph& baseline,
                                     const model::ModelGraph& variant,
                                     const std::vector<OutputPlan>& plans,
                                     std::span<SaturationCheck> checks,
                                     const CompareOptions& options) {
  std::vector<std::string> ours, theirs;
  std::vector<OutputGatherer> gatherers;
  ChannelBudget budget(baseline, variant);
  for (const OutputPlan& plan : plans) {
    ours.push_back(plan.baseline);
    theirs.push_back(plan.variant);
    if (!plan.before.empty()) theirs.push_back(plan.before);
    gatherers.emplace_back(plan, options.histograms, budget);
  }
  for (const SaturationCheck& check : checks) theirs.push_back(check.input());
  EndGatherer ends(baseline, variant);
  for (std::string& name : ends.BaselineTensors()) ours.push_back(std::move(name));
  for (std::string& name : ends.VariantTensors()) theirs.push_back(std::move(name));
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture first, OpenCapture(baseline, ours));
  CBOARD_ASSIGN_OR_RETURN(const runtime::ModelCapture second, OpenCapture(variant, theirs));
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
        for (std::size_t i = 0; i < plans.size(); ++i) {
          const OutputPlan& plan = plans[i];
          const TensorView* x = FindIn(sample.results[0], sample.inputs, plan.baseline);
          const TensorView* y = FindIn(sample.results[1], sample.inputs, plan.variant);
          if (x == nullptr || y == nullptr) continue;
          const TensorView* before =
              plan.before.empty() ? nullptr : FindIn(sample.results[1], sample.inputs, plan.before);
          if (const auto added = gatherers[i].Add(*x, *y, before); !added) {
            return Fail(Annotate(added.error(), "output '" + plan.baseline + "'"));
          }
        }
        CBOARD_RETURN_IF_ERROR(ends.Add([&](std::size_t side, const std::string& name) {
          return FindIn(sample.results[side], sample.inputs, name);
        }));
        for (SaturationCheck& check : checks) {
          if (const TensorView* codes = sample.results[1].Find(check.input())) {
            check.Add(*codes);
          }
        }
        return {};
      },
      options.progress);
  if (!captured) return Fail(WithAdvice(captured.error(), first.session().inputs(), *samples));
  OutputSummary summary{.outputs = {},
                        .ends = ends.Build(),
                        .samples = captured->samples,
                        .source = captured->source,
                        .is_generated = captured->is_generated,
                        .input_shapes = std::move(input_shapes)};
  for (const OutputGatherer& gatherer : gatherers) summary.outputs.push_back(gatherer.Build());
  return summary;
}

}  // namespace cboard::compare
