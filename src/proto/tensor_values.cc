// The elements of a TensorProto, by TensorBoard's rules.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "cboard/base/bytes.h"
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

float HalfToFloat(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = bits >> 10 & 0x1Fu;
  const std::uint32_t mantissa = bits & 0x3FFu;
  if (exponent == 0) {  // Zero, or a subnormal: mantissa units of 2^-24.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const std::uint32_t wide_exponent = exponent == 0x1F ? 0xFFu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | wide_exponent << 23 | mantissa << 13);
}

float Bfloat16ToFloat(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// How the elements of a dtype are stored: which typed list, and how one element becomes a double.
struct Storage {
  int list_field;         // The `…_val` field.
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

std::optional<Storage> StorageOf(DataType dtype) {
  switch (dtype) {
    case DataType::kFloat:
      return Storage{5, sizeof(float), FromRaw<float>, nullptr};
    case DataType::kDouble:
      return Storage{6, sizeof(double), FromRaw<double>, nullptr};
    case DataType::kInt32:
    case DataType::kQint32:
      return Integers<std::int32_t>(7);
    case DataType::kInt16:
    case DataType::kQint16:
      return Integers<std::int16_t>(7);
    case DataType::kInt8:
    case DataType::kQint8:
      return Integers<std::int8_t>(7);
    case DataType::kUint8:
    case DataType::kQuint8:
      return Integers<std::uint8_t>(7);
    case DataType::kUint16:
    case DataType::kQuint16:
      return Integers<std::uint16_t>(7);
    case DataType::kInt64:
      return Integers<std::int64_t>(10);
    case DataType::kUint32:
      return Integers<std::uint32_t>(16);
    case DataType::kUint64:
      return Integers<std::uint64_t>(17);
    case DataType::kBool:
      return Storage{11, 1, [](ByteSpan raw) { return raw[0] != std::byte{0} ? 1.0 : 0.0; },
                     [](std::uint64_t value) { return value != 0 ? 1.0 : 0.0; }};
    case DataType::kHalf:
      return HalfWidthFloats<HalfToFloat>();
    case DataType::kBfloat16:
      return HalfWidthFloats<Bfloat16ToFloat>();
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

// The number of elements that the shape asks for.
Result<std::size_t> ElementCount(const Tensor& tensor, std::size_t max_elements) {
  if (tensor.unknown_rank) {
    return Fail(ErrorCode::kDataLoss, "tensor of unknown rank holds no readable elements");
  }
  const auto is_negative = [](std::int64_t size) { return size < 0; };
  if (std::ranges::any_of(tensor.shape, is_negative)) {
    return Fail(ErrorCode::kDataLoss, Describe(tensor) + " has a dimension below zero");
  }
  if (std::ranges::find(tensor.shape, 0) != tensor.shape.end()) return std::size_t{0};
  std::size_t count = 1;
  for (const std::int64_t size : tensor.shape) {
    if (static_cast<std::uint64_t>(size) > max_elements / count) {
      return Fail(ErrorCode::kResourceExhausted, Describe(tensor) + " has more than " +
                                                     std::to_string(max_elements) + " elements");
    }
    count *= static_cast<std::size_t>(size);
  }
  if (count > max_elements) {
    return Fail(ErrorCode::kResourceExhausted,
                Describe(tensor) + " has more than " + std::to_string(max_elements) + " elements");
  }
  return count;
}

// The two places where elements may be: never both in one tensor of a sane writer.
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
  return Fail(ErrorCode::kDataLoss, Describe(tensor) + " holds " + std::to_string(found) +
                                        " elements where its shape asks for " +
                                        std::to_string(expected));
}

}  // namespace

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
  const std::optional<Storage> storage = StorageOf(WithoutReference(tensor.dtype));
  if (!storage) {
    return Fail(ErrorCode::kInvalidArgument, Describe(tensor) + " does not hold plain numbers");
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
  if (WithoutReference(tensor.dtype) != DataType::kString) {
    return Fail(ErrorCode::kInvalidArgument, Describe(tensor) + " does not hold strings");
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
