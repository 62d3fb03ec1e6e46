#include "quantize/quality/end_quality.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cboard/tensor/convert.h"

namespace cboard::quantize {

double EndQuality::MeanSqnrDb() const {
  double sum = 0;
  for (const HeadQuality& head : heads) sum += std::min(head.sqnr_db, 100.0);
  return heads.empty() ? 0 : sum / static_cast<double>(heads.size());
}

double EndQuality::MinSqnrDb() const {
  double min = 200;
  for (const HeadQuality& head : heads) min = std::min(min, head.sqnr_db);
  return min;
}

bool IsBetter(const EndQuality& changed, const EndQuality& now, double min_gain_db) {
  if (changed.MeanSqnrDb() < now.MeanSqnrDb() + min_gain_db) return false;
  for (std::size_t i = 0; i < std::min(changed.heads.size(), now.heads.size()); ++i) {
    if (changed.heads[i].sqnr_db < now.heads[i].sqnr_db - 0.5) return false;
  }
  return true;
}

Result<ModelOutputs> RunModel(std::string_view model, const std::string& name,
                              std::span<const std::string> tensors,
                              std::span<const HeldSample> samples,
                              const runtime::SessionOptions& session) {
  CBOARD_ASSIGN_OR_RETURN(const runtime::Session opened,
                          runtime::Session::FromBytes(AsBytes(model), name, session));
  ModelOutputs outputs;
  for (const HeldSample& sample : samples) {
    const std::vector<runtime::NamedTensor> inputs = sample.views();
    CBOARD_ASSIGN_OR_RETURN(const runtime::RunResult result, opened.Run(inputs, tensors));
    auto& kept = outputs.samples.emplace_back();
    for (const runtime::NamedTensor& tensor : result.tensors()) {
      CBOARD_ASSIGN_OR_RETURN(std::vector<float> values, ToFloats(tensor.tensor));
      kept.push_back({tensor.name, tensor.tensor.shape, std::move(values)});
    }
  }
  return outputs;
}

EndQuality CompareOutputs(const ModelOutputs& baseline, const ModelOutputs& variant) {
  EndQuality quality{.heads = {}, .samples = baseline.samples.size()};
  if (baseline.samples.empty()) return quality;
  for (std::size_t head = 0; head < baseline.samples[0].size(); ++head) {
    // By channel of dimension 1 where outputs have one: boxes do not outweigh scores.
    double power = 0, error = 0;
    std::size_t rows = 0, equal = 0;
    for (std::size_t i = 0; i < baseline.samples.size(); ++i) {
      if (i >= variant.samples.size() || head >= variant.samples[i].size()) continue;
      const auto& before = baseline.samples[i][head];
      const auto& after = variant.samples[i][head];
      if (before.values.size() != after.values.size()) {
        error = std::numeric_limits<double>::infinity();
        continue;
      }
      for (std::size_t k = 0; k < before.values.size(); ++k) {
        const double value = before.values[k], difference = after.values[k] - value;
        if (!std::isfinite(value)) continue;
        power += value * value;
        error += std::isfinite(difference) ? difference * difference : value * value + 1;
      }
      const std::size_t width =
          before.shape.empty() ? 1 : static_cast<std::size_t>(before.shape.back());
      if (width < 2) continue;
      for (std::size_t first = 0; first + width <= before.values.size(); first += width) {
        const auto place = [&](const std::vector<float>& values) {
          const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
          return std::max_element(begin, begin + static_cast<std::ptrdiff_t>(width)) - begin;
        };
        ++rows;
        if (place(before.values) == place(after.values)) ++equal;
      }
    }
    HeadQuality result{.output = baseline.samples[0][head].name};
    result.sqnr_db = error <= 0 ? 200 : power <= 0 ? -200 : 10 * std::log10(power / error);
    if (rows > 0) result.agreement = static_cast<double>(equal) / static_cast<double>(rows);
    quality.heads.push_back(std::move(result));
  }
  return quality;
}

}  // namespace cboard::quantize
