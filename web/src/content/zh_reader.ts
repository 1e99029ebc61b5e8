import { formatPercent } from '../logic/format.ts';
import { em, rich, type Rich } from '../logic/rich.ts';
import type { ReaderStory, ReaderText } from './reader_text.ts';

function verdict({ facts, words, noEncoding, mask }: ReaderStory): Rich {
  const word = (row: 'a' | 'b', ask: 'who' | 'whom'): Rich => [em(words[row][facts[row][ask]] ?? '')];
  const inA = rich`A 里是 ${word('a', 'who')} 对 ${word('a', 'whom')}`;
  const inB = rich`B 里是 ${word('b', 'who')} 对 ${word('b', 'whom')}`;
  switch (facts.verdict) {
    case 'empty':
      return ['请写好两个句子：没有词，就没有可指的东西。'];
    case 'same':
      return ['A 和 B 是同一个句子，答案自然相同。'];
    case 'blind':
      return noEncoding && mask === 'none'
        ? rich`每个词在 A 和 B 里的概率都相同，${em('一位不差')}。怎么训练也没用：没有编码，也没有遮挡，读者拿到的只是一袋子词，两次都是同一袋。`
        : rich`每个词在 A 和 B 里的概率都相同，${em('一位不差')}：这个读者分不清这两种次序。`;
    case 'flipped':
      return rich`箭头换了位置：${inA}，${inB}。${facts.sameBag ? '词还是那些词，只有次序说明了这一点。' : ''}${
        noEncoding ? '这里不需要编码：每个词只看得见前面的词，读者学会了靠这一点分辨先后。' : ''
      }`;
    case 'kept':
      return rich`句子换了，答案没换：两次都是 ${word('a', 'who')} 对 ${word('a', 'whom')}。`;
    case 'sure':
      return rich`读者很有把握：${inA}，${inB}。`;
    case 'unsure':
      if (noEncoding && mask === 'none')
        return [
          '答案分散在几个词上。怎么训练也没用：没有编码，也没有遮挡，读者拿到的只是一袋子词，而袋子不会说两个名字谁在前面。',
        ];
      return rich`读者并非样样有把握：四个首选答案里，最低的概率只有 ${em(formatPercent(facts.certainty))}。`;
  }
}

export const zhReader: ReaderText = {
  title: '谁追谁？',
  lede: '一个小 Transformer 读完句子，指出是谁做的、对谁做的。训练时，每个句子里的名字和动词都是新的随机向量，所以它只认得次序和虚词，别的一概不知；写什么词都可以问。',
  masks: { none: '前后都看', causal: '只看前文' },
  exchange: (first, second) => `交换「${first}」和「${second}」`,
  start: '开头',
  asks: { who: '谁？', whom: '对谁？' },
  answers: (row) => `句子 ${row.toUpperCase()} 的答案`,
  named: (words) => words.flatMap(([word, probability], index) => [index > 0 ? '，' : '', em(word), ` ${probability}`]),
  noWords: '没有词',
  word: '词',
  otherWords: (count) => `其余 ${count} 个词`,
  verdict,
  fewWords: '不到三个词，谈不上谁对谁做了什么；概率照原样列出。',
  onlyFirst: (read, total) => `全句 ${total} 个词，读者只读前 ${read} 个。`,

  shipped: (encoding, mask, steps, seed) =>
    `权重：训练过的读者，${encoding}，${mask === 'none' ? '前后都看' : '只看前文'}，训练 ${steps} 步，种子 ${seed}。`,
  scores: ({ trained, unseen, longer }) =>
    `读新句子，答对 ${formatPercent(trained.accuracy)}（随便猜是 ${formatPercent(trained.chance)}）；句式没在训练里出现过的，答对 ${formatPercent(unseen.accuracy)}（${formatPercent(unseen.chance)}）；比训练时更长的，答对 ${formatPercent(longer.accuracy)}（${formatPercent(longer.chance)}）。`,
  trainedOn:
    '训练用的都是「谁对谁做了什么」的句子，有中文也有英文：主动和被动，问句，两个分句，「被」字句和「把」字句。写别的它也会答，只是不作保证。',
  otherParams: (encoding) => `它是按「${encoding}」的默认参数训练的，和你现在的参数不同。`,
  noReader: (encoding, axes) =>
    axes > 1
      ? `没有「${encoding}」的读者：它要用 ${axes} 个数说明图像里的一个位置，而句子里的词只有一个。`
      : `没有「${encoding}」的读者。`,
  loading: '读者还在路上',
  failed: '读者没有送到；本页其余部分照常可用。',
  retry: '再试一次',

  here: (encoding, mask, step, steps, seed) =>
    `权重：在这里训练的读者，${encoding}，${mask === 'none' ? '前后都看' : '只看前文'}，训练了 ${step} 步，共 ${steps} 步，种子 ${seed}。`,
  source: '读者',
  sources: { shipped: '随页附带', here: '在此训练' },
  trainMine: '用你的参数在这里训练',
  training: {
    title: '在这里训练',
    lede: '同样的读者，从随机数开始，就在这个浏览器里学会回答。种子相同，它们读到的句子和次序也都相同。它们一边学，上面的箭头一边动。',
    all: '全部训练',
    only: (encoding) => `只训练 ${encoding}`,
    pause: '暂停',
    resume: '继续',
    step: '走一步',
    stepHint: '先暂停，再让轮到的每个读者各走一步',
    reset: '清空',
    seed: '种子',
    seedDoc: '决定起初的参数，也决定训练时读到的句子。',
    steps: '步数',
    stepsDoc: '每一步读一批新句子；学习率到最后一步降为 0。',
    setup: (mask, seed, steps) => `${mask === 'none' ? '前后都看' : '只看前文'}，种子 ${seed}，${steps} 步。`,
    loss: '损失（每个问题多少纳特）',
    accuracy: '答对的比例',
    stepAxis: '步',
    guess: '随便猜',
    summary: (title, encoding, value, step) => `${title}：${encoding}在第 ${step} 步是 ${value}。`,
    runs: '正在训练的读者',
    run: (accuracy, step, steps) => `答对 ${accuracy}，第 ${step} 步，共 ${steps} 步。在上面看它的箭头。`,
    waiting: '等候',
    averaged: (steps) => `百分数是最近 ${steps} 步里答对的比例。选一个读者，上面就画它的箭头。`,
    hidden: '这个标签页不在眼前时，训练会停下来等着。',
    finished: (runs) => (runs === 1 ? '读者训练好了。' : `${runs} 个读者都训练好了。`),
  },

  harder: '更难的句子',
  examples: [
    { name: '「被」字句', a: '汤姆追杰瑞', b: '杰瑞 被 汤姆 追 了' },
    { name: '「把」字句', a: '猫 把 狗 咬 了', b: '狗 把 猫 咬 了' },
    { name: '时间在前', a: '昨天 猫 被 狗 咬 了', b: '昨天 狗 被 猫 咬 了' },
    { name: '「的」字结构', a: '猫 追 的 狗', b: '狗 追 的 猫' },
    { name: '两个分句', a: '猫 追 了 狗 而 人 看 了 鸟', b: '狗 追 了 猫 而 人 看 了 鸟' },
    { name: '没见过的词', a: '噗叽 把 啦嘟 咕 了', b: '啦嘟 把 噗叽 咕 了' },
    { name: '英文被动句', a: 'Tom chased Jerry', b: 'Jerry was chased by Tom' },
    { name: '比训练时更长', a: '昨天 猫 追 了 狗 而 人 看 了 鸟', b: '昨天 狗 追 了 猫 而 人 看 了 鸟' },
  ],
};
