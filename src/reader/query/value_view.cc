#include "reader/query/value_view.h"

#include <string>

#include "proto/wire_reader.h"

namespace cboard::reader {

Result<proto::SummaryValue> ParseValue(std::string_view bytes) {
  using proto::Fixed32;
  using proto::Length;
  return proto::ReadMessage<proto::SummaryValue>(
      "Summary.Value", bytes, [](proto::pbf_reader fields, proto::SummaryValue& value) {
        while (fields.next()) {
          switch (fields.tag_and_type()) {
            case Length(1):
              value.tag = proto::ViewOf(fields);
              break;
            case Fixed32(2):
              value.kind = proto::ValueKind::kSimpleValue;
              value.simple_value = fields.get_float();
              break;
            case Length(3):
            case Length(4):
            case Length(5):
            case Length(6):
            case Length(8):
              value.kind = static_cast<proto::ValueKind>(fields.tag());
              value.payload = proto::ViewOf(fields);
              break;
            case Length(9):
              value.metadata = proto::ViewOf(fields);
              break;
            default:
              fields.skip();
          }
        }
      });
}

Result<proto::Tensor> TensorOf(const proto::SummaryValue& value, std::string_view what) {
  if (value.kind != proto::ValueKind::kTensor) {
    return Fail(ErrorCode::kDataLoss,
                "the logged value is not " + std::string(what) + ": it contains the field " +
                    std::to_string(static_cast<int>(value.kind)) + " instead of a tensor");
  }
  return proto::ParseTensor(value.payload);
}

}  // namespace cboard::reader
