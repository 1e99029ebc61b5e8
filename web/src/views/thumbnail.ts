/** A small picture of a change: colour, a stroke where weight was lost, "=" where nothing changed at all. */
import type { Change } from '../engine/picture.ts';
import { changeStep } from '../logic/colour.ts';
import type { Paint } from '../theme.ts';

/** Up to this size every zero has a frame of its own. */
const kFewCells = 4;
/** Largest size at which single cells get their mark. */
const kMarkedCells = 10;

/** `side` in CSS pixels. */
export function drawThumbnail(canvas: HTMLCanvasElement, change: Change, paint: Paint, side: number): void {
  const { ratio } = paint;
  const pixels = Math.round(side * ratio);
  if (canvas.width !== pixels) canvas.width = pixels;
  if (canvas.height !== pixels) canvas.height = pixels;
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, side, side);
  const { data, cols } = change.delta;
  if (cols === 0) return;
  if (change.exact && !change.nothing && cols > kFewCells) {
    drawNothing(context, side, paint);
    return;
  }
  const cell = side / cols;
  const gap = cell > 8 ? 1.5 : cell > 4 ? 0.5 : 0;
  context.lineWidth = 1;
  for (let row = 0; row < cols; row += 1) {
    for (let col = 0; col < cols; col += 1) {
      const value = data[row * cols + col] ?? NaN;
      const left = col * cell;
      const top = row * cell;
      const extent = Math.max(0.5, cell - gap);
      if (Number.isNaN(value)) {
        context.strokeStyle = paint.soft;
        stroke(context, left, top + extent, left + extent, top);
        continue;
      }
      context.fillStyle = paint.change.fills[changeStep(value, 1)] ?? 'transparent';
      context.fillRect(left, top, extent, extent);
      if (cols > kMarkedCells) continue;
      if (value === 0) {
        context.strokeStyle = paint.soft;
        if (cols <= kFewCells) context.strokeRect(left + 0.5, top + 0.5, extent - 1, extent - 1);
        drawEquals(context, left + extent / 2, top + extent / 2, Math.min(4, extent / 5));
      } else if (value < -0.02) {
        context.strokeStyle = paint.change.inks[changeStep(value, 1)] ?? paint.ink;
        const reach = Math.min(3, extent / 4);
        stroke(context, left + extent / 2 - reach, top + extent / 2, left + extent / 2 + reach, top + extent / 2);
      }
    }
  }
}

/** One frame and one "=" for a change that is exactly nothing. */
function drawNothing(context: CanvasRenderingContext2D, side: number, paint: Paint): void {
  context.strokeStyle = paint.soft;
  context.strokeRect(0.5, 0.5, side - 1, side - 1);
  context.strokeStyle = paint.ink;
  drawEquals(context, side / 2, side / 2, 7);
}

function drawEquals(context: CanvasRenderingContext2D, x: number, y: number, reach: number): void {
  const apart = Math.max(1, reach * 0.4);
  for (const offset of [-apart, apart]) stroke(context, x - reach, y + offset, x + reach, y + offset);
}

function stroke(context: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
}
