import { readFile } from 'node:fs/promises';

import { load, PosencError } from 'posenc';
import type { Encoding } from 'posenc';
import { describe, expect, it } from 'vitest';

import { errorOf, matrixOf, projectPath, tensorOf, TOM } from './support.ts';

const posenc = await load();

/** What the types forbid must be refused at run time as well: JavaScript callers have no types. */
const wrong = (encoding: unknown) => encoding as Encoding;
const table = (encoding: unknown) => () => posenc.table(wrong(encoding), { length: 2 });

const x = matrixOf([[1, 2]]);
const q = tensorOf([[[1, 0]]]);

const CASES: readonly (readonly [name: string, run: () => unknown, code: string, field: string])[] = [
  ['unknown encoding', table({ kind: 'ropee' }), 'unknown_encoding', 'encoding'],
  ['no encoding at all', table(undefined), 'wrong_type', 'encoding'],
  ['an encoding without kind', table({}), 'wrong_type', 'encoding'],
  ['a name instead of an object', table('rope'), 'wrong_type', 'encoding'],
  ['an unknown parameter', table({ kind: 'sinusoidal', thetta: 1 }), 'unknown_param', 'thetta'],
  ['a number as text', table({ kind: 'sinusoidal', theta: '8' }), 'wrong_type', 'theta'],
  ['null', table({ kind: 'sinusoidal', theta: null }), 'wrong_type', 'theta'],
  ['an object as parameter', table({ kind: 'sinusoidal', theta: {} }), 'wrong_type', 'theta'],
  ['NaN', table({ kind: 'sinusoidal', theta: NaN }), 'not_finite', 'theta'],
  ['infinity', table({ kind: 'sinusoidal', theta: Infinity }), 'not_finite', 'theta'],
  ['out of range', table({ kind: 'sinusoidal', theta: 0.5 }), 'out_of_range', 'theta'],
  ['an unknown choice', table({ kind: 'sinusoidal', convention: 'x' }), 'out_of_range', 'convention'],
  ['an odd width', () => posenc.rotation(wrong({ kind: 'rope', rotaryDim: 7 }), { length: 1 }), 'out_of_range', 'rotary_dim'],
  ['a width beyond the head', () => posenc.rotation({ kind: 'rope', rotaryDim: 18 }, { length: 1 }), 'out_of_range', 'rotary_dim'],
  ['a table of the wrong size', table({ kind: 'learned', weights: [1, 2] }), 'shape_mismatch', 'weights'],
  ['a table with holes', table({ kind: 'learned', maxPosition: 1, weights: ['a'] }), 'wrong_type', 'weights'],
  ['a table of an encoding without one', table({ kind: 'sinusoidal', weights: [1] }), 'unknown_param', 'weights'],
  ['a position past the table', () => posenc.table({ kind: 'learned', maxPosition: 4 }, { length: 5 }), 'position_out_of_range', 'positions'],
  ['a position that is not a number', () => posenc.table({ kind: 'sinusoidal' }, { positions: [0, NaN] }), 'not_finite', 'positions'],
  ['a position as text', () => posenc.table({ kind: 'sinusoidal' }, { positions: ['1'] as unknown as number[] }), 'wrong_type', 'positions'],
  ['a position too far away', () => posenc.table({ kind: 'sinusoidal' }, { positions: [1e12] }), 'position_out_of_range', 'positions'],
  ['neither length nor positions', () => posenc.table({ kind: 'sinusoidal' }, {} as { length: number }), 'wrong_type', 'length'],
  ['a negative length', () => posenc.table({ kind: 'sinusoidal' }, { length: -1 }), 'out_of_range', 'length'],
  ['the table of an encoding that adds nothing', table({ kind: 'rope' }), 'missing_seam', 'encoding'],
  ['the rotation of one that does not rotate', () => posenc.rotation({ kind: 'alibi' }, { length: 1 }), 'missing_seam', 'encoding'],
  ['the frequencies of one that does not rotate', () => posenc.frequencies({ kind: 'alibi' }), 'missing_seam', 'encoding'],
  ['a length below 0', () => posenc.frequencies({ kind: 'rope' }, { seqLen: -1 }), 'out_of_range', 'seq_len'],
  ['a length that is no number', () => posenc.rotation({ kind: 'rope' }, { length: 1, seqLen: '9' as unknown as number }), 'wrong_type', 'seq_len'],
  ['a length that is infinite', () => posenc.rotation({ kind: 'rope' }, { length: 1, seqLen: Infinity }), 'not_finite', 'seq_len'],
  ['a factor of 0', () => posenc.rotation({ kind: 'rope', scaling: 'yarn', factor: 0 }, { length: 1 }), 'out_of_range', 'factor'],
  ['a factor without scaling', () => posenc.rotation({ kind: 'rope', factor: 2 }, { length: 1 }), 'unknown_param', 'factor'],
  ['a list of the wrong length', () => posenc.rotation({ kind: 'rope', scaling: 'longrope', longFactor: [1] }, { length: 1 }), 'shape_mismatch', 'long_factor'],
  ['token types of another kind', () => posenc.multimodalPositions({ tokenTypes: [0, 3] }), 'out_of_range', 'token_types'],
  ['a mask of another length', () => posenc.multimodalPositions({ tokenTypes: [0], attentionMask: [1, 1] }), 'shape_mismatch', 'attention_mask'],
  ['a grid of two numbers', () => posenc.multimodalPositions({ tokenTypes: [1], imageGridThw: [[2, 2]] as unknown as [number, number, number][] }), 'shape_mismatch', 'image_grid_thw'],
  ['a grid of halves', () => posenc.multimodalPositions({ tokenTypes: [1], imageGridThw: [[1, 2.5, 2]] }), 'out_of_range', 'image_grid_thw'],
  ['a grid that does not divide', () => posenc.multimodalPositions({ tokenTypes: [2], videoGridThw: [[1, 3, 2]] }), 'out_of_range', 'video_grid_thw'],
  ['a picture without a grid', () => posenc.multimodalPositions({ tokenTypes: [0, 1] }), 'shape_mismatch', 'image_grid_thw'],
  ['steps that go back', () => posenc.multimodalPositions({ tokenTypes: [0], stepsPerFrame: -1 }), 'out_of_range', 'steps_per_frame'],
  ['patches of no size', () => posenc.multimodalPositions({ tokenTypes: [0], mergeSize: 0 }), 'out_of_range', 'merge_size'],
  ['the bias of one that has none', () => posenc.bias({ kind: 'rope' }, { queries: 1, keys: 1 }), 'missing_seam', 'encoding'],
  ['applying a bias', () => posenc.apply({ kind: 'alibi' }, x), 'missing_seam', 'encoding'],
  ['x narrower than d_model', () => posenc.apply({ kind: 'sinusoidal' }, x, { dims: { dModel: 4, nHeads: 1 } }), 'shape_mismatch', 'x'],
  ['x that is no matrix', () => posenc.apply({ kind: 'rope' }, null as unknown as typeof x), 'wrong_type', 'x'],
  ['x whose shape lies', () => posenc.apply({ kind: 'rope' }, { ...x, rows: 7 }), 'shape_mismatch', 'x'],
  ['fewer positions than rows', () => posenc.apply({ kind: 'rope' }, x, { positions: [] }), 'shape_mismatch', 'positions'],
  ['positions for half of the rows', () => posenc.apply({ kind: 'rope' }, { data: new Float32Array(4), rows: 2, cols: 2 }, { positions: [1] }), 'shape_mismatch', 'positions'],
  ['heads that do not divide d_model', () => posenc.table({ kind: 'sinusoidal' }, { length: 1, dims: { dModel: 10, nHeads: 3 } }), 'out_of_range', 'dims.n_heads'],
  ['no width', () => posenc.table({ kind: 'sinusoidal' }, { length: 1, dims: { dModel: 0, nHeads: 1 } }), 'out_of_range', 'dims.d_model'],
  ['heads as text', () => posenc.table({ kind: 'sinusoidal' }, { length: 1, dims: { nHeads: '8' as unknown as number } }), 'wrong_type', 'dims.n_heads'],
  ['an odd head', () => posenc.rotation({ kind: 'rope' }, { length: 1, dims: { headDim: 5 } }), 'out_of_range', 'dims.head_dim'],
  ['no words', () => posenc.attention({ encoding: { kind: 'none' }, tokens: [] }), 'empty_input', 'tokens'],
  ['no first sentence', () => posenc.compare({ encoding: { kind: 'none' }, a: [], b: TOM }), 'empty_input', 'a'],
  ['no second sentence', () => posenc.compare({ encoding: { kind: 'none' }, a: TOM, b: [] }), 'empty_input', 'b'],
  ['a sentence that is not cut', () => posenc.attention({ encoding: { kind: 'none' }, tokens: 'Tom' as unknown as string[] }), 'wrong_type', 'tokens'],
  ['a word that is a number', () => posenc.attention({ encoding: { kind: 'none' }, tokens: [1] as unknown as string[] }), 'wrong_type', 'tokens'],
  ['a head that does not exist', () => posenc.attention({ encoding: { kind: 'none' }, tokens: TOM, head: 4 }), 'out_of_range', 'head'],
  ['half a head', () => posenc.attention({ encoding: { kind: 'none' }, tokens: TOM, head: 0.5 }), 'out_of_range', 'head'],
  ['a seed with a fraction', () => posenc.attention({ encoding: { kind: 'none' }, tokens: TOM, weights: { kind: 'seeded', seed: 0.5 } }), 'out_of_range', 'seed'],
  ['a negative seed', () => posenc.attention({ encoding: { kind: 'none' }, tokens: TOM, weights: { kind: 'seeded', seed: -1 } }), 'out_of_range', 'seed'],
  ['an unknown mask', () => posenc.attention({ encoding: { kind: 'none' }, tokens: TOM, mask: { kind: 'x' } as unknown as { kind: 'none' } }), 'out_of_range', 'mask.kind'],
  ['a window of nothing', () => posenc.attention({ encoding: { kind: 'none' }, tokens: TOM, mask: { kind: 'window', size: 0 } }), 'out_of_range', 'mask.size'],
  ['an offset that is not a number', () => posenc.attention({ encoding: { kind: 'none' }, tokens: TOM, offset: NaN }), 'not_finite', 'offset'],
  ['q whose shape lies', () => posenc.attend({ encoding: { kind: 'none' }, q: { ...q, shape: [1, 9, 2] }, k: q }), 'shape_mismatch', 'q'],
  ['k of another width', () => posenc.attend({ encoding: { kind: 'none' }, q, k: tensorOf([[[1, 0, 0]]]) }), 'shape_mismatch', 'k'],
  ['k with fewer heads', () => posenc.attend({ encoding: { kind: 'none' }, q: tensorOf([[[1, 0]], [[1, 0]]]), k: q }), 'shape_mismatch', 'k'],
  ['too few positions of q', () => posenc.attend({ encoding: { kind: 'none' }, q, k: q, qPositions: [] }), 'shape_mismatch', 'q_positions'],
  ['more than memory holds', () => posenc.table({ kind: 'sinusoidal' }, { length: 20_000_000 }), 'out_of_memory', ''],
]; // prettier-ignore

describe('bad input', () => {
  it.each(CASES)('%s', async (_name, run, code, field) => {
    const error = await errorOf(run);
    expect({ code: error.code, field: error.field }).toEqual({ code, field });
    expect(error.message).not.toBe('');
  });

  it('names the rule and the value', async () => {
    const error = await errorOf(() => posenc.rotation({ kind: 'rope', rotaryDim: 18 }, { length: 1 }));
    expect(error.rule).toBe('be from 2 to head_dim (16)');
    expect(error.value).toBe('18');
    expect(error.message).toBe('rope: rotary_dim must be from 2 to head_dim (16), got 18');
  });

  it('leaves the engine usable', async () => {
    for (const [, run] of CASES) await errorOf(run);
    expect(posenc.table({ kind: 'sinusoidal' }, { length: 1, dims: { dModel: 2, nHeads: 1 } }).data[1]).toBe(1);
  });
});

describe('PosencError', () => {
  it('is an Error with a name, and plain data on demand', () => {
    const error = new PosencError({ code: 'aborted', message: 'no' });
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe('PosencError');
    expect(structuredClone(error.toData())).toEqual(error.toData());
  });

  it('has every code of C++', async () => {
    const cpp = await readFile(projectPath('src/posenc/error.cpp'), 'utf8');
    const declarations = await readFile(projectPath('dist/errors.d.ts'), 'utf8');
    const codes = [...cpp.matchAll(/case ErrorCode::(\w+)/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(5);
    for (const code of codes) expect(declarations).toContain(`'${code}'`);
  });
});
