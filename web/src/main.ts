/** Starts the page: draws the saved picture, then gets the engine. */
import { saved } from 'virtual:first-picture';
import type { EngineFailure } from './content/content.ts';
import { Page } from './elements/page.ts';
import { registerElements } from './elements/register.ts';
import { problemOf } from './engine/compute.ts';
import { loadEngine } from './engine/loader.ts';
import { Lab } from './lab.ts';
import { reportSize } from './embed.ts';
import { Link } from './state/link.ts';
import type { Lang } from './state/state.ts';
import { setTheme, watchSystem } from './theme.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/sentences.css';
import './styles/experiment.css';
import './styles/matrix.css';
import './styles/findings.css';
import './styles/scoreboard.css';
import './styles/responsive.css';
import './styles/print.css';

const kFailures: readonly EngineFailure[] = ['wasm_not_found', 'wasm_not_wasm', 'wasm_blocked', 'wasm_unsupported'];

const browserLang: Lang = navigator.languages
  .find((tag) => /^(en|zh)\b/iu.test(tag))
  ?.toLowerCase()
  .startsWith('zh')
  ? 'zh'
  : 'en';
const query = new URLSearchParams(location.search);
const embedded = query.has('embed');
const lab = new Lab(saved, browserLang, location.hash);

function follow(): void {
  const { content } = lab;
  const root = document.documentElement;
  // Setting it anew, even to the same language, would restyle the whole page.
  if (root.lang !== content.htmlLang) root.lang = content.htmlLang;
  if (document.title !== content.title) document.title = content.title;
  setTheme(lab.state.theme);
}

function start(): void {
  loadEngine().then(
    (engine) => {
      lab.start(engine);
      document.documentElement.dataset['engine'] = 'ready';
    },
    (error: unknown) => {
      const { code } = problemOf(error);
      lab.fail(kFailures.find((failure) => failure === code) ?? 'other');
    },
  );
}

function measurePaint(): void {
  const marks = performance.getEntriesByName('posenc:input', 'mark');
  const mark = marks.at(-1);
  if (mark === undefined) return;
  performance.clearMarks('posenc:input');
  // This runs inside an animation frame; the message arrives after that frame is painted.
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    const end = performance.now();
    // From the event, with the wait for the next frame; and the work alone.
    performance.measure('posenc:input-to-paint', { start: mark.startTime, end });
    performance.measure('posenc:frame', { start: lab.frameStart, end });
  };
  channel.port2.postMessage(null);
}

if (embedded) document.documentElement.dataset['embed'] = '';
follow();
watchSystem();
lab.addEventListener('change', follow);
lab.addEventListener('picture', measurePaint);
new Link(lab);

registerElements();
const page = document.querySelector('pos-enc-page');
if (page instanceof Page) {
  page.embedded = embedded;
  page.retry = start;
  page.lab = lab;
  if (embedded) reportSize(query.get('id') ?? query.get('embed') ?? '');
}
start();
