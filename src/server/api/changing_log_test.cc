// After any change, a response equals the response of a new server without caches.
#include <gtest/gtest.h>

#include <random>

#include "analysis/testing/run_builder.h"
#include "server/api/api_route.h"

namespace cboard::server {
namespace {

class ChangingLog {
 public:
  explicit ChangingLog(std::uint32_t seed) : random_(seed) {}

  // Adds, replaces or removes a run.
  std::shared_ptr<const reader::Snapshot> Change() {
    const std::string name =
        OneOf({".", "train", "alexnet", "alexnet/int8", "eval/baseline", "eval/tune_1_acc_0.9",
               "eval/tune_2", "eval/tune_2/sub", "other/baseline", "logs/initial_graph",
               "logs/thresholds_selection", "x/accuracy/int8", "x/accuracy/fp32"});
    if (Number(4) == 0) {
      runs_.erase(name);
    } else {
      std::map<std::string, double> scalars;
      for (std::size_t i = Number(6); i > 0; --i) scalars[ScalarTag()] = Value();
      std::vector<std::string> histograms;
      if (Number(3) == 0) histograms = {OneOf({"conv1/weight/fp32", "conv1/Output/int8", "dense"})};
      runs_[name] = analysis::MakeRun(name, scalars, histograms);
    }
    auto snapshot = std::make_shared<reader::Snapshot>();
    snapshot->version = ++version_;
    for (const auto& [key, run] : runs_) snapshot->runs.push_back(run);
    return snapshot;
  }

 private:
  std::size_t Number(std::size_t below) { return random_() % below; }
  double Value() { return static_cast<double>(Number(100)) / 100; }
  std::string OneOf(const std::vector<std::string>& texts) { return texts[Number(texts.size())]; }
  std::string ScalarTag() {
    if (Number(2) == 0) {
      return OneOf({"loss", "accuracy", "hardware/cpu", "metrics/accuracy", "x/accuracy",
                    "m/layers/conv1/weight/sqnr_db/int8"});
    }
    return OneOf({"resnet", "vgg"}) + "/" +
           OneOf({"metrics/accuracy", "performance/model_size_mb", "compression/size_ratio"}) +
           "/" + OneOf({"fp32", "int8", "int4"});
  }

  std::mt19937 random_;
  std::uint64_t version_ = 0;
  std::map<std::string, std::shared_ptr<const reader::Run>> runs_;
};

// Returns the same snapshot without cached results.
std::shared_ptr<const reader::Snapshot> FreshCopy(const reader::Snapshot& snapshot) {
  auto fresh = std::make_shared<reader::Snapshot>(snapshot);
  for (auto& run : fresh->runs) run = std::make_shared<reader::Run>(*run);
  return fresh;
}

std::string Respond(const std::string& path,
                    const std::shared_ptr<const reader::Snapshot>& snapshot) {
  const BoardAppearance look;
  ResponseCache cache("boot");
  HttpRequest request{.method = "GET", .target = std::string(kApiPrefix) + path};
  HttpResponse response = HandleApi(request, *ParseTarget(request.target), snapshot, look, cache);
  if (response.later) response = response.later();
  EXPECT_EQ(response.status, 200) << path << ": " << response.body;
  return response.body;
}

TEST(ChangingLog, GivesTheAnswersOfOneThatIsNew) {
  std::size_t with_models = 0;
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    ChangingLog log(seed);
    for (int change = 0; change < 60; ++change) {
      const std::shared_ptr<const reader::Snapshot> snapshot = log.Change();
      for (const std::string path : {"/compression/table", "/contents", "/compression/tuning",
                                     "/compression/stages", "/compression/sides", "/graphs"}) {
        const std::string answer = Respond(path, snapshot);
        ASSERT_EQ(answer, Respond(path, FreshCopy(*snapshot))) << path << " of seed " << seed;
        with_models += answer.find("\"overview\"") != std::string::npos;
      }
    }
  }
  EXPECT_GT(with_models, 100u);
}

}  // namespace
}  // namespace cboard::server
