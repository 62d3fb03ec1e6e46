// The REST API under /api/v1 as a table. Each route declares its parameters; the same table handles
// requests and generates the OpenAPI description, so that the two cannot differ. docs/rest-api.md
// explains the API.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"
#include "cboard/server/http_message.h"
#include "server/content/board_appearance.h"
#include "server/content/body_pool.h"
#include "server/content/response_cache.h"
#include "server/http/url.h"

namespace cboard::server {

enum class ParameterType { kText, kWhole, kNumber };

struct Parameter {
  std::string_view name;
  ParameterType type = ParameterType::kText;
  bool required = false;
  bool repeats = false;
  std::string_view description;
};

// A request as its handler receives it. All references are valid until the response is complete.
struct ApiCall {
  const Target& target;
  std::string_view body;
  std::string_view accept;
  std::shared_ptr<const reader::Snapshot> snapshot;
  const BoardAppearance& look;
  BodyPool& bodies;  // For long responses.
};

using ApiHandler = Result<HttpResponse> (*)(const ApiCall& call);

struct ApiRoute {
  std::string_view method;   // GET or POST.
  std::string_view path;     // Relative to /api/v1: "/scalars".
  std::string_view summary;  // One sentence.
  std::vector<Parameter> parameters = {};
  std::string_view body_example = {};  // JSON; only for POST routes.
  std::string_view response_type = "application/json";
  bool in_snapshot = true;  // The response depends only on the snapshot, so it may be cached.
  bool writes = false;      // The route changes files. The body must be declared as JSON.
  ApiHandler handler = nullptr;
};

// Functions that return the routes of each file; the last one returns all routes.
std::vector<ApiRoute> LogRoutes();
std::vector<ApiRoute> AnnotationRoutes();
std::vector<ApiRoute> ContentsRoutes();
std::vector<ApiRoute> ScalarRoutes();
std::vector<ApiRoute> HistogramRoutes();
std::vector<ApiRoute> MediaRoutes();
std::vector<ApiRoute> PluginRoutes();
std::vector<ApiRoute> ProjectorRoutes();
std::vector<ApiRoute> HardwareRoutes();
std::vector<ApiRoute> ComparisonRoutes();
std::vector<ApiRoute> TimelineRoutes();
std::vector<ApiRoute> PairRoutes();
std::vector<ApiRoute> LayerRoutes();
std::vector<ApiRoute> HParamsRoutes();
std::vector<ApiRoute> ReportRoutes();
std::vector<ApiRoute> GraphRoutes();
const std::vector<ApiRoute>& ApiRoutes();

inline constexpr std::string_view kApiPrefix = "/api/v1";

// Handles a request below kApiPrefix, from the cache if possible, else with HttpResponse::later.
// Unknown parameters are an error, and the error names them. Otherwise, a parameter with a typing
// error would be ignored silently.
HttpResponse HandleApi(const HttpRequest& request, Target target,
                       std::shared_ptr<const reader::Snapshot> snapshot,
                       const BoardAppearance& look, ResponseCache& cache);

// Returns the OpenAPI 3.1 description of all routes in ApiRoutes.
std::string DescribeApi(const BoardAppearance& look);

// For handlers.

// The following functions find the run or tag that the query names. They fail with kNotFound and
// list the existing names.
Result<const reader::Run*> FindRun(const ApiCall& call, std::string_view name);
Result<const reader::Tag*> FindTag(const reader::Run& run, std::string_view name,
                                   reader::TagKind kind);
struct TagOfRun {
  const reader::Run* run = nullptr;
  const reader::Tag* tag = nullptr;
};
Result<TagOfRun> QueriedTag(const ApiCall& call, reader::TagKind kind);  // By ?run=&tag=

// The following functions return the value of an optional parameter, or `otherwise` if the
// parameter is missing.
Result<double> NumberQuery(const Target& target, std::string_view name, double otherwise);
std::string TextQuery(const Target& target, std::string_view name, std::string_view otherwise = {});

}  // namespace cboard::server
