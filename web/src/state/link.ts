/** Keeps the address of the page and the state of the lab the same. */
import type { Lab } from '../lab.ts';
import { encodeState } from './url.ts';

/** From a change to its write, in milliseconds: browsers refuse many writes, and the frame after a letter is for the
 * matrices. */
const kPause = 250;

export class Link {
  readonly #lab: Lab;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(lab: Lab) {
    this.#lab = lab;
    lab.addEventListener('change', () => this.#plan());
    window.addEventListener('hashchange', () => this.#read());
  }

  #plan(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#write();
    }, kPause);
  }

  #write(): void {
    const { state, encodings, content } = this.#lab;
    const text = encodeState(state, encodings, content.sentences);
    if (text === location.hash.slice(1)) return;
    try {
      history.replaceState(history.state, '', text === '' ? location.pathname + location.search : `#${text}`);
    } catch {
      // Some sandboxes have no address to write to; the page works without.
    }
  }

  #read(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lab.open(location.hash);
  }
}
