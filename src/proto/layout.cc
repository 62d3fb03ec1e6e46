// Encodes and parses the layout of the custom scalars dashboard.
#include "cboard/proto/plugins.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace cboard::proto {
namespace {

template <typename Fields>
void DescribeChart(Fields& fields, const LayoutChart& chart) {
  fields.Text(1, chart.title);
  if (!chart.margins.empty()) {
    fields.Message(3, [&](auto& margin) {
      for (const MarginSeries& series : chart.margins) {
        margin.Message(1, [&](auto& names) {
          names.Text(1, series.value);
          names.Text(2, series.lower);
          names.Text(3, series.upper);
        });
      }
    });
  } else {
    fields.Message(2, [&](auto& multiline) {
      for (const std::string& tag : chart.multiline_tags) multiline.PresentText(1, tag);
    });
  }
}

}  // namespace

std::string EncodeLayout(std::span<const LayoutCategory> categories) {
  return EncodeMessage([&](auto& layout) {
    for (const LayoutCategory& category : categories) {
      layout.Message(2, [&](auto& fields) {
        fields.Text(1, category.title);
        for (const LayoutChart& chart : category.charts) {
          fields.Message(2, [&](auto& nested) { DescribeChart(nested, chart); });
        }
        fields.Int(3, category.closed ? 1 : 0);
      });
    }
  });
}

namespace {

MarginSeries ReadMarginSeries(pbf_reader fields) {
  MarginSeries series;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        series.value = ViewOf(fields);
        break;
      case Length(2):
        series.lower = ViewOf(fields);
        break;
      case Length(3):
        series.upper = ViewOf(fields);
        break;
      default:
        fields.skip();
    }
  }
  return series;
}

// Calls `read` for each field with number 1. The content message of a chart has no other fields.
template <typename Read>
void ForEachFirstField(pbf_reader fields, const Read& read) {
  while (fields.next()) {
    if (fields.tag_and_type() == Length(1)) {
      read(fields);
    } else {
      fields.skip();
    }
  }
}

LayoutChart ReadChart(pbf_reader fields) {
  LayoutChart chart;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        chart.title = ViewOf(fields);
        break;
      case Length(2):
        chart.margins.clear();  // In a oneof, the last member is used.
        ForEachFirstField(fields.get_message(),
                          [&](pbf_reader& tag) { chart.multiline_tags.emplace_back(ViewOf(tag)); });
        break;
      case Length(3):
        chart.multiline_tags.clear();
        ForEachFirstField(fields.get_message(), [&](pbf_reader& series) {
          chart.margins.push_back(ReadMarginSeries(series.get_message()));
        });
        break;
      default:
        fields.skip();
    }
  }
  return chart;
}

LayoutCategory ReadCategory(pbf_reader fields) {
  LayoutCategory category;
  while (fields.next()) {
    switch (fields.tag_and_type()) {
      case Length(1):
        category.title = ViewOf(fields);
        break;
      case Length(2):
        category.charts.push_back(ReadChart(fields.get_message()));
        break;
      case Varint(3):
        category.closed = BoolOf(fields);
        break;
      default:
        fields.skip();
    }
  }
  return category;
}

}  // namespace

Result<std::vector<LayoutCategory>> ParseLayout(std::string_view bytes) {
  return ReadMessage<std::vector<LayoutCategory>>(
      "custom scalars Layout", bytes, [](pbf_reader fields, auto& categories) {
        while (fields.next()) {
          switch (fields.tag_and_type()) {
            case Length(2):
              categories.push_back(ReadCategory(fields.get_message()));
              break;
            default:
              fields.skip();
          }
        }
      });
}

}  // namespace cboard::proto
