#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "analysis/runs/run_path.h"
#include "cboard/analysis/channels.h"
#include "cboard/analysis/layers.h"
#include "cboard/analysis/stages.h"
#include "cboard/base/strings.h"
#include "cboard/proto/run_metadata.h"
#include "cboard/reader/read_blob.h"

namespace cboard::analysis {
namespace {

// Names of runs that are beside the stages and belong to the same log.
constexpr auto kExtras = std::to_array<std::string_view>({"figures", "xquant", "max_cut",
                                                          "output_similarity_metrics_repr",
                                                          "output_similarity_metrics_val"});

struct Experiment {
  std::map<std::string, Stage> stages = {};  // By the stage's run.
  std::vector<std::string> extras = {};
  std::string model = {};
  std::string logged_model = {};
};

// Returns the model of the first layer metric. All layer metrics of one run name the same model.
std::string ModelInTags(const reader::Run& run) {
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() != reader::TagKind::kScalar) continue;
    if (const auto figure = ParseLayerTag(tag); figure && !figure->model.empty()) {
      return figure->model;
    }
  }
  return {};
}

void Look(const reader::Run& run, Stage& stage) {
  for (const reader::Tag& tag : run.tags) {
    if (tag.kind() == reader::TagKind::kGraph) stage.has_graph = true;
    if (tag.kind() == reader::TagKind::kHistogram) ++stage.histogram_count;
    if (tag.kind() == reader::TagKind::kRunMetadata && tag.name() == kResourcesTag) {
      stage.has_resources = true;
    }
  }
}

// Returns the model of a stage log; prefers the directory logs_15112026_120000 to a directory
// tensorboard_logs inside it.
std::string ModelOf(std::string_view stage, const reader::Run& run) {
  std::filesystem::path directory = DirectoryOf(run);
  for (auto i = PartCount(WithoutDot(run.name)) - PartCount(stage); i >= 0; --i) {
    directory = directory.parent_path();
  }
  if (directory.filename() == "tensorboard_logs") directory = directory.parent_path();
  return directory.filename().string();
}

class Finder {
 public:
  void Add(const reader::Run& run) {
    const std::string_view path = WithoutDot(run.name);
    const std::string_view parent = ParentOf(path);
    if (const auto description = compression::DescribeStage(LastPart(path))) {
      Experiment& experiment = experiments_[std::string(parent)];
      experiment.model = ModelOf(path, run);
      Stage& stage = experiment.stages[std::string(path)];
      stage.description = *description;
      stage.run = run.name;
      Look(run, stage);
      if (experiment.logged_model.empty()) experiment.logged_model = ModelInTags(run);
      return;
    }
    if (const auto description = compression::DescribeStage(LastPart(parent))) {
      Experiment& experiment = experiments_[std::string(ParentOf(parent))];
      experiment.model = ModelOf(parent, run);
      Stage& stage = experiment.stages[std::string(parent)];
      stage.description = *description;
      if (stage.run.empty()) stage.run = std::string(parent);
      if (std::string* statistic = StatisticOf(LastPart(path), stage)) *statistic = run.name;
      return;
    }
    if (std::ranges::find(kExtras, LastPart(path)) != kExtras.end()) {
      experiments_[std::string(parent)].extras.push_back(run.name);
    }
  }

  std::vector<StageTimeline> Take() {
    std::vector<StageTimeline> timelines;
    for (auto& [name, experiment] : experiments_) {
      // Skips directories without stages: a directory with the name "figures" may belong to any
      // program.
      if (experiment.stages.empty()) continue;
      StageTimeline& timeline =
          timelines.emplace_back(StageTimeline{.experiment = name,
                                               .model = std::move(experiment.model),
                                               .logged_model = std::move(experiment.logged_model),
                                               .extras = std::move(experiment.extras)});
      for (auto& [run, stage] : experiment.stages) timeline.stages.push_back(std::move(stage));
      std::ranges::sort(timeline.stages, [](const Stage& a, const Stage& b) {
        return std::tie(a.description.order, a.run) < std::tie(b.description.order, b.run);
      });
    }
    return timelines;
  }

 private:
  std::map<std::string, Experiment> experiments_;
};

}  // namespace

std::vector<StageTimeline> FindStages(const reader::Snapshot& snapshot) {
  Finder finder;
  for (const auto& run : snapshot.runs) finder.Add(*run);
  return finder.Take();
}

Result<std::uint64_t> ReadStageBytes(const reader::Snapshot& snapshot, const Stage& stage) {
  const reader::Run* run = snapshot.FindRun(stage.run);
  const reader::Tag* tag = run == nullptr ? nullptr : run->Find(kResourcesTag);
  if (tag == nullptr || tag->kind() != reader::TagKind::kRunMetadata || tag->blobs.empty()) {
    return Fail(ErrorCode::kNotFound, "run " + Quoted(stage.run) +
                                          " has no tag of TensorFlow's run metadata called " +
                                          Quoted(kResourcesTag));
  }
  CBOARD_ASSIGN_OR_RETURN(const reader::Blob blob, reader::ReadBlob(*run, tag->blobs.back()));
  std::uint64_t total = 0;
  CBOARD_RETURN_IF_ERROR(
      proto::ForEachNodeStats(blob.bytes, [&](std::string_view, const proto::NodeStats& node) {
        if (node.total_bytes > 0) total += static_cast<std::uint64_t>(node.total_bytes);
      }));
  return total;
}

const Stage* FindSizedStage(const StageTimeline& timeline, std::string_view variant) {
  const auto is_it = [&](const Stage& stage) {
    return stage.has_resources && stage.description.quantized == (variant == kQuantizedStages);
  };
  if (variant == kFloatStages) {
    const auto first = std::ranges::find_if(timeline.stages, is_it);
    return first != timeline.stages.end() ? &*first : nullptr;
  }
  if (variant != kQuantizedStages) return nullptr;
  const auto last = std::find_if(timeline.stages.rbegin(), timeline.stages.rend(), is_it);
  return last != timeline.stages.rend() ? &*last : nullptr;
}

std::vector<Fact> CollectStageFacts(const reader::Snapshot& snapshot, std::vector<Error>& errors) {
  std::vector<Fact> facts;
  for (const StageTimeline& timeline : FindStages(snapshot)) {
    std::optional<std::uint64_t> float_bytes;
    const auto add = [&](const Stage& stage, std::string_view variant) {
      const Result<std::uint64_t> bytes = ReadStageBytes(snapshot, stage);
      if (!bytes) {
        errors.push_back(Annotate(bytes.error(), "stage " + Quoted(stage.run)));
        return;
      }
      // Ignores sizes of early stages, because toolkits log the float sizes until the bit widths of
      // the weights are final.
      if (variant == kQuantizedStages && float_bytes == *bytes) return;
      if (variant == kFloatStages) float_bytes = *bytes;
      const compression::MetricDescription size = compression::DescribeMetric("model_size_mb");
      facts.push_back({.meaning = {.dialect = TagFormat::kStage,
                                   .experiment = timeline.experiment,
                                   .model = timeline.model,
                                   .variant = std::string(variant),
                                   .metric = size.key,
                                   .unit = size.unit,
                                   .better = size.better},
                       .value = static_cast<double>(*bytes) / 1e6,
                       .source = {.run = stage.run, .tag = std::string(kResourcesTag)}});
    };
    for (const std::string_view variant : {kFloatStages, kQuantizedStages}) {
      if (const Stage* const stage = FindSizedStage(timeline, variant)) add(*stage, variant);
    }
  }
  return facts;
}

}  // namespace cboard::analysis
