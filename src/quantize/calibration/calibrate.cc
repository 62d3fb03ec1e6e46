#include "quantize/calibration/calibrate.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "base/parallel.h"
#include "cboard/base/strings.h"
#include "cboard/tensor/statistics.h"
#include "quantize/graph/graph_session.h"
#include "quantize/rounding/gram.h"

namespace cboard::quantize {

std::vector<runtime::NamedTensor> HeldSample::views() const {
  std::vector<runtime::NamedTensor> inputs;
  for (std::size_t i = 0; i < names.size(); ++i) inputs.push_back({names[i], tensors[i].view()});
  return inputs;
}

HeldSample HeldSample::CopyOf(std::span<const runtime::NamedTensor> inputs) {
  HeldSample sample;
  for (const runtime::NamedTensor& input : inputs) {
    sample.names.push_back(input.name);
    const std::size_t size = input.tensor.byte_count();
    const auto* const bytes = static_cast<const std::byte*>(input.tensor.data);
    sample.tensors.push_back({input.tensor.dtype, input.tensor.shape, {bytes, bytes + size}});
  }
  return sample;
}

Result<void> AddTensor(const TensorView& tensor, bool with_gram, TensorStatistics& statistics) {
  statistics.shape = tensor.shape;
  statistics.samples = 1;
  statistics.count = tensor.element_count();
  if (statistics.count == 0) return {};
  const std::size_t rank = tensor.shape.size();
  const std::size_t axis =
      statistics.channel_axis == kLastAxis ? rank - 1 : statistics.channel_axis;
  cboard::tensor::TensorStatistics all;
  if (rank > 0 && axis < rank && tensor.shape[axis] > 1) {
    CBOARD_ASSIGN_OR_RETURN(const auto channels, tensor::ComputeChannelStatistics(tensor, axis));
    all = channels[0];
    for (std::size_t i = 0; i < channels.size(); ++i) {
      const cboard::tensor::TensorStatistics& channel = channels[i];
      statistics.channel_min.push_back(channel.min);
      statistics.channel_max.push_back(channel.max);
      statistics.channel_sum.push_back(channel.sum);
      statistics.channel_sum_squares.push_back(channel.sum_squares);
      if (i == 0) continue;
      all.count += channel.count;
      all.nan_count += channel.nan_count;
      all.positive_infinity_count += channel.positive_infinity_count;
      all.negative_infinity_count += channel.negative_infinity_count;
      // Min and max are NaN for channels without finite values; fmin ignores NaN.
      all.min = std::fmin(all.min, channel.min);
      all.max = std::fmax(all.max, channel.max);
      if (channel.finite_count() == 0) continue;
      all.sum += channel.sum;
      all.sum_squares += channel.sum_squares;
    }
  } else {
    CBOARD_ASSIGN_OR_RETURN(all, tensor::ComputeStatistics(tensor));
  }
  statistics.nonfinite_count = all.count - all.finite_count();
  if (all.finite_count() == 0) return {};
  statistics.min = statistics.mean_min = all.min;
  statistics.max = statistics.mean_max = all.max;
  statistics.sum = all.sum;
  statistics.sum_squares = all.sum_squares;
  CBOARD_RETURN_IF_ERROR(
      statistics.histogram.Add(tensor, std::max(std::abs(all.min), std::abs(all.max))));
  if (with_gram && tensor.dtype == DType::kFloat32 && rank > 0) {
    const auto width = static_cast<std::size_t>(tensor.shape.back());
    AddGram({static_cast<const float*>(tensor.data), statistics.count}, width, statistics.gram);
  }
  return {};
}

void Merge(const TensorStatistics& sample, TensorStatistics& total) {
  if (total.samples == 0) {
    total = sample;
    return;
  }
  const bool is_first = total.count == total.nonfinite_count;
  const bool has_values = sample.count > sample.nonfinite_count;
  total.count += sample.count;
  total.nonfinite_count += sample.nonfinite_count;
  total.samples += sample.samples;
  if (!has_values) return;
  total.min = is_first ? sample.min : std::min(total.min, sample.min);
  total.max = is_first ? sample.max : std::max(total.max, sample.max);
  total.sum += sample.sum;
  total.sum_squares += sample.sum_squares;
  const double weight = 1.0 / static_cast<double>(total.samples);
  total.mean_min += (sample.mean_min - total.mean_min) * weight;
  total.mean_max += (sample.mean_max - total.mean_max) * weight;
  total.histogram.Merge(sample.histogram);
  if (total.channel_min.size() != sample.channel_min.size()) {
    total.channel_min.clear();
    total.channel_max.clear();
    total.channel_sum.clear();
    total.channel_sum_squares.clear();
  }
  for (std::size_t i = 0; i < total.channel_min.size(); ++i) {
    total.channel_min[i] = std::fmin(total.channel_min[i], sample.channel_min[i]);
    total.channel_max[i] = std::fmax(total.channel_max[i], sample.channel_max[i]);
    total.channel_sum[i] += sample.channel_sum[i];
    total.channel_sum_squares[i] += sample.channel_sum_squares[i];
  }
  if (total.gram.size() != sample.gram.size()) total.gram.clear();
  for (std::size_t i = 0; i < total.gram.size(); ++i) total.gram[i] += sample.gram[i];
}

namespace {

// Maximum memory for activations of samples that run in parallel.
constexpr std::size_t kMaxActivationBytes = std::size_t{96} << 20;

// Minimum number of samples to hold some out; with fewer, all are used for calibration.
constexpr std::size_t kMinSamplesToHoldOut = 8;

// Chooses held-out samples, at most a quarter: one of each part of the samples, at a place that
// looks random but is always the same. At a fixed distance, samples that take turns (a class each,
// again and again) would be held out from one class only.
std::vector<bool> ChooseHeldOut(std::size_t samples, std::size_t max_held) {
  std::vector<bool> is_held(samples);
  const std::size_t count = std::min(max_held, samples / 4);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * samples / count, end = (i + 1) * samples / count;
    const std::uint64_t mixed = (i + 1) * 0x9E3779B97F4A7C15u;
    is_held[begin + (mixed >> 40) % (end - begin)] = true;
  }
  return is_held;
}

Result<void> CheckInputs(const HeldSample& sample, std::size_t index) {
  for (std::size_t i = 0; i < sample.names.size(); ++i) {
    const TensorView view = sample.tensors[i].view();
    CBOARD_ASSIGN_OR_RETURN(const auto statistics, tensor::ComputeStatistics(view));
    if (statistics.finite_count() == statistics.count) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "sample " + std::to_string(index) + " contains NaN or infinity in input " +
                    Quoted(sample.names[i]) + "; remove it or check the preprocessing");
  }
  return {};
}

}  // namespace

Result<Calibration> Calibrate(const Graph& graph, runtime::SampleSource& samples,
                              const CalibrationRequest& request,
                              const runtime::SessionOptions& session) {
  Calibration calibration;
  Statistics& statistics = calibration.statistics;
  statistics.source = samples.Description();
  statistics.is_generated = samples.is_generated();
  const std::size_t total = samples.size();
  if (total == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "the data contains no sample; give at least one sample");
  }
  std::vector<std::string> computed;
  std::unordered_set<std::string> inputs;
  for (const Value& input : graph.inputs) inputs.insert(input.name);
  std::unordered_set<std::string> outputs;
  for (const Value& output : graph.outputs) outputs.insert(output.name);
  std::vector<std::string> added;
  for (const auto& [tensor, axis] : request.tensors) {
    if (inputs.contains(tensor)) continue;
    computed.push_back(tensor);
    if (!outputs.contains(tensor)) added.push_back(tensor);
  }
  const std::unordered_set<std::string> with_gram(request.gram_tensors.begin(),
                                                  request.gram_tensors.end());
  std::optional<runtime::Session> opened;
  {
    runtime::SessionOptions options = session;
    options.optimize = true;
    options.threads = 1;
    CBOARD_ASSIGN_OR_RETURN(opened, OpenSession(graph, added, options));
  }
  const std::size_t threads = request.threads != 0
                                  ? request.threads
                                  : std::max<std::size_t>(1, std::thread::hardware_concurrency());
  calibration.is_held_out = total >= kMinSamplesToHoldOut;
  const std::vector<bool> is_held = ChooseHeldOut(total, request.max_held_samples);
  bool has_nonzero = false;
  // The first sample shows how many samples can run in parallel within the memory limit for
  // activations.
  std::size_t side_by_side = 1, activation_bytes = 1;
  for (std::size_t done = 0; done < total;) {
    // Samples are read one after the other, run in parallel, and added in their order.
    std::vector<HeldSample> batch;
    std::vector<std::map<std::string, TensorStatistics>> results;
    while (done < total && batch.size() < side_by_side) {
      const std::size_t index = done++;
      auto read = samples.Read(index);
      if (!read) {
        return Fail(Annotate(std::move(read).error(), "sample " + std::to_string(index)));
      }
      HeldSample sample = HeldSample::CopyOf(*read);
      CBOARD_RETURN_IF_ERROR(CheckInputs(sample, index));
      for (const runtime::OwnedTensor& tensor : sample.tensors) {
        has_nonzero = has_nonzero || std::ranges::any_of(tensor.elements, [](std::byte byte) {
                        return byte != std::byte{0};
                      });
      }
      const bool is_small =
          !calibration.is_held_out && calibration.held_samples.size() < request.max_held_samples;
      if (calibration.is_held_out && is_held[index]) {
        calibration.held_samples.push_back(std::move(sample));
        continue;
      }
      if (is_small) calibration.held_samples.push_back(sample);
      batch.push_back(std::move(sample));
    }
    results.resize(batch.size());
    const auto work = [&](std::size_t, std::size_t item) -> Result<void> {
      if (batch.size() == 1) activation_bytes = 1;
      const std::vector<runtime::NamedTensor> views = batch[item].views();
      CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult result, opened->Run(views, computed));
      std::vector<runtime::NamedTensor> wanted;
      const auto want = [&](const runtime::NamedTensor& tensor) {
        const auto found = request.tensors.find(tensor.name);
        if (tensor.tensor.dtype != DType::kFloat32 || found == request.tensors.end()) return;
        results[item][tensor.name].channel_axis = found->second;
        wanted.push_back(tensor);
      };
      std::ranges::for_each(result.tensors(), want);
      std::ranges::for_each(views, want);
      const auto add = [&](std::size_t, std::size_t i) {
        const std::string& name = wanted[i].name;
        return AddTensor(wanted[i].tensor, with_gram.contains(name), results[item].at(name));
      };
      // For a single sample, the other processors work on its tensors.
      const std::size_t helpers = batch.size() > 1 ? 1 : std::min(threads, kMaxThreads);
      if (batch.size() == 1) {
        for (const runtime::NamedTensor& tensor : wanted) {
          activation_bytes += tensor.tensor.element_count() * sizeof(float);
        }
      }
      return ForEachInParallel(wanted.size(), add, nullptr,
                               {.items_per_thread = 4, .max_threads = helpers});
    };
    if (auto ran = ForEachInParallel(batch.size(), work, nullptr, {.items_per_thread = 1}); !ran) {
      Error error = std::move(ran).error();
      if (statistics.is_generated) {
        error.message +=
            "; the samples are random: give real ones with --data, or the sizes of inputs with "
            "--shape";
      }
      return Fail(std::move(error));
    }
    if (!batch.empty()) {
      side_by_side = std::clamp<std::size_t>(kMaxActivationBytes / activation_bytes, 1,
                                             std::min(threads, kMaxThreads));
    }
    for (const auto& result : results) {
      for (const auto& [name, tensor] : result) Merge(tensor, statistics.tensors[name]);
      ++statistics.samples;
    }
    if (request.progress && !request.progress(done, total)) {
      return Fail(ErrorCode::kUnavailable,
                  "the calibration was interrupted before it had read all samples");
    }
  }
  if (!has_nonzero) {
    return Fail(ErrorCode::kInvalidArgument,
                "all values of all samples are 0; calibrate with typical samples");
  }
  if (statistics.samples == 1) {
    statistics.warnings.push_back("ranges come from one sample; give at least 16");
  }
  return calibration;
}

}  // namespace cboard::quantize
