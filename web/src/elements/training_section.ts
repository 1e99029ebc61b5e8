import type { EncodingInfo } from 'posenc';
import { html, nothing, type PropertyDeclarations, type PropertyValues, type TemplateResult } from 'lit';
import { icon, type IconName } from '../icons.ts';
import { wholeNumber, type ParamValue } from '../logic/fields.ts';
import { formatPercent, formatSize } from '../logic/format.ts';
import { encodingInSentence, encodingName, problemText } from '../logic/names.ts';
import { chosenFirst, kAveraged, lately, lossTicks, stepOf } from '../logic/training_facts.ts';
import type { Reading } from '../reading.ts';
import { kLargestSeed, kMostTrainSteps, kSeed, kTrainSteps } from '../state/state.ts';
import type { Run } from '../training.ts';
import { curvesView, type CurveChart } from '../views/curves.ts';
import { announce } from './announcer.ts';
import { LabElement } from './lab_element.ts';

const kFields = {
  trainSeed: wholeNumber('trainSeed', 0, kLargestSeed, kSeed),
  trainSteps: wholeNumber('trainSteps', 1, kMostTrainSteps, kTrainSteps),
} as const;

/** The desk where readers are trained: what drives it, two charts, and the list of what it trains. */
export class TrainingSection extends LabElement {
  static override properties: PropertyDeclarations = {
    ...LabElement.properties,
    reading: { attribute: false },
    chartWidth: { state: true },
    lit: { state: true },
  };
  declare reading: Reading;
  /** Room for one chart, in CSS pixels. */
  declare chartWidth: number;
  /** The encoding of the list that the pointer or the focus is on. */
  declare lit: string | null;

  #observer: ResizeObserver | null = null;
  #finished = false;
  readonly #onReading = (): void => this.requestUpdate();
  readonly #onVisible = (): void => {
    this.reading.desk.hidden = document.hidden;
  };
  /** A page that is left for good takes its workers along; one that may come back must not hold them. */
  readonly #onLeave = (): void => this.reading.desk.reset();

  constructor() {
    super();
    this.chartWidth = 0;
    this.lit = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer = new ResizeObserver((entries) => {
      const width = Math.floor(entries[0]?.contentRect.width ?? 0);
      if (width > 0) this.chartWidth = width;
    });
    document.addEventListener('visibilitychange', this.#onVisible);
    window.addEventListener('pagehide', this.#onLeave);
    if (this.hasUpdated) this.#watch();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#observer?.disconnect();
    document.removeEventListener('visibilitychange', this.#onVisible);
    window.removeEventListener('pagehide', this.#onLeave);
    this.reading.removeEventListener('change', this.#onReading);
    this.reading.desk.reset();
  }

  protected override firstUpdated(): void {
    this.#watch();
  }

  #watch(): void {
    this.reading.addEventListener('change', this.#onReading);
    const chart = this.querySelector('.chart');
    if (chart) this.#observer?.observe(chart);
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    const { desk } = this.reading;
    const finished = desk.status === 'done';
    if (finished && !this.#finished) announce(this.content.reader.training.finished(desk.runs.length));
    this.#finished = finished;
  }

  protected override render(): TemplateResult {
    const text = this.content.reader.training;
    const { runs } = this.reading.desk;
    return html`<section class="training" aria-labelledby="training-title">
      <div class="section-head">
        <h3 id="training-title">${text.title}</h3>
        <p class="lede">${text.lede}</p>
      </div>
      ${this.#tools()}
      <div class="charts">
        <div class="chart">${runs.length > 0 ? curvesView(this.#chart('loss')) : nothing}</div>
        <div class="chart">${runs.length > 0 ? curvesView(this.#chart('accuracy')) : nothing}</div>
      </div>
      ${runs.length > 0 ? this.#runs(runs) : nothing}
    </section>`;
  }

  #tools(): TemplateResult {
    const { lab, content, reading } = this;
    const text = content.reader.training;
    const { desk } = reading;
    const { status } = desk;
    const current = this.#trainable.find(({ kind }) => kind === lab.state.encoding);
    const busy = status === 'running' || status === 'paused';
    return html`<div class="training-tools">
      <div class="tool-group">
        ${
          status === 'running'
            ? tool('pause', text.pause, true, () => desk.pause())
            : status === 'paused'
              ? tool('play', text.resume, true, () => desk.resume())
              : tool('play', text.all, true, () => reading.train(chosenFirst(this.#trainable, lab.state.encoding)))
        }
        ${!busy && current ? tool('play', text.only(encodingInSentence(content, current)), false, () => reading.train([current])) : nothing}
        ${
          current || busy
            ? tool(
                'step',
                text.step,
                false,
                () => {
                  if (!busy && current) reading.train([current], { paused: true });
                  desk.step();
                },
                text.stepHint,
              )
            : nothing
        }
        ${status === 'idle' ? nothing : tool('undo', text.reset, false, () => desk.reset())}
      </div>
      <div class="training-fields">
        ${this.#field('trainSeed', text.seed, text.seedDoc)} ${this.#field('trainSteps', text.steps, text.stepsDoc)}
      </div>
    </div>`;
  }

  #field(name: keyof typeof kFields, label: string, doc: string): TemplateResult {
    const { lab, content } = this;
    return html`<pos-enc-field
      .field=${kFields[name]}
      .value=${lab.state[name]}
      .content=${content}
      .label=${label}
      .unit=${''}
      .doc=${doc}
      @posenc-param=${(event: CustomEvent<{ value: ParamValue }>) => lab.update({ [name]: Number(event.detail.value) })}
    ></pos-enc-field>`;
  }

  /** Encodings that a reader learns with, under the current mask. */
  get #trainable(): readonly EncodingInfo[] {
    const { lab, reading } = this;
    const { mask } = lab.state;
    return lab.encodings.filter(({ kind }) =>
      reading.files.some((file) => file.encoding === kind && file.mask === mask),
    );
  }

  get #strong(): string {
    return this.lit ?? this.lab.state.encoding;
  }

  #chart(values: 'loss' | 'accuracy'): CurveChart {
    const { content, reading } = this;
    const text = content.reader.training;
    const { runs } = reading.desk;
    const strong = runs.find(({ info }) => info.kind === this.#strong) ?? runs[0];
    const title = text[values];
    const format = values === 'loss' ? formatSize : formatPercent;
    const chance = reading.files.find(({ encoding, mask }) => encoding === strong?.info.kind && mask === strong.mask)
      ?.trained.chance;
    return {
      curves: runs.map((run) => ({ id: run.info.kind, family: run.info.family, values: run[values] })),
      strong: strong?.info.kind ?? '',
      steps: strong?.steps ?? 1,
      ticks:
        values === 'loss'
          ? lossTicks(runs).map((value) => ({ value, label: String(value) }))
          : [0, 0.5, 1].map((value) => ({ value, label: formatPercent(value) })),
      reference: values === 'accuracy' && chance !== undefined ? { value: chance, label: text.guess } : null,
      title,
      stepLabel: text.stepAxis,
      summary:
        strong === undefined || stepOf(strong) === 0
          ? title
          : text.summary(title, encodingName(content, strong.info), format(lately(strong[values])), stepOf(strong)),
      width: this.chartWidth,
    };
  }

  #runs(runs: readonly Run[]): TemplateResult {
    const { content } = this;
    const text = content.reader.training;
    const first = runs[0];
    return html`<ul class="runs" aria-label=${text.runs}>
        ${runs.map((run) => html`<li>${this.#run(run)}</li>`)}
      </ul>
      <p class="note">
        ${first ? text.setup(first.mask, first.seed, first.steps) : ''} ${text.averaged(kAveraged)} ${text.hidden}
      </p>`;
  }

  #run(run: Run): TemplateResult {
    const { lab, content } = this;
    const text = content.reader.training;
    const { kind, family } = run.info;
    const name = encodingName(content, run.info);
    const step = stepOf(run);
    const accuracy = formatPercent(lately(run.accuracy));
    const light = (lit: string | null) => (): void => {
      this.lit = lit;
    };
    return html`<button
        type="button"
        class="run ${kind === this.#strong ? 'is-strong' : ''}"
        aria-description=${text.run(accuracy, step, run.steps)}
        aria-pressed=${kind === lab.state.encoding ? 'true' : 'false'}
        @click=${() => lab.update({ encoding: kind, mask: run.mask, params: { ...lab.state.params, [kind]: run.params } })}
        @pointerenter=${light(kind)}
        @pointerleave=${light(null)}
        @focus=${light(kind)}
        @blur=${light(null)}
      >
        <span class="run-name"><span class="run-key family-${family}"></span>${name}</span>
        <span class="run-accuracy">${run.status === 'waiting' ? text.waiting : step > 0 ? accuracy : ''}</span>
        <svg class="run-bar family-${family}" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
          <rect width=${((100 * step) / run.steps).toFixed(2)} height="1"></rect>
        </svg>
        <span class="run-step">${step}</span>
      </button>
      ${run.problem ? html`<p class="field-problem">${problemText(content, run.info, run.problem)}</p>` : nothing}`;
  }
}

function tool(name: IconName, label: string, strong: boolean, act: () => void, hint = ''): TemplateResult {
  return html`<button
    type="button"
    class="button ${strong ? 'button-strong' : ''}"
    title=${hint || nothing}
    aria-description=${hint || nothing}
    @click=${act}
  >
    ${icon(name)}<span>${label}</span>
  </button>`;
}
