/** Where the weight of one cell comes from: content + position + bias = logit, then the softmax of its row. */
import { html, nothing, svg, type TemplateResult } from 'lit';
import type { Content } from '../content/content.ts';
import { formatLogit, formatWeight } from '../logic/format.ts';
import type { CellFacts, CellParts } from '../logic/facts.ts';

type Part = 'content' | 'position' | 'bias';
const kParts: readonly Part[] = ['content', 'position', 'bias'];

export function arithmeticView(cell: CellFacts, text: Content['arithmetic']): TemplateResult {
  const axis = axisOf([cell.a, ...(cell.b ? [cell.b] : [])]);
  return html`<div class="arithmetic-scroll" tabindex="0" role="group" aria-label=${text.caption}>
    <table class="arithmetic">
      <thead>
        <tr>
          <td></td>
          ${kParts.map((part) => html`<th scope="col"><span class="part-key part-${part}" aria-hidden="true"></span>${text.parts[part]}</th>`)}
          <th scope="col" class="arithmetic-bar-head"><span class="sr-only">${text.bar('A')}</span></th>
          <th scope="col">${text.parts.logit}</th>
          <th scope="col" class="arithmetic-softmax" aria-hidden="true">${text.softmax}</th>
          <th scope="col">${text.parts.weight}</th>
        </tr>
      </thead>
      <tbody>
        ${line('A', cell.a, axis, text)} ${line('B', cell.b, axis, text)}
      </tbody>
    </table>
  </div>`;
}

interface Axis {
  readonly low: number;
  readonly high: number;
}

/** Reaches from the lowest to the highest partial sum, and holds 0. */
function axisOf(cells: readonly CellParts[]): Axis {
  const sums = cells.flatMap((parts) => partialSums(parts).flatMap(({ from, to }) => [from, to]));
  const low = Math.min(0, ...sums);
  const high = Math.max(0, ...sums);
  return { low, high: high > low ? high : low + 1 };
}

function partialSums(parts: CellParts): { part: Part; from: number; to: number }[] {
  let sum = 0;
  return kParts.map((part) => {
    const from = sum;
    sum += parts[part];
    return { part, from, to: sum };
  });
}

function line(row: 'A' | 'B', parts: CellParts | null, axis: Axis, text: Content['arithmetic']): TemplateResult {
  if (parts === null)
    return html`<tr class="line-${row.toLowerCase()}">
      <th scope="row">${row}</th>
      <td colspan="7" class="arithmetic-note">${text.alone}</td>
    </tr>`;
  return html`<tr class="line-${row.toLowerCase()}">
    <th scope="row">${row}</th>
    ${kParts.map((part, index) => html`<td class="number ${parts[part] === 0 ? 'is-nothing' : ''}">${index > 0 ? html`<span class="operator">+</span>` : nothing}${formatLogit(parts[part])}</td>`)}
    <td class="arithmetic-bar">${waterfall(parts, axis)}</td>
    <td class="number"><span class="operator">=</span>${formatLogit(parts.logit)}</td>
    <td class="arithmetic-arrow" aria-hidden="true">→</td>
    <td class="number arithmetic-weight">
      ${parts.hidden ? html`<span class="arithmetic-note">${text.hidden}</span> ` : nothing}<strong
        >${formatWeight(parts.weight)}</strong
      >
      <svg class="weight-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect class="weight-bar-all" width="100" height="1"></rect>
        <rect class="weight-bar-part" width=${parts.weight * 100} height="1"></rect>
      </svg>
    </td>
  </tr>`;
}

/** One lane per part, each starting where the sum so far ends. */
function waterfall(parts: CellParts, { low, high }: Axis): TemplateResult {
  const place = (value: number): number => ((value - low) / (high - low)) * 100;
  return html`<svg class="waterfall" viewBox="0 0 100 18" preserveAspectRatio="none" aria-hidden="true">
    <line class="waterfall-zero" x1=${place(0)} x2=${place(0)} y1="0" y2="18"></line>
    ${partialSums(parts).map(({ part, from, to }, lane) =>
      from === to
        ? nothing
        : svg`<rect class="part-${part}" x=${Math.min(place(from), place(to))} width=${Math.abs(place(to) - place(from))} y=${lane * 6 + 0.75} height="4.5"></rect>`,
    )}
    <line
      class="waterfall-sum"
      x1=${place(parts.content + parts.position + parts.bias)}
      x2=${place(parts.content + parts.position + parts.bias)}
      y1="0"
      y2="18"
    ></line>
  </svg>`;
}
