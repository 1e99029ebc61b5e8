/** Light or dark, and the palette of the pictures, read from the style sheet. */
import { makePalette, parseColour, type Palette, type Rgb } from './logic/colour.ts';
import type { Theme } from './state/state.ts';

let palette: Palette | null = null;
const listeners = new Set<() => void>();

/** Colours of the pictures under the current theme. */
export function currentPalette(): Palette {
  palette ??= readPalette();
  return palette;
}

export function onPaletteChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `null`: as the system says. */
export function setTheme(theme: Theme | null): void {
  const root = document.documentElement;
  if ((root.dataset['theme'] ?? null) === theme) return;
  if (theme === null) delete root.dataset['theme'];
  else root.dataset['theme'] = theme;
  forget();
}

export function watchSystemTheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', forget);
}

function forget(): void {
  palette = null;
  for (const listener of listeners) listener();
}

function readPalette(): Palette {
  const probe = document.createElement('span');
  probe.className = 'palette-probe';
  document.body.append(probe);
  const read = (name: string): Rgb => {
    probe.dataset['colour'] = name;
    return parseColour(getComputedStyle(probe).color);
  };
  const colours = {
    surface: read('surface'),
    ink: read('ink'),
    muted: read('muted'),
    weightMiddle: read('weight-middle'),
    weightHigh: read('weight-high'),
    negative: read('negative'),
    positive: read('positive'),
    inkDark: read('ink-dark'),
    inkLight: read('ink-light'),
  };
  probe.remove();
  return makePalette(colours);
}
