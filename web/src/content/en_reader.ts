import { formatPercent } from '../logic/format.ts';
import { em, rich, type Rich } from '../logic/rich.ts';
import type { ReaderStory, ReaderText } from './reader_text.ts';

function verdict({ facts, words, noEncoding, mask }: ReaderStory): Rich {
  const word = (row: 'a' | 'b', ask: 'who' | 'whom'): Rich => [em(words[row][facts[row][ask]] ?? '')];
  const inA = rich`in A ${word('a', 'who')} did it to ${word('a', 'whom')}`;
  const inB = rich`in B ${word('b', 'who')} to ${word('b', 'whom')}`;
  switch (facts.verdict) {
    case 'empty':
      return ['Type both sentences: without a word there is nothing to point at.'];
    case 'same':
      return ['A and B are the same sentence, so they get the same answers.'];
    case 'blind':
      return noEncoding && mask === 'none'
        ? rich`Every word has the same probability in A and in B, ${em('equal to the last bit')}. No training can help: without an encoding and without a mask, the reader gets a bag of words, and both times it is the same bag.`
        : rich`Every word has the same probability in A and in B, ${em('equal to the last bit')}: this reader cannot tell the two orders apart.`;
    case 'flipped':
      return rich`The arrows have changed places: ${inA}, ${inB}. ${facts.sameBag ? 'The words are the same; only their order says so.' : ''}${
        noEncoding
          ? ' No encoding was needed: each word sees only the words before it, and the reader learned to count on that.'
          : ''
      }`;
    case 'kept':
      return rich`Another sentence, the same answers: ${word('a', 'who')} did it to ${word('a', 'whom')}, both times.`;
    case 'sure':
      return rich`The reader is sure: ${inA}, ${inB}.`;
    case 'unsure':
      if (noEncoding && mask === 'none')
        return [
          'The answers split. No training can help: without an encoding and without a mask, the reader gets a bag of words, and a bag does not say which of two names came first.',
        ];
      return rich`The reader is not sure of everything: one of its four best guesses has only ${em(formatPercent(facts.certainty))}.`;
  }
}

export const enReader: ReaderText = {
  title: 'Who chased whom?',
  lede: 'A small Transformer reads each sentence and points: who did it, and to whom? While it was trained, every name and every verb was a new random vector each time. So it knows order and function words, nothing else, and any word can be asked about.',
  masks: { none: 'Looks both ways', causal: 'Looks only backwards' },
  exchange: (first, second) => `Exchange “${first}” and “${second}”`,
  start: 'start',
  asks: { who: 'who?', whom: 'whom?' },
  answers: (row) => `Answers for sentence ${row.toUpperCase()}`,
  named: (words) => words.flatMap(([word, probability], index) => [index > 0 ? ', ' : '', em(word), ` ${probability}`]),
  noWords: 'no words',
  word: 'word',
  otherWords: (count) => `${count} other words`,
  verdict,
  fewWords: 'With fewer than three words nobody does anything to anybody. The probabilities stand as they are.',
  onlyFirst: (read, total) => `The reader reads the first ${read} of ${total} words.`,

  shipped: (encoding, mask, steps, seed) =>
    `Weights: the reader with ${encoding}, looking ${mask === 'none' ? 'both ways' : 'only backwards'}, trained ${steps} steps, seed ${seed}.`,
  scores: ({ trained, unseen, longer }) =>
    `On new sentences it is right in ${formatPercent(trained.accuracy)} of the answers (a guess: ${formatPercent(trained.chance)}); on patterns that training never showed, ${formatPercent(unseen.accuracy)} (${formatPercent(unseen.chance)}); on longer sentences, ${formatPercent(longer.accuracy)} (${formatPercent(longer.chance)}).`,
  trainedOn:
    'It was trained on sentences in which somebody does something to somebody, in English and Chinese: active and passive, questions, two clauses, 被 and 把. Whatever else you type gets an answer too, with no promise.',
  otherParams: (encoding) => `It was trained with the default parameters of ${encoding}; yours are different.`,
  noReader: (encoding, axes) =>
    axes > 1
      ? `There is no reader for ${encoding}: it takes ${axes} numbers to say where something stands, in an image, and a word of a sentence has one.`
      : `There is no trained reader for ${encoding}.`,
  loading: 'The reader is on its way',
  failed: 'The reader did not arrive. The rest of the page works without it.',
  retry: 'Try again',

  here: (encoding, mask, step, steps, seed) =>
    `Weights: the reader with ${encoding}, looking ${mask === 'none' ? 'both ways' : 'only backwards'}, trained here, ${step} of ${steps} steps, seed ${seed}.`,
  source: 'Reader',
  sources: { shipped: 'as shipped', here: 'trained here' },
  trainMine: 'Train it here with yours',
  training: {
    title: 'Train it here',
    lede: 'The same readers, from random numbers to answers, in this browser. With one seed, all of them read the same sentences in the same order. The arrows above move as they learn.',
    all: 'Train all',
    only: (encoding) => `Train ${encoding} alone`,
    pause: 'Pause',
    resume: 'Go on',
    step: 'One step',
    stepHint: 'Pauses, and takes one step with every reader whose turn it is',
    reset: 'Reset',
    seed: 'Seed',
    seedDoc: 'Of the first parameters, and of the sentences that training shows.',
    steps: 'Steps',
    stepsDoc: 'Each step shows new sentences. The learning rate falls to 0 at the last one.',
    setup: (mask, seed, steps) =>
      `Looking ${mask === 'none' ? 'both ways' : 'only backwards'}, seed ${seed}, ${steps} steps.`,
    loss: 'Loss, nats for each question',
    accuracy: 'Right answers',
    stepAxis: 'step',
    guess: 'a guess',
    summary: (title, encoding, value, step) => `${title}: ${encoding} has ${value} at step ${step}.`,
    runs: 'Readers in training',
    run: (accuracy, step, steps) => `${accuracy} right, step ${step} of ${steps}. Show it above.`,
    waiting: 'waiting',
    averaged: (steps) =>
      `The percentages are the right answers of the last ${steps} steps. Choose a reader to see its arrows.`,
    hidden: 'Training waits while this tab is out of sight.',
    finished: (runs) => (runs === 1 ? 'The reader is trained.' : `All ${runs} readers are trained.`),
  },

  harder: 'Harder sentences',
  examples: [
    { name: 'Passive', a: 'Tom chased Jerry', b: 'Jerry was chased by Tom' },
    { name: 'Question', a: 'did Tom chase Jerry', b: 'did Jerry chase Tom' },
    { name: 'It was …', a: 'it was Jerry that Tom chased', b: 'it was Jerry who chased Tom' },
    { name: 'Two clauses', a: 'Spike slept and Tom chased Jerry', b: 'Tom slept and Jerry chased Spike' },
    { name: '被', a: '汤姆 被 杰瑞 追 了', b: '杰瑞 被 汤姆 追 了' },
    { name: '把', a: '猫 把 狗 咬 了', b: '狗 把 猫 咬 了' },
    { name: 'Unseen words', a: 'the blicket gorped the wug', b: 'the wug gorped the blicket' },
    {
      name: 'Longer than trained',
      a: 'yesterday Tom chased Jerry and Spike saw Tyke',
      b: 'yesterday Jerry chased Tom and Spike saw Tyke',
    },
  ],
};
