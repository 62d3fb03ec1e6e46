// The content of a model file of any format: a graph of nodes and tensors, the weights in the
// mapped file, and the scales that dequantize the weights.
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
// Opening maps the file and parses its structure. Weights are not read, so a file of many gigabytes
// opens in milliseconds. There are two exceptions: sparse weights are expanded, and weights are
// read if the model computes their scale from them at run time. docs/formats/models.md describes
// each format.
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

// Indices into ModelGraph::tensors() and ModelGraph::nodes(). They have separate types, so that
// they cannot be confused.
enum class TensorId : std::uint32_t {};
enum class NodeId : std::uint32_t {};
inline constexpr TensorId kNoTensor{0xFFFFFFFFu};  // An optional input that is left out.
inline constexpr NodeId kNoNode{0xFFFFFFFFu};
constexpr std::size_t IndexOf(TensorId id) { return static_cast<std::size_t>(id); }
constexpr std::size_t IndexOf(NodeId id) { return static_cast<std::size_t>(id); }

// The place where the scales of a quantized tensor were found.
enum class QuantizationOrigin {
  kQdq,            // A QuantizeLinear or DequantizeLinear next to the tensor.
  kQOperator,      // Inputs of the node that uses it: QLinearConv, MatMulNBits, …
  kStored,         // Metadata of the tensor in the file: TFLite.
  kFakeQuantize,   // A node that rounds floats: FakeQuantize, FakeQuantWithMinMaxVars.
  kDecompression,  // Convert, Subtract, Multiply after the weight: OpenVINO.
  kBlocks,         // Inside the blocks of the tensor's data: GGUF. `scales` is then empty.
};
std::string_view NameOf(QuantizationOrigin origin);  // "qdq", "q_operator", …

// Quantization parameters: real = (code - zero_point) * scale, with code_min <= code <= code_max.
// If codes are floats of eight or four bits, code_min and code_max are those of integers with the
// same number of bits.
struct ModelQuantization {
  using Granularity = Quantization::Granularity;

  QuantizationOrigin origin = QuantizationOrigin::kQdq;
  Granularity granularity = Granularity::kPerTensor;
  // The scales: one for the tensor, one per index of dimension `axis`, or one per group. For
  // groups, the scales are in row-major order of the tensor's shape, in which the size of dimension
  // `axis` is divided by `group_size` and rounded up.
  std::vector<float> scales;
  std::vector<std::int32_t> zero_points;  // As many as scales; empty if all are zero.
  std::size_t axis = 0;
  std::size_t group_size = 0;  // kPerGroup: number of elements along `axis` that share a scale.
  std::int64_t code_min = 0;
  std::int64_t code_max = 0;

  // Returns the bit width of the codes: 8 for [-127, 127], 4 for [0, 15].
  int bits() const;
};

struct ModelTensor {
  std::string name;  // Name in the file; in functions and subgraphs it has the scope as a prefix.
  DType type = DType::kUnknown;
  bool has_shape = false;           // If false, not even the rank is known.
  std::vector<std::int64_t> shape;  // Row-major; -1 is an unknown size.
  // Names of the dimensions in an ONNX file: one per dimension, "" for a dimension without a name.
  // The list is empty if no dimension has a name. Dimensions with equal names have equal sizes.
  std::vector<std::string> dimension_names;

  // True if the file stores the tensor: a weight, a scale, or another constant.
  bool is_constant = false;
  // The stored bytes of a constant, in the mapped file or in memory that the graph owns. There are
  // fewer bytes than the shape requires only if `repeats_last` is set. Empty for strings.
  ByteSpan data;
  // If a constant is stored as a sparse tensor (ONNX or TFLite): its size in the file, which
  // consists of the non-zero values and their positions. 0 if the constant is not sparse.
  std::uint64_t sparse_bytes = 0;
  bool repeats_last = false;  // The last stored element is repeated up to the end (TensorFlow).
  // Distance in elements from the start of a row in `data` to the start of the next row, if rows
  // are padded. A row runs along the last dimension. 0 if there is no padding.
  std::size_t stored_row = 0;

  // Quantization parameters of a weight or an activation. Not set if there are none, or if they are
  // not constants in the file.
  std::optional<ModelQuantization> quantization;

  // The constant that has this tensor's values. It is the tensor itself, or a constant that reaches
  // this tensor through nodes that dequantize values or do not change them. kNoTensor if the values
  // are computed at run time.
  TensorId source = kNoTensor;
  // Set if weights are stored as floats and the graph quantizes them: the tensor whose quantization
  // rounds the values of `source` before they reach this tensor. Otherwise kNoTensor.
  TensorId rounded_by = kNoTensor;

  NodeId producer = kNoNode;  // kNoNode for graph inputs and constants.

  bool is_sparse() const { return sparse_bytes > 0; }
  // Returns the size of a constant in the file. `data` of a sparse constant may be larger.
  std::uint64_t stored_bytes() const { return is_sparse() ? sparse_bytes : data.size(); }
};

using AttributeValue = std::variant<std::int64_t, double, std::string, std::vector<std::int64_t>,
                                    std::vector<double>, std::vector<std::string>>;

struct ModelNode {
  std::string name;  // Unique and never empty; derived from output or type if the file has none.
  // The type of the node, with the spelling of the file's format: "Conv", "Conv2D", "CONV_2D",
  // "Convolution".
  std::string op_type;
  std::string domain;            // ONNX domain, e.g. "com.microsoft"; empty for the default domain.
  std::string scope;             // Path of the name: "layer1/0" for "/layer1/0/Conv".
  std::vector<TensorId> inputs;  // kNoTensor for an omitted optional input.
  std::vector<TensorId> outputs;
  std::vector<std::pair<std::string, AttributeValue>> attributes;
  NodeId parent = kNoNode;  // The If, Loop or Scan node whose subgraph contains this node.

  // Size in bytes of the constants that only this node uses, directly or through nodes with only
  // constant inputs (quantizers, transposes). If several nodes use a constant, it is counted for
  // the first of them. The sum over all nodes is therefore the size of all used constants.
  std::uint64_t weight_bytes = 0;
  // Size of the outputs in bytes. An unknown first dimension is counted as 1. nullopt if shapes are
  // unknown.
  std::optional<std::uint64_t> output_bytes;
  // Multiply-accumulate operations of a convolution or matrix product; 0 for other nodes. An
  // unknown first dimension is counted as 1. nullopt if shapes are unknown. A subgraph or function
  // body is counted once for each place that calls it.
  std::optional<std::uint64_t> macs = 0;

  // Returns the attribute with this key, or null if there is none.
  const AttributeValue* FindAttribute(std::string_view key) const;
};

// An open model file. Movable. Views that it returns are valid as long as the graph. Many threads
// may read at the same time.
//
// The file is mapped and not copied, and another program may overwrite it meanwhile. This never
// ends the process, but the values may then be old, new or zero. CheckUnchanged returns an error if
// values that were read may be wrong.
class ModelGraph {
 public:
  ModelFormat format() const { return format_; }
  const std::filesystem::path& path() const { return path_; }
  // Returns the size in bytes of the model's file and of all files that it refers to.
  std::uint64_t file_bytes() const { return file_bytes_; }
  // Returns the metadata of the file (producer, opset, architecture, …), in file order.
  const std::vector<std::pair<std::string, std::string>>& metadata() const { return metadata_; }

  // Returns all nodes. They are sorted so that a node comes after the nodes whose outputs it uses.
  // Formats that store only weights have no nodes.
  const std::vector<ModelNode>& nodes() const { return nodes_; }
  const std::vector<ModelTensor>& tensors() const { return tensors_; }
  const std::vector<TensorId>& inputs() const { return inputs_; }
  const std::vector<TensorId>& outputs() const { return outputs_; }

  const ModelNode& node(NodeId id) const { return nodes_[IndexOf(id)]; }
  const ModelTensor& tensor(TensorId id) const { return tensors_[IndexOf(id)]; }
  std::span<const NodeId> consumers(TensorId id) const;  // In order, without duplicates.

  // Finds a tensor or a node by name. Returns kNoTensor or kNoNode if there is none.
  TensorId FindTensor(std::string_view name) const;
  NodeId FindNode(std::string_view name) const;

  // True if the file contains the values of `id`. OpenWeights can then read them, unless the
  // elements are not numbers.
  bool IsWeight(TensorId id) const { return id != kNoTensor && tensor(id).source != kNoTensor; }

  // Opens the real values of a constant, or of a tensor that has the values of a constant (see
  // ModelTensor::source). Codes are dequantized. Floats that the graph quantizes are rounded to the
  // quantized values. The reader borrows the graph. Fails with kInvalidArgument if the values are
  // computed at run time or are not numbers, and with kUnavailable if the file has changed since it
  // was opened.
  Result<WeightReader> OpenWeights(TensorId id) const;

  // Checks that the model's files have not changed. Fails with kUnavailable if the model's file, or
  // a file that it refers to, was written, truncated or replaced since it was opened. Call it after
  // the last read and before you use results.
  Result<void> CheckUnchanged() const;

  // Returns a text that identifies the version of the files. Callers can detect a change when they
  // open the model again.
  std::string version() const;

  // Reads all values that OpenWeights would give. Fails with kResourceExhausted if there are more
  // than `max_elements`.
  Result<std::vector<float>> ReadWeights(TensorId id,
                                         std::size_t max_elements = std::size_t{1} << 31) const;

  // Returns the stored elements without a copy, with their quantization, for tensor/statistics.h
  // and similar code. Returns nullopt if TensorView does not support the type (4 bits, blocks), if
  // groups are not along the last dimension, or if values are rounded, repeated or padded. In these
  // cases, use OpenWeights.
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
  // The consumers of all tensors in one list. Those of tensor i start at index consumer_begins_[i].
  std::vector<NodeId> consumers_;
  std::vector<std::uint32_t> consumer_begins_;
  std::unordered_map<std::string_view, TensorId> tensors_by_name_;
  std::unordered_map<std::string_view, NodeId> nodes_by_name_;
  // The mapped files that contain the data of constants.
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::vector<std::unique_ptr<std::byte[]>> decoded_;
};

// Reads any part of a tensor as real values, so that callers need no copy of the whole tensor.
// Borrows the graph that opened it. Copyable; many threads may use it.
class WeightReader {
 public:
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::size_t element_count() const { return element_count_; }

  // Returns the number of elements in a row, which is the size of the last dimension; 1 for a
  // scalar.
  std::size_t row_length() const {
    return shape_.empty() ? 1 : static_cast<std::size_t>(shape_.back());
  }

  // Writes the elements [first, first + out.size()) in row-major order to `out`. These elements
  // must exist.
  void Read(std::size_t first, std::span<float> out) const;

  // Returns the quantization parameters of the values, or null if they are not quantized.
  const ModelQuantization* quantization() const {
    return dequantization_ != nullptr ? dequantization_ : rounding_;
  }

  // Reads the integer codes of the values, also for floats that the graph quantizes. quantization()
  // must not be null.
  void ReadCodes(std::size_t first, std::span<float> out) const;

  // Returns the index of an element's scale in quantization()->scales. quantization() must not be
  // null.
  std::size_t ScaleIndexOf(std::size_t element) const;

 private:
  friend class ModelGraph;

  void ReadStored(std::size_t first, std::span<float> out) const;
  void ReadPadded(std::size_t first, std::span<float> out) const;

  // Computes the strides that map an element to its scale. `shape` is the shape of the quantized
  // tensor.
  void SetScaleStrides(const std::vector<std::int64_t>& shape, const ModelQuantization* scaled);
  // Calls `visit(begin, count, scale, zero_point)` for each run of consecutive elements that share
  // a scale.
  template <typename Visitor>
  void ForEachRun(std::size_t first, std::size_t count, const Visitor& visit) const;

  DType type_ = DType::kUnknown;
  ByteSpan data_;
  std::size_t stored_count_ = 0;  // Elements in `data_`; the last one repeats up to element_count_.
  std::size_t row_ = 0;           // With padding: number of elements in a row.
  std::size_t stored_row_ = 0;    // Number of elements in a row with its padding; 0: no padding.
  std::vector<std::int64_t> shape_;
  std::size_t element_count_ = 0;
  // Quantization parameters of the stored codes. Null if the file stores floats.
  const ModelQuantization* dequantization_ = nullptr;
  // Quantization parameters that round the stored floats. Null if the floats are not rounded.
  const ModelQuantization* rounding_ = nullptr;
  // These sizes map an element to its scale: element (outer, i, inner) has the scale (outer, i /
  // group_size_, inner).
  std::size_t inner_size_ = 1;
  std::size_t axis_size_ = 1;
  std::size_t group_size_ = 1;
  std::size_t groups_ = 1;
};

// Opens a model. The format is detected from the content, not from the name: ONNX, safetensors,
// GGUF, TensorFlow GraphDef, a SavedModel directory, TFLite, or OpenVINO IR (the .xml file; the
// .bin file must be in the same directory). In a Hugging Face model directory, opens
// model.safetensors (or its index) or model.onnx.
//
// Fails with kNotFound if the file does not exist, with kInvalidArgument for files of another kind,
// with kDataLoss for damaged files, and with kPermissionDenied if a model refers to data outside
// its folder. The error names the file and the place in it. Memory is proportional to the size of
// the file, not to sizes that the file claims; only expanded sparse constants take up to 256 times
// the size of the file.
//
// `shapes` sets the shapes of inputs with dynamic sizes. Dimensions with the same name get the same
// size. Shapes of other tensors, memory and multiply-accumulates are computed from them. Fails with
// kInvalidArgument if a shape contradicts the shape that the file declares; the error names the
// declared shape.
Result<ModelGraph> OpenModel(const std::filesystem::path& path, const InputShapes& shapes = {});

}  // namespace cboard::model
