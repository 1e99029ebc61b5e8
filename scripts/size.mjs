// Prints the sizes of what a visitor downloads, and fails above the budgets. KB = 1000 bytes.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

const root = path.dirname(import.meta.dirname);

const IS_WORKER = /worker/;

const BUDGETS = [
  { name: 'dist/posenc.wasm', files: [path.join(root, 'dist/posenc.wasm')], gzipKB: 70 },
  { name: 'dist/posenc_models.wasm', files: [path.join(root, 'dist/posenc_models.wasm')], gzipKB: 96 },
  { name: 'package: dist/index.js and what it imports', files: withImports('dist/index.js'), gzipKB: 30 },
  { name: 'package: dist/reader.js and what it imports', files: withImports('dist/reader.js'), gzipKB: 25 },
  { name: 'page: HTML, CSS, JS', files: pageFiles((name) => !IS_WORKER.test(name)), gzipKB: 120 },
  // Loaded when a reader is trained, or a text is long.
  { name: 'page: JS of its workers', files: pageFiles((name) => IS_WORKER.test(name)), gzipKB: 20 },
];

function pageFiles(isIt) {
  return filesBelow(path.join(root, 'web/dist'), /\.(html|css|js|mjs)$/).filter((file) => isIt(path.basename(file)));
}

/** A module and all that it imports, itself or through others. */
function withImports(entry) {
  const files = new Set();
  const visit = (file) => {
    if (files.has(file)) return;
    files.add(file);
    if (!existsSync(file)) return;
    const imports = readFileSync(file, 'utf8').matchAll(/(?:\bfrom|^import)\s*['"](\.[^'"]+\.js)['"]/gm);
    for (const [, target] of imports) visit(path.join(path.dirname(file), target));
  };
  visit(path.join(root, entry));
  return [...files].sort();
}
function filesBelow(dir, pattern) {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function row(name, raw, gzip, brotli, note = '') {
  const numbers = [raw, gzip, brotli].map((value) => String(value).padStart(10)).join('');
  console.log(`${name.padEnd(52)}${numbers}  ${note}`.trimEnd());
}

row('bytes', 'raw', 'gzip', 'brotli');
for (const { name, files, gzipKB } of BUDGETS) {
  const total = { raw: 0, gzip: 0, brotli: 0 };
  if (files.length === 0 || !files.every((file) => existsSync(file))) {
    console.error(`${name} is not there: run npm run build`);
    process.exitCode = 1;
    continue;
  }
  for (const file of files) {
    // Each file by itself, as a server sends it.
    const bytes = readFileSync(file);
    const size = {
      raw: bytes.length,
      gzip: gzipSync(bytes, { level: 9 }).length,
      brotli: brotliCompressSync(bytes).length,
    };
    for (const key of Object.keys(total)) total[key] += size[key];
    if (files.length > 1) row(`  ${path.relative(root, file)}`, size.raw, size.gzip, size.brotli);
  }
  const fits = total.gzip <= gzipKB * 1000;
  if (!fits) process.exitCode = 1;
  row(name, total.raw, total.gzip, total.brotli, `${fits ? 'within' : 'ABOVE'} ${gzipKB} KB gzip`);
}
