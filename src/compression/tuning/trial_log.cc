#include "compression/tuning/trial_log.h"

#include <cmath>

#include "cboard/base/strings.h"

namespace cboard::compression {
namespace {

constexpr std::size_t kNodeBins = 1000;  // The number of bins in neural-compressor.

std::string_view PrecisionOf(const TensorView& values, std::string_view given) {
  if (!given.empty()) return given;
  return values.quantization ? "int8" : "fp32";
}

std::string NotFinite(const HistogramSum& sum) {
  return HumanCount(sum.nan_count()) + " NaN and " + HumanCount(sum.infinity_count()) +
         " infinite of " + HumanCount(sum.value_count()) + " values";
}

}  // namespace

Result<void> TuningLogger::Trial::Begin(const std::string& session_start, std::string session_end) {
  session_end_ = std::move(session_end);
  CBOARD_RETURN_IF_ERROR(writer_.status());
  if (!session_start.empty()) CBOARD_RETURN_IF_ERROR(writer_.AddSummary(session_start));
  return writer_.Flush();  // Viewers show at once that this trial is running.
}

Result<void> TuningLogger::Trial::AddOutput(std::string_view op, const TensorView& batch,
                                            std::string_view precision) {
  const std::optional<std::string> name = fused_.OutputName(op);
  if (!name) return {};
  std::string tag = OutputTag(*name, PrecisionOf(batch, precision));
  const auto [entry, is_new] = output_index_.try_emplace(tag, outputs_.size());
  if (is_new) outputs_.push_back({.tag = std::move(tag)});
  return outputs_[entry->second].sum.Add(batch);
}

Result<void> TuningLogger::Trial::AddParameter(std::string_view op, std::string_view parameter,
                                               const TensorView& values,
                                               std::string_view precision) {
  precision = PrecisionOf(values, precision);
  std::string tag = ParameterTag(fused_.ParameterOwner(op), parameter, precision);
  if (!written_.insert(tag).second) {
    tag = ParameterTag(op, parameter, precision);
    if (!written_.insert(tag).second) {
      report_.omitted.push_back({tag, "it was logged already"});
      return {};
    }
  }
  HistogramSum sum;
  CBOARD_RETURN_IF_ERROR(sum.Add(values));
  return WriteSum(tag, sum);
}

Result<void> TuningLogger::Trial::AddTensorFlowGraph(const std::filesystem::path& file) {
  CBOARD_ASSIGN_OR_RETURN(graph_, TrialGraph::Open(file));
  CBOARD_ASSIGN_OR_RETURN(const std::string graph_def, graph_->Trimmed());
  CBOARD_RETURN_IF_ERROR(writer_.AddGraph(graph_def));
  Result<void> written;
  graph_->ForEachWeight([&](std::string_view name, const Result<TensorView>& values) {
    if (!written) return;
    if (!values) {
      report_.omitted.push_back({std::string(name), values.error().message});
    } else if (written_.emplace(name).second) {
      written = WriteEqualBins(std::string(name), *values);
    }
  });
  return written;
}

Result<void> TuningLogger::Trial::AddNodeOutput(std::string_view node,
                                                const TensorView& first_batch) {
  const std::string_view precision = graph_ ? graph_->precision() : PrecisionOf(first_batch, {});
  const std::string tag = NodeOutputTag(node, precision);
  CBOARD_RETURN_IF_ERROR(first_batch.Validate());
  if (!written_.insert(tag).second) return {};  // The tag was already written for an earlier batch.
  TensorView values = first_batch;
  std::optional<TrialGraph::Scale> scale;
  if (graph_ && !values.quantization) scale = graph_->ScaleOfOutput(node, values.dtype);
  if (scale) {
    values.quantization =
        Quantization::PerTensor(std::span(&scale->scale, 1), std::span(&scale->zero_point, 1));
  }
  return WriteEqualBins(tag, values);
}

Result<void> TuningLogger::Trial::WriteSum(const std::string& tag, const HistogramSum& sum) {
  if (const std::optional<tensor::HistogramData> total = sum.Total()) {
    CBOARD_RETURN_IF_ERROR(writer_.AddHistogramRaw(tag, *total, 0));
    report_.tags.push_back(tag);
  } else if (sum.value_count() == 0) {
    report_.omitted.push_back({tag, "the tensor is empty"});
  }
  const std::uint64_t not_finite = sum.nan_count() + sum.infinity_count();
  if (not_finite == 0) return {};
  report_.omitted.push_back({tag, NotFinite(sum) + ", left out of the histogram"});
  const std::string count_tag = tag + "/not_finite";
  report_.tags.push_back(count_tag);
  return writer_.AddScalar(count_tag, static_cast<double>(not_finite), 0);
}

Result<void> TuningLogger::Trial::WriteEqualBins(const std::string& tag, const TensorView& values) {
  const Result<tensor::HistogramData> histogram =
      tensor::ComputeHistogram(values, tensor::EqualBins{kNodeBins});
  if (histogram) {
    CBOARD_RETURN_IF_ERROR(writer_.AddHistogramRaw(tag, *histogram, 0));
    report_.tags.push_back(tag);
    return {};
  }
  HistogramSum sum;  // Equal bins need finite values, TensorBoard's bins do not.
  CBOARD_RETURN_IF_ERROR(sum.Add(values));
  return WriteSum(tag, sum);
}

Result<void> TuningLogger::Trial::WriteOutputs() {
  while (!outputs_.empty()) {
    CBOARD_RETURN_IF_ERROR(WriteSum(outputs_.front().tag, outputs_.front().sum));
    outputs_.pop_front();
  }
  output_index_.clear();
  return {};
}

Result<void> TuningLogger::Trial::End(std::span<const double> accuracies) {
  CBOARD_RETURN_IF_ERROR(WriteOutputs());
  for (std::size_t i = 0; i < accuracies.size(); ++i) {
    const std::string tag = i == 0 ? "accuracy" : "accuracy_" + std::to_string(i + 1);
    CBOARD_RETURN_IF_ERROR(writer_.AddScalar(tag, accuracies[i], 0));
    report_.tags.push_back(tag);
  }
  if (!session_end_.empty()) CBOARD_RETURN_IF_ERROR(writer_.AddSummary(session_end_));
  return writer_.Close();
}

Result<void> TuningLogger::Trial::EndFailed(std::string_view reason) {
  CBOARD_RETURN_IF_ERROR(WriteOutputs());
  CBOARD_RETURN_IF_ERROR(writer_.AddText("tuning/failure", ToValidUtf8(reason), 0));
  return writer_.Close();
}

}  // namespace cboard::compression
