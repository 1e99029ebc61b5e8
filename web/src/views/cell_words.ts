/** A cell of a matrix in words, for screen readers and tables. */
import type { Comparison } from 'posenc';
import type { Content } from '../content/content.ts';
import { formatChange, formatWeight } from '../logic/format.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';
import type { Align } from '../state/state.ts';

/** Name of a cell: "Tom attends to Jerry, 0.31, was 0.22". */
export function cellName(
  text: Content['matrix'],
  model: MatrixModel,
  comparison: Comparison,
  align: Align,
  row: number,
  col: number,
): string {
  const words = { query: model.labels[row] ?? '', key: model.labels[col] ?? '' };
  const value = model.value(row, col);
  const query = model.places[row] ?? -1;
  const key = model.places[col] ?? -1;
  const size = comparison.a.weights.cols;
  const before = query < 0 || key < 0 ? NaN : (comparison.a.weights.data[query * size + key] ?? NaN);
  if (Number.isNaN(value)) return text.aloneCell(words);
  if (model.kind === 'change') {
    if (value === 0) return text.zeroCell(words);
    const after = align === 'word' ? (comparison.bInOrderOfA.data[query * size + key] ?? NaN) : before + value;
    return text.changeCell(words, formatChange(value), formatWeight(before), formatWeight(after));
  }
  if (model.panel === 'a' || Number.isNaN(before)) return text.weightCell(words, formatWeight(value));
  return text.weightCellWas(words, formatWeight(value), formatWeight(before));
}
