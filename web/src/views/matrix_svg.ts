/** A matrix of up to 16 words as an SVG grid. */
import { nothing, svg, type SVGTemplateResult } from 'lit';
import { changeStep, weightStep, type Palette } from '../logic/colour.ts';
import { compact, formatChange, formatWeight } from '../logic/format.ts';
import { fitLabel, kLongestSlanted, type MatrixLayout } from '../logic/layout.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';

export interface MatrixSvgOptions {
  readonly model: MatrixModel;
  readonly layout: MatrixLayout;
  readonly palette: Palette;
  /** Change drawn with the strongest colour. */
  readonly domain: number;
  /** Row and column that keep the keyboard focus. */
  readonly active: readonly [number, number];
  /** Places in A of the lit pair. */
  readonly lit: { readonly query: number; readonly key: number };
  readonly pinned: { readonly query: number; readonly key: number };
  readonly hatch: string;
  readonly name: (row: number, col: number) => string;
}

const kRadius = 5;
/** Cells from which an exact zero is printed as "= 0", and as "=". */
const kRoomForZero = 32;
const kRoomForSign = 11;

export function matrixRows(options: MatrixSvgOptions): SVGTemplateResult {
  const { model } = options;
  const indices = Array.from({ length: model.size }, (_, index) => index);
  return svg`<g role="row">${indices.map((col) => columnLabel(options, col))}</g>
    ${indices.map((row) => svg`<g role="row">${rowLabel(options, row)}${indices.map((col) => cell(options, row, col))}</g>`)}`;
}

/** Top left corner of a cell. */
export function cellOrigin(layout: MatrixLayout, row: number, col: number): readonly [number, number] {
  return [layout.labelWidth + col * layout.cell, layout.headHeight + row * layout.cell];
}

function columnLabel({ model, layout, lit }: MatrixSvgOptions, col: number): SVGTemplateResult {
  const [left] = cellOrigin(layout, 0, col);
  const isLit = (model.places[col] ?? -1) === lit.key;
  const x = left + (layout.cell - layout.gap) / 2;
  const label = model.labels[col] ?? '';
  const extent = layout.angle === 0 ? layout.cell : kLongestSlanted;
  const name = `col-${model.keys[col] ?? ''}`;
  return svg`<g role="columnheader" class="axis ${isLit ? 'is-lit' : ''}" data-slide=${name} transform="translate(${x} ${layout.headHeight - 8})">
    <title>${label}</title>
    <text class="axis-text" font-size=${layout.font} text-anchor=${layout.angle === 0 ? 'middle' : 'start'} transform=${layout.angle === 0 ? 'rotate(0)' : 'rotate(-45)'}>${fitLabel(label, extent, layout.font)}</text>
  </g>`;
}

function rowLabel({ model, layout, lit }: MatrixSvgOptions, row: number): SVGTemplateResult {
  const [, top] = cellOrigin(layout, row, 0);
  const isLit = (model.places[row] ?? -1) === lit.query;
  const label = model.labels[row] ?? '';
  const name = `row-${model.keys[row] ?? ''}`;
  return svg`<g role="rowheader" class="axis ${isLit ? 'is-lit' : ''}" data-slide=${name} transform="translate(${layout.labelWidth - 8} ${top + (layout.cell - layout.gap) / 2 + layout.font * 0.35})">
    <title>${label}</title>
    <text class="axis-text" font-size=${layout.font} text-anchor="end">${fitLabel(label, layout.labelWidth - 8, layout.font)}</text>
  </g>`;
}

function cell(options: MatrixSvgOptions, row: number, col: number): SVGTemplateResult {
  const { model, layout, palette, domain, active, lit, pinned, hatch } = options;
  const [left, top] = cellOrigin(layout, row, col);
  const side = Math.max(1, layout.cell - layout.gap);
  const value = model.value(row, col);
  const alone = Number.isNaN(value);
  const zero = value === 0;
  const ramp = model.kind === 'weight' ? palette.weight : palette.change;
  const step = model.kind === 'weight' ? weightStep(value) : changeStep(value, domain);
  const same = (pair: { query: number; key: number }): boolean =>
    model.places[row] === pair.query && model.places[col] === pair.key;
  const state = `${alone ? 'is-alone' : ''} ${zero ? 'is-zero' : ''} ${same(lit) ? 'is-lit' : ''} ${same(pinned) ? 'is-pinned' : ''}`;
  const isActive = active[0] === row && active[1] === col;
  const ringed = isActive || same(lit) || same(pinned);
  const plainFill = alone || zero;
  const text = cellText(model, layout, value);
  const negativeHatch = model.kind === 'change' && value < 0 && layout.values === 'none';
  const name = `cell-${model.keys[row] ?? ''}-${model.keys[col] ?? ''}`;
  return svg`<g role="gridcell" class="cell ${state}" data-row=${row} data-col=${col} data-slide=${name}
    tabindex=${isActive ? 0 : -1} aria-label=${options.name(row, col)} aria-selected=${same(pinned) ? 'true' : 'false'}
    transform="translate(${left} ${top})">
    <rect class="face" width=${side} height=${side} rx=${Math.min(kRadius, side / 5)} fill=${plainFill ? 'none' : (ramp.fills[step] ?? 'none')}></rect>
    ${alone || negativeHatch ? svg`<rect class="hatch" width=${side} height=${side} rx=${Math.min(kRadius, side / 5)} fill="url(#${hatch})"></rect>` : nothing}
    ${text === '' ? nothing : svg`<text class="value" x=${side / 2} y=${side / 2} dy="0.35em" text-anchor="middle" font-size=${valueFont(layout)} fill=${plainFill ? 'currentColor' : (ramp.inks[step] ?? 'currentColor')}>${text}</text>`}
    ${ringed ? svg`<rect class="ring" x="-1" y="-1" width=${side + 2} height=${side + 2} rx=${Math.min(kRadius, side / 5) + 1}></rect>` : nothing}
  </g>`;
}

function cellText(model: MatrixModel, layout: MatrixLayout, value: number): string {
  if (value === 0) return layout.cell >= kRoomForZero ? '= 0' : layout.cell >= kRoomForSign ? '=' : '';
  if (layout.values === 'none') return '';
  const full = model.kind === 'weight' ? formatWeight(value) : formatChange(value);
  return layout.values === 'full' ? full : compact(full);
}

function valueFont(layout: MatrixLayout): number {
  if (layout.values === 'full') return 15;
  return layout.values === 'compact' ? Math.min(13, layout.cell / 2.9) : Math.min(10, layout.cell * 0.7);
}
