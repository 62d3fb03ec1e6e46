// Routes that TensorBoard's page requests before any plugin: the environment, the runs, the
// plugins.
#include <algorithm>

#include "cboard/base/json_writer.h"
#include "cboard/reader/run_query.h"
#include "server/content/projector_files.h"
#include "server/tensorboard/data_route.h"

namespace cboard::server::tensorboard {
namespace {

// TensorBoard's plugins in the order of its tabs.
struct PluginTab {
  std::string_view name;
  std::string_view tab_name;
  std::string_view element_name;  // May be empty: see WriteMechanism.
  bool disable_reload = false;
  std::vector<std::string_view> data_names;  // Plugins whose data the tab shows.
};

const std::vector<PluginTab>& Tabs() {
  static const std::vector<PluginTab> tabs = {
      {"timeseries", "Time Series", "", false, {"scalars", "histograms", "images"}},
      {"scalars", "scalars", "tf-scalar-dashboard", false, {"scalars"}},
      {"custom_scalars", "Custom Scalars", "tf-custom-scalar-dashboard", false, {"custom_scalars"}},
      {"images", "images", "tf-image-dashboard", false, {"images"}},
      {"audio", "audio", "tf-audio-dashboard", false, {"audio"}},
      {"graphs",
       "graphs",
       "tf-graph-dashboard",
       true,
       {"graphs", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model",
        "graph_tagged_run_metadata"}},
      {"distributions", "distributions", "tf-distribution-dashboard", false, {"histograms"}},
      {"histograms", "histograms", "tf-histogram-dashboard", false, {"histograms"}},
      {"text", "text", "tf-text-dashboard", false, {"text"}},
      {"pr_curves", "PR Curves", "tf-pr-curve-dashboard", false, {"pr_curves"}},
      {"hparams", "hparams", "tf-hparams-dashboard", false, {"hparams"}},
      {"mesh", "mesh", "mesh-dashboard", false, {"mesh"}},
      {"projector", "projector", "", true, {}}};
  return tabs;
}

std::string LogdirText(const BoardAppearance& look) {
  std::string text;
  for (const reader::Logdir& logdir : look.logdirs) {
    if (!text.empty()) text += ",";
    if (!logdir.name.empty()) text += logdir.name + ":";
    text += logdir.path.string();
  }
  return text;
}

Result<HttpResponse> GetEnvironment(const DataCall& call) {
  JsonWriter json;
  json.BeginObject().Key("version").Value(call.look.version);
  json.Key("data_location").Value(LogdirText(call.look));
  json.Key("window_title").Value(call.look.window_title);
  json.Key("experiment_name").Value("").Key("experiment_description").Value("");
  // Sends no creation time, because TensorBoard has none for log directories.
  json.Key("creation_time").Value(0).EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetRuns(const DataCall& call) {
  JsonWriter json;
  json.BeginArray();
  for (const reader::RunPointer& run : reader::RunsByStartTime(*call.snapshot)) {
    if (run->event_count > 0) json.Value(run->name);
  }
  json.EndArray();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetLogdir(const DataCall& call) {
  JsonWriter json;
  json.BeginObject().Key("logdir").Value(LogdirText(call.look)).EndObject();
  return JsonResponse(json.Take());
}

Result<HttpResponse> GetWindowProperties(const DataCall& call) {
  JsonWriter json;
  json.BeginObject().Key("window_title").Value(call.look.window_title).EndObject();
  return JsonResponse(json.Take());
}

// Responds to two routes for a database that no longer exists. TensorBoard still has these routes.
Result<HttpResponse> GetEmptyList(const DataCall&) { return JsonResponse("[]"); }

void WriteMechanism(JsonWriter& json, const DataCall& call, const PluginTab& tab) {
  json.Key("loading_mechanism").BeginObject();
  if (tab.name == "timeseries") {
    json.Key("type").Value("NG_COMPONENT");
  } else if (tab.name == "projector") {
    json.Key("type").Value("IFRAME").Key("module_path");
    json.Value(call.look.path_prefix + "/data/plugin/projector/index.js");
  } else {
    json.Key("type").Value("CUSTOM_ELEMENT").Key("element_name").Value(tab.element_name);
  }
  json.EndObject();
}

Result<HttpResponse> GetPluginsListing(const DataCall& call) {
  const std::vector<std::string> active = reader::ActivePlugins(*call.snapshot);
  JsonWriter json;
  json.BeginObject();
  for (const PluginTab& tab : Tabs()) {
    const bool enabled = tab.name == "projector"
                             ? !ProjectorRuns(*call.snapshot, call.look).empty()
                             : std::ranges::any_of(tab.data_names, [&](std::string_view name) {
                                 return std::ranges::find(active, name) != active.end();
                               });
    json.Key(tab.name).BeginObject().Key("disable_reload").Value(tab.disable_reload);
    json.Key("enabled").Value(enabled).Key("remove_dom").Value(false);
    json.Key("tab_name").Value(tab.tab_name);
    WriteMechanism(json, call, tab);
    json.EndObject();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::vector<DataRoute> CoreRoutes() {
  return {{"/environment", GetEnvironment},
          {"/runs", GetRuns},
          {"/logdir", GetLogdir},
          {"/window_properties", GetWindowProperties},
          {"/experiments", GetEmptyList},
          {"/experiment_runs", GetEmptyList},
          {"/plugins_listing", GetPluginsListing}};
}

}  // namespace cboard::server::tensorboard
