// Statistics per phase: mean, 95th percentile and peak of every lane, and the energy of lanes with a power in watts.
import type { JSX } from "preact";
import { decimalsOfColumn, duration, fixedInGroups, percent, significant } from "../../base/text/format";
import { during, type Phase, type Samples } from "./phases";

export function PhaseTable({
  phases,
  lanes,
  picked,
  onPick,
}: {
  phases: readonly Phase[];
  lanes: readonly Samples[];
  picked: Phase | null;
  onPick: (phase: Phase) => void;
}): JSX.Element {
  const all = phases.reduce((sum, { from, to }) => sum + to - from, 0);
  const columns = lanes.map((samples) => {
    const facts = phases.map((phase) => during(samples, phase));
    const decimals = decimalsOfColumn(
      facts.flatMap((one) => (one ? [one.mean, one.p95, one.peak] : [])),
      3,
    );
    return { lane: samples.lane, facts, text: (value: number): string => fixedInGroups(value, decimals) };
  });
  return (
    <section class="panel phases-panel" aria-labelledby="phases-title">
      <div class="panel-head">
        <h2 id="phases-title">By phase</h2>
        <span class="note">mean, 95th percentile, peak</span>
      </div>
      <div class="scroll-x keep-names">
        <table class="table">
          <caption class="sr">Mean, 95th percentile and peak of each quantity in each phase</caption>
          <thead>
            <tr>
              <th scope="col">Phase</th>
              <th scope="col" class="num">
                Duration
              </th>
              {lanes.map(({ lane }) => (
                <th key={lane.tag} scope="col" class="num">
                  {lane.name}
                  {lane.unit ? `, ${lane.unit}` : ""}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {phases.map((phase, i) => (
              <tr
                key={`${i} ${phase.name}`}
                aria-selected={phase === picked}
                tabIndex={0}
                onClick={() => onPick(phase)}
                onKeyDown={(event) => {
                  if (event.key === "Enter") onPick(phase);
                }}
              >
                <th scope="row" title={phase.name}>
                  <i class={`phase-key tint-${i % 2}`} aria-hidden="true" />
                  {phase.name}
                </th>
                <td class="num" title={`${percent((phase.to - phase.from) / all, 0)} % of the time`}>
                  {duration(phase.to - phase.from)}
                </td>
                {columns.map(({ lane, facts: ofPhases, text }) => {
                  const facts = ofPhases[i];
                  if (!facts)
                    return (
                      <td key={lane.tag} class="num">
                        <span class="none" title="no sample in this phase">
                          –
                        </span>
                      </td>
                    );
                  return (
                    <td key={lane.tag} class="num">
                      <span class="trio">
                        <span>{text(facts.mean)}</span> <span class="dim">{text(facts.p95)}</span>{" "}
                        <span class="dim">{text(facts.peak)}</span>
                      </span>
                      {lane.unit === "W" && (
                        <>
                          {" "}
                          <b>{significant(facts.area, 3)} J</b>
                        </>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
