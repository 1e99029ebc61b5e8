import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { graphemes } from 'posenc/text';
import { icon, type IconName } from '../icons.ts';
import { moved, shown, wordRange, type Words } from '../logic/words.ts';
import { announce } from './announcer.ts';
import { LabElement } from './lab_element.ts';

/** One sentence as text, computed as it is typed; its tools act on the word at the caret. */
export class SentenceEditor extends LabElement {
  static override properties: PropertyDeclarations = { ...LabElement.properties, row: { attribute: false } };
  declare row: 'a' | 'b';

  #draft = '';
  #composing = false;
  /** A press outside, whose click is still to come. */
  #pressed = false;
  #closing = false;

  /** Shows the sentence, with the word at `index` selected. */
  open(index: number): void {
    this.#draft = this.lab.state[this.row];
    this.#select(index);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('pointerdown', this.#press, { capture: true });
    document.addEventListener('pointerup', this.#release, { capture: true });
    document.addEventListener('pointercancel', this.#release, { capture: true });
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('pointerdown', this.#press, { capture: true });
    document.removeEventListener('pointerup', this.#release, { capture: true });
    document.removeEventListener('pointercancel', this.#release, { capture: true });
  }

  protected override render(): TemplateResult {
    const text = this.content.words;
    return html`<div class="editor" @focusout=${this.#leave} @keydown=${this.#key}>
      <input
        class="sentence-input"
        type="text"
        dir="auto"
        spellcheck="false"
        autocomplete="off"
        autocapitalize="off"
        enterkeyhint="done"
        aria-label=${text.edit(this.row)}
        placeholder=${text.empty}
        .value=${this.#draft}
        @input=${this.#typed}
        @compositionstart=${() => {
          this.#composing = true;
        }}
        @compositionend=${() => {
          this.#composing = false;
          this.#typed();
        }}
      />
      <div class="editor-tools">
        ${tool('left', text.moveLeft, () => this.#move(-1))} ${tool('right', text.moveRight, () => this.#move(1))}
        ${tool(null, text.join, () => this.#join())} ${tool(null, text.split, () => this.#split())}
        <button type="button" class="button button-strong" @click=${() => this.#close(true)}>${text.done}</button>
      </div>
    </div>`;
  }

  get #input(): HTMLInputElement | null {
    return this.querySelector<HTMLInputElement>('.sentence-input');
  }

  #select(index: number): void {
    this.requestUpdate();
    void this.updateComplete.then(() => {
      this.#input?.focus();
      this.#input?.setSelectionRange(...wordRange(this.#draft, this.lab.words[this.row], index));
    });
  }

  readonly #typed = (): void => {
    this.#draft = this.#input?.value ?? '';
    // An unfinished composition is not a word yet.
    if (this.#composing) return;
    performance.mark('posenc:input');
    this.lab.update(this.row === 'a' ? { a: this.#draft } : { b: this.#draft });
  };

  readonly #key = (event: KeyboardEvent): void => {
    if (event.isComposing || this.#composing) return;
    if (event.key === 'Escape' || (event.key === 'Enter' && event.target === this.#input)) {
      event.preventDefault();
      this.#close(true);
    }
  };

  readonly #press = (): void => {
    this.#pressed = true;
  };

  readonly #release = (): void => {
    this.#pressed = false;
    // The click comes first: what the reader pressed must not have moved away under it.
    if (this.#closing) setTimeout(() => this.#close(false));
    this.#closing = false;
  };

  readonly #leave = (event: FocusEvent): void => {
    const next = event.relatedTarget;
    if (next instanceof Node && this.contains(next)) return;
    // A window that loses focus keeps the editor open.
    if (!document.hasFocus()) return;
    if (this.#pressed) this.#closing = true;
    else this.#close(false);
  };

  /** `byKey`: the reader is done, and the focus goes back to the word. */
  #close(byKey: boolean): void {
    if (!this.isConnected) return;
    const detail = byKey ? this.#wordAtCaret() : null;
    this.dispatchEvent(new CustomEvent('posenc-done', { detail, bubbles: true, composed: true }));
  }

  #wordAtCaret(): number {
    const caret = this.#input?.selectionStart ?? 0;
    const words = this.lab.words[this.row];
    for (let index = words.length - 1; index > 0; index -= 1) {
      if (wordRange(this.#draft, words, index)[0] <= caret) return index;
    }
    return 0;
  }

  #rewrite(words: Words, index: number): void {
    this.lab.remember();
    this.lab.setWords(this.row, words);
    this.#draft = this.lab.state[this.row];
    this.#select(index);
  }

  #move(by: -1 | 1): void {
    const words = this.lab.words[this.row];
    const from = this.#wordAtCaret();
    const to = from + by;
    if (to < 0 || to >= words.length) return;
    this.#rewrite(moved(words, from, to), to);
    announce(this.content.words.moved(shown(words[from] ?? ''), to + 1, words.length));
  }

  #join(): void {
    const words = this.lab.words[this.row];
    const index = Math.min(this.#wordAtCaret(), words.length - 2);
    const first = words[index];
    const second = words[index + 1];
    if (first === undefined || second === undefined) return;
    this.#inBoth(
      (list) =>
        list.reduce<string[]>(
          (done, word) =>
            done.at(-1) === first && word === second
              ? [...done.slice(0, -1), `${first}\u00a0${second}`]
              : [...done, word],
          [],
        ),
      index,
    );
  }

  #split(): void {
    const index = this.#wordAtCaret();
    const whole = this.lab.words[this.row][index] ?? '';
    const parts = whole.includes('\u00a0') ? whole.split('\u00a0') : graphemes(whole);
    if (parts.length > 1) this.#inBoth((list) => list.flatMap((word) => (word === whole ? parts : [word])), index);
  }

  /** A word that is joined or split in one sentence is joined or split in the other, so that it keeps its partner. */
  #inBoth(change: (words: Words) => string[], index: number): void {
    const { words } = this.lab;
    const a = change(words.a);
    const b = change(words.b);
    this.lab.remember();
    this.lab.update({ a: a.join(' '), b: b.join(' ') });
    this.#rewrite(this.row === 'a' ? a : b, index);
  }
}

function tool(name: IconName | null, label: string, act: () => void): TemplateResult {
  return html`<button type="button" class="button" title=${name ? label : nothing} @click=${act}>
    ${name ? icon(name) : nothing}<span class=${name ? 'sr-only' : ''}>${label}</span>
  </button>`;
}
