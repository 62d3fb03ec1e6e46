// Encodes and parses TensorFlow's TensorProto and TensorShapeProto.
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

// The sizes of a tensor's dimensions; -1 is an unknown size.
using Shape = std::vector<std::int64_t>;

// Returns TensorFlow's name of a type without the prefix DT_: "FLOAT", "QINT8"; "?" for unknown
// numbers. A reference type (number + 100) has the name of the type that it refers to.
std::string_view NameOf(DataType dtype);

// Converts TensorFlow's type number to an element type. A quantized or reference type becomes the
// type of its elements. Returns kUnknown for types without elements, such as resources.
DType DTypeOf(DataType dtype);
// Converts an element type to TensorFlow's number. Returns kInvalid if TensorFlow has no such type.
DataType DataTypeOf(DType dtype);

// Encodes a TensorShapeProto.
std::string EncodeShape(std::span<const std::int64_t> dimensions);

// Each of these functions encodes a tensor with its values in the typed list (`float_val`, …), as
// tensorboardX does. If `shape` is empty, the tensor is a scalar, and its TensorShapeProto is
// written without dimensions.
std::string EncodeFloatTensor(std::span<const std::int64_t> shape, std::span<const float> values);
std::string EncodeDoubleTensor(std::span<const std::int64_t> shape, std::span<const double> values);
std::string EncodeInt64Tensor(std::span<const std::int64_t> shape,
                              std::span<const std::int64_t> values);
std::string EncodeStringTensor(std::span<const std::int64_t> shape,
                               std::span<const std::string_view> values);

// Encodes a tensor of any dtype as raw little-endian `tensor_content`.
std::string EncodeRawTensor(DataType dtype, std::span<const std::int64_t> shape,
                            std::string_view content);

// A view of a TensorProto. ReadNumbers and ReadStrings decide whether to use `tensor_content` or a
// typed list.
struct Tensor {
  DataType dtype = DataType::kInvalid;
  Shape shape;
  bool unknown_rank = false;  // If true, ignore `shape`.
  std::string_view bytes;     // The whole TensorProto.
};

Result<Tensor> ParseTensor(std::string_view bytes);

// Returns the elements as doubles, for all numeric dtypes that TensorBoard writers use. Follows
// TensorBoard's rules: a non-empty tensor_content is used, otherwise the typed list; a list with
// one element is broadcast to the shape. Fails with kDataLoss if the number of elements and the
// shape disagree, with kResourceExhausted if the shape has more than `max_elements`, and with
// kInvalidArgument if the dtype is not a plain number (strings, complex numbers, types below one
// byte).
Result<std::vector<double>> ReadNumbers(const Tensor& tensor,
                                        std::size_t max_elements = std::size_t{1} << 28);

// Returns the elements of a string tensor, as views into its bytes. Fails with kInvalidArgument if
// it is not a string tensor, and with kDataLoss if the number of elements and the shape disagree.
Result<std::vector<std::string_view>> ReadStrings(const Tensor& tensor);

}  // namespace cboard::proto
