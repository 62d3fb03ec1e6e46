// Reads safetensors files, which consist of the length of a JSON header, the header, and the bytes
// of all tensors.
#include <simdjson.h>

#include <algorithm>
#include <set>

#include "cboard/base/strings.h"
#include "model/graph/external_data.h"
#include "model/graph/formats.h"
#include "model/graph/graph_assembler.h"
#include "model/graph/quantization_rules.h"

namespace cboard::model {
namespace {

namespace dom = simdjson::dom;

// Maximum size of the header. The safetensors library has the same limit.
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;

struct SafetensorsType {
  std::string_view name;
  DType type;
};
constexpr SafetensorsType kSafetensorsTypes[] = {
    {"F64", DType::kFloat64},
    {"F32", DType::kFloat32},
    {"F16", DType::kFloat16},
    {"BF16", DType::kBfloat16},
    {"F8_E4M3", DType::kFloat8E4m3fn},
    {"F8_E5M2", DType::kFloat8E5m2},
    {"F8_E8M0", DType::kFloat8E8m0},
    {"F4", DType::kFloat4E2m1},
    {"I64", DType::kInt64},
    {"I32", DType::kInt32},
    {"I16", DType::kInt16},
    {"I8", DType::kInt8},
    {"U64", DType::kUint64},
    {"U32", DType::kUint32},
    {"U16", DType::kUint16},
    {"U8", DType::kUint8},
    {"BOOL", DType::kBool},
    {"C64", DType::kComplex64},
};

tl::unexpected<Error> DamagedHeader(std::string message) {
  return Fail(ErrorCode::kDataLoss, "the safetensors header is damaged: " + std::move(message));
}

std::optional<std::vector<std::int64_t>> Integers(const dom::element& element) {
  dom::array array;
  if (element.get(array) != simdjson::SUCCESS) return std::nullopt;
  std::vector<std::int64_t> values;
  for (const dom::element item : array) {
    std::int64_t value = 0;
    if (item.get(value) != simdjson::SUCCESS || value < 0) return std::nullopt;
    values.push_back(value);
  }
  return values;
}

Result<void> ReadTensor(std::string_view name, const dom::element& entry, ByteSpan data,
                        GraphAssembler& graph) {
  const std::string where = "tensor " + Quoted(name);
  dom::element shape, offsets;
  std::string_view type_name;
  if (entry["dtype"].get(type_name) != simdjson::SUCCESS ||
      entry["shape"].get(shape) != simdjson::SUCCESS ||
      entry["data_offsets"].get(offsets) != simdjson::SUCCESS) {
    return DamagedHeader(where + " lacks dtype, shape or data_offsets");
  }
  const std::optional<std::vector<std::int64_t>> sizes = Integers(shape), range = Integers(offsets);
  if (!sizes) return DamagedHeader(where + " has a shape that is not a list of sizes");
  if (!range || range->size() != 2 || (*range)[0] > (*range)[1] ||
      static_cast<std::uint64_t>((*range)[1]) > data.size()) {
    return DamagedHeader(where + " has data_offsets " + simdjson::minify(offsets) +
                         " that are not a valid range of the file's " +
                         std::to_string(data.size()) + " bytes of data");
  }
  const auto* known = std::ranges::find(kSafetensorsTypes, type_name, &SafetensorsType::name);
  const DType type = known == std::end(kSafetensorsTypes) ? DType::kUnknown : known->type;
  if (graph.FindTensor(name) != kNoTensor) return DamagedHeader(where + " is listed twice");
  const auto begin = static_cast<std::size_t>((*range)[0]);
  return graph.SetConstant(graph.Tensor(name), type, *sizes,
                           {data.subspan(begin, static_cast<std::size_t>((*range)[1]) - begin)});
}

Result<void> ReadFile(ByteSpan bytes, GraphAssembler& graph) {
  if (bytes.size() < 8) return DamagedHeader("the file is too short to contain it");
  const auto length = LoadLittleEndian<std::uint64_t>(bytes);
  if (length > kMaxHeaderBytes || length > bytes.size() - 8) {
    return DamagedHeader("it declares a length of " + std::to_string(length) +
                         ", but the file has " + std::to_string(bytes.size() - 8) +
                         " bytes left and the maximum is " + std::to_string(kMaxHeaderBytes));
  }
  const ByteSpan data = bytes.subspan(8 + static_cast<std::size_t>(length));
  dom::parser parser;
  dom::object header;
  const auto error = parser
                         .parse(simdjson::padded_string(
                             AsText(bytes.subspan(8, static_cast<std::size_t>(length)))))
                         .get(header);
  if (error != simdjson::SUCCESS) {
    return DamagedHeader(std::string("it is not a JSON object: ") + simdjson::error_message(error));
  }
  for (const auto [name, entry] : header) {
    if (name != "__metadata__") {
      CBOARD_RETURN_IF_ERROR(ReadTensor(name, entry, data, graph));
      continue;
    }
    dom::object metadata;
    if (entry.get(metadata) != simdjson::SUCCESS) continue;
    for (const auto [key, value] : metadata) {
      std::string_view text;
      if (value.get(text) == simdjson::SUCCESS) graph.AddMetadata(key, std::string(text));
    }
  }
  return {};
}

// Finds the scales of codes: "x.weight_scale" contains the scales of "x.weight", one for the tensor
// or one per row.
Result<void> PairScales(GraphAssembler& graph) {
  for (std::size_t i = 0; i < graph.tensors().size(); ++i) {
    ModelTensor& codes = graph.tensors()[i];
    if (!HoldsCodes(codes.type) || !codes.name.ends_with(".weight") || codes.shape.empty())
      continue;
    const TensorId scale = graph.FindTensor(codes.name + "_scale");
    if (scale == kNoTensor) continue;
    CBOARD_ASSIGN_OR_RETURN(codes.quantization,
                            MakeQuantization(graph, {.origin = QuantizationOrigin::kStored,
                                                     .type = codes.type,
                                                     .scales = &graph.tensor(scale),
                                                     .has_shape = true,
                                                     .shape = codes.shape,
                                                     .axis = 0}));
  }
  return {};
}

}  // namespace

Result<ModelGraph> ReadSafetensors(std::shared_ptr<const MappedFile> file) {
  GraphAssembler graph(ModelFormat::kSafetensors, file);
  CBOARD_RETURN_IF_ERROR(ReadFile(file->bytes(), graph));
  CBOARD_RETURN_IF_ERROR(PairScales(graph));
  return graph.Finish();
}

Result<ModelGraph> ReadSafetensorsIndex(std::shared_ptr<const MappedFile> file) {
  GraphAssembler graph(ModelFormat::kSafetensors, file);
  if (file->bytes().size() > kMaxHeaderBytes) return DamagedHeader("the index file is too large");
  dom::parser parser;
  dom::object map;
  const auto error = parser.parse(simdjson::padded_string(file->text()))["weight_map"].get(map);
  if (error != simdjson::SUCCESS) {
    return Fail(ErrorCode::kInvalidArgument,
                "this is not an index of safetensors files: it has no weight_map");
  }
  std::set<std::string> shards;
  for (const auto entry : map) {
    std::string_view shard;
    if (entry.value.get(shard) == simdjson::SUCCESS) shards.emplace(shard);
  }
  ExternalData files(graph);
  for (const std::string& shard : shards) {
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan bytes, files.Map(shard));
    if (auto result = ReadFile(bytes, graph); !result) {
      return Fail(Annotate(std::move(result).error(), Quoted(shard)));
    }
  }
  CBOARD_RETURN_IF_ERROR(PairScales(graph));
  return graph.Finish();
}

}  // namespace cboard::model
