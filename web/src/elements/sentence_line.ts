import { html, type PropertyDeclarations, type TemplateResult } from 'lit';
import { LabElement } from './lab_element.ts';

/** One sentence as a line of text, computed as it is typed. */
export class SentenceLine extends LabElement {
  static override properties: PropertyDeclarations = { ...LabElement.properties, row: { attribute: false } };
  declare row: 'a' | 'b';

  #composing = false;

  protected override render(): TemplateResult {
    const text = this.content.words;
    return html`<input
      class="sentence-line"
      type="text"
      dir="auto"
      spellcheck="false"
      autocomplete="off"
      autocapitalize="off"
      enterkeyhint="done"
      aria-label=${text.sentence(this.row)}
      placeholder=${text.empty}
      @focus=${() => this.lab.remember()}
      @input=${this.#typed}
      @compositionstart=${() => {
        this.#composing = true;
      }}
      @compositionend=${(event: Event) => {
        this.#composing = false;
        this.#typed(event);
      }}
    />`;
  }

  /** What is being composed stays; everything else follows the lab. */
  protected override updated(): void {
    const input = this.querySelector('input');
    const text = this.lab.state[this.row];
    if (input && !this.#composing && input.value !== text) input.value = text;
  }

  readonly #typed = (event: Event): void => {
    // An unfinished composition is not a word yet.
    if (this.#composing || !(event.target instanceof HTMLInputElement)) return;
    performance.mark('posenc:input');
    this.lab.update(this.row === 'a' ? { a: event.target.value } : { b: event.target.value });
  };
}
