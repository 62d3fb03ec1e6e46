// TensorFlow's TensorProto and TensorShapeProto.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/dtype.h"
#include "cboard/base/result.h"

namespace cboard::proto {

// TensorFlow's DataType: the numbers of element types in TensorProto, GraphDef and checkpoints.
enum class DataType : int {
  kInvalid = 0,
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQint8 = 11,
  kQuint8 = 12,
  kQint32 = 13,
  kBfloat16 = 14,
  kQint16 = 15,
  kQuint16 = 16,
  kUint16 = 17,
  kComplex128 = 18,
  kHalf = 19,
  kResource = 20,
  kVariant = 21,
  kUint32 = 22,
  kUint64 = 23,
  kFloat8E5m2 = 24,
  kFloat8E4m3fn = 25,
  kFloat8E4m3fnuz = 26,
  kFloat8E4m3b11fnuz = 27,
  kFloat8E5m2fnuz = 28,
  kInt4 = 29,
  kUint4 = 30,
  kInt2 = 31,
  kUint2 = 32,
  kFloat4E2m1fn = 33,
};

// -1 is an unknown size.
using Shape = std::vector<std::int64_t>;

// The name as TensorFlow spells it, without the prefix: "FLOAT", "QINT8"; "?" for numbers that have
// none. A reference type (number + 100) has the name of what it refers to.
std::string_view NameOf(DataType dtype);

// The element type with this number; quantized and reference types give the type of their elements.
// kUnknown for numbers without one, such as resources.
DType DTypeOf(DataType dtype);
// kInvalid if TensorFlow has none.
DataType DataTypeOf(DType dtype);

// A TensorShapeProto.
std::string EncodeShape(std::span<const std::int64_t> dimensions);

// Values in the typed list (`float_val` …), the form tensorboardX writes. `shape` may be empty: a
// scalar, whose TensorShapeProto is present but empty.
std::string EncodeFloatTensor(std::span<const std::int64_t> shape, std::span<const float> values);
std::string EncodeDoubleTensor(std::span<const std::int64_t> shape, std::span<const double> values);
std::string EncodeInt64Tensor(std::span<const std::int64_t> shape,
                              std::span<const std::int64_t> values);
std::string EncodeStringTensor(std::span<const std::int64_t> shape,
                               std::span<const std::string_view> values);

// Any dtype as raw little-endian `tensor_content`.
std::string EncodeRawTensor(DataType dtype, std::span<const std::int64_t> shape,
                            std::string_view content);

// A view of a TensorProto: which of content or typed lists is set is left to the accessors.
struct Tensor {
  DataType dtype = DataType::kInvalid;
  Shape shape;
  bool unknown_rank = false;  // Then `shape` says nothing.
  std::string_view bytes;     // The whole TensorProto.
};

Result<Tensor> ParseTensor(std::string_view bytes);

// The elements as doubles (any numeric dtype that TensorBoard writers use), by TensorBoard's
// rules: non-empty tensor_content wins, otherwise the typed list, of which one element is broadcast
// to the shape. Fails with kDataLoss when the number of elements and the shape disagree, with
// kResourceExhausted when the shape asks for more than `max_elements`, and with kInvalidArgument
// when the dtype is not a plain number (strings, complex numbers, types below one byte).
Result<std::vector<double>> ReadNumbers(const Tensor& tensor,
                                        std::size_t max_elements = std::size_t{1} << 28);

// The elements of a string tensor, as views into its bytes. Fails with kInvalidArgument when it is
// no string tensor, and with kDataLoss when the number of elements and the shape disagree.
Result<std::vector<std::string_view>> ReadStrings(const Tensor& tensor);

}  // namespace cboard::proto
