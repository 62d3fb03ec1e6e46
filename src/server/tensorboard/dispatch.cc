#include <limits>
#include <numeric>
#include <unordered_map>

#include "cboard/base/strings.h"
#include "cboard/reader/histogram_query.h"
#include "server/tensorboard/data_route.h"

namespace cboard::server::tensorboard {
namespace {

constexpr std::string_view kData = "/data";
constexpr std::string_view kExperiment = "/experiment/";

using RouteTable = std::unordered_map<std::string_view, DataHandler>;

const RouteTable& Routes() {
  static const RouteTable table = [] {
    RouteTable routes;
    for (const auto part : {CoreRoutes, ScalarRoutes, HistogramRoutes, ImageRoutes, AudioRoutes,
                            TextRoutes, GraphRoutes, HParamsRoutes, PrCurveRoutes,
                            CustomScalarRoutes, MeshRoutes, ProjectorRoutes, TimeSeriesRoutes}) {
      for (const DataRoute& route : part()) routes.emplace(route.path, route.handler);
    }
    return routes;
  }();
  return table;
}

// Removes the experiment from a path: "/experiment/<id>/data/runs" becomes "/data/runs". There is
// only one experiment, so all ids mean the same.
std::string_view WithoutExperiment(std::string_view path) {
  if (!path.starts_with(kExperiment)) return path;
  const std::size_t end = path.find('/', kExperiment.size());
  return end == std::string_view::npos ? std::string_view() : path.substr(end);
}

HttpResponse ErrorText(const Error& error) {
  switch (error.code) {
    case ErrorCode::kInvalidArgument:
      return PlainResponse(400, "Invalid argument: " + error.message);
    case ErrorCode::kNotFound:
      return PlainResponse(404, "Not found: " + error.message);
    case ErrorCode::kPermissionDenied:
      return PlainResponse(403, "Permission denied: " + error.message);
    default:
      return PlainResponse(StatusOf(error.code), error.message);
  }
}

constexpr std::string_view kRoute = "tensorboard";

HttpResponse Finish(Result<HttpResponse> result) {
  HttpResponse response = result ? *std::move(result) : ErrorText(result.error());
  response.route = kRoute;
  return response;
}

// The projector's files are not part of the snapshot, so they may change while the snapshot stays
// the same.
bool IsInSnapshot(std::string_view path) {
  return !path.starts_with("/plugin/projector/") && path != "/plugins_listing";
}

}  // namespace

std::optional<std::string> DataCall::Find(std::string_view name) const {
  Result<std::string> value = target.Query(name);
  return value ? std::optional(*std::move(value)) : std::nullopt;
}

bool IsDataPath(std::string_view path) {
  const std::string_view below = WithoutExperiment(path);
  return below.starts_with(kData) && below.substr(kData.size()).starts_with('/');
}

HttpResponse HandleData(const HttpRequest& request, Target target,
                        std::shared_ptr<const reader::Snapshot> snapshot,
                        const BoardAppearance& look, ResponseCache& cache) {
  std::string_view path = WithoutExperiment(target.path).substr(kData.size());
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  const auto found = Routes().find(path);
  if (found == Routes().end()) {
    return Finish(PlainResponse(404, "Not found: there is no " + Quoted(target.path)));
  }

  const bool in_snapshot = IsInSnapshot(path);
  const std::string_view type = request.Header("Content-Type");
  CacheKey key{.snapshot_version = snapshot->version, .route = kRoute};
  key.text = request.method == "HEAD" ? "GET" : request.method;
  std::function<HttpResponse()> make = [handler = found->second, &look, target = std::move(target),
                                        snapshot = std::move(snapshot), body = request.body,
                                        method = key.text, content_type = std::string(type)] {
    return Finish(handler({target, method, content_type, body, snapshot, look}));
  };
  if (!in_snapshot) return {.route = kRoute, .later = std::move(make)};
  key.text.append(" ").append(request.target).append("\n");
  key.text.append(type).append("\n").append(request.body);
  return cache.Respond(request, std::move(key), std::move(make));
}

HttpResponse PlainResponse(int status, std::string text) {
  return {.status = status, .body = std::move(text)};
}

std::size_t SampleLimit(const DataCall& call, std::string_view plugin, std::size_t usual) {
  const auto found = call.look.samples_per_plugin.find(plugin);
  if (found == call.look.samples_per_plugin.end()) return usual;
  return found->second == 0 ? std::numeric_limits<std::size_t>::max() : found->second;
}

std::vector<std::size_t> SampledIndices(std::size_t count, std::size_t limit) {
  if (count > limit) return reader::SelectSteps(count, limit);
  std::vector<std::size_t> all(count);
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

}  // namespace cboard::server::tensorboard
