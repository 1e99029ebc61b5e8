import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { directionOf, moved, repetitionMarks, shown } from '../logic/words.ts';
import { announce } from './announcer.ts';
import { ChipDrag } from './chip_drag.ts';
import { LabElement } from './lab_element.ts';

const kMostChips = 64;
/** Longer words may be cut in their chip, so they get a title. */
const kLongWord = 20;

/** The words of one sentence as chips: one tab stop, arrows walk, arrows with a modifier move, click asks to edit. */
export class ChipRow extends LabElement {
  static override properties: PropertyDeclarations = {
    ...LabElement.properties,
    row: { attribute: false },
    active: { state: true },
  };
  declare row: 'a' | 'b';
  /** The chip that keeps the keyboard focus. */
  declare active: number;

  /** A name per word while it moves, so that its chip stays the same chip. */
  #names: readonly number[] = [];
  #focusActive = false;

  readonly #drag = new ChipDrag(this, {
    lift: () => this.lab.remember(),
    move: (from, to) => this.#move(from, to),
    drop: (index) => {
      this.active = index;
      this.#announce(index);
    },
  });

  constructor() {
    super();
    this.active = 0;
  }

  focusChip(index: number): void {
    this.active = index;
    this.#focusActive = true;
    this.requestUpdate();
  }

  protected override willUpdate(): void {
    super.willUpdate();
    const { length } = this.lab.words[this.row];
    if (this.#names.length !== length) this.#names = Array.from({ length }, (_, index) => index);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (!this.#focusActive) return;
    this.#focusActive = false;
    this.querySelector<HTMLElement>('.chip[tabindex="0"]')?.focus();
  }

  protected override render(): TemplateResult {
    const words = this.lab.words[this.row];
    const text = this.content.words;
    if (words.length === 0) {
      return html`<button
        class="chip chip-empty"
        type="button"
        aria-label=${text.edit(this.row)}
        @click=${() => this.#ask(0)}
      >
        ${text.empty}
      </button>`;
    }
    const places = words
      .slice(0, kMostChips)
      .map((word, index) => ({ word, index, name: this.#names[index] ?? index }));
    const marks = repetitionMarks(words);
    return html`<div
      class="chips ${this.#drag.index >= 0 ? 'is-dragging' : ''}"
      dir=${directionOf(words)}
      @keydown=${this.#key}
    >
      ${repeat(
        places,
        ({ name }) => name,
        ({ word, index }) => this.#chip(word, index, marks[index] ?? ''),
      )}
      ${
        words.length > kMostChips
          ? html`<button type="button" class="chip chip-more" @click=${() => this.#ask(words.length - 1)}>
              ${text.more(words.length - kMostChips)}
            </button>`
          : nothing
      }
    </div>`;
  }

  #chip(word: string, index: number, mark: string): TemplateResult {
    const { length } = this.lab.words[this.row];
    const position = index + this.lab.firstPosition;
    const name = this.content.words.chip(shown(word) + mark, index + 1, length, position);
    return html`<button
      type="button"
      class="chip ${this.#light(index)} ${this.#drag.index === index ? 'is-dragged' : ''}"
      data-index=${index}
      data-position=${position}
      title=${word.length > kLongWord ? shown(word) : nothing}
      tabindex=${index === Math.min(this.active, length - 1) ? 0 : -1}
      aria-label=${name}
      aria-describedby="chip-help"
      @focus=${() => {
        this.active = index;
      }}
      @click=${() => this.#ask(index)}
    >
      <span class="chip-word" dir="auto">${shown(word)}</span
      >${mark === '' ? nothing : html`<span class="chip-mark">${mark}</span>`}
    </button>`;
  }

  /** Whether the word is one of the lit pair. */
  #light(index: number): string {
    const { cell, shown: picture } = this.lab;
    const token = index + (picture?.around.before ?? 0);
    const inA = this.row === 'a' ? token : (picture?.comparison.mapping.indexOf(token) ?? -1);
    if (inA < 0) return '';
    return inA === cell.query ? 'is-query' : inA === cell.key ? 'is-key' : '';
  }

  readonly #key = (event: KeyboardEvent): void => {
    const chip = event.target instanceof Element ? event.target.closest<HTMLElement>('.chip[data-index]') : null;
    if (chip === null) return;
    const index = Number(chip.dataset['index']);
    const forward = getComputedStyle(chip).direction === 'rtl' ? -1 : 1;
    const last = Math.min(this.lab.words[this.row].length, kMostChips) - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowLeft: index - forward,
      ArrowRight: index + forward,
      ArrowUp: index - 1,
      ArrowDown: index + 1,
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    if (target < 0 || target > last || target === index) return;
    if (event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) {
      this.lab.remember();
      this.#move(index, target);
      this.#announce(target);
    }
    this.focusChip(target);
  };

  #move(from: number, to: number): void {
    this.#names = moved(this.#names, from, to);
    this.lab.setWords(this.row, moved(this.lab.words[this.row], from, to));
    this.requestUpdate();
  }

  #announce(index: number): void {
    const words = this.lab.words[this.row];
    announce(this.content.words.moved(shown(words[index] ?? ''), index + 1, words.length));
  }

  #ask(index: number): void {
    this.dispatchEvent(new CustomEvent('posenc-edit', { detail: index, bubbles: true, composed: true }));
  }
}
