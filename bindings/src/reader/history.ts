import type { TrainProgress } from './types.ts';

/** Milliseconds between two progresses. */
const INTERVAL = 50;

/** What happened since the last progress, until the next one is due. */
export class History {
  #loss: number[] = [];
  #accuracy: number[] = [];
  #last = performance.now();

  add(loss: number, accuracy: number): void {
    this.#loss.push(loss);
    this.#accuracy.push(accuracy);
  }

  get isEmpty(): boolean {
    return this.#loss.length === 0;
  }

  isDue(): boolean {
    return performance.now() - this.#last >= INTERVAL;
  }

  /** The loss and accuracy of the last step and of all since the progress before; begins anew. */
  take(): Pick<TrainProgress, 'loss' | 'accuracy' | 'history'> {
    const history = { loss: Float32Array.from(this.#loss), accuracy: Float32Array.from(this.#accuracy) };
    const loss = this.#loss.at(-1) ?? NaN;
    const accuracy = this.#accuracy.at(-1) ?? NaN;
    this.#loss = [];
    this.#accuracy = [];
    this.#last = performance.now();
    return { loss, accuracy, history };
  }
}
