import { describe, expect, it } from 'vitest';

import { matrixOf } from '../support.ts';
import { NEAR, count, encodingOf, expectClose, expectRows, golden, grid, numbers, posenc } from './support.ts';
import type { Rows } from './support.ts';

describe('sinusoidal', () => {
  it.each(golden('sinusoidal-marian'))('as Marian has it: $name', (c) => {
    const encoding = encodingOf('sinusoidal', { convention: 'concatenated' });
    expectRows(encoding, c.number('dim'), count(c.number('num_positions')), c.expected('table'));
  });

  it.each(golden('sinusoidal-fairseq'))('as fairseq has it: $name', (c) => {
    const encoding = encodingOf('sinusoidal', {
      convention: 'concatenated_half_1',
      paddingIdx: c.maybe('padding_idx'),
    });
    expectRows(encoding, c.number('dim'), count(c.number('num_positions')), c.expected('table'));
  });

  it.each(golden('sinusoidal-m2m100'))('as M2M100 has it, after the padding word: $name', (c) => {
    const paddingIdx = c.number('padding_idx');
    const encoding = encodingOf('sinusoidal', {
      convention: 'concatenated_half_1',
      paddingIdx,
      positionOffset: c.number('offset'),
    });
    // Real words count from 0; a padding word stands before the first of them.
    let seen = 0;
    const at = c.input<number[]>('input_ids').map((id) => (id === paddingIdx ? -1 : seen++));
    expectRows(encoding, c.number('dim'), at, c.expected('embedding'));
  });

  it.each(golden('sinusoidal-x-transformers'))('as x-transformers has it: $name', (c) => {
    const encoding = encodingOf('sinusoidal', {
      convention: 'concatenated',
      theta: c.number('theta'),
      scale: c.number('scale'),
      positionOffset: c.number('offset'),
    });
    expectRows(encoding, c.number('dim'), count(c.number('num_positions')), c.expected('table'));
  });

  it.each(golden('sinusoidal-whisper'))('as Whisper has it: $name', (c) => {
    const encoding = encodingOf('sinusoidal', { convention: 'concatenated_half_1' });
    expectRows(encoding, c.number('channels'), count(c.number('length')), c.expected('table'));
  });

  it.each(golden('sinusoidal-opennmt'))('as OpenNMT has it: $name', (c) => {
    if (c.expects('out')) {
      const encoding = encodingOf('sinusoidal', { convention: 'interleaved', embeddingScale: 'sqrt_d_model' });
      expectClose(posenc.apply(encoding, matrixOf(c.input<Rows>('emb'))).data, c.expected('out'), NEAR);
      return;
    }
    // OpenNMT's "SinusoidalConcat" spaces its exponents as half - 1 does.
    const interleaved = c.text('enc_type') === 'SinusoidalInterleaved';
    const encoding = encodingOf('sinusoidal', { convention: interleaved ? 'interleaved' : 'concatenated_half_1' });
    const rows = c.expects('rows');
    const at = rows ? c.list('positions') : count(c.number('num_positions'));
    expectRows(encoding, c.number('dim'), at, c.expected(rows ? 'rows' : 'table'));
  });
});

describe('learned', () => {
  it.each(golden('learned-opt'))('as OPT has it: $name', (c) => {
    const table = c.input<Rows>('table');
    const encoding = encodingOf('learned', {
      maxPosition: table.length,
      positionOffset: c.number('offset'),
      weights: table.flat(),
    });
    // OPT: position = (how many real words so far) - 1; padding words count as -1.
    let seen = 0;
    const at = c.input<number[]>('attention_mask').map((real) => (real === 0 ? -1 : seen++));
    expectRows(encoding, c.number('dim'), at.slice(c.number('past')), c.expected('embedding'));
  });

  it.each(golden('learned-x-transformers'))('as x-transformers has it: $name', (c) => {
    const table = c.input<Rows>('table');
    const encoding = encodingOf('learned', {
      maxPosition: table.length,
      positionOffset: c.number('offset'),
      l2norm: c.flag('l2norm_embed'),
      scale: c.number('scale'),
      weights: table.flat(),
    });
    expectRows(encoding, c.number('dim'), count(c.number('seq_len')), c.expected('embedding'));
  });
});

describe('sincos2d', () => {
  it.each(golden('sincos2d-mae'))('as MAE has it: $name', (c) => {
    const size = c.number('grid_size');
    const table = c.expected<Rows>('table');
    const classToken = c.flag('cls_token');
    if (classToken) expect(numbers(table[0] ?? NaN).every((value) => value === 0)).toBe(true);
    const encoding = encodingOf('sincos2d', { convention: 'mae' });
    expectRows(encoding, c.number('dim'), grid(size, size), classToken ? table.slice(1) : table);
  });

  it.each(golden('sincos2d-omdet'))("as OmDet-Turbo has it, MAE's rows column by column: $name", (c) => {
    const height = c.number('height');
    const encoding = encodingOf('sincos2d', { convention: 'mae', theta: c.number('temperature') });
    const at = count(height * c.number('width')).flatMap((patch) => [patch % height, Math.floor(patch / height)]);
    expectRows(encoding, c.number('dim'), at, c.expected('table'));
  });

  it.each(golden('sincos2d-detr'))('as DETR has it: $name', (c) => {
    const normalize = c.flag('normalize');
    // The size of the picture is what the mask leaves of it; patches outside are not compared.
    const mask = c.hasInput('mask') ? c.input<Rows>('mask') : [];
    const inside = c.expected<Rows[]>('pos').map((row, y) => row.filter((_, x) => mask[y]?.[x] !== 0));
    const height = inside.filter((row) => row.length > 0).length;
    const width = Math.max(...inside.map((row) => row.length));
    const encoding = encodingOf('sincos2d', {
      convention: normalize ? 'detr' : 'detr_counted',
      theta: c.number('temperature'),
      ...(normalize ? { height, width } : {}),
    });
    expectRows(encoding, 2 * c.number('num_position_features'), grid(height, width), inside);
  });
});
