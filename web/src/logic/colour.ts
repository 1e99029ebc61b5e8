/** Colour of a number, and the ink that stays readable on it. */

export type Rgb = readonly [number, number, number];

export interface Ramp {
  /** CSS colour per step, from the lowest to the highest value. */
  readonly fills: readonly string[];
  readonly inks: readonly string[];
  readonly rgb: readonly Rgb[];
}

export interface Palette {
  readonly weight: Ramp;
  readonly change: Ramp;
  /** CSS colours of lines on the surface. */
  readonly ink: string;
  readonly soft: string;
  readonly line: string;
  readonly border: string;
}

/** What the style sheet says; see tokens.css. */
export interface PaletteColours {
  readonly surface: Rgb;
  readonly ink: Rgb;
  readonly muted: Rgb;
  readonly line: Rgb;
  readonly border: Rgb;
  readonly weightMiddle: Rgb;
  readonly weightHigh: Rgb;
  readonly negative: Rgb;
  readonly positive: Rgb;
  readonly inkDark: Rgb;
  readonly inkLight: Rgb;
}

const kSteps = 256;
/** WCAG AA for text. */
const kReadable = 4.5;

export function makePalette(colours: PaletteColours): Palette {
  const ramp = (...stops: readonly Rgb[]): Ramp => makeRamp(stops, colours.inkDark, colours.inkLight);
  return {
    weight: ramp(colours.surface, colours.weightMiddle, colours.weightHigh),
    change: ramp(colours.negative, colours.surface, colours.positive),
    ink: cssColour(colours.ink),
    soft: cssColour(colours.muted),
    line: cssColour(colours.line),
    border: cssColour(colours.border),
  };
}

function makeRamp(stops: readonly Rgb[], dark: Rgb, light: Rgb): Ramp {
  const rgb = Array.from({ length: kSteps }, (_, step) => interpolate(stops, step / (kSteps - 1)));
  return { rgb, fills: rgb.map(cssColour), inks: rgb.map((fill) => cssColour(readableInk(fill, dark, light))) };
}

/** Step of a weight: 0 to 1, linear. */
export function weightStep(value: number): number {
  return Math.round(clampUnit(value) * (kSteps - 1));
}

/** Part of the ramp that a change of `value` reaches, -1 to 1. Rises fast at first, so that small changes show. */
export function changeStrength(value: number, domain: number): number {
  return Math.sign(value) * Math.min(1, Math.abs(value) / domain) ** 0.6;
}

/** Step of a change between -domain and +domain; 0 is the surface. */
export function changeStep(value: number, domain: number): number {
  return Math.round(((changeStrength(value, domain) + 1) / 2) * (kSteps - 1));
}

/** Light ink where it reads well, as eyes prefer it on middle tones; else the one with most contrast. */
export function readableInk(fill: Rgb, dark: Rgb, light: Rgb): Rgb {
  const onLight = contrast(fill, light);
  return onLight >= kReadable || onLight > contrast(fill, dark) ? light : dark;
}

/** WCAG contrast, 1 to 21. */
export function contrast(a: Rgb, b: Rgb): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red, green, blue]: Rgb): number {
  return 0.2126 * toLinear(red) + 0.7152 * toLinear(green) + 0.0722 * toLinear(blue);
}

export const cssColour = ([red, green, blue]: Rgb): string => `rgb(${red} ${green} ${blue})`;

/** Reads what browsers give for a computed colour (`rgb(1, 2, 3)`, `color(srgb 0 0.5 1)`) and `#rrggbb`. */
export function parseColour(text: string): Rgb {
  const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/iu.exec(text);
  if (hex) return [parseInt(hex[1] ?? '', 16), parseInt(hex[2] ?? '', 16), parseInt(hex[3] ?? '', 16)];
  const scale = text.startsWith('color(') ? 255 : 1;
  const [red = 0, green = 0, blue = 0] = (text.replace(/^[a-z]+\((?:srgb )?/iu, '').match(/[\d.]+/gu) ?? []).map(
    (part) => Number(part) * scale,
  );
  return [Math.round(red), Math.round(green), Math.round(blue)];
}

function interpolate(stops: readonly Rgb[], at: number): Rgb {
  const place = at * (stops.length - 1);
  const index = Math.min(Math.floor(place), stops.length - 2);
  const from = toOklab(stops[index] ?? [0, 0, 0]);
  const to = toOklab(stops[index + 1] ?? [0, 0, 0]);
  const part = place - index;
  return fromOklab([mix(from[0], to[0], part), mix(from[1], to[1], part), mix(from[2], to[2], part)]);
}

const mix = (from: number, to: number, part: number): number => from + (to - from) * part;
const clampUnit = (value: number): number => Math.min(1, Math.max(0, value));

function toLinear(channel: number): number {
  const value = channel / 255;
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function fromLinear(value: number): number {
  const clamped = clampUnit(value);
  return Math.round(255 * (clamped <= 0.0031308 ? 12.92 * clamped : 1.055 * clamped ** (1 / 2.4) - 0.055));
}

// Oklab, Björn Ottosson 2020: even steps look even.
function toOklab(colour: Rgb): Rgb {
  const [red, green, blue] = [toLinear(colour[0]), toLinear(colour[1]), toLinear(colour[2])];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: Rgb): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    fromLinear(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    fromLinear(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    fromLinear(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}
