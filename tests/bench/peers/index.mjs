/**
 * The peers: which there are, and how each is started. Runs in Node and in browsers; an adapter gets the module of its
 * library and offers contenders for the workloads.
 */
export const PEERS = {
  jax: { name: 'jax-js', runsIn: ['chromium'], adapter: './jax.mjs' },
  ort: { name: 'onnxruntime-web', runsIn: ['chromium', 'node'], adapter: './onnxruntime.mjs' },
  tf: { name: 'tfjs', runsIn: ['chromium', 'node'], adapter: './tfjs.mjs' },
};

const adapterOf = (id) => import(PEERS[id].adapter);

/**
 * @param ids   of peers
 * @param open  loads the module of a peer: id => namespace
 * @param why   reasons of those that are not there: { id: reason }
 * @returns     { id: what it offers for the workloads, or { missing: reason } }
 */
export async function startPeers(ids, open, why = {}) {
  const peers = {};
  for (const id of ids) {
    try {
      if (why[id] !== undefined) throw new Error(why[id]);
      const { start } = await adapterOf(id);
      peers[id] = await start(await open(id));
    } catch (error) {
      peers[id] = { missing: error.message };
    }
  }
  return peers;
}

/** Milliseconds from loading a library, a peer or posenc, to its first result. */
export async function timeToFirstResult(id, open) {
  const adapter = id === 'posenc' ? { firstResult: firstTable } : await adapterOf(id);
  const start = performance.now();
  await adapter.firstResult(await open(id));
  return performance.now() - start;
}

async function firstTable({ load }) {
  return (await load()).table({ kind: 'sinusoidal' }, { length: 16, dims: { dModel: 64, nHeads: 1 } }).data[0];
}
