// The content of a model file of any format: a graph of nodes and tensors, the weights where
// they lie in the file, and the scales that turn quantized weights into real ones.
//
//   CBOARD_ASSIGN_OR_RETURN(const ModelGraph model, OpenModel("resnet18_int8.onnx"));
//   for (const ModelNode& node : model.nodes()) {
//     for (const TensorId input : node.inputs) {
//       if (!model.IsWeight(input)) continue;
//       CBOARD_ASSIGN_OR_RETURN(const WeightReader weights, model.OpenWeights(input));
//       weights.Read(0, first_row);  // Real values, dequantized on the fly.
//     }
//   }
//
// Opening maps the file and reads its description; weights are not touched, so that a file of many
// gigabytes opens in milliseconds. Only sparse ones are unfolded, and those whose scale is computed
// from them at run time are looked through. docs/formats/models.md describes each
// format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "cboard/base/bytes.h"
#include "cboard/base/result.h"
#include "cboard/model/element_type.h"
#include "cboard/model/input_shapes.h"
#include "cboard/tensor/tensor_view.h"

namespace cboard::model {

class MappedFile;
class WeightReader;

enum class ModelFormat {
  kOnnx,
  kSafetensors,
  kGguf,
  kTensorFlowGraph,  // GraphDef, frozen or not.
  kSavedModel,       // TensorFlow's directory of graph and variables.
  kTflite,
  kOpenVino,  // IR: .xml and .bin.
};
std::string_view NameOf(ModelFormat format);  // "onnx", "saved_model", …

// Positions in ModelGraph::tensors() and nodes(); types of their own, so that they cannot be mixed.
enum class TensorId : std::uint32_t {};
enum class NodeId : std::uint32_t {};
inline constexpr TensorId kNoTensor{0xFFFFFFFFu};  // An optional input that is left out.
inline constexpr NodeId kNoNode{0xFFFFFFFFu};
constexpr std::size_t IndexOf(TensorId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t IndexOf(NodeId id) { return static_cast<std::size_t>(id); }

// Where the scales of a quantized tensor were found.
enum class QuantizationOrigin {
  kQdq,            // A QuantizeLinear or DequantizeLinear beside the tensor.
  kQOperator,      // The inputs of the node that uses it: QLinearConv, MatMulNBits, …
  kStored,         // Beside the tensor in the file: TFLite.
  kFakeQuantize,   // A node that rounds floats: FakeQuantize, FakeQuantWithMinMaxVars.
  kDecompression,  // Convert, Subtract, Multiply after the weight: OpenVINO.
  kBlocks,         // In the blocks of the tensor's own bytes: GGUF. There are no `scales` then.
};
std::string_view NameOf(QuantizationOrigin origin);  // "qdq", "q_operator", …

// real = (code - zero_point) * scale, with code_min <= code <= code_max. Where codes are floats of
// eight or four bits, the range is that of integers of as many.
struct ModelQuantization {
  using Granularity = Quantization::Granularity;

  QuantizationOrigin origin = QuantizationOrigin::kQdq;
  Granularity granularity = Granularity::kPerTensor;
  // One; one per index of dimension `axis`; or one per group, in the row-major order of a tensor
  // whose dimension `axis` is divided by `group_size`, rounded up.
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;  // As many as scales, or none: all zero.
  std::size_t axis = 0;
  std::size_t group_size = 0;  // kPerGroup: elements along `axis` that share a scale.
  std::int64_t code_min = 0;
  std::int64_t code_max = 0;

  // Bits of the codes: 8 for [-127, 127], 4 for [0, 15].
  int bits() const;
};

struct ModelTensor {
  std::string name;  // As in the file; inside functions and subgraphs, behind their scope.
  DType type = DType::kUnknown;
  bool has_shape = false;           // Without one, not even the rank is known.
  std::vector<std::int64_t> shape;  // Row-major; -1 is an unknown size.
  // Names of dimensions in ONNX: one per dimension, "" for those without a name; empty if no
  // dimension has one. Equal names mean equal sizes.
  std::vector<std::string> dimension_names;

  // Stored in the file, that is a weight, a scale, or another constant.
  bool is_constant = false;
  // The stored bytes of a constant, in the mapped file or in memory that the graph owns. Fewer than
  // the shape asks for only when `repeats_last`. Empty for strings.
  ByteSpan data;
  // Size in the file of a constant that is stored without its zeros (a sparse tensor of ONNX or
  // TFLite): its values and their positions. 0: it is stored as in `data`.
  std::uint64_t sparse_bytes = 0;
  bool repeats_last = false;  // The last stored element stands for all that follow (TensorFlow).
  // Elements in `data` from a row (of the last dimension) to the next, where rows end in padding
  // that is not part of the shape; 0: there is none.
  std::size_t stored_row = 0;

  // How codes become real values, where constants say so; also of activations.
  std::optional<ModelQuantization> quantization;

  // The constant whose values this tensor has: itself, or what reaches it through nodes that keep
  // values or dequantize them. kNoTensor for what is computed at run time.
  TensorId source = kNoTensor;
  // The tensor whose quantization rounds the values of `source` on their way here, when weights are
  // stored as floats and quantized in the graph; kNoTensor otherwise.
  TensorId rounded_by = kNoTensor;

  NodeId producer = kNoNode;  // kNoNode for graph inputs and constants.

  bool is_sparse() const { return sparse_bytes > 0; }
  // Size of a constant in the file; `data` may be larger.
  std::uint64_t stored_bytes() const { return is_sparse() ? sparse_bytes : data.size(); }
};

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    std::vector<double>, std::vector<std::string>>;

struct ModelNode {
  std::string name;     // Unique and never empty; made from output or type where the file has none.
  std::string op_type;  // In the format's own spelling: "Conv", "Conv2D", "CONV_2D", "Convolution".
  std::string domain;   // ONNX's, e.g. "com.microsoft"; empty is the default one.
  std::string scope;    // The name's path: "layer1/0" for "/layer1/0/Conv".
  std::vector<TensorId> inputs;  // kNoTensor where an optional one is left out.
  std::vector<TensorId> outputs;
  std::vector<std::pair<std::string, AttributeValue>> attributes;
  NodeId parent = kNoNode;  // The If, Loop or Scan whose subgraph this node is in.

  // Bytes of the constants that only this node needs, and those before it that compute with nothing
  // else: quantizers, transposes. A constant of many nodes counts for the first, so that the sum
  // over nodes is what the nodes use of the file.
  std::uint64_t weight_bytes = 0;
  // Bytes of the outputs, with an unknown first dimension taken as one; nothing if not known.
  std::optional<std::uint64_t> output_bytes;
  // Multiply-accumulates of convolutions and matrix products, with an unknown first dimension
  // taken as one; 0 for nodes that have none, nothing if shapes are not known. A subgraph or
  // function body counts once for each place it is called from.
  std::optional<std::uint64_t> macs = 0;

  // The attribute, or null.
  const AttributeValue* FindAttribute(std::string_view key) const;
};

// A model file, opened. Movable; views that it hands out live as long as the graph does. Reading is
// safe from many threads.
//
// The file is mapped, not copied, and another program may save it again meanwhile. That never ends
// the process, but values may then be of either version, or zero: CheckUnchanged says whether what
// was read so far is right.
class ModelGraph {
 public:
  ModelFormat format() const { return format_; }
  const std::filesystem::path& path() const { return path_; }
  // Size of the model's file and the files it refers to.
  std::uint64_t file_bytes() const { return file_bytes_; }
  // Metadata in the file: producer, opset, architecture, …; in file order.
  const std::vector<std::pair<std::string, std::string>>& metadata() const { return metadata_; }

  // Producers come before consumers. Formats that store only weights have no nodes.
  const std::vector<ModelNode>& nodes() const { return nodes_; }
  const std::vector<ModelTensor>& tensors() const { return tensors_; }
  const std::vector<TensorId>& inputs() const { return inputs_; }
  const std::vector<TensorId>& outputs() const { return outputs_; }

  const ModelNode& node(NodeId id) const { return nodes_[IndexOf(id)]; }
  const ModelTensor& tensor(TensorId id) const { return tensors_[IndexOf(id)]; }
  std::span<const NodeId> consumers(TensorId id) const;  // In order; each node once.

  // kNoTensor, kNoNode when there is none of this name.
  TensorId FindTensor(std::string_view name) const;
  NodeId FindNode(std::string_view name) const;

  // True when the values of `id` are in the file: OpenWeights will read them, unless they are of a
  // type that has no numbers.
  bool IsWeight(TensorId id) const { return id != kNoTensor && tensor(id).source != kNoTensor; }

  // The real values of a constant, or of a tensor that has a constant's values (`source`): codes
  // are dequantized, floats that the graph quantizes are rounded to the values that will be used.
  // The reader borrows the graph. Fails with kInvalidArgument when the values are computed at run
  // time or are no numbers, and with kUnavailable when the file has changed since it was opened.
  Result<WeightReader> OpenWeights(TensorId id) const;

  // Fails with kUnavailable when the model's file, or one it refers to, has been written to,
  // shortened or replaced since it was opened. Call it after the last read and before results are
  // used.
  Result<void> CheckUnchanged() const;

  // Differs between two versions of the files; for callers that open a model again.
  std::string version() const;

  // All of OpenWeights at once. Fails with kResourceExhausted beyond `max_elements`.
  Result<std::vector<float>> ReadWeights(TensorId id,
                                         std::size_t max_elements = std::size_t{1} << 31) const;

  // The stored elements in place, with their quantization, for tensor/statistics.h and the like.
  // Nothing when the tensor layer has no such type (4 bits, blocks), when groups do not run along
  // the last dimension, or when values are rounded, repeated or padded: then OpenWeights is the
  // way.
  std::optional<TensorView> ViewOf(TensorId id) const;

 private:
  friend class GraphAssembler;

  ModelFormat format_ = ModelFormat::kOnnx;
  std::filesystem::path path_;
  std::uint64_t file_bytes_ = 0;
  std::vector<std::pair<std::string, std::string>> metadata_;
  std::vector<ModelNode> nodes_;
  std::vector<ModelTensor> tensors_;
  std::vector<TensorId> inputs_;
  std::vector<TensorId> outputs_;
  // The consumers of all tensors, one after the other; those of tensor i begin at
  // consumer_begins_[i].
  std::vector<NodeId> consumers_;
  std::vector<std::uint32_t> consumer_begins_;
  std::unordered_map<std::string_view, TensorId> tensors_by_name_;
  std::unordered_map<std::string_view, NodeId> nodes_by_name_;
  // The files that `data` points into.
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::vector<std::unique_ptr<std::byte[]>> decoded_;
};

// Reads any part of a tensor as real values, so that no pass over it needs a copy. Borrows the
// graph that opened it. Copyable; safe to use from many threads.
class WeightReader {
 public:
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::size_t element_count() const { return element_count_; }

  // Elements of the last dimension; 1 for a scalar.
  std::size_t row_length() const {
    return shape_.empty() ? 1 : static_cast<std::size_t>(shape_.back());
  }

  // Writes elements [first, first + out.size()) in row-major order; they must exist.
  void Read(std::size_t first, std::span<float> out) const;

  // How codes become these real values; null where they are stored as they are.
  const ModelQuantization* quantization() const {
    return dequantization_ != nullptr ? dequantization_ : rounding_;
  }

  // Reads the codes that quantization(), which must be set, turns into real values. Also for floats
  // that are rounded.
  void ReadCodes(std::size_t first, std::span<float> out) const;

  // Which of quantization()'s scales is that of an element.
  std::size_t ScaleIndexOf(std::size_t element) const;

 private:
  friend class ModelGraph;

  void ReadStored(std::size_t first, std::span<float> out) const;
  void ReadPadded(std::size_t first, std::span<float> out) const;

  // Which scale belongs to which element, from the shape the scales were made for.
  void SetScaleStrides(const std::vector<std::int64_t>& shape, const ModelQuantization* scaled);
  // Calls `visit(begin, count, scale, zero_point)` for runs of elements that share a scale.
  template <typename Visitor>
  void ForEachRun(std::size_t first, std::size_t count, const Visitor& visit) const;

  DType type_ = DType::kUnknown;
  ByteSpan data_;
  std::size_t stored_count_ = 0;  // Elements in `data_`; the last one repeats up to element_count_.
  std::size_t row_ = 0;           // With padding: elements of a row, and …
  std::size_t stored_row_ = 0;    // … of that in `data_`; 0: there is none.
  std::vector<std::int64_t> shape_;
  std::size_t element_count_ = 0;
  const ModelQuantization* dequantization_ = nullptr;  // For stored codes.
  const ModelQuantization* rounding_ = nullptr;        // For stored floats.
  // Element (outer, i, inner) has scale (outer, i / group, inner) of the scales' own strides.
  std::size_t inner_size_ = 1;
  std::size_t axis_size_ = 1;
  std::size_t group_size_ = 1;
  std::size_t groups_ = 1;
};

// Opens a model by its content, not its name: ONNX, safetensors, GGUF, TensorFlow GraphDef, a
// SavedModel directory, TFLite, or OpenVINO IR (the .xml; its .bin is found beside it). In a
// directory of Hugging Face's libraries, opens model.safetensors (or its index) or model.onnx.
//
// Fails with kNotFound, with kInvalidArgument for files of another kind, with kDataLoss for damaged
// ones and kPermissionDenied when a model asks for data outside its folder; the message names file
// and place. Memory stays proportional to the description in the file, never to the sizes it
// claims; only the zeros that a sparse constant leaves out take up to 256 times the file's size.
//
// `shapes` are for inputs whose sizes the file leaves open; shapes of other tensors, memory and
// multiply-accumulates follow from them. Sizes of the same name are filled in, too. Fails with
// kInvalidArgument when a shape is not one that the file allows, and says what it declares.
Result<ModelGraph> OpenModel(const std::filesystem::path& path, const InputShapes& shapes = {});

}  // namespace cboard::model
