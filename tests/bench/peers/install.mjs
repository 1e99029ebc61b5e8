/** Gets the peers from npm, once, in the versions of package-lock.json; without a network the benchmark goes on. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { PEERS_FOLDER, project } from '../paths.mjs';

/** Is node_modules what the lock file says? Its stamp is a copy of the lock file. */
function installed() {
  const stamp = project(`${PEERS_FOLDER}/node_modules/.posenc-stamp`);
  const lock = readFileSync(project(`${PEERS_FOLDER}/package-lock.json`), 'utf8');
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === lock;
}

/** Null if the peers are there, else the reason why not. */
export function installPeers() {
  if (installed()) return null;
  console.log('Installing the peers (200 MB, once) ...');
  try {
    const options = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', options, { cwd: project(PEERS_FOLDER), stdio: ['ignore', 'ignore', 'pipe'], timeout: 600_000 });
    const lock = readFileSync(project(`${PEERS_FOLDER}/package-lock.json`));
    writeFileSync(project(`${PEERS_FOLDER}/node_modules/.posenc-stamp`), lock);
    return null;
  } catch (error) {
    const lines = String(error.stderr || error.message).split('\n');
    const reason = lines.find((line) => /network|ENOTFOUND|EAI_AGAIN|ECONN|registry/i.test(line)) ?? lines[0];
    return `not installed: ${reason.replace(/^npm error\s*/, '').trim()}`;
  }
}
