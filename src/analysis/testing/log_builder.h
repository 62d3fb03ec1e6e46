// Creates log directories for the tests of this module: our own writer writes them with the tags of
// each program, and they are read like users' logs.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cboard/compression/compression_writer.h"
#include "cboard/compression/tags.h"
#include "cboard/proto/run_metadata.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "cboard/reader/log_reader.h"
#include "cboard/writer/summary_writer.h"
#include "testing/matchers.h"
#include "testing/temp_dir.h"

namespace cboard::analysis {

class LogBuilder {
 public:
  std::filesystem::path Path(const std::string& run = {}) const {
    return run.empty() ? directory_.path() : directory_ / run;
  }

  LogBuilder& Scalar(const std::string& run, const std::string& tag, double value,
                     std::int64_t step = 0) {
    EXPECT_THAT(Writer(run).AddScalar(tag, value, step), testing::Succeeds());
    return *this;
  }

  // Logs like tensorboardX's add_scalars.
  LogBuilder& Group(const std::string& run, const std::string& main_tag,
                    const std::map<std::string, double>& values) {
    EXPECT_THAT(Writer(run).AddScalars(main_tag, values, 0), testing::Succeeds());
    return *this;
  }

  LogBuilder& Histogram(const std::string& run, const std::string& tag,
                        const std::vector<double>& values, std::size_t bins = 1000) {
    EXPECT_THAT(Writer(run).AddHistogram(tag, values, 0, tensor::EqualBins{bins}),
                testing::Succeeds());
    return *this;
  }

  LogBuilder& HParams(const std::string& run,
                      const std::vector<std::pair<std::string, writer::HParam>>& hparams,
                      const std::vector<std::pair<std::string, double>>& metrics) {
    EXPECT_THAT(Writer(run).AddHParams(hparams, metrics, "hparams"), testing::Succeeds());
    return *this;
  }

  // Logs like our own writers for our own programs: one text, with its label.
  LogBuilder& Json(const std::string& run, const std::string& tag, std::string_view json,
                   std::string_view label = {}) {
    const std::array<std::int64_t, 1> shape = {1};
    const std::array<std::string_view, 1> strings = {json};
    std::string summary;
    proto::AppendTensorValue(
        tag, proto::EncodeStringTensor(shape, strings),
        {.plugin_name = compression::kCompressionPluginName, .plugin_content = label}, summary);
    EXPECT_THAT(Writer(run).AddSummary(summary, 0), testing::Succeeds());
    return *this;
  }

  LogBuilder& Graph(const std::string& run) {
    EXPECT_THAT(Writer(run).AddGraph(""), testing::Succeeds());
    return *this;
  }

  LogBuilder& Resources(const std::string& run, const std::vector<std::int64_t>& bytes) {
    std::vector<proto::NodeStats> nodes;
    for (const std::int64_t size : bytes) {
      nodes.push_back({.node_name = "n" + std::to_string(nodes.size()), .total_bytes = size});
    }
    EXPECT_THAT(Writer(run).AddRunMetadata("Resources", proto::EncodeRunMetadata(nodes)),
                testing::Succeeds());
    return *this;
  }

  SummaryWriter& Writer(const std::string& run) {
    std::unique_ptr<SummaryWriter>& writer = writers_[run];
    if (!writer) writer = std::make_unique<SummaryWriter>(Path(run));
    return *writer;
  }

  std::shared_ptr<const reader::Snapshot> Read() { return Read({{.name = {}, .path = Path()}}); }

  std::shared_ptr<const reader::Snapshot> Read(std::vector<reader::Logdir> logdirs) {
    Close();
    auto snapshot = reader::ReadLogdirs({.logdirs = std::move(logdirs), .follow = false});
    EXPECT_THAT(snapshot, testing::Succeeds());
    return snapshot ? *snapshot : std::make_shared<const reader::Snapshot>();
  }

  void Close() {
    for (auto& [run, writer] : writers_) EXPECT_THAT(writer->Close(), testing::Succeeds());
    writers_.clear();
  }

 private:
  testing::TempDir directory_;
  std::map<std::string, std::unique_ptr<SummaryWriter>> writers_;
};

}  // namespace cboard::analysis
