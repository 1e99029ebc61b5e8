/** The one place where names change style: snake_case in C++, JSON and URLs, camelCase in JavaScript. */

/** `rotary_dim` -> `rotaryDim` */
export function toCamelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** `rotaryDim` -> `rotary_dim`; a name that is snake_case already stays as it is. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
