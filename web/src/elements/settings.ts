import type { EncodingInfo, FieldInfo } from 'posenc';
import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { icon } from '../icons.ts';
import { isActive, kDims, paramOf, wholeNumber, type ParamValue } from '../logic/fields.ts';
import { encodingSummary, fieldDoc, fieldLabel, fieldUnit, problemText } from '../logic/names.ts';
import { kLargestOffset, kLargestSeed, kReaderLayers, kSeed } from '../state/state.ts';
import { LabElement, segmented } from './lab_element.ts';

type PageNumber = 'seed' | 'head' | 'layer' | 'offset';

const kNarrow = '(max-width: 47.99rem)';

const kPageFields: Readonly<Record<PageNumber, FieldInfo>> = {
  seed: wholeNumber('seed', 0, kLargestSeed, kSeed),
  head: wholeNumber('head', 0, kDims.nHeads - 1, 0),
  layer: wholeNumber('layer', 0, kReaderLayers - 1, 0),
  offset: wholeNumber('offset', 0, kLargestOffset, 0),
};

/** Parameters of the chosen encoding, from its description; seed, head and start of the layer. */
export class Settings extends LabElement {
  static override properties: PropertyDeclarations = {
    ...LabElement.properties,
    explained: { state: true },
    open: { state: true },
  };
  declare explained: string;
  declare open: boolean;

  constructor() {
    super();
    this.explained = '';
    this.open = !matchMedia(kNarrow).matches;
  }

  protected override render(): TemplateResult {
    const { lab, content } = this;
    const { settings } = content;
    const info = lab.info;
    return html`<details
      class="settings"
      ?open=${this.open}
      @toggle=${(event: Event) => {
        if (event.target instanceof HTMLDetailsElement) this.open = event.target.open;
      }}
      @posenc-explain=${(event: CustomEvent<string>) => {
        this.explained = event.detail;
      }}
    >
      <summary class="rail-title">${settings.title}</summary>
      <div class="settings-fields">
        ${info ? html`<p class="encoding-summary settings-summary">${encodingSummary(content, info)}</p>` : nothing}
        ${
          info?.fields
            .filter((field) => isActive(info, field, lab.params(info.kind)))
            .map((field) => this.#field(info, field)) ?? nothing
        }
        ${segmented({ name: 'weights', label: settings.weights, values: ['seeded', 'reader'] as const, value: lab.state.weights, text: (weights) => settings.weightsOf[weights], choose: (weights) => lab.update({ weights }) })}
        <div class="layer-fields">
          ${
            lab.state.weights === 'reader'
              ? this.#layerField('layer', settings.layer, settings.layerDoc(kReaderLayers))
              : this.#layerField('seed', settings.seed, settings.seedDoc)
          }
          ${this.#layerField('head', settings.head, settings.headDoc(kDims.nHeads))}
          ${lab.state.weights === 'reader' ? nothing : this.#layerField('offset', settings.start, settings.startDoc)}
        </div>
        <p class="explained" aria-hidden="true">${this.explained}</p>
        <button
          type="button"
          class="button button-quiet"
          title=${settings.resetHint}
          aria-description=${settings.resetHint}
          @click=${() => lab.reset()}
        >
          ${icon('undo')}<span>${settings.reset}</span>
        </button>
      </div>
    </details>`;
  }

  #field(info: EncodingInfo, field: FieldInfo): TemplateResult {
    const { lab, content } = this;
    const problem =
      lab.problem?.field === field.id ? `${problemText(content, info, lab.problem)} ${content.problems.lastGood}` : '';
    return html`<pos-enc-field
      .info=${info}
      .field=${field}
      .value=${paramOf(field, lab.params(info.kind))}
      .content=${content}
      .label=${fieldLabel(content, info, field)}
      .unit=${fieldUnit(content, field)}
      .doc=${fieldDoc(content, info, field)}
      .problem=${problem}
      @posenc-param=${(event: CustomEvent<{ id: string; value: ParamValue }>) => {
        lab.setParams(info, { ...lab.params(info.kind), [event.detail.id]: event.detail.value });
      }}
    ></pos-enc-field>`;
  }

  #layerField(name: PageNumber, label: string, doc: string): TemplateResult {
    const { lab, content } = this;
    return html`<pos-enc-field
      .field=${kPageFields[name]}
      .value=${lab.state[name]}
      .content=${content}
      .label=${label}
      .unit=${''}
      .doc=${doc}
      @posenc-param=${(event: CustomEvent<{ value: ParamValue }>) => lab.update({ [name]: Number(event.detail.value) })}
    ></pos-enc-field>`;
  }
}
