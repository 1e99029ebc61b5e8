/** One polite voice for the whole page. */

const kPause = 400;
let region: HTMLElement | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

export function useRegion(element: HTMLElement): void {
  region = element;
}

/** Says `text` once things have been still for a moment; a newer text replaces it. */
export function announce(text: string): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    if (region && region.textContent !== text) region.textContent = text;
  }, kPause);
}
