import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import { load } from 'posenc';
import { afterAll, describe, expect, it, vi } from 'vitest';

import { errorOf, wasmBytes } from './support.ts';

const bytes = await wasmBytes();

/** A server that answers each path in another way. */
const server = createServer((request, response) => {
  const path = request.url ?? '';
  if (path === '/posenc.wasm') response.writeHead(200, { 'content-type': 'application/wasm' }).end(bytes);
  else if (path === '/as-octets') response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(bytes);
  else if (path === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><p>Hi');
  else if (path === '/empty') response.writeHead(200).end();
  else if (path === '/cut') response.writeHead(200).end(bytes.subarray(0, 1000));
  else if (path === '/broken') response.writeHead(200, { 'content-length': '999' }).destroy();
  else if (path !== '/silent') response.writeHead(404).end('no');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const port = (server.address() as AddressInfo).port; // listening on TCP, so not a string
const at = (path: string) => `http://127.0.0.1:${port}${path}`;

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('load', () => {
  it('shares one engine when called without options', async () => {
    expect(await load()).toBe(await load());
  });

  const sources = {
    'a URL as text': () => at('/posenc.wasm'),
    'a URL object': () => new URL(at('/posenc.wasm')),
    'a URL with another content type': () => at('/as-octets'),
    'a Response': async () => fetch(at('/posenc.wasm')),
    bytes: () => new Uint8Array(bytes),
    'a view into a larger buffer': () => new Uint8Array([...new Uint8Array(8), ...bytes]).subarray(8),
    'an ArrayBuffer': () => new Uint8Array(bytes).buffer,
    'a compiled module': () => WebAssembly.compile(new Uint8Array(bytes)),
  };
  it.each(Object.entries(sources))('takes %s', async (_name, source) => {
    const posenc = await load({ wasm: await source() });
    expect(posenc.encodings.length).toBeGreaterThan(5);
  });

  it('uses the given fetch', async () => {
    const asked: string[] = [];
    const fetchOwn = (input: RequestInfo | URL, init?: RequestInit) => {
      asked.push(String(input));
      return fetch(at('/posenc.wasm'), init);
    };
    await load({ wasm: 'https://example.invalid/posenc.wasm', fetch: fetchOwn });
    expect(asked).toEqual(['https://example.invalid/posenc.wasm']);
  });

  it('says what came instead of WebAssembly: URL, content type, beginning, and the fix', async () => {
    const error = await errorOf(() => load({ wasm: at('/page') }));
    expect(error.code).toBe('wasm_not_wasm');
    expect(error.message).toContain(at('/page'));
    expect(error.message).toContain('text/html');
    expect(error.message).toContain('<!doctype html>');
    expect(error.hint).toContain('optimizeDeps');
  });

  it.each([
    ['nothing is there', '/missing', 'wasm_not_found', 'HTTP 404'],
    ['the file is empty', '/empty', 'wasm_not_wasm', 'empty'],
    ['the file is cut off', '/cut', 'wasm_not_wasm', 'CompileError'],
    ['the connection breaks', '/broken', 'wasm_not_found', ''],
  ])('rejects when %s', async (_name, path, code, part) => {
    const error = await errorOf(() => load({ wasm: at(path) }));
    expect(error.code).toBe(code);
    expect(error.message).toContain(part);
  });

  it('rejects when the server does not exist', async () => {
    const error = await errorOf(() => load({ wasm: 'http://127.0.0.1:1/posenc.wasm' }));
    expect(error.code).toBe('wasm_not_found');
  });

  it('rejects when no answer comes in time', async () => {
    const error = await errorOf(() => load({ wasm: at('/silent'), timeout: 50 }));
    expect(error.code).toBe('wasm_not_found');
    expect(error.message).toContain('50 ms');
  });

  it('can be aborted, before and while loading', async () => {
    const controller = new AbortController();
    const loading = errorOf(() => load({ wasm: at('/silent'), signal: controller.signal }));
    controller.abort();
    expect((await loading).code).toBe('aborted');
    expect((await errorOf(() => load({ wasm: at('/posenc.wasm'), signal: AbortSignal.abort() }))).code).toBe('aborted');
  });

  it('says which browsers it needs where there is no SIMD, and that WebAssembly is off where it is', async () => {
    vi.spyOn(WebAssembly, 'validate').mockReturnValue(false);
    const old = await errorOf(() => load({ wasm: at('/posenc.wasm') }));
    vi.restoreAllMocks();
    expect(old.code).toBe('wasm_unsupported');
    expect(old.hint).toContain('Safari 16.4');
    vi.stubGlobal('WebAssembly', undefined);
    const off = await errorOf(() => load({ wasm: at('/posenc.wasm') }));
    vi.unstubAllGlobals();
    expect(off.code).toBe('wasm_blocked');
  });

  it('refuses other kinds of source', async () => {
    const error = await errorOf(() => load({ wasm: 42 as unknown as string }));
    expect(error).toMatchObject({ code: 'wrong_type', field: 'wasm' });
  });
});
