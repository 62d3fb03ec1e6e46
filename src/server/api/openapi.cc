#include "cboard/base/json_writer.h"
#include "server/api/api_route.h"

namespace cboard::server {
namespace {

std::string_view SchemaTypeOf(ParameterType type) {
  switch (type) {
    case ParameterType::kText:
      return "string";
    case ParameterType::kWhole:
      return "integer";
    case ParameterType::kNumber:
      return "number";
  }
  return "string";
}

void WriteParameter(JsonWriter& json, const Parameter& parameter) {
  json.BeginObject().Key("name").Value(parameter.name).Key("in").Value("query");
  json.Key("required").Value(parameter.required);
  json.Key("description").Value(parameter.description);
  json.Key("schema").BeginObject();
  if (parameter.repeats) json.Key("type").Value("array").Key("items").BeginObject();
  json.Key("type").Value(SchemaTypeOf(parameter.type));
  if (parameter.repeats) json.EndObject();
  json.EndObject().EndObject();
}

void WriteErrorResponse(JsonWriter& json, std::string_view status, std::string_view meaning) {
  json.Key(status).BeginObject().Key("description").Value(meaning);
  json.Key("content").BeginObject().Key("application/json").BeginObject();
  json.Key("schema").BeginObject().Key("$ref").Value("#/components/schemas/Error").EndObject();
  json.EndObject().EndObject().EndObject();
}

void WriteOperation(JsonWriter& json, const ApiRoute& route) {
  json.BeginObject().Key("summary").Value(route.summary);
  json.Key("parameters").BeginArray();
  for (const Parameter& parameter : route.parameters) WriteParameter(json, parameter);
  json.EndArray();
  if (!route.body_example.empty()) {
    json.Key("requestBody").BeginObject().Key("required").Value(true);
    json.Key("content").BeginObject().Key("application/json").BeginObject();
    json.Key("schema").BeginObject().Key("type").Value("object").EndObject();
    json.Key("example").Raw(route.body_example);
    json.EndObject().EndObject().EndObject();
  }
  json.Key("responses").BeginObject();
  json.Key("200").BeginObject().Key("description").Value("The answer.");
  json.Key("content").BeginObject().Key(route.response_type).BeginObject().EndObject().EndObject();
  json.EndObject();
  WriteErrorResponse(json, "400", "A parameter is missing, unknown or makes no sense.");
  WriteErrorResponse(json, "404", "The requested item does not exist.");
  json.EndObject().EndObject();
}

}  // namespace

std::string DescribeApi(const BoardAppearance& look) {
  JsonWriter json;
  json.BeginObject().Key("openapi").Value("3.1.0");
  json.Key("info").BeginObject().Key("title").Value("Compression Board");
  json.Key("version").Value(look.version).EndObject();
  json.Key("servers").BeginArray().BeginObject();
  json.Key("url").Value(look.path_prefix + std::string(kApiPrefix)).EndObject().EndArray();
  json.Key("paths").BeginObject();
  const std::vector<ApiRoute>& routes = ApiRoutes();
  for (std::size_t i = 0; i < routes.size();) {
    json.Key(routes[i].path).BeginObject();
    const std::string_view path = routes[i].path;
    for (; i < routes.size() && routes[i].path == path; ++i) {
      json.Key(routes[i].method == "GET" ? "get" : "post");
      WriteOperation(json, routes[i]);
    }
    json.EndObject();
  }
  json.Key("/events").BeginObject().Key("get").BeginObject();
  json.Key("summary").Value("Changes of the log directory as server-sent events.");
  json.Key("responses").BeginObject().Key("200").BeginObject();
  json.Key("description").Value("Events hello, change and resync; the connection stays open.");
  json.Key("content").BeginObject().Key("text/event-stream").BeginObject().EndObject().EndObject();
  json.EndObject().EndObject().EndObject().EndObject();
  json.EndObject();  // paths
  json.Key("components").BeginObject().Key("schemas").BeginObject().Key("Error");
  json.Raw(R"({"type":"object","required":["error"],"properties":{"error":{"type":"object",)"
           R"("required":["code","message"],"properties":{"code":{"type":"string"},)"
           R"("message":{"type":"string"}}}}})");
  json.EndObject().EndObject().EndObject();
  return json.Take();
}

}  // namespace cboard::server
