#include "quantize/quality/end_quality.h"

#include <algorithm>
#include <cmath>
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

// A head of a few values loses or gains this much by chance.
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

Result<ModelOutputs> RunModel(const runtime::Session& opened, std::span<const std::string> tensors,
                              std::span<const HeldSample> samples) {
  ModelOutputs outputs;
  for (const HeldSample& sample : samples) {
    const std::vector<runtime::NamedTensor> inputs = sample.views();
    CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult result, opened.Run(inputs, tensors));
    auto& kept = outputs.samples.emplace_back();
    for (const std::string& name : tensors) {
      ModelOutputs::Output& output = kept.emplace_back();
      output.name = name;
      const TensorView* const tensor = result.Find(name);
      if (tensor == nullptr) continue;  // Types without numbers are equal.
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

// The dimension of an output's channels: the smaller of dimension 1 and the last one, where an
// output has more than two dimensions; boxes and scores are channels of [1, 84, 8400] and of
// [1, 8400, 85].
std::optional<std::size_t> ChannelAxisOf(const std::vector<std::int64_t>& shape) {
  if (shape.size() < 3) return std::nullopt;
  const std::size_t last = shape.size() - 1;
  const std::size_t axis = shape[1] <= shape[last] ? 1 : last;
  if (shape[axis] < 2 || shape[axis] > 1024) return std::nullopt;
  return axis;
}

// Samples without an error must not outweigh the others in a mean.
constexpr double kMaxSqnrDb = 60;

// The mean SQNR of the channels of one sample; classes that the sample does not show have tiny
// scores, whose SQNR is limited to 0.
double ChannelSqnr(const ModelOutputs::Output& before, const ModelOutputs::Output& after) {
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
    powers[channel] += value * value;
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

// Sums of one output over the samples.
class HeadComparison {
 public:
  // Returns the sample's SQNR.
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
    AddRows(before, after);
    const double sqnr_db = ChannelSqnr(before, after);
    sum_db_ += sqnr_db;
    return sqnr_db;
  }

  HeadQuality Finish(std::string output) const {
    HeadQuality result{.output = std::move(output), .sqnr_db = SqnrOf(power_, error_)};
    result.channel_sqnr_db = samples_ == 0 ? 0 : sum_db_ / static_cast<double>(samples_);
    if (rows_ > 0) result.agreement = static_cast<double>(equal_) / static_cast<double>(rows_);
    return result;
  }

 private:
  void AddRows(const ModelOutputs::Output& before, const ModelOutputs::Output& after) {
    const std::size_t width =
        before.shape.empty() ? 1 : static_cast<std::size_t>(before.shape.back());
    if (width < 2) return;
    for (std::size_t first = 0; first + width <= before.values.size(); first += width) {
      const auto place = [&](const std::vector<float>& values) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
        return std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width)) - begin;
      };
      ++rows_;
      if (place(before.values) == place(after.values)) ++equal_;
    }
  }

  double power_ = 0, error_ = 0, sum_db_ = 0;
  std::size_t rows_ = 0, equal_ = 0, samples_ = 0;
};

}  // namespace

EndQuality CompareOutputs(const ModelOutputs& baseline, const ModelOutputs& variant) {
  EndQuality quality{.heads = {}, .samples = baseline.samples.size()};
  if (baseline.samples.empty()) return quality;
  quality.sample_sqnr_db.resize(baseline.samples.size());
  const std::size_t tensors = baseline.samples[0].size();
  for (std::size_t i = 0; i < tensors; ++i) {
    HeadComparison comparison;
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
