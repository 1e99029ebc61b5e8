declare module 'virtual:first-picture' {
  import type { SavedPages } from './engine/picture.ts';
  export const saved: SavedPages;
}
