import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UserConfig } from 'vite';
import { firstPicture } from './first_picture.ts';

/** How the page is built from the built package in the folder `dist`. */
export function pageConfig(dist: string): UserConfig {
  const root = fileURLToPath(new URL('.', import.meta.url));
  return {
    root,
    base: './',
    publicDir: join(root, 'public'),
    plugins: [firstPicture(dist)],
    resolve: {
      alias: [
        { find: /^posenc$/u, replacement: join(dist, 'index.js') },
        { find: /^posenc\/text$/u, replacement: join(dist, 'text.js') },
        { find: /^posenc\/reader$/u, replacement: join(dist, 'reader.js') },
        { find: /^posenc\/worker$/u, replacement: join(dist, 'worker.js') },
      ],
    },
    server: { fs: { allow: [root, dist, join(root, '..')] } },
    worker: { format: 'es' },
    build: {
      outDir: join(root, 'dist'),
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: { polyfill: false },
      // A data: URL would break the content security policy.
      assetsInlineLimit: 0,
    },
  };
}
