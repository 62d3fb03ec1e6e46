#include "server/tensorboard/hparams_table_text.h"

#include <cmath>
#include <cstdio>
#include <map>

#include "cboard/base/json_writer.h"
#include "cboard/base/strings.h"
#include "server/tensorboard/python_text.h"

namespace cboard::server::tensorboard {
namespace {

// A table cell. A missing hyperparameter is an empty text, a missing metric is std::monostate.
using Cell = std::variant<std::monostate, proto::HParamValue>;

struct Table {
  std::vector<std::string> header;
  std::vector<std::vector<Cell>> rows;
};

template <typename T>
std::vector<T> Visible(std::vector<T> row, const std::vector<bool>& visible) {
  std::vector<T> kept;
  for (std::size_t i = 0; i < row.size() && i < visible.size(); ++i) {
    if (visible[i]) kept.push_back(std::move(row[i]));
  }
  return kept;
}

std::vector<Cell> RowOf(const reader::HParamsColumns& columns, const reader::SessionGroup& group) {
  std::vector<Cell> row;
  for (const reader::HParamColumn& column : columns.hparams) {
    const auto found = group.hparams.find(column.info.name);
    row.emplace_back(found == group.hparams.end() ? proto::HParamValue(std::string())
                                                  : found->second);
  }
  std::map<reader::MetricName, double> metrics;
  for (const reader::MetricValue& metric : group.metrics) metrics[metric.name] = metric.value;
  for (const proto::MetricInfo& metric : columns.experiment.metrics) {
    const auto found = metrics.find({metric.group, metric.tag});
    row.push_back(found == metrics.end() ? Cell() : Cell(proto::HParamValue(found->second)));
  }
  return row;
}

Table TableOf(const reader::HParamsColumns& columns,
              const std::vector<reader::SessionGroup>& groups, const std::vector<bool>& visible) {
  Table table;
  for (const reader::HParamColumn& column : columns.hparams) {
    const proto::HParamInfo& info = column.info;
    table.header.push_back(info.display_name.empty() ? info.name : info.display_name);
  }
  for (const proto::MetricInfo& metric : columns.experiment.metrics) {
    table.header.push_back(metric.display_name.empty() ? metric.tag : metric.display_name);
  }
  table.header = Visible(std::move(table.header), visible);
  for (const reader::SessionGroup& group : groups) {
    table.rows.push_back(Visible(RowOf(columns, group), visible));
  }
  return table;
}

void WriteCell(JsonWriter& json, const Cell& cell) {
  const auto* const value = std::get_if<proto::HParamValue>(&cell);
  if (value == nullptr) {
    json.Null();
  } else {
    std::visit([&](const auto& known) { json.Value(known); }, *value);
  }
}

std::string ToJson(const Table& table) {
  JsonWriter json;
  json.BeginObject().Key("header").BeginArray();
  for (const std::string& name : table.header) json.Value(name);
  json.EndArray().Key("rows").BeginArray();
  for (const auto& row : table.rows) {
    json.BeginArray();
    for (const Cell& cell : row) WriteCell(json, cell);
    json.EndArray();
  }
  json.EndArray().EndObject();
  return json.Take();
}

std::string CsvText(const Cell& cell) {
  const auto* const value = std::get_if<proto::HParamValue>(&cell);
  if (value == nullptr) return {};
  if (const auto* const number = std::get_if<double>(value)) return PythonRepr(*number);
  if (const auto* const truth = std::get_if<bool>(value)) return *truth ? "True" : "False";
  return CsvCell(std::get<std::string>(*value));
}

// Joins the texts of `cells`. Quotes the only cell of a row if it is empty, as Python does, so that
// the row is not read as an empty line.
template <typename Cells, typename Text>
std::string CsvRow(const Cells& cells, Text text) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : ",") + text(cells[i]);
  if (cells.size() == 1 && row.empty()) row = "\"\"";
  return row + "\r\n";
}

std::string ToCsv(const Table& table) {
  std::string csv = CsvRow(table.header, CsvCell);
  for (const auto& row : table.rows) csv += CsvRow(row, CsvText);
  return csv;
}

std::string LatexNumber(double number) {
  if (std::isnan(number)) return "$\\mathrm{NaN}$";
  if (std::isinf(number)) return number < 0 ? "$-\\infty$" : "$+\\infty$";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", number);
  const std::string_view shown = text;
  const std::size_t e = shown.find('e');
  if (e == std::string_view::npos) return "$" + std::string(shown) + "$";
  return "$" + std::string(shown.substr(0, e)) + "\\cdot 10^{" +
         std::to_string(std::atoi(text + e + 1)) + "}$";
}

std::string LatexText(std::string_view text) {
  std::string latex;
  for (const char c : text) {
    if (c == '_' || c == '%') latex += '\\';
    latex += c;
  }
  return latex;
}

std::string LatexCell(const Cell& cell) {
  const auto* const value = std::get_if<proto::HParamValue>(&cell);
  if (value == nullptr) return "-";
  if (const auto* const number = std::get_if<double>(value)) return LatexNumber(*number);
  if (const auto* const truth = std::get_if<bool>(value)) return *truth ? "$1$" : "$0$";
  return LatexText(std::get<std::string>(*value));
}

template <typename Cells, typename Text>
std::string LatexRow(const Cells& cells, Text text) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : " & ") + text(cells[i]);
  return row + " \\\\";
}

std::string ToLatex(const Table& table) {
  std::string latex =
      "\\begin{table}[tbp]\n\\begin{tabular}{" + std::string(table.header.size(), 'l') + "}\n";
  latex += LatexRow(table.header, LatexText) + " \\hline\n";
  for (const auto& row : table.rows) latex += LatexRow(row, LatexCell) + "\n";
  return latex + "\\hline\n\\end{tabular}\n\\end{table}\n";
}

}  // namespace

Result<HttpResponse> HParamsTableResponse(const reader::HParamsColumns& columns,
                                          const std::vector<reader::SessionGroup>& groups,
                                          std::string_view format,
                                          const std::vector<bool>& visible) {
  const Table table = TableOf(columns, groups, visible);
  if (format == "json") return JsonResponse(ToJson(table));
  if (format == "csv") {
    return HttpResponse{.content_type = "text/csv; charset=utf-8", .body = ToCsv(table)};
  }
  if (format == "latex") {
    return HttpResponse{.content_type = "application/x-latex; charset=utf-8",
                        .body = ToLatex(table)};
  }
  return Fail(ErrorCode::kInvalidArgument,
              "the parameter format is " + Quoted(format) + "; it must be json, csv or latex");
}

}  // namespace cboard::server::tensorboard
