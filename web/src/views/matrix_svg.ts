/** What lies over the picture of up to 16 words: a place for each label and cell, with its name, focus and ring. */
import { svg, type SVGTemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { cellFace, cellOrigin, type MatrixLayout } from '../logic/layout.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';
import type { Place } from './matrix_canvas.ts';

export interface MatrixSvgOptions {
  readonly model: MatrixModel;
  readonly layout: MatrixLayout;
  /** Keeps the keyboard focus. */
  readonly active: Place;
  readonly lit: Place;
  readonly pinned: Place;
  readonly name: (row: number, col: number) => string;
}

export function matrixRows(options: MatrixSvgOptions): SVGTemplateResult {
  const { model, layout, active, lit, pinned, name } = options;
  const indices = Array.from({ length: model.size }, (_, index) => index);
  const shown = [model.size, layout, ...active, ...lit, ...pinned, name];
  return svg`<g role="row">${indices.map((col) => columnLabel(options, col))}</g>
    ${indices.map((row) => svg`<g role="row">${rowLabel(options, row)}${guard(shown, () => indices.map((col) => cell(options, row, col)))}</g>`)}`;
}

/** Its title shows the whole word where the picture had to cut it. */
function columnLabel({ model, layout }: MatrixSvgOptions, col: number): SVGTemplateResult {
  const [left] = cellOrigin(layout, 0, col);
  const label = model.labels[col] ?? '';
  return svg`<g role="columnheader" aria-label=${label}><title>${label}</title>
    <rect class="axis" x=${left} y="0" width=${layout.cell} height=${layout.headHeight}></rect></g>`;
}

function rowLabel({ model, layout }: MatrixSvgOptions, row: number): SVGTemplateResult {
  const [, top] = cellOrigin(layout, row, 0);
  const label = model.labels[row] ?? '';
  return svg`<g role="rowheader" aria-label=${label}><title>${label}</title>
    <rect class="axis" x="0" y=${top} width=${layout.labelWidth} height=${layout.cell}></rect></g>`;
}

function cell({ layout, active, lit, pinned, name }: MatrixSvgOptions, row: number, col: number): SVGTemplateResult {
  const [left, top] = cellOrigin(layout, row, col);
  const { side, radius } = cellFace(layout);
  const is = (place: Place): boolean => place[0] === row && place[1] === col;
  // The ring runs around the coloured face.
  return svg`<rect role="gridcell" class="cell ${is(lit) ? 'is-lit' : ''} ${is(pinned) ? 'is-pinned' : ''}"
    data-row=${row} data-col=${col} tabindex=${is(active) ? 0 : -1} aria-label=${name(row, col)} aria-selected=${is(pinned) ? 'true' : 'false'}
    x=${left - 1} y=${top - 1} width=${side + 2} height=${side + 2} rx=${radius + 1}></rect>`;
}
