import type { Encoding } from 'posenc';
import { describe, expect, it } from 'vitest';

import type { Case, Heads, Rows } from './support.ts';
import {
  NEAR,
  count,
  encodingOf,
  expectAttention,
  expectClose,
  expectQAndK,
  expectRotated,
  golden,
  grid,
  posenc,
  swapped,
} from './support.ts';

// Rotations with another geometry than one line: xPos, M-RoPE, rows and columns.

/** `[axis][token]` to the numbers of each token. */
function onAxes(axes: Rows): number[] {
  return (axes[0] ?? []).flatMap((_, token) => axes.map((axis) => axis[token] ?? NaN));
}

/** Logits and weights without a mask: the causal mask of these references goes by index, not by one axis. */
function expectUnmasked(c: Case, encoding: Encoding, positions: readonly number[]) {
  const scale = c.maybe('softmax_scale') ?? 1 / Math.sqrt(c.number('head_dim'));
  expectAttention(c, encoding, { qPositions: positions, scale, only: ['logits', 'softmax_full'] });
}

function expectOnAxes(c: Case, encoding: Encoding, positions: readonly number[]) {
  expectQAndK(c, encoding, positions);
  expectUnmasked(c, encoding, positions);
}

/** The same for vectors that the case has as `[token][head][dim]`. */
function expectTokens(c: Case, encoding: Encoding, positions: readonly number[]) {
  for (const operand of ['q', 'k'] as const) {
    const expected = swapped(c.expected<Heads>(`${operand}_rot`));
    expectRotated(encoding, positions, operand, swapped(c.input<Heads>(operand)), expected);
  }
}

/** Height and width under this name. */
function sizeOf(c: Case, name: string) {
  const [height = NaN, width = NaN] = c.list(name);
  return { height, width };
}

const rope2d = (convention: string, params: Readonly<Record<string, unknown>> = {}) =>
  encodingOf('rope_2d', { convention, ...params });

describe('xpos', () => {
  it.each(golden('xpos-torchscale'))('as torchscale has it: $name', (c) => {
    const encoding = encodingOf('xpos', { scaleBase: c.number('scale_base') });
    expectQAndK(c, encoding, c.positions());
    expectAttention(c, encoding);
  });

  it.each(golden('xpos-lucidrains'))('as rotary-embedding-torch has it: $name', (c) => {
    const encoding = encodingOf('xpos', { scaleBase: c.number('scale_base'), centre: 'lucidrains' });
    const positions = c.positions();
    expectQAndK(c, encoding, positions);
    expectAttention(c, encoding);
    const headDim = c.number('dim');
    const { cos, sin } = posenc.rotation(encoding, { positions, dims: { dModel: headDim, nHeads: 1, headDim } });
    expectClose(
      cos.data.map((value, i) => Math.hypot(value, sin.data[i] ?? NaN)),
      c.expected('scale'),
      1e-6,
    );
  });
});

describe('mrope', () => {
  const mrope = (c: Case, order: string) =>
    encodingOf('mrope', { order, mropeSection: c.list('mrope_section'), theta: c.number('rope_theta') });
  const positionsOf = (c: Case) => onAxes(c.input<Rows>('position_ids_thw'));

  const qwen2 = golden('mrope-qwen2vl');
  const rotated = qwen2.filter((c) => c.hasInput('q'));
  const indexed = qwen2.filter((c) => !c.hasInput('q'));
  it('Qwen2-VL has three cases with vectors', () => expect(rotated.length).toBe(3));
  it.each(rotated)('as Qwen2-VL has it: $name', (c) => expectOnAxes(c, mrope(c, 'contiguous'), positionsOf(c)));
  it('and five without, prompts of get_rope_index', () => expect(indexed.length).toBe(5));
  it.each(indexed)('$name', (c) => {
    const grids = (name: string) => (c.raw.params[name] ?? []) as [number, number, number][];
    const { positions, delta } = posenc.multimodalPositions({
      tokenTypes: c.input<number[]>('token_type (0 text, 1 image, 2 video)'),
      ...(c.hasInput('attention_mask') && { attentionMask: c.input<number[]>('attention_mask') }),
      imageGridThw: grids('image_grid_thw'),
      videoGridThw: grids('video_grid_thw'),
      mergeSize: c.number('spatial_merge_size'),
    });
    expect([...positions]).toEqual(onAxes(c.expected<Rows>('position_ids_thw')));
    expect([delta]).toEqual(c.expected('rope_delta'));
  });

  const qwen3 = golden('mrope-qwen3vl');
  it.each(qwen3)('as Qwen3-VL has it: $name', (c) => {
    const encoding = mrope(c, 'interleaved');
    expectOnAxes(c, encoding, positionsOf(c));
    const headDim = c.number('head_dim');
    const dims = { dModel: headDim, nHeads: 1, headDim };
    const { cos, sin } = posenc.rotation(encoding, { positions: positionsOf(c), dims });
    expectClose(cos.data, c.expected('cos'), NEAR);
    expectClose(sin.data, c.expected('sin'), NEAR);
  });

  const shared = [
    ...rotated.map((c) => ({ name: `Qwen2-VL, ${c.name}`, order: 'contiguous', c })),
    ...qwen3.map((c) => ({ name: `Qwen3-VL, ${c.name}`, order: 'interleaved', c })),
  ].filter(({ c }) => c.list('mrope_section').join() !== '3,3,2');
  it.each(shared)('shares out the same sections by itself: $name', ({ order, c }) => {
    const encoding = encodingOf('mrope', { order, theta: c.number('rope_theta') });
    expectQAndK(c, encoding, positionsOf(c));
  });
});

describe('ggml', () => {
  const ggml = golden('rope-ggml').filter((c) => ['MROPE', 'IMROPE', 'VISION'].includes(c.text('mode')));
  it('has four cases of several axes', () => expect(ggml.length).toBe(4));
  it.each(ggml)('$name', (c) => {
    const mode = c.text('mode');
    const vision = mode === 'VISION';
    // Four rows, one for each axis: time, height, width and one that Qwen does not use; y, x and two unused.
    const flat = c.input<number[]>('positions');
    const tokens = flat.length / 4;
    const axes = count(vision ? 2 : 3).map((axis) => flat.slice(axis * tokens, (axis + 1) * tokens));
    const encoding = vision
      ? rope2d('qwen2_vl')
      : encodingOf('mrope', {
          order: mode === 'MROPE' ? 'contiguous' : 'interleaved_ggml',
          mropeSection: c.list('sections').slice(0, 3), // the fourth is 0
          theta: c.number('freq_base'),
        });
    expectRotated(encoding, onAxes(axes), 'q', swapped(c.input<Heads>('x')), swapped(c.expected<Heads>('out')));
  });
});

describe('rope_mixed', () => {
  const mixed = golden('rope2d-rope-vit').filter((c) => c.raw.function === 'compute_mixed_cis');
  it('rope-vit has one case', () => expect(mixed.length).toBe(1));
  it.each(mixed)('as rope-vit has it: $name', (c) => {
    const heads = c.number('heads');
    const headDim = c.number('head_dim');
    const weights = Float32Array.from(c.input<Rows[]>('freqs_xy').flat(2));
    const encoding = encodingOf('rope_mixed', { weights });
    const positions = grid(c.number('end_y'), c.number('end_x'));
    const dims = { dModel: heads * headDim, nHeads: heads, headDim };
    const { cos, sin } = posenc.rotation(encoding, { positions, axes: 2, dims });
    // compute_mixed_cis takes speeds as [2][heads * pairs] and was called with [2][heads][pairs], so its view as
    // [token][head] reads rows that are [head, token].
    const tokens = cos.rows / heads;
    const called = count(cos.rows).map((row) => (row % tokens) * heads + Math.floor(row / tokens));
    const cis = called.flatMap((row) =>
      count(cos.cols).map((pair) => [cos.data[row * cos.cols + pair], sin.data[row * cos.cols + pair]]),
    );
    expectClose(cis.flat() as number[], c.expected('freqs_cis'), NEAR);
    // One turn after the other, for each row that was taken.
    const q = c.input<Heads>('q').flat();
    const expected = c.expected<Heads>('q_rot').flat();
    called.forEach((from, row) => {
      const data = new Float32Array(heads * headDim);
      data.set(q[row] ?? [], Math.floor(from / tokens) * headDim);
      const token = from % tokens;
      const turned = posenc.apply(
        encoding,
        { data, shape: [heads, 1, headDim] },
        { positions: positions.slice(2 * token, 2 * token + 2) },
      );
      const first = Math.floor(from / tokens) * headDim;
      expectClose(turned.data.subarray(first, first + headDim), expected[row] ?? [], 3 * NEAR);
    });
  });
});

describe('rope_2d', () => {
  it.each(golden('rope2d-chatglm'))('as ChatGLM has it: $name', (c) => {
    const axes = [c.input<number[]>('position_ids'), c.input<number[]>('block_position_ids')];
    expectOnAxes(c, rope2d('chatglm'), onAxes(axes));
  });

  it.each(golden('rope2d-pixtral'))('as Pixtral has it: $name', (c) => {
    const { height, width } = sizeOf(c, 'grid');
    expectOnAxes(c, rope2d('pixtral'), grid(height, width));
  });

  const ropeVit = golden('rope2d-rope-vit');
  const axial = ropeVit.filter((c) => c.raw.function === 'compute_axial_cis');
  it('rope-vit has two axial cases', () => expect(axial.length).toBe(2));
  it.each(axial)('as rope-vit has it: $name', (c) => {
    const encoding = rope2d('llama4', { theta: c.number('theta') });
    expectOnAxes(c, encoding, grid(c.number('end_y'), c.number('end_x')));
  });
  it.each(golden('rope2d-llama4-vision'))('as Llama-4 has it, with the class token at (0, 0): $name', (c) => {
    const side = c.number('side');
    expectTokens(c, rope2d('llama4'), [...grid(side, side, 1), 0, 0]);
  });

  it.each(golden('rope2d-dinov3'))('as DINOv3 has it, with prefix tokens in the middle: $name', (c) => {
    const { height, width } = sizeOf(c, 'grid');
    const theta = c.number('rope_theta');
    const encoding = rope2d('qwen2_vl', { theta, coordinates: 'centres', height, width });
    const middle = [(height - 1) / 2, (width - 1) / 2];
    const prefix = count(c.number('prefix_tokens')).flatMap(() => middle);
    const patches = grid(height, width);
    expectQAndK(c, encoding, [...prefix, ...patches]);
    const headDim = c.number('head_dim');
    const { cos, sin } = posenc.rotation(encoding, { positions: patches, dims: { dModel: headDim, nHeads: 1, headDim } }); // prettier-ignore
    expectClose(cos.data, c.expected('cos'), NEAR);
    expectClose(sin.data, c.expected('sin'), NEAR);
  });

  it.each(golden('rope2d-qwen2vl-vision'))('as Qwen2-VL vision has it: $name', (c) => {
    expectTokens(c, rope2d('qwen2_vl'), c.expected<Rows>('position_ids_hw').flat());
  });

  it.each(golden('rope2d-eva02'))('as EVA-02 has it: $name', (c) => {
    const pretrained = c.number('pt_seq_len');
    const side = c.maybe('ft_seq_len') ?? pretrained;
    const encoding = rope2d('eva02', { scale: pretrained / side });
    expectRotated(encoding, grid(side, side), 'q', c.input('x'), c.expected('x_rot'));
  });

  it.each(golden('rope-axial-lucidrains'))('as rotary-embedding-torch has it: $name', (c) => {
    const { height, width } = sizeOf(c, 'grid');
    const pixel = c.text('freqs_for') === 'pixel';
    const encoding = rope2d('eva02', {
      rotaryDim: 2 * c.number('dim_per_axis'),
      ...(pixel ? { frequencies: 'linear', maxFreq: c.number('max_freq'), coordinates: 'edges', height, width } : {}),
    });
    // In float32 an angle of 128 pi is good to 3e-5, and inputs reach 3.
    const tolerance = pixel ? 1e-4 : undefined;
    const patches = [c.input<Heads>('x').flat()];
    expectRotated(encoding, grid(height, width), 'q', patches, [c.expected<Heads>('x_rot').flat()], tolerance);
  });
});
