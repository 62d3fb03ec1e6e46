// Prints the histogram and statistics of an array as JSON; numpy_oracle.py compares them with
// numpy's.
//
//   numpy_oracle <file> <dtype> <bins> <max_bins>
//
// <file> contains only the elements. <bins> is "tensorflow", an estimator, or a number.
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/tensor/histogram.h"
#include "cboard/tensor/statistics.h"

namespace cboard::tensor {
namespace {

Result<std::size_t> Number(std::string_view text) {
  std::size_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) {
    return Fail(ErrorCode::kInvalidArgument, "no number: '" + std::string(text) + "'");
  }
  return number;
}

Result<Binning> BinningNamed(std::string_view name) {
  if (name == "tensorflow") return TensorBoardBins{};
  if (const auto count = Number(name)) return EqualBins{*count};
  CBOARD_ASSIGN_OR_RETURN(const BinEstimator estimator, BinEstimatorOf(name));
  return estimator;
}

void Write(JsonWriter& json, std::string_view key, const std::vector<double>& values) {
  json.Key(key).BeginArray();
  for (const double value : values) json.Value(value);
  json.EndArray();
}

void Write(JsonWriter& json, const HistogramData& histogram) {
  json.Key("histogram").BeginObject();
  json.Key("min").Value(histogram.min).Key("max").Value(histogram.max);
  json.Key("num").Value(histogram.num).Key("sum").Value(histogram.sum);
  json.Key("sum_squares").Value(histogram.sum_squares);
  Write(json, "limits", histogram.bucket_limits);
  Write(json, "counts", histogram.bucket_counts);
  json.EndObject();
}

void Write(JsonWriter& json, const TensorStatistics& statistics) {
  json.Key("statistics").BeginObject();
  json.Key("count").Value(statistics.count).Key("nan").Value(statistics.nan_count);
  json.Key("positive_infinity").Value(statistics.positive_infinity_count);
  json.Key("negative_infinity").Value(statistics.negative_infinity_count);
  json.Key("min").Value(statistics.min).Key("max").Value(statistics.max);
  json.Key("sum").Value(statistics.sum).Key("sum_squares").Value(statistics.sum_squares);
  json.EndObject();
}

Result<std::string> Describe(const char* file, const char* dtype_name, const char* bins,
                             const char* max_bins_text) {
  CBOARD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
  const DType dtype = DTypeNamed(dtype_name);
  if (!IsPlain(dtype))
    return Fail(ErrorCode::kInvalidArgument, "no dtype " + std::string(dtype_name));
  CBOARD_ASSIGN_OR_RETURN(const Binning binning, BinningNamed(bins));
  CBOARD_ASSIGN_OR_RETURN(const std::size_t max_bins, Number(max_bins_text));
  const TensorView view(dtype, bytes.data(),
                        {static_cast<std::int64_t>(bytes.size() / SizeOf(dtype))});
  JsonWriter json(NonFinite::kAsLiteral);
  json.BeginObject();
  CBOARD_ASSIGN_OR_RETURN(const TensorStatistics statistics, ComputeStatistics(view));
  Write(json, statistics);
  const Result<HistogramData> histogram = ComputeHistogram(view, binning, max_bins);
  if (histogram) {
    Write(json, *histogram);
  } else {
    json.Key("error").Value(histogram.error().message);
  }
  json.EndObject();
  return json.Take();
}

}  // namespace
}  // namespace cboard::tensor

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(stderr, "usage: numpy_oracle <file> <dtype> <bins> <max_bins>\n");
    return 2;
  }
  const auto text = cboard::tensor::Describe(argv[1], argv[2], argv[3], argv[4]);
  if (!text) {
    std::fprintf(stderr, "numpy_oracle: %s\n", text.error().message.c_str());
    return 1;
  }
  std::puts(text->c_str());
  return 0;
}
