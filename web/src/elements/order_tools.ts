import { html, nothing, type TemplateResult } from 'lit';
import { hasUnspacedScript } from 'posenc/text';
import { icon, type IconName } from '../icons.ts';
import { exchanged, placesToSwap, reversed, shown, shuffled, type Words } from '../logic/words.ts';
import { kLargestOffset, type PageSplit } from '../state/state.ts';
import { LabElement, segmented } from './lab_element.ts';

/** What can be done to the order of the words: swap, reverse, shuffle, shift; undo; how text is cut; examples. */
export class OrderTools extends LabElement {
  protected override render(): TemplateResult {
    const { words, state, canUndo, canRedo } = this.lab;
    const text = this.content.words;
    const places = this.#placesToSwap();
    const few = new Set(words.b).size < 2;
    const swapHint = places ? text.swapHint(shown(words.b[places[0]] ?? ''), shown(words.b[places[1]] ?? '')) : '';
    return html`<div class="sentence-tools">
      <div class="tool-group">
        ${tool('swap', text.swap, swapHint, places === null, () => places && this.#reorder(exchanged(words.b, ...places)))}
        ${tool('reverse', text.reverse, text.reverseHint, few, () => this.#reorder(reversed(words.b)))}
        ${tool('shuffle', text.shuffle, text.shuffleHint, few, () => this.#reorder(shuffled(words.b, Math.random)))}
        ${tool('shift', text.shift, text.shiftHint(state.offset), state.weights === 'reader', () => this.#shift())}
        ${canUndo ? tool('undo', text.undo, '', false, () => this.lab.undo()) : nothing}
        ${canRedo ? tool('redo', text.redo, '', false, () => this.lab.redo()) : nothing}
      </div>
      <div class="tool-group">${hasUnspacedScript(state.a + state.b) ? this.#cuts() : nothing} ${this.#examples()}</div>
    </div>`;
  }

  #cuts(): TemplateResult {
    const text = this.content.words;
    return segmented<PageSplit>({
      name: 'split',
      label: text.cut,
      values: ['auto', 'char', 'word'],
      value: this.lab.state.split,
      text: (value) => text.cuts[value],
      choose: (split) => this.lab.update({ split }),
    });
  }

  #examples(): TemplateResult {
    const text = this.content.words;
    return html`<label class="examples"
      ><span class="sr-only">${text.examples}</span>
      <select @change=${this.#example}>
        <option value="" selected>${text.examples}</option>
        ${this.content.presets.map((pair, index) => html`<option value=${index}>${pair.a} ⇄ ${pair.b}</option>`)}
      </select>
    </label>`;
  }

  /** The places in B of the pinned pair, if both stand there; else two words far apart. */
  #placesToSwap(): readonly [number, number] | null {
    const { words, shown: picture, pinned } = this.lab;
    const inB = (token: number): number => (picture?.comparison.mapping[token] ?? -1) - (picture?.around.before ?? 0);
    return placesToSwap(words.b, [inB(pinned.query), inB(pinned.key)]);
  }

  #reorder(words: Words): void {
    this.lab.remember();
    this.lab.setWords('b', words);
  }

  #shift(): void {
    this.lab.update({ offset: Math.min(kLargestOffset, this.lab.state.offset + 1) });
  }

  readonly #example = (event: Event): void => {
    if (!(event.target instanceof HTMLSelectElement)) return;
    const pair = this.content.presets[Number(event.target.value || NaN)];
    event.target.value = '';
    if (pair === undefined) return;
    this.lab.remember();
    this.lab.update({ a: pair.a, b: pair.b, query: null, key: null, split: 'auto' });
  };
}

function tool(name: IconName, label: string, hint: string, off: boolean, act: () => void): TemplateResult {
  return html`<button
    type="button"
    class="button tool-${name}"
    title=${hint || nothing}
    aria-description=${hint || nothing}
    ?disabled=${off}
    @click=${act}
  >
    ${icon(name)}<span>${label}</span>
  </button>`;
}
