/** What the pictures are painted with: light or dark, colours and letters of the style sheet, pixels of the screen. */
import { makePalette, parseColour, type Palette, type Rgb } from './logic/colour.ts';
import type { Theme } from './state/state.ts';

export interface Paint extends Palette {
  /** Font family. */
  readonly font: string;
  /** The reader's own colours, and no others. */
  readonly forced: boolean;
  /** Pixels of a bitmap per CSS pixel. */
  readonly ratio: number;
}

/** Enough for paper; more would only cost memory. */
const kLargestRatio = 4;
/** Milliseconds without a change until a pinch is over. */
const kPinch = 150;

let paint: Paint | null = null;
let printing = false;
const listeners = new Set<() => void>();

/** A new object whenever something changed. */
export function currentPaint(): Paint {
  paint ??= readPaint();
  return paint;
}

export function onPaintChange(listener: () => void): () => void {
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

/** The system's colours, zoom, another screen, paper. */
export function watchSystem(): void {
  for (const query of ['(prefers-color-scheme: dark)', '(forced-colors: active)'])
    matchMedia(query).addEventListener('change', forget);
  watchPixels();
  let pinch: ReturnType<typeof setTimeout> | undefined;
  visualViewport?.addEventListener('resize', () => {
    clearTimeout(pinch);
    pinch = setTimeout(() => {
      if (paint?.ratio !== currentRatio()) forget();
    }, kPinch);
  });
  for (const event of ['beforeprint', 'afterprint'] as const)
    addEventListener(event, () => {
      printing = event === 'beforeprint';
      forget();
    });
}

function watchPixels(): void {
  matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener(
    'change',
    () => {
      forget();
      watchPixels();
    },
    { once: true },
  );
}

function currentRatio(): number {
  const onScreen = devicePixelRatio * (visualViewport?.scale ?? 1);
  return printing ? kLargestRatio : Math.min(kLargestRatio, Math.max(1, onScreen));
}

function forget(): void {
  paint = null;
  for (const listener of listeners) listener();
}

function readPaint(): Paint {
  const probe = document.createElement('span');
  probe.className = 'palette-probe';
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const read = (name: string): Rgb => {
    probe.dataset['colour'] = name;
    return parseColour(style.color);
  };
  const colours = {
    surface: read('surface'),
    ink: read('ink'),
    muted: read('muted'),
    line: read('line'),
    border: read('border'),
    weightMiddle: read('weight-middle'),
    weightHigh: read('weight-high'),
    negative: read('negative'),
    positive: read('positive'),
    inkDark: read('ink-dark'),
    inkLight: read('ink-light'),
  };
  const font = style.fontFamily;
  probe.remove();
  const forced = matchMedia('(forced-colors: active)').matches;
  return { ...makePalette(colours), font, forced, ratio: currentRatio() };
}
