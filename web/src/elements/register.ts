import { ChipRow } from './chip_row.ts';
import { Experiment } from './experiment.ts';
import { FieldControl } from './field.ts';
import { Findings } from './findings.ts';
import { MatrixGrid } from './matrix.ts';
import { OrderTools } from './order_tools.ts';
import { Page } from './page.ts';
import { Picker } from './picker.ts';
import { Scoreboard } from './scoreboard.ts';
import { SentenceEditor } from './sentence_editor.ts';
import { Sentences } from './sentences.ts';
import { Settings } from './settings.ts';

const kElements: Readonly<Record<string, CustomElementConstructor>> = {
  'pos-enc-field': FieldControl,
  'pos-enc-matrix': MatrixGrid,
  'pos-enc-chips': ChipRow,
  'pos-enc-editor': SentenceEditor,
  'pos-enc-order-tools': OrderTools,
  'pos-enc-picker': Picker,
  'pos-enc-sentences': Sentences,
  'pos-enc-settings': Settings,
  'pos-enc-findings': Findings,
  'pos-enc-experiment': Experiment,
  'pos-enc-scoreboard': Scoreboard,
  'pos-enc-page': Page,
};

/** Two copies of the page's code do not collide. */
export function define(elements: Readonly<Record<string, CustomElementConstructor>>): void {
  for (const [name, element] of Object.entries(elements)) {
    if (customElements.get(name) === undefined) customElements.define(name, element);
  }
}

/** Defines the elements of the page that are there from the start. */
export function registerElements(): void {
  define(kElements);
}
