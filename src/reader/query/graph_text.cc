// Converts GraphDef and RunMetadata messages to text.
#include <map>
#include <protozero/pbf_writer.hpp>
#include <vector>

#include "cboard/proto/graph.h"
#include "cboard/reader/graph_query.h"
#include "proto/wire_reader.h"
#include "reader/query/copy_field.h"
#include "reader/query/text_format.h"

namespace cboard::reader {
namespace {

using proto::pbf_reader;
using protozero::pbf_writer;

// Returns a NodeDef without the values of large attributes. Only the names of these attributes are
// kept.
Result<std::string> WithoutLargeAttributes(std::string_view node, const GraphTextOptions& options) {
  // If a key is repeated, its last value is used.
  std::map<std::string_view, std::string_view> attributes;
  CBOARD_RETURN_IF_ERROR(proto::ForEachAttribute(
      node, [&](std::string_view key, std::string_view value) { attributes[key] = value; }));
  std::string list;
  pbf_writer names(list);
  bool any_large = false;
  std::string result;
  pbf_writer out(result);
  const auto add = [&](std::string_view key, std::string_view value) {
    pbf_writer entry(out, 5);
    entry.add_string(1, key.data(), key.size());
    entry.add_message(2, value.data(), value.size());
  };
  const std::string_view large_key = options.large_attributes_key;
  // The value that the node already has for the attribute `large_attributes_key`.
  std::string_view present;
  for (const auto& [key, value] : attributes) {
    if (value.size() > *options.max_attribute_bytes) {
      names.add_bytes(2, key.data(), key.size());
      any_large = true;
    } else if (key == large_key) {
      present = value;
    } else {
      add(key, value);
    }
  }
  if (any_large) {
    // Parsers merge concatenated messages, so this appends the names to the list.
    std::string value(present);
    pbf_writer(value).add_message(1, list);
    add(large_key, value);
  } else if (attributes.contains(large_key)) {
    add(large_key, present);
  }
  CBOARD_RETURN_IF_ERROR(
      proto::ReadMessageInto("NodeDef", node, out, [](pbf_reader fields, pbf_writer& writer) {
        while (fields.next()) {
          if (fields.tag_and_type() == proto::Length(5)) {
            fields.skip();
          } else {
            CopyField(fields, writer);
          }
        }
      }));
  return result;
}

Result<std::string> WithLimitedAttributes(std::string_view graph, const GraphTextOptions& options) {
  std::string result;
  pbf_writer out(result);
  std::optional<Error> error;
  CBOARD_RETURN_IF_ERROR(
      proto::ReadMessageInto("GraphDef", graph, out, [&](pbf_reader fields, pbf_writer& writer) {
        while (fields.next()) {
          if (fields.tag_and_type() != proto::Length(1)) {
            CopyField(fields, writer);
            continue;
          }
          const Result<std::string> node = WithoutLargeAttributes(proto::ViewOf(fields), options);
          if (!node) {
            if (!error) error = node.error();
            continue;
          }
          writer.add_message(1, *node);
        }
      }));
  if (error) return Fail(*error);
  return result;
}

}  // namespace

Result<std::string> GraphDefText(std::string_view graph_def, const GraphTextOptions& options) {
  if (!options.max_attribute_bytes) {
    return ToTextFormat(GraphDefSchema(), graph_def);
  }
  if (*options.max_attribute_bytes == 0) {
    return Fail(ErrorCode::kInvalidArgument,
                "the maximum size of an attribute is 0, but must be 1 or more");
  }
  CBOARD_ASSIGN_OR_RETURN(const std::string limited, WithLimitedAttributes(graph_def, options));
  return ToTextFormat(GraphDefSchema(), limited);
}

Result<std::string> RunMetadataText(std::string_view run_metadata) {
  return ToTextFormat(RunMetadataSchema(), run_metadata);
}

}  // namespace cboard::reader
