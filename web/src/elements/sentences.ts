import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { kLargestComputed } from '../logic/layout.ts';
import { ChipRow } from './chip_row.ts';
import { LabElement } from './lab_element.ts';
import { SentenceEditor } from './sentence_editor.ts';

type Row = 'a' | 'b';

/** The two sentences: as chips, or as text while one is edited in place; and the tools that reorder them. */
export class Sentences extends LabElement {
  static override properties: PropertyDeclarations = { ...LabElement.properties, editing: { state: true } };
  declare editing: Row | null;

  constructor() {
    super();
    this.editing = null;
  }

  protected override render(): TemplateResult {
    const { words } = this.lab;
    const text = this.content.words;
    const longest = Math.max(words.a.length, words.b.length);
    return html`<section class="sentences" aria-label=${text.group}>
      <p class="sr-only" id="chip-help">${text.help}</p>
      <div class="sentence-rows ${this.editing === null ? '' : 'is-editing'}">${this.#row('a')} ${this.#row('b')}</div>
      <pos-enc-order-tools .lab=${this.lab}></pos-enc-order-tools>
      ${
        longest > kLargestComputed
          ? html`<p class="note" role="note">${text.onlyFirst(kLargestComputed, longest)}</p>`
          : nothing
      }
    </section>`;
  }

  #row(row: Row): TemplateResult {
    const isEdited = this.editing === row;
    return html`<div class="sentence row-${row}" role="group" aria-label=${this.content.words.sentence(row)}>
      <span class="row-name" aria-hidden="true">${row.toUpperCase()}</span>
      ${
        isEdited
          ? html`<pos-enc-editor
              .lab=${this.lab}
              .row=${row}
              @posenc-done=${(event: CustomEvent<number | null>) => this.#done(row, event.detail)}
            ></pos-enc-editor>`
          : html`<pos-enc-chips
              .lab=${this.lab}
              .row=${row}
              @posenc-edit=${(event: CustomEvent<number>) => this.#edit(row, event.detail)}
            ></pos-enc-chips>`
      }
    </div>`;
  }

  #edit(row: Row, index: number): void {
    this.lab.remember();
    this.editing = row;
    void this.updateComplete.then(() => {
      const editor = this.querySelector('pos-enc-editor');
      if (editor instanceof SentenceEditor) editor.open(index);
    });
  }

  /** `index`: the word that gets the focus, or `null` when the reader went elsewhere. */
  #done(row: Row, index: number | null): void {
    if (this.editing === row) this.editing = null;
    if (index === null) return;
    void this.updateComplete.then(() => {
      const chips = this.querySelector(`.row-${row} pos-enc-chips`);
      if (chips instanceof ChipRow) chips.focusChip(index);
    });
  }
}
