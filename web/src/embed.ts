/** Tells the page around an embedded experiment how tall it is. */
export function reportSize(id: string): void {
  if (window.parent === window) return;
  let reported = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.body.getBoundingClientRect().height);
    if (height === reported) return;
    reported = height;
    // Any page may embed this one, and a height is no secret.
    window.parent.postMessage({ type: 'posenc:size', height, id }, '*');
  }).observe(document.body);
}
