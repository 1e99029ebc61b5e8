import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** What a drag does to its row. */
export interface DragTarget {
  /** A chip is held. */
  lift(): void;
  /** The chip at `from` goes to `to`; the rows are drawn again. */
  move(from: number, to: number): void;
  /** The chip stays at `index`. */
  drop(index: number): void;
}

interface Held {
  readonly pointer: number;
  readonly startX: number;
  readonly startY: number;
  /** Where in the chip it was taken. */
  readonly gripX: number;
  readonly gripY: number;
  readonly touch: boolean;
  index: number;
  x: number;
  y: number;
  active: boolean;
}

const kDragDistance = 6;
const kLongPress = 320;
const kSlide = 160;

/**
 * Moves the chips of a row with a pointer: at once with a mouse, after a long press with a finger (before that, a
 * finger scrolls the page). The words move while the chip does.
 */
export class ChipDrag implements ReactiveController {
  readonly #host: ReactiveControllerHost & HTMLElement;
  readonly #target: DragTarget;
  #held: Held | null = null;
  #press: ReturnType<typeof setTimeout> | undefined;
  #before = new Map<Element, DOMRect>();
  /** The click that ends a drag is no wish to edit. */
  #swallowClick = false;

  constructor(host: ReactiveControllerHost & HTMLElement, target: DragTarget) {
    this.#host = host;
    this.#target = target;
    host.addController(this);
  }

  /** Place of the chip that is being dragged, or -1. */
  get index(): number {
    return this.#held?.active ? this.#held.index : -1;
  }

  hostConnected(): void {
    this.#host.addEventListener('pointerdown', this.#down);
    this.#host.addEventListener('pointermove', this.#move);
    this.#host.addEventListener('pointerup', this.#up);
    this.#host.addEventListener('pointercancel', this.#end);
    this.#host.addEventListener('contextmenu', this.#menu);
    this.#host.addEventListener('click', this.#click, { capture: true });
    this.#host.addEventListener('touchmove', this.#holdPage, { passive: false });
  }

  hostDisconnected(): void {
    clearTimeout(this.#press);
    this.#held = null;
    this.#host.removeEventListener('pointerdown', this.#down);
    this.#host.removeEventListener('pointermove', this.#move);
    this.#host.removeEventListener('pointerup', this.#up);
    this.#host.removeEventListener('pointercancel', this.#end);
    this.#host.removeEventListener('contextmenu', this.#menu);
    this.#host.removeEventListener('click', this.#click, { capture: true });
    this.#host.removeEventListener('touchmove', this.#holdPage);
  }

  hostUpdate(): void {
    if (this.index < 0) return;
    this.#before = new Map(this.#chips().map((chip) => [chip, chip.getBoundingClientRect()]));
  }

  hostUpdated(): void {
    if (this.index < 0) return;
    this.#follow();
    this.#slide();
  }

  readonly #down = (event: PointerEvent): void => {
    const chip = event.target instanceof Element ? event.target.closest<HTMLElement>('.chip[data-index]') : null;
    if (chip === null || event.button !== 0 || this.#held !== null) return;
    const box = chip.getBoundingClientRect();
    this.#swallowClick = false;
    this.#held = {
      pointer: event.pointerId,
      startX: event.clientX,
      startY: event.clientY,
      gripX: event.clientX - box.left,
      gripY: event.clientY - box.top,
      touch: event.pointerType === 'touch',
      index: Number(chip.dataset['index']),
      x: event.clientX,
      y: event.clientY,
      active: false,
    };
    if (this.#held.touch) this.#press = setTimeout(() => this.#lift(), kLongPress);
  };

  #lift(): void {
    const held = this.#held;
    if (held === null || held.active) return;
    held.active = true;
    this.#swallowClick = true;
    try {
      this.#host.querySelector('.chips')?.setPointerCapture(held.pointer);
    } catch {
      // The finger has left already; pointerup or pointercancel follows.
    }
    this.#target.lift();
    this.#host.requestUpdate();
  }

  readonly #move = (event: PointerEvent): void => {
    const held = this.#held;
    if (held === null || event.pointerId !== held.pointer) return;
    held.x = event.clientX;
    held.y = event.clientY;
    if (!held.active && Math.hypot(held.x - held.startX, held.y - held.startY) > kDragDistance) {
      if (held.touch) this.#end();
      else this.#lift();
    }
    if (!held.active) return;
    const to = this.#placeUnder(held);
    if (to !== held.index) {
      const from = held.index;
      held.index = to;
      this.#target.move(from, to);
    }
    this.#follow();
  };

  readonly #up = (event: PointerEvent): void => {
    const held = this.#held;
    if (held === null || event.pointerId !== held.pointer) return;
    this.#end();
    if (!held.active) return;
    this.#target.drop(held.index);
    // Where no click follows the drag, the next one counts again.
    setTimeout(() => {
      this.#swallowClick = false;
    });
  };

  readonly #end = (): void => {
    clearTimeout(this.#press);
    for (const chip of this.#chips()) chip.style.removeProperty('transform');
    this.#held = null;
    this.#host.requestUpdate();
  };

  readonly #menu = (event: Event): void => {
    if (this.#held) event.preventDefault();
  };

  readonly #click = (event: Event): void => {
    if (!this.#swallowClick) return;
    this.#swallowClick = false;
    event.stopPropagation();
  };

  /** Once a chip is held, the finger moves it and not the page. */
  readonly #holdPage = (event: TouchEvent): void => {
    if (this.index >= 0 && event.cancelable) event.preventDefault();
  };

  #chips(): HTMLElement[] {
    return Array.from(this.#host.querySelectorAll<HTMLElement>('.chip[data-index]'));
  }

  #placeUnder(held: Held): number {
    const chips = this.#chips();
    const origin = chips[0]?.offsetParent?.getBoundingClientRect();
    const x = held.x - (origin?.left ?? 0);
    const y = held.y - (origin?.top ?? 0);
    let nearest = held.index;
    let least = Infinity;
    for (const chip of chips) {
      // Lines are further apart than words: being in the right line counts more.
      const distance =
        Math.abs(chip.offsetLeft + chip.offsetWidth / 2 - x) + 3 * Math.abs(chip.offsetTop + chip.offsetHeight / 2 - y);
      if (distance < least) {
        least = distance;
        nearest = Number(chip.dataset['index']);
      }
    }
    return nearest;
  }

  /** Keeps the dragged chip under the pointer, wherever its place in the row is. */
  #follow(): void {
    const held = this.#held;
    const chip = this.#host.querySelector<HTMLElement>('.chip.is-dragged');
    if (!held?.active || chip === null) return;
    const origin = chip.offsetParent?.getBoundingClientRect();
    const left = held.x - held.gripX - (origin?.left ?? 0) - chip.offsetLeft;
    const top = held.y - held.gripY - (origin?.top ?? 0) - chip.offsetTop;
    chip.style.transform = `translate(${left}px, ${top}px) scale(1.04)`;
  }

  /** The other chips slide to their new places. */
  #slide(): void {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    for (const [chip, box] of this.#before) {
      if (still || !chip.isConnected || chip.classList.contains('is-dragged')) continue;
      const now = chip.getBoundingClientRect();
      if (now.left === box.left && now.top === box.top) continue;
      const from = `translate(${box.left - now.left}px, ${box.top - now.top}px)`;
      chip.animate([{ transform: from }, { transform: 'none' }], { duration: kSlide, easing: 'ease-out' });
    }
    this.#before.clear();
  }
}
