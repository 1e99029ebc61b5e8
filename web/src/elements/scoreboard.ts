import type { EncodingInfo, Invariance } from 'posenc';
import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { BlindTest } from '../content/content.ts';
import type { RowResult } from '../engine/picture.ts';
import { icon } from '../icons.ts';
import { blind } from '../logic/facts.ts';
import { formatSize } from '../logic/format.ts';
import { encodingName, problemText } from '../logic/names.ts';
import type { PageMask } from '../state/state.ts';
import { currentPaint, onPaintChange } from '../theme.ts';
import { thumbnail } from '../views/thumbnail.ts';
import { LabElement, segmented } from './lab_element.ts';

const kMasks: readonly PageMask[] = ['none', 'causal'];
const kTests: readonly BlindTest[] = ['shuffle', 'mirror', 'shift'];
const kThumbnail = 56;

/** Section 2: every encoding on the same two sentences. */
export class Scoreboard extends LabElement {
  protected override readonly events: readonly string[] = ['change', 'rows'];
  #forgetPaint: (() => void) | null = null;
  #drawn = new WeakMap<HTMLImageElement, { row: RowResult; paint: unknown }>();

  override connectedCallback(): void {
    super.connectedCallback();
    this.#forgetPaint = onPaintChange(() => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#forgetPaint?.();
  }

  protected override render(): TemplateResult {
    const { lab, content } = this;
    const text = content.scoreboard;
    return html`<section class="scoreboard" aria-labelledby="scoreboard-title">
      <div class="section-head">
        <h2 id="scoreboard-title">${text.title}</h2>
        ${segmented({ name: 'sort', label: text.sort, values: ['family', 'change'] as const, value: lab.state.sort, text: (sort) => text.sorts[sort], choose: (sort) => lab.update({ sort }) })}
        <p class="lede">${text.lede(lab.shown?.mask ?? lab.state.mask)}</p>
      </div>
      <ol class="cards">
        ${this.#sorted().map((info) => this.#card(info))}
      </ol>
      <p class="note">${text.scale} ${lab.state.weights === 'reader' ? text.seeded : ''}</p>
    </section>`;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    this.#draw();
  }

  #sorted(): readonly EncodingInfo[] {
    const { lab } = this;
    if (lab.state.sort === 'family') return lab.encodings;
    const size = (info: EncodingInfo): number => lab.rows.get(info.kind)?.changes?.[lab.state.mask].maxDelta ?? -1;
    return lab.encodings.slice().sort((a, b) => size(b) - size(a));
  }

  #card(info: EncodingInfo): TemplateResult {
    const { lab, content } = this;
    const text = content.scoreboard;
    const row = lab.rows.get(info.kind);
    const name = encodingName(content, info);
    const current = lab.state.encoding === info.kind;
    return html`<li class="card ${current ? 'is-current' : ''}" data-kind=${info.kind}>
      <h3 class="card-title">
        <button
          type="button"
          class="card-button"
          aria-label=${text.load(name)}
          aria-current=${current ? 'true' : 'false'}
          @click=${() => lab.update({ encoding: info.kind })}
        >
          ${name}
        </button>
        ${current ? html`<span class="card-current">${text.loaded}</span>` : nothing}
      </h3>
      ${row?.problem ? html`<p class="card-problem">${problemText(content, info, row.problem)}</p>` : this.#results(row)}
    </li>`;
  }

  #results(row: RowResult | undefined): TemplateResult {
    const text = this.content.scoreboard;
    return html`<div class="thumbnails" aria-label=${text.largest} role="group">
        ${kMasks.map((mask) => {
          const change = row?.changes?.[mask];
          const size = change === undefined || change.nothing ? '–' : formatSize(change.maxDelta);
          return html`<figure class="thumbnail">
            <img data-mask=${mask} alt=${text.thumbnail(mask, size)} decoding="sync" />
            <figcaption>
              <span class="thumbnail-size">${size}</span><span class="thumbnail-mask">${text.masks[mask]}</span>
            </figcaption>
          </figure>`;
        })}
      </div>
      <ul class="badges">
        ${kTests.map((test) => this.#badge(test, row?.invariances?.[test]))}
      </ul>`;
  }

  #badge(test: BlindTest, result: Invariance | undefined): TemplateResult {
    const text = this.content.scoreboard;
    if (result === undefined)
      return html`<li class="badge is-untried">${icon('untried')}<span>${text.working}</span></li>`;
    const state = blind(result);
    if (state === 'untried')
      return html`<li class="badge is-untried">${icon('untried')}<span>${text.untried[test]}</span></li>`;
    const label = state === 'yes' ? text.blind[test] : text.sees[test];
    const size = result.exact ? '0' : formatSize(result.maxChange);
    return html`<li
      class="badge ${state === 'yes' ? 'is-blind' : 'is-seeing'}"
      title=${text.measured(test, size, result.tried)}
    >
      ${icon(state === 'yes' ? 'blind' : 'sees')}<span class="badge-label">${label}</span
      ><span class="badge-size">${size}</span>
    </li>`;
  }

  #draw(): void {
    const paint = currentPaint();
    for (const card of this.querySelectorAll<HTMLElement>('.card')) {
      const row = this.lab.rows.get(card.dataset['kind'] ?? '');
      if (!row?.changes) continue;
      for (const image of card.querySelectorAll<HTMLImageElement>('.thumbnail img')) {
        const drawn = this.#drawn.get(image);
        if (drawn?.row === row && drawn.paint === paint) continue;
        this.#drawn.set(image, { row, paint });
        image.src = thumbnail(row.changes[image.dataset['mask'] === 'causal' ? 'causal' : 'none'], paint, kThumbnail);
      }
    }
  }
}
