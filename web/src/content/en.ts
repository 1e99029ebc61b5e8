import { formatSize, formatWeight, formatPair } from '../logic/format.ts';
import { em, rich, type Rich } from '../logic/rich.ts';
import { formatNumber } from '../logic/format.ts';
import type { CellFacts } from '../logic/facts.ts';
import type { CellWords, Content } from './content.ts';
import { enReader } from './en_reader.ts';

const list = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;

function pair(cell: CellFacts, { query, key }: CellWords): Rich {
  const q = em(query);
  const k = em(key);
  if (cell.b === null)
    return rich`${q} gives ${k} ${em(formatWeight(cell.weightA))} in A. One of them has no partner in B.`;
  if (cell.hiddenA && cell.hiddenB) return rich`The mask hides ${k} from ${q} in both orders.`;
  if (cell.hiddenA)
    return rich`In A the mask hides ${k} from ${q}; in B ${q} gives it ${em(formatWeight(cell.weightB))}.`;
  if (cell.hiddenB) return rich`In A ${q} gives ${k} ${em(formatWeight(cell.weightA))}; in B the mask hides it.`;
  if (cell.delta === 0) return rich`${q} gives ${k} ${em(formatWeight(cell.weightA))} in both orders.`;
  const [from, to] = formatPair(cell.weightA, cell.weightB);
  return rich`${q} now gives ${k} ${em(to)} instead of ${em(from)}.`;
}

export const en: Content = {
  lang: 'en',
  htmlLang: 'en',
  title: 'posenc: same words, another order',
  skip: 'Skip to the experiment',
  language: 'Language',
  theme: { auto: 'Theme: as the system', light: 'Theme: light', dark: 'Theme: dark' },

  heading: 'Same words. Another order.',
  lede: 'Attention by itself sees a bag of words. Choose how position enters, change the order, and watch what each word looks at.',
  sentences: { a: 'Tom chased Jerry', b: 'Jerry chased Tom' },
  presets: [
    { a: 'Tom chased Jerry', b: 'Jerry chased Tom' },
    { a: 'yesterday Tom chased Jerry', b: 'yesterday Jerry chased Tom' },
    { a: 'not good but bad', b: 'bad but not good' },
    { a: 'the cat saw the dog', b: 'the dog saw the cat' },
    { a: '我爱你', b: '你爱我' },
    { a: '屡战屡败', b: '屡败屡战' },
  ],
  padding: { word: 'yesterday', separator: ' ' },

  words: {
    group: 'The two sentences',
    sentence: (row) => `Sentence ${row.toUpperCase()}`,
    help: 'Enter edits the sentence. Shift with an arrow key moves the word.',
    chip: (word, place, total, position) => `${word}, word ${place} of ${total}, position ${position}`,
    edit: (row) => `Edit sentence ${row.toUpperCase()}`,
    empty: 'Type a sentence',
    more: (count) => `and ${count} more`,
    done: 'Done',
    join: 'Join next',
    split: 'Split',
    moveLeft: 'Move earlier',
    moveRight: 'Move later',
    moved: (word, place, total) => `${word} moved to place ${place} of ${total}`,
    swap: 'Swap two',
    swapHint: (first, second) => `Exchange “${first}” and “${second}” in B`,
    reverse: 'Reverse',
    reverseHint: 'Read B backwards',
    shuffle: 'Shuffle',
    shuffleHint: 'Put the words of B in another order',
    shift: 'Shift',
    shiftHint: (offset) => `Move all words one position on; the first one is at ${offset} now`,
    undo: 'Undo',
    redo: 'Redo',
    examples: 'Examples',
    cut: 'Cut Chinese by',
    cuts: { auto: 'Shared', char: '字', word: '词' },
    onlyFirst: (computed, total) =>
      `The text has ${total} words. The first ${computed} are computed; the rest is kept.`,
  },

  picker: {
    encoding: 'Encoding',
    families: {
      none: 'Nothing',
      added: 'Added to the words',
      rotated: 'Rotates query and key',
      bias: 'Bias on the score',
      relative: 'Relative vectors',
      content: 'Depends on content',
    },
    mask: 'Each word looks',
    masks: { none: 'both ways', causal: 'only backwards' },
    source: (authors, year) => `${authors} ${year}`,
  },

  settings: {
    title: 'Settings',
    none: 'This encoding has no parameters.',
    reset: 'Reset',
    resetHint: 'Parameters, head, start and mask as they come. Keeps the seed and the sentences.',
    seed: 'Seed',
    seedDoc: 'Another seed, other random weights. The same seed always gives the same numbers.',
    head: 'Head',
    headDoc: (heads) => `One of the ${heads} attention heads of this layer; each has weights of its own.`,
    weights: 'Weights',
    weightsOf: { seeded: 'random', reader: 'trained' },
    layer: 'Layer',
    layerDoc: (layers) => `One of the ${layers} layers of the reader.`,
    start: 'Start',
    startDoc: 'Position of the first word, in both sentences. Relative encodings do not notice.',
    computed: 'computed',
    less: (label) => `${label}: less`,
    more: (label) => `${label}: more`,
  },

  encodings: {
    none: { name: 'No encoding', inSentence: 'no encoding', summary: 'Nothing says where a word stands.' },
  },
  fields: {},
  choices: {},
  units: {},

  matrix: {
    group: 'Attention weights',
    a: 'A',
    b: (align) => (align === 'word' ? 'B, in A’s word order' : 'B, in its own order'),
    delta: (align) => (align === 'word' ? 'Δ = B − A, word by word' : 'Δ = B − A, slot by slot'),
    short: { a: 'A', b: 'B', delta: 'Δ' },
    panels: 'Matrix',
    query: 'who looks',
    key: 'at whom',
    slot: 'position',
    align: 'Compare',
    aligns: { word: 'by word', slot: 'by slot' },
    alignHint: (exact) =>
      exact
        ? 'By slot, the same weights look different only because their rows and columns moved.'
        : 'By slot, two things mix: words that moved, and weights that changed.',
    colours: 'Colours of Δ',
    scales: { fixed: '±1', fit: 'fit' },
    view: 'Show as',
    views: { picture: 'Picture', table: 'Table' },
    copy: 'Copy numbers',
    copied: 'Copied',
    firstWords: (shown, total) => `First ${shown} of ${total} words. Copy takes all.`,
    legendWeight: 'weight',
    legendChange: 'change',
    legendNegative: 'less',
    legendPositive: 'more',
    weightCell: ({ query, key }, weight) => `${query} attends to ${key}, ${weight}`,
    weightCellWas: ({ query, key }, weight, was) => `${query} attends to ${key}, ${weight}, was ${was}`,
    changeCell: ({ query, key }, change, from, to) =>
      `${query} attends to ${key}, change ${change}, from ${from} to ${to}`,
    zeroCell: ({ query, key }) => `${query} attends to ${key}, change = 0, exactly`,
    aloneCell: ({ query, key }) => `${query} attends to ${key}, no partner in the other sentence`,
    waiting: 'Computing',
  },

  verdict: (facts, encoding, words) => {
    const zero = em('0');
    switch (facts.verdict) {
      case 'nothing_shared':
        return rich`The two sentences share no word, so there is nothing to compare.`;
      case 'same':
        return rich`A and B are the same sentence: nothing moved, nothing changes.`;
      case 'order_blind':
        return rich`With ${em(encoding)}, every one of the ${String(facts.compared)} weights is unchanged (largest change ${zero}). No order of these words would change one: position does not exist for this layer.`;
      case 'mirror_blind':
        return rich`Largest change ${zero}. A sentence and its mirror image have the same distances. An encoding that sees how far apart two words are, but not which comes first, cannot tell them apart.`;
      case 'zero':
        return rich`With ${em(encoding)}, none of the ${String(facts.compared)} weights changes for this pair (largest change ${zero}).`;
      case 'change': {
        const where = facts.at ? rich`, ${words[facts.at.query] ?? ''} → ${words[facts.at.key] ?? ''}` : [];
        const size = rich`Largest change ${em(formatSize(facts.maxDelta))}${where}.`;
        return facts.maskAlone
          ? rich`${size} No encoding was needed: each word sees only the words before it, and that alone gives the order away.`
          : size;
      }
    }
  },
  alone: (words) =>
    `${list(words)} ${words.length === 1 ? 'has' : 'have'} no partner in the other sentence: hatched, not compared.`,
  pair,
  shifted: (offset, size) =>
    size === null
      ? `The first word is at position ${offset}.`
      : size === '0'
        ? `The first word is at position ${offset}. Moving all words together changes nothing under this encoding.`
        : `The first word is at position ${offset}. Under this encoding that matters: moving all words together changes a weight by up to ${size}.`,
  mirrorBackwards: 'Look only backwards',
  mirrorPadding: 'Add “yesterday” in front',

  arithmetic: {
    title: ({ query, key }) => rich`The arithmetic of ${em(query)} → ${em(key)}`,
    caption: 'Content, position and bias add up to the logit. The softmax of its row turns logits into weights.',
    parts: { content: 'content', position: 'position', bias: 'bias', logit: 'logit', weight: 'weight' },
    softmax: 'softmax',
    hidden: 'hidden by the mask',
    alone: 'no partner in B',
    bar: (row) => `Sum in ${row}`,
  },

  weights: (seed, head) => `Weights: fixed random numbers, seed ${seed}, head ${head}.`,
  readerWeights: ({ source, steps, seed, layer, head }) =>
    `Weights: the reader of “Who chased whom?”, ${source === 'here' ? 'trained here' : 'trained'} ${steps} steps, seed ${seed}, layer ${layer}, head ${head}. Besides the words it sees a start and the two questions.`,
  noReaderWeights: 'There is no trained reader for this encoding.',
  why: 'Why?',
  whyText: {
    reader:
      'This is one attention head of a small Transformer that learned to point at who did it, and to whom. What it looks at is what helped it to answer, so a change here means something. Training does not undo a zero that follows from the encoding.',
    seeded:
      'This layer is not trained. Its word vectors, W_Q and W_K are random and then left alone, so every change you see comes from position. Trained weights would give other numbers. An exact zero that follows from the encoding would stay zero.',
  },

  scoreboard: {
    title: 'Who can tell?',
    lede: (mask) =>
      `A and B under every encoding. The three tests run now, on sentence A, looking ${mask === 'none' ? 'both ways' : 'only backwards'}.`,
    sort: 'Sort',
    sorts: { family: 'by family', change: 'by change' },
    masks: { none: 'both ways', causal: 'backwards' },
    largest: 'largest change',
    thumbnail: (mask, size) => `Change, ${mask === 'none' ? 'both ways' : 'only backwards'}: largest ${size}`,
    blind: { shuffle: 'order-blind', mirror: 'mirror-blind', shift: 'shift-blind' },
    sees: { shuffle: 'sees order', mirror: 'sees mirror', shift: 'sees shift' },
    untried: {
      shuffle: 'order: no other order to try',
      mirror: 'mirror: it reads the same backwards',
      shift: 'shift: no further position to try',
    },
    measured: (test, size, tried) =>
      `${{ shuffle: 'Other orders', mirror: 'Read backwards', shift: 'All words moved on' }[test]}: largest change ${size}, ${tried} tried`,
    load: (name) => `Show ${name} in the experiment`,
    loaded: 'shown above',
    scale: 'Colours run from −1 to +1 on every card. The number beside a test is its largest change.',
    seeded: 'These cards show the random weights, not the reader’s.',
    working: 'computing',
  },

  reader: enReader,

  problems: {
    title: 'Please note',
    dismiss: 'Dismiss',
    notice: (field, value, rule, used) =>
      `The link says ${field} = “${value}”, but ${field} must be ${rule}. Using ${used}.`,
    refused: (field, rule, value, used) => `${field} must be ${rule}. You typed “${value}”; ${used} is still used.`,
    rule: (rule) => {
      switch (rule.kind) {
        case 'bool':
          return 'on or off';
        case 'choice':
          return `one of ${rule.choices.join(', ')}`;
        case 'list':
          return `numbers from ${formatNumber(rule.min)} to ${formatNumber(rule.max)}, with commas between`;
        case 'engine':
          return rule.text;
        case 'number': {
          const kind =
            rule.multipleOf > 1 ? `a multiple of ${rule.multipleOf}` : rule.integer ? 'a whole number' : 'a number';
          return `${kind} from ${formatNumber(rule.min)} to ${formatNumber(rule.max)}`;
        }
      }
    },
    engine: ({ code, rule: own, value, message }, field, rule) => {
      switch (code) {
        case 'empty_input':
          return `${field || 'The sentence'} is empty. Type at least one word.`;
        case 'position_out_of_range':
          return `This encoding has no position ${value}: positions must ${own}. Use fewer words, an earlier start, or a longer table.`;
        case 'out_of_memory':
          return 'Not enough memory for so many words.';
        default:
          if (field === '') return message;
          return `${field} must ${rule === null ? own : `be ${rule}`}. Got ${value}.`;
      }
    },
    lastGood: 'The picture still shows the last values that worked.',
    fieldNames: {
      a: 'Sentence A',
      b: 'Sentence B',
      tokens: 'The sentence',
      e: 'encoding',
      m: 'mask',
      s: 'seed',
      h: 'head',
      o: 'start',
      q: 'query',
      k: 'key',
      g: 'weights',
      l: 'layer',
      ts: 'seed of training',
      tn: 'steps of training',
      t: 'cut',
      w: 'alignment',
      z: 'colours',
      r: 'order of cards',
      p: 'view',
      lang: 'language',
      theme: 'theme',
    },
  },

  failure: {
    cause: {
      wasm_blocked: 'WebAssembly is blocked here.',
      wasm_not_found: 'The engine file posenc.wasm did not arrive.',
      wasm_not_wasm: 'The server sent something else in place of posenc.wasm.',
      wasm_unsupported: 'This browser is too old for the engine: it needs WebAssembly with SIMD.',
      other: 'The engine did not start.',
    },
    saved: (encoding, { a, b }) =>
      `Showing a saved picture: ${encoding}, “${a}” and “${b}”. What you type is kept, but not computed.`,
    retry: 'Try again',
  },

  footer:
    'Every number on this page is computed in your browser by the same C++ core, compiled to WebAssembly. Nothing you type leaves it.',
};
