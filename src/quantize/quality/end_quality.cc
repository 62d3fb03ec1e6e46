#include "quantize/quality/end_quality.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "cboard/tensor/convert.h"

namespace cboard::quantize {

double EndQuality::MeanSqnrDb() const {
  double sum = 0;
  for (const double sqnr_db : sample_sqnr_db) sum += sqnr_db;
  return sample_sqnr_db.empty() ? 0 : sum / static_cast<double>(sample_sqnr_db.size());
}

double EndQuality::MinSqnrDb() const {
  double min = 200;
  for (const HeadQuality& head : heads) min = std::min(min, head.sqnr_db);
  return min;
}

namespace {

// Difference in dB that a head with few values may show by chance.
constexpr double kMaxHeadLossDb = 2;

}  // namespace

bool IsBetter(const EndQuality& changed, const EndQuality& now, double min_gain_db) {
  const double gain = changed.MeanSqnrDb() - now.MeanSqnrDb();
  if (gain < min_gain_db) return false;
  for (std::size_t i = 0; i < std::min(changed.heads.size(), now.heads.size()); ++i) {
    if (changed.heads[i].channel_sqnr_db < now.heads[i].channel_sqnr_db - kMaxHeadLossDb)
      return false;
  }
  const std::size_t count = now.sample_sqnr_db.size();
  if (count < 4 || changed.sample_sqnr_db.size() != count) return true;
  // The gain must exceed its standard error: with few samples, one of many choices always looks
  // better by chance.
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double deviation = changed.sample_sqnr_db[i] - now.sample_sqnr_db[i] - gain;
    squares += deviation * deviation;
  }
  const double samples = static_cast<double>(count);
  return gain >= std::sqrt(squares / (samples - 1) / samples);
}

namespace {

// Returns all names without repetition.
std::vector<std::string> NamesIn(std::initializer_list<std::span<const std::string>> lists) {
  std::vector<std::string> names;
  for (const auto list : lists) {
    for (const std::string& name : list) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

HeldSample CopyOf(const runtime::RunResult& result, std::span<const std::string> names) {
  std::vector<runtime::NamedTensor> found;
  for (const std::string& name : names) {
    if (const TensorView* const tensor = result.Find(name)) found.push_back({name, *tensor});
  }
  return HeldSample::CopyOf(found);
}

}  // namespace

Result<ModelOutputs> RunModel(const runtime::Session& opened, std::span<const std::string> tensors,
                              std::span<const HeldSample> samples, KeptTensors* also) {
  ModelOutputs outputs;
  for (const HeldSample& sample : samples) {
    const std::vector<runtime::NamedTensor> inputs = sample.views();
    std::vector<std::string> copied;
    if (also != nullptr) {
      copied = also->samples.empty() ? NamesIn({also->always, also->at_first}) : also->always;
    }
    const std::vector<std::string> wanted = NamesIn({tensors, copied});
    CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult result, opened.Run(inputs, wanted));
    if (also != nullptr) also->samples.push_back(CopyOf(result, copied));
    auto& kept = outputs.samples.emplace_back();
    for (const std::string& name : tensors) {
      ModelOutputs::Output& output = kept.emplace_back();
      output.name = name;
      const TensorView* const tensor = result.Find(name);
      if (tensor == nullptr) continue;  // Outputs without numbers count as equal.
      output.shape = tensor->shape;
      CBOARD_ASSIGN_OR_RETURN(output.values, ToFloats(*tensor));
    }
  }
  return outputs;
}

namespace {

double SqnrOf(double power, double error) {
  return error <= 0 ? 200 : power <= 0 ? -200 : 10 * std::log10(power / error);
}

// Returns the channel dimension of an output with more than two dimensions, which is the smaller of
// dimension 1 and the last one: [1, 84, 8400] and [1, 8400, 85] both have boxes and scores as
// channels.
std::optional<std::size_t> ChannelAxisOf(const std::vector<std::int64_t>& shape) {
  if (shape.size() < 3) return std::nullopt;
  const std::size_t last = shape.size() - 1;
  const std::size_t axis = shape[1] <= shape[last] ? 1 : last;
  if (shape[axis] < 2 || shape[axis] > 1024) return std::nullopt;
  return axis;
}

// Maximum SQNR of a sample in dB: samples without an error must not dominate the mean.
constexpr double kMaxSqnrDb = 60;

// The mean of each value over the samples. The signal of an output is what differs between samples:
// no error changes the average position of a landmark. Empty if there are too few samples, outputs
// of different shapes, or samples that are too much alike to show what the signal is, such as
// noise.
std::vector<float> MeanOver(const ModelOutputs& outputs, std::size_t tensor) {
  constexpr std::size_t kMinSamples = 4;
  constexpr double kMinVariance = 0.03;  // As a part of the power of the output.
  const std::size_t count = outputs.samples.size();
  if (count < kMinSamples) return {};
  std::vector<double> sums(outputs.samples[0][tensor].values.size());
  double power = 0;
  for (const auto& sample : outputs.samples) {
    const std::vector<float>& values = sample[tensor].values;
    if (values.size() != sums.size()) return {};
    for (std::size_t k = 0; k < values.size(); ++k) {
      sums[k] += values[k];
      power += std::isfinite(values[k]) ? static_cast<double>(values[k]) * values[k] : 0;
    }
  }
  const auto samples = static_cast<double>(count);
  std::vector<float> means(sums.size());
  double constant = 0;
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const double mean = sums[k] / samples;
    means[k] = std::isfinite(mean) ? static_cast<float>(mean) : 0;
    constant += static_cast<double>(means[k]) * means[k] * samples;
  }
  const double variance = (power - constant) * samples / (samples - 1);
  if (variance < kMinVariance * power) return {};
  return means;
}

// Returns the mean SQNR of the channels of one sample, each at least 0 dB: classes that do not
// occur in the sample have tiny scores with a large relative error.
double ChannelSqnr(const ModelOutputs::Output& before, const ModelOutputs::Output& after,
                   const std::vector<float>& means) {
  std::size_t inner = 1, channels = 1;
  if (const auto axis = ChannelAxisOf(before.shape)) {
    channels = static_cast<std::size_t>(before.shape[*axis]);
    for (std::size_t i = *axis + 1; i < before.shape.size(); ++i) {
      inner *= static_cast<std::size_t>(before.shape[i]);
    }
  }
  std::vector<double> powers(channels), errors(channels);
  for (std::size_t k = 0; k < before.values.size(); ++k) {
    const double value = before.values[k], difference = after.values[k] - value;
    if (!std::isfinite(value)) continue;
    const std::size_t channel = k / inner % channels;
    const double mean = means.empty() ? 0 : means[k];
    powers[channel] += (value - mean) * (value - mean);
    errors[channel] += std::isfinite(difference) ? difference * difference : value * value + 1;
  }
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t c = 0; c < channels; ++c) {
    if (powers[c] <= 0) continue;
    sum += std::clamp(SqnrOf(powers[c], errors[c]), channels == 1 ? -20.0 : 0.0, kMaxSqnrDb);
    ++count;
  }
  return count == 0 ? kMaxSqnrDb : sum / static_cast<double>(count);
}

// Sums the comparison of one output over the samples.
class HeadComparison {
 public:
  explicit HeadComparison(std::vector<float> means) : means_(std::move(means)) {}

  // Adds a sample and returns its SQNR.
  double Add(const ModelOutputs::Output& before, const ModelOutputs::Output& after) {
    ++samples_;
    if (before.values.size() != after.values.size()) {
      error_ = std::numeric_limits<double>::infinity();
      return -20;
    }
    for (std::size_t k = 0; k < before.values.size(); ++k) {
      const double value = before.values[k], difference = after.values[k] - value;
      if (!std::isfinite(value)) continue;
      power_ += value * value;
      error_ += std::isfinite(difference) ? difference * difference : value * value + 1;
    }
    const double sqnr_db = ChannelSqnr(before, after, means_);
    sum_db_ += sqnr_db;
    return sqnr_db;
  }

  HeadQuality Finish(std::string output) const {
    HeadQuality result{.output = std::move(output), .sqnr_db = SqnrOf(power_, error_)};
    result.is_without_mean = !means_.empty();
    result.channel_sqnr_db = samples_ == 0 ? 0 : sum_db_ / static_cast<double>(samples_);
    return result;
  }

 private:
  std::vector<float> means_;
  double power_ = 0, error_ = 0, sum_db_ = 0;
  std::size_t samples_ = 0;
};

}  // namespace

EndQuality CompareOutputs(const ModelOutputs& baseline, const ModelOutputs& variant,
                          bool without_mean) {
  EndQuality quality{.heads = {}, .samples = baseline.samples.size()};
  if (baseline.samples.empty()) return quality;
  quality.sample_sqnr_db.resize(baseline.samples.size());
  const std::size_t tensors = baseline.samples[0].size();
  for (std::size_t i = 0; i < tensors; ++i) {
    HeadComparison comparison(without_mean ? MeanOver(baseline, i) : std::vector<float>{});
    for (std::size_t sample = 0; sample < baseline.samples.size(); ++sample) {
      if (sample >= variant.samples.size() || i >= variant.samples[sample].size()) continue;
      const double sqnr_db =
          comparison.Add(baseline.samples[sample][i], variant.samples[sample][i]);
      quality.sample_sqnr_db[sample] += sqnr_db / static_cast<double>(tensors);
    }
    const ModelOutputs::Output& first = baseline.samples[0][i];
    if (!first.is_hidden) quality.heads.push_back(comparison.Finish(first.name));
  }
  return quality;
}

}  // namespace cboard::quantize
