// The CSS of the report, with the colours and sizes of the page (ui/src/app/styles/tokens.css).
// `:host` is for the preview, where the page contains the report.
#include "analysis/report/report_sections.h"

namespace cboard::analysis {

const std::string_view kReportStyle = R"css(
:root, :host { color-scheme: light dark;
  --paper: light-dark(#ffffff, #14171c); --sunk: light-dark(#f6f7f9, #101317);
  --line: light-dark(#e1e4e9, #272c34); --line-strong: light-dark(#c6ccd4, #3b434e);
  --grid: light-dark(#edeff2, #1f242b);
  --ink: light-dark(#14181d, #e8ebef); --ink-2: light-dark(#454d58, #b3bbc6); --ink-3: light-dark(#5f6875, #8d96a3);
  --a: light-dark(#0072b2, #56b4e9); --b: light-dark(#d55e00, #e69f00);
  --a-ink: light-dark(#00659e, #6bbdec); --b-ink: light-dark(#ad4b00, #e9a81a);
  --good: light-dark(#18733a, #4bbf73); --warn: light-dark(#8a5a00, #d9b23a); --bad: light-dark(#b3123a, #ff7a90);
  --bad-wash: light-dark(#fceaee, #2d181d); --good-wash: light-dark(#e9f5ed, #16261c); }
body { margin: 0; background: var(--paper); }
.report { max-width: 1040px; margin: 0 auto; padding: 24px 24px 48px; background: var(--paper); color: var(--ink);
  font: 13px/20px Inter, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums lining-nums; }
.report h1 { margin: 0; font-size: 20px; line-height: 28px; font-weight: 600; }
.report h2 { margin: 32px 0 8px; font-size: 15px; font-weight: 600; }
.report h3 { margin: 16px 0 4px; font-size: 13px; font-weight: 600; }
.report p { margin: 4px 0; } .from, .note { color: var(--ink-3); font-size: 12px; line-height: 18px; overflow-wrap: anywhere; }
.report p.lead { margin: 16px 0 4px; font-weight: 600; overflow-wrap: anywhere; }
.a { color: var(--a-ink); } .b { color: var(--b-ink); } .dim { color: var(--ink-3); } .mid { color: var(--ink-2); }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.good::before { content: "✓ "; } .bad::before { content: "✗ "; } .warn::before { content: "▲ "; }
.verdict { margin: 16px 0 0; padding: 8px 12px; border-left: 2px solid; font-size: 15px; }
.verdict.open { color: var(--ink-2); border-color: var(--line); }
.verdict.good { background: var(--good-wash); } .verdict.bad { background: var(--bad-wash); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(132px, 1fr)); margin-top: 16px; border-block: 1px solid var(--line); }
.tile { padding: 8px 16px 10px 0; } .tile .name, .tile .of { color: var(--ink-3); font-size: 12px; line-height: 16px; overflow-wrap: anywhere; }
.tile .figure { font-size: 20px; line-height: 26px; }
/* Wider than the window: a shade at the edge behind which there is more. */
.wide { overflow-x: auto; background:
  linear-gradient(to left, var(--paper) 30%, transparent) right / 40px 100% no-repeat local,
  linear-gradient(to left, light-dark(#14181d2e, #e8ebef26), transparent) right / 14px 100% no-repeat scroll; }
table { width: 100%; border-collapse: collapse; font-size: 12px; line-height: 16px; }
th, td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--ink-3); font-weight: 400; border-bottom-color: var(--line-strong); white-space: nowrap; }
td.name { overflow-wrap: anywhere; min-width: 176px; } td.num, th.num { text-align: right; white-space: nowrap; }
td:last-child, th:last-child { padding-right: 0; }
svg { display: block; width: 100%; height: auto; font: 11px Inter, "Segoe UI", Roboto, Arial, "Liberation Sans", sans-serif; }
svg text { fill: var(--ink-3); } svg text.label { fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
.gridline { stroke: var(--grid); } .axis { stroke: var(--line-strong); } .front { fill: none; stroke: var(--ink-3); }
.arrow { stroke: var(--ink-3); opacity: .8; fill: none; } .dot-a { fill: var(--a); } .dot-b { fill: var(--b); }
.bar { fill: var(--ink-3); } .even { stroke: var(--ink); }
td span { white-space: nowrap; } td:not(.num) .dim { white-space: normal; } td.made { min-width: 200px; } td.why { min-width: 144px; }
td svg { width: 160px; height: 12px; }
.wide > svg { min-width: 700px; } /* Narrower, nobody could read what is in it. */
@media (max-width: 1300px) { .wide > svg { font-size: 12.5px; } }
code { font: 12px ui-monospace, "SF Mono", Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; }
@media (max-width: 719px) {
  .report { padding: 16px 12px; } td.name { min-width: 108px; }
  /* The names of rows stay in sight. */
  .wide tr > :first-child { position: sticky; left: 0; z-index: 1; background: var(--paper); }
}
@page { size: A4; margin: 14mm; }
@media print {
  :root { color-scheme: light; }
  .report { max-width: none; padding: 0; } .wide { overflow: visible; } .wide > svg { min-width: 0; font-size: 11px; }
  section, tr, svg { break-inside: avoid; } section.long { break-inside: auto; } h2, h3 { break-after: avoid; } thead { display: table-header-group; }
}
)css";

}  // namespace cboard::analysis
