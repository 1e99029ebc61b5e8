/** Curves over the steps of a training: one line for each run, one of them strong. */
import { html, svg, nothing, type TemplateResult } from 'lit';
import type { Family } from '../content/content.ts';

export interface Curve {
  readonly id: string;
  readonly family: Family;
  /** One for each step, the first one first. */
  readonly values: readonly number[];
}

export interface CurveChart {
  readonly curves: readonly Curve[];
  /** The one that stands out. */
  readonly strong: string;
  readonly steps: number;
  /** Values at the bottom and the top, and those between that have a line. */
  readonly ticks: readonly { readonly value: number; readonly label: string }[];
  /** A value to compare with. */
  readonly reference: { readonly value: number; readonly label: string } | null;
  readonly title: string;
  readonly stepLabel: string;
  /** What the picture shows, in words. */
  readonly summary: string;
  readonly width: number;
}

const kHeight = 180;
const kMargin = { top: 10, right: 10, bottom: 22, left: 40 } as const;

export function curvesView(chart: CurveChart): TemplateResult {
  const { width, steps, ticks, reference, curves, strong } = chart;
  const bottom = kHeight - kMargin.bottom;
  const low = ticks[0]?.value ?? 0;
  const high = ticks.at(-1)?.value ?? 1;
  const x = (step: number): number => kMargin.left + (step / steps) * (width - kMargin.left - kMargin.right);
  const y = (value: number): number =>
    bottom - ((Math.min(high, Math.max(low, value)) - low) / (high - low)) * (bottom - kMargin.top);
  const inOrder = curves.filter(({ id }) => id !== strong).concat(curves.filter(({ id }) => id === strong));
  return html`<figure class="curves">
    <figcaption class="control-label">${chart.title}</figcaption>
    <svg viewBox="0 0 ${width} ${kHeight}" width=${width} height=${kHeight} role="img" aria-label=${chart.summary}>
      ${ticks.map(
        ({ value, label }) =>
          svg`<line class="curve-grid" x1=${kMargin.left} x2=${width - kMargin.right} y1=${y(value)} y2=${y(value)}></line>
            <text class="curve-tick" x=${kMargin.left - 6} y=${y(value)} dy="0.35em" text-anchor="end">${label}</text>`,
      )}
      <text class="curve-tick" x=${kMargin.left} y=${kHeight - 5} text-anchor="start">0</text>
      <text class="curve-tick" x=${width - kMargin.right} y=${kHeight - 5} text-anchor="end">
        ${chart.stepLabel} ${steps}
      </text>
      ${inOrder.map(
        ({ id, family, values }) =>
          svg`<polyline class="curve family-${family} ${id === strong ? 'is-strong' : ''}" points=${values.map((value, index) => `${x(index + 1).toFixed(1)},${y(value).toFixed(1)}`).join(' ')}></polyline>`,
      )}
      ${
        reference
          ? svg`<line class="curve-reference" x1=${kMargin.left} x2=${width - kMargin.right} y1=${y(reference.value)} y2=${y(reference.value)}></line>
              <text class="curve-tick curve-reference-label" x=${width - kMargin.right} y=${y(reference.value) + 14} text-anchor="end">${reference.label}</text>`
          : nothing
      }
    </svg>
  </figure>`;
}
