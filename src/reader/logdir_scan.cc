#include "cboard/reader/logdir_scan.h"

#include <algorithm>
#include <cmath>

#include "cboard/base/bytes.h"
#include "cboard/base/file.h"
#include "cboard/base/strings.h"
#include "cboard/proto/event.h"
#include "cboard/proto/summary.h"
#include "cboard/proto/tensor.h"
#include "cboard/record/record_reader.h"
#include "reader/tag_kind.h"

namespace cboard {
namespace {

// The tags under which TensorBoard shows what is not tagged itself.
constexpr std::string_view kRunGraphTag = "__run_graph__";
constexpr std::string_view kMetaGraphTag = "__meta_graph__";

Result<double> ScalarOf(const proto::SummaryValue& value) {
  if (value.kind == proto::ValueKind::kSimpleValue) return value.simple_value;
  CBOARD_ASSIGN_OR_RETURN(const proto::Tensor tensor, proto::ParseTensor(value.payload));
  CBOARD_ASSIGN_OR_RETURN(const std::vector<double> numbers, proto::ReadNumbers(tensor, 1));
  if (numbers.size() != 1) return Fail(ErrorCode::kDataLoss, "the tensor of a scalar is empty");
  return numbers[0];
}

class RunScanner {
 public:
  RunScanner(const RunFiles& files, const ScanOptions& options) : files_(files), options_(options) {
    run_.name = files.name;
    run_.directory = files.directory;
  }

  RunScan Scan() {
    for (const std::filesystem::path& path : files_.files) run_.files.push_back(ScanFile(path));
    return std::move(run_);
  }

 private:
  FileScan ScanFile(const std::filesystem::path& path) {
    FileScan scan{.path = path};
    const Result<File> file = File::OpenForReading(path);
    if (!file) {
      scan.error = file.error();
      return scan;
    }
    FileSource source(*file);
    RecordReader reader(source);
    while (true) {
      const std::uint64_t begin = reader.offset();
      const Result<Record> record = reader.Next();
      if (record) {
        ++scan.record_count;
        if (const Result<void> used = AddRecord(AsText(record->payload)); !used) {
          scan.damaged_bytes += reader.offset() - record->offset;
          Report({path, record->offset, reader.offset() - record->offset, used.error().message});
        }
      } else if (record.error().code == ErrorCode::kDataLoss) {
        scan.damaged_bytes += reader.offset() - begin;
        Report({path, begin, reader.offset() - begin, record.error().message});
      } else {
        if (record.error().code != ErrorCode::kTruncated) scan.error = record.error();
        break;
      }
      ShowProgress(reader.offset());
    }
    // Asked now, because the file may have grown meanwhile.
    scan.size_bytes = file->Size().value_or(reader.offset());
    scan.torn_bytes = scan.size_bytes > reader.offset() ? scan.size_bytes - reader.offset() : 0;
    finished_bytes_ += scan.size_bytes;
    return scan;
  }

  Result<void> AddRecord(std::string_view payload) {
    CBOARD_ASSIGN_OR_RETURN(const proto::Event event, proto::ParseEvent(payload));
    ++run_.event_count;
    run_.newest_wall_time_seconds = Newest(run_.newest_wall_time_seconds, event);
    switch (event.kind) {
      case proto::EventKind::kSummary:
        return AddSummary(event);
      case proto::EventKind::kGraphDef:
        Count(kRunGraphTag, TagKind::kGraph, event);
        return {};
      case proto::EventKind::kMetaGraphDef:
        Count(kMetaGraphTag, TagKind::kGraph, event);
        return {};
      case proto::EventKind::kTaggedRunMetadata: {
        CBOARD_ASSIGN_OR_RETURN(const proto::TaggedRunMetadata metadata,
                                proto::ParseTaggedRunMetadata(event.payload));
        Count(metadata.tag, TagKind::kRunMetadata, event);
        return {};
      }
      default:
        return {};  // File versions, sessions and log messages are no data.
    }
  }

  // The first value that cannot be read is what is reported; those around it are used.
  Result<void> AddSummary(const proto::Event& event) {
    Result<void> outcome;
    const auto note = [&](const Result<void>& result) {
      if (outcome && !result) outcome = result;
    };
    note(proto::ForEachValue(
        event.payload, [&](const proto::SummaryValue& value) { note(AddValue(value, event)); }));
    return outcome;
  }

  Result<void> AddValue(const proto::SummaryValue& value, const proto::Event& event) {
    const auto in_tag = [&](Error error) {
      return Annotate(std::move(error), "tag " + Quoted(value.tag));
    };
    proto::SummaryMetadata metadata;
    if (!value.metadata.empty()) {
      const auto parsed = proto::ParseSummaryMetadata(value.metadata);
      if (!parsed) return Fail(in_tag(parsed.error()));
      metadata = *parsed;
    }
    // The metadata of a tag's first value holds for all of them: writers send it only once.
    const std::string name = ToValidUtf8(value.tag);
    const auto known = run_.tags.find(name);
    const bool is_new = known == run_.tags.end();
    const std::string_view plugin_name = is_new ? metadata.plugin_name : known->second.plugin_name;
    const std::optional<TagKind> kind = reader::KindOf(value.kind, plugin_name);
    if (!kind) return {};

    std::optional<double> number;
    if (*kind == TagKind::kScalar) {
      const Result<double> scalar = ScalarOf(value);
      if (!scalar) return Fail(in_tag(scalar.error()));
      number = *scalar;
    }
    TagScan& tag = is_new ? run_.tags[name] : known->second;
    CountIn(tag, *kind, event);
    if (is_new) {
      tag.plugin_name = ToValidUtf8(metadata.plugin_name);
      tag.display_name = ToValidUtf8(metadata.display_name);
      tag.description = ToValidUtf8(metadata.description);
    }
    if (tag.kind == TagKind::kScalar && number) {
      tag.last_value = *number;
      if (options_.keep_points) {
        tag.points.push_back({event.step, event.wall_time_seconds, *number});
      }
    }
    return {};
  }

  void Count(std::string_view name, TagKind kind, const proto::Event& event) {
    CountIn(run_.tags[ToValidUtf8(name)], kind, event);
  }

  static void CountIn(TagScan& tag, TagKind kind, const proto::Event& event) {
    if (tag.count == 0) {
      tag.kind = kind;
      tag.first_step = tag.min_step = tag.max_step = event.step;
    } else if (tag.kind != kind) {
      ++tag.mismatched_count;
      return;
    }
    ++tag.count;
    tag.last_step = event.step;
    tag.min_step = std::min(tag.min_step, event.step);
    tag.max_step = std::max(tag.max_step, event.step);
    tag.newest_wall_time_seconds = Newest(tag.newest_wall_time_seconds, event);
  }

  static double Newest(double newest, const proto::Event& event) {
    return std::isfinite(event.wall_time_seconds) ? std::max(newest, event.wall_time_seconds)
                                                  : newest;
  }

  void Report(Damage damage) {
    ++run_.damage_count;
    if (run_.damage.size() < kMaxReportedDamage) run_.damage.push_back(std::move(damage));
  }

  void ShowProgress(std::uint64_t offset) {
    constexpr std::uint64_t kEveryBytes = 1 << 20;
    const std::uint64_t done = finished_bytes_ + offset;
    if (!options_.on_progress || done < shown_bytes_ + kEveryBytes) return;
    shown_bytes_ = done;
    options_.on_progress(done, std::max(files_.size_bytes, done));
  }

  const RunFiles& files_;
  const ScanOptions& options_;
  RunScan run_;
  std::uint64_t finished_bytes_ = 0;
  std::uint64_t shown_bytes_ = 0;
};

}  // namespace

RunScan ScanRun(const RunFiles& run, const ScanOptions& options) {
  return RunScanner(run, options).Scan();
}

Result<LogdirScan> ScanLogdir(const std::filesystem::path& logdir, const ScanOptions& options) {
  LogdirScan scan;
  CBOARD_ASSIGN_OR_RETURN(const std::vector<RunFiles> runs,
                          FindRuns(logdir, scan.unreadable, options.max_directories));
  std::uint64_t total_bytes = 0, done_bytes = 0;
  for (const RunFiles& run : runs) total_bytes += run.size_bytes;
  ScanOptions run_options = options;
  if (options.on_progress) {
    run_options.on_progress = [&](std::uint64_t run_bytes, std::uint64_t) {
      options.on_progress(done_bytes + run_bytes, std::max(total_bytes, done_bytes + run_bytes));
    };
  }
  for (const RunFiles& run : runs) {
    scan.runs.push_back(ScanRun(run, run_options));
    done_bytes += run.size_bytes;
    // Thousands of small runs are a long wait too.
    if (options.on_progress) options.on_progress(done_bytes, total_bytes);
  }
  return scan;
}

}  // namespace cboard
