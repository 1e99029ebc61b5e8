/** What lies over the picture of up to 16 words: labels, and a place for each cell that has a name, a focus and a ring. */
import { svg, type SVGTemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { cellFace, cellOrigin, fitLabel, kLongestSlanted, type MatrixLayout } from '../logic/layout.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';

/** A row and a column; -1 is none. */
export type Place = readonly [number, number];

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

function columnLabel({ model, layout, lit }: MatrixSvgOptions, col: number): SVGTemplateResult {
  const [left] = cellOrigin(layout, 0, col);
  const x = left + (layout.cell - layout.gap) / 2;
  const label = model.labels[col] ?? '';
  const extent = layout.angle === 0 ? layout.cell : kLongestSlanted;
  return svg`<g role="columnheader" class="axis ${col === lit[1] ? 'is-lit' : ''}" data-col=${col} transform="translate(${x} ${layout.headHeight - 8})">
    <title>${label}</title>
    <text class="axis-text" font-size=${layout.font} text-anchor=${layout.angle === 0 ? 'middle' : 'start'} transform=${layout.angle === 0 ? 'rotate(0)' : 'rotate(-45)'}>${fitLabel(label, extent, layout.font)}</text>
  </g>`;
}

function rowLabel({ model, layout, lit }: MatrixSvgOptions, row: number): SVGTemplateResult {
  const [, top] = cellOrigin(layout, row, 0);
  const label = model.labels[row] ?? '';
  return svg`<g role="rowheader" class="axis ${row === lit[0] ? 'is-lit' : ''}" data-row=${row} transform="translate(${layout.labelWidth - 8} ${top + (layout.cell - layout.gap) / 2 + layout.font * 0.35})">
    <title>${label}</title>
    <text class="axis-text" font-size=${layout.font} text-anchor="end">${fitLabel(label, layout.labelWidth - 8, layout.font)}</text>
  </g>`;
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
