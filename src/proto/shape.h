// Reads and writes a TensorShapeProto inside other messages.
#pragma once

#include <cstdint>
#include <span>

#include "cboard/proto/tensor.h"
#include "proto/wire_reader.h"

namespace cboard::proto {

// Writes the dimensions of a TensorShapeProto. Call it inside a message description of
// wire_writer.h.
template <typename Fields>
void DescribeShape(Fields& fields, std::span<const std::int64_t> dimensions) {
  for (const std::int64_t size : dimensions) {
    fields.Message(2, [size](auto& dimension) { dimension.Int(1, size); });
  }
}

// Reads a dimension message of TensorFlow or ONNX. Returns its size, or `unless_given` if it has
// none. Throws protozero's exceptions.
std::int64_t ReadDimension(pbf_reader fields, std::int64_t unless_given);

// The content of a TensorShapeProto. If the message is damaged, the reader throws protozero's
// exceptions.
struct ShapeFields {
  Shape dimensions;
  bool unknown_rank = false;
};
ShapeFields ReadShape(pbf_reader fields);

}  // namespace cboard::proto
