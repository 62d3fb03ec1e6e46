// TensorBoard's own HTTP data API, so that scripts written for it keep working: /data/runs,
// /data/plugin/scalars/tags and the rest, also below /experiment/<id>/.
//
// Values are those of TensorBoard's Python loader, errors its text/plain sentences.
// docs/tensorboard-api.md lists the routes, and where the answers differ and why.
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

// The request as a handler sees it. All references are valid until the response is complete.
struct DataCall {
  const Target& target;
  std::string_view method;  // GET or POST; HEAD is GET.
  std::string_view content_type;
  std::string_view body;
  std::shared_ptr<const reader::Snapshot> snapshot;
  const BoardAppearance& look;

  // The first parameter of this name in the query.
  std::optional<std::string> Find(std::string_view name) const;
};

// An error becomes the answer that TensorBoard's exceptions of the same name give: "Not found: …".
using DataHandler = Result<HttpResponse> (*)(const DataCall& call);

struct DataRoute {
  std::string_view path;  // Below /data: "/plugin/scalars/tags".
  DataHandler handler = nullptr;
};

// The routes of each file.
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

// Whether `path` is one of TensorBoard's: /data/… or /experiment/<id>/data/….
bool IsDataPath(std::string_view path);

// Answers a request for such a path, from the cache where that is possible, else with
// HttpResponse::later.
HttpResponse HandleData(const HttpRequest& request, Target target,
                        std::shared_ptr<const reader::Snapshot> snapshot,
                        const BoardAppearance& look, ResponseCache& cache);

// For handlers.

// An error message of TensorBoard without a kind in front.
HttpResponse PlainResponse(int status, std::string text);

// How many values `plugin` answers at most: --samples_per_plugin, else `usual`.
std::size_t SampleLimit(const DataCall& call, std::string_view plugin, std::size_t usual);

// The indices of the values to answer out of `count`: evenly spread, the last among them.
std::vector<std::size_t> SampledIndices(std::size_t count, std::size_t limit);

}  // namespace cboard::server::tensorboard
