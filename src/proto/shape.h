// TensorShapeProto inside other messages.
#pragma once

#include <cstdint>
#include <span>

#include "cboard/proto/tensor.h"
#include "proto/wire_reader.h"

namespace cboard::proto {

// For use inside a description of wire_writer.h.
template <typename Fields>
void DescribeShape(Fields& fields, std::span<const std::int64_t> dimensions) {
  for (const std::int64_t size : dimensions) {
    fields.Message(2, [size](auto& dimension) { dimension.Int(1, size); });
  }
}

// The size in a dimension of TensorFlow's or ONNX's, `unless_given` where it has none; throws
// protozero's exceptions.
std::int64_t ReadDimension(pbf_reader fields, std::int64_t unless_given);

// Content of a TensorShapeProto; throws protozero's exceptions.
struct ShapeFields {
  Shape dimensions;
  bool unknown_rank = false;
};
ShapeFields ReadShape(pbf_reader fields);

}  // namespace cboard::proto
