import type { EncodingInfo, FieldInfo } from 'posenc';
import { LitElement, html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import type { Content } from '../content/content.ts';
import { icon } from '../icons.ts';
import {
  checkField,
  fieldMax,
  fromSlider,
  isComputed,
  kComputed,
  kSliderSteps,
  ruleOf,
  stepped,
  toSlider,
  type NumberField,
  type ParamValue,
} from '../logic/fields.ts';
import { choiceLabel, valueText } from '../logic/names.ts';
import { segmented } from './lab_element.ts';

/** Choices that need more room than the rail has, in em, become a list that unfolds. */
const kWidestSegments = 16;
const kSegmentPadding = 1.6;

/** About how wide segments with these labels are, in em: a Han character is as wide as two small Latin letters. */
function widthOfSegments(labels: readonly string[]): number {
  const width = (letter: string): number => (/[\u2e80-\uffef]/u.test(letter) ? 1 : /[A-Z]/u.test(letter) ? 0.7 : 0.53);
  const text = labels.map((label) => Array.from(label, width).reduce((sum, letter) => sum + letter, 0));
  return text.reduce((sum, label) => sum + label + kSegmentPadding, 0);
}

let instances = 0;

/**
 * One parameter, drawn from its description: switch, slider, stepper, choice or list. Dispatches `posenc-param` with
 * the new value; text that cannot be taken stays in the field, with the reason below it.
 */
export class FieldControl extends LitElement {
  static override properties: PropertyDeclarations = {
    info: { attribute: false },
    field: { attribute: false },
    value: { attribute: false },
    content: { attribute: false },
    label: { attribute: false },
    unit: { attribute: false },
    doc: { attribute: false },
    problem: { attribute: false },
    refused: { state: true },
  };
  /** The encoding that has the field; `null` for a field of the layer. */
  declare info: EncodingInfo | null;
  declare field: FieldInfo;
  declare value: ParamValue;
  declare content: Content;
  declare label: string;
  declare unit: string;
  declare doc: string;
  /** What the engine says about this value, or ''. */
  declare problem: string;
  declare refused: string;

  readonly #id = `posenc-field-${(instances += 1)}`;
  #typed: string | null = null;

  constructor() {
    super();
    this.info = null;
    this.problem = '';
    this.refused = '';
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(changed: PropertyValues): void {
    const before: unknown = changed.get('field');
    if (changed.has('value') || (changed.has('field') && before !== undefined)) {
      // A new value from elsewhere replaces text that was refused.
      if (this.refused !== '' || this.#typed === null) this.#typed = null;
      this.refused = '';
    }
  }

  protected override render(): TemplateResult {
    const note = this.refused || this.problem;
    return html`<div class="field field-${this.field.type} ${note ? 'has-problem' : ''}" @focusin=${this.#explain}>
      ${this.#control()}
      <p class="sr-only" id="${this.#id}-doc">${this.doc}</p>
      ${note ? html`<p class="field-problem" id="${this.#id}-problem" role="alert">${note}</p>` : nothing}
    </div>`;
  }

  #control(): TemplateResult {
    const { field, value } = this;
    switch (field.type) {
      case 'bool':
        return html`<label class="switch"
          ><span class="control-label">${this.label}</span
          ><input
            type="checkbox"
            role="switch"
            .checked=${value === true}
            aria-describedby=${this.#describedBy()}
            @change=${(event: Event) => {
              if (event.target instanceof HTMLInputElement) this.#send(event.target.checked);
            }} /><span class="switch-track" aria-hidden="true"></span
        ></label>`;
      case 'choice':
        return this.#choice(field);
      case 'list':
        return html`${this.#labelled()}
          <div class="field-line">${this.#text(valueText(this.content, this.info, field, value))}</div>`;
      case 'number':
        return this.#number(field, Number(value));
    }
  }

  #choice(field: Extract<FieldInfo, { type: 'choice' }>): TemplateResult {
    const labels = field.choices.map((choice) => choiceLabel(this.content, this.info, field, choice));
    if (widthOfSegments(labels) <= kWidestSegments) {
      return segmented({
        name: this.#id,
        label: this.label,
        values: field.choices.map(({ id }) => id),
        value: String(this.value),
        text: (id) => labels[field.choices.findIndex((choice) => choice.id === id)] ?? id,
        choose: (id) => this.#send(id),
        describedBy: this.#describedBy(),
      });
    }
    return html`${this.#labelled()}<select
        id=${this.#id}
        aria-describedby=${this.#describedBy()}
        @change=${(event: Event) => {
          if (event.target instanceof HTMLSelectElement) this.#send(event.target.value);
        }}
      >
        ${field.choices.map((choice, index) => html`<option value=${choice.id} ?selected=${choice.id === this.value}>${labels[index]}</option>`)}
      </select>`;
  }

  #number(field: NumberField, value: number): TemplateResult {
    const text = valueText(this.content, this.info, field, value);
    const slider = html`<input
      class="slider"
      type="range"
      min="0"
      max=${kSliderSteps}
      .value=${String(toSlider(field, value))}
      aria-label=${this.label}
      aria-valuetext=${`${text} ${this.unit}`.trim()}
      @input=${(event: Event) => {
        if (event.target instanceof HTMLInputElement) this.#send(fromSlider(field, Number(event.target.value)));
      }}
    />`;
    const step = (direction: 1 | -1): TemplateResult => {
      const next = stepped(field, value, direction);
      const label = direction < 0 ? this.content.settings.less(this.label) : this.content.settings.more(this.label);
      return html`<button
        type="button"
        class="button stepper-button"
        aria-label=${label}
        ?disabled=${next === value}
        @click=${() => this.#send(next)}
      >
        ${icon(direction < 0 ? 'minus' : 'plus')}
      </button>`;
    };
    if (this.value === kComputed)
      return html`${this.#labelled()}
        <div class="field-line">${this.#text('')}</div>`;
    const isStepper = field.integer && !field.logScale;
    return html`${this.#labelled()}
      <div class="field-line">
        ${isStepper ? html`${step(-1)}${this.#text(text)}${step(1)}` : html`${slider}${this.#text(text)}`}
      </div>`;
  }

  #labelled(): TemplateResult {
    return html`<label class="control-label" for=${this.#id}
      >${this.label}${this.unit ? html` <span class="unit">${this.unit}</span>` : nothing}</label
    >`;
  }

  #text(text: string): TemplateResult {
    return html`<input
      class="number-input"
      id=${this.#id}
      type="text"
      inputmode=${this.field.type === 'list' ? 'text' : 'decimal'}
      autocomplete="off"
      spellcheck="false"
      .value=${this.#typed ?? text}
      placeholder=${isComputed(this.field) ? this.content.settings.computed : ''}
      aria-invalid=${this.refused || this.problem ? 'true' : 'false'}
      aria-describedby=${this.#describedBy()}
      @input=${this.#read}
      @blur=${() => {
        if (this.refused === '') this.#typed = null;
        this.requestUpdate();
      }}
      @keydown=${(event: KeyboardEvent) => this.#arrows(event)}
    />`;
  }

  #describedBy(): string {
    return this.refused || this.problem ? `${this.#id}-problem ${this.#id}-doc` : `${this.#id}-doc`;
  }

  readonly #read = (event: Event): void => {
    if (!(event.target instanceof HTMLInputElement)) return;
    const text = event.target.value;
    this.#typed = text;
    const checked = checkField(this.field, text.trim());
    if (checked.ok) {
      this.refused = '';
      this.#send(checked.value);
      return;
    }
    const { problems } = this.content;
    this.refused = problems.refused(
      this.label,
      problems.rule(checked.rule),
      text,
      valueText(this.content, this.info, this.field, this.value),
    );
  };

  #arrows(event: KeyboardEvent): void {
    const { field, value } = this;
    const direction = event.key === 'ArrowUp' ? 1 : event.key === 'ArrowDown' ? -1 : 0;
    if (field.type !== 'number' || direction === 0) return;
    event.preventDefault();
    this.#typed = null;
    if (value === kComputed) return;
    const now = Number(value);
    this.#send(
      field.integer ? stepped(field, now, direction) : fromSlider(field, toSlider(field, now) + direction * 10),
    );
  }

  readonly #explain = (): void => {
    const rule = this.content.problems.rule(ruleOf(this.field));
    const hasRange = this.field.type === 'number' && Number.isFinite(fieldMax(this.field));
    const detail = [this.doc, hasRange ? rule : ''].filter((part) => part !== '').join(' · ');
    this.dispatchEvent(new CustomEvent('posenc-explain', { detail, bubbles: true, composed: true }));
  };

  #send(value: ParamValue): void {
    this.dispatchEvent(
      new CustomEvent('posenc-param', { detail: { id: this.field.id, value }, bubbles: true, composed: true }),
    );
  }
}
