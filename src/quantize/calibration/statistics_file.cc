#include "quantize/calibration/statistics_file.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "cboard/base/file.h"
#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/model/model_graph.h"

namespace cboard::quantize {
namespace {

constexpr std::string_view kFormat = "compression-board-statistics-1";

struct StoredType {
  std::string_view name;
  DType dtype;
};
constexpr auto kTypes = std::to_array<StoredType>({
    {"F64", DType::kFloat64},
    {"F32", DType::kFloat32},
    {"F16", DType::kFloat16},
    {"I64", DType::kInt64},
    {"I32", DType::kInt32},
    {"I16", DType::kInt16},
    {"I8", DType::kInt8},
    {"U8", DType::kUint8},
    {"U16", DType::kUint16},
    {"U32", DType::kUint32},
    {"U64", DType::kUint64},
    {"BOOL", DType::kBool},
});

// Collects arrays, because the header precedes them in the file.
class ArrayFile {
 public:
  ArrayFile() { header_.BeginObject(); }

  void AddMetadata(const std::map<std::string, std::string>& metadata) {
    header_.Key("__metadata__").BeginObject();
    for (const auto& [key, value] : metadata) header_.Key(key).Value(value);
    header_.EndObject();
  }

  void Add(const std::string& name, std::string_view type, const std::vector<std::int64_t>& shape,
           const void* elements, std::size_t size) {
    header_.Key(name).BeginObject().Key("dtype").Value(type).Key("shape").BeginArray();
    for (const std::int64_t dimension : shape) header_.Value(dimension);
    header_.EndArray().Key("data_offsets").BeginArray();
    header_.Value(data_.size()).Value(data_.size() + size).EndArray().EndObject();
    data_.append(static_cast<const char*>(elements), size);
  }
  void Add(const std::string& name, const std::vector<double>& values) {
    if (values.empty()) return;
    Add(name, "F64", {static_cast<std::int64_t>(values.size())}, values.data(), values.size() * 8);
  }

  std::string Finish() {
    header_.EndObject();
    std::string header = header_.Take();
    header.resize((header.size() + 7) / 8 * 8, ' ');
    const std::uint64_t length = header.size();
    std::string file(8, '\0');
    std::memcpy(file.data(), &length, 8);
    return file + header + data_;
  }

 private:
  JsonWriter header_;
  std::string data_;
};

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

// Returns a line per wanted statistic: "x" for the channels of dimension 1, "x gram" with the Gram
// matrix, …
std::vector<std::string> WantedLines(const CalibrationRequest& request) {
  std::vector<std::string> lines;
  for (const auto& [tensor, axis] : request.tensors) {
    lines.push_back(tensor + (axis == kLastAxis ? " last" : " " + std::to_string(axis)));
  }
  for (const std::string& tensor : request.gram_tensors) lines.push_back(tensor + " gram");
  return lines;
}

void Mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 29;
}

void Mix(std::uint64_t& hash, std::string_view bytes) {
  Mix(hash, std::uint64_t{bytes.size()});
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data(), 8);
    Mix(hash, word);
  }
  for (const char byte : bytes) Mix(hash, static_cast<std::uint64_t>(byte));
}

// Reads the arrays of a statistics file and checks their sizes.
class ReadArrays {
 public:
  explicit ReadArrays(const model::ModelGraph& file) : file_(file) {}

  // An empty text is not stored in the file.
  Result<std::string> Text(std::string_view key) const {
    for (const auto& [name, value] : file_.metadata()) {
      if (name == key) return value;
    }
    return Fail(ErrorCode::kDataLoss,
                "the statistics file is damaged: it lacks the entry " + Quoted(key));
  }

  // Returns an empty array if the file does not contain it.
  Result<std::vector<double>> Doubles(const std::string& name) const {
    const model::TensorId id = file_.FindTensor(name);
    std::vector<double> values;
    if (id == model::kNoTensor) return values;
    const model::ModelTensor& tensor = file_.tensor(id);
    if (tensor.type != DType::kFloat64 || tensor.data.size() % 8 != 0) {
      return Fail(ErrorCode::kDataLoss, "the entry " + Quoted(name) +
                                            " of the statistics file is not an array of float64");
    }
    values.resize(tensor.data.size() / 8);
    if (!values.empty()) std::memcpy(values.data(), tensor.data.data(), tensor.data.size());
    return values;
  }

 private:
  const model::ModelGraph& file_;
};

constexpr std::size_t kScalars = 11;

void AddTensor(const std::string& name, const TensorStatistics& tensor, ArrayFile& file) {
  const bool is_last = tensor.channel_axis == kLastAxis;
  file.Add(
      "scalars/" + name,
      {static_cast<double>(tensor.count), static_cast<double>(tensor.nonfinite_count), tensor.min,
       tensor.max, tensor.sum, tensor.sum_squares, tensor.mean_min, tensor.mean_max,
       static_cast<double>(tensor.samples), static_cast<double>(tensor.histogram.exponent()),
       is_last ? -1.0 : static_cast<double>(tensor.channel_axis)});
  file.Add("shape/" + name, {tensor.shape.begin(), tensor.shape.end()});
  file.Add("histogram/" + name, tensor.histogram.counts());
  std::vector<double> channels;
  for (const auto* part : {&tensor.channel_min, &tensor.channel_max, &tensor.channel_sum,
                           &tensor.channel_sum_squares}) {
    channels.insert(channels.end(), part->begin(), part->end());
  }
  file.Add("channels/" + name, channels);
  file.Add("gram/" + name, tensor.gram);
}

Result<TensorStatistics> ReadTensor(const ReadArrays& arrays, const std::string& name) {
  TensorStatistics tensor;
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> scalars, arrays.Doubles("scalars/" + name));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> shape, arrays.Doubles("shape/" + name));
  CBOARD_ASSIGN_OR_RETURN(std::vector<double> counts, arrays.Doubles("histogram/" + name));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> channels, arrays.Doubles("channels/" + name));
  CBOARD_ASSIGN_OR_RETURN(tensor.gram, arrays.Doubles("gram/" + name));
  const bool has_bins = counts.empty() || counts.size() == WideningHistogram::kBins;
  if (scalars.size() != kScalars || !has_bins || channels.size() % 4 != 0) {
    return Fail(ErrorCode::kDataLoss, "the statistics file is damaged: its values for tensor " +
                                          Quoted(name) + " are incomplete");
  }
  tensor.count = static_cast<std::uint64_t>(scalars[0]);
  tensor.nonfinite_count = static_cast<std::uint64_t>(scalars[1]);
  tensor.min = scalars[2];
  tensor.max = scalars[3];
  tensor.sum = scalars[4];
  tensor.sum_squares = scalars[5];
  tensor.mean_min = scalars[6];
  tensor.mean_max = scalars[7];
  tensor.samples = static_cast<std::uint64_t>(scalars[8]);
  tensor.channel_axis = scalars[10] < 0 ? kLastAxis : static_cast<std::size_t>(scalars[10]);
  for (const double size : shape) tensor.shape.push_back(static_cast<std::int64_t>(size));
  tensor.histogram = WideningHistogram::From(static_cast<int>(scalars[9]), std::move(counts));
  const auto part = [&, size = channels.size() / 4](std::size_t index) {
    const auto begin = channels.begin() + static_cast<std::ptrdiff_t>(index * size);
    return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(size));
  };
  tensor.channel_min = part(0);
  tensor.channel_max = part(1);
  tensor.channel_sum = part(2);
  tensor.channel_sum_squares = part(3);
  return tensor;
}

Result<HeldSample> ReadSample(const model::ModelGraph& file, const std::string& prefix,
                              const std::vector<std::string>& inputs) {
  HeldSample sample;
  for (const std::string& input : inputs) {
    const model::TensorId id = file.FindTensor(prefix + input);
    if (id == model::kNoTensor) {
      return Fail(ErrorCode::kDataLoss,
                  "the statistics file is damaged: it lacks the entry " + Quoted(prefix + input));
    }
    const model::ModelTensor& tensor = file.tensor(id);
    const auto* const type = std::ranges::find(kTypes, tensor.type, &StoredType::dtype);
    if (type == kTypes.end()) {
      return Fail(ErrorCode::kDataLoss, "the entry " + Quoted(prefix + input) +
                                            " of the statistics file has an unknown type");
    }
    runtime::OwnedTensor owned{.dtype = type->dtype, .shape = tensor.shape};
    owned.elements.assign(tensor.data.begin(), tensor.data.end());
    if (owned.view().element_count() * SizeOf(owned.dtype) != owned.elements.size()) {
      return Fail(ErrorCode::kDataLoss,
                  "the entry " + Quoted(prefix + input) + " of the statistics file is incomplete");
    }
    sample.names.push_back(input);
    sample.tensors.push_back(std::move(owned));
  }
  return sample;
}

Result<Calibration> ReadFrom(const model::ModelGraph& file, const CalibrationRequest& request,
                             const std::string& fingerprint) {
  const ReadArrays arrays(file);
  if (const auto format = arrays.Text("format"); !format || *format != kFormat) {
    return Fail(ErrorCode::kInvalidArgument,
                "the file of --statistics was not written by 'compression-board quantize'; choose "
                "another file");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::string known, arrays.Text("model"));
  if (known != fingerprint) {
    return Fail(ErrorCode::kInvalidArgument,
                "the file of --statistics belongs to another model; delete it to calibrate again");
  }
  const std::string wanted_text = arrays.Text("wanted").value_or("");
  const std::vector<std::string> collected = Lines(wanted_text);
  const std::set<std::string> has(collected.begin(), collected.end());
  for (const std::string& line : WantedLines(request)) {
    if (has.contains(line)) continue;
    return Fail(ErrorCode::kInvalidArgument,
                "the file of --statistics was written with other settings and lacks " +
                    Quoted(line.substr(0, line.rfind(' '))) + "; delete it to calibrate again");
  }
  Calibration calibration;
  Statistics& statistics = calibration.statistics;
  CBOARD_ASSIGN_OR_RETURN(statistics.source, arrays.Text("source"));
  CBOARD_ASSIGN_OR_RETURN(const std::string samples, arrays.Text("samples"));
  CBOARD_ASSIGN_OR_RETURN(const std::string generated, arrays.Text("is_generated"));
  CBOARD_ASSIGN_OR_RETURN(const std::string held_out, arrays.Text("is_held_out"));
  const std::string warnings = arrays.Text("warnings").value_or("");
  const std::string inputs = arrays.Text("inputs").value_or("");
  CBOARD_ASSIGN_OR_RETURN(const std::string held, arrays.Text("held_samples"));
  statistics.samples = std::strtoull(samples.c_str(), nullptr, 10);
  statistics.is_generated = generated == "true";
  statistics.warnings = Lines(warnings);
  calibration.is_held_out = held_out == "true";
  for (const model::ModelTensor& tensor : file.tensors()) {
    constexpr std::string_view kPrefix = "scalars/";
    if (!tensor.name.starts_with(kPrefix)) continue;
    const std::string name = tensor.name.substr(kPrefix.size());
    CBOARD_ASSIGN_OR_RETURN(statistics.tensors[name], ReadTensor(arrays, name));
  }
  const std::size_t count = std::strtoull(held.c_str(), nullptr, 10);
  for (std::size_t i = 0; i < count; ++i) {
    CBOARD_ASSIGN_OR_RETURN(HeldSample sample,
                            ReadSample(file, "held/" + std::to_string(i) + "/", Lines(inputs)));
    calibration.held_samples.push_back(std::move(sample));
  }
  return calibration;
}

}  // namespace

std::string FingerprintOf(const Graph& graph) {
  std::uint64_t hash = 0;
  for (const Node& node : graph.nodes) {
    Mix(hash, node.op_type);
    for (const std::string& input : node.inputs) Mix(hash, input);
    for (const std::string& output : node.outputs) Mix(hash, output);
    for (const Attribute& attribute : node.attributes) Mix(hash, attribute.encoded);
  }
  for (const auto& [name, constant] : graph.constants) {
    Mix(hash, name);
    Mix(hash, constant.elements);
    Mix(hash, constant.encoded);
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(hash));
  return text;
}

Result<void> WriteCalibration(const Calibration& calibration, const CalibrationRequest& request,
                              const std::string& fingerprint, const std::filesystem::path& path) {
  const Statistics& statistics = calibration.statistics;
  ArrayFile file;
  const auto truth = [](bool value) { return std::string(value ? "true" : "false"); };
  const std::vector<std::string> inputs = calibration.held_samples.empty()
                                              ? std::vector<std::string>{}
                                              : calibration.held_samples[0].names;
  file.AddMetadata({{"format", std::string(kFormat)},
                    {"model", fingerprint},
                    {"wanted", Joined(WantedLines(request))},
                    {"samples", std::to_string(statistics.samples)},
                    {"source", statistics.source},
                    {"is_generated", truth(statistics.is_generated)},
                    {"is_held_out", truth(calibration.is_held_out)},
                    {"held_samples", std::to_string(calibration.held_samples.size())},
                    {"inputs", Joined(inputs)},
                    {"warnings", Joined(statistics.warnings)}});
  for (const auto& [name, tensor] : statistics.tensors) AddTensor(name, tensor, file);
  for (std::size_t i = 0; i < calibration.held_samples.size(); ++i) {
    const HeldSample& sample = calibration.held_samples[i];
    for (std::size_t k = 0; k < sample.names.size(); ++k) {
      const runtime::OwnedTensor& tensor = sample.tensors[k];
      const auto* const type = std::ranges::find(kTypes, tensor.dtype, &StoredType::dtype);
      if (type == kTypes.end()) {
        return Fail(ErrorCode::kInvalidArgument,
                    "the statistics cannot be saved: input " + Quoted(sample.names[k]) +
                        " has a type that the file cannot contain; omit --statistics");
      }
      file.Add("held/" + std::to_string(i) + "/" + sample.names[k], type->name, tensor.shape,
               tensor.elements.data(), tensor.elements.size());
    }
  }
  return WriteFileAtomically(path, file.Finish());
}

Result<Calibration> ReadCalibration(const std::filesystem::path& path,
                                    const CalibrationRequest& request,
                                    const std::string& fingerprint) {
  CBOARD_ASSIGN_OR_RETURN(const model::ModelGraph file, model::OpenModel(path));
  auto calibration = ReadFrom(file, request, fingerprint);
  if (!calibration) {
    return Fail(Annotate(std::move(calibration).error(), Quoted(path.string(), 1000)));
  }
  CBOARD_RETURN_IF_ERROR(file.CheckUnchanged());
  return calibration;
}

}  // namespace cboard::quantize
