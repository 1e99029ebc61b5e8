import type { PosencErrorData } from '../errors.ts';
import type { Training, TrainOptions, TrainProgress } from './types.ts';

/** Messages between the page and the worker that trains: plain data only. */

/** What goes to the worker of the options. */
export type Plan = Omit<TrainOptions, 'signal' | 'onProgress'>;

/** What can be asked of a training that goes on. */
export type Command = keyof Pick<Training, 'pause' | 'resume' | 'step'>;

export type ToTrainer =
  | { readonly type: 'start'; readonly module: WebAssembly.Module; readonly plan: Plan }
  | { readonly type: 'command'; readonly command: Command };

export type FromTrainer =
  | { readonly type: 'ready' }
  | { readonly type: 'progress'; readonly progress: TrainProgress }
  | { readonly type: 'done'; readonly weights: Uint8Array<ArrayBuffer> }
  | { readonly type: 'error'; readonly error: PosencErrorData };
