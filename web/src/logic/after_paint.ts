/** Runs `act` when the frame of the animation callback that asks is painted: a message sent from it arrives after. */
export function afterPaint(act: () => void): void {
  const channel = new MessageChannel();
  channel.port1.onmessage = () => {
    channel.port1.close();
    act();
  };
  channel.port2.postMessage(null);
}
