// Copies TensorProtos into a form that every protobuf library accepts.
#include <string>

#include "cboard/proto/tensor.h"
#include "data_server/values/stored_value.h"
#include "proto/shape.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace cboard::data_server {
namespace {

using proto::Fixed32;
using proto::Fixed64;
using proto::Length;
using proto::pbf_reader;
using proto::Varint;

// Throws unless `bytes` is a list of varints.
void CheckVarints(std::string_view bytes) {
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) (void)protozero::decode_varint(&at, end);
}

void CheckMultipleOf(std::size_t size, std::string_view bytes) {
  if (bytes.size() % size != 0) throw protozero::invalid_length_exception();
}

// Copies the current field. Returns false for a field that clients do not need: it is left out.
bool TakeField(pbf_reader& fields) {
  switch (fields.tag_and_type()) {
    case Varint(1):  // dtype
    case Varint(3):  // version_number
    case Varint(7):  // Fields such as int_val: lists that are not packed.
    case Varint(10):
    case Varint(11):
    case Varint(13):
    case Varint(16):
    case Varint(17):
      (void)fields.get_uint64();
      return true;
    case Fixed32(5):
    case Fixed32(9):
    case Fixed64(6):
    case Fixed64(12):
      fields.skip();
      return true;
    case Length(4):   // tensor_content
    case Length(8):   // string_val
    case Length(18):  // float8_val
      fields.skip();
      return true;
    case Length(5):  // float_val
    case Length(9):  // scomplex_val
      CheckMultipleOf(4, proto::ViewOf(fields));
      return true;
    case Length(6):   // double_val
    case Length(12):  // dcomplex_val
      CheckMultipleOf(8, proto::ViewOf(fields));
      return true;
    case Length(7):   // int_val
    case Length(10):  // int64_val
    case Length(11):  // bool_val
    case Length(13):  // half_val
    case Length(16):  // uint32_val
    case Length(17):  // uint64_val
      CheckVarints(proto::ViewOf(fields));
      return true;
    default:
      fields.skip();
      return false;
  }
}

void CopyTensor(pbf_reader fields, std::string& out) {
  while (true) {
    const char* const begin = fields.data().data();
    if (!fields.next()) return;
    if (fields.tag_and_type() == Length(2)) {  // tensor_shape, without the names of dimensions.
      const proto::ShapeFields shape = proto::ReadShape(fields.get_message());
      proto::AppendMessage(out, [&](auto& message) {
        message.Message(2, [&](auto& nested) {
          proto::DescribeShape(nested, shape.dimensions);
          if (shape.unknown_rank) nested.PresentInt(3, 1);
        });
      });
      continue;
    }
    if (TakeField(fields)) out.append(begin, fields.data().data());
  }
}

}  // namespace

Result<std::string> CleanTensor(std::string_view tensor) {
  std::string clean;
  clean.reserve(tensor.size());
  CBOARD_RETURN_IF_ERROR(proto::ReadMessageInto("TensorProto", tensor, clean, CopyTensor));
  return clean;
}

}  // namespace cboard::data_server
