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
import type { MatrixLayout } from '../logic/layout.ts';
import type { MatrixModel } from '../logic/matrix_model.ts';
import type { Align } from '../state/state.ts';
import type { Paint } from '../theme.ts';
import { cellName } from '../views/cell_words.ts';
import { drawMatrix } from '../views/matrix_canvas.ts';
import { matrixRows, type Place } from '../views/matrix_svg.ts';
import { announce } from './announcer.ts';

/** Whether two flat objects differ. */
const differs = (now: object, before: object | undefined): boolean =>
  before === undefined || JSON.stringify(now) !== JSON.stringify(before);

const kSlide: KeyframeAnimationOptions = { duration: 400, easing: 'cubic-bezier(0.4, 0, 0.2, 1)' };

/** One matrix: an ARIA grid with one tab stop. Hover and focus preview a pair of words, click and Enter pin it. */
export class MatrixGrid extends LitElement {
  static override properties: PropertyDeclarations = {
    model: { attribute: false },
    layout: { attribute: false, hasChanged: differs },
    paint: { attribute: false },
    domain: { attribute: false },
    lit: { attribute: false, hasChanged: differs },
    pinned: { attribute: false, hasChanged: differs },
    align: { attribute: false },
    comparison: { attribute: false },
    text: { attribute: false },
    name: { attribute: false },
    active: { state: true },
    nameOf: { state: true },
  };
  declare model: MatrixModel;
  declare layout: MatrixLayout;
  declare paint: Paint;
  declare domain: number;
  declare lit: Cell;
  declare pinned: Cell;
  declare align: Align;
  declare comparison: Comparison;
  declare text: Content['matrix'];
  /** Accessible name of the grid. */
  declare name: string;
  declare active: Place | null;
  /** Names of the cells: they follow the picture by a frame. */
  declare nameOf: (row: number, col: number) => string;

  #focusActive = false;
  #drawn: unknown[] = [];
  #from: readonly number[] = [];
  #moving: Animation | null = null;

  constructor() {
    super();
    this.active = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('model');
    const moves =
      changed.has('align') && this.layout.drawing === 'svg' && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#from = moves && before ? this.model.keys.map((key) => before.keys.indexOf(key)) : [];
    if (changed.has('model') || changed.has('text')) this.#rename(before?.size === this.model.size);
  }

  #rename(later: boolean): void {
    const { text, model, comparison, align } = this;
    const nameOf = (row: number, col: number): string => cellName(text, model, comparison, align, row, col);
    if (!later) this.nameOf = nameOf;
    else
      requestAnimationFrame(() => {
        if (this.model === model) this.nameOf = nameOf;
      });
  }

  protected override render(): TemplateResult {
    return this.layout.drawing === 'svg' ? this.#svg() : this.#canvas();
  }

  protected override updated(): void {
    this.#draw();
    if (this.#focusActive) {
      this.#focusActive = false;
      this.querySelector<HTMLElement>('[role="gridcell"][tabindex="0"]')?.focus();
    }
  }

  #placeOf({ query, key }: Cell): Place {
    return [this.model.places.indexOf(query), this.model.places.indexOf(key)];
  }

  #activeCell(): Place {
    const last = this.model.size - 1;
    const [row, col] = this.active ?? this.#placeOf(this.pinned);
    return [Math.max(0, Math.min(row, last)), Math.max(0, Math.min(col, last))];
  }

  #svg(): TemplateResult {
    const { model, layout } = this;
    const [active, lit, pinned] = [this.#activeCell(), this.#placeOf(this.lit), this.#placeOf(this.pinned)];
    return html`<div class="matrix" .style=${`inline-size:${layout.width}px`}>
      <div class="matrix-picture"><canvas aria-hidden="true"></canvas></div>
      <svg
        class="matrix-svg"
        role="grid"
        aria-label=${this.name}
        aria-rowcount=${model.size + 1}
        aria-colcount=${model.size + 1}
        viewBox="0 0 ${layout.width} ${layout.height}"
        @pointerover=${this.#over}
        @pointerleave=${this.#out}
        @click=${this.#click}
        @focusin=${this.#over}
        @focusout=${this.#out}
        @keydown=${this.#key}
      >
        ${matrixRows({ model, layout, active, lit, pinned, name: this.nameOf })}
      </svg>
    </div>`;
  }

  #canvas(): TemplateResult {
    const { model, layout } = this;
    const [row, col] = this.#activeCell();
    const [litRow, litCol] = this.#placeOf(this.lit);
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
          aria-label=${this.nameOf(row, col)}
        ></div>
      </div>
    </div>`;
  }

  /** Row and column under an event, or null. */
  #cellAt(event: Event): Place | null {
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

  #send(type: 'posenc-preview' | 'posenc-pin', at: Place | null): void {
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
    const targets: Readonly<Record<string, Place>> = {
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
      announce(this.nameOf(target[0], target[1]));
    }
  };

  /** Draws the picture when it changed; a permutation as a slide: everything goes from its old place to its new one. */
  #draw(): void {
    const canvas = this.querySelector('canvas');
    const { model, layout, paint, domain } = this;
    const now = [model, layout, paint, domain, canvas];
    if (canvas === null || now.every((value, index) => value === this.#drawn[index])) return;
    this.#drawn = now;
    this.#moving?.cancel();
    const from = this.#from;
    if (from.every((before, index) => before === index)) {
      drawMatrix(canvas, this, null);
      return;
    }
    const moving = canvas.animate(null, kSlide);
    this.#moving = moving;
    const step = (): void => {
      const progress = moving.effect?.getComputedTiming().progress ?? null;
      if (this.#moving === moving)
        drawMatrix(canvas, { model, layout, paint, domain }, progress === null ? null : { from, progress });
      if (progress !== null) requestAnimationFrame(step);
    };
    step();
    const away = (index: string | undefined): number => {
      if (index === undefined) return 0;
      const before = from[Number(index)] ?? -1;
      return before < 0 ? NaN : (before - Number(index)) * layout.cell;
    };
    for (const part of this.querySelectorAll<SVGElement>('.axis, .is-lit, .is-pinned')) {
      const [x, y] = [away(part.dataset['col']), away(part.dataset['row'])];
      part.animate(Number.isNaN(x + y) ? { opacity: [0, 1] } : { translate: [`${x}px ${y}px`, '0px 0px'] }, kSlide);
    }
  }
}
