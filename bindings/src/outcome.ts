import { PosencError } from './errors.ts';
import type { PosencErrorCode } from './errors.ts';
import type { Outcome } from './raw_types.ts';

/** Calls the raw module; returns the value of its outcome, or throws its error. */
export function unwrap<T>(call: () => Outcome<T>): T {
  const outcome = withMemoryErrors(call);
  if (outcome.error === undefined) return outcome.value;
  // The codes are those of C++, which the type lists; a test compares the two lists.
  throw new PosencError({ ...outcome.error, code: outcome.error.code as PosencErrorCode });
}

/** A typed array that JavaScript cannot allocate is a RangeError, as is a stack that is too deep. */
function withMemoryErrors<T>(call: () => T): T {
  try {
    return call();
  } catch (error) {
    if (!(error instanceof RangeError) || error.message.includes('call stack')) throw error;
    const message = `the input or the result does not fit into memory: ${error.message}`;
    throw new PosencError({ code: 'out_of_memory', message });
  }
}
