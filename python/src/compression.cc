// Python bindings for model compression: tags, ratios, labels, AURORA, benchmark files.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <cstdio>
#include <string>
#include <tuple>

#include "bindings.h"
#include "cboard/compression/aurora.h"
#include "cboard/compression/benchmark_import.h"
#include "cboard/compression/latency_edges.h"
#include "cboard/compression/log_plan.h"
#include "cboard/compression/metrics.h"
#include "cboard/compression/tags.h"
#include "errors.h"
#include "text.h"
#include "unlocked.h"

namespace nb = nanobind;

namespace cboard::python {
namespace {

using PlainMetrics = std::map<std::string, double>;

Metrics MetricsOf(const PlainMetrics& plain) { return {plain.begin(), plain.end()}; }

nb::list ToPython(const std::vector<compression::Omission>& omitted) {
  nb::list list;
  for (const compression::Omission& omission : omitted) {
    list.append(nb::make_tuple(omission.what, omission.reason));
  }
  return list;
}

nb::dict ToPython(const writer::ScalarLabels& labels) {
  nb::dict dict;
  dict["display_name"] = labels.display_name;
  dict["description"] = labels.description;
  dict["plugin_name"] = labels.plugin_name;
  dict["plugin_content"] = nb::bytes(labels.plugin_content.data(), labels.plugin_content.size());
  return dict;
}

nb::dict ToPython(const compression::MetricDescription& metric) {
  nb::dict dict;
  dict["key"] = metric.key;
  dict["flat_group"] = metric.flat_group;
  dict["flat_name"] = metric.flat_name;
  dict["guide_group"] = metric.guide_group;
  dict["unit"] = metric.unit;
  dict["display_name"] = metric.display_name;
  dict["better"] = NameOf(metric.better);
  return dict;
}

compression::AuroraOptions OptionsOf(const std::map<std::string, double>& weights,
                                     const std::string& quality, bool quality_lower_is_better,
                                     double penalty_factor, double penalty_threshold,
                                     double chance_level, const std::string& measured_on) {
  compression::AuroraOptions options;
  if (!quality.empty()) options.quality.metric = quality;
  if (quality_lower_is_better) options.quality.better = compression::Better::kLower;
  for (const auto& [name, weight] : weights) {
    compression::AuroraTerm* const term = name == "quality"      ? &options.quality
                                          : name == "throughput" ? &options.throughput
                                          : name == "latency"    ? &options.latency
                                          : name == "energy"     ? &options.energy
                                          : name == "memory"     ? &options.memory
                                                                 : nullptr;
    if (term == nullptr) {
      throw nb::value_error(("AURORA has no weight '" + name +
                             "'; there are quality, throughput, latency, energy and memory")
                                .c_str());
    }
    term->weight = weight;
  }
  options.penalty_factor = penalty_factor;
  options.penalty_threshold = penalty_threshold;
  options.chance_level = chance_level;
  options.measured_on = measured_on;
  return options;
}

// A score with the metrics from which it was computed. Labels of logged values, and users, need
// both.
struct Aurora {
  compression::AuroraScore score;
  compression::AuroraOptions options;
};

// Returns Aurora(score=1.07, mean=1.52, coverage=0.55, factors={quality: 0.996, …, penalty:
// 0.943}).
std::string Description(const compression::AuroraScore& score) {
  const auto digits = [](double value) {
    std::array<char, 32> text;
    std::snprintf(text.data(), text.size(), "%.4g", value);
    return std::string(text.data());
  };
  std::string text = "Aurora(score=" + digits(score.score) + ", mean=" + digits(score.mean) +
                     ", coverage=" + digits(score.coverage) + ", factors={";
  for (const compression::AuroraFactor& factor : score.factors) {
    text += std::string(factor.name) + ": " + digits(factor.factor) + ", ";
  }
  return text + "penalty: " + digits(score.penalty_factor) + "})";
}

Aurora ScoreOf(const PlainMetrics& baseline, const PlainMetrics& variant,
               const std::map<std::string, double>& weights, const std::string& quality,
               bool quality_lower_is_better, double penalty_factor, double penalty_threshold,
               double chance_level, const std::string& measured_on) {
  compression::AuroraOptions options =
      OptionsOf(weights, quality, quality_lower_is_better, penalty_factor, penalty_threshold,
                chance_level, measured_on);
  compression::AuroraScore score =
      Unwrap(compression::ComputeAurora(MetricsOf(baseline), MetricsOf(variant), options));
  return {std::move(score), std::move(options)};
}

compression::CompressionTagKind KindOf(std::string_view name) {
  if (name == "metric") return compression::CompressionTagKind::kMetric;
  if (name == "group") return compression::CompressionTagKind::kGroup;
  if (name == "ratio") return compression::CompressionTagKind::kRatio;
  if (name == "latency_distribution") return compression::CompressionTagKind::kLatencyDistribution;
  if (name == "metadata") return compression::CompressionTagKind::kMetadata;
  throw nb::value_error("a tag is a metric, group, ratio, latency_distribution or metadata");
}

std::string_view NameOf(compression::CompressionTagKind kind) {
  switch (kind) {
    case compression::CompressionTagKind::kMetric:
      return "metric";
    case compression::CompressionTagKind::kGroup:
      return "group";
    case compression::CompressionTagKind::kRatio:
      return "ratio";
    case compression::CompressionTagKind::kLatencyDistribution:
      return "latency_distribution";
    case compression::CompressionTagKind::kMetadata:
      return "metadata";
  }
  return "";
}

compression::TagScheme SchemeOf(std::string_view name) {
  if (name == "groups") return compression::TagScheme::kGroups;
  return name == "flat" ? compression::TagScheme::kFlat : compression::TagScheme::kBoth;
}

// The variants: name, metrics, and the names of derived metrics of each.
using PlainVariants = std::vector<std::tuple<std::string, PlainMetrics, std::vector<std::string>>>;

compression::ModelComparison ComparisonOf(const std::string& model, const PlainVariants& variants,
                                          const std::string& baseline) {
  compression::ModelComparison comparison{
      .model = model, .baseline = baseline, .variants = {}, .info = {}};
  for (const auto& [name, metrics, derived] : variants) {
    comparison.variants.push_back({name, MetricsOf(metrics), {}, {derived.begin(), derived.end()}});
  }
  return comparison;
}

// Returns ([(kind, name, variant, value, labels)], [(what, reason)]); the value of a group is a
// dict.
nb::tuple ToPython(Result<compression::LogPlan> result) {
  const compression::LogPlan plan = Unwrap(std::move(result));
  nb::list values;
  for (const compression::PlannedValue& planned : plan.values) {
    nb::object value = nb::float_(planned.value);
    if (planned.kind == compression::CompressionTagKind::kGroup) value = nb::cast(planned.group);
    values.append(nb::make_tuple(NameOf(planned.kind), planned.name, planned.variant, value,
                                 ToPython(planned.labels)));
  }
  return nb::make_tuple(values, ToPython(plan.omitted));
}

nb::dict Import(const std::string& json, const std::string& directory, std::int64_t step) {
  compression::ImportOptions options;
  options.directory = directory;
  options.step = step;
  Result<compression::ImportReport> imported;
  {
    const Unlocked unlocked;
    imported = compression::ImportBenchmark(json, options);
  }
  const compression::ImportReport report = Unwrap(std::move(imported));
  nb::list models;
  for (const compression::ImportedModel& model : report.models) {
    models.append(
        nb::make_tuple(model.model, model.run.string(), model.values, ToPython(model.omitted)));
  }
  nb::dict result;
  result["directory"] = report.directory.string();
  result["hparams_directory"] = report.hparams_directory.string();
  result["models"] = models;
  result["skipped"] = ToPython(report.skipped);
  result["warnings"] = report.warnings;
  return result;
}

}  // namespace

void BindCompression(nb::module_& module) {
  module.def("describe_metric",
             [](const std::string& key) { return ToPython(compression::DescribeMetric(key)); });
  module.def("in_log_order", [](const PlainMetrics& metrics) {
    std::vector<std::string> keys;
    for (const auto& [metric, value] : compression::InLogOrder(MetricsOf(metrics)))
      keys.push_back(metric.key);
    return keys;
  });
  module.def("default_tag",
             [](const std::string& kind, const std::string& model, const std::string& name,
                const std::string& variant, const std::string& baseline) {
               return compression::DefaultTag({KindOf(kind), model, name, variant, baseline});
             });
  // Returns ([(name, metric, value, labels)], [(what, reason)]).
  module.def("ratios",
             [](const PlainMetrics& baseline, const PlainMetrics& variant, const std::string& model,
                const std::string& baseline_name, const std::string& variant_name) {
               const compression::Ratios ratios = compression::ComputeRatios(
                   MetricsOf(baseline), MetricsOf(variant), baseline_name, variant_name);
               nb::list values;
               for (const compression::RatioValue& ratio : ratios.values) {
                 values.append(nb::make_tuple(
                     ratio.name, ratio.metric, ratio.value,
                     ToPython(compression::LabelsOf(ratio, model, variant_name, baseline_name))));
               }
               return nb::make_tuple(values, ToPython(ratios.omitted));
             });

  nb::class_<Aurora>(
      module, "Aurora",
      "A score and what it is made of.\n\n"
      "`score` is 1 at break-even and more when the variant is the better choice; "
      "`mean` is the\nplain mean of `ratios`. `factors`, with the penalty as the "
      "last, multiply to the score, and\n`coverage` is the part of the weights whose "
      "metrics were there.")
      .def_prop_ro("score", [](const Aurora& a) { return a.score.score; })
      .def_prop_ro("mean", [](const Aurora& a) { return a.score.mean; })
      .def_prop_ro("coverage", [](const Aurora& a) { return a.score.coverage; })
      .def_prop_ro("penalty_factor", [](const Aurora& a) { return a.score.penalty_factor; })
      .def_prop_ro("factors",
                   [](const Aurora& a) {
                     nb::dict factors;
                     for (const compression::AuroraFactor& factor : a.score.factors) {
                       factors[std::string(factor.name).c_str()] = factor.factor;
                     }
                     factors["penalty"] = a.score.penalty_factor;
                     return factors;
                   })
      .def("__repr__", [](const Aurora& a) { return Description(a.score); })
      .def_prop_ro("ratios", [](const Aurora& a) {
        nb::dict ratios;
        for (const compression::AuroraFactor& factor : a.score.factors) {
          ratios[std::string(factor.name).c_str()] = factor.ratio;
        }
        return ratios;
      });
  module.def("aurora", ScoreOf, nb::arg("baseline"), nb::arg("variant"), nb::arg("weights"),
             nb::arg("quality") = "", nb::arg("quality_lower_is_better") = false,
             nb::arg("penalty_factor") = 10.0, nb::arg("penalty_threshold") = 0.0,
             nb::arg("chance_level") = 0.0, nb::arg("measured_on") = "");
  module.def("plan_comparison", [](const std::string& model, const PlainVariants& variants,
                                   const std::string& baseline, const std::string& tag_scheme) {
    return ToPython(
        compression::PlanComparison(ComparisonOf(model, variants, baseline), SchemeOf(tag_scheme)));
  });
  module.def("plan_ratios", [](const std::string& model, const PlainVariants& variants,
                               const std::string& baseline) {
    return ToPython(compression::PlanRatios(ComparisonOf(model, variants, baseline)));
  });
  module.def("plan_energy", [](const std::string& model, const PlainVariants& variants,
                               const std::string& baseline, const std::string& tag_scheme) {
    return ToPython(
        compression::PlanEnergy(ComparisonOf(model, variants, baseline), SchemeOf(tag_scheme)));
  });
  module.def("plan_aurora",
             [](const std::string& model, const PlainVariants& variants,
                const std::string& baseline, const std::map<std::string, double>& weights,
                const std::string& quality, bool quality_lower_is_better, double penalty_factor,
                double penalty_threshold, double chance_level, const std::string& measured_on) {
               return ToPython(compression::PlanAurora(
                   ComparisonOf(model, variants, baseline),
                   OptionsOf(weights, quality, quality_lower_is_better, penalty_factor,
                             penalty_threshold, chance_level, measured_on)));
             });
  module.def("latency_edges", compression::LatencyEdges);
  module.def("import_benchmark", Import);
}

}  // namespace cboard::python
