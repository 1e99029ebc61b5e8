/** The words of the desk where readers are trained, once per language. */
import type { PageMask } from '../state/state.ts';

export interface TrainingText {
  readonly title: string;
  readonly lede: string;
  readonly all: string;
  readonly only: (encoding: string) => string;
  readonly pause: string;
  readonly resume: string;
  readonly step: string;
  readonly stepHint: string;
  readonly reset: string;
  readonly seed: string;
  readonly seedDoc: string;
  readonly steps: string;
  readonly stepsDoc: string;
  /** What the desk trains, or trained. */
  readonly setup: (mask: PageMask, seed: number, steps: number) => string;
  readonly loss: string;
  readonly accuracy: string;
  readonly stepAxis: string;
  readonly guess: string;
  readonly summary: (title: string, encoding: string, value: string, step: number) => string;
  readonly runs: string;
  /** More about a run in the list. */
  readonly run: (accuracy: string, step: number, steps: number) => string;
  readonly waiting: string;
  readonly averaged: (steps: number) => string;
  readonly hidden: string;
  readonly finished: (runs: number) => string;
}
