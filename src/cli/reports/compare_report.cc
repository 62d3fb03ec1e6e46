#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>

#include "cboard/base/strings.h"
#include "cboard/compare/keep_float.h"
#include "cli/reports/reports.h"
#include "cli/reports/text_table.h"

namespace cboard::cli {
namespace {

using compare::Fix;
using compare::LayerComparison;
using compare::Level;
using compare::ModelComparison;

constexpr std::size_t kMaxNameWidth = 60;
// Maximum number of columns for model outputs. If there are more outputs, only the mean of their
// SQNR is shown.
constexpr std::size_t kMaxEnds = 4;
// SQNR in dB above which outputs count as equal: adding the same numbers in another order causes
// errors of this size.
constexpr double kExactOutputDb = 80;

constexpr double kExactDb = 150;
// Minimum share of product pairs that overflow. A smaller share has no visible effect.
constexpr double kMinSaturation = 1e-4;

// Shortens a name in the middle. The ends stay, because the names of weights of one node, and of
// layers of one branch, differ at the end.
std::string ShortName(std::string_view name) { return ShortenedToEnd(name, kMaxNameWidth); }

std::string Decibels(std::optional<double> value) {
  if (!value || std::isnan(*value)) return "";
  // An SQNR above the precision of float32, about 150 dB, is shown as exact.
  if (*value > kExactDb) return "exact";
  if (*value < -kExactDb) return "lost";
  std::array<char, 32> text;
  const double shown = std::abs(*value) < 0.05 ? 0 : *value;  // Avoids "-0.0".
  std::snprintf(text.data(), text.size(), "%.1f", shown);
  return text.data();
}

std::optional<double> SqnrOf(const std::optional<tensor::Comparison>& comparison) {
  if (!comparison) return std::nullopt;
  return comparison->total.SqnrDb();
}

std::optional<double> WorstChannelOf(const std::optional<tensor::Comparison>& comparison) {
  if (!comparison || !comparison->worst_channel) return std::nullopt;
  return comparison->channels[*comparison->worst_channel].SqnrDb();
}

// Names the layers with the largest loss of SQNR, if some layers lose much more than the others.
void AppendLosses(const ModelComparison& comparison, std::string& text) {
  const std::vector<const LayerComparison*> layers = compare::LargestLosses(comparison);
  if (layers.empty()) return;
  text += "Most is lost on the way to the output of ";
  for (std::size_t i = 0; i < layers.size(); ++i) {
    if (i > 0) text += i + 1 == layers.size() ? " and " : ", ";
    text += Quoted(layers[i]->name, kMaxNameWidth) + " (from " +
            Decibels(layers[i]->input_sqnr_db) + " to " + Decibels(SqnrOf(layers[i]->accumulated)) +
            " dB)";
  }
  text += ".\n";
}

std::string EndText(double sqnr_db, const std::optional<double>& agreement) {
  std::string text = Decibels(sqnr_db);
  if (text != "exact" && text != "lost") text += " dB";
  if (agreement) {
    std::array<char, 32> share;
    std::snprintf(share.data(), share.size(), ", agreement %.3g %%", 100 * *agreement);
    text += share.data();
  }
  return text;
}

// Returns the lines of `lines`, each with `indent` in front.
std::string Indented(std::string_view lines, std::string_view indent) {
  std::string text;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    text += std::string(indent) + std::string(lines.substr(0, end)) + "\n";
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return text;
}

// Returns the first lines of settings, and the number of lines that are left out.
std::string FirstLines(std::string_view lines) {
  constexpr std::ptrdiff_t kMaxLines = 8, kShownLines = 4;
  const auto count = std::ranges::count(lines, '\n');
  if (count <= kMaxLines) return std::string(lines);
  std::size_t end = 0;
  for (std::ptrdiff_t i = 0; i < kShownLines; ++i) end = lines.find('\n', end) + 1;
  return std::string(lines.substr(0, end)) + "… " + std::to_string(count - kShownLines) +
         " more lines: --all or --json\n";
}

// `previous` is the suspect before this one, whose fix is part of all measurements; null for the
// first one.
void AppendSuspect(const compare::Suspect& suspect, const compare::Suspect* previous,
                   bool is_complete, std::string& text) {
  const bool is_first = previous == nullptr;
  const bool is_on_top = !is_first && !previous->fixes.empty();
  text += std::string(suspect.is_measured ? (is_first ? "Cause" : "Second cause") : "Suspect") +
          ": '" + ShortName(suspect.layer) + "'";
  if (!suspect.part.empty()) text += " (" + suspect.part + ", " + suspect.cause + ")";
  text += ": " + Printable(suspect.sentence) + "\n";
  if (suspect.layers.size() > 1) {
    text += "  In " + Plural(suspect.layers.size(), "layer") + ": ";
    for (std::size_t i = 0; i < std::min<std::size_t>(suspect.layers.size(), 3); ++i) {
      text += (i > 0 ? ", '" : "'") + ShortName(suspect.layers[i]) + "'";
    }
    text += suspect.layers.size() > 3 ? ", …\n" : "\n";
  }
  if (suspect.fixes.empty()) {
    if (!suspect.fix.empty()) {
      text += "  Fix to try first: " + Printable(suspect.fix) + "\n";
    } else if (suspect.is_measured) {
      text +=
          "  Fix: none found; no change that was tried for this cause lowers the error by a "
          "fifth\n";
    }
    return;
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(suspect.fixes.size(), 2); ++i) {
    const compare::MeasuredFix& fix = suspect.fixes[i];
    const bool is_partial = fix.level == compare::VerdictLevel::kDegraded ||
                            fix.level == compare::VerdictLevel::kBroken;
    text += std::string(i > 0        ? "  Or: "
                        : is_on_top  ? "  Fix, with the first one: "
                        : is_partial ? "  Partial fix: "
                                     : "  Fix: ") +
            Printable(fix.action) + ": ";
    if (fix.level == compare::VerdictLevel::kNotMeasured) {
      text += "not tried, the time was up (--budget allows more); price: " + Printable(fix.price) +
              "\n";
      continue;
    }
    if (i == 0 && suspect.sqnr_db) {
      text +=
          "the damaged outputs go from " + EndText(*suspect.sqnr_db, suspect.agreement) + " to ";
    }
    text += EndText(fix.sqnr_db, fix.agreement) + ", " + std::string(NameOf(fix.level)) +
            " (measured); price: " + Printable(fix.price) + "\n";
  }
  if (!suspect.fixes[0].setting.empty()) {
    const std::string& setting = suspect.fixes[0].setting;
    text += "  Apply it with ONNX Runtime:\n" +
            Indented(is_complete ? setting : FirstLines(setting), "    ");
  }
}

// Returns true if the suspects have fixes, and all of them were tried and leave damage.
bool DoesDamageStay(const std::vector<compare::Suspect>& suspects) {
  bool has_fixes = false;
  for (const compare::Suspect& suspect : suspects) {
    for (const compare::MeasuredFix& fix : suspect.fixes) {
      has_fixes = true;
      if (fix.level <= compare::VerdictLevel::kSound) return false;
    }
  }
  return has_fixes;
}

// Appends the verdict in one line, and the root cause.
void AppendEndVerdict(const ModelComparison& comparison, bool is_complete, std::string& text) {
  const compare::EndVerdict& verdict = comparison.verdict;
  if (verdict.sentence.empty()) return;
  text += Printable(verdict.sentence) + "\n";
  for (const compare::Suspect& suspect : verdict.suspects) {
    const bool is_first = &suspect == &verdict.suspects[0];
    AppendSuspect(suspect, is_first ? nullptr : &suspect - 1, is_complete, text);
  }
  if (DoesDamageStay(verdict.suspects)) {
    text +=
        "No fix that was tried makes the outputs sound. Apply the first one and compare again: the "
        "rest has other causes.\n";
  }
  if (!verdict.blame_note.empty()) text += Printable(verdict.blame_note) + "\n";
  text += "\n";
}

void AppendVerdict(const ModelComparison& comparison, std::string& text) {
  text += Quoted(comparison.baseline.string(), 1000) + " (" +
          HumanBytes(static_cast<double>(comparison.baseline_bytes)) + ") and " +
          Quoted(comparison.variant.string(), 1000) + " (" +
          HumanBytes(static_cast<double>(comparison.variant_bytes));
  // A variant without a name is float; its name is not printed.
  if (const std::string name = compare::VariantName(comparison); name != "variant") {
    text += ", " + name;
  }
  text += ")\n";
  text += Plural(comparison.layers.size(), "layer") +
          " compared: " + std::to_string(compare::CountOf(comparison, Level::kRed)) + " red, " +
          std::to_string(compare::CountOf(comparison, Level::kAmber)) + " amber, " +
          std::to_string(compare::CountOf(comparison, Level::kGreen)) + " green\n";
  for (const std::string& remark : comparison.remarks) text += remark + "\n";
  if (!comparison.why_not_run.empty()) {
    text += "Only weights were compared: " + comparison.why_not_run + ".\n";
  } else {
    text += "Outputs are those for " + Plural(comparison.samples, "sample") + ": " +
            Printable(comparison.sample_source);
    if (!comparison.input_shapes.empty()) {
      text += " (" + Printable(model::ToText(comparison.input_shapes)) + ")";
    }
    text += "\n";
  }
  if (comparison.is_generated) {
    text +=
        "Samples are random data: outputs describe the models, not their use. Give real ones with "
        "--data.\n";
  }
  if (const LayerComparison* last = compare::LastLayer(comparison)) {
    const double db = last->accumulated->total.SqnrDb();
    text += "The last layer, " + Quoted(last->name, kMaxNameWidth) + ", ";
    if (std::isfinite(db)) {
      text += "has an output SQNR of " + Decibels(db) +
              " dB, errors of the layers before it included.\n";
      AppendLosses(comparison, text);
    } else {
      text += db > 0 ? "gives exactly what the baseline gives.\n"
                     : "gives nothing that can be compared with the baseline.\n";
    }
  }
}

// Returns the names of the layers that are shown. Long names are shortened, but two names never
// become equal.
std::vector<std::string> ShownNames(const ModelComparison& comparison, std::size_t top) {
  std::vector<std::string> names;
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 0; i < std::min(top, comparison.layers.size()); ++i) {
    names.push_back(ShortName(comparison.layers[i].name));
    ++counts[names.back()];
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (counts[names[i]] > 1) names[i] = Printable(comparison.layers[i].name);
  }
  return names;
}

void AppendTable(const ModelComparison& comparison, std::size_t top, std::string& text) {
  const std::vector<std::string> names = ShownNames(comparison, top);
  TextTable table({{"level"},
                   {"layer"},
                   {"operator"},
                   {"bits", Align::kRight},
                   {"weights dB", Align::kRight},
                   {"worst channel", Align::kRight},
                   {"output dB", Align::kRight},
                   {"accumulated dB", Align::kRight},
                   {"channels", Align::kRight},
                   {"cause"}});
  for (std::size_t i = 0; i < std::min(top, comparison.layers.size()); ++i) {
    const LayerComparison& layer = comparison.layers[i];
    const bool is_green = layer.diagnosis.level == Level::kGreen;
    std::string channels;
    if (layer.output_axis && layer.accumulated && !layer.accumulated->channels.empty()) {
      channels = std::to_string(layer.accumulated->channels.size()) + " on axis " +
                 std::to_string(*layer.output_axis);
    }
    table.AddRow({std::string(NameOf(layer.diagnosis.level)), names[i], layer.op_type,
                  std::to_string(layer.bits), Decibels(SqnrOf(layer.weight)),
                  Decibels(WorstChannelOf(layer.weight)), Decibels(SqnrOf(layer.local)),
                  Decibels(SqnrOf(layer.accumulated)), channels,
                  is_green ? "" : std::string(NameOf(layer.diagnosis.cause))});
  }
  table.DropEmptyColumns();
  if (!table.empty()) text += "\n" + table.Render();
  if (comparison.layers.size() > top) {
    text += "… and " + Plural(comparison.layers.size() - top, "better layer") + "\n";
  }
}

std::string FixText(const Fix& fix) {
  std::string text = fix.action + ": " + Decibels(fix.sqnr_db);
  if (std::abs(fix.sqnr_db) <= kExactDb) text += " dB";
  if (fix.is_measured) text += " at the end, measured";
  if (fix.worst_channel_sqnr_db) {
    text += ", worst channel " + Decibels(fix.worst_channel_sqnr_db) + " dB";
  }
  if (fix.size_bytes) text += ", " + HumanBytes(static_cast<double>(*fix.size_bytes));
  return text;
}

void AppendCauses(const ModelComparison& comparison, std::size_t top, std::string& text) {
  for (std::size_t i = 0; i < std::min(top, comparison.layers.size()); ++i) {
    const LayerComparison& layer = comparison.layers[i];
    if (layer.diagnosis.level == Level::kGreen) break;
    text += "\n'" + ShortName(layer.name) + "' (" + std::string(NameOf(layer.diagnosis.level)) +
            ", " + std::string(NameOf(layer.diagnosis.part)) +
            "): " + Printable(compare::ExplanationOf(layer)) + "\n";
    for (const Fix& fix : layer.fixes) text += "  - " + FixText(fix) + "\n";
  }
}

void AppendVerified(const ModelComparison& comparison, std::string& text) {
  if (!comparison.why_not_verified.empty()) {
    text += "\nNothing was verified: " + Printable(comparison.why_not_verified) + ".\n";
  }
  if (comparison.verified.empty()) return;
  const std::vector<std::string>& ends = comparison.verified_layers;
  std::vector<TextTable::Column> columns = {{"measured on " + Plural(comparison.samples, "sample")},
                                            {ends.size() > 1 ? "mean dB" : "dB", Align::kRight}};
  const std::size_t shown = ends.size() > 1 ? std::min(ends.size(), kMaxEnds) : 0;
  for (std::size_t i = ends.size() - shown; i < ends.size(); ++i) {
    columns.push_back({Quoted(ends[i], kMaxNameWidth), Align::kRight});
  }
  columns.push_back({""});
  TextTable table(std::move(columns));
  for (const compare::Verification& run : comparison.verified) {
    const bool is_measured = run.why_not.empty();
    std::vector<std::string> cells = {compare::RestoredText(comparison, run, kMaxNameWidth),
                                      is_measured ? Decibels(run.sqnr_db) : ""};
    for (std::size_t i = ends.size() - shown; i < ends.size(); ++i) {
      cells.push_back(is_measured ? Decibels(run.layer_sqnr_db[i]) : "");
    }
    cells.push_back(is_measured ? "" : "could not be run: " + run.why_not);
    table.AddRow(std::move(cells));
  }
  table.DropEmptyColumns();
  text += "\nOutput SQNR of the last " +
          (ends.size() > 1 ? HumanCount(ends.size()) + " layers"
                           : "layer, " + Quoted(ends[0], kMaxNameWidth) + ",") +
          " with parts in float:\n" + table.Render(2);
  const auto everything = std::ranges::find(comparison.verified, compare::Restored::kEverything,
                                            &compare::Verification::restored);
  if (everything == comparison.verified.end() || !everything->why_not.empty()) return;
  const bool is_same = std::ranges::all_of(everything->layer_sqnr_db,
                                           [](double db) { return db >= kExactOutputDb; });
  if (!is_same) {
    text +=
        "With everything in float, answers are still not the baseline's: not all that was changed "
        "could be put back, or they are as small as the rounding of float32.\n";
  }
}

void AppendLint(const ModelComparison& comparison, std::size_t top, std::string& text) {
  if (comparison.lint.empty()) return;
  text += "\nIn the compressed graph:\n";
  for (std::size_t i = 0; i < std::min(top, comparison.lint.size()); ++i) {
    const compare::LintFinding& finding = comparison.lint[i];
    text += "  - " + std::string(NameOf(finding.rule)) + ", " +
            Quoted(finding.node, kMaxNameWidth) + ": " + Printable(finding.explanation) + "\n";
  }
  if (comparison.lint.size() > top) {
    text += "  … and " + std::to_string(comparison.lint.size() - top) + " more\n";
  }
}

void AppendSaturation(const ModelComparison& comparison, std::size_t top, std::string& text) {
  std::vector<const LayerComparison*> layers;
  for (const LayerComparison& layer : comparison.layers) {
    if (layer.saturation && layer.saturation->Rate() >= kMinSaturation) layers.push_back(&layer);
  }
  if (layers.empty()) return;
  std::ranges::stable_sort(layers, std::greater<>(),
                           [](const LayerComparison* layer) { return layer->saturation->Rate(); });
  text +=
      "\nOn processors without VNNI, sums of two products overflow 16 bits in these layers, and "
      "answers differ from those of other processors; quantize with reduce_range, or activations "
      "as int8:\n";
  for (std::size_t i = 0; i < std::min(top, layers.size()); ++i) {
    const tensor::SaturationCount& count = *layers[i]->saturation;
    text += "  - " + Quoted(layers[i]->name, kMaxNameWidth) + ": " + HumanCount(count.saturated) +
            " of " + HumanCount(count.pairs) + " pairs, in " + HumanCount(count.affected) + " of " +
            HumanCount(count.products) + " results\n";
  }
}

void AppendBytes(const ModelComparison& comparison, std::string& text) {
  TextTable table({{"bytes of"}, {"baseline", Align::kRight}, {"variant", Align::kRight}});
  for (const compare::ByteShare& share : comparison.bytes) {
    table.AddRow({share.what, HumanBytes(static_cast<double>(share.baseline_bytes)),
                  HumanBytes(static_cast<double>(share.variant_bytes))});
  }
  if (!table.empty()) text += "\n" + table.Render();
}

void AppendUnpaired(const ModelComparison& comparison, std::string& text) {
  for (const auto& [names, side] : {std::pair(&comparison.baseline_only, "the baseline"),
                                    std::pair(&comparison.variant_only, "the variant")}) {
    if (names->empty()) continue;
    text += "\nOnly in " + std::string(side) + ": ";
    for (std::size_t i = 0; i < std::min<std::size_t>(names->size(), 5); ++i) {
      text += (i > 0 ? ", '" : "'") + ShortName((*names)[i]) + "'";
    }
    if (names->size() > 5) text += ", … (" + HumanCount(names->size()) + ")";
    text += "\n";
  }
}

}  // namespace

std::string OutputsText(const compare::EndVerdict& verdict, std::size_t indent) {
  TextTable table({{"verdict"},
                   {"output"},
                   {"shape"},
                   {"axis", Align::kRight},
                   {"channels", Align::kRight},
                   {"used as"},
                   {"agreement", Align::kRight},
                   {"SQNR dB", Align::kRight},
                   {"worst channel"}});
  for (const compare::OutputVerdict& output : verdict.outputs) {
    if (output.heads.empty()) {
      table.AddRow({"not measured", ShortName(output.name), ShapeText(output.shape), "", "",
                    Printable(output.why_not), "", "", ""});
    }
    for (const compare::HeadVerdict& head : output.heads) {
      std::string level(NameOf(head.level));
      std::ranges::replace(level, '_', ' ');
      std::string use(NameOf(head.use));
      std::ranges::replace(use, '_', ' ');
      std::string agreement;
      if (head.agreement) {
        std::array<char, 32> share;
        std::snprintf(share.data(), share.size(), "%.1f %%", 100 * *head.agreement);
        agreement = share.data();
      }
      std::string worst;
      if (head.worst_channel && head.channel_count > 1) {
        worst = std::to_string(*head.worst_channel) + ": " + Decibels(head.worst_channel_sqnr_db);
      }
      table.AddRow({level, ShortName(HeadName(output, head)), ShapeText(output.shape),
                    output.axis ? std::to_string(*output.axis) : "",
                    head.channel_count > 0 ? std::to_string(head.channel_count) : "", use,
                    agreement, Decibels(head.judged_sqnr_db), worst});
    }
  }
  table.DropEmptyColumns();
  return table.empty() ? std::string() : table.Render(indent);
}

std::string CompareText(const ModelComparison& comparison, const CompareTextOptions& options) {
  std::string text;
  const std::size_t top = options.top;
  const bool has_fix =
      !comparison.verdict.suspects.empty() && !comparison.verdict.suspects[0].fixes.empty();
  AppendEndVerdict(comparison, options.all, text);
  AppendVerdict(comparison, text);
  AppendTable(comparison, top, text);
  const bool is_damaged = comparison.verdict.level >= compare::VerdictLevel::kDegraded;
  if (options.all || is_damaged) {
    if (const std::string outputs = OutputsText(comparison.verdict); !outputs.empty()) {
      text += "\n" + outputs;
    }
  }
  // Leaves out the advice if the root causes already contain advice, or if the model is undamaged.
  const bool is_sound = comparison.verdict.level == compare::VerdictLevel::kSound;
  if (options.all || (!has_fix && !is_sound)) AppendCauses(comparison, top, text);
  AppendVerified(comparison, text);
  if (options.all) {
    AppendLint(comparison, top, text);
    AppendSaturation(comparison, top, text);
    AppendBytes(comparison, text);
  }
  AppendUnpaired(comparison, text);
  // The settings of a measured fix are above; settings for the red layers may contradict them.
  if (options.all || !has_fix) {
    const std::string snippet = compare::KeepFloatSnippet(
        compare::NodesToKeepFloat(comparison), compare::Toolchain::kOnnxRuntime, comparison.scheme);
    if (!snippet.empty()) {
      text += "\nTo keep the red layers in float32 (for other quantizers, see --json):\n" + snippet;
    }
    const std::string overrides = compare::OverridesSnippet(compare::OutputOverrides(comparison));
    if (!overrides.empty()) {
      text += "\nOr to give the outputs of red layers other quantizers:\n" + overrides;
    }
  }
  if (!options.all) {
    text += "\nMore: --all (outputs by head, every damaged layer, " +
            Plural(comparison.lint.size(), "note") + " on the graph, bytes), --json\n";
  }
  return text;
}

}  // namespace cboard::cli
