/** Icons of the page: 16 by 16, drawn with the colour of the text. */
import { html, svg, type TemplateResult } from 'lit';

const kPaths = {
  swap: 'M3 5.5h9.5L10 3M13 10.5H3.5L6 13',
  reverse: 'M13.5 8H3M6.5 4.5 3 8l3.5 3.5',
  shuffle:
    'M2.5 4.5h2.2c3.4 0 3.2 7 6.6 7h2.2M11.5 9.5l2 2-2 2M2.5 11.5h2.2c1 0 1.7-.6 2.2-1.5M9 6c.5-.9 1.2-1.5 2.3-1.5h2.2M11.5 2.5l2 2-2 2',
  shift: 'M2.5 3.5v9M5 8h8.5M10.5 5l3 3-3 3',
  undo: 'M6 3.5 3 6.5l3 3M3 6.5h6.5a3.5 3.5 0 0 1 0 7H7',
  redo: 'M10 3.5 13 6.5l-3 3M13 6.5H6.5a3.5 3.5 0 0 0 0 7H9',
  left: 'M10 3.5 5.5 8l4.5 4.5',
  right: 'M6 3.5 10.5 8 6 12.5',
  plus: 'M8 3.5v9M3.5 8h9',
  minus: 'M3.5 8h9',
  play: 'M5 3.5v9l7.5-4.5Z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  step: 'M4 3.5v9L10.5 8ZM12.5 3.5v9',
  close: 'M4 4l8 8M12 4l-8 8',
  sees: 'M1.5 8C3 5.2 5.3 3.8 8 3.8S13 5.2 14.5 8C13 10.8 10.7 12.2 8 12.2S3 10.8 1.5 8ZM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4Z',
  blind: 'M1.5 7C3 9.4 5.3 10.6 8 10.6S13 9.4 14.5 7M3.6 9.4 2.4 11.2M8 10.7v2.1M12.4 9.4l1.2 1.8',
  untried: 'M4 8h8',
  light:
    'M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9',
  dark: 'M13 9.6A5.4 5.4 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6Z',
  auto: 'M8 2.5a5.5 5.5 0 1 0 0 11ZM8 2.5a5.5 5.5 0 0 1 0 11',
  dice: 'M3.5 3h9v10h-9ZM6 5.8h.01M10 10.2h.01M10 5.8h.01M6 10.2h.01M8 8h.01',
} as const;

export type IconName = keyof typeof kPaths;

export const icon = (name: IconName): TemplateResult =>
  html`<svg class="icon icon-${name}" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
    ${svg`<path d=${kPaths[name]}></path>`}
  </svg>`;
