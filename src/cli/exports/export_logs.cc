#include "cli/exports/export_logs.h"

#include <string>
#include <utility>
#include <vector>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "cboard/parquet/table_writer.h"
#include "cboard/reader/read_blob.h"
#include "cli/exports/export_value.h"

namespace cboard::cli {
namespace {

constexpr std::size_t kFlushBytes = 256 << 10;

// Counts written values and reports the progress.
class Counter {
 public:
  Counter(const reader::Snapshot& snapshot, const ExportOptions& options, bool scalars_only)
      : options_(options) {
    for (const auto& run : snapshot.runs) {
      if (!options.Takes(*run)) continue;
      for (const reader::Tag& tag : run->tags) {
        if (options.Takes(tag)) total_ += scalars_only ? tag.scalars.size() : tag.size();
      }
    }
  }

  void Add(std::size_t count) {
    done_ += count;
    if (options_.on_progress) options_.on_progress(done_, total_);
  }

 private:
  const ExportOptions& options_;
  std::uint64_t done_ = 0;
  std::uint64_t total_ = 0;
};

std::string CsvText(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

// Calls `visit(run, tag)` with the selected scalars, until it fails.
template <typename Visit>
Result<void> ForEachScalarTag(const reader::Snapshot& snapshot, const ExportOptions& options,
                              const Visit& visit) {
  for (const auto& run : snapshot.runs) {
    if (!options.Takes(*run)) continue;
    for (const reader::Tag& tag : run->tags) {
      if (tag.kind() != reader::TagKind::kScalar || !options.Takes(tag)) continue;
      CBOARD_RETURN_IF_ERROR(visit(*run, tag));
    }
  }
  return {};
}

// Calls `visit(block)` with all points of `tag`, until it fails.
template <typename Visit>
Result<void> ForEachBlock(const reader::Tag& tag, Counter& counter, const Visit& visit) {
  Result<void> outcome;
  tag.scalars.ForEachBlock([&](const reader::ScalarBlock& block) {
    if (!outcome) return;
    outcome = visit(block);
    counter.Add(block.steps.size());
  });
  return outcome;
}

class JsonExport {
 public:
  JsonExport(const reader::Snapshot& snapshot, const ExportOptions& options, ByteSink& out)
      : snapshot_(snapshot), options_(options), out_(out), counter_(snapshot, options, false) {}

  Result<void> Write() {
    json_.BeginObject().Key("runs").BeginArray();
    for (const auto& run : snapshot_.runs) {
      if (!options_.Takes(*run)) continue;
      json_.BeginObject();
      json_.Key("run").Value(run->name);
      json_.Key("tags").BeginArray();
      for (const reader::Tag& tag : run->tags) {
        if (options_.Takes(tag)) CBOARD_RETURN_IF_ERROR(WriteTag(*run, tag));
      }
      json_.EndArray().EndObject();
    }
    json_.EndArray().EndObject();
    CBOARD_RETURN_IF_ERROR(Flush());
    return out_.Write(AsBytes("\n"));
  }

 private:
  Result<void> WriteTag(const reader::Run& run, const reader::Tag& tag) {
    json_.BeginObject();
    json_.Key("tag").Value(tag.name());
    json_.Key("kind").Value(NameOf(tag.kind()));
    json_.Key("plugin").Value(reader::PluginOf(*tag.info));
    json_.Key("display_name").Value(tag.info->display_name);
    json_.Key("description").Value(tag.info->description);
    if (tag.kind() == reader::TagKind::kHParams) {
      AppendHParams(tag.info->plugin_content, json_.Key("hparams"));
    }
    if (tag.kind() == reader::TagKind::kScalar) {
      CBOARD_RETURN_IF_ERROR(WriteColumn("steps", tag, &reader::ScalarBlock::steps));
      CBOARD_RETURN_IF_ERROR(
          WriteColumn("wall_times", tag, &reader::ScalarBlock::wall_times_seconds));
      CBOARD_RETURN_IF_ERROR(WriteColumn("values", tag, &reader::ScalarBlock::values));
      counter_.Add(tag.size());
    } else {
      CBOARD_RETURN_IF_ERROR(WriteBlobs(run, tag));
    }
    json_.EndObject();
    return FlushIfFull();
  }

  template <typename T>
  Result<void> WriteColumn(std::string_view key, const reader::Tag& tag,
                           std::span<const T> reader::ScalarBlock::*column) {
    Result<void> outcome;
    json_.Key(key).BeginArray();
    tag.scalars.ForEachBlock([&](const reader::ScalarBlock& block) {
      if (!outcome) return;
      for (const T number : block.*column) json_.Value(number);
      outcome = FlushIfFull();
      counter_.Add(0);
    });
    json_.EndArray();
    return outcome;
  }

  Result<void> WriteBlobs(const reader::Run& run, const reader::Tag& tag) {
    json_.Key("steps").BeginArray();
    tag.blobs.ForEach([&](const reader::BlobEntry& entry) { json_.Value(entry.step); });
    json_.EndArray();
    json_.Key("wall_times").BeginArray();
    tag.blobs.ForEach(
        [&](const reader::BlobEntry& entry) { json_.Value(entry.wall_time_seconds); });
    json_.EndArray();
    json_.Key("values").BeginArray();
    // Reads several values at a time, so that files are not opened for each value and memory use is
    // constant.
    constexpr std::uint64_t kBatchBytes = 4 << 20;
    constexpr std::size_t kBatchCount = 256;
    std::vector<reader::BlobEntry> batch;
    std::uint64_t batch_bytes = 0;
    for (std::size_t i = 0; i < tag.blobs.size(); ++i) {
      batch.push_back(tag.blobs.at(i));
      batch_bytes += batch.back().record_bytes;
      if (batch_bytes < kBatchBytes && batch.size() < kBatchCount && i + 1 < tag.blobs.size()) {
        continue;
      }
      CBOARD_ASSIGN_OR_RETURN(const std::vector<reader::Blob> blobs, reader::ReadBlobs(run, batch));
      for (const reader::Blob& blob : blobs) {
        AppendValue(tag.kind(), blob.bytes, options_.media, json_);
        CBOARD_RETURN_IF_ERROR(FlushIfFull());
      }
      counter_.Add(batch.size());
      batch.clear();
      batch_bytes = 0;
    }
    json_.EndArray();
    return {};
  }

  Result<void> FlushIfFull() {
    if (json_.text().size() < kFlushBytes) return {};
    return Flush();
  }

  Result<void> Flush() { return out_.Write(AsBytes(json_.Take())); }

  const reader::Snapshot& snapshot_;
  const ExportOptions& options_;
  ByteSink& out_;
  Counter counter_;
  JsonWriter json_;
};

}  // namespace

Result<void> ExportCsv(const reader::Snapshot& snapshot, const ExportOptions& options,
                       ByteSink& out) {
  Counter counter(snapshot, options, /*scalars_only=*/true);
  CBOARD_RETURN_IF_ERROR(out.Write(AsBytes("run,tag,step,wall_time,value\n")));
  return ForEachScalarTag(snapshot, options, [&](const reader::Run& run, const reader::Tag& tag) {
    const std::string prefix = CsvText(run.name) + "," + CsvText(tag.name()) + ",";
    std::string text;
    return ForEachBlock(tag, counter, [&](const reader::ScalarBlock& block) {
      text.clear();
      for (std::size_t i = 0; i < block.steps.size(); ++i) {
        text += prefix;
        text += std::to_string(block.steps[i]);
        text += ',';
        text += ShortestDecimal(block.wall_times_seconds[i]);
        text += ',';
        text += ShortestDecimal(block.values[i]);
        text += '\n';
      }
      return out.Write(AsBytes(text));
    });
  });
}

Result<void> ExportParquet(const reader::Snapshot& snapshot, const ExportOptions& options,
                           ByteSink& out) {
  Counter counter(snapshot, options, /*scalars_only=*/true);
  using parquet::ColumnType;
  parquet::TableWriter table({{"run", ColumnType::kText},
                              {"tag", ColumnType::kText},
                              {"step", ColumnType::kInt64},
                              {"wall_time", ColumnType::kDouble},
                              {"value", ColumnType::kDouble}},
                             out);
  CBOARD_RETURN_IF_ERROR(
      ForEachScalarTag(snapshot, options, [&](const reader::Run& run, const reader::Tag& tag) {
        return ForEachBlock(tag, counter, [&](const reader::ScalarBlock& block) {
          return table.Append(block.steps.size(), {run.name, tag.name(), block.steps,
                                                   block.wall_times_seconds, block.values});
        });
      }));
  return table.Finish();
}

Result<void> ExportJson(const reader::Snapshot& snapshot, const ExportOptions& options,
                        ByteSink& out) {
  return JsonExport(snapshot, options, out).Write();
}

}  // namespace cboard::cli
