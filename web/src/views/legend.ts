/** What the colours of a matrix mean, with the numbers at their ends. */
import { html, svg, type TemplateResult } from 'lit';
import type { Content } from '../content/content.ts';
import { changeStep, weightStep, type Palette } from '../logic/colour.ts';

const kSteps = 36;

export function weightLegend(palette: Palette, text: Content['matrix']): TemplateResult {
  const bar = bars((part) => palette.weight.fills[weightStep(part)] ?? 'none');
  return html`<div class="legend">
    <span class="legend-name">${text.legendWeight}</span><span>0</span>${bar}<span>1</span>
  </div>`;
}

export function changeLegend(palette: Palette, text: Content['matrix'], domain: number, label: string): TemplateResult {
  const bar = bars((part) => palette.change.fills[changeStep((part * 2 - 1) * domain, domain)] ?? 'none');
  return html`<div class="legend">
    <span class="legend-name">${text.legendChange}</span><span>−${label} ${text.legendNegative}</span>${bar}<span
      >+${label} ${text.legendPositive}</span
    >
  </div>`;
}

function bars(fill: (part: number) => string): TemplateResult {
  return html`<svg class="legend-bar" viewBox="0 0 ${kSteps} 1" preserveAspectRatio="none" aria-hidden="true">
    ${Array.from({ length: kSteps }, (_, step) => svg`<rect x=${step} width="1.05" height="1" shape-rendering="crispEdges" fill=${fill(step / (kSteps - 1))}></rect>`)}
  </svg>`;
}
