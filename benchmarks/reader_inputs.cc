// Writes the log directories on which readers are compared.
//
//   reader_inputs one_run    --logdir D --events 10000000 --tags 100
//   reader_inputs many_runs  --logdir D --runs 1000 --events 20000 --tags 20
//   reader_inputs blobs      --logdir D --megabytes 5000
//   reader_inputs small_runs --logdir D --runs 10000 --events 200 --tags 10
//   reader_inputs irregular  --logdir D --events 10000000 --tags 100
//
// one_run, many_runs and small_runs log their tags in turn at every step, as training loops do;
// irregular picks long tags at random, at steps that are random distances apart. The same arguments
// give the same bytes.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "cboard/base/file.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/record/record_writer.h"
#include "measurement.h"

namespace {

using namespace cboard;  // NOLINT: a program of one file.

// An event file that is written in large pieces.
class EventFile {
 public:
  explicit EventFile(const std::filesystem::path& directory) {
    std::filesystem::create_directories(directory);
    Result<File> file = File::Create(directory / "events.out.tfevents.1700000000.bench.1.0");
    if (!file) bench::Flags::Stop(file.error().message);
    file_ = std::make_unique<File>(*std::move(file));
    Add(0, proto::EventKind::kFileVersion, proto::kFileVersion);
  }
  ~EventFile() { Flush(); }

  void Add(std::int64_t step, proto::EventKind kind, std::string_view payload) {
    // Writes a thousand events per second; some times have as many digits as a real clock.
    wall_time_seconds_ += 1e-3 + 1e-7 * static_cast<double>(random_() % 1000);
    event_.clear();
    proto::AppendEvent({.wall_time_seconds = wall_time_seconds_,
                        .step = step,
                        .kind = kind,
                        .payload = payload,
                        .source_writer = {}},
                       event_);
    record::AppendRecord(AsBytes(event_), buffer_);
    if (buffer_.size() > (4 << 20)) Flush();
  }

  void AddScalar(std::string_view tag, std::int64_t step) {
    summary_.clear();
    const auto noise = static_cast<float>(random_() % 10000) * 1e-5f;
    proto::AppendScalarValue(tag, 1.0f / (1.0f + 1e-4f * static_cast<float>(step)) + noise, {},
                             summary_);
    Add(step, proto::EventKind::kSummary, summary_);
  }

  std::uint64_t written_bytes() const { return written_bytes_ + buffer_.size(); }
  std::mt19937& random() { return random_; }

 private:
  void Flush() {
    const Result<void> written = file_->Write(AsBytes(buffer_));
    if (!written) bench::Flags::Stop(written.error().message);
    written_bytes_ += buffer_.size();
    buffer_.clear();
  }

  std::unique_ptr<File> file_;
  std::mt19937 random_{1};
  double wall_time_seconds_ = 1.7e9;
  std::string event_, summary_, buffer_;
  std::uint64_t written_bytes_ = 0;
};

std::vector<std::string> TagNames(std::int64_t count, std::size_t min_bytes) {
  std::vector<std::string> tags;
  for (std::int64_t i = 0; i < count; ++i) {
    std::string tag = "train/layer_" + std::to_string(i) + "/loss";
    while (tag.size() < min_bytes) tag.insert(6, "block/");
    tags.push_back(tag);
  }
  return tags;
}

void WriteInTurn(const std::filesystem::path& directory, std::int64_t events, std::int64_t tags) {
  EventFile file(directory);
  const std::vector<std::string> names = TagNames(tags, 0);
  for (std::int64_t i = 0; i < events; ++i) {
    file.AddScalar(names[static_cast<std::size_t>(i % tags)], i / tags);
  }
}

void WriteIrregular(const std::filesystem::path& directory, std::int64_t events,
                    std::int64_t tags) {
  EventFile file(directory);
  const std::vector<std::string> names = TagNames(tags, 60);
  std::int64_t step = 0;
  for (std::int64_t i = 0; i < events; ++i) {
    step += static_cast<std::int64_t>(file.random()() % 3);
    file.AddScalar(names[file.random()() % names.size()], step);
  }
}

// Writes histograms of 10 KB and images of 200 KB to four runs, about half of the bytes each.
void WriteBlobs(const std::filesystem::path& logdir, std::int64_t megabytes) {
  constexpr int kRuns = 4;
  std::vector<double> numbers(600);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = std::sin(static_cast<double>(i));
  std::string pixels(197'000, '\0');
  std::mt19937 random(2);
  for (char& pixel : pixels) pixel = static_cast<char>(random());
  for (int run = 0; run < kRuns; ++run) {
    EventFile file(logdir / ("run_" + std::to_string(run)));
    const std::uint64_t limit = static_cast<std::uint64_t>(megabytes) * 1'000'000 / kRuns;
    for (std::int64_t step = 0; file.written_bytes() < limit; ++step) {
      std::string summary;
      for (int i = 0; i < 20; ++i) {
        summary.clear();
        proto::AppendHistogramValue("weights/" + std::to_string(i),
                                    {.bucket_limits = numbers, .bucket_counts = numbers}, {},
                                    summary);
        file.Add(step, proto::EventKind::kSummary, summary);
      }
      summary.clear();
      proto::AppendImageValue("samples", {.height = 256, .width = 256, .encoded = pixels}, {},
                              summary);
      file.Add(step, proto::EventKind::kSummary, summary);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string set = argc > 1 ? argv[1] : "";
  const bench::Flags flags(argc, argv);
  const std::filesystem::path logdir = flags.Text("--logdir");
  if (set == "one_run") {
    WriteInTurn(logdir / "run", flags.Count("--events"), flags.Count("--tags"));
  } else if (set == "many_runs" || set == "small_runs") {
    const std::int64_t runs = flags.Count("--runs");
    for (std::int64_t i = 0; i < runs; ++i) {
      WriteInTurn(logdir / ("run_" + std::to_string(i)), flags.Count("--events"),
                  flags.Count("--tags"));
    }
  } else if (set == "irregular") {
    WriteIrregular(logdir / "run", flags.Count("--events"), flags.Count("--tags"));
  } else if (set == "blobs") {
    WriteBlobs(logdir, flags.Count("--megabytes"));
  } else {
    bench::Flags::Stop("unknown set '" + set +
                       "': one_run, many_runs, small_runs, irregular or blobs");
  }
  return 0;
}
