import { html, nothing, type PropertyDeclarations, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { Cell, Shown } from '../lab.ts';
import { formatSize } from '../logic/format.ts';
import { layoutMatrix, type MatrixLayout } from '../logic/layout.ts';
import { largest, matrixModel, type MatrixModel, type Panel } from '../logic/matrix_model.ts';
import { problemText } from '../logic/names.ts';
import type { Align } from '../state/state.ts';
import { currentPaint, onPaintChange } from '../theme.ts';
import { changeLegend, weightLegend } from '../views/legend.ts';
import { matrixTable, matrixText } from '../views/matrix_table.ts';
import { announce } from './announcer.ts';
import { LabElement, segmented } from './lab_element.ts';
import type { MatrixGrid } from './matrix.ts';

const kPanels: readonly Panel[] = ['a', 'b', 'delta'];
const kPanelGap = 28;
/** Narrower stages show one matrix at a time. */
const kNarrowStage = 620;

/** Section 1: two sentences, one encoding, three matrices, and what they say. Section 2 shares its rail. */
export class Experiment extends LabElement {
  static override properties: PropertyDeclarations = {
    ...LabElement.properties,
    withScoreboard: { attribute: false },
    stageWidth: { state: true },
    panel: { state: true },
    copied: { state: true },
  };
  declare withScoreboard: boolean;
  declare stageWidth: number;
  /** The matrix a narrow page shows. */
  declare panel: Panel;
  declare copied: Panel | null;

  protected override readonly events: readonly string[] = ['picture', 'change'];
  #observer: ResizeObserver | null = null;
  #forgetPaint: (() => void) | null = null;
  #models: { key: readonly unknown[]; models: Readonly<Record<Panel, MatrixModel>> } | null = null;

  constructor() {
    super();
    this.withScoreboard = true;
    this.stageWidth = 0;
    this.panel = 'delta';
    this.copied = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#forgetPaint = onPaintChange(() => this.requestUpdate());
    this.#observer = new ResizeObserver((entries) => {
      const width = entries[0]?.contentRect.width ?? 0;
      if (Math.abs(width - this.stageWidth) >= 1) this.stageWidth = width;
    });
    if (this.hasUpdated) this.#observe();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    this.#forgetPaint?.();
  }

  protected override firstUpdated(): void {
    this.#observe();
  }

  #observe(): void {
    const stage = this.querySelector('.stage');
    if (!stage) return;
    this.stageWidth = stage.clientWidth;
    this.#observer?.observe(stage);
  }

  /** The frame of a letter belongs to the pictures; what stands around them follows one frame later. */
  protected override follow(event: Event): void {
    if (event.type !== 'picture' || !this.#paintAhead()) super.follow(event);
  }

  #paintAhead(): boolean {
    const { shown, problem, cell } = this.lab;
    if (shown === null || problem !== null) return false;
    const matrices = [...this.querySelectorAll<MatrixGrid>('pos-enc-matrix')];
    return (
      matrices.length > 0 &&
      matrices.every((matrix) => {
        const model = this.#modelsOf(shown)[matrix.model.panel];
        return matrix.paintAhead(model, this.#layout(model, this.#isNarrow), this.#domain(shown), cell);
      })
    );
  }

  get #isNarrow(): boolean {
    return this.stageWidth < kNarrowStage;
  }

  protected override render(): TemplateResult {
    const { lab } = this;
    return html`<pos-enc-sentences .lab=${lab}></pos-enc-sentences>
      <div class="bench">
        <div class="rail">
          <pos-enc-picker .lab=${lab}></pos-enc-picker>
          <pos-enc-settings .lab=${lab}></pos-enc-settings>
        </div>
        <div class="stage">${this.#problem()} ${this.stageWidth === 0 ? nothing : this.#stage()}</div>
        ${this.withScoreboard ? html`<pos-enc-scoreboard .lab=${lab}></pos-enc-scoreboard>` : nothing}
      </div>`;
  }

  /** What is wrong with the input as a whole; what is wrong with a parameter stands beside its control. */
  #problem(): TemplateResult | typeof nothing {
    const { lab, content } = this;
    const { problem, info } = lab;
    if (problem === null || info?.fields.some(({ id }) => id === problem.field)) return nothing;
    return html`<p class="problem" role="alert" data-code=${problem.code}>
      ${problemText(content, info, problem)} ${lab.shown ? content.problems.lastGood : ''}
    </p>`;
  }

  #stage(): TemplateResult {
    const { lab, content } = this;
    const { shown } = lab;
    const text = content.matrix;
    if (shown === null)
      return html`<div class="stage-empty" aria-busy="true">${lab.problem || lab.failure ? '' : text.waiting}</div>`;
    const narrow = this.#isNarrow;
    const panels = narrow ? [this.panel] : kPanels;
    return html`<div class="stage-tools">
        ${
          narrow
            ? segmented<Panel>({
                name: 'panel',
                label: text.panels,
                labelled: false,
                values: kPanels,
                value: this.panel,
                text: (panel) => text.short[panel],
                choose: (panel) => {
                  this.panel = panel;
                },
              })
            : nothing
        }
        ${segmented<Align>({ name: 'align', label: text.align, labelled: !narrow, values: ['word', 'slot'], value: lab.state.align, text: (align) => text.aligns[align], choose: (align) => lab.update({ align }) })}
        ${narrow ? nothing : this.#drawing()}
      </div>
      ${lab.state.align === 'slot' ? html`<p class="note">${text.alignHint(shown.comparison.exact)}</p>` : nothing}
      <div
        class="panels ${narrow ? '' : 'has-three'} ${lab.waiting || lab.problem ? 'is-old' : ''}"
        role="group"
        aria-label=${text.group}
        aria-busy=${lab.waiting ? 'true' : 'false'}
        @posenc-preview=${(event: CustomEvent<Cell | null>) => {
          lab.preview = event.detail;
        }}
        @posenc-pin=${(event: CustomEvent<Cell>) => lab.pin(event.detail)}
      >
        ${panels.map((panel) => this.#panel(panel, shown, narrow))}
      </div>
      ${narrow ? html`<div class="stage-tools stage-tools-below">${this.#drawing()}</div>` : nothing}
      <pos-enc-findings .lab=${lab}></pos-enc-findings>`;
  }

  /** How the matrices are drawn: colours of the change, picture or table. */
  #drawing(): TemplateResult {
    const { lab, content } = this;
    const text = content.matrix;
    return html`<div class="tool-group">
      ${segmented({ name: 'scale', label: text.colours, values: ['fixed', 'fit'] as const, value: lab.state.scale, text: (scale) => text.scales[scale], choose: (scale) => lab.update({ scale }) })}
      ${segmented({ name: 'view', label: text.view, labelled: false, values: ['picture', 'table'] as const, value: lab.state.view, text: (view) => text.views[view], choose: (view) => lab.update({ view }) })}
    </div>`;
  }

  #panel(panel: Panel, shown: Shown, narrow: boolean): TemplateResult {
    const { lab, content } = this;
    const text = content.matrix;
    const { align, view } = lab.state;
    const model = this.#modelsOf(shown)[panel];
    const title = panel === 'a' ? text.a : panel === 'b' ? text.b(align) : text.delta(align);
    const layout = this.#layout(model, narrow);
    const paint = currentPaint();
    const domain = this.#domain(shown);
    const legend = guard([model.kind, paint, domain, text], () =>
      model.kind === 'weight'
        ? weightLegend(paint, text)
        : changeLegend(paint, text, domain, domain === 1 ? '1' : formatSize(domain)),
    );
    return html`<figure class="panel panel-${panel}">
      <figcaption class="panel-title">
        <span class="panel-key panel-key-${panel}">${text.short[panel]}</span>
        ${title.replace(/^(?:A|B|Δ)[,，]?\s*/u, '')}
      </figcaption>
      ${
        view === 'table'
          ? html`${matrixTable(model, text, title)}
              <button type="button" class="button" @click=${() => this.#copy(panel, model)}>
                ${this.copied === panel ? text.copied : text.copy}
              </button>`
          : html`<pos-enc-matrix
                .model=${model}
                .layout=${layout}
                .paint=${paint}
                .domain=${domain}
                .lit=${lab.cell}
                .pinned=${lab.pinned}
                .align=${align}
                .comparison=${shown.comparison}
                .text=${text}
                .name=${`${title}. ${text.query} ↓ ${text.key} →`}
              ></pos-enc-matrix>
              ${legend}`
      }
    </figure>`;
  }

  #layout(model: MatrixModel, narrow: boolean): MatrixLayout {
    const width = narrow ? this.stageWidth : (this.stageWidth - 2 * kPanelGap) / 3;
    return layoutMatrix(model.size, width, model.labels, narrow ? 'alone' : 'beside');
  }

  #domain(shown: Shown): number {
    if (this.lab.state.scale === 'fixed') return 1;
    const most = this.lab.state.align === 'word' ? shown.comparison.maxDelta : largest(this.#modelsOf(shown).delta);
    return most > 0 ? most : 1;
  }

  #modelsOf(shown: Shown): Readonly<Record<Panel, MatrixModel>> {
    const { align } = this.lab.state;
    const key = [shown, align];
    if (this.#models && this.#models.key.every((value, index) => value === key[index])) return this.#models.models;
    const model = (panel: Panel): MatrixModel =>
      matrixModel(panel, shown.comparison, shown.words.a, shown.words.b, align, shown.offset);
    this.#models = { key, models: { a: model('a'), b: model('b'), delta: model('delta') } };
    return this.#models.models;
  }

  #copy(panel: Panel, model: MatrixModel): void {
    void copyText(matrixText(model)).then(() => {
      this.copied = panel;
      announce(this.content.matrix.copied);
    });
  }
}

async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // No clipboard in some frames: the old way works on a selection.
    const area = document.createElement('textarea');
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand('copy');
    area.remove();
  }
}
