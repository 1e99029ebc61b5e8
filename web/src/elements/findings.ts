import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { icon } from '../icons.ts';
import type { Shown } from '../lab.ts';
import { cellFacts } from '../logic/facts.ts';
import { formatSize } from '../logic/format.ts';
import { encodingInSentence } from '../logic/names.ts';
import { plain } from '../logic/rich.ts';
import { proseLabels } from '../logic/words.ts';
import { arithmeticView } from '../views/arithmetic.ts';
import { announce } from './announcer.ts';
import { LabElement, richView } from './lab_element.ts';

/** What the matrices say, in words; also aloud. */
export class Findings extends LabElement {
  static override properties: PropertyDeclarations = { ...LabElement.properties, why: { state: true } };
  declare why: boolean;

  #said = '';

  constructor() {
    super();
    this.why = false;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const said = this.#summary();
    if (said !== this.#said) {
      if (this.#said !== '') announce(said);
      this.#said = said;
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    const { lab, content } = this;
    const { shown } = lab;
    if (shown === null) return nothing;
    const { facts } = shown;
    const labels = proseLabels(shown.words.a);
    const cell = lab.cell;
    const words = { query: labels[cell.query] ?? '', key: labels[cell.key] ?? '' };
    const numbers = cellFacts(shown.comparison, shown.mask, cell.query, cell.key);
    const verdict = content.verdict(facts, encodingInSentence(content, shown.info), labels);
    const manyAlone = facts.alone.length > 6 || facts.verdict === 'nothing_shared';
    return html`<div class="findings">
      <p class="pair-line">${numbers ? richView(content.pair(numbers, words)) : nothing}</p>
      <p class="verdict">${richView(verdict)}</p>
      ${facts.alone.length > 0 && !manyAlone ? html`<p class="note">${content.alone(facts.alone.map((place) => labels[place] ?? ''))}</p>` : nothing}
      ${this.#shifted(shown)} ${facts.verdict === 'mirror_blind' ? this.#mirror() : nothing}
      <div class="reasons">
        ${
          numbers
            ? html`<details class="arithmetic-box">
                <summary>${richView(content.arithmetic.title(words))}</summary>
                ${arithmeticView(numbers, content.arithmetic)}
                <p class="note">${content.arithmetic.caption}</p>
              </details>`
            : nothing
        }
        <p class="weights-note">
          ${this.#weights(shown)}
          <button
            type="button"
            class="link-button"
            aria-expanded=${this.why ? 'true' : 'false'}
            @click=${() => {
              this.why = !this.why;
            }}
          >
            ${content.why}
          </button>
        </p>
      </div>
      ${this.why ? html`<p class="note why">${content.whyText[shown.weights.of]}</p>` : nothing}
    </div>`;
  }

  /** Which weights the matrices show. */
  #weights({ weights, head }: Shown): string {
    const { lab, content } = this;
    if (weights.of === 'reader') {
      const { trained, layer } = weights;
      return content.readerWeights({ source: trained.source, steps: trained.steps, seed: trained.seed, layer, head });
    }
    const missing = lab.state.weights === 'reader' && !lab.waiting;
    return `${missing ? `${content.noReaderWeights} ` : ''}${content.weights(weights.seed, head)}`;
  }

  #shifted({ offset, invariances }: Shown): TemplateResult | typeof nothing {
    if (offset === 0) return nothing;
    const test = invariances?.shift;
    const size = test === undefined || test.tried === 0 ? null : test.exact ? '0' : formatSize(test.maxChange);
    return html`<p class="note">${this.content.shifted(offset, size)}</p>`;
  }

  #mirror(): TemplateResult {
    const { lab, content } = this;
    return html`<div class="mirror-actions">
      <button type="button" class="button" @click=${() => lab.update({ mask: 'causal' })}>
        ${icon('left')}<span>${content.mirrorBackwards}</span>
      </button>
      <button type="button" class="button" @click=${this.#pad}>
        ${icon('plus')}<span>${content.mirrorPadding}</span>
      </button>
    </div>`;
  }

  /** One more word in front of both sentences: B is no mirror image any more. */
  readonly #pad = (): void => {
    const { lab, content } = this;
    const { a, b, query, key } = lab.state;
    const { word, separator } = content.padding;
    lab.remember();
    const pinned = lab.pinned;
    lab.update({
      a: word + separator + a,
      b: word + separator + b,
      query: query === null ? pinned.query + 1 : query + 1,
      key: key === null ? pinned.key + 1 : key + 1,
    });
  };

  #summary(): string {
    const { lab, content } = this;
    const { shown, preview } = lab;
    // A previewed cell has its own name, which is read when it gets the focus.
    if (shown === null || preview !== null || lab.waiting) return this.#said;
    const labels = proseLabels(shown.words.a);
    const numbers = cellFacts(shown.comparison, shown.mask, lab.pinned.query, lab.pinned.key);
    const pair = numbers
      ? plain(content.pair(numbers, { query: labels[lab.pinned.query] ?? '', key: labels[lab.pinned.key] ?? '' }))
      : '';
    return `${plain(content.verdict(shown.facts, encodingInSentence(content, shown.info), labels))} ${pair}`;
  }
}
