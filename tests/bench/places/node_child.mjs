/** A process that answers one request of node.mjs. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

import { runCase } from '../case.mjs';
import { loadLanguageModel } from '../language_model/language_model.mjs';
import { loadLimits } from '../limits/limits.mjs';
import { bundleFolder, LANGUAGE_MODEL_WASM, LIMITS_WASM, project, TF_WASM_FOLDER } from '../paths.mjs';
import { startPeers, timeToFirstResult } from '../peers/index.mjs';

/** The module of posenc or of a peer. */
async function open(id) {
  if (id === 'posenc') return import('../../../dist/node.js');
  if (id === 'ort') return (await import('../peers/node_modules/onnxruntime-web/dist/ort.node.min.mjs')).default;
  const tf = await import(project(`${bundleFolder(id, 'node')}/index.mjs`));
  tf.setWasmPaths(project(TF_WASM_FOLDER));
  return tf;
}

/** Milliseconds that this process has computed, whatever else the machine did meanwhile. */
function cpuClock() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Null if it is not there. */
async function bytesOf(path) {
  return existsSync(project(path)) ? readFile(project(path)) : null;
}

async function answerCase({ cpuTime = false, ...request }) {
  if (cpuTime) request.rounds = { ...request.rounds, now: cpuClock };
  const limits = await loadLimits(await bytesOf(LIMITS_WASM), 'limits.cpp is not compiled');
  const languageModel = await loadLanguageModel(await bytesOf(LANGUAGE_MODEL_WASM));
  const posenc = await (await open('posenc')).load();
  return runCase(request, { posenc, limits, languageModel, peers: await startPeers(request.peers, open, request.why) });
}

process.once('message', async (request) => {
  try {
    const answer = await ('library' in request ? timeToFirstResult(request.library, open) : answerCase(request));
    process.send({ answer });
  } catch (error) {
    process.send({ error: error.stack ?? String(error) });
  }
});
