// A small static server for the built page and for the tests.
//
//   node scripts/serve.mjs DIR [--port N] [--host H]
//
// Without --port it takes 8080 or the next free port.
import { createReadStream, realpathSync } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';

const FIRST_PORT = 8080;
const TYPES = new Map(
  Object.entries({
    '.css': 'text/css; charset=utf-8',
    '.html': 'text/html; charset=utf-8',
    '.ico': 'image/x-icon',
    '.js': 'text/javascript; charset=utf-8',
    '.json': 'application/json; charset=utf-8',
    '.map': 'application/json; charset=utf-8',
    '.mjs': 'text/javascript; charset=utf-8',
    '.png': 'image/png',
    '.safetensors': 'application/octet-stream',
    '.svg': 'image/svg+xml; charset=utf-8',
    '.txt': 'text/plain; charset=utf-8',
    '.wasm': 'application/wasm',
    '.webmanifest': 'application/manifest+json; charset=utf-8',
    '.xml': 'application/xml; charset=utf-8',
  }),
);

/** The file that a URL path names, `{directory: true}` for a folder without its slash, or undefined. */
async function find(root, urlPath) {
  let wanted;
  try {
    wanted = path.join(root, decodeURIComponent(urlPath));
    // A link inside the folder must not lead out of it either.
    const real = await realpath(wanted);
    if (real !== root && !real.startsWith(root + path.sep)) return undefined;
    const info = await stat(real);
    if (info.isDirectory())
      return urlPath.endsWith('/') ? await find(root, `${urlPath}index.html`) : { directory: true };
    return info.isFile() && !urlPath.endsWith('/') ? { file: real, info } : undefined;
  } catch {
    return undefined; // not there, or not a path at all
  }
}

async function answer(root, request, response) {
  response.setHeader('Access-Control-Allow-Origin', '*');
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-cache');
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  const [urlPath, ...query] = (request.url ?? '/').split('?');
  let status = 200;
  let found = await find(root, urlPath);
  if (found?.directory) {
    // Not a plain `${urlPath}/`: a browser would read a path that starts with two slashes as another host.
    const search = query.length > 0 ? `?${query.join('?')}` : '';
    response.writeHead(301, { Location: `${urlPath.replace(/^\/+/, '/')}/${search}` }).end();
    return;
  }
  if (!found) {
    status = 404;
    found = await find(root, '/404.html');
  }
  if (!found?.file) {
    const text =
      '<!doctype html><html lang="en"><title>Not found</title><h1>Not found</h1><p><a href="/">Start</a></p></html>';
    response.writeHead(404, { 'Content-Type': TYPES.get('.html'), 'Content-Length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
    return;
  }

  const etag = `"${found.info.size.toString(36)}-${Math.round(found.info.mtimeMs).toString(36)}"`;
  response.setHeader('ETag', etag);
  if (status === 200 && request.headers['if-none-match'] === etag) {
    response.writeHead(304).end();
    return;
  }
  response.writeHead(status, {
    'Content-Type': TYPES.get(path.extname(found.file).toLowerCase()) ?? 'application/octet-stream',
    'Content-Length': found.info.size,
  });
  if (request.method === 'HEAD') response.end();
  else await pipeline(createReadStream(found.file), response);
}

function listen(server, port, host) {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/**
 * Serves a folder. Without a port: 8080 or the next free one; port 0: any free one.
 *
 * @param {{dir: string, port?: number, host?: string}} options
 * @returns {Promise<{url: string, close: () => Promise<void>}>}
 */
export async function serve({ dir, port, host = '127.0.0.1' }) {
  const root = realpathSync(dir);
  const server = createServer((request, response) => {
    // A reader that goes away in the middle of a file is no fault of ours.
    answer(root, request, response).catch(() => response.destroy());
  });
  for (let candidate = port ?? FIRST_PORT; ; candidate += 1) {
    try {
      await listen(server, candidate, host);
      break;
    } catch (error) {
      if (port !== undefined || error.code !== 'EADDRINUSE' || candidate >= FIRST_PORT + 100) throw error;
    }
  }
  const close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${server.address().port}/`, close };
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { port: { type: 'string' }, host: { type: 'string' } },
  });
  const port = values.port === undefined ? undefined : Number(values.port);
  if (positionals.length !== 1 || (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65536))) {
    throw new Error('usage: node scripts/serve.mjs DIR [--port N] [--host H]');
  }
  const { url, close } = await serve({ dir: positionals[0], port, host: values.host });
  console.log(`posenc is at ${url}`);
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void close());
}

if (process.argv[1] && realpathSync(process.argv[1]) === import.meta.filename) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
