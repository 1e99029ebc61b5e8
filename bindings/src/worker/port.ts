/** A worker, whichever platform runs it. */
export interface WorkerPort<To, From> {
  post(message: To): void;
  onMessage(listener: (message: From) => void): void;
  onError(listener: (reason: string) => void): void;
  /** Whether requests are under way; Node may end while there are none. */
  setBusy(busy: boolean): void;
  terminate(): void;
}

/** The worker of a browser; null where it does not start one, as from another origin. */
export function browserPort<To, From>(start: () => Worker): WorkerPort<To, From> | null {
  try {
    const worker = start();
    return {
      post: (message) => worker.postMessage(message),
      onMessage: (listener) => worker.addEventListener('message', (event: MessageEvent<From>) => listener(event.data)),
      onError: (listener) => worker.addEventListener('error', (event) => listener(event.message)),
      setBusy: () => undefined,
      terminate: () => worker.terminate(),
    };
  } catch {
    return null;
  }
}
