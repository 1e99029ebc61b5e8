import type { EncodingInfo } from 'posenc';
import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { icon } from '../icons.ts';
import { layoutArrows } from '../logic/arrow_layout.ts';
import { activeParams } from '../logic/fields.ts';
import { formatPercent } from '../logic/format.ts';
import { kLongestRead } from '../logic/layout.ts';
import { byFamily, encodingInSentence, encodingName, problemText } from '../logic/names.ts';
import { kAsks, likeliest, pointed, type Answer, type Ask } from '../logic/reader_facts.ts';
import { plain, type Rich } from '../logic/rich.ts';
import { directionOf, exchanged, placesToSwap, proseLabels, wordLabels, type Words } from '../logic/words.ts';
import type { ReaderShown, Reading } from '../reading.ts';
import { answerTable } from '../views/answer_table.ts';
import { arrowsView } from '../views/arrows.ts';
import { announce } from './announcer.ts';
import { LabElement, richView, segmented } from './lab_element.ts';

type Row = 'a' | 'b';
const kRows: readonly Row[] = ['a', 'b'];
/** Fewer words are no sentence about two. */
const kFewest = 3;

/** Section "Who chased whom?": a trained reader answers two questions about both sentences. */
export class ReaderSection extends LabElement {
  static override properties: PropertyDeclarations = {
    ...LabElement.properties,
    reading: { attribute: false },
    figureWidth: { state: true },
  };
  declare reading: Reading;
  /** Room for the picture of one sentence, in CSS pixels. */
  declare figureWidth: number;

  #observer: ResizeObserver | null = null;
  #said = '';
  readonly #onReading = (): void => this.requestUpdate();

  constructor() {
    super();
    this.figureWidth = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer = new ResizeObserver((entries) => {
      const width = Math.floor(entries[0]?.contentRect.width ?? 0);
      if (width > 0) this.figureWidth = width;
    });
    if (this.hasUpdated) this.#observe();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.reading.removeEventListener('change', this.#onReading);
  }

  protected override firstUpdated(): void {
    this.#observe();
  }

  #observe(): void {
    this.reading.addEventListener('change', this.#onReading);
    const ruler = this.querySelector('.answer');
    if (ruler) this.#observer?.observe(ruler);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const { shown } = this.reading;
    if (shown === null || this.reading.waiting) return;
    const said = `${this.content.reader.title} ${plain(this.#verdict(shown))}`;
    if (said !== this.#said && this.#said !== '') announce(said);
    this.#said = said;
  }

  protected override render(): TemplateResult {
    const { content, reading } = this;
    const text = content.reader;
    // What another encoding answered would be no answer.
    const shown = reading.missing ? null : reading.shown;
    const old = reading.waiting || reading.problem !== null;
    return html`<section class="reader" id="reader" aria-labelledby="reader-title">
      <div class="section-head">
        <h2 id="reader-title">${text.title}</h2>
        ${this.#choices()}
        <p class="lede">${text.lede}</p>
      </div>
      ${this.#trouble()}
      <div class="answers ${old && shown ? 'is-old' : ''}" aria-busy=${reading.waiting ? 'true' : 'false'}>
        ${kRows.map((row) => html`<figure class="answer row-${row}" data-row=${row}>${this.#answer(row, shown)}</figure>`)}
      </div>
      ${shown ? this.#story(shown) : nothing} ${this.#examples()}
      <pos-enc-training .lab=${this.lab} .reading=${reading}></pos-enc-training>
    </section>`;
  }

  /** Encoding and mask, at hand where their effect is seen. */
  #choices(): TemplateResult {
    const { lab, content } = this;
    const { picker } = content;
    return html`<div class="tool-group">
      <select
        aria-label=${picker.encoding}
        .value=${live(lab.state.encoding)}
        @change=${(event: Event) => lab.update({ encoding: chosen(event) })}
      >
        ${byFamily(lab.encodings).map(
          ([family, encodings]) =>
            html`<optgroup label=${picker.families[family]}>
              ${encodings.map((info) => html`<option value=${info.kind} ?selected=${info.kind === lab.state.encoding}>${encodingName(content, info)}</option>`)}
            </optgroup>`,
        )}
      </select>
      <select
        aria-label=${picker.mask}
        .value=${live(lab.state.mask)}
        @change=${(event: Event) => lab.update({ mask: chosen(event) === 'causal' ? 'causal' : 'none' })}
      >
        ${(['none', 'causal'] as const).map((mask) => html`<option value=${mask} ?selected=${mask === lab.state.mask}>${content.reader.masks[mask]}</option>`)}
      </select>
    </div>`;
  }

  #trouble(): TemplateResult | typeof nothing {
    const { lab, content, reading } = this;
    const text = content.reader;
    if (reading.failed)
      return html`<div class="problem" role="alert">
        <p>${text.failed}</p>
        <button type="button" class="button" @click=${() => reading.retry()}>${text.retry}</button>
      </div>`;
    if (reading.missing && lab.info)
      return html`<p class="problem" role="status">
        ${text.noReader(encodingInSentence(content, lab.info), lab.info.axes)}
      </p>`;
    if (reading.problem)
      return html`<p class="problem" role="alert" data-code=${reading.problem.code}>
        ${problemText(content, lab.info, reading.problem)} ${content.problems.lastGood}
      </p>`;
    return nothing;
  }

  #answer(row: Row, shown: ReaderShown | null): TemplateResult {
    const text = this.content.reader;
    const words = shown?.words[row] ?? [];
    const answer = shown?.answers[row];
    const labels = wordLabels(words);
    const layout = layoutArrows(labels, this.figureWidth, directionOf(words));
    return html`<div class="answer-sentence">
        <span class="panel-key panel-key-${row}" aria-hidden="true">${row.toUpperCase()}</span>
        <pos-enc-sentence-line .lab=${this.lab} .row=${row}></pos-enc-sentence-line>
        ${this.#exchange(row, words, answer)}
      </div>
      <figcaption class="answer-lines">
        <span class="sr-only">${text.answers(row)}</span>
        ${answer ? kAsks.map((ask) => this.#line(ask, answer, proseLabels(words))) : nothing}
      </figcaption>
      ${
        answer === undefined
          ? html`<p class="answer-empty">${this.reading.waiting ? text.loading : ''}</p>`
          : layout === null
            ? answerTable(labels, answer, text, text.answers(row))
            : arrowsView(labels, answer, layout, text.asks)
      }`;
  }

  /** Exchanges the words that the questions point at; else two words far apart. */
  #exchange(row: Row, words: Words, answer: Answer | undefined): TemplateResult {
    const at = answer ? pointed(answer) : { who: -1, whom: -1 };
    const places = placesToSwap(words, [at.who, at.whom]);
    const labels = proseLabels(words);
    const name = places ? this.content.reader.exchange(labels[places[0]] ?? '', labels[places[1]] ?? '') : '';
    return html`<button
      type="button"
      class="button button-icon"
      title=${name || nothing}
      ?disabled=${places === null}
      @click=${() => {
        if (places === null) return;
        this.lab.remember();
        this.lab.setWords(row, exchanged(this.lab.words[row], ...places));
      }}
    >
      ${icon('swap')}<span class="sr-only">${name || this.content.words.swap}</span>
    </button>`;
  }

  /** The answer to one question, in words. */
  #line(ask: Ask, answer: Answer, labels: readonly string[]): TemplateResult {
    const text = this.content.reader;
    const named = likeliest(answer[ask]).map(
      (place) => [labels[place] ?? '', formatPercent(answer[ask][place] ?? 0)] as const,
    );
    return html`<span class="answer-line"
      ><span class="ask ask-${ask}">${text.asks[ask]}</span>
      <span>${named.length > 0 ? richView(text.named(named)) : text.noWords}</span></span
    >`;
  }

  #verdict({ facts, words, info, mask }: ReaderShown): Rich {
    return this.content.reader.verdict({
      facts,
      words: { a: proseLabels(words.a), b: proseLabels(words.b) },
      noEncoding: info.seams.length === 0,
      mask,
    });
  }

  #story(shown: ReaderShown): TemplateResult {
    const { lab, content, reading } = this;
    const text = content.reader;
    const { info, mask, source, steps, seed } = shown;
    const name = encodingInSentence(content, info);
    const fewest = Math.min(shown.words.a.length, shown.words.b.length);
    const changed = Object.keys(activeParams(info, lab.params(info.kind))).length > 0;
    return html`<div class="story">
      <p class="reader-verdict">${richView(this.#verdict(shown))}</p>
      ${fewest > 0 && fewest < kFewest ? html`<p class="note">${text.fewWords}</p>` : nothing}
      ${shown.total > kLongestRead ? html`<p class="note">${text.onlyFirst(kLongestRead, shown.total)}</p>` : nothing}
      <div class="reader-source">
        <p class="note">
          ${
            source.kind === 'here'
              ? text.here(name, mask, steps, source.run.steps, seed)
              : `${text.shipped(name, mask, steps, seed)} ${text.scores(source.file)}`
          }
        </p>
        ${reading.run?.weights && reading.file ? this.#sources() : nothing}
      </div>
      ${source.kind === 'shipped' && changed ? this.#otherParams(info, name) : nothing}
      <p class="note">${text.trainedOn}</p>
    </div>`;
  }

  /** The reader of the page has changed what the shipped reader was trained with. */
  #otherParams(info: EncodingInfo, name: string): TemplateResult {
    const { reading } = this;
    const text = this.content.reader;
    return html`<p class="note">
      ${text.otherParams(name)}
      ${
        reading.run === null
          ? html`<button type="button" class="link-button" @click=${() => reading.train([info])}>
              ${text.trainMine}
            </button>`
          : nothing
      }
    </p>`;
  }

  /** Which reader answers, where there are two. */
  #sources(): TemplateResult {
    const { reading, content } = this;
    const text = content.reader;
    return segmented({
      name: 'reader-source',
      label: text.source,
      labelled: false,
      values: ['shipped', 'here'] as const,
      value: reading.preferred,
      text: (source) => text.sources[source],
      choose: (source) => {
        reading.preferred = source;
      },
    });
  }

  #examples(): TemplateResult {
    const text = this.content.reader;
    return html`<div class="harder" role="group" aria-labelledby="harder-title">
      <span class="control-label" id="harder-title">${text.harder}</span>
      <div class="tool-group">
        ${text.examples.map(
          ({ name, a, b }) =>
            html`<button
              type="button"
              class="button"
              title="${a} ⇄ ${b}"
              aria-description="${a} ⇄ ${b}"
              @click=${() => this.#show(a, b)}
            >
              ${name}
            </button>`,
        )}
      </div>
    </div>`;
  }

  #show(a: string, b: string): void {
    this.lab.remember();
    this.lab.update({ a, b, query: null, key: null, split: 'auto' });
  }
}

const chosen = (event: Event): string => (event.target instanceof HTMLSelectElement ? event.target.value : '');
