import { html, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { byFamily, encodingName, encodingSummary } from '../logic/names.ts';
import type { PageMask } from '../state/state.ts';
import { LabElement, segmented } from './lab_element.ts';

/** The encodings by family, and the mask. */
export class Picker extends LabElement {
  #shownKind = '';

  protected override render(): TemplateResult {
    const { lab, content } = this;
    const { picker } = content;
    const info = lab.info;
    return html`<div class="picker">
      ${segmented<PageMask>({
        name: 'mask',
        label: picker.mask,
        values: ['none', 'causal'],
        value: lab.state.mask,
        text: (mask) => picker.masks[mask],
        choose: (mask) => lab.update({ mask }),
      })}
      <fieldset class="encodings">
        <legend class="rail-title">${picker.encoding}</legend>
        <div class="encoding-scroll">
          ${byFamily(lab.encodings).map(
            ([family, encodings]) =>
              html`<div class="family">
                <span class=${family === 'none' ? 'sr-only' : 'family-name'} id="family-${family}"
                  >${picker.families[family]}</span
                >
                <div class="family-members" role="group" aria-labelledby="family-${family}">
                  ${encodings.map(
                    (encoding) =>
                      html`<label class="encoding ${encoding.kind === lab.state.encoding ? 'is-chosen' : ''}"
                        ><input
                          type="radio"
                          name="encoding"
                          .value=${encoding.kind}
                          .checked=${encoding.kind === lab.state.encoding}
                          @change=${() => lab.update({ encoding: encoding.kind })}
                        /><span>${encodingName(content, encoding)}</span></label
                      >`,
                  )}
                </div>
              </div>`,
          )}
        </div>
      </fieldset>
      ${
        info
          ? html`<p class="encoding-summary">
              ${encodingSummary(content, info)}
              ${info.url ? html`<a href=${info.url} rel="noreferrer" target="_blank">${picker.source(info.authors, info.year)}</a>` : nothing}
            </p>`
          : nothing
      }
    </div>`;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const kind = this.lab.state.encoding;
    if (kind === this.#shownKind) return;
    this.#shownKind = kind;
    // In the row of a narrow page the chosen one may be out of sight.
    const scroll = this.querySelector<HTMLElement>('.encoding-scroll');
    const chosen = this.querySelector<HTMLElement>('.encoding.is-chosen');
    if (!scroll || !chosen || scroll.scrollWidth <= scroll.clientWidth) return;
    const box = chosen.getBoundingClientRect();
    const frame = scroll.getBoundingClientRect();
    scroll.scrollLeft += box.left + box.width / 2 - (frame.left + frame.width / 2);
  }
}
