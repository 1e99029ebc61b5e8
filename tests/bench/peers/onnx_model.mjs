/** Writes ONNX models: just enough of protobuf and of ONNX for the graphs of the benchmark. */

const FLOAT = 1;
const INT64 = 7;
const IR_VERSION = 8;
const OPSET = 17;

function varint(number) {
  const bytes = [];
  let rest = BigInt.asUintN(64, BigInt(number));
  do {
    const more = rest > 127n;
    bytes.push(Number(rest & 127n) | (more ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return bytes;
}

/** Fields of a message by their wire type. */
const integer = (field, value) => [...varint(field << 3), ...varint(value)];
const bytes = (field, content) => [...varint((field << 3) | 2), ...varint(content.length), ...content];
const text = (field, value) => bytes(field, new TextEncoder().encode(value));
const message = (field, ...parts) => bytes(field, parts.flat());

function attribute(name, value) {
  const INTS = 7;
  const INT = 2;
  const content = Array.isArray(value)
    ? [...value.flatMap((item) => integer(8, item)), ...integer(20, INTS)]
    : [...integer(3, value), ...integer(20, INT)];
  return message(5, text(1, name), content);
}

/** An operator of a graph; `domain` is that of operators which are not in the standard. */
export function node(operator, inputs, outputs, { domain = '', ...attributes } = {}) {
  return message(
    1,
    inputs.flatMap((name) => text(1, name)),
    outputs.flatMap((name) => text(2, name)),
    text(4, operator),
    Object.entries(attributes).flatMap(([name, value]) => attribute(name, value)),
    domain === '' ? [] : text(7, domain),
  );
}

function tensorInfo(field, [name, shape, type = FLOAT]) {
  const dimensions = shape.flatMap((length) => message(1, integer(1, length)));
  return message(field, text(1, name), message(2, message(1, integer(1, type), message(2, dimensions))));
}

/** Constants: whole numbers, or one float. */
export const wholeNumbers = (name, values) =>
  message(5, integer(1, values.length), integer(2, INT64), bytes(9, new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer)), text(8, name)); // prettier-ignore
export const oneFloat = (name, value) =>
  message(5, integer(2, FLOAT), bytes(9, new Uint8Array(Float32Array.of(value).buffer)), text(8, name));

export const ofIndices = (name, shape) => [name, shape, INT64];

/** @param graph  { nodes, constants, inputs, outputs }; the last two list [name, shape] or ofIndices(name, shape) */
export function model({ nodes, constants = [], inputs, outputs }) {
  const graph = [
    ...nodes.flat(),
    ...text(2, 'graph'),
    ...constants.flat(),
    ...inputs.flatMap((input) => tensorInfo(11, input)),
    ...outputs.flatMap((output) => tensorInfo(12, output)),
  ];
  const operators = (domain, version) => message(8, text(1, domain), integer(2, version));
  return Uint8Array.from([
    ...integer(1, IR_VERSION),
    ...bytes(7, graph),
    ...operators('', OPSET),
    ...operators('com.microsoft', 1),
  ]);
}
