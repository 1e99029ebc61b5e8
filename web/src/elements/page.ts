import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { EngineFailure } from '../content/content.ts';
import { icon } from '../icons.ts';
import { encodingName, fieldLabel } from '../logic/names.ts';
import { whenNear } from '../logic/when_near.ts';
import { Reading } from '../reading.ts';
import type { Lang, Theme } from '../state/state.ts';
import { useRegion } from './announcer.ts';
import { LabElement, segmented } from './lab_element.ts';

const kThemes: readonly (Theme | null)[] = [null, 'light', 'dark'];
const kRetryable: readonly EngineFailure[] = ['wasm_not_found', 'wasm_not_wasm', 'other'];

/** The page. With `embedded` the experiment alone. */
export class Page extends LabElement {
  static override properties: PropertyDeclarations = {
    ...LabElement.properties,
    embedded: { attribute: false },
    retry: { attribute: false },
  };
  declare embedded: boolean;
  /** Loads the engine again. */
  declare retry: () => void;

  #reading: Reading | null = null;

  protected override firstUpdated(): void {
    const region = this.querySelector<HTMLElement>('#live');
    if (region) useRegion(region);
    const reader = this.querySelector('pos-enc-reader');
    if (reader)
      whenNear(reader, async () => {
        (await import('./register_reader.ts')).registerReader();
        this.#reading?.wake();
      });
  }

  protected override render(): TemplateResult {
    const { lab, content } = this;
    return html`${this.embedded ? nothing : this.#header()}
      <main class="page">
        <section class="experiment" id="experiment" tabindex="-1" aria-labelledby="experiment-title">
          <div class=${this.embedded ? 'sr-only' : 'experiment-head'}>
            <h1 id="experiment-title">${content.heading}</h1>
            <p class="lede">${content.lede}</p>
          </div>
          ${this.#failure()} ${this.#notices()}
          <pos-enc-experiment .lab=${lab} .withScoreboard=${!this.embedded}></pos-enc-experiment>
        </section>
        ${this.embedded ? nothing : this.#reader()}
      </main>
      ${this.embedded ? nothing : html`<footer class="footer"><p>${content.footer}</p></footer>`}
      <p class="sr-only" id="live" role="status" aria-live="polite"></p>`;
  }

  /** Its code, and what it answers with, come when it is near. */
  #reader(): TemplateResult {
    this.#reading ??= new Reading(this.lab);
    return html`<pos-enc-reader .lab=${this.lab} .reading=${this.#reading}></pos-enc-reader>`;
  }

  #header(): TemplateResult {
    const { lab, content } = this;
    const theme = lab.state.theme;
    const themeName = theme ?? 'auto';
    return html`<a class="skip" href="#experiment" @click=${this.#skip}>${content.skip}</a>
      <header class="header">
        <div class="header-inner">
          <p class="brand">posenc</p>
          <div class="header-tools">
            ${segmented<Lang>({ name: 'lang', label: content.language, labelled: false, values: ['en', 'zh'], value: lab.lang, text: (lang) => (lang === 'en' ? 'EN' : '中文'), choose: (lang) => lab.setLang(lang) })}
            <button
              type="button"
              class="button button-icon"
              title=${content.theme[themeName]}
              @click=${() => lab.update({ theme: kThemes[(kThemes.indexOf(theme) + 1) % kThemes.length] ?? null })}
            >
              ${icon(themeName)}<span class="sr-only">${content.theme[themeName]}</span>
            </button>
          </div>
        </div>
      </header>`;
  }

  /** The address of the page is its state, so the link does not touch it. */
  readonly #skip = (event: Event): void => {
    event.preventDefault();
    this.querySelector<HTMLElement>('#experiment')?.focus();
  };

  #failure(): TemplateResult | typeof nothing {
    const { lab, content } = this;
    if (lab.failure === null) return nothing;
    const info = lab.encodings[0];
    const saved = info ? content.failure.saved(encodingName(content, info), lab.savedSentences) : '';
    return html`<div class="problem failure" role="alert" data-code=${lab.failure}>
      <p>${content.failure.cause[lab.failure]} ${saved}</p>
      ${kRetryable.includes(lab.failure) ? html`<button type="button" class="button" @click=${() => this.retry()}>${content.failure.retry}</button>` : nothing}
    </div>`;
  }

  #notices(): TemplateResult | typeof nothing {
    const { lab, content } = this;
    const { problems } = content;
    if (lab.notices.length === 0) return nothing;
    const name = (id: string): string => {
      const info = lab.info;
      const field = info?.fields.find((candidate) => candidate.id === id);
      return info && field ? fieldLabel(content, info, field) : (problems.fieldNames[id] ?? id);
    };
    return html`<div class="problem notices" role="status">
      <ul aria-label=${problems.title}>
        ${lab.notices.map(({ field, value, rule, used }) => html`<li data-field=${field}>${problems.notice(name(field), value, problems.rule(rule), used)}</li>`)}
      </ul>
      <button type="button" class="button button-icon" @click=${() => lab.dismissNotices()}>
        ${icon('close')}<span class="sr-only">${problems.dismiss}</span>
      </button>
    </div>`;
  }
}
