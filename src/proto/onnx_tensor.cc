// Reads ONNX's TensorProto: the element type, and the place of the elements.
#include "proto/onnx_tensor.h"

#include <charconv>

#include "cboard/base/strings.h"
#include "proto/number_list.h"
#include "proto/packed.h"

namespace cboard::proto {
namespace {

constexpr int kComplex64 = 14;
constexpr int kComplex128 = 15;

// The way an ONNX tensor stores elements of a type: `field` is the field number of the list of
// numbers, and `bytes` is the size of an element in raw_data. Elements of four and two bits share a
// byte, in the list and in raw_data.
struct ListStorage {
  std::uint32_t field = 0;
  std::size_t bytes = 0;
};

ListStorage ListStorageOf(int elem_type) {
  switch (elem_type) {
    case 1:  // FLOAT
    case kComplex64:
      return {4, 4};
    case 11:  // DOUBLE
    case kComplex128:
      return {10, 8};
    case 7:  // INT64
      return {7, 8};
    case 12:  // UINT32
      return {11, 4};
    case 13:  // UINT64
      return {11, 8};
    case 6:  // INT32
      return {5, 4};
    case 4:   // UINT16
    case 5:   // INT16
    case 10:  // FLOAT16
    case 16:  // BFLOAT16
      return {5, 2};
    case 2:   // UINT8
    case 3:   // INT8
    case 9:   // BOOL
    case 17:  // The four types of 8-bit floats.
    case 18:
    case 19:
    case 20:
    case 21:  // UINT4
    case 22:  // INT4
    case 23:  // FLOAT4E2M1
    case 24:  // FLOAT8E8M0
    case 25:  // UINT2
    case 26:  // INT2
      return {5, 1};
    default:
      return {};
  }
}

std::optional<std::uint64_t> NumberOf(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::pair<std::string_view, std::string_view> ReadOnnxStringPair(pbf_reader fields) {
  std::pair<std::string_view, std::string_view> entry;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        entry.first = ViewOf(fields);
        break;
      case Length(2):
        entry.second = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
  return entry;
}

void ReadOnnxTensor(pbf_reader fields, OnnxTensor& tensor) {
  tensor.bytes = {fields.data().data(), fields.data().size()};
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Varint(1):
      case Length(1):
        ForEachVarint(fields, [&](std::uint64_t size) {
          tensor.shape.push_back(static_cast<std::int64_t>(size));
        });
        break;
      case Varint(2):
        tensor.elem_type = fields.get_int32();
        break;
      case Length(8):
        tensor.name = ViewOf(fields);
        break;
      case Length(13): {
        const auto [key, value] = ReadOnnxStringPair(fields.get_message());
        if (key == "location") tensor.location = value;
        // If an offset or length is not a valid number, it becomes the largest integer. The later
        // check against the size of the file rejects it.
        if (key == "offset") tensor.offset = NumberOf(value).value_or(~std::uint64_t{0});
        if (key == "length") tensor.length = NumberOf(value).value_or(~std::uint64_t{0});
        break;
      }
      case Varint(14):
        tensor.is_external = fields.get_int32() == 1;
        break;
      default:
        fields.skip();
    }
  }
}

Result<OnnxSparseTensor> ParseOnnxSparseTensor(std::string_view bytes) {
  return ReadMessage<OnnxSparseTensor>(
      "ONNX sparse tensor", bytes, [](pbf_reader fields, OnnxSparseTensor& tensor) {
        while (fields.next()) {
          switch (fields.tag_and_type()) {
            case Length(1):
              ReadOnnxTensor(fields.get_message(), tensor.values);
              break;
            case Length(2):
              ReadOnnxTensor(fields.get_message(), tensor.indices);
              break;
            case Varint(3):
            case Length(3):
              ForEachVarint(fields, [&](std::uint64_t size) {
                tensor.shape.push_back(static_cast<std::int64_t>(size));
              });
              break;
            default:
              fields.skip();
          }
        }
      });
}

Result<OnnxElements> ElementsOf(const OnnxTensor& tensor) {
  const ListStorage storage = ListStorageOf(tensor.elem_type);
  if (storage.bytes == 0) {
    return Fail(ErrorCode::kInvalidArgument, "ONNX tensor " + Quoted(tensor.name) + " of type " +
                                                 std::to_string(tensor.elem_type) +
                                                 " does not contain numbers");
  }
  const NumberFields where{.raw = 9,
                           .list = storage.field,
                           .list_is_fixed = storage.field == 4 || storage.field == 10,
                           .bytes = storage.bytes};
  CBOARD_ASSIGN_OR_RETURN(
      NumberList numbers,
      ReadMessage<NumberList>(
          "ONNX tensor " + Quoted(tensor.name), tensor.bytes,
          [&](pbf_reader fields, NumberList& into) { CollectNumbers(fields, where, into); }));
  if (numbers.has_raw || !numbers.in_place.empty()) {
    return OnnxElements{.in_place = numbers.in_place};
  }
  return OnnxElements{.decoded = std::move(numbers.decoded), .is_decoded = true};
}

}  // namespace cboard::proto
