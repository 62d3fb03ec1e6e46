// Reads the elements of a TensorProto by TensorBoard's rules.
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "cboard/base/bytes.h"
#include "cboard/base/small_floats.h"
#include "cboard/proto/tensor.h"
#include "proto/packed.h"
#include "proto/wire_reader.h"

namespace cboard::proto {
namespace {

constexpr int kReferenceOffset = 100;  // DT_FLOAT_REF is DT_FLOAT + 100.

DataType WithoutReference(DataType dtype) {
  const int number = static_cast<int>(dtype);
  return number > kReferenceOffset ? static_cast<DataType>(number - kReferenceOffset) : dtype;
}

// Pairs of a TensorFlow type and an element type. Several TensorFlow types may have the same
// element type; the conversion back uses the first pair.
constexpr auto kTypes = std::to_array<std::pair<DataType, DType>>({
    {DataType::kFloat, DType::kFloat32},
    {DataType::kDouble, DType::kFloat64},
    {DataType::kHalf, DType::kFloat16},
    {DataType::kBfloat16, DType::kBfloat16},
    {DataType::kFloat8E5m2, DType::kFloat8E5m2},
    {DataType::kFloat8E5m2fnuz, DType::kFloat8E5m2fnuz},
    {DataType::kFloat8E4m3fn, DType::kFloat8E4m3fn},
    {DataType::kFloat8E4m3fnuz, DType::kFloat8E4m3fnuz},
    {DataType::kFloat4E2m1fn, DType::kFloat4E2m1},
    {DataType::kInt2, DType::kInt2},
    {DataType::kUint2, DType::kUint2},
    {DataType::kInt4, DType::kInt4},
    {DataType::kUint4, DType::kUint4},
    {DataType::kInt8, DType::kInt8},
    {DataType::kUint8, DType::kUint8},
    {DataType::kInt16, DType::kInt16},
    {DataType::kUint16, DType::kUint16},
    {DataType::kInt32, DType::kInt32},
    {DataType::kUint32, DType::kUint32},
    {DataType::kInt64, DType::kInt64},
    {DataType::kUint64, DType::kUint64},
    {DataType::kBool, DType::kBool},
    {DataType::kString, DType::kString},
    {DataType::kComplex64, DType::kComplex64},
    {DataType::kComplex128, DType::kComplex128},
    {DataType::kQint8, DType::kInt8},
    {DataType::kQuint8, DType::kUint8},
    {DataType::kQint16, DType::kInt16},
    {DataType::kQuint16, DType::kUint16},
    {DataType::kQint32, DType::kInt32},
});

// The way a TensorProto stores the elements of a dtype: the field of the typed list, and the
// conversion of an element to double.
struct Storage {
  int list_field;         // Field number of the `…_val` list.
  std::size_t raw_bytes;  // The size of an element in tensor_content.
  double (*from_raw)(ByteSpan raw);
  double (*from_varint)(std::uint64_t value);  // Null for lists of floats and doubles.
};

template <typename T>
double FromRaw(ByteSpan raw) {
  return static_cast<double>(LoadLittleEndian<T>(raw));
}

template <typename T>
double FromVarint(std::uint64_t value) {
  return static_cast<double>(static_cast<T>(value));
}

template <typename T>
Storage Integers(int list_field) {
  return {list_field, sizeof(T), FromRaw<T>, FromVarint<T>};
}

template <float (*Convert)(std::uint16_t)>
Storage HalfWidthFloats() {
  return {13, 2,
          [](ByteSpan raw) -> double { return Convert(LoadLittleEndian<std::uint16_t>(raw)); },
          [](std::uint64_t value) -> double { return Convert(static_cast<std::uint16_t>(value)); }};
}

std::optional<Storage> StorageOf(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return Storage{5, sizeof(float), FromRaw<float>, nullptr};
    case DType::kFloat64:
      return Storage{6, sizeof(double), FromRaw<double>, nullptr};
    case DType::kInt32:
      return Integers<std::int32_t>(7);
    case DType::kInt16:
      return Integers<std::int16_t>(7);
    case DType::kInt8:
      return Integers<std::int8_t>(7);
    case DType::kUint8:
      return Integers<std::uint8_t>(7);
    case DType::kUint16:
      return Integers<std::uint16_t>(7);
    case DType::kInt64:
      return Integers<std::int64_t>(10);
    case DType::kUint32:
      return Integers<std::uint32_t>(16);
    case DType::kUint64:
      return Integers<std::uint64_t>(17);
    case DType::kBool:
      return Storage{11, 1, [](ByteSpan raw) { return raw[0] != std::byte{0} ? 1.0 : 0.0; },
                     [](std::uint64_t value) { return value != 0 ? 1.0 : 0.0; }};
    case DType::kFloat16:
      return HalfWidthFloats<HalfToFloat>();
    case DType::kBfloat16:
      return HalfWidthFloats<BfloatToFloat>();
    default:
      return std::nullopt;
  }
}

std::string Describe(const Tensor& tensor) {
  std::string text = "tensor of dtype " + std::string(NameOf(tensor.dtype)) + " and shape [";
  constexpr std::size_t kMaxShown = 8;
  for (std::size_t i = 0; i < std::min(tensor.shape.size(), kMaxShown); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(tensor.shape[i]);
  }
  if (tensor.shape.size() > kMaxShown) text += ", …";
  return text + "]";
}

// Returns the number of elements that the shape of a tensor requires.
Result<std::size_t> ElementCount(const Tensor& tensor, std::size_t max_elements) {
  if (tensor.unknown_rank) {
    return Fail(ErrorCode::kDataLoss,
                "a tensor of unknown rank cannot be read; log it with a shape");
  }
  const auto is_negative = [](std::int64_t size) { return size < 0; };
  if (std::ranges::any_of(tensor.shape, is_negative)) {
    return Fail(ErrorCode::kDataLoss,
                "the logged " + Describe(tensor) + " has a negative dimension");
  }
  if (std::ranges::find(tensor.shape, 0) != tensor.shape.end()) return std::size_t{0};
  std::size_t count = 1;
  for (const std::int64_t size : tensor.shape) {
    if (static_cast<std::uint64_t>(size) > max_elements / count) {
      return Fail(ErrorCode::kResourceExhausted, "the logged " + Describe(tensor) +
                                                     " has too many elements; the maximum is " +
                                                     std::to_string(max_elements) + "");
    }
    count *= static_cast<std::size_t>(size);
  }
  if (count > max_elements) {
    return Fail(ErrorCode::kResourceExhausted, "the logged " + Describe(tensor) +
                                                   " has too many elements; the maximum is " +
                                                   std::to_string(max_elements) + "");
  }
  return count;
}

// A tensor's elements, in the two places where a TensorProto may store them. A correct writer uses
// only one place.
struct Elements {
  std::string_view content;  // tensor_content
  std::vector<double> list;  // the typed list of the dtype
};

Result<Elements> ReadElements(const Tensor& tensor, const Storage& storage) {
  return ReadMessage<Elements>(
      "TensorProto", tensor.bytes, [&](pbf_reader fields, Elements& elements) {
        std::vector<float> floats;
        while (fields.next()) {
          if (fields.tag_and_type() == Length(4)) {
            elements.content = ViewOf(fields);
          } else if (fields.tag() != static_cast<std::uint32_t>(storage.list_field)) {
            fields.skip();
          } else if (storage.from_varint != nullptr &&
                     fields.wire_type() != protozero::pbf_wire_type::fixed32 &&
                     fields.wire_type() != protozero::pbf_wire_type::fixed64) {
            ForEachVarint(fields, [&](std::uint64_t value) {
              elements.list.push_back(storage.from_varint(value));
            });
          } else if (fields.tag_and_type() == Length(6) || fields.tag_and_type() == Fixed64(6)) {
            AppendFixed(fields, elements.list);
          } else if (fields.tag_and_type() == Length(5) || fields.tag_and_type() == Fixed32(5)) {
            AppendFixed(fields, floats);
          } else {
            fields.skip();
          }
        }
        elements.list.insert(elements.list.end(), floats.begin(), floats.end());
      });
}

tl::unexpected<Error> WrongCount(const Tensor& tensor, std::size_t found, std::size_t expected) {
  return Fail(ErrorCode::kDataLoss, "the logged " + Describe(tensor) + " is damaged: it contains " +
                                        std::to_string(found) + " elements, but its shape needs " +
                                        std::to_string(expected));
}

}  // namespace

DType DTypeOf(DataType dtype) {
  const auto* const found =
      std::ranges::find(kTypes, WithoutReference(dtype), &decltype(kTypes)::value_type::first);
  return found == kTypes.end() ? DType::kUnknown : found->second;
}

DataType DataTypeOf(DType dtype) {
  const auto* const found = std::ranges::find(kTypes, dtype, &decltype(kTypes)::value_type::second);
  return found == kTypes.end() ? DataType::kInvalid : found->first;
}

std::string_view NameOf(DataType dtype) {
  static constexpr std::string_view kNames[] = {"INVALID",
                                                "FLOAT",
                                                "DOUBLE",
                                                "INT32",
                                                "UINT8",
                                                "INT16",
                                                "INT8",
                                                "STRING",
                                                "COMPLEX64",
                                                "INT64",
                                                "BOOL",
                                                "QINT8",
                                                "QUINT8",
                                                "QINT32",
                                                "BFLOAT16",
                                                "QINT16",
                                                "QUINT16",
                                                "UINT16",
                                                "COMPLEX128",
                                                "HALF",
                                                "RESOURCE",
                                                "VARIANT",
                                                "UINT32",
                                                "UINT64",
                                                "FLOAT8_E5M2",
                                                "FLOAT8_E4M3FN",
                                                "FLOAT8_E4M3FNUZ",
                                                "FLOAT8_E4M3B11FNUZ",
                                                "FLOAT8_E5M2FNUZ",
                                                "INT4",
                                                "UINT4",
                                                "INT2",
                                                "UINT2",
                                                "FLOAT4_E2M1FN"};
  const int number = static_cast<int>(WithoutReference(dtype));
  if (number < 0 || number >= static_cast<int>(std::size(kNames))) return "?";
  return kNames[number];
}

Result<std::vector<double>> ReadNumbers(const Tensor& tensor, std::size_t max_elements) {
  const std::optional<Storage> storage = StorageOf(DTypeOf(tensor.dtype));
  if (!storage) {
    return Fail(ErrorCode::kInvalidArgument,
                "the logged " + Describe(tensor) + " does not contain numbers");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t count, ElementCount(tensor, max_elements));
  CBOARD_ASSIGN_OR_RETURN(Elements elements, ReadElements(tensor, *storage));

  if (!elements.content.empty()) {
    const std::size_t found = elements.content.size() / storage->raw_bytes;
    if (found != count || elements.content.size() % storage->raw_bytes != 0) {
      return WrongCount(tensor, found, count);
    }
    std::vector<double> numbers(count);
    ByteSpan raw = AsBytes(elements.content);
    for (double& number : numbers) {
      number = storage->from_raw(raw);
      raw = raw.subspan(storage->raw_bytes);
    }
    return numbers;
  }
  if (elements.list.size() == 1) return std::vector<double>(count, elements.list[0]);
  if (elements.list.size() != count) return WrongCount(tensor, elements.list.size(), count);
  return std::move(elements.list);
}

Result<std::vector<std::string_view>> ReadStrings(const Tensor& tensor) {
  if (DTypeOf(tensor.dtype) != DType::kString) {
    return Fail(ErrorCode::kInvalidArgument,
                "the logged " + Describe(tensor) + " does not contain strings");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::size_t count,
                          ElementCount(tensor, std::numeric_limits<std::int32_t>::max()));
  using Views = std::vector<std::string_view>;
  CBOARD_ASSIGN_OR_RETURN(
      Views strings,
      ReadMessage<Views>("TensorProto", tensor.bytes, [](pbf_reader fields, Views& views) {
        while (fields.next()) {
          if (fields.tag_and_type() == Length(8)) {
            views.push_back(ViewOf(fields));
          } else {
            fields.skip();
          }
        }
      }));
  if (strings.size() != count) return WrongCount(tensor, strings.size(), count);
  return strings;
}

}  // namespace cboard::proto
