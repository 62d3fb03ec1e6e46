#include "cli/exports/export_tables.h"

#include <array>
#include <filesystem>

#include "cboard/analysis/comparison_table.h"
#include "cboard/analysis/layers.h"
#include "cboard/object_store/object_url.h"
#include "cboard/parquet/table_writer.h"
#include "cli/output_file.h"
#include "object_store/access/signature.h"

namespace cboard::cli {
namespace {

using parquet::ColumnType;
using parquet::TableWriter;

// Writes a table of the directory. The file appears when it is finished.
class TableFile {
 public:
  static Result<std::unique_ptr<TableFile>> Open(const std::string& folder, const std::string& name,
                                                 std::vector<parquet::Column> columns) {
    const std::string path = folder + (folder.ends_with('/') ? "" : "/") + name;
    if (!object_store::IsObjectUrl(path)) {
      CBOARD_RETURN_IF_ERROR(CreateDirectories(std::filesystem::path(path).parent_path()));
    }
    CBOARD_ASSIGN_OR_RETURN(Output out, Output::Open(path));
    return std::unique_ptr<TableFile>(new TableFile(std::move(out), std::move(columns)));
  }

  Result<void> Append(std::size_t rows, std::initializer_list<parquet::Cells> cells) {
    return table_.Append(rows, cells);
  }

  Result<void> Finish() {
    CBOARD_RETURN_IF_ERROR(table_.Finish());
    return out_.Finish();
  }

 private:
  TableFile(Output out, std::vector<parquet::Column> columns)
      : out_(std::move(out)), table_(std::move(columns), out_) {}

  Output out_;
  TableWriter table_;
};

std::string ExperimentOf(const reader::Run& run) { return run.name.substr(0, run.name.find('/')); }

// Writes the points of all scalars, one file per experiment; runs must be sorted by name.
Result<void> ExportScalars(const reader::Snapshot& snapshot, const ExportOptions& options,
                           const std::string& folder) {
  std::uint64_t done = 0, total = 0;
  for (const auto& run : snapshot.runs) {
    for (const reader::Tag& tag : run->tags) total += tag.scalars.size();
  }
  std::unique_ptr<TableFile> table;
  std::string experiment;
  for (const auto& run : snapshot.runs) {
    if (!options.Takes(*run)) continue;
    if (table && ExperimentOf(*run) != experiment) {
      CBOARD_RETURN_IF_ERROR(table->Finish());
      table.reset();
    }
    for (const reader::Tag& tag : run->tags) {
      if (tag.kind() != reader::TagKind::kScalar || !options.Takes(tag)) continue;
      if (!table) {
        experiment = ExperimentOf(*run);
        const std::string name =
            "scalars/experiment=" + object_store::PercentEncoded(experiment, false);
        CBOARD_ASSIGN_OR_RETURN(table, TableFile::Open(folder, name + "/scalars.parquet",
                                                       {{"run", ColumnType::kText},
                                                        {"tag", ColumnType::kText},
                                                        {"step", ColumnType::kInt64},
                                                        {"wall_time", ColumnType::kDouble},
                                                        {"value", ColumnType::kDouble}}));
      }
      Result<void> outcome;
      tag.scalars.ForEachBlock([&](const reader::ScalarBlock& block) {
        if (!outcome) return;
        outcome = table->Append(block.steps.size(), {run->name, tag.name(), block.steps,
                                                     block.wall_times_seconds, block.values});
        done += block.steps.size();
        if (options.on_progress) options.on_progress(done, total);
      });
      CBOARD_RETURN_IF_ERROR(outcome);
    }
  }
  return table ? table->Finish() : Result<void>();
}

// Writes the cells of the Overview page: one row per model, variant and metric.
Result<void> ExportMetrics(const reader::Snapshot& snapshot, const std::string& folder) {
  CBOARD_ASSIGN_OR_RETURN(const std::unique_ptr<TableFile> file,
                          TableFile::Open(folder, "metrics/metrics.parquet",
                                          {{"experiment", ColumnType::kText},
                                           {"model", ColumnType::kText},
                                           {"variant", ColumnType::kText},
                                           {"metric", ColumnType::kText},
                                           {"unit", ColumnType::kText},
                                           {"better", ColumnType::kText},
                                           {"value", ColumnType::kDouble},
                                           {"is_baseline", ColumnType::kInt64},
                                           {"is_derived", ColumnType::kInt64},
                                           {"run", ColumnType::kText},
                                           {"step", ColumnType::kInt64},
                                           {"wall_time", ColumnType::kDouble}}));
  const analysis::ComparisonTable table =
      analysis::BuildComparisonTable(analysis::CollectFacts(snapshot));
  for (const analysis::TableRow& row : table.rows) {
    for (std::size_t i = 0; i < table.metrics.size(); ++i) {
      if (!row.cells[i]) continue;
      const analysis::Cell& cell = *row.cells[i];
      const bool is_baseline = table.models[row.model_index].baseline == row.variant;
      const std::array<double, 1> value = {cell.value}, time = {cell.source.wall_time_seconds};
      const std::array<std::int64_t, 1> baseline = {is_baseline}, derived = {cell.derived},
                                        step = {cell.source.step};
      CBOARD_RETURN_IF_ERROR(file->Append(
          1,
          {row.experiment, row.model, row.variant, table.metrics[i].key, table.metrics[i].unit,
           compression::NameOf(table.metrics[i].better), std::span<const double>(value),
           std::span<const std::int64_t>(baseline), std::span<const std::int64_t>(derived),
           cell.source.run, std::span<const std::int64_t>(step), std::span<const double>(time)}));
    }
  }
  return file->Finish();
}

// Writes all points of the layer metrics.
Result<void> ExportLayers(const reader::Snapshot& snapshot, const ExportOptions& options,
                          const std::string& folder) {
  CBOARD_ASSIGN_OR_RETURN(const std::unique_ptr<TableFile> file,
                          TableFile::Open(folder, "layers/layers.parquet",
                                          {{"run", ColumnType::kText},
                                           {"model", ColumnType::kText},
                                           {"variant", ColumnType::kText},
                                           {"layer", ColumnType::kText},
                                           {"metric", ColumnType::kText},
                                           {"step", ColumnType::kInt64},
                                           {"wall_time", ColumnType::kDouble},
                                           {"value", ColumnType::kDouble}}));
  for (const auto& run : snapshot.runs) {
    if (!options.Takes(*run)) continue;
    for (const reader::Tag& tag : run->tags) {
      if (tag.kind() != reader::TagKind::kScalar || !options.Takes(tag)) continue;
      const auto figure = analysis::ParseLayerTag(tag);
      if (!figure || figure->parameter.empty()) continue;
      Result<void> outcome;
      tag.scalars.ForEachBlock([&](const reader::ScalarBlock& block) {
        if (!outcome) return;
        outcome = file->Append(block.steps.size(), {run->name, figure->model, figure->variant,
                                                    figure->layer, figure->parameter, block.steps,
                                                    block.wall_times_seconds, block.values});
      });
      CBOARD_RETURN_IF_ERROR(outcome);
    }
  }
  return file->Finish();
}

}  // namespace

Result<void> ExportTables(const reader::Snapshot& snapshot, const ExportOptions& options,
                          const std::string& folder) {
  CBOARD_RETURN_IF_ERROR(ExportScalars(snapshot, options, folder));
  CBOARD_RETURN_IF_ERROR(ExportMetrics(snapshot, folder));
  return ExportLayers(snapshot, options, folder);
}

}  // namespace cboard::cli
