#include "compare/blame/measured_blame.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "cboard/base/strings.h"
#include "cboard/verdict/number_text.h"
#include "compare/blame/cause_families.h"
#include "compare/blame/root_causes.h"
#include "compare/diagnosis/diagnosis.h"
#include "compare/layers/quantizers.h"

namespace cboard::compare {
namespace {

constexpr std::size_t kMaxCauses = 2;
constexpr std::size_t kMaxFixesShown = 4;
// Share of the time limit for the search; fixes are tried in the rest.
constexpr double kSearchShare = 0.7;
// Share of the time limit for the search if no cause has been found so far.
constexpr double kMaxSearchShare = 0.85;
constexpr std::size_t kExpectedRuns = 48;
// Maximum number of layers that one cause makes red; a cause of the whole file makes one layer red.
constexpr std::size_t kMaxRowsOfCause = 4;

std::size_t MaxWeightBytes() {
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return std::size_t{1} << 30;
  return static_cast<std::size_t>(pages) * static_cast<std::size_t>(page_bytes) / 4;
}

// Returns the lowest agreement (share of equal decisions) of the heads (model outputs) that are
// damaged in the unchanged model.
std::optional<double> AgreementOf(const EndVerdict& verdict, const EndVerdict& damaged) {
  std::optional<double> lowest;
  for (std::size_t i = 0; i < verdict.outputs.size() && i < damaged.outputs.size(); ++i) {
    const auto& heads = verdict.outputs[i].heads;
    const auto& before = damaged.outputs[i].heads;
    for (std::size_t h = 0; h < heads.size() && h < before.size(); ++h) {
      if (before[h].level < VerdictLevel::kDegraded || !heads[h].agreement) continue;
      if (!lowest || *heads[h].agreement < *lowest) lowest = heads[h].agreement;
    }
  }
  return lowest;
}

// Names the operators that read a model input, directly or behind quantizers, in alphabetical
// order: "Sub", "Conv and Mul".
std::string ReadersOf(const model::ModelGraph& model, const std::string& input) {
  std::set<std::string> names;
  std::vector<model::TensorId> rest = {model.FindTensor(input)};
  while (!rest.empty()) {
    const model::TensorId tensor = rest.back();
    rest.pop_back();
    if (tensor == model::kNoTensor) continue;
    for (const model::NodeId id : model.consumers(tensor)) {
      const model::ModelNode& node = model.node(id);
      if ((IsQuantizer(node) || IsDequantizer(node)) && !node.outputs.empty()) {
        rest.push_back(node.outputs[0]);
      } else {
        names.insert(node.op_type);
      }
    }
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " and ") + name;
  return text;
}

// Returns a note if other operators read an input in the variant than in the baseline: only one of
// the files may contain the preprocessing.
std::string OtherReaders(const model::ModelGraph& baseline, const model::ModelGraph& variant) {
  for (const model::TensorId id : baseline.inputs()) {
    const std::string& input = baseline.tensor(id).name;
    const std::string ours = ReadersOf(baseline, input), theirs = ReadersOf(variant, input);
    if (ours.empty() || theirs.empty() || ours == theirs) continue;
    return "; input " + Quoted(input) + " goes into " + ours + " in the baseline and into " +
           theirs + " in the compressed model: does only one of them preprocess it?";
  }
  return {};
}

// Returns seconds with two digits, or whole seconds: "0.21 s", "14 s", "160 s".
std::string SecondsText(double seconds) {
  return verdict::ShortNumber(seconds < 10 ? seconds : std::round(seconds), seconds < 10 ? 2 : 6) +
         " s";
}

class Blamer {
 public:
  Blamer(const model::ModelGraph& baseline, const model::ModelGraph& variant,
         const std::vector<RestorableLayer>& layers, const CompareOptions& options,
         ModelComparison& comparison)
      : baseline_(baseline),
        variant_(variant),
        layers_(layers),
        options_(options),
        comparison_(comparison),
        as_it_is_(comparison.verdict) {}

  Result<void> Run() {
    const double limit = options_.blame_seconds;
    const std::vector<SwitchedPart> parts =
        FindSwitchedParts(baseline_, variant_, layers_, comparison_);
    if (parts.empty())
      return Fail(
          ErrorCode::kFailedPrecondition,
          "no layer of the variant can be replaced by float, so the cause cannot be searched");
    CBOARD_ASSIGN_OR_RETURN(EndRunner runner,
                            EndRunner::Open(baseline_, variant_, as_it_is_, options_,
                                            std::max<std::size_t>(comparison_.samples, 1)));
    const BlameCase found{baseline_, variant_, parts, layers_, comparison_};
    CBOARD_ASSIGN_OR_RETURN(
        const SwitchBoard board,
        SwitchBoard::Open(baseline_, variant_, parts, runner.VariantTensors(), MaxWeightBytes()));
    BlameRuns trials(runner, board, {.end = limit, .last = limit}, Told());
    CBOARD_RETURN_IF_ERROR(trials.ChooseSamples(kExpectedRuns, 0.9));
    trials.SetNeeded(true);
    BlameFindings findings;
    const auto as_it_is = trials.Measure(board.AllOf(PartState::kAsIs));
    const auto all_float = trials.Measure(board.AllOf(PartState::kFloat));
    if (!as_it_is || !all_float) {
      return Fail(ErrorCode::kFailedPrecondition,
                  "the search for the cause reached its time limit of " +
                      verdict::ShortNumber(limit, 3) + " s; set a longer one with --budget");
    }
    findings.as_it_is = findings.without_guilty = *as_it_is;
    findings.all_float = *all_float;
    if (all_float->cost > 0.5 * as_it_is->cost) {
      return Fail(
          ErrorCode::kFailedPrecondition,
          "the outputs stay damaged even if all layers that can be restored are restored to float" +
              OtherReaders(baseline_, variant_));
    }
    std::vector<RootCause> causes;
    std::size_t runs_done = 0;
    std::optional<RootCause> calibration;
    // Calibration ranges are checked with real data only: random samples have other ranges.
    if (!as_it_is_.is_generated) calibration = FindCalibrationCause(found, *as_it_is, trials);
    if (calibration) {
      causes.push_back(*std::move(calibration));
    } else {
      CBOARD_ASSIGN_OR_RETURN(const SwitchBoard faster,
                              board.OpenWithoutTrials(baseline_, runner.VariantTensors()));
      BlameRuns runs(runner, faster, {.end = kSearchShare * limit, .last = kMaxSearchShare * limit},
                     Told());
      runs.UseSamples(trials.samples());
      const auto groups = GroupParts(variant_, parts);
      findings = SearchGuilty(runs, parts, groups, findings);
      if (findings.guilty.empty()) AddLikeliest(found, groups, findings);
      runs.SetNeeded(true);  // One run that decides between one cause and many.
      CompleteFamilies(found, runs, findings);
      runs_done = runs.runs();
      causes = FindRootCauses(found, findings);
    }
    if (causes.empty()) {
      return Fail(ErrorCode::kFailedPrecondition,
                  "no single layer damages the outputs when only this layer is quantized");
    }
    if (causes.size() > kMaxCauses) causes.resize(kMaxCauses);
    TryFixes(found, findings, causes, trials);
    PreferCausesWithFix(causes);
    Report(found, findings, causes);
    comparison_.verdict.blame_note =
        "Blame is measured: " + HumanCount(runs_done + trials.runs()) +
        " runs with parts undone or changed, on " + HumanCount(trials.samples()) +
        (trials.samples() == 1 ? " sample" : " samples") + ", in " +
        SecondsText(runner.cpu_seconds()) + " of CPU time, " +
        SecondsText(runner.elapsed_seconds()) + " elapsed (limit " + SecondsText(limit) + ").";
    if (runner.seconds() > limit) {
      comparison_.verdict.blame_note +=
          " The limit ended the search; --budget with more seconds may find more.";
    }
    return {};
  }

 private:
  std::function<bool(double)> Told() const {
    return [this](double seconds) {
      if (!options_.blame_progress) return true;
      return options_.blame_progress(std::min(seconds, options_.blame_seconds),
                                     options_.blame_seconds);
    };
  }

  // Called when the search found no group: names the group whose layer has the worst metrics,
  // among the groups that damage the outputs together.
  void AddLikeliest(const BlameCase& found, const std::vector<std::vector<std::size_t>>& groups,
                    BlameFindings& findings) const {
    std::optional<std::size_t> worst;
    double lowest = HUGE_VAL;
    for (std::size_t g = findings.first_group; g < findings.end_group; ++g) {
      for (const std::size_t part : groups[g]) {
        const LayerComparison* row = found.RowOf(found.parts[part]);
        if (row == nullptr || !(row->diagnosis.severity_db < lowest)) continue;
        lowest = row->diagnosis.severity_db;
        worst = g;
      }
    }
    if (!worst) return;
    findings.is_guess = true;
    findings.guilty.push_back(
        {.group = *worst, .parts = groups[*worst], .alone = findings.of_groups});
  }

  void TryFixes(const BlameCase& found, const BlameFindings& findings,
                const std::vector<RootCause>& causes, BlameRuns& trials) {
    Settings base = trials.board().AllOf(PartState::kAsIs);
    EndState before = findings.as_it_is;
    for (const RootCause& cause : causes) {
      befores_.push_back(before);
      std::vector<TriedFix> fixes;
      const bool is_range =
          cause.why.cause == Cause::kCalibration || cause.why.cause == Cause::kOverClipped;
      if (cause.is_everywhere && is_range) fixes.push_back(Recalibration(found, trials.board()));
      for (TriedFix& fix : FixesFor(found, trials.board(), cause)) fixes.push_back(std::move(fix));
      MeasureFixes(trials, base, before, fixes);
      trials.SetNeeded(false);  // Further causes are optional.
      if (!fixes.empty()) {
        for (const auto& [part, setting] : fixes[0].changes) base[part] = setting;
        before = fixes[0].after;
      }
      tried_.push_back(std::move(fixes));
      if (before.verdict.level <= VerdictLevel::kSound) break;
    }
    tried_.resize(causes.size());
    befores_.resize(causes.size(), before);
  }

  // Moves causes for which no fix helps behind those with a fix.
  void PreferCausesWithFix(std::vector<RootCause>& causes) {
    for (std::size_t i = 1; i < causes.size(); ++i) {
      if (tried_[i].empty() || !tried_[i][0].is_tried || !tried_[i - 1].empty()) continue;
      std::swap(causes[i], causes[i - 1]);
      std::swap(tried_[i], tried_[i - 1]);
      std::swap(befores_[i], befores_[i - 1]);
    }
  }

  void Report(const BlameCase& found, const BlameFindings& findings,
              const std::vector<RootCause>& causes) {
    const bool is_fixed = !tried_.empty() && !tried_[0].empty() &&
                          tried_[0][0].after.cost < 0.5 * findings.as_it_is.cost;
    const bool recovers = is_fixed || findings.without_guilty.cost < 0.5 * findings.as_it_is.cost ||
                          findings.without_guilty.verdict.level <= VerdictLevel::kSound;
    std::set<std::size_t> guilty_rows;
    std::vector<Suspect> suspects;
    bool is_sound = false;  // True if the fixes of the previous causes make the outputs sound.
    for (std::size_t i = 0; i < causes.size() && !is_sound; ++i) {
      suspects.push_back(SuspectOf(found, findings, causes[i], befores_[i], tried_[i]));
      MarkRows(found, causes[i], suspects.back(), tried_[i], guilty_rows);
      is_sound = !tried_[i].empty() && tried_[i][0].after.verdict.level <= VerdictLevel::kSound;
    }
    for (std::size_t row = 0; row < comparison_.layers.size(); ++row) {
      Diagnosis& diagnosis = comparison_.layers[row].diagnosis;
      if (diagnosis.level != Level::kRed || guilty_rows.contains(row)) continue;
      if (as_it_is_.level != VerdictLevel::kBroken) continue;
      if (!recovers && findings.is_spread) continue;
      diagnosis.level = Level::kAmber;
      diagnosis.explanation += "; not red, because the end recovers without a change here";
    }
    comparison_.verdict.suspects = std::move(suspects);
  }

  // `before` is the result with the fixes of all causes before this one.
  Suspect SuspectOf(const BlameCase& found, const BlameFindings& findings, const RootCause& cause,
                    const EndState& before, const std::vector<TriedFix>& fixes) const {
    Suspect suspect{
        .layer = found.parts[cause.parts[0]].name,
        .sentence = cause.why.sentence,
        .fix = fixes.empty() ? std::string() : fixes[0].action,
        .cause = std::string(NameOf(cause.why.cause)),
        .part = std::string(NameOf(cause.why.part)),
        .layers = {},
        .is_measured = true,
        .sqnr_db = before.SqnrDb(),
        .alone_sqnr_db = cause.alone.cost > 0 ? std::optional(cause.alone.SqnrDb()) : std::nullopt,
        .undone_sqnr_db = findings.guilty.empty() ? std::nullopt
                                                  : std::optional(findings.without_guilty.SqnrDb()),
        .agreement = AgreementOf(before.verdict, as_it_is_),
        .undone_agreement = AgreementOf(findings.without_guilty.verdict, as_it_is_),
        .fixes = {}};
    std::set<std::string> seen;
    for (const std::size_t part : cause.parts) {
      if (seen.insert(found.parts[part].name).second) {
        suspect.layers.push_back(found.parts[part].name);
      }
    }
    for (const TriedFix& fix : fixes) {
      if (suspect.fixes.size() == kMaxFixesShown) break;
      suspect.fixes.push_back({.action = fix.action,
                               .price = fix.price,
                               .setting = fix.setting,
                               .level = VerdictLevel::kNotMeasured,
                               .sqnr_db = std::numeric_limits<double>::quiet_NaN(),
                               .agreement = {}});
      if (!fix.is_tried) continue;
      MeasuredFix& shown = suspect.fixes.back();
      shown.level = fix.after.verdict.level;
      shown.sqnr_db = fix.after.SqnrDb();
      shown.agreement = AgreementOf(fix.after.verdict, as_it_is_);
    }
    return suspect;
  }

  void MarkRows(const BlameCase& found, const RootCause& cause, const Suspect& suspect,
                const std::vector<TriedFix>& fixes, std::set<std::size_t>& guilty_rows) {
    const bool is_broken = as_it_is_.level == VerdictLevel::kBroken;
    std::size_t marked = 0;
    for (const std::size_t part : cause.parts) {
      const auto& row = found.parts[part].layer;
      if (!row || guilty_rows.contains(*row)) continue;
      if (marked == (cause.is_everywhere ? std::size_t{1} : kMaxRowsOfCause)) break;
      LayerComparison& layer = comparison_.layers[*row];
      guilty_rows.insert(*row);
      const PartCause own = marked == 0 ? cause.why : FindCause(found, found.parts[part]);
      ++marked;
      Diagnosis& diagnosis = layer.diagnosis;
      // If the outputs are only degraded, each layer keeps the level of its own metrics.
      if (!is_broken && diagnosis.level == Level::kRed) continue;
      diagnosis.level = is_broken ? Level::kRed : Level::kAmber;
      diagnosis.severity_db = std::min(diagnosis.severity_db, suspect.alone_sqnr_db.value_or(0));
      if (is_broken) diagnosis.severity_db -= 100.0 / static_cast<double>(guilty_rows.size());
      // If the layer's own diagnosis has the same cause, its explanation has more details and is
      // kept.
      if (diagnosis.cause != own.cause) {
        diagnosis.cause = own.cause;
        diagnosis.part = own.part;
        diagnosis.explanation = own.sentence;
        if (suspect.alone_sqnr_db && !cause.is_everywhere) {
          diagnosis.explanation += "; measured: with everything else in float32, the end keeps " +
                                   verdict::ShortNumber(*suspect.alone_sqnr_db, 3) + " dB";
        }
      }
      const bool has_own_fixes = !layer.fixes.empty();
      for (const TriedFix& fix : fixes) {
        if (layer.float_nodes.empty()) layer.float_nodes = fix.float_nodes;
        if (has_own_fixes || !fix.is_tried) continue;
        layer.fixes.push_back({.action = fix.action,
                               .sqnr_db = fix.after.SqnrDb(),
                               .worst_channel_sqnr_db = {},
                               .size_bytes = {},
                               .output = {}});
        layer.fixes.back().is_measured = true;
      }
    }
  }

  const model::ModelGraph& baseline_;
  const model::ModelGraph& variant_;
  const std::vector<RestorableLayer>& layers_;
  const CompareOptions& options_;
  ModelComparison& comparison_;
  const EndVerdict as_it_is_;
  std::vector<std::vector<TriedFix>> tried_;  // Fixes of each cause.
  std::vector<EndState> befores_;             // Result before the fixes of each cause.
};

}  // namespace

void MeasureBlame(const model::ModelGraph& baseline, const model::ModelGraph& variant,
                  const std::vector<RestorableLayer>& layers, const CompareOptions& options,
                  ModelComparison& comparison) {
  if (const auto done = Blamer(baseline, variant, layers, options, comparison).Run(); !done) {
    comparison.verdict.blame_note = "Blame is not measured: " + done.error().message + ".";
    return;
  }
  std::ranges::stable_sort(comparison.layers, IsWorse, &LayerComparison::diagnosis);
}

}  // namespace cboard::compare
