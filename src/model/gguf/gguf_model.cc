// Reads GGUF files: metadata, a list of tensors, and their blocks.
//
//   file    := "GGUF" version:u32 tensor_count:u64 pair_count:u64 pair* tensor* padding data
//   pair    := key:string type:u32 value
//   tensor  := name:string rank:u32 size:u64[rank] type:u32 offset:u64
//   string  := length:u64 bytes
//
// Sizes are stored in reverse order (innermost dimension first), so this reader reverses them.
// Offsets are relative to the start of `data`.
#include <algorithm>
#include <array>
#include <bit>

#include "cboard/base/strings.h"
#include "model/graph/formats.h"
#include "model/graph/graph_assembler.h"

namespace cboard::model {
namespace {

constexpr std::uint32_t kMaxDimensions = 8;  // ggml has four; a reserve for later versions.
constexpr std::size_t kMaxShownText = 200;

struct BlockFacts {
  std::uint32_t number;
  DType type;
  int bits;  // Bits per code; 0 for plain numbers.
};
constexpr BlockFacts kBlockTypes[] = {
    {0, DType::kFloat32, 0},   {1, DType::kFloat16, 0},  {2, DType::kQ4_0, 4},
    {3, DType::kQ4_1, 4},      {6, DType::kQ5_0, 5},     {7, DType::kQ5_1, 5},
    {8, DType::kQ8_0, 8},      {10, DType::kQ2_K, 2},    {11, DType::kQ3_K, 3},
    {12, DType::kQ4_K, 4},     {13, DType::kQ5_K, 5},    {14, DType::kQ6_K, 6},
    {15, DType::kQ8_K, 8},     {16, DType::kIq2Xxs, 2},  {17, DType::kIq2Xs, 2},
    {18, DType::kIq3Xxs, 3},   {19, DType::kIq1S, 1},    {20, DType::kIq4Nl, 4},
    {21, DType::kIq3S, 3},     {22, DType::kIq2S, 2},    {23, DType::kIq4Xs, 4},
    {24, DType::kInt8, 0},     {25, DType::kInt16, 0},   {26, DType::kInt32, 0},
    {27, DType::kInt64, 0},    {28, DType::kFloat64, 0}, {29, DType::kIq1M, 1},
    {30, DType::kBfloat16, 0}, {34, DType::kTq1_0, 2},   {35, DType::kTq2_0, 2},
    {39, DType::kMxfp4, 4},
};

// The types of metadata values.
enum ValueType : std::uint32_t { kBool = 7, kString = 8, kArray = 9 };
constexpr std::array<std::size_t, 13> kValueBytes = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

std::string NumberText(std::uint32_t type, ByteSpan bytes) {
  switch (type) {
    case 0:
      return std::to_string(LoadLittleEndian<std::uint8_t>(bytes));
    case 1:
      return std::to_string(LoadLittleEndian<std::int8_t>(bytes));
    case 2:
      return std::to_string(LoadLittleEndian<std::uint16_t>(bytes));
    case 3:
      return std::to_string(LoadLittleEndian<std::int16_t>(bytes));
    case 4:
      return std::to_string(LoadLittleEndian<std::uint32_t>(bytes));
    case 5:
      return std::to_string(LoadLittleEndian<std::int32_t>(bytes));
    case 6:
      return ShortestDecimal(static_cast<double>(LoadLittleEndian<float>(bytes)));
    case kBool:
      return bytes[0] != std::byte{0} ? "true" : "false";
    case 10:
      return std::to_string(LoadLittleEndian<std::uint64_t>(bytes));
    case 11:
      return std::to_string(LoadLittleEndian<std::int64_t>(bytes));
    default:
      return ShortestDecimal(LoadLittleEndian<double>(bytes));
  }
}

class GgufReader {
 public:
  explicit GgufReader(std::shared_ptr<const MappedFile> file)
      : bytes_(file->bytes()), graph_(ModelFormat::kGguf, std::move(file)) {}

  Result<ModelGraph> Run() {
    CBOARD_ASSIGN_OR_RETURN(const auto magic, Take<std::uint32_t>());
    CBOARD_ASSIGN_OR_RETURN(const auto version, Take<std::uint32_t>());
    if (magic != 0x46554747 || version < 2 || version > 3) {
      return Fail(ErrorCode::kInvalidArgument,
                  "this GGUF version cannot be read: found version " + std::to_string(version) +
                      (version > 0xFFFF ? " (big-endian?)" : "") + ", expected 2 or 3");
    }
    CBOARD_ASSIGN_OR_RETURN(const auto tensor_count, Take<std::uint64_t>());
    CBOARD_ASSIGN_OR_RETURN(const auto pair_count, Take<std::uint64_t>());
    for (std::uint64_t i = 0; i < pair_count; ++i) CBOARD_RETURN_IF_ERROR(ReadPair());
    for (std::uint64_t i = 0; i < tensor_count; ++i) CBOARD_RETURN_IF_ERROR(ReadTensorInfo());
    if (!std::has_single_bit(alignment_)) {
      return Fail(ErrorCode::kDataLoss, "the GGUF metadata general.alignment is " +
                                            std::to_string(alignment_) +
                                            ", expected a power of two");
    }
    const std::uint64_t padding = (alignment_ - position_ % alignment_) % alignment_;
    const ByteSpan data = padding > bytes_.size() - position_
                              ? ByteSpan()
                              : bytes_.subspan(position_ + static_cast<std::size_t>(padding));
    for (const TensorInfo& info : infos_) CBOARD_RETURN_IF_ERROR(AddTensor(info, data));
    return graph_.Finish();
  }

 private:
  struct TensorInfo {
    std::string_view name;
    std::vector<std::int64_t> shape;
    std::uint32_t type = 0;
    std::uint64_t offset = 0;
  };

  tl::unexpected<Error> Ends(std::string_view what) const {
    return Fail(ErrorCode::kDataLoss,
                "the GGUF file is truncated: at offset " + std::to_string(position_) + " of " +
                    std::to_string(bytes_.size()) + " it ends inside " + std::string(what));
  }

  Result<ByteSpan> TakeBytes(std::uint64_t count, std::string_view what) {
    if (count > bytes_.size() - position_) return Ends(what);
    const ByteSpan taken = bytes_.subspan(position_, static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    return taken;
  }

  template <typename T>
  Result<T> Take() {
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan bytes, TakeBytes(sizeof(T), "a number"));
    return LoadLittleEndian<T>(bytes);
  }

  Result<std::string_view> TakeString() {
    CBOARD_ASSIGN_OR_RETURN(const auto length, Take<std::uint64_t>());
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan bytes, TakeBytes(length, "a string"));
    return AsText(bytes);
  }

  Result<void> ReadPair() {
    CBOARD_ASSIGN_OR_RETURN(const std::string_view key, TakeString());
    CBOARD_ASSIGN_OR_RETURN(const auto type, Take<std::uint32_t>());
    if (type == kArray) {
      CBOARD_ASSIGN_OR_RETURN(const std::uint64_t count, SkipArray(key));
      graph_.AddMetadata(key, "[" + HumanCount(count) + " values]");
      return {};
    }
    if (type == kString) {
      CBOARD_ASSIGN_OR_RETURN(const std::string_view text, TakeString());
      graph_.AddMetadata(key, text.size() <= kMaxShownText
                                  ? std::string(text)
                                  : std::string(text.substr(0, kMaxShownText)) + "…");
      return {};
    }
    CBOARD_RETURN_IF_ERROR(CheckValueType(key, type));
    CBOARD_ASSIGN_OR_RETURN(const ByteSpan value, TakeBytes(kValueBytes[type], "a value"));
    if (key == "general.alignment" && value.size() == 4) {
      alignment_ = LoadLittleEndian<std::uint32_t>(value);
    }
    graph_.AddMetadata(key, NumberText(type, value));
    return {};
  }

  Result<void> CheckValueType(std::string_view key, std::uint32_t type) const {
    if (type < kValueBytes.size()) return {};
    return Fail(ErrorCode::kDataLoss, "the GGUF file is damaged: at offset " +
                                          std::to_string(position_) + " the metadata " +
                                          Quoted(key) + " has the type " + std::to_string(type) +
                                          ", expected 0 to 12");
  }

  Result<std::uint64_t> SkipArray(std::string_view key) {
    CBOARD_ASSIGN_OR_RETURN(const auto type, Take<std::uint32_t>());
    CBOARD_ASSIGN_OR_RETURN(const auto count, Take<std::uint64_t>());
    CBOARD_RETURN_IF_ERROR(CheckValueType(key, type));
    if (type == kArray) {
      return Fail(ErrorCode::kDataLoss, "the GGUF metadata " + Quoted(key) +
                                            " is an array of arrays, which is not supported");
    }
    if (type == kString) {
      for (std::uint64_t i = 0; i < count; ++i) CBOARD_RETURN_IF_ERROR(TakeString());
      return count;
    }
    if (count > bytes_.size()) return Ends("an array");
    CBOARD_RETURN_IF_ERROR(TakeBytes(count * kValueBytes[type], "an array"));
    return count;
  }

  Result<void> ReadTensorInfo() {
    TensorInfo& info = infos_.emplace_back();
    CBOARD_ASSIGN_OR_RETURN(info.name, TakeString());
    CBOARD_ASSIGN_OR_RETURN(const auto rank, Take<std::uint32_t>());
    if (rank > kMaxDimensions) {
      return Fail(ErrorCode::kDataLoss,
                  "tensor " + Quoted(info.name) + " has " + std::to_string(rank) +
                      " dimensions, expected at most " + std::to_string(kMaxDimensions));
    }
    for (std::uint32_t i = 0; i < rank; ++i) {
      CBOARD_ASSIGN_OR_RETURN(const auto size, Take<std::uint64_t>());
      info.shape.push_back(static_cast<std::int64_t>(size));
    }
    std::ranges::reverse(info.shape);
    CBOARD_ASSIGN_OR_RETURN(info.type, Take<std::uint32_t>());
    CBOARD_ASSIGN_OR_RETURN(info.offset, Take<std::uint64_t>());
    return {};
  }

  Result<void> AddTensor(const TensorInfo& info, ByteSpan data) {
    const std::string where = "tensor " + Quoted(info.name);
    if (graph_.FindTensor(info.name) != kNoTensor) {
      return Fail(ErrorCode::kDataLoss, where + " occurs twice");
    }
    const auto* known = std::ranges::find(kBlockTypes, info.type, &BlockFacts::number);
    const TensorId id = graph_.Tensor(info.name);
    if (known == std::end(kBlockTypes)) {  // A newer, unknown type; its bytes are not counted.
      return graph_.SetConstant(id, DType::kUnknown, info.shape, {});
    }
    const std::optional<std::uint64_t> needed = BytesNeeded(known->type, info.shape);
    if (!needed || info.offset > data.size() || *needed > data.size() - info.offset) {
      return Fail(ErrorCode::kDataLoss,
                  where + " of type " + std::string(NameOf(known->type)) + " and shape " +
                      ShapeText(info.shape) + " is at offset " + std::to_string(info.offset) +
                      " of " + std::to_string(data.size()) +
                      " bytes of tensor data and ends after them; the file is truncated");
    }
    CBOARD_RETURN_IF_ERROR(graph_.SetConstant(
        id, known->type, info.shape,
        {data.subspan(static_cast<std::size_t>(info.offset), static_cast<std::size_t>(*needed))}));
    if (known->bits > 0 && !info.shape.empty()) {
      ModelQuantization quantization;
      quantization.origin = QuantizationOrigin::kBlocks;
      quantization.granularity = Quantization::Granularity::kPerGroup;
      quantization.axis = info.shape.size() - 1;
      quantization.group_size = LayoutOf(known->type).elements;
      quantization.code_max = (std::int64_t{1} << known->bits) - 1;
      graph_.tensor(id).quantization = std::move(quantization);
    }
    return {};
  }

  ByteSpan bytes_;
  std::size_t position_ = 0;
  std::uint64_t alignment_ = 32;
  std::vector<TensorInfo> infos_;
  GraphAssembler graph_;
};

}  // namespace

Result<ModelGraph> ReadGguf(std::shared_ptr<const MappedFile> file) {
  return GgufReader(std::move(file)).Run();
}

}  // namespace cboard::model
