import { fileURLToPath } from 'node:url';

import { defineConfig } from 'vitest/config';

/** The package as its users get it. */
const built = (file: string) => fileURLToPath(new URL(`dist/${file}`, import.meta.url));
const alias = {
  'posenc/text': built('text.js'),
  'posenc/presets': built('presets.js'),
  'posenc/reader/shipped': built('node_reader_shipped.js'),
  'posenc/reader': built('node_reader.js'),
  'posenc/worker': built('worker.js'),
  posenc: built('node.js'),
};

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { alias },
        test: {
          name: 'ts',
          include: ['tests/ts/**/*.test.ts', 'tests/bench/*.test.mjs'],
          testTimeout: 30_000,
          hookTimeout: 30_000,
        },
      },
      {
        resolve: { alias },
        // Browsers: one after the other, on a machine of two cores.
        test: {
          name: 'web',
          include: ['tests/web/**/*.spec.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
