#include "cboard/model/model_graph.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "cboard/base/strings.h"
#include "model/graph/graph_assembler.h"
#include "model/storage/mapped_file.h"

namespace cboard::model {

std::string_view NameOf(ModelFormat format) {
  switch (format) {
    case ModelFormat::kOnnx:
      return "onnx";
    case ModelFormat::kSafetensors:
      return "safetensors";
    case ModelFormat::kGguf:
      return "gguf";
    case ModelFormat::kTensorFlowGraph:
      return "tensorflow_graph";
    case ModelFormat::kSavedModel:
      return "saved_model";
    case ModelFormat::kTflite:
      return "tflite";
    case ModelFormat::kOpenVino:
      return "openvino";
  }
  return "unknown";
}

std::string_view NameOf(QuantizationOrigin origin) {
  switch (origin) {
    case QuantizationOrigin::kQdq:
      return "qdq";
    case QuantizationOrigin::kQOperator:
      return "q_operator";
    case QuantizationOrigin::kStored:
      return "stored";
    case QuantizationOrigin::kFakeQuantize:
      return "fake_quantize";
    case QuantizationOrigin::kDecompression:
      return "decompression";
    case QuantizationOrigin::kBlocks:
      return "blocks";
  }
  return "unknown";
}

int ModelQuantization::bits() const {
  const auto span = static_cast<std::uint64_t>(code_max) - static_cast<std::uint64_t>(code_min);
  return std::max(1, static_cast<int>(std::bit_width(span)));
}

const AttributeValue* ModelNode::FindAttribute(std::string_view key) const {
  const auto found = std::ranges::find(
      attributes, key, [](const auto& attribute) { return std::string_view(attribute.first); });
  return found == attributes.end() ? nullptr : &found->second;
}

std::span<const NodeId> ModelGraph::consumers(TensorId id) const {
  const std::size_t begin = consumer_begins_[IndexOf(id)];
  return std::span(consumers_).subspan(begin, consumer_begins_[IndexOf(id) + 1] - begin);
}

TensorId ModelGraph::FindTensor(std::string_view name) const {
  const auto found = tensors_by_name_.find(name);
  return found == tensors_by_name_.end() ? kNoTensor : found->second;
}

NodeId ModelGraph::FindNode(std::string_view name) const {
  const auto found = nodes_by_name_.find(name);
  return found == nodes_by_name_.end() ? kNoNode : found->second;
}

Result<void> ModelGraph::CheckUnchanged() const {
  for (const auto& file : files_) CBOARD_RETURN_IF_ERROR(file->CheckUnchanged());
  return {};
}

std::string ModelGraph::version() const {
  std::string text;
  for (const auto& file : files_) text += file->version() + " ";
  return text;
}

Result<WeightReader> ModelGraph::OpenWeights(TensorId id) const {
  const ModelTensor& wanted = tensor(id);
  if (wanted.source == kNoTensor) {
    return Fail(ErrorCode::kInvalidArgument,
                "tensor " + Quoted(wanted.name) +
                    " is computed at run time, so the file does not contain its values");
  }
  const ModelTensor& stored = tensor(wanted.source);
  const ElementLayout layout = LayoutOf(stored.type);
  if (!HoldsRealNumbers(stored.type)) {
    return Fail(ErrorCode::kInvalidArgument, "tensor " + Quoted(stored.name) + " of type " +
                                                 std::string(NameOf(stored.type)) +
                                                 " does not contain real numbers");
  }
  for (const auto& file : files_) CBOARD_RETURN_IF_ERROR(file->CheckContent());

  WeightReader reader;
  reader.type_ = stored.type;
  reader.data_ = stored.data;
  reader.element_count_ = static_cast<std::size_t>(ElementCount(stored.shape).value_or(0));
  reader.stored_count_ =
      std::min(reader.element_count_, stored.data.size() / layout.bytes * layout.elements);
  if (stored.stored_row > 0) {
    reader.row_ = static_cast<std::size_t>(stored.shape.back());
    reader.stored_row_ = stored.stored_row;
  }
  // A reshaped tensor has the same values in the same order as its source.
  reader.shape_ = wanted.has_shape && ElementCount(wanted.shape) == reader.element_count_
                      ? wanted.shape
                      : stored.shape;
  const auto usable = [&](const ModelTensor& holder) -> const ModelQuantization* {
    return holder.quantization && !holder.quantization->scales.empty() ? &*holder.quantization
                                                                       : nullptr;
  };
  reader.dequantization_ = HoldsCodes(stored.type) ? usable(stored) : nullptr;
  reader.rounding_ = wanted.rounded_by == kNoTensor ? nullptr : usable(tensor(wanted.rounded_by));
  const ModelQuantization* scaled =
      reader.dequantization_ != nullptr ? reader.dequantization_ : reader.rounding_;
  reader.SetScaleStrides(stored.shape, scaled);
  return reader;
}

Result<std::vector<float>> ModelGraph::ReadWeights(TensorId id, std::size_t max_elements) const {
  CBOARD_ASSIGN_OR_RETURN(const WeightReader reader, OpenWeights(id));
  if (reader.element_count() > max_elements) {
    return Fail(ErrorCode::kResourceExhausted,
                "tensor " + Quoted(tensor(id).name) + " has " +
                    std::to_string(reader.element_count()) + " elements, more than " +
                    std::to_string(max_elements) + "; read it in parts");
  }
  std::vector<float> values(reader.element_count());
  reader.Read(0, values);
  return values;
}

std::optional<TensorView> ModelGraph::ViewOf(TensorId id) const {
  if (!IsWeight(id) || tensor(id).rounded_by != kNoTensor) return std::nullopt;
  const ModelTensor& stored = tensor(tensor(id).source);
  if (!IsPlain(stored.type) || stored.repeats_last || stored.stored_row > 0) return std::nullopt;
  TensorView view(stored.type, stored.data.data(), stored.shape);
  if (stored.quantization && !stored.quantization->scales.empty()) {
    const ModelQuantization& from = *stored.quantization;
    if (from.granularity == Quantization::Granularity::kPerGroup &&
        from.axis + 1 != stored.shape.size()) {
      return std::nullopt;
    }
    view.quantization =
        Quantization{from.granularity, from.scales, from.zero_points, from.axis, from.group_size};
  }
  if (!view.Validate()) return std::nullopt;
  return view;
}

}  // namespace cboard::model
