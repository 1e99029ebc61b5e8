import { LitElement, html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import type { Content } from '../content/content.ts';
import type { Lab } from '../lab.ts';
import type { Rich } from '../logic/rich.ts';

/** A part of the page: follows one lab, draws into the document so that one style sheet and one set of labels reach it. */
export class LabElement extends LitElement {
  static override properties: PropertyDeclarations = { lab: { attribute: false } };
  declare lab: Lab;

  /** What makes this element draw again. */
  protected readonly events: readonly string[] = ['change'];
  readonly #onEvent = (event: Event): void => this.follow(event);
  #followed: Lab | null = null;

  protected follow(_event: Event): void {
    this.requestUpdate();
  }

  protected get content(): Content {
    return this.lab.content;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.#listen();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  protected override willUpdate(): void {
    this.#listen();
  }

  #listen(): void {
    if (this.#followed === this.lab) return;
    this.#leave();
    this.#followed = this.lab;
    for (const event of this.events) this.lab.addEventListener(event, this.#onEvent);
  }

  #leave(): void {
    for (const event of this.events) this.#followed?.removeEventListener(event, this.#onEvent);
    this.#followed = null;
  }
}

/** Rich text as elements. */
export const richView = (text: Rich): readonly (string | TemplateResult)[] =>
  text.map((part) => (typeof part === 'string' ? part : html`<strong dir="auto">${part.em}</strong>`));

/** A choice of a few: native radio buttons that look like one bar. */
export function segmented<T extends string>(options: {
  readonly name: string;
  readonly label: string;
  readonly values: readonly T[];
  readonly value: T;
  readonly text: (value: T) => string;
  readonly choose: (value: T) => void;
  readonly labelled?: boolean;
  readonly describedBy?: string;
}): TemplateResult {
  return html`<fieldset class="segmented" aria-describedby=${options.describedBy ?? nothing}>
    <legend class=${options.labelled === false ? 'sr-only' : 'control-label'}>${options.label}</legend>
    <div class="segments">
      ${options.values.map(
        (value) =>
          html`<label class="segment"
            ><input
              type="radio"
              name=${options.name}
              .value=${value}
              .checked=${value === options.value}
              @change=${() => options.choose(value)}
            /><span>${options.text(value)}</span></label
          >`,
      )}
    </div>
  </fieldset>`;
}
