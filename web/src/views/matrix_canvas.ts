/** A matrix as pixels: colours and numbers of all cells. */
import { changeStep, weightStep, type Rgb } from '../logic/colour.ts';
import { compact, formatChange, formatWeight } from '../logic/format.ts';
import { cellFace, cellOrigin, type MatrixLayout } from '../logic/layout.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';
import type { Paint } from '../theme.ts';

export interface MatrixPicture {
  readonly model: MatrixModel;
  readonly layout: MatrixLayout;
  readonly paint: Paint;
  /** Change drawn with the strongest colour. */
  readonly domain: number;
}

/** Rows and columns on their way to new places. */
export interface Slide {
  /** Where each of them was before, or -1. */
  readonly from: readonly number[];
  /** 0 to 1. */
  readonly progress: number;
}

/** Cells from which an exact zero is printed as "= 0", and as "=". */
const kRoomForZero = 32;
const kRoomForSign = 11;
/** Spare CSS pixels in each direction. */
const kRoom = 64;
/** From one hatch line to the next, along an edge. */
const kHatch = 8.5;

export function drawMatrix(canvas: HTMLCanvasElement, picture: MatrixPicture, slide: Slide | null): void {
  const { model, layout, paint } = picture;
  if (layout.drawing === 'canvas') {
    drawPixels(canvas, picture);
    return;
  }
  const { ratio } = paint;
  makeRoom(canvas, layout, ratio);
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, canvas.width / ratio, canvas.height / ratio);
  context.font = `${valueFont(layout)}px ${paint.font}`;
  context.textAlign = 'center';
  context.lineWidth = Math.max(1, Math.round(ratio)) / ratio;
  const before = (index: number): number => slide?.from[index] ?? index;
  const place = (index: number): number =>
    slide === null || before(index) < 0 ? index : before(index) + (index - before(index)) * slide.progress;
  for (let row = 0; row < model.size; row += 1) {
    for (let col = 0; col < model.size; col += 1) {
      context.globalAlpha = slide !== null && Math.min(before(row), before(col)) < 0 ? slide.progress : 1;
      drawCell(context, picture, model.value(row, col), cellOrigin(layout, place(row), place(col)));
    }
  }
}

/** A new bitmap is slow to make: one that is a little too large stays, and the rest of it is out of sight. */
function makeRoom(canvas: HTMLCanvasElement, layout: MatrixLayout, ratio: number): void {
  const fits = (now: number, length: number): boolean => now >= length * ratio && now <= (length + 2 * kRoom) * ratio;
  if (!fits(canvas.width, layout.width) || !fits(canvas.height, layout.height))
    resize(canvas, Math.ceil((layout.width + kRoom) * ratio), Math.ceil((layout.height + kRoom) * ratio));
  const width = `${(100 * canvas.width) / (layout.width * ratio)}%`;
  if (canvas.style.inlineSize !== width) canvas.style.inlineSize = width;
}

function resize(canvas: HTMLCanvasElement, width: number, height: number): void {
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
}

/** One pixel per cell, enlarged by the style sheet. A word without partner is transparent: the hatched ground shows. */
function drawPixels(canvas: HTMLCanvasElement, { model, paint, domain }: MatrixPicture): void {
  const { size, kind } = model;
  const image = new ImageData(size, size);
  const ramp: readonly Rgb[] = paint[kind].rgb;
  for (let row = 0; row < size; row += 1) {
    for (let col = 0; col < size; col += 1) {
      const value = model.value(row, col);
      if (Number.isNaN(value)) continue;
      const colour = ramp[stepOf(kind, value, domain)] ?? [0, 0, 0];
      image.data.set([colour[0], colour[1], colour[2], 255], (row * size + col) * 4);
    }
  }
  resize(canvas, size, size);
  canvas.getContext('2d')?.putImageData(image, 0, 0);
}

function drawCell(
  context: CanvasRenderingContext2D,
  { model: { kind }, layout, paint, domain }: MatrixPicture,
  value: number,
  [x, y]: readonly [number, number],
): void {
  const alone = Number.isNaN(value);
  const plain = alone || value === 0 || (paint.forced && layout.values !== 'none');
  const ramp = paint[kind];
  const step = stepOf(kind, value, domain);
  const { side, radius } = cellFace(layout);
  // Edges on whole pixels are sharp.
  const snap = (length: number): number => Math.round(length * paint.ratio) / paint.ratio;
  const inset = context.lineWidth / 2;
  const [left, top, right, bottom] = [snap(x), snap(y), snap(x + side), snap(y + side)];
  context.beginPath();
  context.roundRect(left + inset, top + inset, right - left - 2 * inset, bottom - top - 2 * inset, radius);
  if (!plain) {
    context.fillStyle = ramp.fills[step] ?? 'transparent';
    context.fill();
  }
  context.strokeStyle = plain ? paint.border : paint.line;
  context.stroke();
  if (alone || (kind === 'change' && value < 0 && layout.values === 'none')) {
    hatch(context, left, top, side, radius, paint.border);
  }
  const text = cellText(kind, layout, value);
  if (text === '') return;
  context.fillStyle = alone ? paint.soft : plain ? paint.ink : (ramp.inks[step] ?? paint.ink);
  context.fillText(text, x + side / 2, y + side / 2 + valueFont(layout) * 0.35);
}

/** Lines from the upper right to the lower left, inside the rounded corners. */
function hatch(
  context: CanvasRenderingContext2D,
  left: number,
  top: number,
  side: number,
  radius: number,
  colour: string,
): void {
  const margin = radius * (1 - Math.SQRT1_2);
  const extent = side - 2 * margin;
  context.save();
  context.translate(left + margin, top + margin);
  context.beginPath();
  for (let at = kHatch / 2; at < 2 * extent; at += kHatch) {
    context.moveTo(Math.min(at, extent), Math.max(0, at - extent));
    context.lineTo(Math.max(0, at - extent), Math.min(at, extent));
  }
  context.globalAlpha *= 0.55;
  context.strokeStyle = colour;
  context.stroke();
  context.restore();
}

function stepOf(kind: MatrixModel['kind'], value: number, domain: number): number {
  return kind === 'weight' ? weightStep(value) : changeStep(value, domain);
}

function cellText(kind: MatrixModel['kind'], layout: MatrixLayout, value: number): string {
  if (value === 0) return layout.cell >= kRoomForZero ? '= 0' : layout.cell >= kRoomForSign ? '=' : '';
  if (layout.values === 'none') return '';
  const full = kind === 'weight' ? formatWeight(value) : formatChange(value);
  return layout.values === 'full' ? full : compact(full);
}

function valueFont(layout: MatrixLayout): number {
  if (layout.values === 'full') return 15;
  return layout.values === 'compact' ? Math.min(13, layout.cell / 2.9) : Math.min(10, layout.cell * 0.7);
}
