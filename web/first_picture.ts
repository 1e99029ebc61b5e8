/** Computes what the page shows at rest, at build time, with the built package: drawn before the engine arrives. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Posenc } from 'posenc';
import type { Plugin } from 'vite';
import { en } from './src/content/en.ts';
import { zh } from './src/content/zh.ts';
import type { Content } from './src/content/content.ts';
import { makePicture, type TokenizePair } from './src/engine/compute.ts';
import { pack, type SavedPages } from './src/engine/picture.ts';

const kVirtual = 'virtual:first-picture';

/** Vite plugin: the module `virtual:first-picture` holds the saved pages. `dist`: folder of the built package. */
export function firstPicture(dist: string): Plugin {
  const resolved = `\0${kVirtual}`;
  return {
    name: 'posenc-first-picture',
    resolveId: (id) => (id === kVirtual ? resolved : undefined),
    async load(id) {
      if (id !== resolved) return undefined;
      const at = (file: string): string => pathToFileURL(join(dist, file)).href;
      // Files of the build: their types are those of the package.
      const { load } = (await import(at('node.js'))) as { load: () => Promise<Posenc> };
      const { tokenizePair } = (await import(at('text.js'))) as { tokenizePair: TokenizePair };
      const engine = await load();
      const page = (content: Content): string => pack(makePicture(engine, tokenizePair, content.sentences));
      const saved: SavedPages = { pages: { en: page(en), zh: page(zh) } };
      return `export const saved = JSON.parse(${JSON.stringify(JSON.stringify(saved))});`;
    },
  };
}
