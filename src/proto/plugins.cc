// Encodes and parses small plugin payloads: PR curves, meshes, audio.
#include "cboard/proto/plugins.h"

#include "proto/packed.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace cboard::proto {

std::string EncodePrCurvePluginData(std::uint32_t num_thresholds) {
  return EncodeMessage([&](auto& fields) { fields.Int(2, num_thresholds); });
}

std::string EncodeMeshPluginData(const MeshPluginData& data) {
  return EncodeMessage([&](auto& fields) {
    fields.Text(2, data.name);
    fields.Int(3, static_cast<int>(data.content_type));
    fields.Text(5, data.json_config);
    fields.PackedInts(6, data.shape);
    fields.Int(7, data.components);
  });
}

Result<ParsedMeshPluginData> ParseMeshPluginData(std::string_view bytes) {
  return ReadMessage<ParsedMeshPluginData>(
      "MeshPluginData", bytes, [](pbf_reader fields, ParsedMeshPluginData& data) {
        while (fields.next()) {
          switch (fields.tag_and_type()) {
            case Length(2):
              data.name = ViewOf(fields);
              break;
            case Varint(3):
              data.content_type = static_cast<MeshContent>(fields.get_enum());
              break;
            case Length(5):
              data.json_config = ViewOf(fields);
              break;
            case Varint(6):
            case Length(6):
              ForEachVarint(fields, [&](std::uint64_t size) {
                data.shape.push_back(static_cast<std::int32_t>(size));
              });
              break;
            case Varint(7):
              data.components = fields.get_uint32();
              break;
            default:
              fields.skip();
          }
        }
      });
}

std::string EncodeAudioPluginData(AudioEncoding encoding, bool converted_to_tensor) {
  return EncodeMessage([&](auto& fields) {
    fields.Int(2, static_cast<int>(encoding));
    fields.Int(3, converted_to_tensor ? 1 : 0);
  });
}

}  // namespace cboard::proto
