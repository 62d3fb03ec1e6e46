// Reads TFLite files: a flatbuffer with subgraphs, tensors and their scales, and buffers with
// weights.
#include <algorithm>

#include "cboard/base/strings.h"
#include "model/graph/formats.h"
#include "model/graph/graph_assembler.h"
#include "model/graph/quantization_rules.h"
#include "model/tflite/flat_buffer.h"
#include "model/tflite/tflite_operators.h"
#include "model/tflite/tflite_sparsity.h"

namespace cboard::model {
namespace {

// The numbers of the fields that this reader uses, for each table of TFLite's schema.
namespace model_field {
enum : std::size_t { kVersion, kOperatorCodes, kSubgraphs, kDescription, kBuffers };
}
namespace code_field {
enum : std::size_t { kOldBuiltin, kCustom, kVersion, kBuiltin };
}
namespace subgraph_field {
enum : std::size_t { kTensors, kInputs, kOutputs, kOperators, kName };
}
namespace tensor_field {
enum : std::size_t {
  kShape,
  kType,
  kBuffer,
  kName,
  kQuantization,
  kIsVariable,
  kSparsity,
  kSignature
};
}
namespace quantization_field {
enum : std::size_t { kMin, kMax, kScale, kZeroPoint, kDetailsType, kDetails, kAxis };
}
namespace buffer_field {
enum : std::size_t { kData, kOffset, kSize };
}
namespace operator_field {
enum : std::size_t { kCode, kInputs, kOutputs, kOptionsType, kOptions };
}

constexpr DType kTfliteTypes[] = {
    DType::kFloat32, DType::kFloat16,    DType::kInt32,  DType::kUint8,     DType::kInt64,
    DType::kString,  DType::kBool,       DType::kInt16,  DType::kComplex64, DType::kInt8,
    DType::kFloat64, DType::kComplex128, DType::kUint64, DType::kUnknown,   DType::kUnknown,
    DType::kUint32,  DType::kUint16,     DType::kInt4,   DType::kBfloat16,  DType::kInt2,
};

class TfliteReader {
 public:
  explicit TfliteReader(std::shared_ptr<const MappedFile> file)
      : bytes_(file->bytes()), buffer_(bytes_), graph_(ModelFormat::kTflite, std::move(file)) {}

  Result<ModelGraph> Run() {
    const FlatTable model = buffer_.Root();
    graph_.AddMetadata("version",
                       std::to_string(model.Number<std::uint32_t>(model_field::kVersion)));
    graph_.AddMetadata("description", std::string(model.Text(model_field::kDescription)));
    codes_ = model.Tables(model_field::kOperatorCodes);
    buffers_ = model.Tables(model_field::kBuffers);
    const std::vector<FlatTable> subgraphs = model.Tables(model_field::kSubgraphs);
    CBOARD_RETURN_IF_ERROR(CheckDamage());
    if (subgraphs.empty()) {
      return Fail(ErrorCode::kInvalidArgument, "the TFLite model contains no graph");
    }
    for (std::size_t i = 0; i < subgraphs.size(); ++i) {
      CBOARD_RETURN_IF_ERROR(ReadSubgraph(subgraphs[i], i));
    }
    CBOARD_RETURN_IF_ERROR(CheckDamage());
    CBOARD_RETURN_IF_ERROR(graph_.Sort());
    PassConstantsOn();
    return graph_.Finish();
  }

 private:
  Result<void> CheckDamage() const {
    if (!buffer_.is_damaged()) return {};
    return Fail(ErrorCode::kDataLoss, "the TFLite model is damaged: at offset " +
                                          std::to_string(buffer_.damage_offset()) +
                                          " an offset points outside of the file's " +
                                          std::to_string(bytes_.size()) + " bytes");
  }

  Result<void> ReadSubgraph(const FlatTable& subgraph, std::size_t index) {
    const std::string_view name = subgraph.Text(subgraph_field::kName);
    const std::string prefix =
        index == 0 ? ""
                   : (name.empty() ? "subgraph_" + std::to_string(index) : std::string(name)) + "/";
    const std::vector<FlatTable> tensors = subgraph.Tables(subgraph_field::kTensors);
    ids_.clear();
    for (const FlatTable& tensor : tensors) {
      CBOARD_RETURN_IF_ERROR(ReadTensor(tensor, prefix));
    }
    for (const FlatTable& operation : subgraph.Tables(subgraph_field::kOperators)) {
      CBOARD_RETURN_IF_ERROR(ReadOperator(operation, prefix));
    }
    if (index > 0) return {};
    for (const TensorId id : Ids(subgraph, subgraph_field::kInputs)) {
      if (id != kNoTensor) graph_.AddInput(id);
    }
    for (const TensorId id : Ids(subgraph, subgraph_field::kOutputs)) {
      if (id != kNoTensor) graph_.AddOutput(id);
    }
    return {};
  }

  // Reads a list of tensor numbers. -1 means an omitted input. Any other number that does not exist
  // is reported as damage, but reading continues.
  std::vector<TensorId> Ids(const FlatTable& table, std::size_t field) const {
    std::vector<TensorId> ids;
    for (const std::int32_t number : table.Numbers<std::int32_t>(field)) {
      const bool exists = number >= 0 && static_cast<std::size_t>(number) < ids_.size();
      ids.push_back(exists ? ids_[static_cast<std::size_t>(number)] : kNoTensor);
    }
    return ids;
  }

  Result<void> ReadTensor(const FlatTable& tensor, const std::string& prefix) {
    const std::string_view name = tensor.Text(tensor_field::kName);
    // Counts the memory of a table's parts each time: many offsets may lead to the same table.
    CBOARD_RETURN_IF_ERROR(graph_.Charge(name.size() + prefix.size()));
    const TensorId id = graph_.NewTensor(
        prefix + (name.empty() ? "tensor_" + std::to_string(ids_.size()) : std::string(name)));
    ids_.push_back(id);
    const auto number = tensor.Number<std::int8_t>(tensor_field::kType);
    const DType type = number < 0 || static_cast<std::size_t>(number) >= std::size(kTfliteTypes)
                           ? DType::kUnknown
                           : kTfliteTypes[number];
    const bool has_signature = tensor.Has(tensor_field::kSignature);
    const std::size_t sizes = tensor.Vector(tensor_field::kShape, sizeof(std::int32_t)).size() +
                              tensor.Vector(tensor_field::kSignature, sizeof(std::int32_t)).size();
    CBOARD_RETURN_IF_ERROR(graph_.Charge(sizes));
    const std::vector<std::int32_t> stored = tensor.Numbers<std::int32_t>(tensor_field::kShape);
    const std::vector<std::int64_t> shape(stored.begin(), stored.end());
    const ByteSpan data = DataOf(tensor.Number<std::uint32_t>(tensor_field::kBuffer));
    const bool is_sparse = tensor.Has(tensor_field::kSparsity);
    if (is_sparse && CanBeSparse(type)) {
      const Result<void> set =
          SetSparseConstant(graph_, id, type, shape, tensor.Table(tensor_field::kSparsity), data);
      // Reports damage before other errors: an offset outside the file looks like a missing value.
      CBOARD_RETURN_IF_ERROR(CheckDamage());
      CBOARD_RETURN_IF_ERROR(set);
    } else if (!data.empty() && !is_sparse) {
      CBOARD_RETURN_IF_ERROR(graph_.SetConstant(id, type, shape, {data}));
    } else {
      const std::vector<std::int32_t> open = tensor.Numbers<std::int32_t>(
          has_signature ? tensor_field::kSignature : tensor_field::kShape);
      graph_.Describe(id, type, std::vector<std::int64_t>(open.begin(), open.end()));
    }
    return ReadQuantization(tensor.Table(tensor_field::kQuantization), id);
  }

  // Returns the data of a buffer. Buffer 0 is always empty. Models above 2 GB store the data behind
  // the flatbuffer.
  ByteSpan DataOf(std::uint32_t index) {
    if (index == 0 || index >= buffers_.size()) return {};
    const FlatTable& buffer = buffers_[index];
    const auto offset = buffer.Number<std::uint64_t>(buffer_field::kOffset);
    const auto size = buffer.Number<std::uint64_t>(buffer_field::kSize);
    if (offset <= 1) return buffer.Vector(buffer_field::kData, 1);
    if (offset > bytes_.size() || size > bytes_.size() - offset) return {};
    return bytes_.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  }

  // Returns a constant that refers to the scales in the file without copying them. The quantization
  // rules need the scales in this form.
  static ModelTensor InPlace(ByteSpan data, DType type) {
    ModelTensor constant;
    constant.type = type;
    constant.is_constant = true;
    constant.has_shape = true;
    constant.shape = {static_cast<std::int64_t>(data.size() / LayoutOf(type).bytes)};
    constant.data = data;
    return constant;
  }

  Result<void> ReadQuantization(const FlatTable& stored, TensorId id) {
    if (!stored.exists()) return {};
    const ModelTensor scales =
        InPlace(stored.Vector(quantization_field::kScale, 4), DType::kFloat32);
    const ModelTensor zero_points =
        InPlace(stored.Vector(quantization_field::kZeroPoint, 8), DType::kInt64);
    if (scales.data.empty()) return {};
    ModelTensor& codes = graph_.tensor(id);
    CBOARD_ASSIGN_OR_RETURN(
        codes.quantization,
        MakeQuantization(graph_, {.origin = QuantizationOrigin::kStored,
                                  .type = codes.type,
                                  .scales = &scales,
                                  .zero_points = zero_points.data.empty() ? nullptr : &zero_points,
                                  .has_shape = codes.has_shape,
                                  .shape = codes.shape,
                                  .axis = stored.Number<std::int32_t>(quantization_field::kAxis)}));
    return {};
  }

  Result<void> ReadOperator(const FlatTable& operation, const std::string& prefix) {
    ModelNode node;
    const auto code = operation.Number<std::uint32_t>(operator_field::kCode);
    if (code < codes_.size()) {
      const std::string_view custom = codes_[code].Text(code_field::kCustom);
      // The number of a built-in operator. Numbers above 127 do not fit into the old field, and are
      // only in the new one.
      const std::int32_t builtin =
          std::max<std::int32_t>(codes_[code].Number<std::int8_t>(code_field::kOldBuiltin),
                                 codes_[code].Number<std::int32_t>(code_field::kBuiltin));
      const std::string_view known = TfliteOperatorName(builtin);
      node.op_type = !custom.empty() ? std::string(custom)
                     : known.empty() ? "BUILTIN_" + std::to_string(builtin)
                                     : std::string(known);
    }
    const std::size_t edges = operation.Vector(operator_field::kInputs, 4).size() +
                              operation.Vector(operator_field::kOutputs, 4).size();
    CBOARD_RETURN_IF_ERROR(graph_.Charge(edges + node.op_type.size() + prefix.size()));
    node.inputs = Ids(operation, operator_field::kInputs);
    node.outputs = Ids(operation, operator_field::kOutputs);
    if (node.op_type == "BATCH_MATMUL") {
      const FlatTable options = operation.Table(operator_field::kOptions);
      node.attributes.emplace_back("adj_x", std::int64_t{options.Number<std::uint8_t>(0)});
      node.attributes.emplace_back("adj_y", std::int64_t{options.Number<std::uint8_t>(1)});
    }
    graph_.AddNode(std::move(node));
    return {};
  }

  // Connects constants with the nodes that use them through DEQUANTIZE (weights stored as float16
  // or in 8 bits) and DENSIFY (sparse weights).
  void PassConstantsOn() {
    for (const ModelNode& node : graph_.nodes()) {
      if (node.op_type != "DEQUANTIZE" && node.op_type != "DENSIFY" && node.op_type != "RESHAPE") {
        continue;
      }
      if (node.inputs.empty() || node.outputs.empty() || node.inputs[0] == kNoTensor ||
          node.outputs[0] == kNoTensor) {
        continue;
      }
      graph_.tensor(node.outputs[0]).source = graph_.tensor(node.inputs[0]).source;
    }
  }

  ByteSpan bytes_;
  FlatBuffer buffer_;
  GraphAssembler graph_;
  std::vector<FlatTable> codes_;
  std::vector<FlatTable> buffers_;
  std::vector<TensorId> ids_;  // Tensors of the current subgraph.
};

}  // namespace

Result<ModelGraph> ReadTflite(std::shared_ptr<const MappedFile> file) {
  return TfliteReader(std::move(file)).Run();
}

}  // namespace cboard::model
