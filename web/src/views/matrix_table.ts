/** A matrix as a table of numbers. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Content } from '../content/content.ts';
import { formatChange, formatExact, formatWeight } from '../logic/format.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';

/** More words than this are only copied, not shown. */
const kMostShown = 32;

export function matrixTable(model: MatrixModel, text: Content['matrix'], title: string): TemplateResult {
  const shown = Math.min(model.size, kMostShown);
  const indices = Array.from({ length: shown }, (_, index) => index);
  const format = model.kind === 'weight' ? formatWeight : formatChange;
  return html`<div class="number-table-scroll" tabindex="0" role="group" aria-label=${title}>
    <table class="number-table">
      <caption class="sr-only">
        ${title}
      </caption>
      <thead>
        <tr>
          <td></td>
          ${indices.map((col) => html`<th scope="col" dir="auto">${model.labels[col]}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${indices.map(
          (row) =>
            html`<tr>
              <th scope="row" dir="auto">${model.labels[row]}</th>
              ${indices.map((col) => html`<td>${format(model.value(row, col))}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
    ${model.size > shown ? html`<p class="note">${text.firstWords(shown, model.size)}</p>` : nothing}
  </div>`;
}

/** Tab-separated, all digits, for a spreadsheet. */
export function matrixText(model: MatrixModel): string {
  const indices = Array.from({ length: model.size }, (_, index) => index);
  const head = ['', ...model.labels].join('\t');
  return [
    head,
    ...indices.map((row) =>
      [model.labels[row] ?? '', ...indices.map((col) => formatExact(model.value(row, col)))].join('\t'),
    ),
  ].join('\n');
}
