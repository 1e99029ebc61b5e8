/** A sentence with an arrow from each question to each word, as wide as the word is probable. */
import { svg, html, type TemplateResult } from 'lit';
import { arrow, kArrowHeight, kRows, kWordTop, type ArrowLayout } from '../logic/arrow_layout.ts';
import { formatPercent } from '../logic/format.ts';
import { kAsks, type Answer, type Ask } from '../logic/reader_facts.ts';

/** Less probable words have an arrow, and no number. */
const kPrinted = 0.01;
/** How much of the colour of its question a certain word has. */
const kTint = 0.22;

export function arrowsView(
  labels: readonly string[],
  answer: Answer,
  layout: ArrowLayout,
  asks: Readonly<Record<Ask, string>>,
): TemplateResult {
  return html`<svg
    class="arrows"
    viewBox="0 0 ${layout.width} ${kArrowHeight}"
    width=${layout.width}
    height=${kArrowHeight}
    aria-hidden="true"
  >
    ${kAsks.map((ask) => questionView(ask, asks[ask], answer[ask], layout))}
    ${layout.words.map(({ x, width }, place) => {
      const label = labels[place] ?? '';
      return svg`<g class="arrow-word" data-place=${place}>
        ${kAsks.map((ask) => chip(`arrow-tint ask-${ask}`, x, width, (answer[ask][place] ?? 0) * kTint))}
        ${chip('arrow-frame', x, width, 1)}
        <text x=${x} y=${kWordTop + kRows.word / 2} dy="0.35em">${label}</text>
      </g>`;
    })}
  </svg>`;
}

const chip = (name: string, x: number, width: number, opacity: number): TemplateResult =>
  svg`<rect class=${name} x=${x - width / 2} y=${kWordTop} width=${width} height=${kRows.word} rx="8" opacity=${opacity.toFixed(3)}></rect>`;

function questionView(ask: Ask, label: string, probabilities: Float32Array, layout: ArrowLayout): TemplateResult {
  const above = ask === 'who';
  const flip = (y: number): number => (above ? y : kArrowHeight - y);
  const tagHeight = kRows.askHeight;
  const end = kRows.askHeight + kRows.arrows;
  return svg`<g class="question ask-${ask}">
    ${layout.words.map(({ x }, place) => {
      const probability = probabilities[place] ?? 0;
      const { path, head, thickness, opacity } = arrow(layout.middle, flip(tagHeight), x, flip(end), probability);
      return svg`<g opacity=${opacity.toFixed(3)} data-place=${place}>
          <path class="arrow-line" d=${path} stroke-width=${thickness.toFixed(2)}></path>
          <path class="arrow-head" d=${head}></path>
        </g>
        <text class="arrow-number" x=${x} y=${flip(end + kRows.number / 2)} dy="0.35em">${
          probability < kPrinted ? '' : formatPercent(probability)
        }</text>`;
    })}
    <text class="arrow-ask" x=${layout.middle} y=${flip(tagHeight / 2)} dy="0.35em">${label}</text>
  </g>`;
}
