/** Distance from what is seen. */
const kMargin = '600px';

/** Calls `act` when `element` comes near the part of the page that is seen; again next time, should it fail. */
export function whenNear(element: Element, act: () => Promise<void>): void {
  const observer = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.unobserve(element);
      act().catch(() => observer.observe(element));
    },
    { rootMargin: kMargin },
  );
  observer.observe(element);
}
