/** Does something again and again, and lets events and drawing have their turn in between. */
export interface Turns {
  start(): void;
  stop(): void;
}

/** Like setTimeout(run, 0), but at once: browsers make a timer wait for 4 ms. */
interface Soon {
  ask(): void;
  close(): void;
}

/** Node's messages are handled by the thousand, before anything else has a turn; browsers have no setImmediate. */
function createSoon(run: () => void): Soon {
  if (typeof setImmediate === 'function') return { ask: () => void setImmediate(run), close: () => undefined };
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = run;
  return { ask: () => port2.postMessage(null), close: () => port1.close() };
}

export function createTurns(act: () => void): Turns {
  let soon: Soon | undefined;

  function start(): void {
    if (soon !== undefined) return;
    // What was asked for before a stop must not act after it.
    const mine: Soon = createSoon(() => {
      if (soon !== mine) return;
      act();
      if (soon === mine) mine.ask();
    });
    soon = mine;
    mine.ask();
  }

  function stop(): void {
    soon?.close();
    soon = undefined;
  }

  return { start, stop };
}
