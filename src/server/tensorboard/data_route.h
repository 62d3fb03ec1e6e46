// TensorBoard's own HTTP data API, so that scripts written for it keep working: /data/runs,
// /data/plugin/scalars/tags and others, also below /experiment/<id>/.
//
// Values are those of TensorBoard's Python loader; errors are its text/plain messages.
// docs/tensorboard-api.md lists the routes, and all differences with their reasons.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/base/result.h"
#include "cboard/reader/snapshot.h"
#include "cboard/server/http_message.h"
#include "server/content/board_appearance.h"
#include "server/content/response_cache.h"
#include "server/http/url.h"

namespace cboard::server::tensorboard {

// A request as its handler receives it. All references are valid until the response is complete.
struct DataCall {
  const Target& target;
  std::string_view method;  // GET or POST; HEAD is GET.
  std::string_view content_type;
  std::string_view body;
  std::shared_ptr<const reader::Snapshot> snapshot;
  const BoardAppearance& look;

  // Returns the first query parameter of this name.
  std::optional<std::string> Find(std::string_view name) const;
};

// Turns an error into the response that TensorBoard sends for its exception of the same name: "Not
// found: …".
using DataHandler = Result<HttpResponse> (*)(const DataCall& call);

struct DataRoute {
  std::string_view path;  // Relative to /data: "/plugin/scalars/tags".
  DataHandler handler = nullptr;
};

// Functions that return the routes of each file.
std::vector<DataRoute> CoreRoutes();
std::vector<DataRoute> ScalarRoutes();
std::vector<DataRoute> HistogramRoutes();
std::vector<DataRoute> ImageRoutes();
std::vector<DataRoute> AudioRoutes();
std::vector<DataRoute> TextRoutes();
std::vector<DataRoute> GraphRoutes();
std::vector<DataRoute> HParamsRoutes();
std::vector<DataRoute> PrCurveRoutes();
std::vector<DataRoute> CustomScalarRoutes();
std::vector<DataRoute> MeshRoutes();
std::vector<DataRoute> ProjectorRoutes();
std::vector<DataRoute> TimeSeriesRoutes();

// Returns true if `path` belongs to TensorBoard's API: /data/… or /experiment/<id>/data/….
bool IsDataPath(std::string_view path);

// Responds to a request for a path of TensorBoard's API, from the cache if possible, else with
// HttpResponse::later.
HttpResponse HandleData(const HttpRequest& request, Target target,
                        std::shared_ptr<const reader::Snapshot> snapshot,
                        const BoardAppearance& look, ResponseCache& cache);

// For handlers.

// Creates an error message like TensorBoard's, without a prefix such as "Not found:".
HttpResponse PlainResponse(int status, std::string text);

// Returns the maximum number of values in a response of `plugin`: --samples_per_plugin, or `usual`
// by default.
std::size_t SampleLimit(const DataCall& call, std::string_view plugin, std::size_t usual);

// Selects the indices of at most a given number of values out of `count`: evenly spaced, always
// with the last one.
std::vector<std::size_t> SampledIndices(std::size_t count, std::size_t limit);

}  // namespace cboard::server::tensorboard
