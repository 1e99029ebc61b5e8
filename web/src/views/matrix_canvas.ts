/** A matrix of many words as pixels. */
import { changeStep, weightStep, type Palette, type Rgb } from '../logic/colour.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';

/** One pixel per cell; a word without partner is transparent, so that the hatched ground shows. */
export function matrixPixels(
  model: Pick<MatrixModel, 'kind' | 'size' | 'value'>,
  palette: Palette,
  domain: number,
): ImageData {
  const { size } = model;
  const image = new ImageData(size, size);
  const ramp: readonly Rgb[] = model.kind === 'weight' ? palette.weight.rgb : palette.change.rgb;
  for (let row = 0; row < size; row += 1) {
    for (let col = 0; col < size; col += 1) {
      const value = model.value(row, col);
      if (Number.isNaN(value)) continue;
      const colour = ramp[model.kind === 'weight' ? weightStep(value) : changeStep(value, domain)] ?? [0, 0, 0];
      image.data.set([colour[0], colour[1], colour[2], 255], (row * size + col) * 4);
    }
  }
  return image;
}

/** Draws into a canvas whose bitmap has one pixel per cell; the style sheet enlarges it without smoothing. */
export function drawPixels(canvas: HTMLCanvasElement, image: ImageData): void {
  if (canvas.width !== image.width) canvas.width = image.width;
  if (canvas.height !== image.height) canvas.height = image.height;
  canvas.getContext('2d')?.putImageData(image, 0, 0);
}
