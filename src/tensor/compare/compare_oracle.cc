// Prints Compare() of arrays in files, for compare_oracle.py to check with numpy.
//
//   compare_oracle REFERENCE CODES DTYPE SHAPE CHANNEL_AXIS SCALES ZERO_POINTS SCALE_AXIS
//
// Files hold raw elements: float32 references, codes of DTYPE (float32: real values, and SCALES and
// ZERO_POINTS are those of a grid), float32 scales, int32 zero points. SHAPE is "2,3,4"; SCALE_AXIS
// is a number, or "-" for one scale.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/tensor/compare.h"

namespace cboard::tensor {
namespace {

template <typename T>
Result<std::vector<T>> ReadArray(const char* path) {
  CBOARD_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path));
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

Result<std::size_t> Number(std::string_view text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) return number;
  return Fail(ErrorCode::kInvalidArgument, Quoted(text) + " is not a number");
}

void Write(JsonWriter& json, const PairStatistics& pairs) {
  json.BeginObject();
  json.Key("count").Value(pairs.count);
  json.Key("min").Value(pairs.compressed.min);
  json.Key("max").Value(pairs.compressed.max);
  json.Key("sqnr_db").Value(pairs.SqnrDb());
  json.Key("cosine").Value(pairs.Cosine());
  json.Key("mse").Value(pairs.Mse());
  json.Key("max_error").Value(pairs.max_error);
  json.Key("mean_shift").Value(pairs.MeanShiftSigmas());
  json.Key("rmse_steps").Value(pairs.RmseSteps().value_or(-1));
  json.Key("clip_rate").Value(pairs.ClipRate().value_or(-1));
  json.EndObject();
}

Result<std::string> Describe(char** arguments) {
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> reference, ReadArray<float>(arguments[0]));
  CBOARD_ASSIGN_OR_RETURN(const std::string codes, ReadFile(arguments[1]));
  std::vector<std::int64_t> shape;
  for (const std::string_view size : Split(arguments[3], ',')) {
    CBOARD_ASSIGN_OR_RETURN(const std::size_t number, Number(size));
    shape.push_back(static_cast<std::int64_t>(number));
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t axis, Number(arguments[4]));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<float> scales, ReadArray<float>(arguments[5]));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<std::int32_t> zeros,
                          ReadArray<std::int32_t>(arguments[6]));
  const std::string_view dtype = arguments[2], scale_axis = arguments[7];
  ComparisonOptions options{.channel_axis = axis, .divergence = true};
  TensorView compressed(DType::kFloat32, codes.data(), shape);
  if (dtype == "float32") {
    options.grid = QuantizationGrid{static_cast<double>(scales[0]), zeros[0], 0, 255};
  } else {
    compressed.dtype = dtype == "int8" ? DType::kInt8 : DType::kUint8;
    if (scale_axis == "-") {
      compressed.quantization = Quantization::PerTensor(scales, zeros);
    } else {
      CBOARD_ASSIGN_OR_RETURN(const std::size_t number, Number(scale_axis));
      compressed.quantization = Quantization::PerChannel(scales, zeros, number);
    }
  }
  CBOARD_ASSIGN_OR_RETURN(const Comparison comparison,
                          Compare(TensorView(reference, shape), compressed, options));
  JsonWriter json(NonFinite::kAsLiteral);
  json.BeginObject();
  json.Key("total");
  Write(json, comparison.total);
  json.Key("channels").BeginArray();
  for (const PairStatistics& channel : comparison.channels) Write(json, channel);
  json.EndArray();
  json.Key("divergence").Value(comparison.divergence.value_or(-1));
  json.Key("used_codes").Value(comparison.total.steps->used_codes.value_or(-1));
  json.EndObject();
  return json.Take();
}

}  // namespace
}  // namespace cboard::tensor

int main(int argc, char** argv) {
  if (argc != 9) {
    std::fprintf(stderr, "usage: see compare_oracle.py\n");
    return 2;
  }
  const auto text = cboard::tensor::Describe(argv + 1);
  if (!text) {
    std::fprintf(stderr, "compare_oracle: %s\n", text.error().message.c_str());
    return 1;
  }
  std::puts(text->c_str());
  return 0;
}
