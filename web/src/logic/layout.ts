/** Sizes of a matrix picture. All lengths in CSS pixels. */

/** More words than this are drawn on a canvas and computed in a worker. */
export const kLargestDrawn = 16;
/** More words than this are kept as text; the first ones are computed. */
export const kLargestComputed = 512;

/** More words than this no reader is asked about: the sentences of its training are far shorter. */
export const kLongestRead = 64;

export interface MatrixLayout {
  readonly drawing: 'svg' | 'canvas';
  /** Side of a cell, gap included. */
  readonly cell: number;
  readonly gap: number;
  readonly labelWidth: number;
  readonly headHeight: number;
  /** Column labels stand at this angle, 0 or 45 degrees. */
  readonly angle: 0 | 45;
  /** Size of the letters of the axes. */
  readonly font: number;
  /** What a cell prints. */
  readonly values: 'full' | 'compact' | 'none';
  readonly width: number;
  readonly height: number;
  /** The last slanted label leans out by this much. */
  readonly overhang: number;
}

const kFont = 14;
const kRadius = 5;
/** A slanted label is cut at this length. */
export const kLongestSlanted = 76;
/** Cells of one matrix that has the page for itself may be larger. */
const kLargestCell = { beside: 70, alone: 96 } as const;

/** Width that a label takes at most, estimated: wide signs count double. */
export function labelExtent(label: string, font = kFont): number {
  let units = 0;
  for (const sign of label)
    units += /[\u1100-\u11ff\u2460-\u24ff\u2e80-\uffef\u{1f000}-\u{3ffff}]/u.test(sign) ? 1 : 0.62;
  return Math.ceil(units * font);
}

/** Layout of one matrix of `size` words in `width`. */
export function layoutMatrix(
  size: number,
  width: number,
  labels: readonly string[],
  place: 'beside' | 'alone' = 'beside',
): MatrixLayout {
  if (size > kLargestDrawn) {
    const side = Math.floor(Math.min(width, 360));
    return {
      drawing: 'canvas',
      cell: side / size,
      gap: 0,
      labelWidth: 0,
      headHeight: 0,
      angle: 0,
      font: kFont,
      values: 'none',
      width: side,
      height: side,
      overhang: 0,
    };
  }
  const longest = Math.max(0, ...labels.map((label) => labelExtent(label)));
  const labelWidth = Math.min(longest + 10, width < 340 || size > 5 ? 64 : 84);
  // Whole pixels, so that every edge is sharp.
  const cell = Math.max(8, Math.floor(Math.min(kLargestCell[place], (width - labelWidth) / Math.max(1, size))));
  const angle = longest + 6 > cell ? 45 : 0;
  const headHeight = angle === 0 ? 24 : Math.round(Math.min(longest, kLongestSlanted) * 0.71) + 14;
  const font = Math.max(9, Math.min(kFont, cell * 0.78));
  const gap = cell > 40 ? 4 : cell > 24 ? 3 : 2;
  const values = cell >= 52 ? 'full' : cell >= 27 ? 'compact' : 'none';
  const leaning = angle === 0 ? 0 : Math.max(0, Math.min(longest, kLongestSlanted) * 0.71 - cell / 2);
  const inside = Math.min(leaning, Math.max(0, width - labelWidth - cell * size));
  return {
    drawing: 'svg',
    cell,
    gap,
    labelWidth,
    headHeight,
    angle,
    font,
    values,
    width: labelWidth + cell * size + inside,
    height: headHeight + cell * size,
    overhang: leaning - inside,
  };
}

/** Top left corner of a cell; row and column may lie between two places. */
export function cellOrigin(layout: MatrixLayout, row: number, col: number): readonly [number, number] {
  return [layout.labelWidth + col * layout.cell, layout.headHeight + row * layout.cell];
}

/** Side and rounding of the coloured part of a cell. */
export function cellFace(layout: MatrixLayout): { readonly side: number; readonly radius: number } {
  const side = layout.cell - layout.gap;
  return { side, radius: Math.min(kRadius, side / 5) };
}

/** A label that fits in `extent`, cut with an ellipsis. */
export function fitLabel(label: string, extent: number, font = kFont): string {
  if (labelExtent(label, font) <= extent) return label;
  const signs = Array.from(label);
  while (signs.length > 1 && labelExtent(signs.join(''), font) + font * 0.6 > extent) signs.pop();
  return `${signs.join('')}…`;
}
