import { buffersOf, errorDataOf } from '../worker/protocol.ts';
import { instantiateReaders } from './load.ts';
import type { FromTrainer, ToTrainer } from './protocol.ts';
import type { Training } from './types.ts';

type Post = (message: FromTrainer, transfer: ArrayBuffer[]) => void;

/** The worker's side: one training. Commands come after `ready` only, when there is one. */
export function createTrainer(post: Post): (message: ToTrainer) => void {
  let training: Training | undefined;

  async function start({ module, plan }: ToTrainer & { type: 'start' }): Promise<void> {
    const readers = await instantiateReaders(module);
    training = readers.train({
      ...plan,
      onProgress: (progress) => post({ type: 'progress', progress }, buffersOf(progress)),
    });
    post({ type: 'ready' }, []);
    const weights = await training.done;
    post({ type: 'done', weights }, [weights.buffer]);
  }

  return (message) => {
    if (message.type === 'command') training?.[message.command]();
    else start(message).catch((error: unknown) => post({ type: 'error', error: errorDataOf(error) }, []));
  };
}
