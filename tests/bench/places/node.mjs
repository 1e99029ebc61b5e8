/** Runs cases in Node: a new process for each, so that none inherits the memory of another. */
import { fork } from 'node:child_process';

import { project } from '../paths.mjs';
import { bundle } from '../peers/bundle.mjs';
import { PEERS } from '../peers/index.mjs';

/**
 * @param peers  ids of those that are asked for
 * @param why    reasons of those that are not there
 * @returns      { id, name, peers, run(request), ready(library), close() }
 */
export async function openNode({ peers = [], why = {} } = {}) {
  const reasons = { ...why };
  for (const id of peers) if (!PEERS[id].runsIn.includes('node')) reasons[id] ??= 'runs in browsers only';
  if (peers.includes('tf') && reasons.tf === undefined) await bundle('tf', 'node');
  return {
    id: 'node',
    name: `Node ${process.versions.node}`,
    peers: peers.filter((id) => reasons[id] === undefined),
    run: (request) => askChild({ ...request, peers, why: reasons }),
    ready: async (library) => ({ ms: await askChild({ library }) }),
    close: () => Promise.resolve(),
  };
}

function askChild(request) {
  return new Promise((resolve, reject) => {
    const child = fork(project('tests/bench/places/node_child.mjs'), { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let complaints = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (complaints += text));
    child.once('message', ({ answer, error }) => {
      child.kill();
      if (error === undefined) resolve(answer);
      else reject(new Error(error));
    });
    child.once('exit', (code, signal) => reject(new Error(`a process ended (${signal ?? code})\n${complaints}`)));
    child.once('error', reject);
    child.send(request);
  });
}
