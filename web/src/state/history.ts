import type { Sentences } from './state.ts';

const kLongest = 100;

/** Sentences that were: what an example or a tool replaced can be had back. */
export class History {
  #past: Sentences[] = [];
  #future: Sentences[] = [];

  /** Remembers the sentences before they change. */
  remember({ a, b }: Sentences): void {
    const last = this.#past.at(-1);
    if (last?.a === a && last.b === b) return;
    this.#past = [...this.#past.slice(-kLongest), { a, b }];
    this.#future = [];
  }

  canUndo(now: Sentences): boolean {
    return this.#past.some(({ a, b }) => a !== now.a || b !== now.b);
  }

  get canRedo(): boolean {
    return this.#future.length > 0;
  }

  /** The sentences before `now`, or `null`. */
  undo(now: Sentences): Sentences | null {
    return travel(this.#past, this.#future, now);
  }

  /** The sentences that were undone last, or `null`. */
  redo(now: Sentences): Sentences | null {
    return travel(this.#future, this.#past, now);
  }
}

function travel(from: Sentences[], to: Sentences[], { a, b }: Sentences): Sentences | null {
  let next = from.pop();
  while (next?.a === a && next.b === b) next = from.pop();
  if (next === undefined) return null;
  to.push({ a, b });
  return next;
}
