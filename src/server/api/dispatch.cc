#include <algorithm>
#include <charconv>
#include <cmath>

#include "cboard/base/strings.h"
#include "server/api/api_route.h"

namespace cboard::server {
namespace {

Result<HttpResponse> DescriptionResponse(const ApiCall& call) {
  return JsonResponse(DescribeApi(call.look));
}

std::vector<ApiRoute> AllRoutes() {
  std::vector<ApiRoute> routes;
  const auto add = [&](std::vector<ApiRoute> more) {
    routes.insert(routes.end(), std::make_move_iterator(more.begin()),
                  std::make_move_iterator(more.end()));
  };
  add(LogRoutes());
  add(AnnotationRoutes());
  add(ContentsRoutes());
  add(ScalarRoutes());
  add(HistogramRoutes());
  add(MediaRoutes());
  add(PluginRoutes());
  add(ProjectorRoutes());
  add(HardwareRoutes());
  add(ComparisonRoutes());
  add(TimelineRoutes());
  add(PairRoutes());
  add(LayerRoutes());
  add(HParamsRoutes());
  add(ReportRoutes());
  add(GraphRoutes());
  add({{.method = "GET",
        .path = "/openapi.json",
        .summary = "This description.",
        .handler = DescriptionResponse}});
  return routes;
}

Result<void> CheckParameters(const ApiRoute& route, const Target& target) {
  for (const auto& [name, value] : target.query) {
    if (name == "token") continue;  // Access control reads the token on every route.
    const bool known = std::ranges::any_of(
        route.parameters, [&](const Parameter& parameter) { return parameter.name == name; });
    if (known) continue;
    std::string expected;
    for (const Parameter& parameter : route.parameters) {
      expected += (expected.empty() ? "" : ", ") + std::string(parameter.name);
    }
    return Fail(
        ErrorCode::kInvalidArgument,
        "unknown parameter " + Quoted(name) +
            (expected.empty() ? "; this address takes no parameters" : "; known are " + expected));
  }
  for (const Parameter& parameter : route.parameters) {
    if (!parameter.required) continue;
    CBOARD_RETURN_IF_ERROR(target.Query(parameter.name));
  }
  return {};
}

constexpr std::string_view kRoute = "api";

HttpResponse Finish(Result<HttpResponse> result) {
  HttpResponse response = result ? *std::move(result) : ErrorResponse(result.error());
  response.route = kRoute;
  return response;
}

HttpResponse MethodNotAllowed(std::string_view allowed) {
  HttpResponse response = ErrorResponse(405, "invalid_argument",
                                        "this route answers " + std::string(allowed) + " only");
  response.headers.emplace_back("Allow", std::string(allowed));
  response.route = kRoute;
  return response;
}

}  // namespace

const std::vector<ApiRoute>& ApiRoutes() {
  static const std::vector<ApiRoute> routes = AllRoutes();
  return routes;
}

HttpResponse HandleApi(const HttpRequest& request, Target target,
                       std::shared_ptr<const reader::Snapshot> snapshot,
                       const BoardAppearance& look, ResponseCache& cache) {
  const std::string_view path = std::string_view(target.path).substr(kApiPrefix.size());
  const std::string_view method =
      request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
  const ApiRoute* found = nullptr;
  std::string allowed;
  for (const ApiRoute& route : ApiRoutes()) {
    if (route.path != path) continue;
    if (route.method == method) found = &route;
    allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  if (found == nullptr) {
    if (!allowed.empty()) return MethodNotAllowed(allowed);
    HttpResponse response = ErrorResponse(
        404, "not_found",
        "there is no " + Quoted(target.path) + "; /api/v1/openapi.json lists what there is");
    response.route = kRoute;
    return response;
  }
  if (const Result<void> checked = CheckParameters(*found, target); !checked) {
    return Finish(Fail(checked.error()));
  }
  // Requires this header, because a form on another site can send it only after a CORS preflight,
  // and Guarded() refuses the preflight.
  if (found->writes && !request.Header("Content-Type").starts_with("application/json")) {
    return Finish(Fail(ErrorCode::kInvalidArgument,
                       "the request must have the header 'Content-Type: application/json'"));
  }

  const std::string_view accept = request.Header("Accept");
  CacheKey key{.snapshot_version = snapshot->version, .route = kRoute};
  key.text.append(method).append(" ").append(request.target).append("\n");
  key.text.append(accept).append("\n").append(request.body);
  std::function<HttpResponse()> make = [found, &look, &cache, target = std::move(target),
                                        snapshot = std::move(snapshot), body = request.body,
                                        accept = std::string(accept)] {
    return Finish(found->handler({target, body, accept, snapshot, look, cache.bodies()}));
  };
  if (!found->in_snapshot) return {.route = kRoute, .later = std::move(make)};
  return cache.Respond(request, std::move(key), std::move(make));
}

Result<const reader::Run*> FindRun(const ApiCall& call, std::string_view name) {
  if (const reader::Run* run = call.snapshot->FindRun(name)) return run;
  const reader::LoadProgress& progress = call.snapshot->progress;
  return Fail(
      ErrorCode::kNotFound,
      "the logs have no run " + Quoted(name) +
          (progress.complete ? "" : " among the runs read so far; loading continues, try again"));
}

Result<const reader::Tag*> FindTag(const reader::Run& run, std::string_view name,
                                   reader::TagKind kind) {
  const reader::Tag* tag = run.Find(name);
  const std::string wanted = std::string(NameOf(kind));
  if (tag == nullptr) {
    return Fail(ErrorCode::kNotFound,
                "run " + Quoted(run.name) + " has no " + wanted + " " + Quoted(name));
  }
  if (tag->kind() != kind) {
    return Fail(ErrorCode::kNotFound, "tag " + Quoted(name) + " of run " + Quoted(run.name) +
                                          " is of kind " + std::string(NameOf(tag->kind())) +
                                          ", not " + wanted);
  }
  return tag;
}

Result<TagOfRun> QueriedTag(const ApiCall& call, reader::TagKind kind) {
  CBOARD_ASSIGN_OR_RETURN(const std::string run_name, call.target.Query("run"));
  CBOARD_ASSIGN_OR_RETURN(const std::string tag_name, call.target.Query("tag"));
  CBOARD_ASSIGN_OR_RETURN(const reader::Run* const run, FindRun(call, run_name));
  CBOARD_ASSIGN_OR_RETURN(const reader::Tag* const tag, FindTag(*run, tag_name, kind));
  return TagOfRun{run, tag};
}

Result<double> NumberQuery(const Target& target, std::string_view name, double otherwise) {
  const Result<std::string> text = target.Query(name);
  if (!text) return otherwise;
  double value = 0;
  const auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (problem != std::errc() || end != text->data() + text->size() || std::isnan(value)) {
    return Fail(ErrorCode::kInvalidArgument, "the parameter " + std::string(name) + " is " +
                                                 Quoted(*text) + ", but it must be a number");
  }
  return value;
}

std::string TextQuery(const Target& target, std::string_view name, std::string_view otherwise) {
  return target.Query(name).value_or(std::string(otherwise));
}

}  // namespace cboard::server
