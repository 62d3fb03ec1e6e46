#include "model/onnx/onnx_sparsity.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "cboard/base/strings.h"
#include "cboard/proto/onnx.h"
#include "model/onnx/onnx_passes.h"

namespace cboard::model {
namespace {

// Returns the distance in the flat tensor between neighbouring elements along each dimension.
std::vector<std::uint64_t> StridesOf(const std::vector<std::int64_t>& shape) {
  std::vector<std::uint64_t> strides(shape.size(), 1);
  for (std::size_t i = shape.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * static_cast<std::uint64_t>(shape[i]);
  }
  return strides;
}

}  // namespace

Result<void> SetSparseOnnxConstant(GraphAssembler& graph, TensorId id,
                                   const proto::OnnxSparseTensor& sparse, ByteSpan values,
                                   ByteSpan indices) {
  const DType type = proto::DTypeOfOnnx(sparse.values.elem_type);
  const auto damaged = [&](const std::string& what) {
    return Fail(ErrorCode::kDataLoss, "sparse tensor " + Quoted(graph.tensor(id).name) +
                                          " of type " + std::string(NameOf(type)) + " and shape " +
                                          ShapeText(sparse.shape) + " " + what);
  };
  if (!CanBeSparse(type))
    return damaged("has an element type smaller than a byte, which is not supported");
  const std::size_t element_bytes = LayoutOf(type).bytes;
  const std::optional<std::uint64_t> elements = ElementCount(sparse.shape);
  if (sparse.shape.empty() || !elements ||
      std::ranges::any_of(sparse.shape, [](std::int64_t size) { return size < 0; })) {
    return damaged("has a negative or too large dimension");
  }
  const std::size_t count = values.size() / element_bytes;
  if (sparse.values.shape != std::vector{static_cast<std::int64_t>(count)} ||
      values.size() != count * element_bytes) {
    return damaged("has " + std::to_string(values.size()) +
                   " bytes of values, which differs from the shape of the values, " +
                   ShapeText(sparse.values.shape));
  }
  // The position of a value is one index into the flat tensor, or one index per dimension.
  const std::size_t rank = sparse.shape.size();
  const proto::Shape& index_shape = sparse.indices.shape;
  const bool is_flat = index_shape.size() == 1;
  const std::size_t per_value = is_flat ? 1 : rank;
  const proto::Shape expected =
      is_flat ? sparse.values.shape
              : proto::Shape{static_cast<std::int64_t>(count), static_cast<std::int64_t>(rank)};
  if (proto::DTypeOfOnnx(sparse.indices.elem_type) != DType::kInt64 || index_shape != expected ||
      indices.size() / sizeof(std::int64_t) != count * per_value) {
    return damaged("has indices of shape " + ShapeText(index_shape) +
                   ", which does not match its " + HumanCount(count) + " values");
  }
  const std::vector<std::int64_t> limits =
      is_flat ? std::vector{static_cast<std::int64_t>(*elements)} : sparse.shape;
  const std::vector<std::uint64_t> strides = StridesOf(limits);
  // Copies the indices before checking them, because another program may change the file in
  // between.
  std::vector<std::int64_t> places(count * per_value);
  for (std::size_t i = 0; i < places.size(); ++i) {
    places[i] = LoadLittleEndian<std::int64_t>(indices.subspan(i * sizeof(std::int64_t)));
  }
  const auto index = [&](std::size_t i) { return places[i]; };
  for (std::size_t i = 0; i < count * per_value; ++i) {
    if (index(i) >= 0 && index(i) < limits[i % per_value]) continue;
    return damaged("has an index of " + std::to_string(index(i)) + ", but the dimension has size " +
                   HumanCount(static_cast<std::size_t>(limits[i % per_value])));
  }
  CBOARD_ASSIGN_OR_RETURN(
      const MutableByteSpan dense,
      graph.SetUnfolded(id, type, sparse.shape, values.size() + indices.size()));
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t place = 0;
    for (std::size_t d = 0; d < per_value; ++d) {
      place += static_cast<std::uint64_t>(index(i * per_value + d)) * strides[d];
    }
    std::memcpy(dense.data() + place * element_bytes, values.data() + i * element_bytes,
                element_bytes);
  }
  return {};
}

}  // namespace cboard::model
