// Extracts GraphDefs from other messages.
#include <protozero/pbf_writer.hpp>
#include <string>

#include "cboard/reader/graph_query.h"
#include "proto/wire_reader.h"
#include "reader/query/copy_field.h"

namespace cboard::reader {
namespace {

using proto::Length;
using proto::pbf_reader;
using proto::ViewOf;
using protozero::pbf_writer;

void AddString(pbf_writer& out, protozero::pbf_tag_type field, std::string_view text) {
  out.add_string(field, text.data(), text.size());
}

// Copies a message and adds `prefix` to the string in field `number`. If the field is missing, its
// value becomes the prefix.
std::string WithPrefix(std::string_view message, protozero::pbf_tag_type number,
                       const std::string& prefix) {
  std::string name, result;
  pbf_writer out(result);
  pbf_reader fields(message.data(), message.size());
  while (fields.next()) {
    if (fields.tag_and_type() == Length(number)) {
      name = ViewOf(fields);
    } else {
      CopyField(fields, out);
    }
  }
  AddString(out, number, prefix + name);
  return result;
}

// Copies an attribute of type AttrValue.func, with `prefix` added to the function's name.
std::string WithFunctionName(std::string_view attribute, const std::string& prefix) {
  std::string function;
  pbf_reader fields(attribute.data(), attribute.size());
  while (fields.next()) {
    if (fields.tag_and_type() == Length(10)) {
      function += ViewOf(fields);
    } else {
      fields.skip();
    }
  }
  std::string result;
  pbf_writer(result).add_message(10, WithPrefix(function, 1, prefix));
  return result;
}

std::string RenamedNode(std::string_view node, const std::string& scope,
                        const std::string& prefix) {
  std::string name, op, function, result;
  pbf_writer out(result);
  pbf_reader fields(node.data(), node.size());
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        name = ViewOf(fields);
        break;
      case Length(2):
        op = ViewOf(fields);
        AddString(out, 2, op);
        break;
      case Length(3):
        AddString(out, 3, scope + std::string(ViewOf(fields)));
        break;
      case Length(5): {
        // Copies the entry and appends it again with a new value: a later entry with the same key
        // replaces the earlier one.
        const std::string_view entry = ViewOf(fields);
        out.add_message(5, entry.data(), entry.size());
        std::string_view key, value;
        pbf_reader parts(entry.data(), entry.size());
        while (parts.next()) {
          if (parts.tag_and_type() == Length(1)) {
            key = ViewOf(parts);
          } else if (parts.tag_and_type() == Length(2)) {
            value = ViewOf(parts);
          } else {
            parts.skip();
          }
        }
        if (key == "f") function = value;
        break;
      }
      default:
        CopyField(fields, out);
    }
  }
  AddString(out, 1, scope + name);
  if (op == "PartitionedCall") {
    pbf_writer entry(out, 5);
    AddString(entry, 1, "f");
    entry.add_message(2, WithFunctionName(function, prefix));
  }
  return result;
}

void AddRenamedLibrary(std::string_view library, const std::string& prefix, pbf_writer& out) {
  pbf_reader fields(library.data(), library.size());
  while (fields.next()) {
    if (fields.tag_and_type() == Length(1)) {
      // The name is in FunctionDef.signature, which is an OpDef.
      std::string signature, function;
      pbf_writer writer(function);
      pbf_reader parts = fields.get_message();
      while (parts.next()) {
        if (parts.tag_and_type() == Length(1)) {
          signature += ViewOf(parts);
        } else {
          CopyField(parts, writer);
        }
      }
      writer.add_message(1, WithPrefix(signature, 1, prefix));
      out.add_message(1, function);
    } else if (fields.tag_and_type() == Length(2)) {
      out.add_message(2, WithPrefix(WithPrefix(ViewOf(fields), 1, prefix), 2, prefix));
    } else {
      fields.skip();
    }
  }
}

struct GraphParts {
  std::vector<std::string_view> nodes;
  std::string library;
  std::string versions;
  std::int32_t producer = 0;
};

GraphParts PartsOf(std::string_view graph) {
  GraphParts parts;
  pbf_reader fields(graph.data(), graph.size());
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        parts.nodes.push_back(ViewOf(fields));
        break;
      case Length(2):
        parts.library += ViewOf(fields);
        break;
      case Length(4):
        parts.versions += ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
  pbf_reader versions(parts.versions);
  while (versions.next()) {
    if (versions.tag_and_type() == proto::Varint(1)) {
      parts.producer = versions.get_int32();
    } else {
      versions.skip();
    }
  }
  return parts;
}

// Returns the unoptimized graphs in RunMetadata.function_graphs.
std::vector<std::string> PreOptimizationGraphs(std::string_view run_metadata) {
  std::vector<std::string> graphs;
  pbf_reader fields(run_metadata.data(), run_metadata.size());
  while (fields.next()) {
    if (fields.tag_and_type() != Length(4)) {
      fields.skip();
      continue;
    }
    std::string& graph = graphs.emplace_back();
    pbf_reader parts = fields.get_message();
    while (parts.next()) {
      if (parts.tag_and_type() == Length(2)) {
        graph += ViewOf(parts);
      } else {
        parts.skip();
      }
    }
  }
  return graphs;
}

}  // namespace

Result<std::string> GraphDefOfMetaGraph(std::string_view meta_graph_def) {
  return proto::ReadMessage<std::string>("MetaGraphDef", meta_graph_def,
                                         [](pbf_reader fields, std::string& graph) {
                                           while (fields.next()) {
                                             if (fields.tag_and_type() == Length(2)) {
                                               graph += ViewOf(fields);
                                             } else {
                                               fields.skip();
                                             }
                                           }
                                         });
}

Result<std::string> GraphDefOfFunctionGraphs(std::string_view run_metadata) {
  std::optional<std::string> mismatch;
  CBOARD_ASSIGN_OR_RETURN(
      std::string merged,
      proto::ReadMessage<std::string>(
          "RunMetadata", run_metadata, [&](const pbf_reader&, std::string& result) {
            std::vector<std::string> graphs = PreOptimizationGraphs(run_metadata);
            if (graphs.size() == 1) result = std::move(graphs[0]);
            if (graphs.size() <= 1) return;
            pbf_writer out(result);
            std::string library;
            pbf_writer library_writer(library);
            std::optional<std::int32_t> producer;
            for (std::size_t i = 0; i < graphs.size(); ++i) {
              const GraphParts parts = PartsOf(graphs[i]);
              if (!producer && parts.producer != 0) out.add_message(4, parts.versions);
              if (producer.value_or(parts.producer) != parts.producer) {
                mismatch = "the graphs of the functions have versions " +
                           std::to_string(*producer) + " and " + std::to_string(parts.producer);
                return;
              }
              producer = parts.producer;
              const std::string stem = "graph_" + std::to_string(i + 1);
              for (const std::string_view node : parts.nodes) {
                out.add_message(1, RenamedNode(node, stem + "/", stem + "_"));
              }
              AddRenamedLibrary(parts.library, stem + "_", library_writer);
            }
            if (!library.empty()) out.add_message(2, library);
          }));
  if (mismatch) {
    return Fail(ErrorCode::kInvalidArgument,
                *mismatch + "; these graphs cannot be drawn as one graph");
  }
  return merged;
}

}  // namespace cboard::reader
