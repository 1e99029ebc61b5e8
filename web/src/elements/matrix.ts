import type { Comparison } from 'posenc';
import {
  LitElement,
  html,
  nothing,
  svg,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
} from 'lit';
import type { Content } from '../content/content.ts';
import type { Cell } from '../lab.ts';
import type { Palette } from '../logic/colour.ts';
import type { MatrixLayout } from '../logic/layout.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';
import type { Align } from '../state/state.ts';
import { cellName } from '../views/cell_words.ts';
import { drawPixels, matrixPixels } from '../views/matrix_canvas.ts';
import { matrixRows } from '../views/matrix_svg.ts';
import { announce } from './announcer.ts';

/** Whether two flat objects differ. */
const differs = (now: object, before: object | undefined): boolean =>
  before === undefined || JSON.stringify(now) !== JSON.stringify(before);

let instances = 0;
const kSlide = 400;

/** One matrix: an ARIA grid with one tab stop. Hover and focus preview a pair of words, click and Enter pin it. */
export class MatrixGrid extends LitElement {
  static override properties: PropertyDeclarations = {
    model: { attribute: false },
    layout: { attribute: false, hasChanged: differs },
    palette: { attribute: false },
    domain: { attribute: false },
    lit: { attribute: false, hasChanged: differs },
    pinned: { attribute: false, hasChanged: differs },
    align: { attribute: false },
    comparison: { attribute: false },
    text: { attribute: false },
    name: { attribute: false },
    active: { state: true },
  };
  declare model: MatrixModel;
  declare layout: MatrixLayout;
  declare palette: Palette;
  declare domain: number;
  declare lit: Cell;
  declare pinned: Cell;
  declare align: Align;
  declare comparison: Comparison;
  declare text: Content['matrix'];
  /** Accessible name of the grid. */
  declare name: string;
  declare active: readonly [number, number] | null;

  readonly #hatch = `posenc-hatch-${(instances += 1)}`;
  #focusActive = false;
  #drawn: unknown[] = [];

  constructor() {
    super();
    this.active = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (changed.has('align') && changed.get('align') !== undefined) this.#remember();
  }

  protected override render(): TemplateResult {
    return this.layout.drawing === 'svg' ? this.#svg() : this.#canvas();
  }

  protected override updated(changed: PropertyValues): void {
    if (this.layout.drawing === 'canvas') this.#paint();
    if (changed.has('align')) this.#slide();
    if (this.#focusActive) {
      this.#focusActive = false;
      this.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus();
    }
  }

  #activeCell(): readonly [number, number] {
    const last = this.model.size - 1;
    if (this.active) return [Math.min(this.active[0], last), Math.min(this.active[1], last)];
    const row = this.model.places.indexOf(this.pinned.query);
    const col = this.model.places.indexOf(this.pinned.key);
    return [Math.max(0, row), Math.max(0, col)];
  }

  readonly #nameOf = (row: number, col: number): string =>
    cellName(this.text, this.model, this.comparison, this.align, row, col);

  #svg(): TemplateResult {
    const { model, layout, palette, domain, lit, pinned } = this;
    const hatch = this.#hatch;
    return html`<svg
      class="matrix-svg"
      role="grid"
      aria-label=${this.name}
      aria-rowcount=${model.size + 1}
      aria-colcount=${model.size + 1}
      width=${layout.width}
      height=${layout.height}
      viewBox="0 0 ${layout.width} ${layout.height}"
      @pointerover=${this.#over}
      @pointerleave=${this.#out}
      @click=${this.#click}
      @focusin=${this.#over}
      @focusout=${this.#out}
      @keydown=${this.#key}
    >
      <defs>
        ${svg`<pattern id=${hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><line class="hatch-line" x1="1" x2="1" y1="0" y2="6"></line></pattern>`}
      </defs>
      ${matrixRows({ model, layout, palette, domain, active: this.#activeCell(), lit, pinned, hatch, name: this.#nameOf })}
    </svg>`;
  }

  #canvas(): TemplateResult {
    const { model, layout, lit } = this;
    const [row, col] = this.#activeCell();
    const litRow = model.places.indexOf(lit.query);
    const litCol = model.places.indexOf(lit.key);
    const side = layout.width;
    const cell = layout.cell;
    return html`<div
      class="matrix-canvas"
      role="grid"
      aria-label=${this.name}
      aria-rowcount=${model.size}
      aria-colcount=${model.size}
      .style=${`inline-size:${side}px;block-size:${side}px`}
      @pointermove=${this.#over}
      @pointerleave=${this.#out}
      @click=${this.#click}
      @focusin=${this.#over}
      @focusout=${this.#out}
      @keydown=${this.#key}
    >
      <canvas aria-hidden="true"></canvas>
      <svg class="crosshair" width=${side} height=${side} aria-hidden="true">
        ${
          litRow < 0 || litCol < 0
            ? nothing
            : svg`<rect x="0" y=${litRow * cell} width=${side} height=${Math.max(1, cell)}></rect><rect x=${litCol * cell} y="0" width=${Math.max(1, cell)} height=${side}></rect>`
        }
      </svg>
      <div role="row" aria-rowindex=${row + 1}>
        <div
          class="canvas-cell"
          role="gridcell"
          tabindex="0"
          aria-colindex=${col + 1}
          aria-label=${this.#nameOf(row, col)}
        ></div>
      </div>
    </div>`;
  }

  #paint(): void {
    const canvas = this.querySelector('canvas');
    const now = [this.model, this.palette, this.domain, canvas];
    if (canvas === null || now.every((value, index) => value === this.#drawn[index])) return;
    this.#drawn = now;
    drawPixels(canvas, matrixPixels(this.model, this.palette, this.domain));
  }

  /** Row and column under an event, or null. */
  #cellAt(event: Event): readonly [number, number] | null {
    if (!(event.target instanceof Element)) return null;
    if (this.layout.drawing === 'svg') {
      const cell = event.target.closest<SVGElement>('.cell');
      return cell ? [Number(cell.dataset['row']), Number(cell.dataset['col'])] : null;
    }
    if (!(event instanceof MouseEvent)) return this.#activeCell();
    const box = this.querySelector('.matrix-canvas')?.getBoundingClientRect();
    if (!box) return null;
    const place = (offset: number): number => Math.floor((offset / box.width) * this.model.size);
    const row = place(event.clientY - box.top);
    const col = place(event.clientX - box.left);
    return row < 0 || col < 0 || row >= this.model.size || col >= this.model.size ? null : [row, col];
  }

  #send(type: 'posenc-preview' | 'posenc-pin', at: readonly [number, number] | null): void {
    const cell = at && { query: this.model.places[at[0]] ?? -1, key: this.model.places[at[1]] ?? -1 };
    const valid = cell && cell.query >= 0 && cell.key >= 0 ? cell : null;
    if (type === 'posenc-pin' && valid === null) return;
    this.dispatchEvent(new CustomEvent<Cell | null>(type, { detail: valid, bubbles: true, composed: true }));
  }

  readonly #over = (event: Event): void => {
    // A finger pins; a preview that stays after it left would be a riddle.
    if (event instanceof PointerEvent && event.pointerType === 'touch') return;
    const at = this.#cellAt(event);
    if (at) this.#send('posenc-preview', at);
  };

  readonly #out = (): void => this.#send('posenc-preview', null);

  readonly #click = (event: Event): void => {
    const at = this.#cellAt(event);
    if (at === null) return;
    this.active = at;
    this.#send('posenc-pin', at);
  };

  readonly #key = (event: KeyboardEvent): void => {
    const [row, col] = this.#activeCell();
    const last = this.model.size - 1;
    const targets: Readonly<Record<string, readonly [number, number]>> = {
      ArrowUp: [row - 1, col],
      ArrowDown: [row + 1, col],
      ArrowLeft: [row, col - 1],
      ArrowRight: [row, col + 1],
      Home: event.ctrlKey || event.metaKey ? [0, 0] : [row, 0],
      End: event.ctrlKey || event.metaKey ? [last, last] : [row, last],
      PageUp: [Math.max(0, row - 8), col],
      PageDown: [Math.min(last, row + 8), col],
    };
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      this.#send('posenc-pin', [row, col]);
      return;
    }
    if (event.key === 'Escape') {
      this.#send('posenc-preview', null);
      return;
    }
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    if (target[0] < 0 || target[1] < 0 || target[0] > last || target[1] > last) return;
    this.active = target;
    if (this.layout.drawing === 'svg') {
      this.#focusActive = true;
    } else {
      this.#send('posenc-preview', target);
      announce(this.#nameOf(target[0], target[1]));
    }
  };

  // The permutation as a slide: every cell goes from its old place to its new one.

  #places = new Map<string, string>();

  #remember(): void {
    this.#places = new Map(
      Array.from(this.querySelectorAll<SVGElement>('[data-slide]'), (part) => [
        part.dataset['slide'] ?? '',
        part.getAttribute('transform') ?? '',
      ]),
    );
  }

  #slide(): void {
    if (this.#places.size === 0 || matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const css = (transform: string): string => transform.replace(/translate\((\S+) (\S+)\)/u, 'translate($1px, $2px)');
    for (const part of this.querySelectorAll<SVGElement>('[data-slide]')) {
      const from = this.#places.get(part.dataset['slide'] ?? '');
      const to = part.getAttribute('transform') ?? '';
      if (from === to) continue;
      if (from === undefined) part.animate([{ opacity: 0 }, { opacity: 1 }], { duration: kSlide });
      else
        part.animate([{ transform: css(from) }, { transform: css(to) }], {
          duration: kSlide,
          easing: 'cubic-bezier(0.4, 0, 0.2, 1)',
        });
    }
    this.#places.clear();
  }
}
