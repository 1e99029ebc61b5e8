/** A page that answers one request of chromium.mjs. */
import { runCase } from '../case.mjs';
import { loadLimits } from '../limits/limits.mjs';
import { startPeers, timeToFirstResult } from '../peers/index.mjs';

const { bundles, limitsWasm, tfWasmFolder } = Object.fromEntries(new URLSearchParams(location.search));

/** The module of posenc or of a peer. */
async function open(id) {
  const library = await import(`${bundles}/${id}-chromium/index.mjs`);
  if (id === 'tf') library.setWasmPaths(tfWasmFolder);
  return library;
}

async function answerCase(request) {
  const response = await fetch(limitsWasm);
  const limits = await loadLimits(response.ok ? await response.arrayBuffer() : null, 'limits.cpp is not compiled');
  const posenc = await (await open('posenc')).load();
  return runCase(request, { posenc, limits, peers: await startPeers(request.peers, open, request.why) });
}

window.answer = (request) => ('library' in request ? timeToFirstResult(request.library, open) : answerCase(request));
