import { fromConfig, presets } from 'posenc/presets';
import { load } from 'posenc';
import { describe, expect, it } from 'vitest';

const posenc = await load();
const preset = (id: string) => {
  const found = presets.find((entry) => entry.id === id);
  if (found === undefined) throw new Error(`no preset ${id}`);
  return fromConfig(found.config);
};

describe('presets', () => {
  it('are many, each with an id of its own and a source', () => {
    expect(presets.length).toBeGreaterThanOrEqual(30);
    expect(new Set(presets.map(({ id }) => id)).size).toBe(presets.length);
    for (const { id, name, source } of presets) {
      expect(id).toMatch(/^[a-z0-9.-]+$/);
      expect(name).not.toBe('');
      expect(source).toMatch(/^[\w.-]+\/[\w.-]+$/);
    }
  });

  it('have no key that is not known', () => {
    for (const { id, config } of presets) {
      const unknown = fromConfig(config).notes.filter(({ message }) => message.includes('not known'));
      expect(unknown, id).toEqual([]);
    }
  });

  it('give their main encoding and dims as the first layer', () => {
    for (const { config } of presets) {
      const { encoding, dims, layers } = fromConfig(config);
      expect(layers[0]?.encoding).toBe(encoding);
      expect(layers[0]?.dims).toBe(dims);
    }
  });

  it.each(presets.map(({ id, config }) => [id, config] as const))(
    '%s: parameters are those of the registry',
    (_id, config) => {
      for (const { encoding } of fromConfig(config).layers) {
        const { kind, ...params } = encoding;
        const fields = posenc.encodings.find((info) => info.kind === kind)?.fields;
        expect(fields, kind).toBeDefined();
        for (const [name, value] of Object.entries(params)) {
          const field = fields?.find((candidate) => candidate.name === name);
          expect(field, `${kind}.${name}`).toBeDefined();
          if (field?.type === 'choice') expect(field.choices.map(({ id }) => id)).toContain(value);
        }
      }
    },
  );

  it.each(presets.map(({ id, config }) => [id, config] as const))(
    '%s: the engine takes every encoding',
    (_id, config) => {
      for (const { encoding, dims } of fromConfig(config).layers) {
        const info = posenc.encodings.find(({ kind }) => kind === encoding.kind);
        expect(info, encoding.kind).toBeDefined();
        // A table of random numbers is as wide as the model, and says nothing here.
        const small = info?.learned === true ? { dModel: 2 * dims.nHeads, nHeads: dims.nHeads, headDim: 2 } : dims;
        const positions = Array.from({ length: info?.axes ?? 1 }, () => 1);
        const options = { positions, axes: info?.axes ?? 1, dims: small };
        if (info?.seams.includes('input')) expect(posenc.table(encoding, options).rows).toBe(1);
        if (info?.seams.includes('rotary')) expect(posenc.rotation(encoding, options).cos.rows).toBe(1);
        if (info?.seams.includes('bias') && info.axes === 1) {
          expect(posenc.bias(encoding, { queries: 1, keys: 1, dims: small }).shape).toEqual([dims.nHeads, 1, 1]);
        }
      }
    },
  );

  it.each([
    ['llama-2-7b', { theta: 10000 }, 128, 4096],
    ['llama-3.1-8b', { theta: 500000, scaling: 'llama3', factor: 8, originalMaxPosition: 8192 }, 128, 8192],
    ['codellama-7b', { theta: 1000000 }, 128, 16384],
    ['gpt-neox-20b', { theta: 10000, rotaryDim: 24 }, 96, 2048],
    ['phi-2', { theta: 10000, rotaryDim: 32 }, 80, 2048],
    ['gpt-j-6b', { layout: 'interleaved', rotaryDim: 64 }, 256, 2048],
    [
      'deepseek-v3',
      { layout: 'interleaved_to_half', scaling: 'yarn_deepseek', factor: 40, mscale: 1, mscaleAllDim: 1 },
      64,
      4096,
    ],
    ['gpt-oss-20b', { theta: 150000, factor: 32, truncate: false }, 64, 4096],
    ['phi-3.5-mini', { scaling: 'longrope', factor: 32, originalMaxPosition: 4096 }, 96, 4096],
  ])('%s', (id, encoding, headDim, trainLength) => {
    const model = preset(id);
    expect(model.encoding).toMatchObject(encoding);
    expect(model.dims.headDim).toBe(headDim);
    expect(model.trainLength).toBe(trainLength);
  });
});
