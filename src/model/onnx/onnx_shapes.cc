// Infers shapes of ONNX tensors, if they are needed for memory, channels and multiply-accumulates.
#include <algorithm>
#include <limits>
#include <optional>

#include "cboard/proto/onnx.h"
#include "model/graph/node_attributes.h"
#include "model/onnx/onnx_layout_shapes.h"
#include "model/onnx/onnx_passes.h"
#include "model/onnx/onnx_shape_rules.h"
#include "model/onnx/onnx_window_shapes.h"

namespace cboard::model {
namespace {

using namespace onnx_shapes;

class OnnxShapes {
 public:
  OnnxShapes(const std::unordered_map<TensorId, IfBranches>& branches, GraphAssembler& graph)
      : branches_(branches), graph_(graph), values_(graph) {}

  void Run() {
    for (const ModelNode& node : graph_.nodes()) {
      if (node.outputs.empty() || node.outputs[0] == kNoTensor) continue;
      node_ = &node;
      if (node.op_type == "If") {
        ReadBranches();
        continue;
      }
      ModelTensor& output = graph_.tensor(node.outputs[0]);
      if (const Inferred shape = Infer()) Complete(output, *shape);
      if (output.type == DType::kUnknown) output.type = InferType();
      values_.Follow(node);
    }
  }

 private:
  // Sets an inferred shape. Counts its memory, because many small nodes could otherwise create many
  // large shapes.
  void Complete(ModelTensor& output, const Shape& shape) {
    if (graph_.Spend(shape.size() * sizeof(std::int64_t))) CompleteShape(output, shape);
  }

  NodeInputs Inputs() const { return NodeInputs(*node_, graph_, values_); }
  const Shape* InputShape(std::size_t i) const { return Inputs().ShapeOf(i); }

  Inferred Infer() {
    const std::string_view op = node_->op_type;
    const NodeInputs inputs = Inputs();
    const Shape* first = inputs.ShapeOf(0);
    if (op == "ConstantOfShape") return inputs.Sizes(0);
    if (op == "Range") return InferRange(inputs);
    if (op == "Concat" || op == "QLinearConcat") return InferConcat();
    if (op == "Where") return InferBroadcast(1, InferBroadcast(0, std::nullopt, 2), 2);
    if (first == nullptr) return std::nullopt;
    if (op == "DynamicQuantizeLinear") {  // Outputs: codes, one scale, one zero point.
      DescribeOutput(1, DType::kFloat32, {});
      DescribeOutput(2, DType::kUint8, {});
    }
    if (IsSameAsFirst(op)) return *first;
    if (IsBroadcast(op) || IsComparison(op)) {
      Inferred shape = *first;
      for (std::size_t i = 1; shape && i < node_->inputs.size(); ++i) {
        const Shape* other = InputShape(i);
        shape = other == nullptr ? Inferred() : Broadcast(*shape, *other);
      }
      return shape;
    }
    if (op == "QLinearAdd" || op == "QLinearMul") {
      const Shape* other = InputShape(3);
      return other == nullptr ? Inferred() : Broadcast(*first, *other);
    }
    if (const Inferred window = InferWindow(*node_, graph_.tensors())) return window;
    if (const Inferred product = InferProduct(*first)) return product;
    if (op == "Flatten") return InferFlatten(*node_, *first);
    if (op == "Reshape") return InferReshape(inputs, *first);
    if (op == "Transpose") return InferTranspose(*node_, *first);
    if (op == "Squeeze") return InferSqueeze(inputs, *first);
    if (op == "Unsqueeze") return InferUnsqueeze(inputs, *first);
    if (op == "Expand") return InferExpand(inputs, *first);
    if (op == "Tile") return InferTile(inputs, *first);
    if (op == "Pad") return InferPad(inputs, *first);
    if (op == "Slice") return InferSlice(inputs, *first);
    if (op == "Resize" || op == "Upsample") return InferResize(inputs, *first);
    if (op == "DepthToSpace" || op == "SpaceToDepth") return InferBlocks(*node_, *first);
    if (op == "Gather") return InferGather(*node_, *first, InputShape(1));
    if (op == "GatherND") return InferGatherNd(*node_, *first, InputShape(1));
    if (op == "GatherElements") {
      const Shape* indices = InputShape(1);
      return indices == nullptr ? Inferred() : *indices;
    }
    if (op == "OneHot") return InferOneHot(inputs, *first);
    if (op == "Shape") {
      const DimensionRange part = PartOfShape(*node_, first->size());
      return Shape{static_cast<std::int64_t>(part.end - part.first)};
    }
    if (op == "Size") return Shape();
    if (op == "NonZero") return Shape{static_cast<std::int64_t>(first->size()), kUnknown};
    if (op == "ArgMax" || op == "ArgMin") return InferArgument(*node_, *first);
    if (op.starts_with("Reduce")) return InferReduce(inputs, *first);
    if (op == "Split") return InferSplit(*first);
    if (op == "TopK") {
      const Inferred shape = InferTopK(inputs, *first);
      if (shape) DescribeOutput(1, DType::kInt64, *shape);
      return shape;
    }
    if (op == "LSTM" || op == "GRU" || op == "RNN" || op == "DynamicQuantizeLSTM")
      return InferRecurrent(*first);
    return std::nullopt;
  }

  Inferred InferProduct(const Shape& first) const {
    const std::string_view op = node_->op_type;
    if (op == "MatMul" || op == "MatMulInteger" || op == "FusedMatMul" ||
        op == "DynamicQuantizeMatMul" || op == "MatMulIntegerToFloat") {
      return InferMatMul(first, InputShape(1));
    }
    if (op == "QLinearMatMul") return InferMatMul(first, InputShape(3));
    if (op == "MatMulNBits") return WithLast(first, IntOf(*node_, "N", kUnknown));
    if (op == "Gemm" || op == "FusedGemm") return InferGemm(*node_, first, InputShape(1));
    if (op == "QGemm") return InferGemm(*node_, first, InputShape(3));
    return std::nullopt;
  }

  Inferred InferBroadcast(std::size_t i, Inferred so_far, std::size_t j) const {
    const Shape* a = InputShape(i);
    if (so_far) return a == nullptr ? Inferred() : Broadcast(*a, *so_far);
    const Shape* b = InputShape(j);
    return a == nullptr || b == nullptr ? Inferred() : Broadcast(*a, *b);
  }

  static Inferred WithLast(Shape shape, std::int64_t last) {
    if (shape.empty()) return std::nullopt;
    shape.back() = std::max(last, kUnknown);
    return shape;
  }

  Inferred InferConcat() const {
    // The inputs of QLinearConcat are the scale and zero point of the output, and then three inputs
    // per tensor: codes, scale and zero point.
    const bool quantized = node_->op_type == "QLinearConcat";
    const std::size_t begin = quantized ? 2 : 0, stride = quantized ? 3 : 1;
    const Shape* first = InputShape(begin);
    if (first == nullptr) return std::nullopt;
    const std::optional<std::size_t> axis = AxisOf(IntOf(*node_, "axis", 1), first->size());
    if (!axis) return std::nullopt;
    Shape shape = *first;
    for (std::size_t i = begin + stride; i < node_->inputs.size(); i += stride) {
      const Shape* other = InputShape(i);
      if (other == nullptr || other->size() != shape.size()) return std::nullopt;
      shape[*axis] = Sum(shape[*axis], (*other)[*axis]);
    }
    return shape;
  }

  // Sets the type and shape of output `i`, if the node has this output.
  void DescribeOutput(std::size_t i, DType type, const Shape& shape) {
    if (i >= node_->outputs.size() || node_->outputs[i] == kNoTensor) return;
    ModelTensor& output = graph_.tensor(node_->outputs[i]);
    Complete(output, shape);
    if (output.type == DType::kUnknown) output.type = type;
  }

  // Sets the shapes of all outputs of Split except the first. Returns the shape of the first.
  Inferred InferSplit(const Shape& input) {
    const NodeInputs inputs = Inputs();
    const std::optional<std::size_t> axis = AxisOf(IntOf(*node_, "axis", 0), input.size());
    if (!axis) return std::nullopt;
    const Shape* attribute = IntsOf(*node_, "split");
    const std::optional<Shape> sizes = attribute != nullptr ? *attribute : inputs.Integers(1);
    const auto parts = static_cast<std::int64_t>(node_->outputs.size());
    const Shape whole = input;  // A copy, because describing an output may invalidate `input`.
    Inferred first;
    for (std::size_t i = 0; i < node_->outputs.size(); ++i) {
      Shape shape = whole;
      std::int64_t& size = shape[*axis];
      if (sizes && i < sizes->size()) {
        size = std::max((*sizes)[i], kUnknown);
      } else if (size >= 0 && inputs.Tensor(1) == nullptr) {
        const std::int64_t chunk = size / parts + (size % parts != 0 ? 1 : 0);
        size =
            std::min(chunk, std::max<std::int64_t>(size - chunk * static_cast<std::int64_t>(i), 0));
      } else {
        size = kUnknown;
      }
      if (i == 0) {
        first = shape;
      } else {
        DescribeOutput(i, inputs.Tensor(0)->type, shape);
      }
    }
    return first;
  }

  // Infers the outputs of a recurrent node. X has the shape [steps, batch, inputs]; the outputs Y,
  // Y_h and Y_c also have a dimension for the directions. If `layout` is 1, the batch is the first
  // dimension of all of them.
  Inferred InferRecurrent(const Shape& input) {
    const Shape* recurrence = InputShape(2);
    if (input.size() != 3 || recurrence == nullptr || recurrence->size() != 3) return std::nullopt;
    // The weights of DynamicQuantizeLSTM, an ONNX Runtime operator, are transposed.
    const bool is_turned = node_->op_type == "DynamicQuantizeLSTM";
    const std::int64_t directions = (*recurrence)[0], hidden = (*recurrence)[is_turned ? 1 : 2];
    const bool batch_first = IntOf(*node_, "layout", 0) != 0;
    const std::int64_t steps = input[batch_first ? 1 : 0], batch = input[batch_first ? 0 : 1];
    const Shape last =
        batch_first ? Shape{batch, directions, hidden} : Shape{directions, batch, hidden};
    const DType type = Inputs().Tensor(0)->type;
    DescribeOutput(1, type, last);
    DescribeOutput(2, type, last);
    return batch_first ? Shape{batch, steps, directions, hidden}
                       : Shape{steps, directions, batch, hidden};
  }

  // Infers the outputs of an If. If the condition is constant, the shape is that of the chosen
  // branch; otherwise it is the shape that both branches have in common.
  void ReadBranches() {
    const std::optional<Shape> condition = Inputs().Integers(0);
    const bool is_known = condition && condition->size() == 1 && (*condition)[0] != kUnknownValue;
    for (const TensorId id : node_->outputs) {
      const auto found = branches_.find(id);
      if (found == branches_.end()) continue;
      const auto& [then_output, else_output] = found->second;
      if (then_output == kNoTensor || else_output == kNoTensor) continue;
      const TensorId taken = is_known && (*condition)[0] == 0 ? else_output : then_output;
      const ModelTensor &one = graph_.tensor(taken), &other = graph_.tensor(else_output);
      ModelTensor& output = graph_.tensor(id);
      if (output.type == DType::kUnknown) output.type = one.type;
      if (is_known) values_.Copy(id, taken);
      if (!one.has_shape || one.shape.size() > kMaxShapeValues) continue;
      Shape shape = one.shape;
      if (!is_known) {
        if (!other.has_shape || other.shape.size() != shape.size()) continue;
        for (std::size_t i = 0; i < shape.size(); ++i) {
          if (shape[i] != other.shape[i]) shape[i] = kUnknown;
        }
      }
      Complete(output, shape);
    }
  }

  DType TypeAttribute(std::string_view key) const {
    return proto::DTypeOfOnnx(static_cast<int>(
        std::clamp<std::int64_t>(IntOf(*node_, key, 0), 0, std::numeric_limits<int>::max())));
  }

  DType InferType() const {
    const std::string_view op = node_->op_type;
    if (op == "Shape" || op == "Size" || op == "NonZero" || op == "ArgMax" || op == "ArgMin") {
      return DType::kInt64;
    }
    if (IsComparison(op) || op == "Not" || op == "IsNaN" || op == "IsInf") return DType::kBool;
    if (op == "MatMulInteger" || op == "ConvInteger") return DType::kInt32;
    if (op == "DynamicQuantizeLinear") return DType::kUint8;
    if (op == "Cast") return TypeAttribute("to");
    if (op == "QuantizeLinear") {
      if (const ModelTensor* zero_point = Inputs().Tensor(2)) return zero_point->type;
      const DType given = TypeAttribute("output_dtype");
      return given == DType::kUnknown ? DType::kUint8 : given;
    }
    // The output of ConstantOfShape is float, unless its attribute `value` has another type.
    if (op == "ConstantOfShape") return DType::kFloat32;
    // Returns the type of an input. For Loop this is the third input: the first two are the count
    // and the condition, and the third is the state whose last value is the first output.
    const std::size_t like = op == "DequantizeLinear" || op == "Where"                 ? 1
                             : op == "QLinearConcat" || op == "OneHot" || op == "Loop" ? 2
                                                                                       : 0;
    const ModelTensor* input = Inputs().Tensor(like);
    return input == nullptr ? DType::kUnknown : input->type;
  }

  const std::unordered_map<TensorId, IfBranches>& branches_;
  GraphAssembler& graph_;
  const ModelNode* node_ = nullptr;
  ShapeValues values_;
};

}  // namespace

void InferOnnxShapes(const std::unordered_map<TensorId, IfBranches>& branches,
                     GraphAssembler& graph) {
  OnnxShapes(branches, graph).Run();
}

}  // namespace cboard::model
