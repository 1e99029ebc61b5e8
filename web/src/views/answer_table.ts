/** An answer as a table with bars: for more words than a row of arrows has room for. */
import { html, nothing, type TemplateResult } from 'lit';
import type { ReaderText } from '../content/reader_text.ts';
import { formatPercent } from '../logic/format.ts';
import { kAsks, shortList, type Answer, type Ask } from '../logic/reader_facts.ts';

export const kMostRows = 14;

export function answerTable(
  labels: readonly string[],
  answer: Answer,
  text: Pick<ReaderText, 'asks' | 'word' | 'otherWords'>,
  name: string,
): TemplateResult {
  const { places, rest } = shortList(answer, kMostRows);
  const others = labels.length - places.length;
  return html`<table class="answer-table" aria-label=${name}>
    <thead>
      <tr>
        <th scope="col">${text.word}</th>
        ${kAsks.map((ask) => html`<th scope="col" class="ask-${ask}">${text.asks[ask]}</th>`)}
      </tr>
    </thead>
    <tbody>
      ${places.map(
        (place) =>
          html`<tr>
            <th scope="row" dir="auto">${labels[place]}</th>
            ${kAsks.map((ask) => bar(ask, answer[ask][place] ?? 0))}
          </tr>`,
      )}
      ${
        others > 0
          ? html`<tr class="is-rest">
              <th scope="row">${text.otherWords(others)}</th>
              ${kAsks.map((ask) => bar(ask, rest[ask]))}
            </tr>`
          : nothing
      }
    </tbody>
  </table>`;
}

function bar(ask: Ask, probability: number): TemplateResult {
  return html`<td class="ask-${ask}">
    <svg class="answer-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width=${(probability * 100).toFixed(2)} height="1"></rect>
    </svg>
    <span>${formatPercent(probability)}</span>
  </td>`;
}
