import { load } from 'posenc';

const posenc = await load();
const dims = { dModel: 8, nHeads: 1 };
const { data } = posenc.table({ kind: 'sinusoidal' }, { positions: [3, 1048575], dims });
for (const value of data) console.log(shortest(value));
try {
  posenc.table({ kind: 'ropee' }, { length: 1 });
} catch (error) {
  console.log(error.message);
}

/** As C's "%.9g" writes a float. */
function shortest(value) {
  const [digits, exponent] = value.toExponential(8).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 9) return String(Number(value.toPrecision(9)));
  const trimmed = digits.replace(/\.?0+$/, '');
  return `${trimmed}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
