import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { pageConfig } from './page_config.ts';

export default defineConfig(pageConfig(fileURLToPath(new URL('../dist', import.meta.url))));
