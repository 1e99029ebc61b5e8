/** A page that answers one request of chromium.mjs. */
import { runCase } from '../case.mjs';
import { loadLanguageModel } from '../language_model/language_model.mjs';
import { loadLimits } from '../limits/limits.mjs';
import { startPeers, timeToFirstResult } from '../peers/index.mjs';

const { bundles, limitsWasm, languageModelWasm, tfWasmFolder } = Object.fromEntries(
  new URLSearchParams(location.search),
);

/** The module of posenc or of a peer. */
async function open(id) {
  const library = await import(`${bundles}/${id}-chromium/index.mjs`);
  if (id === 'tf') library.setWasmPaths(tfWasmFolder);
  return library;
}

/** Null if it is not there. */
async function bytesOf(url) {
  const response = await fetch(url);
  return response.ok ? response.arrayBuffer() : null;
}

async function answerCase(request) {
  const limits = await loadLimits(await bytesOf(limitsWasm), 'limits.cpp is not compiled');
  const languageModel = await loadLanguageModel(await bytesOf(languageModelWasm));
  const posenc = await (await open('posenc')).load();
  return runCase(request, { posenc, limits, languageModel, peers: await startPeers(request.peers, open, request.why) });
}

window.answer = (request) => ('library' in request ? timeToFirstResult(request.library, open) : answerCase(request));
