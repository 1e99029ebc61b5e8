import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { serve } from '../serve.mjs';

let folder;
let site;

before(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'posenc-serve-'));
  mkdirSync(path.join(folder, 'site/sub dir'), { recursive: true });
  writeFileSync(path.join(folder, 'secret.txt'), 'secret');
  writeFileSync(path.join(folder, 'site/index.html'), '<h1>start</h1>');
  writeFileSync(path.join(folder, 'site/sub dir/index.html'), '<h1>sub</h1>');
  for (const name of [
    'a.js',
    'a.css',
    'a.json',
    'a.wasm',
    'a.svg',
    'a.png',
    'a.webmanifest',
    'a.safetensors',
    '中文.txt',
  ]) {
    writeFileSync(path.join(folder, 'site', name), name);
  }
  symlinkSync(path.join(folder, 'secret.txt'), path.join(folder, 'site/link.txt'));
  site = await serve({ dir: path.join(folder, 'site'), port: 0 });
});

after(async () => {
  await site.close();
  rmSync(folder, { recursive: true });
});

/** A request whose path is sent as it is; fetch would tidy it up. */
async function send(urlPath, { method = 'GET', headers = {} } = {}) {
  const { hostname, port } = new URL(site.url);
  const sent = request({ hostname, port, path: urlPath, method, headers }).end();
  const [response] = await once(sent, 'response');
  let body = '';
  for await (const part of response.setEncoding('utf8')) body += part;
  return { status: response.statusCode, headers: response.headers, body };
}

test('a folder is its index.html', async () => {
  const { status, headers, body } = await send('/');
  assert.equal(status, 200);
  assert.equal(headers['content-type'], 'text/html; charset=utf-8');
  assert.equal(headers['access-control-allow-origin'], '*');
  assert.equal(body, '<h1>start</h1>');
});

test('each kind of file has its type', async () => {
  const types = {
    'a.js': 'text/javascript; charset=utf-8',
    'a.css': 'text/css; charset=utf-8',
    'a.json': 'application/json; charset=utf-8',
    'a.wasm': 'application/wasm',
    'a.svg': 'image/svg+xml; charset=utf-8',
    'a.png': 'image/png',
    'a.webmanifest': 'application/manifest+json; charset=utf-8',
    'a.safetensors': 'application/octet-stream',
    '%E4%B8%AD%E6%96%87.txt': 'text/plain; charset=utf-8',
  };
  for (const [name, type] of Object.entries(types)) {
    const { status, headers } = await send(`/${name}`);
    assert.deepEqual([name, status, headers['content-type']], [name, 200, type]);
  }
});

test('a folder without its slash is redirected, with its query', async () => {
  const { status, headers } = await send('/sub%20dir?lang=zh');
  assert.equal(status, 301);
  assert.equal(headers.location, '/sub%20dir/?lang=zh');
  assert.equal((await send('/sub%20dir/')).body, '<h1>sub</h1>');
  assert.equal((await send('//sub%20dir')).headers.location, '/sub%20dir/');
});

test('nothing outside the folder is served', async () => {
  for (const urlPath of [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/..%2fsecret.txt',
    '/sub%20dir/../../secret.txt',
    '/link.txt',
  ]) {
    const { status, body } = await send(urlPath);
    assert.deepEqual([urlPath, status, body.includes('secret')], [urlPath, 404, false]);
  }
});

test('what is not there is 404, also a path that is none', async () => {
  for (const urlPath of ['/none', '/a.js/', '/%', '/%00', '/sub%20dir/none/']) {
    assert.deepEqual([urlPath, (await send(urlPath)).status], [urlPath, 404]);
  }
});

test('HEAD has the headers of GET and no body', async () => {
  const { status, headers, body } = await send('/a.js', { method: 'HEAD' });
  assert.deepEqual([status, headers['content-length'], body], [200, '4', '']);
});

test('other methods are refused', async () => {
  const { status, headers } = await send('/', { method: 'POST' });
  assert.deepEqual([status, headers.allow], [405, 'GET, HEAD']);
});

test('an unchanged file is 304, a changed one is sent', async () => {
  const { etag } = (await send('/a.js')).headers;
  assert.equal((await send('/a.js', { headers: { 'If-None-Match': etag } })).status, 304);
  writeFileSync(path.join(folder, 'site/a.js'), 'changed');
  assert.equal((await send('/a.js', { headers: { 'If-None-Match': etag } })).body, 'changed');
});

test('the program says where it is, takes the next free port and ends cleanly', async () => {
  // Whoever holds 8080, now somebody does.
  const holder = createServer();
  holder.listen(8080, '127.0.0.1').on('error', () => {});
  const program = path.join(import.meta.dirname, '../serve.mjs');
  const child = spawn(process.execPath, [program, path.join(folder, 'site')], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const [, url, port] = /^posenc is at (http:\/\/127\.0\.0\.1:(\d+)\/)\n$/.exec(line);
  assert.notEqual(port, '8080');
  assert.equal(await (await fetch(url)).text(), '<h1>start</h1>');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
  holder.close();
});
