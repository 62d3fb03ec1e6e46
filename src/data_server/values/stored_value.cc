#include "data_server/values/stored_value.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "cboard/base/bytes.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "cboard/reader/histogram_query.h"
#include "cboard/reader/run_query.h"
#include "data_server/values/tag_class.h"
#include "proto/shape.h"
#include "proto/wire_reader.h"

namespace cboard::data_server {
namespace {

using proto::DataType;
using proto::ValueKind;

tl::unexpected<Error> NotA(std::string_view what, ValueKind found) {
  return Fail(ErrorCode::kDataLoss, "the logged value is not " + std::string(what) +
                                        "; it contains the field " +
                                        std::to_string(static_cast<int>(found)));
}

// Rows (left, right, count) with the outer edges at min and max.
Result<std::string> TensorOfHistogram(std::string_view value) {
  CBOARD_ASSIGN_OR_RETURN(const std::vector<reader::HistogramBin> bins,
                          reader::TensorBoardBins(value, reader::TensorBoardLoader::kRust));
  std::string content;
  content.reserve(bins.size() * 3 * sizeof(double));
  for (const reader::HistogramBin& bin : bins) {
    const std::array<double, 3> row = {bin.left, bin.right, bin.count};
    content += AsText(std::as_bytes(std::span(row)));
  }
  const std::array<std::int64_t, 2> shape = {static_cast<std::int64_t>(bins.size()), 3};
  return proto::EncodeRawTensor(DataType::kDouble, shape, content);
}

// For graphs and run metadata that were logged as events, the value is the blob itself.
bool IsEvent(const reader::TagInfo& info) {
  return info.plugin_name.empty() &&
         (info.kind == reader::TagKind::kGraph || info.kind == reader::TagKind::kRunMetadata);
}

bool MayBeSingle(const reader::TagInfo& info) {
  const std::string_view plugin = ClassOf(info).plugin_name;
  return plugin == "graph_run_metadata" || plugin == "graph_run_metadata_graph" ||
         plugin == "graph_keras_model";
}

// Sounds may have labels, in a tensor of shape [sounds, 2]. The labels are left out.
bool IsLabelled(const reader::TagInfo& info, const proto::Shape& shape) {
  return shape.size() == 2 && shape[1] == 2 && ClassOf(info).plugin_name == "audio";
}

tl::unexpected<Error> WrongShape(const proto::Shape& shape) {
  return Fail(
      ErrorCode::kDataLoss,
      "images, sounds and graphs must be logged as a list of strings, but the tensor has rank " +
          std::to_string(shape.size()));
}

}  // namespace

Result<std::string> TensorOfValue(std::string_view bytes) {
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, proto::ParseSummaryValue(bytes));
  switch (value.kind) {
    case ValueKind::kTensor:
      return CleanTensor(value.payload);
    case ValueKind::kHistogram:
      return TensorOfHistogram(bytes);
    case ValueKind::kNone: {  // A value with only metadata becomes an empty tensor.
      const std::int64_t size = 0;
      return proto::EncodeFloatTensor({&size, 1}, {});
    }
    default:
      return NotA("a tensor", value.kind);
  }
}

Result<BlobSequence> BlobsOfValue(const reader::TagInfo& info, std::string_view bytes) {
  BlobSequence sequence;
  if (IsEvent(info)) {
    sequence.blobs = {bytes};
    return sequence;
  }
  CBOARD_ASSIGN_OR_RETURN(const proto::SummaryValue value, proto::ParseSummaryValue(bytes));
  if (value.kind == ValueKind::kImage) {
    CBOARD_ASSIGN_OR_RETURN(const proto::Image image, proto::ParseImage(value.payload));
    sequence.texts = {std::to_string(image.width), std::to_string(image.height)};
    sequence.blobs = {sequence.texts[0], sequence.texts[1], image.encoded};
    return sequence;
  }
  if (value.kind == ValueKind::kAudio) {
    CBOARD_ASSIGN_OR_RETURN(const proto::Audio audio, proto::ParseAudio(value.payload));
    sequence.blobs = {audio.encoded};
    return sequence;
  }
  if (value.kind != ValueKind::kTensor) return NotA("a sequence of blobs", value.kind);
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, proto::ParseTensor(value.payload));
  CBOARD_ASSIGN_OR_RETURN(const auto strings, proto::ReadStrings(tensor));
  const proto::Shape& shape = tensor.shape;
  if (IsLabelled(info, shape)) {
    for (std::size_t i = 0; i + 1 < strings.size(); i += 2) sequence.blobs.push_back(strings[i]);
  } else if (shape.size() == 1 || (shape.empty() && strings.size() == 1 && MayBeSingle(info))) {
    sequence.blobs = strings;
  } else {
    return WrongShape(shape);
  }
  return sequence;
}

namespace {

// A message that may be truncated. Calls `use(fields)` for each field that begins in the known
// bytes, until `use` returns true.
template <typename Use>
void ReadPrefix(std::string_view bytes, const Use& use) {
  try {
    proto::pbf_reader fields(bytes.data(), bytes.size());
    while (fields.next() && !use(fields)) {
    }
  } catch (const protozero::exception&) {
    // A field continues after the known bytes, so reading stops.
  }
}

// The known bytes of the current length-delimited field, if it is truncated.
std::string_view CutField(const proto::pbf_reader& fields) {
  const char* at = fields.data().data();
  const char* const end = at + fields.data().size();
  const std::uint64_t size = protozero::decode_varint(&at, end);
  const auto left = static_cast<std::uint64_t>(end - at);
  return {at, static_cast<std::size_t>(std::min(size, left))};
}

}  // namespace

Result<std::size_t> CountBlobs(const reader::TagInfo& info, std::string_view first_bytes,
                               std::size_t value_bytes) {
  if (IsEvent(info)) return 1;
  if (first_bytes.size() >= value_bytes) {
    CBOARD_ASSIGN_OR_RETURN(const BlobSequence sequence, BlobsOfValue(info, first_bytes));
    return sequence.blobs.size();
  }
  ValueKind kind = ValueKind::kNone;
  std::string_view payload;
  ReadPrefix(first_bytes, [&](proto::pbf_reader& fields) {
    switch (fields.tag_and_type()) {
      case proto::Length(4):
      case proto::Length(6):
      case proto::Length(8):
        kind = static_cast<ValueKind>(fields.tag());
        payload = CutField(fields);
        return true;
      default:
        fields.skip();
        return false;
    }
  });
  if (kind == ValueKind::kImage) return 3;
  if (kind == ValueKind::kAudio) return 1;
  const auto unclear = [] {
    return Fail(ErrorCode::kTruncated,
                "the shape of the logged tensor is not in the first bytes of the value");
  };
  if (kind != ValueKind::kTensor) return unclear();
  // Writers put the shape before the strings.
  std::string_view shape_bytes;
  bool has_shape = false;
  ReadPrefix(payload, [&](proto::pbf_reader& fields) {
    if (fields.tag_and_type() == proto::Length(2)) {
      shape_bytes = proto::ViewOf(fields);
      has_shape = true;
      return true;
    }
    fields.skip();
    return false;
  });
  if (!has_shape) return unclear();
  CBOARD_ASSIGN_OR_RETURN(
      const proto::ShapeFields read,
      proto::ReadMessage<proto::ShapeFields>(
          "TensorShapeProto", shape_bytes, [](proto::pbf_reader fields, proto::ShapeFields& into) {
            into = proto::ReadShape(fields);
          }));
  const proto::Shape& shape = read.dimensions;
  if (shape.size() == 1 || IsLabelled(info, shape)) {
    // A blob takes at least two bytes. This limits the size of a response for a damaged shape.
    if (shape[0] < 0 || static_cast<std::uint64_t>(shape[0]) > value_bytes / 2) {
      return WrongShape(shape);
    }
    return static_cast<std::size_t>(shape[0]);
  }
  if (shape.empty() && MayBeSingle(info)) return 1;
  return WrongShape(shape);
}

}  // namespace cboard::data_server
