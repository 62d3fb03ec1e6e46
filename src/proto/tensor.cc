// Writes and parses TensorProto; tensor_values.cc reads its elements.
#include "cboard/proto/tensor.h"

#include "proto/shape.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace cboard::proto {
namespace {

template <typename DescribeValues>
std::string EncodeTensor(DataType dtype, std::span<const std::int64_t> shape,
                         const DescribeValues& describe_values) {
  return EncodeMessage([&](auto& fields) {
    fields.Int(1, static_cast<int>(dtype));
    fields.Message(2, [&](auto& nested) { DescribeShape(nested, shape); });
    describe_values(fields);
  });
}

}  // namespace

std::int64_t ReadDimension(pbf_reader fields, std::int64_t unless_given) {
  std::int64_t size = unless_given;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Varint(1):
        size = fields.get_int64();
        break;
      default:
        fields.skip();
    }
  }
  return size;
}

ShapeFields ReadShape(pbf_reader fields) {
  ShapeFields shape;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(2):
        shape.dimensions.push_back(ReadDimension(fields.get_message(), 0));
        break;
      case Varint(3):
        shape.unknown_rank = BoolOf(fields);
        break;
      default:
        fields.skip();
    }
  }
  return shape;
}

std::string EncodeShape(std::span<const std::int64_t> dimensions) {
  return EncodeMessage([&](auto& fields) { DescribeShape(fields, dimensions); });
}

std::string EncodeFloatTensor(std::span<const std::int64_t> shape, std::span<const float> values) {
  return EncodeTensor(DataType::kFloat, shape,
                      [&](auto& fields) { fields.PackedFloats(5, values); });
}

std::string EncodeDoubleTensor(std::span<const std::int64_t> shape,
                               std::span<const double> values) {
  return EncodeTensor(DataType::kDouble, shape,
                      [&](auto& fields) { fields.PackedDoubles(6, values); });
}

std::string EncodeInt64Tensor(std::span<const std::int64_t> shape,
                              std::span<const std::int64_t> values) {
  return EncodeTensor(DataType::kInt64, shape,
                      [&](auto& fields) { fields.PackedInts(10, values); });
}

std::string EncodeStringTensor(std::span<const std::int64_t> shape,
                               std::span<const std::string_view> values) {
  return EncodeTensor(DataType::kString, shape, [&](auto& fields) {
    for (const std::string_view value : values) fields.PresentBytes(8, value);
  });
}

std::string EncodeRawTensor(DataType dtype, std::span<const std::int64_t> shape,
                            std::string_view content) {
  return EncodeTensor(dtype, shape, [&](auto& fields) { fields.Bytes(4, content); });
}

Result<Tensor> ParseTensor(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(
      Tensor tensor, ReadMessage<Tensor>("TensorProto", bytes, [](pbf_reader fields, Tensor& read) {
        while (fields.next()) {
          switch (fields.tag_and_type()) {
            case Varint(1):
              read.dtype = static_cast<DataType>(fields.get_enum());
              break;
            case Length(2): {
              ShapeFields shape = ReadShape(fields.get_message());
              read.shape = std::move(shape.dimensions);
              read.unknown_rank = shape.unknown_rank;
              break;
            }
            default:
              fields.skip();
          }
        }
      }));
  tensor.bytes = bytes;
  return tensor;
}

}  // namespace cboard::proto
