/** Compiles limits.cpp and language_model.cpp with the project's Emscripten. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { project } from '../paths.mjs';

/** Null if the module is there, else the reason why not. */
export function buildLimits() {
  if (!existsSync(project('build/env.sh'))) return 'not compiled: run scripts/setup first';
  const commands =
    '. build/env.sh && scripts/configure wasm && cmake --build --preset wasm --target posenc_bench_limits posenc_bench_language_model';
  try {
    execFileSync('bash', ['-c', commands], { cwd: project('.'), stdio: ['ignore', 'ignore', 'pipe'] });
    return null;
  } catch (error) {
    return `not compiled: ${String(error.stderr).trim().split('\n').at(-1)}`;
  }
}
