/** Codes of `PosencError`. Those of the engine come from C++ unchanged. */
export type PosencErrorCode =
  | 'unknown_encoding'
  | 'unknown_param'
  | 'wrong_type'
  | 'not_finite'
  | 'out_of_range'
  | 'shape_mismatch'
  | 'missing_seam'
  | 'position_out_of_range'
  | 'empty_input'
  | 'missing_value'
  | 'out_of_memory'
  | 'internal'
  | 'wasm_not_found'
  | 'wasm_not_wasm'
  | 'wasm_blocked'
  | 'wasm_unsupported'
  | 'weights_not_found'
  | 'aborted';

/** What an error says, as plain data: survives structured clone between a worker and the page. */
export interface PosencErrorData {
  readonly code: PosencErrorCode;
  /** The input that is wrong, by its snake_case path (`rotary_dim`, `a`, `dims.n_heads`); empty when there is none. */
  readonly field: string;
  /** What the field must be. */
  readonly rule: string;
  /** What was given, as text. */
  readonly value: string;
  readonly message: string;
  /** What to do about it; empty when the message says it all. */
  readonly hint: string;
}

/**
 * The only error that posenc throws.
 *
 * @example
 * try { posenc.table({ kind: 'sinusoidal', theta: -1 }, { length: 4 }) }
 * catch (error) { if (error instanceof PosencError) console.log(error.code, error.field) } // out_of_range theta
 */
export class PosencError extends Error implements PosencErrorData {
  override readonly name = 'PosencError';
  readonly code: PosencErrorCode;
  readonly field: string;
  readonly rule: string;
  readonly value: string;
  readonly hint: string;

  constructor(data: Partial<PosencErrorData> & Pick<PosencErrorData, 'code' | 'message'>) {
    super(data.message);
    this.code = data.code;
    this.field = data.field ?? '';
    this.rule = data.rule ?? '';
    this.value = data.value ?? '';
    this.hint = data.hint ?? '';
  }

  /** The error as plain data. */
  toData(): PosencErrorData {
    const { code, field, rule, value, message, hint } = this;
    return { code, field, rule, value, message, hint };
  }
}

/** The error for input that breaks a rule; `rule` completes "<field> must ...". */
export function brokenRule(code: PosencErrorCode, field: string, rule: string, value: string): PosencError {
  return new PosencError({ code, field, rule, value, message: `${field} must ${rule}, got ${value}` });
}

/** The error for a value of the wrong kind. */
export function wrongType(field: string, rule: string, value: unknown): PosencError {
  return brokenRule('wrong_type', field, rule, value === null ? 'null' : typeof value);
}
