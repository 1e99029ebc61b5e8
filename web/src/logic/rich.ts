/** Text in which some words stand out; no markup, so that a reader's words stay words. */
export type Rich = readonly (string | Emphasis)[];

export interface Emphasis {
  readonly em: string;
}

/** A word or a number that stands out. */
export const em = (text: string): Emphasis => ({ em: text });

/** Template tag: rich`${em('Tom')} gives 0.31`. Rich values are spliced in. */
export function rich(strings: readonly string[], ...values: readonly (string | Emphasis | Rich)[]): Rich {
  const parts: (string | Emphasis)[] = [];
  strings.forEach((text, index) => {
    if (text !== '') parts.push(text);
    const value = values[index];
    if (value === undefined) return;
    if (typeof value === 'string' || 'em' in value) parts.push(value);
    else parts.push(...value);
  });
  return parts;
}

/** The text alone, for screen readers and tests. */
export function plain(text: Rich): string {
  return text.map((part) => (typeof part === 'string' ? part : part.em)).join('');
}
