import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

import { load } from 'posenc';
import { describe, expect, it } from 'vitest';

import { projectPath } from './support.ts';

// Rules of the architecture that no compiler checks.

function filesBelow(folder: string, endings: RegExp): string[] {
  return readdirSync(projectPath(folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.test(entry.name))
    .map((entry) => relative(projectPath('.'), join(entry.parentPath, entry.name)).split(sep).join('/'));
}

const textOf = (file: string) => readFileSync(projectPath(file), 'utf8');
const includesOf = (file: string) =>
  [...textOf(file).matchAll(/^#include [<"]([^>"]+)[>"]/gm)].map(([, path]) => path ?? '');
const isStandard = (path: string) => /^[a-z_]+$/.test(path);

const core = filesBelow('src/posenc', /\.(hpp|cpp|in)$/);

describe('includes of the core', () => {
  it('is looked at where it is', () => {
    expect(core.length).toBeGreaterThan(25);
  });

  it('never reaches for Emscripten', () => {
    for (const file of core) expect(textOf(file), file).not.toMatch(/emscripten|__EMSCRIPTEN__/);
  });

  it('public headers include public headers and the standard library only', () => {
    const headers = core.filter((file) => /^src\/posenc\/\w+\.hpp$/.test(file));
    expect(headers.length).toBeGreaterThan(8);
    for (const file of headers) {
      for (const path of includesOf(file))
        expect(isStandard(path) || /^posenc\/\w+\.hpp$/.test(path), `${file}: ${path}`).toBe(true);
    }
  });

  it('an encoding never includes another encoding, only what encodings share', () => {
    const allowed = /^(posenc\/\w+\.hpp|encodings\/(define|registry|pairs|slopes|mlp)\.hpp|kernels\/kernels\.hpp)$/;
    for (const file of core.filter((name) => name.includes('/encodings/'))) {
      for (const path of includesOf(file))
        expect(isStandard(path) || allowed.test(path), `${file}: ${path}`).toBe(true);
    }
  });

  it('models know public headers, the kernels and one another', () => {
    const allowed = /^(posenc\/\w+\.hpp|kernels\/(kernels|training)\.hpp|models\/\w+\.hpp)$/;
    for (const file of core.filter((name) => name.includes('/models/'))) {
      for (const path of includesOf(file))
        expect(isStandard(path) || allowed.test(path), `${file}: ${path}`).toBe(true);
    }
  });

  it('kernels know matrix_view and themselves; only files with SIMD know xsimd', () => {
    for (const file of core.filter((name) => name.includes('/kernels/'))) {
      for (const path of includesOf(file)) {
        const ok = isStandard(path) || path === 'posenc/matrix_view.hpp' || path.startsWith('kernels/');
        expect(ok || (path === 'xsimd/xsimd.hpp' && /\/\w*simd\w*\.[ch]pp$/.test(file)), `${file}: ${path}`).toBe(true);
      }
    }
  });

  it('the bindings include public headers only', () => {
    const allowed = /^(emscripten\/\w+\.h|posenc\/\w+\.hpp|convert\.hpp)$/;
    for (const file of filesBelow('bindings/embind', /\.(hpp|cpp)$/)) {
      for (const path of includesOf(file))
        expect(isStandard(path) || allowed.test(path), `${file}: ${path}`).toBe(true);
    }
  });
});

describe('WebAssembly memory', () => {
  it('is reached from C++ only: TypeScript has views that C++ hands out', () => {
    const files = filesBelow('bindings/src', /\.ts$/).filter((name) => !name.includes('/generated/'));
    for (const file of files) expect(textOf(file), file).not.toMatch(/\bHEAP|malloc|WebAssembly\.Memory/);
  });
});

describe.each([
  ['bindings.cpp', 'raw_types.ts'],
  ['models.cpp', 'reader/raw_types.ts'],
])('the raw module of %s', (source, types) => {
  /** `table(spec, positions, out)`, sorted. */
  const bound = [...textOf(`bindings/embind/${source}`).matchAll(/function\("(\w+)(\(.*?\))?",/g)]
    .map(([, name = '', parameters = '()']) => name + parameters)
    .sort();

  it(`has the functions that ${types} says`, () => {
    const methods = /interface RawModule \{(.*?)\n\}/s.exec(textOf(`bindings/src/${types}`))?.[1] ?? '';
    const typed = [...methods.matchAll(/^  (\w+)\((.*?)\): /gms)].map(([, name = '', parameters = '']) => {
      const names = [...parameters.matchAll(/(\w+):/g)].map(([, parameter]) => parameter);
      return `${name}(${names.join(', ')})`;
    });
    expect(bound.length).toBeGreaterThan(10);
    expect(typed.sort()).toEqual(bound);
  });
});

describe('names', () => {
  it('no encoding is named in the page outside its texts', async () => {
    const kinds = (await load()).encodings.map(({ kind }) => kind);
    const quoted = new RegExp(`['"\`](${kinds.filter((kind) => kind !== 'none').join('|')})['"\`]`);
    for (const file of filesBelow('web/src', /\.ts$/).filter((name) => !name.includes('/content/'))) {
      expect(textOf(file), file).not.toMatch(quoted);
    }
  });

  it('no encoding is named in the bindings, except where models of others are read', async () => {
    const kinds = (await load()).encodings.map(({ kind }) => kind).filter((kind) => kind !== 'none');
    const quoted = new RegExp(`['"\`](${kinds.join('|')})['"\`]`);
    const files = filesBelow('bindings', /\.(ts|hpp|cpp|mjs)$/).filter((name) => !/\/(generated|config)\//.test(name));
    for (const file of files) expect(withoutExamples(textOf(file)), file).not.toMatch(quoted);
  });
});

/** Documentation may show an example, and a property may share the name of an encoding. */
const withoutExamples = (text: string) => text.replace(/^\s*(\*|\/\/).*$|\.set\("\w+",/gm, '');

describe('the package in browsers', () => {
  const browserFiles = filesBelow('dist', /\.js$/).filter((file) => !/\/(node\w*|cli)\.js$/.test(file));

  it('imports nothing of Node', () => {
    expect(browserFiles).toContain('dist/index.js');
    for (const file of browserFiles) expect(textOf(file), file).not.toMatch(/from ['"]node:|require\(/);
  });

  it('makes no code out of text', () => {
    for (const file of browserFiles) expect(textOf(file), file).not.toMatch(/new Function|\beval\(/);
  });

  it('names its other files so that bundlers see them', () => {
    const urls = (file: string) =>
      [...textOf(file).matchAll(/new URL\((.*?), import\.meta\.url\)/g)].map(([, url]) => url);
    expect(urls('dist/index.js')).toEqual(["'./posenc.wasm'", "'./worker.js'"]);
    expect(urls('dist/node.js')).toEqual(["'./posenc.wasm'", "'./node_worker.js'"]);
    expect(urls('dist/reader.js')).toEqual(["'./posenc_models.wasm'", "'./reader_worker.js'"]);
    expect(urls('dist/node_reader.js')).toEqual(["'./posenc_models.wasm'", "'./node_reader_worker.js'"]);
    expect(urls('dist/reader_shipped.js')).toEqual(['`./reader/${name}.safetensors`']);
    for (const file of ['dist/index.js', 'dist/reader.js'])
      expect(textOf(file)).toMatch(/new Worker\(new URL\('[^']*', import\.meta\.url\), \{ type: 'module' \}\)/);
  });
});
